/* SPDX-License-Identifier: MIT */
#ifndef PAIR_H
#define PAIR_H

#include <errno.h>

#include "partner.h"

/*
 * Two processes that send each other a message in turn: side 0 measures, side 1
 * answers, where the case's place says.
 *
 *	struct two { struct partner partner; int fd[2]; eventfd_t n; };
 *	PAIR(struct two, t, side, (t->fd[side] = eventfd(0, 0)) >= 0,
 *	     !eventfd_write(t->fd[side], 1), !eventfd_read(t->fd[side], &t->n))
 *
 * makes the PAIR_CALLBACKS of a descriptor whose operation is a round trip. The
 * state (@t) begins with the partner.  Expressions with errno say whether it
 * went right: open what @side waits at, send a message there, take one there.
 * Evidence: answers.
 */
#define PAIR_CALLBACKS                                             \
	.setup = pair_setup, .enter = pair_enter, .run = pair_run, \
	.leave = partner_leave

#define PAIR(type, s, side, open, send, take)                                 \
	static inline bool pair_send(type *s, int side)                       \
	{                                                                     \
		return send;                                                  \
	}                                                                     \
	static inline bool pair_take(type *s, int side)                       \
	{                                                                     \
		return take;                                                  \
	}                                                                     \
	static int pair_setup(struct bench *b, void *state)                   \
	{                                                                     \
		type *const s = state;                                        \
                                                                              \
		for (int side = 0; side < 2; side++)                          \
			if (!(open))                                          \
				return partner_refused(b, errno, #open);      \
		return 0;                                                     \
	}                                                                     \
	static int pair_answer(struct partner *p, void *state)                \
	{                                                                     \
		bool good = true;                                             \
                                                                              \
		while (good && pair_take(state, 1)) {                         \
			p->page->answers++;                                   \
			good = pair_send(state, 0);                           \
		}                                                             \
		return -errno;                                                \
	}                                                                     \
	static int pair_enter(struct bench *b, void *state,                   \
			      const struct bench_case *c)                     \
	{                                                                     \
		return partner_start(b, state, PARTNER_PROCESS,               \
				     bench_partner(b, c->place), pair_answer, \
				     state);                                  \
	}                                                                     \
	static int pair_run(struct bench *b, void *state,                     \
			    const struct bench_case *c, uint64_t iters)       \
	{                                                                     \
		bool good = true;                                             \
                                                                              \
		for (uint64_t i = 0; i < iters && good; i++)                  \
			good = pair_send(state, 1) && pair_take(state, 0);    \
		((struct partner *)state)->asked += iters;                    \
		return good ? 0 : bench_fail(b, errno, "the partner");        \
	}

#endif
