/* SPDX-License-Identifier: MIT */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When a CPU left its idle task and when it came back to it, to the
 * nanosecond: the kernel's records of all context switches of a CPU
 * (perf_event_open(), PERF_RECORD_SWITCH_CPU_WIDE).  Where /proc/stat shows
 * the load in steps of 10 ms, this has none.
 *
 * Interrupts that an idle CPU serves are idle time here.  It costs the machine
 * two records of 40 bytes for each context switch.
 */
struct switches;

/* What became of one CPU's time; plain data. */
struct busy_track {
	bool known; /* what it is doing now */
	bool busy;
	bool lost;	   /* records were dropped in this interval */
	uint64_t since_ns; /* accounted up to here */
	uint64_t busy_ns;  /* in this interval, up to since_ns */
};

/* busy_track_switch() - from @at_ns on something other than the idle task
 * runs (@busy), or the idle task. */
void busy_track_switch(struct busy_track *track, uint64_t at_ns, bool busy);

/* busy_track_lost() - nobody knows what happened since the last switch. */
void busy_track_lost(struct busy_track *track);

/**
 * busy_track_end() - end the interval at @now_ns and begin the next.
 * @busy_ns: set if true is returned.
 *
 * Return: whether all of the interval is known.
 */
bool busy_track_end(struct busy_track *track, uint64_t now_ns,
		    uint64_t *busy_ns);

/**
 * switches_open() - watch @cpu.
 * @why: on failure one sentence for the user.
 *
 * Return: 0 or -errno.  switches_close() it.
 */
int switches_open(struct switches **opened, int cpu, const char **why);
void switches_close(struct switches *s);

/* switches_drain() - take in the records up to @until_ns (CLOCK_MONOTONIC).
 * Often enough, or the kernel drops what does not fit into 512 KiB. */
void switches_drain(struct switches *s, uint64_t until_ns);

/* switches_end() - busy_track_end() of what was drained up to @now_ns. */
bool switches_end(struct switches *s, uint64_t now_ns, uint64_t *busy_ns);

#endif
