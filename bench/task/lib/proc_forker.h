/* SPDX-License-Identifier: MIT */
#ifndef PROC_FORKER_H
#define PROC_FORKER_H

#include <stdint.h>

#include "partner.h"
#include "proc_spawn.h"

/*
 * A small static program (bench/task/exec/forker.c) that makes processes on
 * request and times it with the same timing core: fork copies its caller, and
 * the measuring program is large.  Its argument is what the exec kinds execute.
 */
struct proc_request {
	int32_t op;	/* enum proc_op; PROC_OPS: only answer */
	int32_t method; /* enum timer_method */
};

/* All zero: none runs. */
struct proc_forker {
	struct partner partner;
	int channel; /* valid while there is a partner */
};

/* proc_forker_start() - @program: of the forker; @executed: what it shall
 * execute.  Return: 0, bench_fail() or bench_skip(). */
int proc_forker_start(struct bench *b, struct proc_forker *f,
		      const char *program, const char *executed);

/* proc_forker_ask() - one event, by @op; PROC_OPS: only an answer.  Return: 0
 * or bench_fail(), also if no answer comes. */
int proc_forker_ask(struct bench *b, const struct proc_forker *f,
		    enum proc_op op, struct proc_result *r);

/* proc_forker_stop() - end and reap it; nothing if none runs. */
void proc_forker_stop(struct proc_forker *f);

#endif
