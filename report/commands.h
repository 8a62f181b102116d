/* SPDX-License-Identifier: MIT */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "due.h"

/*
 * Commands of report.  @root is where
 * plots/ is.  Each returns an exit status, see err.h.
 */

/* command_predictions() - print the template, or check @file if not NULL. */
int command_predictions(const char *root, const char *file);

/* command_make() - everything: tables, pages, plots, and the summary; @ledger:
 * the directory of one to set beside the run, or NULL. */
int command_make(const char *root, const char *dir, const char *ledger,
		 bool no_plots);

/* command_card(), command_summary(), command_lmbench() - print of a run: its
 * card; the card, causes of noise and warnings; what lmbench's summary has. */
int command_card(const char *root, const char *dir);
int command_summary(const char *root, const char *dir);
int command_lmbench(const char *root, const char *dir);

/* command_coursework() - print the coursework table of a run, or, if @template
 * is "latex" or "markdown", the skeleton of the course's report. */
int command_coursework(const char *root, const char *template, const char *dir);

/* command_share() - percent as typed (@text) as a share: 0 or more, -1 if it
 * is no such number, @otherwise if there is none. */
double command_share(const char *text, double otherwise);

/* command_due() - print the programs that are due in the next round of a run,
 * by its core rows or by @all. */
int command_due(const struct due_rule *rule, bool all, const char *dir);

/* command_failed() - print the rows that have failed, and the programs that
 * gave nothing; EXIT_FAIL if there are any. */
int command_failed(const char *dir);

/* command_export() - print the rows as format @name; @root has the words of the
 * card. */
int command_export(const char *root, const char *name, const char *dir);

struct fleet_options {
	const char *controls; /* how many, as typed; or NULL */
	bool flagged;	      /* print names only */
};

/* command_fleet() - the nodes of a fleet (scripts/fleet) that are slower than
 * others of their kind.  Return: EXIT_OK; EXIT_FAIL if there are bad nodes;
 * EXIT_USAGE if @dir is no fleet or cannot be written. */
int command_fleet(const char *root, const struct fleet_options *o,
		  const char *dir);

struct compare_options {
	const char *threshold, *floor; /* percent, as typed; NULL for none */
	const char *aa;		       /* A/A sessions, with commas; or NULL */
	const char *out;	       /* directory for the pages; NULL: none */
	bool all;		       /* print all rows */
	bool in_time;		       /* the sides are a history */
	bool same;	    /* all sides are the same: judge the false alarms */
	bool json, junit;   /* print that instead of tables */
	const char *ledger; /* sides of a ledger, with commas; or NULL */
};

#define EXIT_SLOWER 3 /* something is slower by more than the threshold */

/* command_compare() - the first of @names with each of the others; a side is
 * a directory or several with commas between. */
int command_compare(const struct compare_options *o, size_t n,
		    char *const *names);

#endif
