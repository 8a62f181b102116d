/* SPDX-License-Identifier: MIT */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum data_format { DATA_NONE, DATA_CSV, DATA_JSON };

/* Of --priority, if nothing is said: try, and do not complain. */
#define PRIORITY_DEFAULT UINT64_MAX

/* What the command line says; texts are borrowed from argv. */
struct settings {
	const char *interval, *duration, *cgroup, *cpus, *width_text, *source;
	const char *output, *replay;
	uint64_t pid, priority;
	bool msr, csv, json, help, version;

	/* Made of those above. */
	char **command;			   /* NULL: none */
	uint64_t interval_ns, duration_ns; /* duration 0: until stopped */
	double width;			   /* 0: by the table */
	bool switches;
	enum data_format format;
	bool screen;
};

/**
 * settings_parse() - the whole command line.
 *
 * Return: -1 to go on, or the status to exit with (a message, or help, was
 * printed).
 */
int settings_parse(struct settings *set, int argc, char **argv);

#endif
