/* SPDX-License-Identifier: MIT */
/* What `report fleet` found, as tables and lines of text. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "fleet_table.h"
#include "text.h"
#include "units.h"

#define NAMED 5	 /* nodes that are named; of more the number is told */
#define VALUE 80 /* columns of a setting, such as all mitigations */

static const char *const verdicts[] = {
	[FLEET_GOOD] = "good",
	[FLEET_FLAGGED] = "flagged",
	[FLEET_CONFIRMED] = "confirmed",
	[FLEET_UNSEEN] = "not seen again",
	[FLEET_SHARED] = "the controls show it, too",
};

const char *fleet_verdict_name(enum fleet_verdict verdict)
{
	return verdicts[verdict];
}

bool fleet_is_bad(const struct fleet_node *node)
{
	return node->verdict == FLEET_FLAGGED ||
	       node->verdict == FLEET_CONFIRMED;
}

char *fleet_title(const struct fleet_row *row)
{
	return text_format("%s: %s", row->what.benchmark, row->what.name);
}

/* Nothing is left that a shell takes for more than text, in quotes or not; of
 * other signs units have "µ", two bytes. */
static char *tame(char *text)
{
	for (char *c; (c = strstr(text, "µ"));) {
		*c = 'u';
		memmove(c + 1, c + 2, strlen(c + 2) + 1);
	}
	for (char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr(" .,:;=%+_/-", *c))
			*c = '?';
	return text;
}

static char *above(double effect)
{
	return text_format("%.3g %%", 100 * expm1(effect));
}

char *fleet_words(const struct fleet *f, const struct fleet_node *node)
{
	const struct fleet_level *level =
		&f->classes[node->class].levels[node->worst];
	const struct fleet_row *row = &f->rows[node->worst];
	char here[UNITS_MAX], there[UNITS_MAX];
	char *title = fleet_title(row);
	char *more = node->nbeyond > 1
			     ? text_format("; %zu rows in all", node->nbeyond)
			     : text_copy("");
	char *text = text_format(
		"oscost: %s is %s, the median of %zu like it %s%s%s", title,
		units_format(here, node->cells[node->worst].value,
			     row->what.unit),
		level->n, units_format(there, level->median, row->what.unit),
		more,
		node->verdict == FLEET_CONFIRMED ? "; second run agrees" : "");

	free(title);
	free(more);
	return tame(text);
}

bool fleet_hub(const struct fleet *links, const char *name, size_t *n,
	       size_t *bad)
{
	const size_t len = strlen(name);

	*n = *bad = 0;
	for (size_t i = 0; i < links->n; i++) {
		const struct fleet_node *link = &links->nodes[i];
		const char *comma = strchr(link->name, ',');

		if (strcmp(comma + 1, name) != 0 &&
		    ((size_t)(comma - link->name) != len ||
		     memcmp(link->name, name, len) != 0))
			continue;
		++*n;
		*bad += fleet_is_bad(link);
	}
	return *n >= 3 && 2 * *bad > *n;
}

char *fleet_drain(const struct fleet *f, const struct fleet *links,
		  const struct fleet_node *node)
{
	char *reason, *line;
	size_t n, bad;

	if (fleet_is_bad(node))
		reason = fleet_words(f, node);
	else if (node->status == FLEET_FAILED || node->status == FLEET_LOST)
		reason = tame(text_format("oscost: %s: %s",
					  fleet_status_name(node->status),
					  node->reason && *node->reason
						  ? node->reason
						  : "no reason known"));
	else if (fleet_hub(links, node->name, &n, &bad))
		reason = text_format("oscost: %zu of its %zu links are slow",
				     bad, n);
	else
		return NULL;
	line = text_format("scontrol update nodename=%s state=drain "
			   "reason=\"%s\"",
			   node->name, reason);
	free(reason);
	return line;
}

/* The settings in which @node is not as most of its class. */
static char *differs_in(const struct fleet *f, const struct fleet_node *node)
{
	const char *const *common = f->classes[node->class].common;
	char *text = NULL;

	for (size_t i = 0; compare_setting_name(i); i++) {
		char *more;

		if (!common[i] || !strcmp(common[i], node->settings[i]))
			continue;
		more = text_format("%s%s%s", text ? text : "", text ? ", " : "",
				   compare_setting_name(i));
		free(text);
		text = more;
	}
	return text;
}

/* Names of @n nodes, or how many they are. */
static char *names(const struct fleet_node *const *nodes, size_t n)
{
	char *text = text_copy("");

	for (size_t i = 0; i < n && i < NAMED; i++) {
		char *more = text_format("%s%s%s", text, i ? ", " : "",
					 nodes[i]->name);

		free(text);
		text = more;
	}
	if (n > NAMED) {
		char *more = text_format("%s and %zu more", text, n - NAMED);

		free(text);
		text = more;
	}
	return text;
}

/* A value of a setting, and which nodes have it. */
struct held {
	const char *value;
	const struct fleet_node **nodes;
	size_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
			    : strcmp(x->value, y->value);
}

/* The values of setting @i in @class, the most common one first. */
static size_t hold(struct held **held, const struct fleet *f,
		   const struct fleet_class *class, size_t i)
{
	json_t *known = json_object();
	size_t n = 0;

	*held = text_alloc(class->n, sizeof(**held));
	for (size_t k = 0; k < class->n; k++) {
		const struct fleet_node *node = &f->nodes[class->nodes[k]];
		const char *value = node->settings[i];
		const json_t *at = json_object_get(known, value);
		const size_t place = at ? (size_t)json_integer_value(at) : n;
		struct held *h;

		if (place == n) {
			(*held)[n++] = (struct held) { .value = value };
			json_object_set_new(known, value,
					    json_integer((json_int_t)place));
		}
		h = &(*held)[place];
		h->nodes =
			text_grow(h->nodes, h->n, sizeof(struct fleet_node *));
		h->nodes[h->n++] = node;
	}
	if (n)
		qsort(*held, n, sizeof(**held), by_count);
	json_decref(known);
	return n;
}

static void let_go(struct held *held, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(held[i].nodes);
	free(held);
}

/* Where more than half of a class agree is what the rest is measured by. */
void fleet_common(struct fleet *f)
{
	size_t n = 0;

	while (compare_setting_name(n))
		n++;
	for (size_t k = 0; k < f->nclasses; k++) {
		struct fleet_class *class = &f->classes[k];

		class->common = text_alloc(n, sizeof(char *));
		for (size_t i = 0; i < n; i++) {
			struct held *held;
			const size_t values = hold(&held, f, class, i);

			if (values && 2 * held[0].n > class->n)
				class->common[i] = held[0].value;
			let_go(held, values);
		}
	}
}

/* "A" for the first class, so that tables stay narrow. */
static char *letter(size_t class)
{
	return class < 26 ? text_format("%c", (char)('A' + (char)class))
			  : text_format("%zu", class + 1);
}

static void columns(struct table *t, const char *const *heads, size_t n)
{
	*t = (struct table) { 0 };
	for (size_t i = 0; i < n; i++)
		table_column(t, *heads[i] == '#' ? heads[i] + 1 : heads[i],
			     *heads[i] == '#');
}

/* "#" begins the head of a column of numbers. */
#define COLUMNS(t, ...)                                         \
	columns(t, (const char *const[]) { __VA_ARGS__ },       \
		sizeof((const char *const[]) { __VA_ARGS__ }) / \
			sizeof(const char *))

static size_t in_state(const struct fleet *f, const struct fleet_class *class,
		       enum fleet_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < f->nrows; i++)
		n += class->levels[i].state == state;
	return n;
}

void fleet_classes(struct table *t, const struct fleet *f)
{
	COLUMNS(t, "class", "hardware", "#nodes", "#slow nodes", "#rows judged",
		"#rows with two levels", "a node is flagged that is");
	for (size_t k = 0; k < f->nclasses; k++) {
		const struct fleet_class *class = &f->classes[k];
		size_t bad = 0;

		for (size_t i = 0; i < class->n; i++)
			bad += fleet_is_bad(&f->nodes[class->nodes[i]]);
		table_row(t, "");
		table_cell(t, 0, letter(k));
		table_cell(t, 1, text_copy(class->name));
		table_cell(t, 2, text_format("%zu", class->n));
		table_cell(t, 3, text_format("%zu", bad));
		table_cell(t, 4,
			   text_format("%zu",
				       in_state(f, class, FLEET_ROW_JUDGED)));
		table_cell(t, 5,
			   text_format("%zu",
				       in_state(f, class, FLEET_ROW_SPLIT)));
		table_cell(t, 6,
			   text_copy(class->bounds
					     ? class->bounds->words
					     : "(none: three nodes of a kind "
					       "are the least)"));
	}
}

void fleet_differs(struct table *t, const struct fleet *f)
{
	COLUMNS(t, "class", "setting", "most common", "#nodes", "others");
	for (size_t k = 0; k < f->nclasses; k++)
		for (size_t i = 0; compare_setting_name(i); i++) {
			struct held *held;
			const size_t n = hold(&held, f, &f->classes[k], i);
			char *others = text_copy("");

			for (size_t j = 1; j < n && j <= NAMED; j++) {
				const char *value =
					text_cut(held[j].value, VALUE);
				char *who = names(held[j].nodes, held[j].n);
				char *more = text_format("%s%s%s (%s)", others,
							 j > 1 ? "; " : "",
							 value, who);

				free(who);
				free(others);
				others = more;
			}
			/* Each has a name of its own. */
			if (n > 1 &&
			    strcmp(compare_setting_name(i), "host") != 0) {
				table_row(t, "");
				table_cell(t, 0, letter(k));
				table_cell(t, 1,
					   text_copy(compare_setting_name(i)));
				table_cell(t, 2,
					   text_cut(held[0].value, VALUE));
				table_cell(t, 3, text_format("%zu", held[0].n));
				table_cell(t, 4,
					   n > NAMED + 1
						   ? text_format("%s; and %zu "
								 "more values",
								 others,
								 n - NAMED - 1)
						   : text_copy(others));
			}
			free(others);
			let_go(held, n);
		}
}

void fleet_slow(struct table *t, const struct fleet *f)
{
	COLUMNS(t, "node", "class", "row", "#cost above the median", "#z",
		"#rows", "second run", "noise",
		"other than most of its class in");
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];
		const struct fleet_cell *cell = &node->cells[node->worst];

		if (node->verdict == FLEET_GOOD)
			continue;
		table_row(t, fleet_is_bad(node) ? "failed" : "skipped");
		table_cell(t, 0, text_copy(node->name));
		table_cell(t, 1, letter(node->class));
		table_cell(t, 2, fleet_title(&f->rows[node->worst]));
		table_cell(t, 3, above(cell->effect));
		table_cell(t, 4, text_format("%.3g", cell->z));
		table_cell(t, 5, text_format("%zu", node->nbeyond));
		table_cell(t, 6,
			   text_copy(node->verdict == FLEET_FLAGGED
					     ? "none"
					     : verdicts[node->verdict]));
		table_cell(t, 7, text_copy(node->noise));
		table_cell(t, 8, differs_in(f, node));
	}
}

void fleet_slow_rows(struct table *t, const struct fleet *f)
{
	COLUMNS(t, "node", "row", "#here", "#median", "#cost above the median",
		"#z", "in the second run");
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		for (size_t j = 0; node->verdict != FLEET_GOOD && j < f->nrows;
		     j++) {
			const struct fleet_cell *cell = &node->cells[j];
			const struct fleet_level *level =
				&f->classes[node->class].levels[j];
			const char *unit = f->rows[j].what.unit;
			char text[UNITS_MAX];

			if (!cell->beyond || level->state != FLEET_ROW_JUDGED)
				continue;
			table_row(t, "");
			table_cell(t, 0, text_copy(node->name));
			table_cell(t, 1, fleet_title(&f->rows[j]));
			table_cell(t, 2,
				   text_copy(units_format(text, cell->value,
							  unit)));
			table_cell(t, 3,
				   text_copy(units_format(text, level->median,
							  unit)));
			table_cell(t, 4, above(cell->effect));
			table_cell(t, 5, text_format("%.3g", cell->z));
			if (node->verdict != FLEET_FLAGGED)
				table_cell(t, 6,
					   text_copy(cell->again ? "again"
								 : "no"));
		}
	}
}

void fleet_absent(struct table *t, const struct fleet *f)
{
	COLUMNS(t, "node", "status", "#after s", "reason");
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		if (node->status == FLEET_OK)
			continue;
		table_row(t, "failed");
		table_cell(t, 0, text_copy(node->name));
		table_cell(t, 1, text_copy(fleet_status_name(node->status)));
		table_cell(t, 2, text_copy(node->seconds));
		table_cell(t, 3, text_copy(node->reason));
	}
}

/* The nodes on which @pick is true of row @row. */
static size_t list_nodes(const struct fleet_node **v, const struct fleet *f,
			 size_t row, size_t class,
			 bool (*pick)(const struct fleet_cell *cell))
{
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->nodes[i].cells &&
		    (class == SIZE_MAX || f->nodes[i].class == class) &&
		    pick(&f->nodes[i].cells[row]))
			v[n++] = &f->nodes[i];
	return n;
}

static bool has_failed(const struct fleet_cell *cell)
{
	return cell->there && cell->status == RESULT_FAILED;
}

static bool is_beyond(const struct fleet_cell *cell)
{
	return cell->beyond;
}

void fleet_failures(struct table *t, const struct fleet *f)
{
	const struct fleet_node **v =
		text_alloc(f->n, sizeof(struct fleet_node *));

	COLUMNS(t, "row", "#failed on", "nodes");
	for (size_t i = 0; i < f->nrows; i++) {
		const size_t n = list_nodes(v, f, i, SIZE_MAX, has_failed);

		if (!n)
			continue;
		table_row(t, "failed");
		table_cell(t, 0, fleet_title(&f->rows[i]));
		table_cell(t, 1, text_format("%zu", n));
		table_cell(t, 2, names(v, n));
	}
	free(v);
}

void fleet_split(struct table *t, const struct fleet *f)
{
	const struct fleet_node **v =
		text_alloc(f->n, sizeof(struct fleet_node *));

	COLUMNS(t, "class", "row", "#nodes", "#slower ones", "names");
	for (size_t k = 0; k < f->nclasses; k++)
		for (size_t i = 0; i < f->nrows; i++) {
			const struct fleet_level *level =
				&f->classes[k].levels[i];
			size_t n;

			if (level->state != FLEET_ROW_SPLIT)
				continue;
			n = list_nodes(v, f, i, k, is_beyond);
			table_row(t, "");
			table_cell(t, 0, letter(k));
			table_cell(t, 1, fleet_title(&f->rows[i]));
			table_cell(t, 2, text_format("%zu", level->n));
			table_cell(t, 3, text_format("%zu", n));
			table_cell(t, 4, names(v, n));
		}
	free(v);
}

void fleet_rows(struct table *t, const struct fleet *f)
{
	static const char *const states[] = {
		[FLEET_ROW_FEW] = "too few nodes",
		[FLEET_ROW_SPLIT] = "two levels",
		[FLEET_ROW_JUDGED] = "",
	};

	COLUMNS(t, "class", "row", "#nodes", "#median", "#MAD", "#least",
		"#greatest", "not judged");
	for (size_t k = 0; k < f->nclasses; k++)
		for (size_t i = 0; i < f->nrows; i++) {
			const struct fleet_level *level =
				&f->classes[k].levels[i];
			const double figures[] = { level->median, level->mad,
						   level->min, level->max };
			char text[UNITS_MAX];

			if (level->state == FLEET_ROW_NONE)
				continue;
			table_row(t, "");
			table_cell(t, 0, letter(k));
			table_cell(t, 1, fleet_title(&f->rows[i]));
			table_cell(t, 2, text_format("%zu", level->n));
			for (size_t j = 0; j < 4; j++)
				table_cell(t, 3 + j,
					   text_copy(units_format(
						   text, figures[j],
						   f->rows[i].what.unit)));
			table_cell(t, 7, text_copy(states[level->state]));
		}
}

char *fleet_count(const struct fleet *f, const struct fleet *links)
{
	size_t measured = 0, bad = 0, confirmed = 0, gone = 0, refuted = 0,
	       slow = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		measured += !!node->cells;
		bad += fleet_is_bad(node);
		confirmed += node->verdict == FLEET_CONFIRMED;
		refuted += node->verdict > FLEET_CONFIRMED;
		gone += node->status == FLEET_FAILED ||
			node->status == FLEET_LOST;
	}
	for (size_t i = 0; i < links->n; i++)
		slow += fleet_is_bad(&links->nodes[i]);
	return text_format("Nodes: %zu, measured %zu (classes of hardware: "
			   "%zu), slow %zu (confirmed by a second run %zu; "
			   "%zu more not), lost or failed %zu. Links: %zu, "
			   "slow %zu.",
			   f->n, measured, f->nclasses, bad, confirmed, refuted,
			   gone, links->n, slow);
}
