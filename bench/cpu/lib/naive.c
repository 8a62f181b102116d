/* SPDX-License-Identifier: MIT */
#include "naive.h"

#include "arch.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "chain.h"
#include "stats.h"

#define LINE	    64
#define REPETITIONS 10
#define STUDENT	    2.262 /* of ten values: 9 degrees of freedom, 95 % */
#define WARM_UP	    3
#define REPEATED    100 /* calls */

CHAIN_FUNCTION(naive_adds, ARCH_CHAIN_ADD, 32)
CHAIN_FUNCTION(naive_short_adds, ARCH_CHAIN_ADD, 8)
CHAIN_FUNCTION(naive_multiplies, ARCH_CHAIN_MUL, 32)

double naive_unfenced(uint64_t *x, uint64_t y, unsigned int n)
{
	uint64_t ticks = 0, second; /* operand, which a link has no use for */

	for (unsigned int i = 0; i < n; i++) {
		const uint64_t begin = timer_none_begin();

		__asm__ volatile(".rept 32\n\t" ARCH_CHAIN_MUL ".endr"
				 : ARCH_CHAIN_X(*x), "=&r"(second)
				 : ARCH_CHAIN_Y(y)
				 : "cc");
		ticks += timer_none_end() - begin;
	}
	return (double)ticks / n;
}

void naive_removed(uint64_t x, uint64_t y, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		x *= y;
	(void)x; /* for clang's warning; it is no use of it */
}

#define EIGHT(x)  x x x x x x x x
#define FORGET(x) __asm__ volatile("" : "+r"(x))

uint64_t naive_waiting(uint64_t x, uint64_t y, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		EIGHT(x *= y; FORGET(x);)
	}
	return x;
}

uint64_t naive_overlapped(uint64_t x, uint64_t y, uint64_t n)
{
	uint64_t a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x;

	for (uint64_t i = 0; i < n; i++) {
		a *= y, b *= y, c *= y, d *= y;
		e *= y, f *= y, g *= y, h *= y;
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e),
				   "+r"(f), "+r"(g), "+r"(h));
	}
	return a + b + c + d + e + f + g + h;
}

uint64_t naive_calls(pid_t parent, uint64_t n)
{
	uint64_t good = 0;

	for (uint64_t i = 0; i < n; i++)
		good += getppid() == parent;
	return good;
}

/* The sum of both registers is made by the load itself. */
uint64_t naive_walk(const char *memory, unsigned int passes)
{
	uint64_t x = 0, loads = 0;

	for (unsigned int pass = 0; pass < passes; pass++)
		for (size_t at = 0; at < NAIVE_WALK_BYTES; at += LINE) {
			__asm__ volatile(ARCH_LOAD_AT("%0", "%1", "%0")
					 : "+r"(x)
					 : "r"(memory + at)
					 : "memory");
			loads++;
		}
	return loads + x;
}

/* A step i -> a i + c modulo a power of two is one cycle where c is odd and a
 * is 4 k + 1 (Hull and Dobell), so the order needs no table; its lowest bits
 * repeat soon, but they are only a line's place in its page. */
static size_t next_line(size_t i, size_t lines, bool ascending)
{
	return (ascending ? i + 1 : 1664525 * i + 1013904223) % lines;
}

/* Stores past the caches, so that the first walk finds nothing there. */
void naive_link(void *memory, size_t bytes, bool ascending)
{
	const size_t lines = bytes / LINE;
	char *base = memory;

	for (size_t i = 0; i < lines; i++)
		ARCH_STREAM((long long *)(base + i * LINE),
			    (long long)(base +
					LINE * next_line(i, lines, ascending)));
	ARCH_STREAMED();
}

void *naive_chase(void *at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		at = *(void **)at;
		FORGET(at);
	}
	return at;
}

const void *naive_expected(const void *memory, size_t bytes, bool ascending,
			   const void *at, uint64_t n)
{
	const char *base = memory;
	size_t i = (size_t)((const char *)at - base) / LINE;

	while (n--)
		i = next_line(i, bytes / LINE, ascending);
	return base + i * LINE;
}

static int send_byte(int fd, char byte)
{
	return write(fd, &byte, 1) == 1 ? 0 : -EIO;
}

static int receive_byte(int fd, char *byte)
{
	int err = 0;

	while (!err && read(fd, byte, 1) != 1)
		err = errno == EINTR ? partner_check() : -EIO;
	return err;
}

static int echo(struct partner *far, void *arg)
{
	const struct naive_pair *p = arg;
	int err = p->pinned ? 0 : bench_unbind(p->b);
	char byte;

	while (!err) {
		err = receive_byte(p->there[0], &byte);
		if (!err)
			err = send_byte(p->back[1], byte);
	}
	return err;
}

static void close_both(int pipe[2])
{
	close(pipe[0]);
	close(pipe[1]);
}

static int open_pipes(struct naive_pair *p)
{
	int err;

	if (pipe2(p->there, O_CLOEXEC))
		return -errno;
	if (pipe2(p->back, O_CLOEXEC)) {
		err = -errno;
		close_both(p->there);
		return err;
	}
	if (pipe2(p->alone, O_CLOEXEC)) {
		err = -errno;
		close_both(p->there);
		close_both(p->back);
		return err;
	}
	p->open = true;
	return 0;
}

int naive_pair_start(struct bench *b, struct naive_pair *p, bool pinned)
{
	int err;

	*p = (struct naive_pair) { .pinned = pinned, .b = b };
	err = open_pipes(p);
	if (err)
		return partner_refused(b, -err, "pipe");
	err = partner_start(b, &p->far, PARTNER_PROCESS, bench_cpu(b), echo, p);
	if (err || pinned)
		return err;
	err = bench_unbind(b);
	return err ? bench_fail(b, -err, "sched_setaffinity") : 0;
}

void naive_pair_stop(struct naive_pair *p)
{
	partner_stop(&p->far);
	if (!p->open)
		return;
	close_both(p->there);
	close_both(p->back);
	close_both(p->alone);
	p->open = false;
	if (!p->pinned)
		(void)bench_pin(bench_cpu(p->b));
}

/* @n messages from @out to @in.  Return: how many came as they were sent, or
 * as of receive_byte(). */
static int pass(int out, int in, int n)
{
	int good = 0;

	for (int i = 0; i < n; i++) {
		char byte = 0;
		int err = send_byte(out, (char)i);

		if (!err)
			err = receive_byte(in, &byte);
		if (err)
			return err;
		good += byte == (char)i;
	}
	return good;
}

int naive_trips(struct naive_pair *p, int n)
{
	return pass(p->there[1], p->back[0], n);
}

int naive_alone(struct naive_pair *p, int n)
{
	return pass(p->alone[1], p->alone[0], 2 * n);
}

static void touch_all(const volatile char *map, size_t bytes, size_t step)
{
	for (size_t at = 0; at < bytes; at += step)
		(void)map[at];
}

double naive_touch(struct bench *b, int fd, size_t bytes, size_t step,
		   double *faults)
{
	char *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	struct rusage before, after;
	uint64_t ticks;

	if (map == MAP_FAILED)
		return -errno;
	getrusage(RUSAGE_SELF, &before);
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       touch_all(map, bytes, step));
	getrusage(RUSAGE_SELF, &after);
	munmap(map, bytes);
	*faults = (double)(after.ru_minflt - before.ru_minflt);
	return naive_ns(b, ticks);
}

/* What one process finds. */
struct replicate {
	const struct timer *timer;
	pid_t parent;
	uint64_t good; /* calls, of all processes */
	double ns[REPETITIONS];
};

static int repeat(struct partner *p, void *arg)
{
	struct replicate *r = arg;

	for (int i = -WARM_UP; i < REPETITIONS; i++) {
		uint64_t ticks, good;

		TIMER_INTERVAL(r->timer->method, ticks,
			       good = naive_calls(r->parent, REPEATED));
		if (i < 0)
			continue;
		r->ns[i] = timer_ns(r->timer, (double)ticks) / REPEATED;
		r->good += good;
	}
	return 0;
}

/* Of the mean of ten, in percent of it. */
static double half_width(const double *x, double *mean)
{
	struct stats st;
	double copy[REPETITIONS];

	memcpy(copy, x, sizeof(copy));
	stats_compute(&st, copy, REPETITIONS);
	*mean = st.mean;
	return 100 * STUDENT * st.stddev / sqrt(REPETITIONS) / st.mean;
}

int naive_replicates(struct bench *b, const struct bench_case *c,
		     double *inside, double *between)
{
	struct replicate *r = partner_share(sizeof(*r));
	double mean[REPETITIONS], width[REPETITIONS];
	int err = 0;

	if (!r)
		return bench_fail(b, ENOMEM, "memory that is shared");
	*r = (struct replicate) { .timer = bench_timer(b), .parent = getpid() };
	for (int i = 0; i < REPETITIONS && !err; i++) {
		struct partner p = { 0 };

		err = partner_start(b, &p, PARTNER_PROCESS, bench_cpu(b),
				    repeat, r);
		if (err)
			break;
		err = partner_finish(&p);
		err = err ? partner_failed(b, err) : 0;
		width[i] = half_width(r->ns, &mean[i]);
	}
	if (!err) {
		bench_proof(b, c, "calls", REPETITIONS * REPETITIONS * REPEATED,
			    (double)r->good);
		*between = half_width(mean, &(double) { 0 });
		*inside = stats_median(width, REPETITIONS);
	}
	partner_unshare(r, sizeof(*r));
	return err;
}
