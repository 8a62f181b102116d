/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include <math.h>

#include "copies.h"
#include "copies_crew.h"

static struct crew crew;

int crowd_enter(struct bench *b, const struct bench_desc *one, void *state,
		const struct bench_case *c)
{
	uint64_t iters = 0;

	crew = (struct crew) { .desc = one,
			       .pristine = state,
			       .inner = c->id,
			       .n = (unsigned int)case_int(c, CROWD_AXIS) };
	bench_fact(b, c, "cpus", bench_cpus(b));
	return crew_start(&crew, b, &iters);
}

int crowd_sample(struct bench *b, void *state, const struct bench_case *c)
{
	const struct crew_page *page = crew.page;
	const int err = crew_window(&crew, b);
	unsigned int at_work = 0;
	bool pure = true;
	double ops = 0;

	if (err || bench_stopping(b))
		return err;
	for (unsigned int i = 0; i < crew.n; i++) {
		ops += page->of[i].ops;
		at_work += page->of[i].counted > 0;
		pure &= !page->of[i].impure;
	}
	bench_proof(b, c, "processes_at_work", crew.n, at_work);
	if (bench_is_sample(b))
		bench_purity(b, c, "pure_windows", BENCH_MOSTLY, 1, pure);
	if (pure)
		bench_record_value(b, c,
				   (double)(page->closed_ns - page->opened_ns) *
					   crew.n / ops);
	return 0;
}

int crowd_leave(struct bench *b, void *state, const struct bench_case *c)
{
	return crew_end(&crew, b, c);
}

void crowd_derive(struct bench *b)
{
	BENCH_EACH (b, intercept, "figure=intercept") {
		const struct bench_case *const line[] = {
			intercept, bench_beside(b, intercept, "figure=slope"),
			bench_beside(b, intercept, "figure=r2")
		};
		double x[COPIES_COUNTS], y[COPIES_COUNTS];
		size_t n = 0;

		BENCH_EACH (b, c, CROWD_AXIS) {
			if (n == COPIES_COUNTS ||
			    bench_beside(b, c,
					 "!" CROWD_AXIS
					 " figure=intercept") != intercept)
				continue;
			x[n] = (double)case_int(c, CROWD_AXIS);
			y[n] = bench_value(b, c);
			n += isfinite(y[n]);
		}
		copies_fit(b, line, x, y, n);
	}
}

void crowd_stop(void)
{
	crew_stop(&crew);
}
