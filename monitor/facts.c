// SPDX-License-Identifier: MIT
#include "row.h"

#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512

/* Why the column of @event has no values, or NULL. */
static const char *why_unknown(const struct counters *c, int event)
{
	if (!row_has_event(event))
		return NULL;
	return c ? counters_why(c, (enum counters_event)event)
		 : "no counters could be opened";
}

/* The events that are unknown for one reason, in one line. */
static void put_unknown(FILE *f, const struct counters *c)
{
	bool done[COUNTERS_EVENTS] = { false };

	for (int first = 0; first < COUNTERS_EVENTS; first++) {
		const char *why = why_unknown(c, first), *before = "";

		if (!why || done[first])
			continue;
		for (int e = first; e < COUNTERS_EVENTS; e++) {
			const char *too = why_unknown(c, e);

			if (!too || strcmp(too, why) != 0)
				continue;
			fprintf(f, "%s%s", before,
				counters_name((enum counters_event)e));
			before = ", ";
			done[e] = true;
		}
		fprintf(f, ": unknown: %s\n", why);
	}
}

/* The width of each kind of core; without counters it is one kind, "cpu". */
static void put_widths(FILE *f, const struct cpu_model *model,
		       const struct counters *c)
{
	const unsigned int pmus = c ? counters_pmus(c) : 0;
	char text[LINE_MAX_BYTES];

	for (unsigned int i = 0; i < (pmus ? pmus : 1); i++) {
		const char *pmu = pmus ? counters_pmu_name(c, i) : "cpu";

		cpu_model_width(model, pmu, text, sizeof(text));
		fprintf(f, "most instructions per cycle%s%s: %s\n",
			pmus > 1 ? " of " : "", pmus > 1 ? pmu : "", text);
	}
}

/* The architectural version, and how many counters there are. */
static void put_counters(FILE *f, const struct counters_arch *arch)
{
	const char *leaf = !strcmp(arch->vendor, "GenuineIntel")
				   ? " (CPUID leaf 0AH)"
			   : !strcmp(arch->vendor, "AuthenticAMD")
				   ? " (CPUID leaf 80000022H)"
				   : "";

	if (!arch->version && !arch->counters)
		fprintf(f,
			"performance monitoring version 0%s: no counters%s\n",
			leaf,
			arch->hypervisor ? "; the hypervisor gives none" : "");
	else
		fprintf(f,
			"performance monitoring version %u%s: %u counters of "
			"%u bits, %u fixed of %u bits\n",
			arch->version, leaf, arch->counters, arch->counter_bits,
			arch->fixed, arch->fixed_bits);
}

char *facts_text(const struct cpu_model *model, const struct counters *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	put_counters(f, &model->arch);
	put_widths(f, model, c);
	put_unknown(f, c);
	if (c && counters_user_only(c))
		fputs("the kernel's instructions are left out: not permitted\n",
		      f);
	return fclose(f) ? NULL : text;
}
