/* SPDX-License-Identifier: MIT */
#ifndef COUNTERS_H
#define COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Event counters around any code: hardware's through perf_event_open(), or
 * through the model specific registers as the paper does it, and the kernel's
 * own (faults, switches).  An event that cannot be counted here is *unknown*
 * and has a reason; opening succeeds all the same.
 *
 *	struct counters *c;
 *	struct counters_counts counts;
 *
 *	err = counters_open(&c, &(struct counters_target) {
 *				.kind = COUNTERS_SELF }, 0);
 *	counters_start(c);
 *	work();
 *	counters_stop(c, &counts);
 *	if (counts.count[COUNTERS_INSTRUCTIONS].known) ...
 *	else puts(counters_why(c, COUNTERS_INSTRUCTIONS));
 *	counters_close(c);
 *
 * A sampler takes readings and computes the counts between two of them:
 * counters_read(), counters_delta().
 *
 * libc only; prints nothing, never exits.
 *
 * Source: M. Schwarzbauer et al., "Processor-oriented performance measurement
 * tool" (2010), its classes PerfLib and ThreadPerfMonitor; perf_event_open(2).
 */

/* The paper's seven architectural events, then the kernel's. */
enum counters_event {
	COUNTERS_INSTRUCTIONS, /* retired */
	COUNTERS_CYCLES,       /* unhalted core cycles */
	COUNTERS_REF_CYCLES,   /* unhalted reference cycles */
	COUNTERS_LLC_REFERENCES,
	COUNTERS_LLC_MISSES,
	COUNTERS_BRANCHES, /* retired */
	COUNTERS_BRANCH_MISSES,
	COUNTERS_HARDWARE, /* how many of those there are */

	COUNTERS_TASK_CLOCK = COUNTERS_HARDWARE, /* ns; not of a CPU */
	COUNTERS_PAGE_FAULTS,
	COUNTERS_CONTEXT_SWITCHES,
	COUNTERS_MIGRATIONS,
	COUNTERS_EVENTS, /* how many there are */
};

/* A hybrid machine has a PMU for each kind of core. */
#define COUNTERS_PMUS 4

enum counters_kind {
	COUNTERS_SELF, /* the calling thread, without those that it starts */
	COUNTERS_CPU,  /* all that runs on @cpu */
};

struct counters_target {
	enum counters_kind kind;
	int cpu; /* the kernel's number */
};

enum counters_flag {
	/* Leave the kernel's instructions out.  Without this flag they are in
	 * where that is permitted: see counters_user_only(). */
	COUNTERS_USER = 1 << 0,
	/* Hardware events of a COUNTERS_CPU through /dev/cpu/N/msr.  Programs
	 * the registers of this CPU and restores them at counters_close(). */
	COUNTERS_MSR = 1 << 2,
};

struct counters;

/**
 * counters_open() - open all events that can be counted for @target.
 * @out: the set; counters_close() it.  Counting begins at once.
 * @flags: OR of enum counters_flag.
 *
 * An event that cannot be had is no failure: see counters_why().
 *
 * Return: 0; -EINVAL (@flags do not fit @target), -ENODEV (no such CPU, or
 * offline), -ENOMEM.  The soft limit of open files is raised to the hard one
 * where the files do not suffice.
 */
int counters_open(struct counters **out, const struct counters_target *target,
		  unsigned int flags);

/* counters_close() - stop counting, restore what was programmed, free.  NULL
 * is fine.  After a signal handler's longjmp nothing is lost but the restore,
 * so close in every way out. */
void counters_close(struct counters *c);

/* counters_why() - one sentence on why @event is not counted, with the command
 * that fixes it where there is one; NULL if it is counted.  Lives with @c. */
const char *counters_why(const struct counters *c, enum counters_event event);

/* counters_user_only() - whether the kernel's part is left out: asked for, or
 * because nothing else is permitted. */
bool counters_user_only(const struct counters *c);

/* counters_pmus() - how many kinds of core @c counts on (1 but for hybrid
 * machines; 0 if there is no PMU); counters_pmu_name() - the kernel's name of
 * the @nth: "cpu", "cpu_core", "cpu_atom", "armv8_pmuv3". */
unsigned int counters_pmus(const struct counters *c);
const char *counters_pmu_name(const struct counters *c, unsigned int nth);

/* A reading by the kernel (or the register) of one event: a running sum. */
struct counters_raw {
	uint64_t value;
	uint64_t enabled_ns; /* how long it was to be counted ... */
	uint64_t running_ns; /* ... and was: less if multiplexed */
};

/* All of them at one moment.  Plain data: copy and keep it. */
struct counters_reading {
	uint64_t before_ns, after_ns; /* CLOCK_MONOTONIC around the reads */
	struct counters_raw raw[COUNTERS_PMUS][COUNTERS_EVENTS];
};

/* One event between two readings. */
struct counters_count {
	bool known;
	bool scaled;  /* multiplexed: @value is an estimate */
	double value; /* of all PMUs together */
	double share; /* running/enabled: 1 if it was counted all the time */
	double pmu[COUNTERS_PMUS]; /* of each kind of core */
};

struct counters_counts {
	struct counters_count count[COUNTERS_EVENTS];
};

/* counters_read() - the sums as they are now: one system call for each group
 * of events (of one thread or CPU five on hardware, nine where there are two
 * kinds of core, one where only software events are).
 * Return: 0 or -errno of read(). */
int counters_read(const struct counters *c, struct counters_reading *now);

/**
 * counters_delta() - what was counted between @from and @to, two readings of
 * @c.  Scaled by enabled/running where events shared counters.  An event is
 * not known in an interval in which it never got a counter, and for a CPU also
 * if it was not there all the time (taken offline: open it again).  Nor in a
 * virtual machine if it shared one, nor anywhere if it stood still while others
 * prove that it cannot have (counters_count.c).
 */
void counters_delta(const struct counters *c,
		    const struct counters_reading *from,
		    const struct counters_reading *to,
		    struct counters_counts *out);

/* counters_start(), counters_stop() - the paper's pair: counters_read() twice
 * and counters_delta().  Nestable only by readings of one's own.
 * Return: 0 or -errno of read(). */
int counters_start(struct counters *c);
int counters_stop(struct counters *c, struct counters_counts *out);

/* counters_name() - an event's key: "instructions", "llc_misses" ... */
const char *counters_name(enum counters_event event);

/* counters_ipc() - instructions per cycle; NAN if one is not known. */
double counters_ipc(const struct counters_counts *counts);

/**
 * counters_load_pct() - the paper's equation (1): instructions / (cycles x
 * @width), in percent, over all kinds of core; NAN if something is not known.
 * @width: maximum instructions per cycle of each PMU's cores, NAN if unknown
 *	   (only those on which cycles passed matter).
 */
double counters_load_pct(const struct counters_counts *counts,
			 const double width[COUNTERS_PMUS]);

/* ---- Facts of the processor about its counters (CPUID) ------------------ */

/* One CPUID answer; the order in an array does not matter. */
struct counters_leaf {
	uint32_t leaf; /* subleaf 0 */
	uint32_t eax, ebx, ecx, edx;
};

#define COUNTERS_LEAVES 6

struct counters_arch {
	char vendor[13];
	unsigned int family, model;
	bool hypervisor;

	/* Architectural monitoring: 0 none.  Intel: leaf 0AH, EAX[7:0].  AMD:
	 * 2 if 80000022H has PerfMonV2, else 0 (its counters before that are
	 * not called architectural). */
	unsigned int version;
	unsigned int counters, counter_bits; /* for any event */
	unsigned int fixed, fixed_bits;	     /* for one event each */
	/* Bit for each enum counters_event that is architectural and there. */
	unsigned int events;
	unsigned int fixed_mask; /* bit for each fixed counter that is there */
};

/* counters_cpuid() - ask the processor that the caller runs on for all leaves
 * that counters_decode() wants.  Return: how many; 0 if this is no x86. */
size_t counters_cpuid(struct counters_leaf leaves[COUNTERS_LEAVES]);

/**
 * counters_decode() - what these leaves mean.  Leaves above the maximum that
 * leaf 0 or 80000000H gives are not looked at, even if they are in @leaves.
 *
 * Return: 0, or -EINVAL if leaf 0 is missing.
 */
int counters_decode(struct counters_arch *arch,
		    const struct counters_leaf *leaves, size_t n);

#endif
