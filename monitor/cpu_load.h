/* SPDX-License-Identifier: MIT */
#ifndef CPU_LOAD_H
#define CPU_LOAD_H

#include <stdbool.h>
#include <stdint.h>

/* The command line; texts are borrowed from argv. */
struct settings {
	const char *interval, *duration, *cpus, *width_text, *output;
	bool msr, csv, help, version;

	/* Made of those above. */
	char **command;			   /* NULL: none */
	uint64_t interval_ns, duration_ns; /* duration 0: until stopped */
	double width;			   /* 0: by the table */
	bool rows, screen;		   /* CSV is written, a live table */
};

/**
 * sampler_run() - sample until it is over, write rows and the summary.  A
 * command is started after the first reading, and never left behind.
 *
 * Return: the status to exit with: 126 or 127 if the command could not be run.
 * Where it was, this does not return: the process ends as the command did.
 */
int sampler_run(const struct settings *set);

#endif
