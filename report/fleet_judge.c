/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "stats.h"
#include "text.h"

#define PROGRAM_ROWS 4 /* fewer have no median of their own */
#define ALL	     "all programs"
#define ALL_QUANTILE 0.9
#define FAR	     10 /* scales: further off is not less ordinary */
#define CONTROLS     2

/* While a class is judged: of the nodes that have a value of a row. */
struct work {
	double *cost, *log_hz, *effects, *values;
	struct fleet_cell **cells;
	size_t n;
};

double fleet_ratio(const struct fleet_cell *cell)
{
	return exp((double)cell->effect);
}

static bool higher(const struct fleet_row *row)
{
	return row->what.better && !strcmp(row->what.better, "higher");
}

/* Log of the cost that @value stands for; NAN if it has none: a number of CPUs,
 * a size that was found or a word is no cost. */
static double cost_of(const struct fleet_row *row, double value)
{
	const char *unit = row->what.unit;

	if (!row->what.better || !unit || !(value > 0))
		return NAN;
	if (!row->made && !text_glob("ns ns/B cycles B/s 1/s", unit))
		return NAN;
	return higher(row) ? -log(value) : log(value);
}

static void collect(struct work *w, const struct fleet *f,
		    const struct fleet_class *class, size_t row, bool *clocked)
{
	w->n = 0;
	*clocked = true;
	for (size_t i = 0; i < class->n; i++) {
		struct fleet_cell *cell = &f->nodes[class->nodes[i]].cells[row];
		const double cost =
			cell->there && cell->status == RESULT_OK
				? cost_of(&f->rows[row], cell->value)
				: NAN;

		cell->effect = cell->z = NAN;
		cell->score = -HUGE_VALF;
		cell->beyond = false;
		if (!isfinite(cost))
			continue;
		w->cells[w->n] = cell;
		w->cost[w->n] = cost;
		w->log_hz[w->n] = log(cell->core_hz);
		w->values[w->n++] = cell->value;
		*clocked = *clocked && cell->core_hz > 0;
	}
}

/* Whether the interval of @cell leaves out the median of the nodes. */
static bool is_sure(const struct fleet_row *row, const struct fleet_cell *cell)
{
	const double near = cost_of(row, cell->ci95[higher(row)]);

	return !isfinite(near) ||
	       cell->effect > cost_of(row, cell->value) - near;
}

static bool is_beyond(const struct fleet_bounds *bounds, double effect,
		      double scale)
{
	return effect > log1p(bounds->share) && effect > bounds->z * scale;
}

static void judge_row(const struct fleet *f, const struct fleet_class *class,
		      size_t row, struct work *w)
{
	struct fleet_level *level = &class->levels[row];
	const struct fleet_bounds *bounds;
	size_t beyond = 0;
	bool clocked;

	collect(w, f, class, row, &clocked);
	*level = (struct fleet_level) { .state = FLEET_ROW_NONE };
	if (!w->n)
		return;
	fleet_level_set(level, w->cost, clocked ? w->log_hz : NULL, w->n,
			w->effects);
	level->median = stats_median(w->values, w->n); /* sorts */
	level->min = w->values[0];
	level->max = w->values[w->n - 1];
	level->mad = stats_mad(w->values, w->n);
	bounds = fleet_bounds_of(w->n);
	level->state = bounds ? FLEET_ROW_JUDGED : FLEET_ROW_FEW;
	for (size_t i = 0; i < w->n; i++) {
		struct fleet_cell *cell = w->cells[i];

		cell->effect = (float)w->effects[i];
		cell->z = (float)(w->effects[i] / level->scale);
		cell->score = (float)fleet_score(level, w->effects[i]);
		cell->beyond = bounds &&
			       is_beyond(bounds, w->effects[i], level->scale) &&
			       is_sure(&f->rows[row], cell);
		beyond += cell->beyond;
	}
	level->family = f->rows[row].made	       ? FLEET_MADE
			: beyond <= fleet_seldom(w->n) ? FLEET_SELDOM
						       : FLEET_OFTEN;
	if (beyond > fleet_most(w->n))
		level->state = FLEET_ROW_SPLIT;
}

/* The median effect of the rows of @program that are judged, or what the
 * slowest tenth of all rows exceeds: NAN if the node has less than half of
 * them.  @effect_of: of one row. */
static double program_effect(const struct fleet *f,
			     const struct fleet_class *class,
			     const char *program, double *work,
			     double (*effect_of)(const void *arg, size_t row),
			     const void *arg)
{
	const bool every = !strcmp(program, ALL);
	size_t n = 0, all = 0;

	for (size_t i = 0; i < f->nrows; i++) {
		double effect;

		if (f->rows[i].made ||
		    class->levels[i].state != FLEET_ROW_JUDGED ||
		    (!every && strcmp(f->rows[i].what.benchmark, program) != 0))
			continue;
		all++;
		effect = effect_of(arg, i);
		if (isfinite(effect))
			work[n++] = effect;
	}
	if (n < PROGRAM_ROWS || 2 * n < all)
		return NAN;
	stats_sort(work, n);
	return stats_quantile(work, n, every ? ALL_QUANTILE : 0.5);
}

static double known_effect(const void *arg, size_t row)
{
	return ((const struct fleet_node *)arg)->cells[row].effect;
}

/* The core's frequency is a row: what it explains of the others is not held
 * against them. */
static void add_frequency(struct fleet *f)
{
	double *hz = text_alloc(f->nrows, sizeof(*hz));
	const size_t nrows = f->nrows;
	size_t row = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct fleet_node *node = &f->nodes[i];
		size_t n = 0;

		for (size_t j = 0; j < nrows && node->cells; j++)
			if (node->cells[j].there && node->cells[j].core_hz > 0)
				hz[n++] = node->cells[j].core_hz;
		if (!n)
			continue;
		if (!row)
			row = fleet_make_row(f, "core", "frequency", "Hz",
					     "higher");
		node->cells[row] = (struct fleet_cell) {
			.value = stats_median(hz, n),
			.ci95 = { NAN, NAN },
			.core_hz = NAN,
			.there = true,
		};
	}
	free(hz);
}

/* A row for each program with enough of them.  Return: its first number. */
static size_t add_programs(struct fleet *f)
{
	const size_t first = f->nrows;
	json_t *count = json_object();
	const char *program;
	json_t *n;

	for (size_t i = 0; i < first; i++) {
		program = f->rows[i].what.benchmark;
		n = json_object_get(count, program);
		json_object_set_new(count, program,
				    json_integer(json_integer_value(n) +
						 !f->rows[i].made));
	}
	json_object_foreach(count, program, n)
	{
		if (json_integer_value(n) >= PROGRAM_ROWS)
			fleet_make_row(f, program, "median of its rows", "1",
				       "lower");
	}
	if (first)
		fleet_make_row(f, ALL, "slowest tenth of their rows", "1",
			       "lower");
	json_decref(count);
	return first;
}

static int by_class(const void *a, const void *b)
{
	const struct fleet_class *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
			    : strcmp(x->name, y->name);
}

static void add_classes(struct fleet *f)
{
	json_t *known = json_object();

	for (size_t i = 0; i < f->n; i++) {
		const char *name = f->nodes[i].class_name;
		const json_t *k = name ? json_object_get(known, name) : NULL;
		struct fleet_class *class;

		if (!f->nodes[i].cells)
			continue;
		if (!k) {
			f->classes = text_grow(f->classes, f->nclasses,
					       sizeof(*f->classes));
			class = &f->classes[f->nclasses];
			*class = (struct fleet_class) { .name = text_copy(
								name) };
			json_object_set_new(known, name,
					    json_integer(
						    (json_int_t)f->nclasses++));
		} else {
			class = &f->classes[json_integer_value(k)];
		}
		class->nodes = text_grow(class->nodes, class->n,
					 sizeof(*class->nodes));
		class->nodes[class->n++] = i;
	}
	json_decref(known);
	if (f->nclasses)
		qsort(f->classes, f->nclasses, sizeof(*f->classes), by_class);
	for (size_t k = 0; k < f->nclasses; k++)
		for (size_t i = 0; i < f->classes[k].n; i++)
			f->nodes[f->classes[k].nodes[i]].class = k;
}

static int falling_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* The greatest score of @node in any row of @family. */
static double greatest(const struct fleet *f, const struct fleet_class *class,
		       const struct fleet_node *node, enum fleet_family family)
{
	double score = 0;

	for (size_t i = 0; i < f->nrows; i++)
		if (class->levels[i].state == FLEET_ROW_JUDGED &&
		    class->levels[i].family == family)
			score = fmax(score, node->cells[i].score);
	return score;
}

/* The thresholds of @class. */
static void set_thresholds(const struct fleet *f, struct fleet_class *class)
{
	double *scores = text_alloc(class->n, sizeof(*scores));

	for (enum fleet_family k = 0; k < FLEET_FAMILIES; k++) {
		class->threshold[k] = 0;
		if (!class->bounds || !class->bounds->tail)
			continue;
		for (size_t i = 0; i < class->n; i++)
			scores[i] = greatest(f, class,
					     &f->nodes[class->nodes[i]], k);
		qsort(scores, class->n, sizeof(*scores), falling_order);
		class->threshold[k] = fleet_threshold(scores, class->n);
	}
	free(scores);
}

static void judge_node(const struct fleet *f, const struct fleet_class *class,
		       struct fleet_node *node)
{
	double worst = -HUGE_VAL, sum = 0, margin;
	size_t n = 0;

	for (size_t i = 0; i < f->nrows; i++) {
		const struct fleet_cell *cell = &node->cells[i];

		if (class->levels[i].state != FLEET_ROW_JUDGED ||
		    !isfinite(cell->effect))
			continue;
		sum += fmin(fabsf(cell->z), FAR);
		n++;
		if (!cell->beyond)
			continue;
		node->nbeyond++;
		margin =
			cell->score - class->threshold[class->levels[i].family];
		if (fleet_is_sure(class->levels[i].family, cell->z))
			margin = fmax(margin, 0);
		if (margin >= 0)
			node->verdict = FLEET_FLAGGED;
		if (margin > worst) {
			worst = margin;
			node->worst = i;
		}
	}
	node->ordinary = n ? sum / (double)n : HUGE_VAL;
}

static void judge_class(struct fleet *f, struct fleet_class *class,
			size_t programs, struct work *w)
{
	double *effects = text_alloc(f->nrows, sizeof(*effects));

	class->levels = text_alloc(f->nrows, sizeof(*class->levels));
	class->bounds = fleet_bounds_of(class->n);
	for (size_t i = 0; i < programs; i++)
		judge_row(f, class, i, w);
	for (size_t i = programs; i < f->nrows; i++) {
		const char *program = f->rows[i].what.benchmark;

		for (size_t k = 0; k < class->n; k++) {
			struct fleet_node *node = &f->nodes[class->nodes[k]];
			const double effect =
				program_effect(f, class, program, effects,
					       known_effect, node);

			node->cells[i] = (struct fleet_cell) {
				.value = exp(effect),
				.ci95 = { NAN, NAN },
				.core_hz = NAN,
				.there = isfinite(effect),
			};
		}
		judge_row(f, class, i, w);
	}
	set_thresholds(f, class);
	for (size_t k = 0; k < class->n && class->bounds; k++)
		judge_node(f, class, &f->nodes[class->nodes[k]]);
	free(effects);
}

void fleet_judge(struct fleet *f)
{
	struct work w = {
		.cost = text_alloc(f->n, sizeof(*w.cost)),
		.log_hz = text_alloc(f->n, sizeof(*w.log_hz)),
		.effects = text_alloc(f->n, sizeof(*w.effects)),
		.values = text_alloc(f->n, sizeof(*w.values)),
		.cells = text_alloc(f->n, sizeof(struct fleet_cell *)),
	};
	size_t programs;

	add_frequency(f);
	programs = add_programs(f);
	add_classes(f);
	for (size_t i = 0; i < f->nclasses; i++)
		judge_class(f, &f->classes[i], programs, &w);
	free(w.cost);
	free(w.log_hz);
	free(w.effects);
	free(w.values);
	free(w.cells);
}

/* A node in the second run, by the levels of the first. */
struct second {
	const struct fleet *f, *again;
	const struct fleet_class *class;
	const struct fleet_node *node;
};

static double second_effect(const void *arg, size_t row)
{
	const struct second *s = arg;
	const struct fleet_row *what = &s->f->rows[row];
	const json_t *i = json_object_get(s->again->index, what->key);
	const struct fleet_cell *cell =
		i ? &s->node->cells[json_integer_value(i)] : NULL;

	if (!cell || !cell->there || cell->status != RESULT_OK)
		return NAN;
	return fleet_effect(&s->class->levels[row], cost_of(what, cell->value),
			    log(cell->core_hz));
}

/* How much slower it is than the level, if that is beyond it; else 0. */
static double beyond_again(const struct second *s, size_t row, double *work)
{
	const struct fleet_level *level = &s->class->levels[row];
	const struct fleet_row *what = &s->f->rows[row];
	const bool measured = !what->made || !strcmp(what->what.unit, "Hz");
	double effect;

	effect = measured ? second_effect(s, row)
			  : program_effect(s->f, s->class, what->what.benchmark,
					   work, second_effect, s);
	return is_beyond(fleet_bounds_of(level->n), effect, level->scale)
		       ? effect
		       : 0;
}

/* The most that any of the controls of the class shows of @row. */
static double controls_show(struct second s, size_t row, double *work,
			    size_t *n)
{
	double shown = 0;

	*n = 0;
	for (size_t i = 0; i < s.class->n; i++) {
		const struct fleet_node *first = &s.f->nodes[s.class->nodes[i]];

		s.node = fleet_node(s.again, first->name);
		if (first->verdict != FLEET_GOOD || !s.node || !s.node->cells)
			continue;
		++*n;
		shown = fmax(shown, beyond_again(&s, row, work));
	}
	return shown;
}

static void confirm_node(const struct fleet *f, const struct fleet *again,
			 struct fleet_node *node, double *work)
{
	const struct fleet_class *class = &f->classes[node->class];
	struct second s = { f, again, class, fleet_node(again, node->name) };
	enum fleet_verdict verdict = FLEET_UNSEEN;
	size_t controls;

	if (!s.node || !s.node->cells)
		return;
	for (size_t i = 0; i < f->nrows; i++) {
		double shown, effect;
		bool shared;

		if (!node->cells[i].beyond ||
		    class->levels[i].state != FLEET_ROW_JUDGED)
			continue;
		shown = controls_show(s, i, work, &controls);
		if (controls < CONTROLS)
			return;
		effect = beyond_again(&s, i, work);
		if (effect <= 0)
			continue;
		/* Controls may be disturbed a little without being alike. */
		shared = shown >= effect / 2;
		node->cells[i].again = !shared;
		if (verdict != FLEET_CONFIRMED)
			verdict = shared ? FLEET_SHARED : FLEET_CONFIRMED;
	}
	node->verdict = verdict;
}

void fleet_confirm(struct fleet *f, struct fleet *again)
{
	double *work = text_alloc(f->nrows, sizeof(*work));

	add_frequency(again);
	for (size_t i = 0; i < f->n; i++)
		if (f->nodes[i].verdict == FLEET_FLAGGED)
			confirm_node(f, again, &f->nodes[i], work);
	free(work);
}
