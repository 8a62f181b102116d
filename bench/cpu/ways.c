/* SPDX-License-Identifier: MIT */
/*
 * ways - is the kernel's new way of doing something cheaper than the old one?
 *
 * Each op= is one thing that a program wants done, and each by= a way to have
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
 * datagrams: n of 1 KiB over loopback, received by recvmmsg.
 *
 * Measures: ns for one of n; for one transfer, mapping, child.
 * Includes: for to_socket and datagrams the receiving, which is the same
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

static const char points[] =
	"op={nop,read_same,ready} by={call,io_uring,sqpoll} n={1,8,64};"
	"op=any_of by={poll,futex_waitv} n={1,8,64};"
	"op=advise by={madvise,process_madvise} n={1,8,64};"
	"op=datagrams by={send,sendmmsg,gso} n={1,8,64};"
	"is ops=n;"
	"op=child_sharing_memory by={waitpid,pidfd}; is switches;"
	"op=random by={call,vdso} bytes={16,256,4K};"
	"op=cpu by={call,vdso,rseq};"
	"op=memory by={shm_open,memfd} bytes={4K,64K,1M};"
	"op=touch by={pages,folio} bytes={16K..2M*2};"
	"op=to_socket by={read_send,sendfile,splice} bytes={4K,64K,1M}";

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	static const struct way *const tables[] = { ways_rings, ways_calls,
						    ways_net };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct way *w = tables[i]; w->call.name; w++)
			if (call_is_named(&w->call, c)) {
				call_use(c, &w->call);
				return true;
			}
	return false;
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
	s->page = bench_page_bytes();
	s->parent = getppid();
	s->here = (unsigned int)bench_cpu(b);
	return 0;
}

/* Kernels and sandboxes need not have it. */
static int try_once(struct bench *b, struct ways *s, const struct bench_case *c)
{
	const struct call *call = call_of(c);
	int err = s->ready ? s->ready(b, s) : 0;
	uint64_t ticks;
	bool good;

	errno = 0;
	if (err)
		return err;
	if (call->run)
		call->run(b, s, c, 1);
	good = call->run ? s->right == c->ops
			 : call->time(s, c, bench_timer(b)->method, &ticks);
	s->right = s->submits = s->woken = 0;
	return good ? 0
		    : bench_skip(b, "the first try of %s fails: %s", call->name,
				 strerror(errno));
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct way *w = c->arg; /* begins with its call */
	struct ways *s = state;
	int err;

	s->n = (size_t)(case_has(c, "n")       ? case_int(c, "n")
			: case_has(c, "bytes") ? case_int(c, "bytes")
					       : 1);
	s->ready = NULL;
	err = w->open ? w->open(b, s) : 0;
	return err ? err : try_once(b, s, c);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct ways *s = state;

	return s->ready ? s->ready(b, s) : 0;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct ways *s = state;

	if (s->submits)
		bench_purity(b, c, "handed_over_without_call", BENCH_MOSTLY,
			     (double)s->submits,
			     (double)(s->submits - s->woken));
	s->submits = s->woken = 0;
	return call_conclude(b, state, c, iters);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ways *s = state;

	ways_ring_close(s);
	ways_unmap(s);
	while (s->fds)
		close(s->fd[--s->fds]);
	if (s->state)
		munmap(s->state, WAYS_BLOCK);
	s->state = NULL;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct ways),
	.points = points,
	.point = add_point,
	.setup = setup,
	.enter = enter,
	.sample = call_sample,
	.prepare = prepare,
	.conclude = conclude,
	.leave = leave,
};
