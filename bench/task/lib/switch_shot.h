/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_SHOT_H
#define SWITCH_SHOT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "partner.h"

/*
 * One switch, timed once, as the CSE 221 report does it (section 3.6): the
 * parent reads the clock, writes to a pipe and waits for the child; the child,
 * asleep in read, wakes up, reads the clock, sends that back and ends.  Two
 * threads do the same with a condition variable.
 */
struct switch_shot_shared {
	uint64_t end;	/* the other's clock */
	long voluntary; /* switches of the other until it had read it */
	pid_t tid;	/* of the other; 0 until it is about to wait */
	int cpu;
};

/* All zero: nothing is open. */
struct switch_shot {
	enum timer_method method;
	struct switch_shot_shared *shared;
	int fd[2];
	bool has_pipe;
	struct partner partner;
	bool go; /* what the thread waits for */
	pthread_mutex_t lock;
	pthread_cond_t start;
	long switches; /* of this side, before the event */
};

/* switch_shot_open() - Return: 0 or bench_fail(); close accepts either. */
int switch_shot_open(struct bench *b, struct switch_shot *s);

/* switch_shot_ready() - make the other, a thread or a process, and see that
 * it sleeps.  Return: 0, bench_fail() or bench_skip(). */
int switch_shot_ready(struct bench *b, struct switch_shot *s, bool thread);

/* switch_shot_fire() - wake it, wait for its end.  @ticks: from before the
 * wake-up to the first instruction of the other.  Return: 0, bench_fail(). */
int switch_shot_fire(struct bench *b, struct switch_shot *s, uint64_t *ticks);

/* switch_shot_switched() - whether both sides did switch: the other had been
 * asleep, and this one gave the CPU to it. */
bool switch_shot_switched(const struct switch_shot *s);

/* switch_shot_end() - end and reap what switch_shot_ready() has made, if it
 * was not fired. */
void switch_shot_end(struct switch_shot *s);

void switch_shot_close(struct switch_shot *s);

#endif
