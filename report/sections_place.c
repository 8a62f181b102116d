/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "doc.h"
#include "sections.h"
#include "text.h"

/* The place of the files according to the rows: the words of the one that
 * has weighed it, else those of any. */
static const char *place_of(const struct run *run, const struct section *s)
{
	const char *place = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const json_t *e = run->rows[s->rows[i]].all.evidence;
		const char *device = run_text(e, "device");

		if (device)
			return device;
		if (!place)
			place = run_text(e, "place");
	}
	return place;
}

static const char *meaning(const char *place)
{
	if (strstr(place, ", which is memory"))
		return "No row describes a disk.";
	return prose("place-device", NULL);
}

void sections_place(struct doc *d, const struct run *run,
		    const struct section *s)
{
	const char *place = place_of(run, s);

	if (!place)
		return;
	/* As harness/rows/aggregate.c calls texts that it has no room for. */
	if (!strcmp(place, "varies"))
		place = "several places, not the same in all rounds";
	d->format->para(d, text_format("Test files were on %s. %s", place,
				       meaning(place)));
}
