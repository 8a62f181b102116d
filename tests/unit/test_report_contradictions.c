/* SPDX-License-Identifier: MIT */
/* The third cache according to mem_latency and mem_bandwidth. */
#include "leaks.h"
#include "sections.h"
#include "tap.h"

enum { L3_NS, MEMORY_NS, L3_BYTES, MEMORY_BYTES, ROWS };

static char latency[] = "mem_latency", bandwidth[] = "mem_bandwidth";
static size_t places[] = { 0, 1, 2, 3 };

/* How many notes there are; @l3_ns of 0: that row is skipped. */
static size_t notes(double l3_ns, double l3_bytes, const char **text,
		    struct notes *notes)
{
	struct row rows[ROWS] = {
		[L3_NS] = { .all = { .name = (char *)"level=3,stat=latency",
				     .value = l3_ns } },
		[MEMORY_NS] = { .all = { .name = (char *)"level=memory,stat="
							 "latency",
					 .value = 150 } },
		[L3_BYTES] = { .all = { .name = (char *)"kernel=read,isa=best,"
							"level=L3,size=8M,"
							"threads=1",
					.value = l3_bytes } },
		[MEMORY_BYTES] = { .all = { .name = (char *)"kernel=read,isa="
							    "best,level=memory,"
							    "size=256M,"
							    "threads=1",
					    .value = 40e9 } },
	};
	struct section sections[] = {
		{ .program = latency, .rows = places, .n = 2 },
		{ .program = bandwidth, .rows = places + 2, .n = 2 },
	};
	struct run run = { .rows = rows,
			   .nrows = ROWS,
			   .sections = sections,
			   .nsections = 2,
			   .notes = notes };

	if (!(l3_ns > 0))
		rows[L3_NS].all.status = RESULT_SKIPPED;
	*notes = (struct notes) { 0 };
	contradictions_add(&run);
	*text = notes->n ? notes->v[0].text : "";
	return notes->n;
}

/* Whether there is one note and it has @want in it; none if that is NULL. */
static int says(double l3_ns, double l3_bytes, const char *want)
{
	struct notes all;
	const char *text;
	const size_t n = notes(l3_ns, l3_bytes, &text, &all);
	const int good = want ? n == 1 && strstr(text, want) != NULL : n == 0;

	if (!good)
		printf("# %zu: %s\n", n, text);
	return good;
}

int main(void)
{
	OK(says(12, 100e9, NULL), "both see the cache");
	OK(says(140, 41e9, NULL), "neither does: others have it");
	OK(says(0, 41e9, NULL), "nor where the level was skipped");
	OK(says(140, 100e9, "loads are 1.1 times"), "only the bandwidth does");
	OK(says(0, 100e9, "loads are no faster than"),
	   "or the level is skipped");
	OK(says(12, 41e9, "bytes 1 times"), "only the latency does");
	OK(says(12, 0, NULL), "no bandwidth, no contradiction");
	return tap_done();
}
