/* SPDX-License-Identifier: MIT */
/*
 * sync - what does it cost to lock, to add atomically, to wake a waiter?
 *
 * Each lock is taken and released around one addition to a counter, first by
 * one thread alone (partner=none: the cost of correctness when no other thread
 * is in the way), then while a thread on another CPU does the same without
 * pause (partner=other_cpu: the cost when one is).  The counter is not atomic:
 * if a lock did not exclude, additions would be lost and the row fails.  A
 * contended lock is shared out by chance: one side may take it many times in a
 * row, which makes it cheap and unfair; partner_share is the share of the work
 * that the partner got (0.5 is fair).
 *
 * futex_wake is the system call that locks end in: with none waiting, and
 * with one thread asleep on the same or on another CPU.  Only the caller's
 * side is timed, not how late the sleeper runs (that is context_switch).  The
 * sleeper on the same CPU is SCHED_BATCH, which may not preempt its waker.
 *
 * Measures: lock + add + unlock; one `lock xadd`; one futex(FUTEX_WAKE).
 * Includes: the call of the C library's function from near it
 *           (call_distance_bytes); for locks the addition.
 * After:    libMicro mutex and atomic (comparable, uncontended); perf bench
 *           futex wake wakes several threads: compare a single one.
 * Needs:    two CPUs for partner=other_cpu.
 */
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "lib/sync_futex.h"
#include "partner.h"
#include "placement.h"

/* Operations in one iteration of a contended case.  A lock that sleeps changes
 * hands every some 10 us: a batch must see many changes. */
#define CONTENDED_OPS 512

/* The least share of the operations in batches in which the partner did some
 * too: the remaining batches cost as without contention, and the median cannot
 * leave out more.  Short batches, as in a quick run, may miss the partner. */
#define CONTENDED_SHARE 0.75

/* How long the sleeper gets to fall asleep, and its CPU to go idle. */
#define SETTLE_US 50

/* A call of libc that takes or gives a lock; 0 is good. */
typedef int lock_fn(void *lock);

/* @n times, at least once: take @lock, add 1 to @counter, give it back.
 * Return: how many calls failed. */
typedef uint64_t loop_fn(uint64_t n, lock_fn *take, lock_fn *give, void *lock,
			 uint64_t *counter);

__asm__(".pushsection .text\n"
	".p2align 6\n"
	"sync_loop_code:\n\t" ARCH_CODE_LOCK "sync_loop_end:\n"
	".popsection\n");

extern const char sync_loop_code[], sync_loop_end[];

struct state {
	struct partner partner;
	/* Asleep from beginning to end: a lock is cheaper where the process has
	 * one thread only. */
	struct partner company;
	const struct op *op; /* for the partner */
	bool same_cpu;
	uint64_t mine; /* operations by this thread since the visit began */
	uint64_t errors;
	uint64_t start;		    /* the counter when the visit began */
	uint64_t theirs_before;	    /* when the batch began */
	uint64_t theirs_in_batches; /* of this visit */
	const char *loops;	    /* a copy of the loop for each operation, */
	size_t stride;		    /* so many bytes apart */

	_Alignas(64) pthread_mutex_t mutex;
	_Alignas(64) pthread_spinlock_t spin;
	_Alignas(64) pthread_rwlock_t rwlock;
	_Alignas(64) sem_t sem;
	_Alignas(64) uint64_t counter; /* what the locks protect */
	_Alignas(64) _Atomic uint64_t atomic;
	_Alignas(64) _Atomic uint32_t word;   /* of futex_wake */
	_Alignas(64) _Atomic uint64_t theirs; /* operations by the partner */
	_Alignas(64) char end[64];
};

/* An operation, @n times; returns how many calls failed. */
typedef uint64_t op_fn(const struct op *op, struct state *s, uint64_t n);

struct op {
	const char *name;
	op_fn *run;
	size_t counter; /* in the state, of which no addition may be lost */
	/* For op_lock: its calls, and the offset of the lock in the state. */
	lock_fn *take, *give;
	size_t lock;
};

static loop_fn *loop_of(const struct op *op, const struct state *s);

static uint64_t *counter_of(const struct op *op, struct state *s)
{
	return (uint64_t *)(void *)((char *)s + op->counter);
}

/* Readers may be several: each has a counter of his own. */
static uint64_t op_lock(const struct op *op, struct state *s, uint64_t n)
{
	uint64_t own = 0;

	return loop_of(op, s)(n, op->take, op->give, (char *)s + op->lock,
			      op->counter ? counter_of(op, s) : &own);
}

static uint64_t op_add(const struct op *op, struct state *s, uint64_t n)
{
	arch_atomic_adds(&s->atomic, n);
	return 0;
}

static uint64_t op_wake(const struct op *op, struct state *s, uint64_t n)
{
	uint64_t errors = 0;

	for (uint64_t i = 0; i < n; i++)
		errors += futex_wake(&s->word, 1, true) != 0;
	return errors;
}

#define COUNTER offsetof(struct state, counter)
#define LOCK(name, counter, lock, take, give)                             \
	{                                                                 \
		name, op_lock, counter, (lock_fn *)take, (lock_fn *)give, \
			offsetof(struct state, lock)                      \
	}

static const struct op ops[] = {
	LOCK("mutex", COUNTER, mutex, pthread_mutex_lock, pthread_mutex_unlock),
	LOCK("spinlock", COUNTER, spin, pthread_spin_lock, pthread_spin_unlock),
	LOCK("rwlock_read", 0, rwlock, pthread_rwlock_rdlock,
	     pthread_rwlock_unlock),
	LOCK("rwlock_write", COUNTER, rwlock, pthread_rwlock_wrlock,
	     pthread_rwlock_unlock),
	LOCK("semaphore", COUNTER, sem, sem_wait, sem_post),
	{ .name = "atomic_add",
	  .run = op_add,
	  .counter = offsetof(struct state, atomic) },
	{ .name = "futex_wake", .run = op_wake },
};

#define OPS (sizeof(ops) / sizeof(ops[0]))

static loop_fn *loop_of(const struct op *op, const struct state *s)
{
	const char *at = s->loops + (size_t)(op - ops) * s->stride;
	loop_fn *loop;

	/* C has no cast from data to code; the bits are the same. */
	memcpy(&loop, &at, sizeof(at));
	return loop;
}

/*
 * Copies of the loop, as near to libc as a static program's is: beyond its
 * heap.  A program is many TiB away from its shared libraries, and a processor
 * may take longer to follow a call so far: Zen 4 takes 4 cycles more for two
 * calls and their returns from 128 GiB on.  That is not the lock's.  One for
 * each operation: where a call has had several targets, a processor predicts
 * the next one with more effort.  Where no memory can be executed there is one,
 * in this program.
 */
static void open_loops(struct state *s)
{
	const uintptr_t page = bench_page_bytes();
	const size_t bytes = (size_t)(sync_loop_end - sync_loop_code);
	const size_t stride = (bytes / 64 + 1) * 64, size = OPS * stride;
	char *near, *p;

	memcpy(&near, &ops[0].take, sizeof(near)); /* as above */
	near += (1ul << 30) - (uintptr_t)near % page;
	p = mmap(near, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->loops = sync_loop_code;
	if (p == MAP_FAILED)
		return;
	for (size_t i = 0; i < OPS; i++)
		memcpy(p + i * stride, sync_loop_code, bytes);
	__builtin___clear_cache(p, p + size);
	if (mprotect(p, size, PROT_READ | PROT_EXEC))
		return;
	s->loops = p;
	s->stride = stride;
}

/* Locks are contended by two CPUs. */
static const char points[] =
	"op={mutex,spinlock,rwlock_read,rwlock_write,semaphore,atomic_add,"
	"futex_wake} partner={none,same_cpu,other_cpu};"
	"not partner=same_cpu op!=futex_wake;"
	"is threads if partner=none;"
	"is switches if partner!=none;"
	"is ops=" BENCH_TEXT(CONTENDED_OPS) " if partner!=none op!=futex_wake";

/* The partner of a contended case: the same, in short runs so that it sees
 * soon that it is to stop. */
static int contend(struct partner *t, void *arg)
{
	struct state *s = arg;
	uint64_t n = 0;

	while (!partner_stopping(t)) {
		s->op->run(s->op, s, 16);
		n += 16;
		atomic_store_explicit(&s->theirs, n, memory_order_relaxed);
	}
	return 0;
}

/* The sleeper of futex_wake: the word counts the wake-ups that were meant. */
static int doze(struct partner *t, void *arg)
{
	struct state *s = arg;
	uint32_t seen = atomic_load(&s->word);
	const int err = s->same_cpu ? partner_defer() : 0;

	while (!err && !partner_stopping(t)) {
		if (!futex_wait(&s->word, seen, true))
			atomic_fetch_add(&s->theirs, 1);
		seen = atomic_load(&s->word);
	}
	return err;
}

static int run(struct bench *b, void *state, const struct bench_case *c,
	       uint64_t iters)
{
	struct state *s = state;
	const struct op *op = c->arg;
	const uint64_t n = iters * c->ops;
	struct state *first = bench_first(b);

	s->errors += op->run(op, first ? first : s, n);
	s->mine += n;
	return 0;
}

/* One wake-up of a thread that really slept; others are not recorded. */
static int sample_wake(struct bench *b, void *state, const struct bench_case *c)
{
	const enum timer_method method = bench_timer(b)->method;
	struct state *s = state;
	const struct partner_page *page = s->partner.page;
	uint64_t ticks;
	int woken = 0;

	while (!atomic_load(&page->done)) {
		usleep(SETTLE_US);
		atomic_fetch_add(&s->word, 1);
		TIMER_INTERVAL(method, ticks,
			       woken = futex_wake(&s->word, 1, true));
		if (woken < 0)
			return bench_fail(b, -woken, "futex wake");
		if (woken) {
			bench_record(b, c, ticks);
			s->mine++;
			return 0;
		}
	}
	return bench_skip(b, "sched_setscheduler(SCHED_BATCH): %s",
			  strerror(-page->result));
}

/* Before a contended batch: see that the partner runs.  Its CPU may be taken
 * by others, and a batch without it would be the price of no contention. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (!s->partner.page || c->sample)
		return 0;
	partner_goes_on(&s->theirs);
	s->theirs_before = atomic_load(&s->theirs);
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;
	const uint64_t mine = iters * c->ops;
	uint64_t theirs;

	if (!s->partner.page || c->sample)
		return;
	theirs = atomic_load(&s->theirs) - s->theirs_before;
	s->theirs_in_batches += theirs;
	bench_purity(b, c, "contended_operations", CONTENDED_SHARE,
		     (double)mine, theirs ? (double)mine : 0);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const int cpu = bench_partner(b, c->place);

	s->op = c->arg;
	s->same_cpu = c->place == BENCH_SAME_CPU;
	s->mine = s->errors = 0;
	s->theirs_in_batches = 0;
	atomic_store(&s->theirs, 0);
	s->start = *counter_of(s->op, s);
	if (s->op->run == op_add)
		bench_fact_text(b, c, "instruction", ARCH_ATOMIC_ADD());
	if (s->op->take) /* from the loop to the call */
		bench_fact(b, c, "call_distance_bytes",
			   fabs((double)(intptr_t)s->op->take -
				(double)(intptr_t)loop_of(s->op, s)));
	if (case_is(c, "partner", "none"))
		return 0;
	return partner_start(b, &s->partner, PARTNER_THREAD, cpu,
			     c->sample ? doze : contend, s);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state, *first = bench_first(b);
	const uint64_t calls = s->mine, all = calls + s->theirs_in_batches;
	uint64_t done;

	partner_leave(b, &s->partner, c);
	if (c->sample) {
		/* A futex may end a wait without a wake-up. */
		bench_least(b, c, "woken", (double)calls,
			    (double)atomic_load(&s->theirs));
		return;
	}
	if (c->place != BENCH_SAME_CPU && all)
		bench_fact(b, c, "partner_share",
			   (double)s->theirs_in_batches / (double)all);
	bench_proof(b, c, "calls_right", (double)calls,
		    (double)calls - (double)s->errors);
	if (!s->op->counter)
		return;
	if (first) {
		atomic_fetch_add(&first->theirs, calls);
		return;
	}
	done = calls + atomic_load(&s->theirs);
	bench_proof(b, c, "additions", (double)done,
		    (double)(*counter_of(s->op, s) - s->start));
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct op *op = CASE_OF(c, "op", ops);

	c->arg = op;
	if (case_is(c, "partner", "other_cpu"))
		c->place = BENCH_ANY_OTHER;
	if (op->run == op_wake && !case_is(c, "partner", "none"))
		c->sample = sample_wake;
	return true;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	if (pthread_mutex_init(&s->mutex, NULL) ||
	    pthread_spin_init(&s->spin, PTHREAD_PROCESS_PRIVATE) ||
	    pthread_rwlock_init(&s->rwlock, NULL) || sem_init(&s->sem, 0, 1))
		return bench_fail(b, 0, "make a lock");
	open_loops(s);
	return partner_start(b, &s->company, PARTNER_THREAD, bench_cpu(b),
			     partner_sleep, NULL);
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	partner_stop(&s->company);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.run = run,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
