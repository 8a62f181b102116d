/* SPDX-License-Identifier: MIT */
/*
 * ways - is the kernel's new way of doing something cheaper than the old one?
 *
 * Each do= is one thing that a program wants done, and each by= a way to have
 * it done; n= is how many at once, bytes= how much.  The table "New way
 * against old way" of the report has the pairs, and from which n or size on
 * the new way is the faster one.
 *
 * nop, read_same (the same 4 KiB of a cached file each time) and ready (whether
 * an eventfd can be read): n system calls, n requests of io_uring handed over
 * by one call, or n requests that a thread of the kernel takes on another CPU
 * (by=sqpoll), for which this program spins.  nop by=call is getppid. random:
 * getrandom() as a call, or from the vDSO, where this kernel has it. cpu: the
 * number of this CPU by getcpu() as a call, from the vDSO, or read from the
 * memory that the kernel keeps for it (rseq). memory: shared memory made,
 * mapped, touched and closed, by name or memfd. any_of: whether one of n things
 * has happened, the last one: eventfds by poll(), or words by futex_waitv().
 * child_sharing_memory: a child that ends at once and copies nothing of this
 * program, as posix_spawn()'s do; awaited by waitpid(), or as a pidfd by poll()
 * and then reaped.
 * advise: MADV_COLD for n ranges of a page, by n calls or one.
 * touch: new memory, all of it touched, in small pages or as one large folio
 * (mTHP) of that size.
 * to_socket: from a file in memory to a TCP connection over loopback.
 * send: from memory to it; MSG_ZEROCOPY is skipped where the kernel says that
 * it copied all the same, as it does for a receiver on the same machine.
 * datagrams: n of 1 KiB over loopback, received by recvmmsg.
 *
 * Measures: ns for one of n; for one transfer, mapping, child.
 * Includes: for to_socket, send and datagrams the receiving, which is the same
 *           for all ways (of TCP it does not copy: MSG_TRUNC).
 * After:    lmbench has none.
 * Needs:    liburing when it is built; a second CPU for by=sqpoll.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "lib/ways.h"

static const int64_t batches[] = { 1, 8, 64, 0 };
static const int64_t sizes[] = { 4 << 10, 64 << 10, 1 << 20, 0 };
static const int64_t folios[] = { 16 << 10,  32 << 10,	64 << 10,
				  128 << 10, 256 << 10, 512 << 10,
				  1 << 20,   2 << 20,	0 };
static const int64_t randoms[] = { 16, 256, 4096, 0 };

static void add(struct bench *b, const struct way *w, int64_t n)
{
	struct bench_case c = {
		.params = { P_STR("do", w->what), P_STR("by", w->by) },
		.arg = w,
		.index = (int)n,
		.run = w->run,
		.sample = w->sample,
		.switches = w->switches,
	};

	if (w->points == WAY_BATCHES) {
		c.params[2] = (struct bench_param)P_INT("n", n);
		c.ops = (unsigned int)n;
	} else if (w->points != WAY_ONE) {
		c.params[2] = (struct bench_param)P_SIZE("bytes", n);
	}
	bench_add(b, &c);
}

static int cases(struct bench *b, void *state)
{
	static const int64_t one[] = { 1, 0 };
	const int64_t *const points[] = {
		[WAY_ONE] = one,	 [WAY_BATCHES] = batches,
		[WAY_SIZES] = sizes,	 [WAY_FOLIOS] = folios,
		[WAY_RANDOMS] = randoms,
	};

	static const struct way *const tables[] = { ways_rings, ways_calls,
						    ways_memory, ways_net };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct way *w = tables[i]; w->what; w++)
			for (const int64_t *n = points[w->points]; *n; n++)
				add(b, w, *n);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct ways *s = state;
	void *m = mmap(NULL, WAYS_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return bench_fail(b, errno, "map memory");
	memset(m, 'x', WAYS_BYTES);
	s->memory = m;
	return 0;
}

static void close_all(struct ways *s)
{
	ways_ring_close(s);
	while (s->fds)
		close(s->fd[--s->fds]);
	if (s->state)
		munmap(s->state, WAYS_BLOCK);
	s->state = NULL;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct way *w = c->arg;
	struct ways *s = state;

	s->n = (size_t)c->index;
	s->done = s->submits = s->woken = 0;
	return w->open(b, s);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct ways *s = state;

	bench_proof(b, c, "operations_done", (double)(iters * s->wanted),
		    (double)s->done);
	if (s->submits)
		bench_purity(b, c, "handed_over_without_call", BENCH_MOSTLY,
			     (double)s->submits,
			     (double)(s->submits - s->woken));
	s->done = s->submits = s->woken = 0;
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	close_all(state);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct ways *s = state;

	close_all(s);
	if (s->memory)
		munmap(s->memory, WAYS_BYTES);
}

const struct bench_desc bench_desc = {
	.name = "ways",
	.state_size = sizeof(struct ways),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
