/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "err.h"
#include "fleet.h"
#include "grade.h"
#include "input.h"
#include "sections.h"
#include "text.h"
#include "units.h"

#define NAME_MAX_LEN 253 /* of a host */
#define FIELDS	     4	 /* of a line of fleet.tsv */
#define NOTES_MAX    20

static const char *const statuses[] = {
	[FLEET_OK] = "ok",	     [FLEET_FAILED] = "failed",
	[FLEET_LOST] = "lost",	     [FLEET_DOWN] = "down",
	[FLEET_SKIPPED] = "skipped",
};

#define STATUSES (sizeof(statuses) / sizeof(*statuses))

const char *fleet_status_name(enum fleet_status status)
{
	return statuses[status];
}

bool fleet_is_name(const char *name)
{
	size_t len = 0;

	for (; name[len]; len++)
		if (!isalnum((unsigned char)name[len]) &&
		    (!len || !strchr("._-", name[len])))
			return false;
	return len && len <= NAME_MAX_LEN;
}

/* What is wrong with a thousand nodes is said of the first of them. */
static void add_note(struct fleet *f, char *text)
{
	if (f->notes.n < NOTES_MAX) {
		notes_add(&f->notes, text, NULL);
		return;
	}
	f->more_notes++;
	free(text);
}

static struct fleet_node *add_node(struct fleet *f, const char *name)
{
	f->nodes = text_grow(f->nodes, f->n, sizeof(*f->nodes));
	f->nodes[f->n] = (struct fleet_node) { .name = text_copy(name) };
	return &f->nodes[f->n++];
}

/* "a,b" */
static bool is_link(char *name)
{
	char *comma = strchr(name, ',');
	bool good;

	if (!comma)
		return false;
	*comma = '\0';
	good = fleet_is_name(name) && fleet_is_name(comma + 1);
	*comma = ',';
	return good;
}

/* A line of fleet.tsv, or pairs.tsv.  Return: NULL, or what is wrong with it.
 */
static const char *read_node(struct fleet *f, char *line, bool links)
{
	struct fleet_node *node;
	char *field[FIELDS];
	size_t status = 0;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < FIELDS; i++) {
		field[i] = line;
		line += strcspn(line, "\t");
		if (*line)
			*line++ = '\0';
		else if (i < 1)
			return "has no status";
	}
	if (links ? !is_link(field[0]) : !fleet_is_name(field[0]))
		return "the name of a node has other characters than letters, "
		       "digits, dots, dashes and underscores";
	while (status < STATUSES && strcmp(field[1], statuses[status]) != 0)
		status++;
	if (status == STATUSES)
		return "the status is none of ok, failed, lost, down, skipped";
	node = add_node(f, field[0]);
	node->status = (enum fleet_status)status;
	node->seconds = text_copy(field[2]);
	node->reason = text_copy(field[3]);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct fleet_node *x = a, *y = b;
	const int order = strverscmp(x->name, y->name);

	return order ? order : strcmp(x->name, y->name);
}

static int read_list(struct fleet *f, bool links, char **why)
{
	char *path =
		text_format("%s/%s.tsv", f->dir, links ? "pairs" : "fleet");
	struct input in;
	int err = input_open(&in, path, INPUT_NO_LINK);

	if (err)
		*why = text_format("%s: %s: is this a directory that "
				   "scripts/fleet made?",
				   path, input_error(-err));
	while (!err && input_next(&in)) {
		const char *wrong = *in.line == '#' || *in.line == '\n'
					    ? NULL
					    : read_node(f, in.line, links);

		if (!wrong)
			continue;
		*why = text_format("%s:%zu: %s", path, in.number, wrong);
		err = -EINVAL;
	}
	if (in.f && input_close(&in) && !err) {
		*why = text_format("%s: %s", path, strerror(EIO));
		err = -EIO;
	}
	if (f->n)
		qsort(f->nodes, f->n, sizeof(*f->nodes), by_name);
	for (size_t i = 1; !err && i < f->n; i++)
		if (!strcmp(f->nodes[i].name, f->nodes[i - 1].name)) {
			*why = text_format("%s: %s stands there twice", path,
					   f->nodes[i].name);
			err = -EINVAL;
		}
	if (!err && !f->n && !links) {
		*why = text_format("%s: no node: nothing was measured", path);
		err = -EINVAL;
	}
	free(path);
	return err;
}

/* The size of the memory that was built in: what the firmware and the kernel
 * take of it differs from node to node. */
static char *built_in(double bytes)
{
	const double gib = 1 << 30;
	char text[UNITS_MAX];
	double size = gib / 4;

	if (!(bytes > 0))
		return text_copy("unknown memory");
	while (size < bytes)
		size = size * 1.5 < bytes ? 2 * size : 1.5 * size;
	return text_copy(units_format(text, size, "B"));
}

/* What makes nodes alike, in words. */
static char *class_of(const struct run *run)
{
	static const struct {
		const char *path, *words;
	} counts[] = {
		{ "cpu.packages", "sockets" },
		{ "cpu.cores", "cores" },
		{ "cpu.pus", "CPUs" },
		{ "cpu.numa_nodes", "NUMA nodes" },
	};
	const json_t *machine = run->machine;
	const char *model = run_text(machine, "cpu.model");
	const char *arch = run_text(machine, "kernel.architecture");
	const char *hypervisor = run_text(machine, "hypervisor");
	char *memory = built_in(run_number(machine, "memory_bytes"));
	char *text = text_format("%s%s%s", model ? model : "unknown processor",
				 arch ? ", " : "", arch ? arch : "");

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const double x = run_number(machine, counts[i].path);
		char *more = isfinite(x) ? text_format("%s, %.0f %s", text, x,
						       counts[i].words)
					 : text_copy(text);

		free(text);
		text = more;
	}
	{
		char *more =
			text_format("%s, %s%s%s", text, memory,
				    hypervisor ? ", " : "",
				    hypervisor && !strcmp(hypervisor, "none")
					    ? "no hypervisor"
				    : hypervisor ? hypervisor
						 : "");

		free(text);
		text = more;
	}
	free(memory);
	return text;
}

static void read_settings(struct fleet_node *node, const struct run *run)
{
	size_t n = 0;

	while (compare_setting_name(n))
		n++;
	node->settings = text_alloc(n, sizeof(*node->settings));
	for (size_t i = 0; i < n; i++) {
		char *text = text_copy(compare_setting(run, i)),
		     size[UNITS_MAX];

		/* Some pages more or less are nothing that differs. */
		if (!strcmp(compare_setting_name(i), "memory") &&
		    strcmp(text, "unknown") != 0) {
			units_format(size, strtod(text, NULL), "B");
			free(text);
			text = text_copy(size);
		}
		node->settings[i] = text;
	}
}

static void read_noise(struct fleet_node *node, const struct run *run)
{
	struct noise_certificate q;

	noise_certificate_sum(&q, run);
	if (q.n)
		node->noise = noise_word(noise_cpu_share(&q.v[0]));
}

static struct fleet_cell *cell_at(struct fleet_node *node, size_t row,
				  size_t nrows)
{
	if (row >= node->ncells) {
		node->cells =
			reallocarray(node->cells, nrows, sizeof(*node->cells));
		if (!node->cells)
			die(EXIT_FAIL, "no memory");
		memset(&node->cells[node->ncells], 0,
		       (nrows - node->ncells) * sizeof(*node->cells));
		node->ncells = nrows;
	}
	return &node->cells[row];
}

/* Every node has as many cells as there are rows. */
static void even_out(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->nodes[i].ncells && f->nodes[i].ncells < f->nrows)
			cell_at(&f->nodes[i], f->nrows - 1, f->nrows);
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool is_row(const struct result *a, const struct result *b)
{
	return same(a->name, b->name) && same(a->benchmark, b->benchmark) &&
	       same(a->unit, b->unit) && same(a->estimator, b->estimator) &&
	       same(a->timer, b->timer);
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
	f->rows[f->nrows] = (struct fleet_row) { .key = key };
	what = &f->rows[f->nrows].what;
	result_init(what);
	what->benchmark = text_copy(r->benchmark);
	what->name = text_copy(r->name);
	what->unit = text_copy(r->unit);
	what->better = text_copy(r->better);
	what->tier = text_copy(r->tier);
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

/* Whose rows are read. */
struct reading {
	struct fleet *f;
	struct fleet_node *node;
	size_t row; /* the last one */
};

static void take_row(void *arg, const struct result *r, size_t left)
{
	struct reading *in = arg;
	struct fleet *f = in->f;

	in->row = find_row(f, r, in->row + 1);
	/* At once as many cells as the node can need. */
	*cell_at(in->node, in->row, f->nrows + left - 1) = (struct fleet_cell) {
		.value = r->value,
		.ci95 = { r->ci95[0], r->ci95[1] },
		.core_hz = r->core_hz,
		.status = (unsigned char)r->status,
		.there = true,
	};
	in->node->nfailed += r->status == RESULT_FAILED;
}

static void load_node(struct fleet *f, struct fleet_node *node,
		      const char *place)
{
	char *dir = text_format("%s/%s/%s", f->dir, place, node->name);
	struct notes notes = { 0 };
	struct reading in = { f, node, SIZE_MAX };
	struct run run;
	const char *why;

	if (fleet_read(&run, dir, &notes, take_row, &in, &why)) {
		add_note(f, text_copy(why));
		if (node->status == FLEET_OK) {
			node->status = FLEET_FAILED;
			free(node->reason);
			node->reason = text_copy("no results that can be read");
		}
	} else {
		read_settings(node, &run);
		read_noise(node, &run);
		node->class_name = class_of(&run);
	}
	for (size_t i = 0; i < notes.n; i++)
		add_note(f, text_copy(notes.v[i].text));
	run_free(&run);
	free(dir);
}

int fleet_load(struct fleet *f, const char *dir, char **why)
{
	int err;

	*f = (struct fleet) { .dir = text_copy(dir), .index = json_object() };
	*why = NULL;
	err = read_list(f, false, why);
	for (size_t i = 0; !err && i < f->n; i++)
		if (f->nodes[i].status == FLEET_OK)
			load_node(f, &f->nodes[i], "nodes");
	even_out(f);
	return err;
}

const struct fleet_node *fleet_node(const struct fleet *f, const char *name)
{
	const struct fleet_node key = { .name = (char *)name };

	return bsearch(&key, f->nodes, f->n, sizeof(*f->nodes), by_name);
}

/* The hardware at both ends. */
static char *class_of_link(const struct fleet *of, const char *name)
{
	const char *comma = strchr(name, ',');
	char *a = text_format("%.*s", (int)(comma - name), name), *text;
	const struct fleet_node *one = fleet_node(of, a);
	const struct fleet_node *two = fleet_node(of, comma + 1);
	const char *x = one && one->class_name ? one->class_name : "unknown";
	const char *y = two && two->class_name ? two->class_name : "unknown";

	if (!strcmp(x, y))
		text = text_format("links between: %s", x);
	else
		text = text_format("links between: %s; and: %s",
				   strcmp(x, y) < 0 ? x : y,
				   strcmp(x, y) < 0 ? y : x);
	free(a);
	return text;
}

int fleet_load_links(struct fleet *f, const struct fleet *of, char **why)
{
	char *path = text_format("%s/pairs.tsv", of->dir);
	int err = 0;

	*f = (struct fleet) { .dir = text_copy(of->dir),
			      .index = json_object() };
	*why = NULL;
	if (!access(path, F_OK))
		err = read_list(f, true, why);
	free(path);
	for (size_t i = 0; !err && i < f->n; i++) {
		struct fleet_node *link = &f->nodes[i];

		if (link->status != FLEET_OK)
			continue;
		load_node(f, link, "pairs");
		free(link->class_name);
		link->class_name = class_of_link(of, link->name);
	}
	even_out(f);
	return err;
}

static void free_node(struct fleet_node *node)
{
	for (size_t i = 0; node->settings && compare_setting_name(i); i++)
		free(node->settings[i]);
	free(node->settings);
	free(node->name);
	free(node->seconds);
	free(node->reason);
	free(node->class_name);
	free(node->cells);
}

void fleet_free(struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		free_node(&f->nodes[i]);
	for (size_t i = 0; i < f->nclasses; i++) {
		free(f->classes[i].name);
		free(f->classes[i].nodes);
		free(f->classes[i].levels);
		free(f->classes[i].common);
	}
	for (size_t i = 0; i < f->nrows; i++) {
		result_free(&f->rows[i].what);
		free(f->rows[i].key);
	}
	free(f->nodes);
	free(f->classes);
	free(f->rows);
	free(f->dir);
	json_decref(f->index);
	*f = (struct fleet) { 0 };
}
