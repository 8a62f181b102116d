/* SPDX-License-Identifier: MIT */
#ifndef CERT_H
#define CERT_H

#include <linux/seq_file.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "certificate.h"
#include "ring0.h"

/*
 * arch/ARCH/ring0.h has RING0_METHODS(X), X(NAME, name, lacks) each: the timing
 * methods that ring 0 can use, timer_name_begin() and _end(), and NULL or why
 * this processor cannot; ring0_hz(): the rate of the counter, or 0, which means
 * RING0_NO_HZ; ring0_mask(flags), ring0_unmask(flags): no interrupts between
 * them; ring0_fpu_begin(), _end(): what ensemble_chain() needs.
 */
enum cert_method {
#define CERT_ENUM_(NAME, name, lacks) CERT_##NAME,
	RING0_METHODS(CERT_ENUM_)
#undef CERT_ENUM_
		CERT_METHODS
};

/* The results of the module; freed with it. */
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

/* cert_lacks() - NULL, or why this processor cannot do @method. */
const char *cert_lacks(enum cert_method method);

/* The function that is measured besides the clock: kernel/function.c, or the
 * user's. */
void oscost_function(void);

/* cert_quantum() - step of the counter, ticks, rounded up. */
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
