/* SPDX-License-Identifier: MIT */
#ifndef FLEET_H
#define FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "doc.h"
#include "load.h"

/*
 * When is a node slower than others of its kind, and not just the last of
 * them?  docs/fleet.md gives the reasons and what was simulated.
 */

/* Tests that a class of at least so many nodes permits. */
struct fleet_bounds {
	size_t nodes;
	double z, share;   /* a row is beyond if it is so many robust standard
			    * deviations and by such a share worse */
	bool tail;	   /* the tails of rows and nodes can be estimated */
	const char *words; /* for the reader */
};

/* fleet_bounds_of() - those of a class of @n nodes; NULL: too few to tell. */
const struct fleet_bounds *fleet_bounds_of(size_t n);

enum fleet_state {
	FLEET_ROW_NONE,	 /* no node has a value that can be compared */
	FLEET_ROW_FEW,	 /* too few nodes have one */
	FLEET_ROW_SPLIT, /* too many nodes are beyond: it has two levels */
	FLEET_ROW_JUDGED,
};

/* Rows that share a threshold, so that rows in which much happens do not hide
 * what others show: those made of many others, measured ones in which nodes are
 * seldom beyond, and the rest. */
enum fleet_family { FLEET_MADE, FLEET_SELDOM, FLEET_OFTEN, FLEET_FAMILIES };

/* A row over the nodes of a class; costs are logarithms. */
struct fleet_level {
	enum fleet_state state;
	enum fleet_family family;
	size_t n;
	double time, cycles;	      /* medians; NAN: not judged by that */
	double scale;		      /* robust standard deviation, or floor */
	double base, tail;	      /* see fleet_tail(), of log effect */
	double median, mad, min, max; /* of the values */
};

/* The slowest fifth of @n values, without the slowest twentieth, which may be
 * bad nodes: the value where the fifth begins, and by how much a value of the
 * tail exceeds that on average. */
struct fleet_tail {
	double base, mean, share; /* share: of the values that are in it */
	size_t seen;		  /* values that it is estimated from */
};

/**
 * fleet_tail() - of @n >= 20 values that fall.
 *
 * The maximum likelihood estimate of the mean excess of exponential values of
 * which the greatest are known only to lie above a bound.  For logarithms it is
 * Hill's estimate of the index of a heavy tail.
 *
 * Source: Epstein and Sobel, "Life Testing", Journal of the American
 * Statistical Association 48(263), 1953; Hill, "A Simple General Approach to
 * Inference About the Tail of a Distribution", Annals of Statistics 3(5), 1975.
 */
struct fleet_tail fleet_tail(const double *falling, size_t n);

/**
 * fleet_level_set() - from the logarithms of the costs of one row on @n nodes,
 * and of the core's frequency there (NULL: not known of all).
 * Many nodes show whether the row follows the frequency: it is judged by cycles
 * or by time, whichever varies less.
 * @effects: gets the effect of each, see fleet_effect().
 */
void fleet_level_set(struct fleet_level *level, const double *cost,
		     const double *log_hz, size_t n, double *effects);

/* fleet_effect() - how much more than the median a node needs: in time or in
 * cycles, whichever the level has; of both the lesser, 0 if one is more and one
 * is less. */
double fleet_effect(const struct fleet_level *level, double cost,
		    double log_hz);

/* fleet_score() - how far out in the tail of its row @effect lies: of a row
 * with an exponential tail exp(-score) of the nodes in the tail are further
 * out.  Negative: not in the tail. */
double fleet_score(const struct fleet_level *level, double effect);

/**
 * fleet_threshold() - the score that a good node does not reach in any row but
 * one time in 10000.
 * @falling: the greatest score of each of @n nodes, the worst node first.
 *
 * The greatest scores of all nodes show how often luck takes a node so far in
 * any of its rows, whatever the tails of the rows and however rows move
 * together; their own tail is continued to that share of the nodes.
 */
double fleet_threshold(const double *falling, size_t n);

/* fleet_falling() - sort @n values, the greatest first. */
void fleet_falling(double *v, size_t n);

/* fleet_is_beyond() - whether a row is, by the bounds of its level's nodes.
 * fleet_is_sure() - whether @z is further out than luck takes a node in any row
 * of @family. */
bool fleet_is_beyond(const struct fleet_level *level, double effect);
bool fleet_is_sure(enum fleet_family family, double z);

/* fleet_seldom() - as long as no more of @n nodes are beyond a row, that is
 * rare in it.  fleet_most() - how many may be, before the row is said to have
 * two levels. */
size_t fleet_seldom(size_t n);
size_t fleet_most(size_t n);

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

/* fleet_read() - read DIR as run_load() does, but only the facts of the run and
 * of the machine are sure to be there, and of each row its names, status,
 * value, interval and core_hz. */
const char *fleet_read(struct run *run, const char *dir, struct notes *notes);

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

#endif
