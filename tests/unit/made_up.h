/* SPDX-License-Identifier: MIT */
#ifndef MADE_UP_H
#define MADE_UP_H

#include <math.h>
#include <stdlib.h>

#include "program.h"
#include "result.h"

/* A program without code, and a case of it without samples. */
static const struct bench_desc made_up_desc;

static inline struct case_run made_up(struct bench_case c)
{
	case_complete(&c, &made_up_desc);
	c.name = "x=1";
	return (struct case_run) { .c = c,
				   .got.cold = NAN,
				   .def.derived = NAN,
				   .def.expected = NAN,
				   .def.derived_resolution = NAN,
				   .def.derived_low = NAN,
				   .def.derived_high = NAN };
}

/* Free the samples of @run. */
static inline void made_up_free(struct case_run *run)
{
	sample_series_free(&run->got.series);
	sample_series_free(&run->got.base);
	sample_free(&run->got.events);
	sample_free(&run->got.core_hz);
	sample_free(&run->got.core_share);
	free(run->verdict.evidence);
	run->verdict.evidence = NULL;
}

/* The row of a case, which is freed, until the next. */
static inline const struct result *made_up_row(const struct bench *b,
					       struct case_run *run)
{
	static struct result row;

	result_free(&row);
	rows_make(b, run, &row);
	made_up_free(run);
	return &row;
}

#endif
