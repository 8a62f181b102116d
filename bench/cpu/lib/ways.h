/* SPDX-License-Identifier: MIT */
#ifndef WAYS_H
#define WAYS_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "bench.h"
#include "call.h"

/* The ways of the benchmark `ways`: one row of a table each. */

#define WAYS_MOST  64		     /* of a batch */
#define WAYS_BYTES ((size_t)8 << 20) /* of memory for all ways: 128 pages */
#define WAYS_BLOCK 4096

struct ways {
	uint64_t right;
	size_t n; /* the point: how many, or bytes */
	size_t page;
	int fd[WAYS_MOST], fds;
	char *memory; /* WAYS_BYTES, touched */
	pid_t parent;
	uint64_t submits, woken; /* of a ring with a thread */
	struct pollfd poll[WAYS_MOST];
	void *call;	   /* of the vDSO, or what is read */
	unsigned int here; /* the measuring CPU */
	char *state;	   /* of the vDSO's generator */
	size_t state_bytes, in_pipe;
	struct io_uring *ring;
	char name[64];
	/* Prepare each event; or NULL. */
	int (*ready)(struct bench *b, struct ways *s);
	char *hole, *at; /* new memory, and where it begins in a hole */
	int advice;
	size_t faults; /* before */
};

struct way {
	struct call call;
	/* Once in a visit; or NULL. */
	int (*open)(struct bench *b, struct ways *s);
};

/* One after the other; they end with an empty row. */
extern const struct way ways_rings[], ways_calls[], ways_net[];

/* A row W(kind, name, open, call[, holds]) of a table of ways is one of call.h,
 * of which WAYS_ROWS() make struct way. */
#define CALL_LOCALS	     struct ways *const s CALL_LOCAL = state;
#define WAYS_FUNCTIONS(ROWS) ROWS(WAYS_FUNCTION_)
#define WAYS_FUNCTION_(kind, name, open, ...) \
	CALL_FUNCTIONS_(kind, name, __VA_ARGS__)
#define WAYS_ROWS(ROWS)              \
	{                            \
		ROWS(WAYS_ROW_)      \
		{                    \
			.open = NULL \
		}                    \
	}
#define WAYS_ROW_(kind, name, open, ...) { CALL_ROW_(kind, name) open },

/* ways_keep() - @fd is closed when the visit ends.  Return: @fd. */
static inline int ways_keep(struct ways *s, int fd)
{
	if (fd >= 0)
		s->fd[s->fds++] = fd;
	return fd;
}

/* ways_unmap() - what was ready to be touched. */
static inline void ways_unmap(struct ways *s)
{
	if (s->hole && s->hole != MAP_FAILED)
		munmap(s->hole, 2 * s->n);
	s->hole = NULL;
}

/* ways_ring_close() - none is fine. */
void ways_ring_close(struct ways *s);

#endif
