/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <math.h>
#include <stdbool.h>

#include "doc.h"
#include "load.h"
#include "text.h"

/* How much faster than memory is a cache and no mixture: mem_latency asks for
 * as much of a level. */
#define CLEAR 1.5

/* How many times better than memory the third cache is in @program; NAN if one
 * of the two was not measured. */
static double times_memory(const struct run *run, const char *program,
			   const char *cache, const char *memory)
{
	const struct row *a = run_pick(run, program, cache);
	const struct row *b = run_pick(run, program, memory);

	if (!a || !b || a->all.status != RESULT_OK ||
	    b->all.status != RESULT_OK || !(a->all.value > 0) ||
	    !(b->all.value > 0))
		return NAN;
	return a->all.value / b->all.value;
}

void contradictions_add(struct run *run)
{
	const double latency =
		1 / times_memory(run, "mem_latency", "level=3,stat=latency",
				 "level=memory,stat=latency");
	const double bandwidth =
		times_memory(run, "mem_bandwidth",
			     "kernel=read,isa=best,level=L3,*threads=1",
			     "kernel=read,isa=best,level=memory,*threads=1");
	const bool measured =
		run_pick(run, "mem_latency", "level=memory,stat=latency");

	if (!measured || !isfinite(bandwidth) ||
	    (latency > CLEAR) == (bandwidth > CLEAR))
		return;
	notes_say(run->notes,
		  prose("contradiction", "seen",
			isfinite(latency)
				? text_format("%.2g times as fast as", latency)
				: "no faster than",
			"bandwidth", text_format("%.2g", bandwidth), NULL));
}
