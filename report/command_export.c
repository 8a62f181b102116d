/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "err.h"
#include "export.h"
#include "export_formats.h"
#include "text.h"

static int dashboard(FILE *f, const struct run *run)
{
	return export_dashboard(f, run, false);
}

static int dashboard_bigger(FILE *f, const struct run *run)
{
	return export_dashboard(f, run, true);
}

/* One of the two writes it. */
static const struct format {
	const char *name;
	void (*plain)(FILE *f, const struct run *run);
	int (*json)(FILE *f, const struct run *run);
} formats[] = {
	{ "csv", export_csv, NULL },
	{ "json", NULL, export_json },
	{ "gobench", export_gobench, NULL },
	{ "openmetrics", export_openmetrics, NULL },
	{ "dashboard", NULL, dashboard },
	{ "dashboard-bigger", NULL, dashboard_bigger },
};

static const struct format *find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

int command_export(const char *name, const char *dir)
{
	const struct format *format = find(name);
	struct notes notes = { 0 };
	struct run run;
	char *why;
	int err;

	if (!format) {
		warn("--format %s: expected csv, json, gobench, openmetrics, "
		     "dashboard or dashboard-bigger",
		     name);
		return EXIT_USAGE;
	}
	err = run_load(&run, dir, &notes, &why);
	if (err)
		warn("%s", why);
	else if (format->plain)
		format->plain(stdout, &run);
	else
		err = format->json(stdout, &run);
	for (size_t i = 0; i < notes.n; i++)
		warn("%s", notes.v[i].text);
	free(why);
	run_free(&run);
	notes_free(&notes);
	if (fflush(stdout) || ferror(stdout))
		err = -1;
	return err ? EXIT_FAIL : EXIT_OK;
}
