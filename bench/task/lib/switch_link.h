/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_LINK_H
#define SWITCH_LINK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Two partners that take turns: each sends the other a message and waits for
 * the answer.  The measuring side is the near one.
 */
enum switch_way {
	SWITCH_PIPE,
	SWITCH_EVENTFD,
	SWITCH_UNIX,
	SWITCH_FUTEX,
	SWITCH_CONDVAR,
	SWITCH_YIELD, /* no message: each gives the CPU away */
	SWITCH_WAYS   /* how many there are */
};

/* Which way a message goes. */
enum switch_to { SWITCH_TO_FAR, SWITCH_TO_NEAR };

/* What a message says.  The far side answers the first two. */
enum switch_message { SWITCH_PING = 1, SWITCH_REPORT, SWITCH_STOP };

/* What one side knows of itself. */
struct switch_account {
	int64_t voluntary, involuntary; /* switches */
	int64_t fetched; /* pages from storage, each of which is waited for */
	int cpu;
};

/* A place for one message in memory that both sides see. */
struct switch_box {
	_Alignas(64) uint32_t word; /* 0: empty, else the message */
	pthread_mutex_t lock;
	pthread_cond_t filled;
};

/* All that both sides see. */
struct switch_shared {
	struct switch_box box[2];   /* by enum switch_to */
	_Alignas(64) uint32_t gate; /* SWITCH_YIELD: 1 while it goes on */
	uint32_t parked;	    /* SWITCH_YIELD: the far side waits */
	_Alignas(64) struct switch_account far_side;
};

struct switch_link {
	enum switch_way way;
	bool threads; /* the far side is a thread, not a process */
	int fd[2][2]; /* by enum switch_to: read end, write end; or -1 */
	struct switch_shared *shared;
};

/* switch_way_name() - "pipe", "eventfd", ... */
const char *switch_way_name(enum switch_way way);

/**
 * switch_link_open() - make what the messages go through.
 * @threads: for two threads of one process: private futexes, for instance.
 *
 * Return: 0 or -errno; switch_link_close() accepts either.
 */
int switch_link_open(struct switch_link *l, enum switch_way way, bool threads);

/* switch_link_close() - nothing if it is not open. */
void switch_link_close(struct switch_link *l);

/* switch_link_trip() - @iters round trips, from the near side: send, wait for
 * the answer.  SWITCH_YIELD: open the gate, give the CPU away @iters times,
 * close it.  Return: 0 or -errno. */
int switch_link_trip(const struct switch_link *l, uint64_t iters);

/**
 * switch_link_alone() - the calls of @iters round trips, of both sides, made
 * by the caller alone so that nobody ever waits: write and read; futex wake
 * and a futex wait that finds the value changed.  A condition variable makes
 * no system call when nobody waits.
 */
int switch_link_alone(const struct switch_link *l, uint64_t iters);

/* switch_link_say() - one round trip with @message, from the near side. */
int switch_link_say(const struct switch_link *l, enum switch_message message);

/* switch_link_serve() - the far side: answer until told to stop. */
void switch_link_serve(const struct switch_link *l);

/* switch_account_read() - of the calling thread. */
void switch_account_read(struct switch_account *a);

#endif
