/* SPDX-License-Identifier: MIT */
#ifndef OS_LOAD_H
#define OS_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The lines "cpuN" of /proc/stat: where each CPU spent its time, in steps of
 * 1/USER_HZ s (10 ms).  A CPU that is offline has no line.
 */
struct cpu_times {
	bool online;
	/* Idle, also while a disk is waited for (idle + iowait, each cut off,
	 * not rounded), in USER_HZ steps since the machine started. */
	uint64_t idle;
};

/**
 * cpu_times_parse() - read the text of /proc/stat.
 * @text: NUL-terminated.
 * @cpus: @max entries, all overwritten, indexed by the kernel's number; more
 *	  CPUs are left out.
 *
 * Return: whether the line of any CPU could be read.
 */
bool cpu_times_parse(const char *text, struct cpu_times *cpus, size_t max);

/*
 * The load of one CPU as the operating system sees it: the share of time in
 * which it was not idle.
 *
 * It is computed from the idle time (idle + iowait) and the elapsed time, not
 * from the sum of all columns: on kernels that stop the tick of an idle CPU
 * the idle time is taken with the clock, while user and system time are
 * guessed from where the tick fell.  Tasks that run between two ticks are
 * missing there.
 */
enum os_state {
	OS_OK,
	OS_NEW,	      /* no earlier reading: nothing to subtract */
	OS_OFFLINE,   /* not there now */
	OS_BACKWARDS, /* the idle time fell: started afresh, or is wrong */
	OS_AHEAD,     /* the idle time grew faster than time */
	OS_LOST,      /* the CPU was away for a part */
};

/* All of the interval, in percent; NAN is unknown. */
struct os_load {
	enum os_state state;
	double load_pct;
	/* The kernel's figures could also mean so much more or less. */
	double resolution_pct;
};

struct os_track {
	bool primed;
	struct cpu_times last;
	uint64_t last_ns;
	/* Idle time that did not fit into the intervals so far: at most the
	 * resolution.  Cut-off figures show it early or late; if it were
	 * dropped, many short intervals would add up to a wrong mean. */
	int64_t carry_ns;
};

/* os_load_unknown() - a load of which only the state is known. */
struct os_load os_load_unknown(enum os_state state);

/**
 * os_track_update() - the load since the last call.
 * @now_ns: CLOCK_MONOTONIC when @now was read.
 * @tick_ns: the step of the figures, 10^9 / USER_HZ.
 *
 * After any state but OS_OK the next interval begins afresh.  Where idle and
 * elapsed time disagree by no more than the resolution, the nearest possible
 * load is given and the rest carried over.
 */
struct os_load os_track_update(struct os_track *track,
			       const struct cpu_times *now, uint64_t now_ns,
			       uint64_t tick_ns);

/* os_state_name() - "ok", "new", "offline" ... */
const char *os_state_name(enum os_state state);

#endif
