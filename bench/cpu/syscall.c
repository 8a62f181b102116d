/* SPDX-License-Identifier: MIT */
/*
 * syscall - what does it cost to ask the kernel for something small?
 *
 * Each call does next to nothing in the kernel, so that most of the time is
 * the way in and out: getpid and getppid (a few loads), an invalid number (the
 * way alone), read of one byte from /dev/zero and write of one to /dev/null,
 * getcwd, stat and fstat of a file, open and close of it, clock_gettime. stat
 * and open_close look up one name in an open directory (newfstatat, openat), so
 * that they cost the same wherever the test directory lies; getcwd costs more
 * the deeper the current directory is (the fact path_components).
 *
 * Four ways in: via=libc is the function that a program calls; via=syscall the
 * instruction SYSCALL by itself; via=int80 the 32-bit gate INT 0x80 with the
 * 32-bit call of that name; via=vdso the kernel's code in the process, without
 * entering the kernel.  libc's clock_gettime uses the vDSO, and its fstat uses
 * newfstatat(2), which has more to do than the old call of via=syscall.
 *
 * Measures: ns for one call (open_close: for the pair).
 * Includes: checking each result, about one cycle.
 * After:    CSE 221 report, section 3.4 and table 2 (single shots; getpid and
 *	     getcwd by libc, int and syscall), and lmbench 3 lat_syscall null
 *	     (getppid), read, write, stat, fstat and open: comparable, but that
 *	     lmbench walks a path: each component adds some 30 ns.
 * Needs:    nothing; int80 and vdso are skipped where they are not to be had.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "lib/calls.h"
#include "lib/probe.h"
#include "lib/vdso.h"

static void call_vdso(void *data)
{
	const struct calls_state *s = data;
	struct timespec now;

	(void)s->vdso_gettime(CLOCK_MONOTONIC, &now);
}

static const char *why_no_vdso(struct calls_state *s)
{
	s->vdso_gettime =
		(calls_gettime_fn *)vdso_find(ARCH_VDSO("clock_gettime"));
	if (!s->vdso_gettime)
		return "the vDSO has no clock_gettime";
	return probe_vdso(call_vdso, s);
}

static int cases(struct bench *b, void *state)
{
	struct calls_state *s = state;
	const char *no_int80 = probe_int80();
	const char *no_vdso = why_no_vdso(s);

	s->zero = s->null = s->dir = s->file = -1;
	for (size_t i = 0; i < calls_count; i++) {
		const struct calls_entry *e = &calls_table[i];

		bench_add(b,
			  &(struct bench_case) {
				  .params = { P_STR("call", e->name),
					      P_STR("via", e->via) },
				  .arg = e,
				  .run = e->run,
				  .threads = true,
				  .skip = !strcmp(e->via, "int80")  ? no_int80
					  : !strcmp(e->via, "vdso") ? no_vdso
								    : NULL });
	}
	return 0;
}

/* A file of a size that nobody would guess. */
static int make_file(struct bench *b, struct calls_state *s)
{
	const char *dir = bench_scratch(b);

	if (!dir)
		return -1;
	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		return bench_fail(b, errno, "open %s", dir);
	s->file = openat(s->dir, s->m->name,
			 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->file < 0)
		return bench_fail(b, errno, "make a file in %s", dir);
	if (ftruncate(s->file, (off_t)(1 + bench_random(b) % 4096)) ||
	    fstat(s->file, &s->expected))
		return bench_fail(b, errno, "a file in %s", dir);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct calls_state *s = state;
	void *m = mmap(NULL, sizeof(*s->m), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | ARCH_MAP_LOW, -1, 0);

	if (m == MAP_FAILED)
		return bench_fail(b, errno, "mmap below 4 GiB");
	s->m = m;
	s->pid = getpid();
	s->ppid = getppid();
	if (getcwd(s->cwd, sizeof(s->cwd)))
		s->cwd_bytes = strlen(s->cwd) + 1;
	s->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	s->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	memcpy(s->m->name, "file", sizeof("file"));
	return 0;
}

static double components(const char *path)
{
	double n = 0;

	for (; *path; path++)
		n += path[0] == '/' && path[1] && path[1] != '/';
	return n;
}

/* A kernel too old, or a filter that answers in its stead. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct calls_state *s = state;
	const struct calls_entry *e = c->arg;
	const bool int80 = !strcmp(e->via, "int80");
	long result = -ENOSYS;

	if (e->call == CALL_INVALID) {
		result = int80 ? raw_int80(CALLS_INVALID_NUMBER, 0, 0, 0, 0)
			       : raw_syscall(CALLS_INVALID_NUMBER, 0, 0, 0);
		if (result != -ENOSYS)
			return bench_skip(b,
					  "an invalid number gives %ld, not "
					  "ENOSYS: calls are filtered here",
					  result);
	}
	if (e->call == CALL_GETCWD && !s->cwd_bytes)
		return bench_skip(b, "the current directory has no path: it "
				     "was removed");
	if (e->call == CALL_READ && s->zero < 0)
		return bench_skip(b, "/dev/zero cannot be opened here");
	if ((e->call == CALL_STAT || e->call == CALL_FSTAT ||
	     e->call == CALL_OPEN_CLOSE) &&
	    s->file < 0)
		return make_file(b, s);
	if (e->call == CALL_WRITE && s->null < 0)
		return bench_skip(b, "/dev/null cannot be opened here");
	if (e->call == CALL_CLOCK_GETTIME && int80 &&
	    raw_int80(INT80_CLOCK_GETTIME64, CLOCK_MONOTONIC,
		      (unsigned int)(uintptr_t)&s->m->now, 0, 0) == -ENOSYS)
		return bench_skip(b, "this kernel has no clock_gettime64 "
				     "(Linux 5.1)");
	if (e->call == CALL_GETCWD && !s->cwd_bytes)
		return bench_skip(b, "the current directory has no path, or "
				     "one that is too long");
	if (e->call == CALL_GETCWD)
		bench_fact(b, c, "path_components", components(s->cwd));
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What the last batch left is wiped, or it would be taken for this one's. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct calls_state *s = state;
	struct calls_memory *m = s->m;

	memset(m->buffer, 0x5a, s->cwd_bytes);
	memset(&m->st, 0x5a, sizeof(m->st));
	memset(&m->st64, 0x5a, sizeof(m->st64));
	memset(&m->now, 0, sizeof(m->now));
	s->started_ns = now_ns();
	return 0;
}

static bool right_stat(const struct calls_state *s, const char *via)
{
	const struct calls_memory *m = s->m;

	if (!strcmp(via, "int80"))
		return m->st64.size == s->expected.st_size &&
		       m->st64.ino == s->expected.st_ino;
	return m->st.st_size == s->expected.st_size &&
	       m->st.st_ino == s->expected.st_ino;
}

/* What the last call of the batch should have left in memory. */
static bool right_effect(const struct calls_state *s,
			 const struct calls_entry *e)
{
	const struct calls_memory *m = s->m;
	uint64_t ns;

	switch (e->call) {
	case CALL_GETCWD:
		return !strcmp(m->buffer, s->cwd);
	case CALL_READ:
		return m->buffer[0] == 0;
	case CALL_STAT:
	case CALL_FSTAT:
		return right_stat(s, e->via);
	case CALL_CLOCK_GETTIME:
		ns = (uint64_t)m->now.tv_sec * 1000000000u +
		     (uint64_t)m->now.tv_nsec;
		return s->started_ns <= ns && ns <= now_ns();
	default:
		return true;
	}
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct calls_state *s = state;
	const struct calls_entry *e = c->arg;

	bench_proof(b, c, "calls", (double)s->asked, (double)s->good);
	s->asked = s->good = 0;
	if (e->call == CALL_GETCWD || e->call == CALL_READ ||
	    e->call == CALL_STAT || e->call == CALL_FSTAT ||
	    e->call == CALL_CLOCK_GETTIME)
		bench_proof(b, c, "effects", 1, right_effect(s, e));
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void teardown(struct bench *b, void *state)
{
	struct calls_state *s = state;

	close_fd(s->zero);
	close_fd(s->null);
	close_fd(s->file);
	close_fd(s->dir);
	if (s->m)
		munmap(s->m, sizeof(*s->m));
}

const struct bench_desc bench_desc = {
	.name = "syscall",
	.state_size = sizeof(struct calls_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = conclude,
	.teardown = teardown,
};
