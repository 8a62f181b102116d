/* SPDX-License-Identifier: MIT */
#ifndef CERT_H
#define CERT_H

#include <linux/seq_file.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "certificate.h"

/* Timing methods that ring 0 can use: the programs' and the paper's third. */
enum cert_method {
	CERT_NONE,
	CERT_CPUID2,
	CERT_CPUID,
	CERT_LFENCE,
	CERT_CR0, /* cpuid;rdtsc ... mov cr0;rdtsc */
	CERT_METHODS
};

/* What the module measured; freed with it. */
struct cert_result {
	struct certificate certificate;
	struct ensemble_row *rows[2]; /* of the empty body, of the loop */
};

struct cert {
	u32 ensembles, samples;
	u64 quantum, hz;
	time64_t started_at;
	int cpu;
	u64 migrations; /* samples taken on another CPU than the first */
	struct cert_result results[CERT_METHODS];
};

const char *cert_method_name(enum cert_method method);

/* cert_usable() - whether this processor has the instructions of @method. */
bool cert_usable(enum cert_method method);

/* What is measured besides the clock: kernel/function.c, or the user's. */
void oscost_function(void);

/* cert_quantum() - step of the TSC, ticks, rounded up. */
u64 cert_quantum(void);

/* cert_measure() - take the certificates of all methods into @cert, whose
 * sizes and rows are set.  @scratch: 2 * ensembles numbers.
 * Return: 0 or -EINTR (a signal is pending). */
int cert_measure(struct cert *cert, u64 *scratch);

/* cert_rows_show() - JSON Lines, results format 1; cert_log_show() - the
 * paper's. */
int cert_rows_show(struct seq_file *m, void *unused);
int cert_log_show(struct seq_file *m, void *unused);

#endif
