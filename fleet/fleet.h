/* SPDX-License-Identifier: MIT */
#ifndef FLEET_H
#define FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "doc.h"
#include "load.h"
#include "rule.h"

/*
 * Many machines measured by the same suite: scripts/fleet makes the directory
 * (docs/fleet.md), and `report fleet` finds the nodes that are slower
 * than others of their kind.  One value is kept for each row of each node.
 */
struct fleet_cell {
	double value, ci95[2], core_hz;
	float effect; /* log of cost here / median cost */
	float z, score;
	unsigned char status; /* enum result_status */
	bool there, beyond, again;
};

enum fleet_verdict {
	FLEET_GOOD,
	FLEET_FLAGGED,	 /* slower; not measured again */
	FLEET_CONFIRMED, /* the second run shows it, both controls do not */
	FLEET_UNSEEN,	 /* the second run does not show it */
	FLEET_SHARED,	 /* a control shows it, too */
};

/* A machine. */
struct fleet_node {
	const char *name, *status, *seconds, *reason; /* of fleet.tsv */
	const char **settings;	  /* compare_setting() of each */
	const char *class_name;	  /* of its hardware */
	const char *noise;	  /* word of its noise certificate, or NULL */
	struct fleet_cell *cells; /* one for each row; NULL: not measured */
	size_t ncells, class;
	size_t worst, nbeyond; /* rows */
	double ordinary;       /* mean distance from the medians, in scales */
	enum fleet_verdict verdict;
};

struct fleet_row {
	const char *key, *title; /* "program: case" */
	struct result what;	 /* its names, unit and direction */
	bool made;		 /* not measured: made of other rows */
};

/* Nodes of the same hardware, which are set against each other. */
struct fleet_class {
	const char *name, *letter; /* "A": tables stay narrow */
	size_t *nodes, n;
	struct fleet_level *levels; /* one for each row */
	const struct fleet_bounds *bounds;
	double threshold[FLEET_FAMILIES]; /* of the scores; 0: none */
};

struct fleet {
	const char *dir;
	struct fleet_row *rows;
	size_t nrows;
	json_t *index;		  /* of the rows, by their keys */
	struct fleet_node *nodes; /* by name */
	size_t n;
	struct fleet_class *classes; /* the largest first */
	size_t nclasses;
	struct notes notes; /* the first ones */
	size_t more_notes;
};

/* fleet_is_name() - whether @name is one that a scheduler may be given. */
bool fleet_is_name(const char *name);

/* fleet_load() - the nodes of DIR/fleet.tsv.  Return: NULL, or what is wrong
 * with the list. */
const char *fleet_load(struct fleet *f, const char *dir);

/* fleet_make_row() - a row that is made of others.  Return: its number. */
size_t fleet_make_row(struct fleet *f, const char *benchmark, const char *name,
		      const char *unit, const char *better);

/* fleet_read() - read DIR as run_load() does, and hand each row to @take, with
 * the number of those that are still to come and itself.  In @run only the
 * facts of the run and of the machine are sure to be there; in a row only its
 * names, status, value, interval and core_hz are. */
typedef void fleet_take_fn(void *arg, const struct result *row, size_t left);
const char *fleet_read(struct run *run, const char *dir, struct notes *notes,
		       fleet_take_fn *take, void *arg);

/* fleet_node() - the node of that name, or NULL. */
const struct fleet_node *fleet_node(const struct fleet *f, const char *name);

/* fleet_judge() - group the nodes into classes, find the levels of each row
 * there, and the nodes beyond them.  fleet_confirm() - what a second run of the
 * flagged nodes and of controls says of them. */
void fleet_judge(struct fleet *f);
void fleet_confirm(struct fleet *f, struct fleet *again);

/* fleet_is_bad() - flagged, and no second run speaks against it. */
bool fleet_is_bad(const struct fleet_node *node);

/* fleet_level() - of the class of @node in @row. */
const struct fleet_level *
fleet_level(const struct fleet *f, const struct fleet_node *node, size_t row);

/* fleet_is() - whether the status of @node is one of @statuses, with blanks
 * between. */
bool fleet_is(const struct fleet_node *node, const char *statuses);

#endif
