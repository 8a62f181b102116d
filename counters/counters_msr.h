/* SPDX-License-Identifier: MIT */
#ifndef COUNTERS_MSR_H
#define COUNTERS_MSR_H

#include <stddef.h>
#include <stdint.h>

#include "counters.h"

/*
 * The architectural events through the model specific registers of an Intel
 * processor, as the paper programs them.  Private to the counters.
 *
 * Registers are read and written through a table of functions, so that tests
 * put an array in place of /dev/cpu/N/msr.
 *
 * Only what is needed is touched: the event selects of as many general
 * counters as there are events for, IA32_FIXED_CTR_CTRL and
 * IA32_PERF_GLOBAL_CTRL.  All are put back by counters_msr_close().  The
 * counters themselves are never written; what they hold is where counting
 * begins.
 *
 * Source: Intel SDM volume 3B, chapter 20 (performance monitoring), volume 4.
 */
struct counters_msr_ops {
	/* Both return 0 or -errno. */
	int (*read)(void *arg, uint32_t reg, uint64_t *value);
	int (*write)(void *arg, uint32_t reg, uint64_t value);
};

#define COUNTERS_MSR_SAVED (COUNTERS_HARDWARE + 2)

struct counters_msr {
	const struct counters_msr_ops *ops;
	void *arg;
	/* The register that counts each event, 0 if none, and its width. */
	uint32_t counter[COUNTERS_HARDWARE];
	unsigned int bits[COUNTERS_HARDWARE];
	uint64_t last[COUNTERS_HARDWARE]; /* as read */
	uint64_t sum[COUNTERS_HARDWARE];  /* since the start, 64 bits */
	uint64_t read_ns;		  /* when */
	uint64_t lost_ns;		  /* how long counts are missing */
	/* What was there, in the order in which it was changed. */
	struct {
		uint32_t reg;
		uint64_t value;
	} saved[COUNTERS_MSR_SAVED];
	size_t n_saved;
};

/**
 * counters_msr_open() - program and start the counters.
 * @arch: of the processor that the registers are of.
 * @user_only: leave the kernel's part out.
 * @now_ns: any clock.
 * @why: on failure, one sentence (a buffer of 160 bytes).
 *
 * Refuses (-EBUSY) if any counter is in use: the kernel's perf, its NMI
 * watchdog, a hypervisor or another tool has it.  Whatever was written is
 * restored on failure.
 *
 * Return: 0, -EOPNOTSUPP (no architectural monitoring), -EBUSY, or the -errno
 * of reading or writing a register.
 */
int counters_msr_open(struct counters_msr *m,
		      const struct counters_msr_ops *ops, void *arg,
		      const struct counters_arch *arch, bool user_only,
		      uint64_t now_ns, char *why);

/**
 * counters_msr_read() - bring sum[] up to now.  A counter wraps, and how often
 * it did cannot be seen: readings must not lie further apart than it takes at
 * the greatest conceivable rate (40 bits: 27 s; 48 bits: two hours).  If they
 * do, nothing is added for that time and lost_ns grows by it.
 *
 * Return: 0 or the -errno of reading a register.
 */
int counters_msr_read(struct counters_msr *m, uint64_t now_ns);

/* counters_msr_close() - restore.  Return: 0 or the first -errno (it goes on
 * all the same). */
int counters_msr_close(struct counters_msr *m);

/* counters_msr_device - the ops of /dev/cpu/N/msr; arg points to the file
 * descriptor (int). */
extern const struct counters_msr_ops counters_msr_device;

#endif
