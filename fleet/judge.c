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

bool fleet_is_bad(const struct fleet_node *node)
{
	return node->verdict == FLEET_FLAGGED ||
	       node->verdict == FLEET_CONFIRMED;
}

const struct fleet_level *fleet_level(const struct fleet *f,
				      const struct fleet_node *node, size_t row)
{
	return &f->classes[node->class].levels[row];
}

static bool higher(const struct fleet_row *row)
{
	return text_same(row->what.better, "higher");
}

/* Log of the cost that @value stands for; NAN if it has none: a number of CPUs,
 * a size that was found or a word is no cost. */
static double cost_of(const struct fleet_row *row, double value)
{
	const char *unit = row->what.unit;

	if (!row->what.better || !unit || !(value > 0) ||
	    (!row->made && !text_glob("ns ns/B cycles B/s 1/s", unit)))
		return NAN;
	return higher(row) ? -log(value) : log(value);
}

/* The same of a cell that may have no value. */
static double cell_cost(const struct fleet_row *row,
			const struct fleet_cell *cell)
{
	return cell->there && cell->status == RESULT_OK
		       ? cost_of(row, cell->value)
		       : NAN;
}

/* Return: whether the frequency of all is known. */
static bool collect(struct work *w, const struct fleet *f,
		    const struct fleet_class *class, size_t row)
{
	bool clocked = true;

	w->n = 0;
	for (size_t i = 0; i < class->n; i++) {
		struct fleet_cell *cell = &f->nodes[class->nodes[i]].cells[row];
		const double cost = cell_cost(&f->rows[row], cell);

		cell->effect = cell->z = NAN;
		cell->score = -HUGE_VALF;
		cell->beyond = false;
		if (!isfinite(cost))
			continue;
		w->cells[w->n] = cell;
		w->cost[w->n] = cost;
		w->log_hz[w->n] = log(cell->core_hz);
		w->values[w->n++] = cell->value;
		clocked = clocked && cell->core_hz > 0;
	}
	return clocked;
}

/* Whether the interval of @cell leaves out the median of the nodes. */
static bool is_sure(const struct fleet_row *row, const struct fleet_cell *cell)
{
	const double near = cost_of(row, cell->ci95[higher(row)]);

	return !isfinite(near) ||
	       cell->effect > cost_of(row, cell->value) - near;
}

static void judge_row(const struct fleet *f, const struct fleet_class *class,
		      size_t row, struct work *w)
{
	struct fleet_level *level = &class->levels[row];
	const bool clocked = collect(w, f, class, row);
	size_t beyond = 0;

	*level = (struct fleet_level) { .state = FLEET_ROW_NONE };
	if (!w->n)
		return;
	fleet_level_set(level, w->cost, clocked ? w->log_hz : NULL, w->n,
			w->effects);
	level->median = stats_median(w->values, w->n); /* sorts */
	level->min = w->values[0];
	level->max = w->values[w->n - 1];
	level->mad = stats_mad(w->values, w->n);
	level->state = fleet_bounds_of(w->n) ? FLEET_ROW_JUDGED : FLEET_ROW_FEW;
	for (size_t i = 0; i < w->n; i++) {
		struct fleet_cell *cell = w->cells[i];

		cell->effect = (float)w->effects[i];
		cell->z = (float)(w->effects[i] / level->scale);
		cell->score = (float)fleet_score(level, w->effects[i]);
		cell->beyond = fleet_is_beyond(level, w->effects[i]) &&
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
 * them.  @cells: of the node; in @work stands the effect of each row. */
static double program_effect(const struct fleet *f,
			     const struct fleet_class *class,
			     const char *program, const double *effects,
			     double *work)
{
	const bool every = !strcmp(program, ALL);
	size_t n = 0, all = 0;

	for (size_t i = 0; i < f->nrows; i++) {
		if (f->rows[i].made ||
		    class->levels[i].state != FLEET_ROW_JUDGED ||
		    (!every && strcmp(f->rows[i].what.benchmark, program) != 0))
			continue;
		all++;
		if (isfinite(effects[i]))
			work[n++] = effects[i];
	}
	if (n < PROGRAM_ROWS || 2 * n < all)
		return NAN;
	stats_sort(work, n);
	return stats_quantile(work, n, every ? ALL_QUANTILE : 0.5);
}

static struct fleet_cell made_cell(double value)
{
	return (struct fleet_cell) {
		.value = value,
		.ci95 = { NAN, NAN },
		.core_hz = NAN,
		.there = isfinite(value),
	};
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
		if (n && !row)
			row = fleet_make_row(f, "core", "frequency", "Hz",
					     "higher");
		if (n)
			node->cells[row] = made_cell(stats_median(hz, n));
	}
}

/* A row for each program with enough of them.  Return: its first number. */
static size_t add_programs(struct fleet *f)
{
	const size_t first = f->nrows;
	json_t *count = json_object();

	for (size_t i = 0; i < first; i++) {
		const char *program = f->rows[i].what.benchmark;
		const json_int_t n =
			json_integer_value(json_object_get(count, program));

		json_object_set_new(count, program, json_integer(n + 1));
		if (!f->rows[i].made && n + 1 == PROGRAM_ROWS)
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
		struct fleet_class *class;
		json_t *k;

		if (!f->nodes[i].cells)
			continue;
		k = json_object_get(known, name);
		if (!k) {
			f->classes = text_grow(f->classes, f->nclasses,
					       sizeof(*f->classes));
			f->classes[f->nclasses] =
				(struct fleet_class) { .name = name };
			k = json_integer((json_int_t)f->nclasses++);
			json_object_set_new(known, name, k);
		}
		class = &f->classes[json_integer_value(k)];
		class->nodes = text_grow(class->nodes, class->n,
					 sizeof(*class->nodes));
		class->nodes[class->n++] = i;
	}
	json_decref(known);
	if (f->nclasses)
		qsort(f->classes, f->nclasses, sizeof(*f->classes), by_class);
	for (size_t k = 0; k < f->nclasses; k++) {
		f->classes[k].letter =
			k < 26 ? text_format("%c", (char)('A' + (char)k))
			       : text_count(k + 1);
		for (size_t i = 0; i < f->classes[k].n; i++)
			f->nodes[f->classes[k].nodes[i]].class = k;
	}
}

/* The thresholds of @class: by the greatest score of each node in any row of
 * the family. */
static void set_thresholds(const struct fleet *f, struct fleet_class *class)
{
	double *scores[FLEET_FAMILIES];

	for (int k = 0; k < FLEET_FAMILIES; k++)
		scores[k] = text_alloc(class->n, sizeof(double));
	for (size_t i = 0; i < class->n; i++)
		for (size_t j = 0; j < f->nrows; j++) {
			const struct fleet_level *level = &class->levels[j];
			double *most = &scores[level->family][i];

			if (level->state == FLEET_ROW_JUDGED)
				*most = fmax(*most, f->nodes[class->nodes[i]]
							    .cells[j]
							    .score);
		}
	for (int k = 0; k < FLEET_FAMILIES; k++) {
		fleet_falling(scores[k], class->n);
		class->threshold[k] = fleet_threshold(scores[k], class->n);
	}
}

static void judge_node(const struct fleet *f, const struct fleet_class *class,
		       struct fleet_node *node)
{
	double worst = -HUGE_VAL, sum = 0, margin;
	size_t n = 0;

	for (size_t i = 0; i < f->nrows; i++) {
		const struct fleet_cell *cell = &node->cells[i];
		const struct fleet_level *level = &class->levels[i];

		if (level->state != FLEET_ROW_JUDGED || !isfinite(cell->effect))
			continue;
		sum += fmin(fabsf(cell->z), FAR);
		n++;
		if (!cell->beyond)
			continue;
		node->nbeyond++;
		margin = cell->score - class->threshold[level->family];
		if (fleet_is_sure(level->family, cell->z))
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
	double *work = text_alloc(f->nrows, sizeof(*work));

	class->levels = text_alloc(f->nrows, sizeof(*class->levels));
	class->bounds = fleet_bounds_of(class->n);
	for (size_t i = 0; i < programs; i++)
		judge_row(f, class, i, w);
	for (size_t k = 0; k < class->n; k++) {
		struct fleet_cell *cells = f->nodes[class->nodes[k]].cells;

		for (size_t i = 0; i < programs; i++)
			effects[i] = cells[i].effect;
		for (size_t i = programs; i < f->nrows; i++)
			cells[i] = made_cell(
				exp(program_effect(f, class,
						   f->rows[i].what.benchmark,
						   effects, work)));
	}
	for (size_t i = programs; i < f->nrows; i++)
		judge_row(f, class, i, w);
	if (class->bounds && class->bounds->tail)
		set_thresholds(f, class);
	for (size_t k = 0; k < class->n && class->bounds; k++)
		judge_node(f, class, &f->nodes[class->nodes[k]]);
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
}

/* How much slower the second run of @name is in each row, by the levels of the
 * first, if that is beyond the level, else 0.  NULL: it was not measured
 * again. */
static double *shown_again(const struct fleet *f,
			   const struct fleet_class *class,
			   const struct fleet *again, const char *name)
{
	const struct fleet_node *node = fleet_node(again, name);
	double *effects, *work;

	if (!node || !node->cells)
		return NULL;
	effects = text_alloc(f->nrows, sizeof(*effects));
	work = text_alloc(f->nrows, sizeof(*work));
	for (size_t i = 0; i < f->nrows; i++) {
		const json_t *at =
			json_object_get(again->index, f->rows[i].key);
		const struct fleet_cell none = { .there = false };
		const struct fleet_cell *cell =
			at ? &node->cells[json_integer_value(at)] : &none;

		effects[i] = fleet_effect(&class->levels[i],
					  cell_cost(&f->rows[i], cell),
					  log(cell->core_hz));
	}
	for (size_t i = 0; i < f->nrows; i++)
		if (f->rows[i].made && strcmp(f->rows[i].what.unit, "Hz") != 0)
			effects[i] = program_effect(f, class,
						    f->rows[i].what.benchmark,
						    effects, work);
	for (size_t i = 0; i < f->nrows; i++)
		if (!fleet_is_beyond(&class->levels[i], effects[i]))
			effects[i] = 0;
	return effects;
}

static void confirm_node(const struct fleet *f, const struct fleet_class *class,
			 struct fleet_node *node, const double *mine,
			 const double *controls)
{
	node->verdict = FLEET_UNSEEN;
	for (size_t i = 0; i < f->nrows; i++) {
		/* Controls may be disturbed a little without being alike. */
		const bool shared = controls[i] >= mine[i] / 2;

		if (!node->cells[i].beyond || mine[i] <= 0 ||
		    class->levels[i].state != FLEET_ROW_JUDGED)
			continue;
		node->cells[i].again = !shared;
		if (node->verdict != FLEET_CONFIRMED)
			node->verdict = shared ? FLEET_SHARED : FLEET_CONFIRMED;
	}
}

static void confirm_class(struct fleet *f, const struct fleet_class *class,
			  const struct fleet *again)
{
	double *controls = text_alloc(f->nrows, sizeof(*controls));
	size_t n = 0;

	/* The most that any of the controls shows. */
	for (size_t k = 0; k < class->n; k++) {
		const struct fleet_node *node = &f->nodes[class->nodes[k]];
		const double *shown =
			node->verdict == FLEET_GOOD
				? shown_again(f, class, again, node->name)
				: NULL;

		n += !!shown;
		for (size_t i = 0; shown && i < f->nrows; i++)
			controls[i] = fmax(controls[i], shown[i]);
	}
	for (size_t k = 0; k < class->n && n >= CONTROLS; k++) {
		struct fleet_node *node = &f->nodes[class->nodes[k]];
		const double *shown =
			node->verdict == FLEET_FLAGGED
				? shown_again(f, class, again, node->name)
				: NULL;

		if (shown)
			confirm_node(f, class, node, shown, controls);
	}
}

void fleet_confirm(struct fleet *f, struct fleet *again)
{
	add_frequency(again);
	for (size_t i = 0; i < f->nclasses; i++)
		confirm_class(f, &f->classes[i], again);
}
