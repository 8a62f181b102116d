/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "doc.h"
#include "err.h"
#include "fleet_export.h"
#include "fleet_plot.h"
#include "fleet_table.h"
#include "text.h"

/* All that a fleet's directory holds. */
struct all {
	struct fleet nodes, links;
	int drawn; /* fleet_plot() of the nodes */
};

static const char method[] =
	"Nodes are set against those of the same hardware, row by row: the "
	"cost of a node over the median of its class (of bandwidths the "
	"inverse, so that more is always slower), in time and in core cycles "
	"where the frequency is known, the lesser of the two; the core's "
	"frequency is a row of its own, and so is the median of the rows of "
	"each program. z is that, as a logarithm, in robust standard "
	"deviations (1.4826 MAD, at least 0.6 %). Rows with two levels, in "
	"which more than one node in ten is beyond the bounds, flag nobody: "
	"look at what differs within the class.";

static void put_table(struct doc *d, const char *id, const char *title,
		      struct table *t)
{
	table_prune(t);
	if (t->nrows) {
		d->format->heading(d, 2, id, title);
		d->format->table(d, t);
	}
}

static void put_drains(struct doc *d, const struct all *all)
{
	char *text = NULL;

	for (size_t i = 0; i < all->nodes.n; i++) {
		char *line = fleet_drain(&all->nodes, &all->links,
					 &all->nodes.nodes[i]);
		char *more = line ? text_format("%s%s%s", text ? text : "",
						text ? "\n" : "", line)
				  : NULL;

		if (more) {
			free(text);
			text = more;
		}
		free(line);
	}
	if (text) {
		d->format->heading(d, 2, "drain", "For Slurm");
		d->format->para(d, "To take the bad nodes out of service, look "
				   "at these commands and type them; nothing "
				   "here executes them:");
		d->format->code(d, text);
	}
	free(text);
}

static void put_fold(struct doc *d, const char *id, const char *title,
		     struct table *t)
{
	table_prune(t);
	if (t->nrows) {
		d->format->fold(d, id, title);
		d->format->table(d, t);
		d->format->fold(d, NULL, NULL);
	}
}

static void write_fleet(struct doc *d, const void *what)
{
	const struct all *all = what;
	const struct fleet *f = &all->nodes;
	char *count = fleet_count(f, &all->links);
	struct table t;

	d->format->begin(d, "oscost: a fleet");
	d->format->para(d, count);
	free(count);
	for (size_t i = 0; i < f->notes.n; i++)
		d->format->warning(d, f->notes.v[i].text, NULL);
	fleet_slow(&t, f);
	put_table(d, "slow", "Slow nodes", &t);
	fleet_slow_rows(&t, f);
	put_fold(d, "slow-rows", "Their rows", &t);
	fleet_absent(&t, f);
	put_table(d, "absent", "Nodes without results", &t);
	put_drains(d, all);
	fleet_slow(&t, &all->links);
	put_table(d, "links", "Slow links", &t);
	fleet_absent(&t, &all->links);
	put_table(d, "absent-links", "Links without results", &t);
	if (!all->drawn) {
		d->format->heading(d, 2, "pictures", "The largest class");
		d->format->picture(
			d, "fleet-strips",
			"The rows in which nodes lie furthest from the median: "
			"slow nodes are diamonds, the others dots. Of a class "
			"of "
			"more than 300 nodes a sample is drawn, and the slow "
			"ones.");
		d->format->picture(
			d, "fleet-heat",
			"Nodes by rows, the darker the slower: the slow nodes "
			"and a sample of 40 of the rest.");
	}
	fleet_classes(&t, f);
	put_table(d, "classes", "Classes of hardware", &t);
	d->format->para(d, method);
	fleet_differs(&t, f);
	put_table(d, "differs", "What differs within a class", &t);
	fleet_failures(&t, f);
	put_table(d, "failures", "Rows that failed", &t);
	fleet_split(&t, f);
	put_table(d, "split", "Rows with two levels", &t);
	fleet_rows(&t, f);
	put_fold(d, "rows", "All rows over the nodes", &t);
	fleet_rows(&t, &all->links);
	put_fold(d, "link-rows", "All rows over the links", &t);
	d->format->end(d);
}

static void print_table(const char *title, struct table *t)
{
	table_prune(t);
	if (t->nrows) {
		printf("\n%s\n\n", title);
		console_table(stdout, t);
	}
}

static void print_all(const struct all *all)
{
	char *count = fleet_count(&all->nodes, &all->links);
	struct table t;

	puts(count);
	free(count);
	fleet_classes(&t, &all->nodes);
	print_table("Classes of hardware", &t);
	fleet_slow(&t, &all->nodes);
	print_table("Slow nodes", &t);
	fleet_absent(&t, &all->nodes);
	print_table("Nodes without results", &t);
	fleet_slow(&t, &all->links);
	print_table("Slow links", &t);
	for (size_t i = 0, n = 0; i < all->nodes.n; i++) {
		char *line = fleet_drain(&all->nodes, &all->links,
					 &all->nodes.nodes[i]);

		if (line && !n++)
			puts("\nTo take the bad nodes out of service (nothing "
			     "here executes it):\n");
		if (line)
			puts(line);
		free(line);
	}
}

static bool is_any_bad(const struct all *all)
{
	for (size_t i = 0; i < all->nodes.n; i++) {
		char *line = fleet_drain(&all->nodes, &all->links,
					 &all->nodes.nodes[i]);

		free(line);
		if (line)
			return true;
	}
	for (size_t i = 0; i < all->links.n; i++)
		if (fleet_is_bad(&all->links.nodes[i]))
			return true;
	return false;
}

static void tell(const struct fleet *f)
{
	for (size_t i = 0; i < f->notes.n; i++)
		warn("%s", f->notes.v[i].text);
	if (f->more_notes)
		warn("%zu more such notes", f->more_notes);
}

/* The second run, if there is one.  Return: 0, or -1 after the reason was
 * said. */
static int read_again(struct all *all, const char *dir)
{
	char *path = text_format("%s/confirm", dir);
	char *list = text_format("%s/fleet.tsv", path);
	struct fleet again = { 0 };
	const bool there = !access(list, F_OK);
	char *why = NULL;
	int err = 0;

	if (there)
		err = fleet_load(&again, path, &why);
	if (err)
		warn("%s", why);
	else if (there)
		fleet_confirm(&all->nodes, &again);
	tell(&again);
	fleet_free(&again);
	free(why);
	free(list);
	free(path);
	return err;
}

static bool is_listed(const struct all *all, const struct fleet_node *node)
{
	size_t n, bad;

	return node->verdict != FLEET_GOOD ||
	       (node->status == FLEET_OK &&
		fleet_hub(&all->links, node->name, &n, &bad));
}

/* What a second run has to measure again. */
static void print_flagged(const struct all *all)
{
	for (size_t i = 0; i < all->nodes.n; i++)
		if (is_listed(all, &all->nodes.nodes[i]))
			puts(all->nodes.nodes[i].name);
}

static int by_ordinary(const void *a, const void *b)
{
	const struct fleet_node *x = *(const struct fleet_node *const *)a;
	const struct fleet_node *y = *(const struct fleet_node *const *)b;

	return x->ordinary < y->ordinary   ? -1
	       : x->ordinary > y->ordinary ? 1
					   : (x > y) - (x < y);
}

/* The @most most ordinary nodes of each class with flagged ones; of the
 * greatest class if none are. */
static void print_controls(const struct all *all, size_t most)
{
	const struct fleet *f = &all->nodes;
	const struct fleet_node **v =
		text_alloc(f->n, sizeof(struct fleet_node *));
	bool any = false;

	for (size_t i = 0; i < f->n; i++)
		any |= f->nodes[i].cells && is_listed(all, &f->nodes[i]);
	for (size_t k = 0; k < f->nclasses; k++) {
		const struct fleet_class *class = &f->classes[k];
		bool wanted = !any && !k;
		size_t n = 0;

		for (size_t i = 0; i < class->n; i++) {
			const struct fleet_node *node =
				&f->nodes[class->nodes[i]];

			if (is_listed(all, node))
				wanted = true;
			else
				v[n++] = node;
		}
		qsort(v, n, sizeof(struct fleet_node *), by_ordinary);
		for (size_t i = 0; wanted && i < n && i < most; i++)
			puts(v[i]->name);
	}
	free(v);
}

int command_fleet(const char *root, const struct fleet_options *o,
		  const char *dir)
{
	struct all all = { 0 };
	char *why, *end = NULL;
	const unsigned long controls =
		o->controls ? strtoul(o->controls, &end, 10) : 0;
	int status = EXIT_OK, err;

	if (o->controls && (*end || !controls || *o->controls == '-')) {
		warn("--controls %s: a number of nodes, 1 or more",
		     o->controls);
		return EXIT_USAGE;
	}
	err = fleet_load(&all.nodes, dir, &why);
	if (!err)
		err = fleet_load_links(&all.links, &all.nodes, &why);
	tell(&all.nodes);
	tell(&all.links);
	if (err) {
		warn("%s", why);
		free(why);
		fleet_free(&all.nodes);
		fleet_free(&all.links);
		return EXIT_USAGE;
	}
	fleet_judge(&all.nodes);
	fleet_judge(&all.links);
	fleet_common(&all.nodes);
	fleet_common(&all.links);
	if (o->flagged || o->controls) {
		if (o->flagged)
			print_flagged(&all);
		else
			print_controls(&all, controls);
	} else if (read_again(&all, dir)) {
		status = EXIT_USAGE;
	} else {
		print_all(&all);
		if (is_any_bad(&all))
			status = EXIT_FAIL;
		all.drawn = fleet_plot(&all.nodes, root);
		if (all.drawn == EXIT_SKIP)
			warn("there are no plots: gnuplot is not installed "
			     "(Debian: gnuplot-nox)");
		if (doc_pages(dir, "fleet", write_fleet, &all) ||
		    fleet_export(&all.nodes, &all.links, dir))
			status = EXIT_USAGE;
	}
	if (fflush(stdout) || ferror(stdout))
		status = EXIT_USAGE;
	fleet_free(&all.nodes);
	fleet_free(&all.links);
	return status;
}
