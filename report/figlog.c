/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "input.h"
#include "text.h"

static double behind(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtod(at + strlen(name), NULL) : NAN;
}

/* The ensembles of one body, from lines as the white paper's module prints
 * them. */
static size_t put_body(struct figwriter *w, struct input *in, size_t i,
		       const char *body)
{
	const char *head = text_format("# %s body=%s\n", w->fig->globs, body);
	bool on = false;
	size_t n = 0;

	figwrite_block(w, i, body);
	input_seek(in, 0);
	while (input_next(in)) {
		if (in->line[0] == '#')
			on = !strcmp(in->line, head);
		if (!on || strncmp(in->line, "loop_size:", 10) != 0)
			continue;
		figwrite_number(w->data, behind(in->line, "loop_size:"), ' ');
		figwrite_number(w->data, behind(in->line, "min time: "), ' ');
		figwrite_number(w->data, behind(in->line, "variance(cycles): "),
				'\n');
		n++;
	}
	return n;
}

size_t figwrite_ensembles(struct figwriter *w)
{
	const char *path = text_format("%s/%s", w->run->dir, w->fig->x);
	struct input in;
	size_t n = 0;

	if (!input_open(&in, path, INPUT_NO_LINK)) {
		fputs("# ensemble least variance\n", w->data);
		n = put_body(w, &in, 0, "empty");
		/* gnuplot draws both or stops. */
		n = n && put_body(w, &in, 1, "loop") ? n : 0;
		input_close(&in);
	}
	return n;
}
