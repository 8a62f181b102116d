/* SPDX-License-Identifier: MIT */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdio.h>

#include "operations.h"

#define PROFILE_FORMAT "oscost-bill-profile 1"

/* Of one feature of all calls of a class. */
struct feature_sum {
	uint64_t sum, min, max;
};

struct class_sum {
	uint64_t count;
	struct feature_sum feature[FEATURES_MAX]; /* as in the table */
};

/* How often a call was made, or one that has no class. */
struct named {
	char *name;
	uint64_t count;
};

struct names {
	struct named *at;
	size_t n;
};

/* A run of the command. */
struct run {
	uint64_t wall_ns, user_us, system_us;
	uint64_t minor_faults, major_faults;
	uint64_t own_switches, other_switches; /* of its own will, or not */
	uint64_t status;		       /* exit status, 128 + signal */
};

/* What a command asked of the system.  It has no paths, contents, arguments. */
struct profile {
	struct class_sum class[OPERATIONS_N];
	struct names calls; /* all, by name */
	struct names
		unpriced; /* those without a class: "name [ERRNO] [kind]" */
	uint64_t processes, threads, unknown_faults;
	char *faults; /* how their kinds were found */
	struct run traced, untraced;
	char *no_untraced; /* why there is no such run; NULL: there is */
};

/* profile_class() - @feature: by enum feature; one more call of a class.
 * profile_name() - @n more of this name. */
void profile_class(struct profile *p, int class,
		   const uint64_t feature[FEATURES]);
void profile_name(struct names *names, const char *name, uint64_t n);

/* profile_write() - as JSON.  Return: 0 or -errno.  profile_free() - what it
 * holds. */
int profile_write(const struct profile *p, FILE *f);
void profile_free(struct profile *p);

#endif
