/* SPDX-License-Identifier: MIT */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

/* The options of all commands. */
struct settings {
	const char *root; /* where bench/, plots/ and scripts/ are */
	const char *threshold, *floor; /* percent, as typed; NULL: none */
	const char *aa;		       /* directories, with commas */
	const char *out;	       /* directory for pages; NULL: none */
	const char *format, *template, *goal;
	uint64_t first, least, most, left;
	bool no_plots, all, same, json, help, version;
};

#define EXIT_SLOWER 3 /* something is slower by more than the threshold */

/* A command with its operands, up to NULL.  Return: an exit status, see err.h.
 */
typedef int command_fn(const struct settings *set, char **names);

/* The same for a run that was read.  Return: 0, or what fails. */
struct run;
typedef int command_run_fn(const struct settings *set, struct run *run);

/* main.c describes each. */
command_fn command_coursework, command_predictions, command_compare,
	command_history, command_due, command_export, command_fleet;
command_run_fn run_make, run_card, run_show, run_failed;

/* command_with_run() - read the run in @dir, or its core rows alone, and let
 * @use print or write something of it.  Return: EXIT_OK, or EXIT_FAIL if @use
 * returns other than 0. */
int command_with_run(const struct settings *set, const char *dir, bool core,
		     command_run_fn *use);

/* command_share() - percent as typed (@text) as a share: 0 or more, -1 if it
 * is no such number, @otherwise if there is none. */
double command_share(const char *text, double otherwise);

#endif
