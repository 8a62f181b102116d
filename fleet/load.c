/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "err.h"
#include "fleet.h"
#include "input.h"
#include "sections.h"
#include "text.h"

#define NAME_MAX_LEN 253 /* of a host */
#define FIELDS	     4	 /* of a line of fleet.tsv */
#define NOTES_MAX    20

bool fleet_is_name(const char *name)
{
	const size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) &&
		    (!i || !strchr("._-", name[i])))
			return false;
	return len && len <= NAME_MAX_LEN;
}

/* Problems that a thousand nodes may have are noted for the first ones only. */
static void add_note(struct fleet *f, const char *text)
{
	if (f->notes.n < NOTES_MAX)
		notes_add(&f->notes, text, NULL);
	else
		f->more_notes++;
}

/* A line of fleet.tsv.  Return: NULL, or what is wrong with it. */
static const char *read_node(struct fleet *f, const char *line)
{
	const char *field[FIELDS];

	for (size_t i = 0; i < FIELDS; i++)
		field[i] = text_split(&line, '\t');
	if (!field[1])
		return "has no status";
	if (!fleet_is_name(field[0]))
		return "the name of a node has other characters than letters, "
		       "digits, dots, dashes and underscores";
	if (!text_glob("ok failed lost down skipped", field[1]))
		return "the status is none of ok, failed, lost, down, skipped";
	f->nodes = text_grow(f->nodes, f->n, sizeof(*f->nodes));
	f->nodes[f->n++] = (struct fleet_node) {
		.name = field[0],
		.status = field[1],
		.seconds = field[2],
		.reason = field[3],
	};
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct fleet_node *x = a, *y = b;
	const int order = strverscmp(x->name, y->name);

	return order ? order : strcmp(x->name, y->name);
}

const struct fleet_node *fleet_node(const struct fleet *f, const char *name)
{
	const struct fleet_node key = { .name = name };

	return f->n ? bsearch(&key, f->nodes, f->n, sizeof(key), by_name)
		    : NULL;
}

/* Return: NULL, or what is wrong with the file. */
static const char *read_list(struct fleet *f, const char *path)
{
	struct input in;
	const char *why = NULL;
	const int err = input_open(&in, path, INPUT_NO_LINK);

	if (err)
		return text_format("%s: %s: is this a directory that "
				   "oscost fleet made?",
				   path, input_error(-err));
	while (!why && input_next(&in)) {
		in.line[strcspn(in.line, "\n")] = '\0';
		if (*in.line && *in.line != '#')
			why = read_node(f, in.line);
		if (why)
			why = text_format("%s:%zu: %s", path, in.number, why);
	}
	if (input_close(&in) && !why)
		why = text_format("%s: %s", path, strerror(EIO));
	if (!why && !f->n)
		why = text_format("%s: no node: nothing was measured", path);
	if (f->n)
		qsort(f->nodes, f->n, sizeof(*f->nodes), by_name);
	for (size_t i = 1; !why && i < f->n; i++)
		if (!strcmp(f->nodes[i].name, f->nodes[i - 1].name))
			why = text_format("%s: %s stands there twice", path,
					  f->nodes[i].name);
	return why;
}

/* The size of the memory that was built in: what the firmware and the kernel
 * take of it differs from node to node. */
static const char *built_in(double bytes)
{
	double size = (1 << 30) / 4.;

	while (size < bytes)
		size = size * 1.5 < bytes ? 2 * size : 1.5 * size;
	return bytes > 0 ? text_units(size, "B") : "unknown memory";
}

/* Properties that make nodes alike, in words. */
static const char *class_of(const json_t *machine)
{
	static const struct {
		const char *path, *noun;
	} counts[] = {
		{ "cpu.packages", "socket" },
		{ "cpu.cores", "core" },
		{ "cpu.pus", "CPU" },
		{ "cpu.numa_nodes", "NUMA node" },
	};
	const char *arch = run_text(machine, "kernel.architecture");
	const char *under = run_text(machine, "hypervisor");
	const char *text = run_known(machine, "cpu.model", "unknown processor");

	if (arch)
		text = text_join(text, ", ", arch);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const double x = run_number(machine, counts[i].path);

		if (x >= 0 && x < UINT32_MAX)
			text = text_join(text, ", ",
					 text_plural((size_t)x,
						     counts[i].noun));
	}
	text = text_join(text, ", ",
			 built_in(run_number(machine, "memory_bytes")));
	return !under ? text
	       : text_same(under, "none")
		       ? text_join(text, ", ", "no hypervisor")
		       : text_join(text, ", ", under);
}

static void describe(struct fleet_node *node, const struct run *run)
{
	const char *name, *word;
	size_t n = 0;

	while (compare_setting_name(n))
		n++;
	node->settings = text_alloc(n, sizeof(*node->settings));
	for (size_t i = 0; (name = compare_setting_name(i)); i++) {
		const char *text = compare_setting(run, i);

		/* Some pages more or less are nothing that differs. */
		node->settings[i] =
			!strcmp(name, "memory") && isdigit((unsigned char)*text)
				? text_units(strtod(text, NULL), "B")
				: text_copy(text);
	}
	if (noise_of_run(run, &word))
		node->noise = word;
	node->class_name = class_of(run->machine);
}

/* Room for @n cells of @node. */
static void have_cells(struct fleet_node *node, size_t n)
{
	if (n <= node->ncells)
		return;
	node->cells = reallocarray(node->cells, n, sizeof(*node->cells));
	if (!node->cells)
		die(EXIT_FAIL, "no memory");
	memset(&node->cells[node->ncells], 0,
	       (n - node->ncells) * sizeof(*node->cells));
	node->ncells = n;
}

/* Every node that was measured has as many cells as there are rows. */
static void even_out(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->nodes[i].cells)
			have_cells(&f->nodes[i], f->nrows);
}

static bool is_row(const struct result *a, const struct result *b)
{
	return text_same(a->name, b->name) &&
	       text_same(a->benchmark, b->benchmark) &&
	       text_same(a->unit, b->unit) &&
	       text_same(a->estimator, b->estimator) &&
	       text_same(a->timer, b->timer);
}

/* The number of the row of @r: one of another unit, estimator or timing method
 * is another row; most often it is that of @guess. */
static size_t find_row(struct fleet *f, const struct result *r, size_t guess)
{
	const json_t *known;
	struct result *what;
	char *key;

	if (guess < f->nrows && is_row(&f->rows[guess].what, r))
		return guess;
	key = text_format("%zu %s %zu %s %s %s %s", strlen(r->benchmark),
			  r->benchmark, strlen(r->name), r->name,
			  r->unit ? r->unit : "",
			  r->estimator ? r->estimator : "",
			  r->timer ? r->timer : "");
	known = json_object_get(f->index, key);
	if (known) {
		free(key);
		return (size_t)json_integer_value(known);
	}
	json_object_set_new(f->index, key, json_integer((json_int_t)f->nrows));
	f->rows = text_grow(f->rows, f->nrows, sizeof(*f->rows));
	f->rows[f->nrows] = (struct fleet_row) {
		.key = key,
		.title = text_format("%s: %s", r->benchmark, r->name),
	};
	what = &f->rows[f->nrows].what;
	what->benchmark = text_copy(r->benchmark);
	what->name = text_copy(r->name);
	what->unit = text_copy(r->unit);
	what->better = text_copy(r->better);
	what->estimator = text_copy(r->estimator);
	what->timer = text_copy(r->timer);
	return f->nrows++;
}

size_t fleet_make_row(struct fleet *f, const char *benchmark, const char *name,
		      const char *unit, const char *better)
{
	const struct result r = { .benchmark = (char *)benchmark,
				  .name = (char *)name,
				  .unit = (char *)unit,
				  .better = (char *)better,
				  .estimator = "made" };
	const size_t i = find_row(f, &r, SIZE_MAX);

	f->rows[i].made = true;
	even_out(f);
	return i;
}

static void take_rows(struct fleet *f, struct fleet_node *node,
		      const struct run *run)
{
	size_t row = SIZE_MAX;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;

		row = find_row(f, r, row + 1);
		/* At once as many cells as the node can need. */
		if (row >= node->ncells)
			have_cells(node, f->nrows + run->nrows - i - 1);
		node->cells[row] = (struct fleet_cell) {
			.value = r->value,
			.ci95 = { r->ci95[0], r->ci95[1] },
			.core_hz = r->core_hz,
			.status = (unsigned char)r->status,
			.there = true,
		};
	}
}

static void load_node(struct fleet *f, struct fleet_node *node)
{
	const char *dir = text_format("%s/nodes/%s", f->dir, node->name);
	struct notes notes = { 0 };
	struct run run;
	const char *why = fleet_read(&run, dir, &notes);

	if (!why) {
		take_rows(f, node, &run);
		describe(node, &run);
	} else {
		add_note(f, why);
		node->status = "failed";
		node->reason = "no results that can be read";
	}
	for (size_t i = 0; i < notes.n; i++)
		add_note(f, notes.v[i].text);
	run_free(&run);
}

const char *fleet_load(struct fleet *f, const char *dir)
{
	const char *why;

	*f = (struct fleet) { .dir = dir, .index = json_object() };
	why = read_list(f, text_format("%s/fleet.tsv", dir));
	for (size_t i = 0; !why && i < f->n; i++)
		if (text_glob("ok", f->nodes[i].status))
			load_node(f, &f->nodes[i]);
	even_out(f);
	return why;
}
