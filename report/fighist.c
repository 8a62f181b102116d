/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "figures.h"
#include "text.h"

#define CYCLE_STEP 0.25 /* width of a bin, core cycles */
#define MAX_BINS   4096

/* The bins of a row, cleaned of what is no bin. */
struct bins {
	size_t n;
	double *edge, *count, total;
};

static void bins_read(struct bins *b, const json_t *histogram)
{
	const json_t *list = json_object_get(histogram, "bins"), *bin;
	size_t i;

	*b = (struct bins) { 0 };
	b->edge = text_alloc(json_array_size(list), sizeof(double));
	b->count = text_alloc(json_array_size(list), sizeof(double));
	json_array_foreach(list, i, bin)
	{
		double edge = json_number_value(json_array_get(bin, 0));
		double count = json_number_value(json_array_get(bin, 1));

		if (!isfinite(edge) || !(count > 0) ||
		    (b->n && edge <= b->edge[b->n - 1]))
			continue;
		b->edge[b->n] = edge;
		b->count[b->n++] = count;
		b->total += count;
	}
}

static bool has_unit(const struct point *p, const char *unit)
{
	const json_t *u = json_object_get(p->row->all.histogram, "unit");

	return json_is_string(u) && !strcmp(json_string_value(u), unit);
}

/* The least edge below which a @share of the samples lies. */
static double bins_quantile(const struct bins *b, double share)
{
	double sum = 0;

	for (size_t i = 0; i < b->n; i++) {
		sum += b->count[i];
		if (sum >= share * b->total)
			return b->edge[i];
	}
	return b->n ? b->edge[b->n - 1] : NAN;
}

/*
 * The range of cycles that all distributions of a figure share: from the
 * least 0.5 % to the greatest 97 %, with a margin.  A tail of rare
 * disturbances would else press everything else into a corner.
 */
static bool incidence_range(const struct plotdata *d, double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (size_t i = 0; i < d->n; i++) {
		struct bins b;

		if (!isfinite(d->points[i].x) ||
		    !has_unit(&d->points[i], "cycles"))
			continue;
		bins_read(&b, d->points[i].row->all.histogram);
		if (b.n) {
			*lo = fmin(*lo, bins_quantile(&b, 0.005));
			*hi = fmax(*hi, bins_quantile(&b, 0.97));
		}
	}
	if (!(*lo <= *hi))
		return false;
	*lo = floor(*lo - 0.04 * (*hi - *lo) - 1);
	*hi = ceil(*hi + 0.04 * (*hi - *lo) + 1);
	if (*hi - *lo > MAX_BINS * CYCLE_STEP)
		*hi = *lo + MAX_BINS * CYCLE_STEP;
	return true;
}

/* One distribution in even steps, empty ones too. */
static double write_ridge(struct figwriter *w, const struct bins *b, double x,
			  double lo, double hi, double *peak)
{
	size_t at = 0, steps = (size_t)((hi - lo) / CYCLE_STEP);
	double inside = 0;

	while (at < b->n && b->edge[at] < lo)
		at++;
	for (size_t i = 0; i < steps; i++) {
		double edge = lo + (double)i * CYCLE_STEP, count = 0;

		while (at < b->n && b->edge[at] < edge + CYCLE_STEP / 2)
			count += b->count[at++];
		inside += count;
		*peak = fmax(*peak, count / b->total);
		fprintf(w->data, "%.9g %.2f %.6g\n", x, edge,
			100 * count / b->total);
	}
	return inside;
}

size_t figwrite_incidence(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	double lo, hi, peak = 0, total = 0, inside = 0;
	double first = INFINITY, last = -INFINITY;
	size_t n = 0;

	if (!incidence_range(d, &lo, &hi))
		return 0;
	fputs("# x cycles share_percent\n", w->data);
	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];
		struct bins b;

		if (!isfinite(p->x) || !has_unit(p, "cycles"))
			continue;
		bins_read(&b, p->row->all.histogram);
		if (b.n) {
			fputs(n++ ? "\n\n" : "", w->data);
			inside += write_ridge(w, &b, p->x, lo, hi, &peak);
			total += b.total;
			first = fmin(first, p->x);
			last = fmax(last, p->x);
		}
	}
	fprintf(w->settings,
		"n_ridges = %zu\ncycles_from = %.9g\ncycles_to = %.9g\n"
		"peak = %.6g\nfirst = %.9g\nlast = %.9g\noutside = %.6g\n",
		n, lo, hi, 100 * peak, first, last,
		total > 0 ? 100 * (total - inside) / total : 0);
	return n;
}

/* Where a bin that begins at @edge ends: bins of the 10^(k/50) grid. */
static double bin_end(double edge)
{
	return pow(10, (round(log10(edge) * RESULT_BINS) + 1) / RESULT_BINS);
}

static void write_share(struct figwriter *w, double x, double share)
{
	fprintf(w->data, "%.6g %.9g %.9g\n", x / w->d->scale, share, 1 - share);
}

/* The share of samples at both ends of each bin, which is where it is known:
 * bins with a count only are there, so one may end before the next begins. */
static size_t write_shares(struct figwriter *w, const struct bins *b)
{
	double sum = 0, end = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (!(b->edge[i] > 0))
			continue;
		if (b->edge[i] > end * (1 + 1e-6))
			write_share(w, b->edge[i], sum / b->total);
		sum += b->count[i];
		end = bin_end(b->edge[i]);
		write_share(w, end, sum / b->total);
		n++;
	}
	return n;
}

size_t figwrite_distribution(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	size_t n = 0, blocks = 0;

	fputs("# value share_at_most share_above\n", w->data);
	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];
		struct bins b;

		if (!p->row->all.unit || !has_unit(p, p->row->all.unit))
			continue;
		bins_read(&b, p->row->all.histogram);
		if (b.n) {
			fputs(blocks++ ? "\n\n" : "", w->data);
			fprintf(w->settings, "name_%zu = ", blocks);
			text_gnuplot(w->settings, d->series[p->series]);
			fputc('\n', w->settings);
			n += write_shares(w, &b);
		}
	}
	fprintf(w->settings, "n_blocks = %zu\n", blocks);
	return n;
}
