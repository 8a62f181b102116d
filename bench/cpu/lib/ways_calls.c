/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif

#include "vdso.h"
#include "ways.h"

static int open_one(struct bench *b, struct ways *s)
{
	s->wanted = 1;
	return 0;
}

/* Random bytes. */

static int run_random(struct bench *b, void *state, const struct bench_case *c,
		      uint64_t iters)
{
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++) {
		size_t have = 0;
		long n = 1;

		/* More than 256 may come in parts. */
		for (; have < s->n && n > 0; have += n > 0 ? (size_t)n : 0)
			n = syscall(SYS_getrandom, s->memory + have,
				    s->n - have, 0);
		s->done += have == s->n;
	}
	return 0;
}

typedef ssize_t getrandom_fn(void *buffer, size_t len, unsigned int flags,
			     void *state, size_t state_bytes);

/* include/uapi/linux/random.h since Linux 6.11. */
struct random_params {
	uint32_t state_bytes, protection, flags, reserved[13];
};

static bool random_vdso(struct ways *s)
{
	return ((getrandom_fn *)s->call)(s->memory, s->n, 0, s->state,
					 s->state_bytes) == (ssize_t)s->n;
}

/* Whether it goes without the kernel, once it has a seed: in a child that is
 * killed by any call but the one that ends it. */
static bool random_stays_out(struct ways *s)
{
	int status = -1;
	const pid_t pid = fork();

	if (!pid) {
		random_vdso(s);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		syscall(SYS_exit, !random_vdso(s));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return !status;
}

static int open_random_vdso(struct bench *b, struct ways *s)
{
	struct random_params p = { 0 };
	void *state;

	s->wanted = 1;
	s->call = vdso_find("__vdso_getrandom");
	if (!s->call ||
	    ((getrandom_fn *)s->call)(NULL, 0, 0, &p, ~(size_t)0) != 0)
		return bench_skip(b, "the vDSO has no getrandom (Linux 6.11)");
	s->state_bytes = p.state_bytes;
	state = mmap(NULL, WAYS_BLOCK, (int)p.protection, (int)p.flags, -1, 0);
	if (state == MAP_FAILED)
		return bench_fail(b, errno, "map the vDSO's state");
	s->state = state;
	return random_stays_out(s) ? 0
				   : bench_skip(b, "the vDSO's getrandom makes "
						   "a system call");
}

static int run_random_vdso(struct bench *b, void *state,
			   const struct bench_case *c, uint64_t iters)
{
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->done += random_vdso(s);
	return 0;
}

/* Which CPU. */

typedef long getcpu_fn(unsigned int *cpu, unsigned int *node, void *unused);

static int open_cpu_vdso(struct bench *b, struct ways *s)
{
	s->wanted = 1;
	s->call = vdso_find("__vdso_getcpu");
	return s->call ? 0 : bench_skip(b, "the vDSO has no getcpu");
}

#ifdef HAVE_RSEQ
static const volatile uint32_t *rseq_cpu(void)
{
	const struct rseq *r =
		(const struct rseq *)((const char *)__builtin_thread_pointer() +
				      __rseq_offset);

	return __rseq_size ? &r->cpu_id : NULL;
}
#else
static const volatile uint32_t *rseq_cpu(void)
{
	return NULL;
}
#endif

static int open_rseq(struct bench *b, struct ways *s)
{
	s->wanted = 1;
	return rseq_cpu() ? 0 : bench_skip(b, "libc has registered no rseq");
}

#define RUN_CPU(name, setup, read)                                        \
	static int run_##name(struct bench *b, void *state,               \
			      const struct bench_case *c, uint64_t iters) \
	{                                                                 \
		const unsigned int here = (unsigned int)bench_cpu(b);     \
		struct ways *s = state;                                   \
		setup;                                                    \
                                                                          \
		for (uint64_t i = 0; i < iters; i++) {                    \
			unsigned int cpu = ~0u;                           \
                                                                          \
			read;                                             \
			s->done += cpu == here;                           \
		}                                                         \
		return 0;                                                 \
	}

RUN_CPU(cpu, , syscall(SYS_getcpu, &cpu, NULL, NULL))
RUN_CPU(cpu_vdso, getcpu_fn *call = (getcpu_fn *)s->call,
	call(&cpu, NULL, NULL))
RUN_CPU(rseq, const volatile uint32_t *at = rseq_cpu(), cpu = *at)

/* Any of many. */

static int open_events(struct bench *b, struct ways *s)
{
	s->wanted = s->n;
	for (size_t i = 0; i < s->n; i++) {
		const int fd =
			ways_keep(s, eventfd(i == s->n - 1, EFD_CLOEXEC));

		if (fd < 0)
			return bench_fail(b, errno, "eventfd");
		s->poll[i] = (struct pollfd) { fd, POLLIN, 0 };
	}
	return 0;
}

static int run_poll(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->done +=
			poll(s->poll, s->n, 0) == 1 && s->poll[s->n - 1].revents
				? s->n
				: 0;
	return 0;
}

/* As struct futex_waitv of Linux 5.16. */
struct waiter {
	uint64_t value, address;
	uint32_t flags, reserved;
};

#define WORD_32_PRIVATE 0x82
#define NUMBER_WAITV	449

static int open_words(struct bench *b, struct ways *s)
{
	struct waiter *w = (struct waiter *)(s->memory + WAYS_BLOCK);
	uint32_t *words = (uint32_t *)s->memory;

	s->wanted = s->n;
	for (size_t i = 0; i < s->n; i++) {
		words[i] = i == s->n - 1; /* the last one has changed */
		w[i] = (struct waiter) { 0, (uint64_t)(uintptr_t)&words[i],
					 WORD_32_PRIVATE, 0 };
	}
	if (syscall(NUMBER_WAITV, w, s->n, 0, NULL, 0) == -1 && errno != EAGAIN)
		return bench_skip(b, "futex_waitv: %s", strerror(errno));
	return 0;
}

static int run_waitv(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct ways *s = state;

	for (uint64_t i = 0; i < iters; i++)
		s->done += syscall(NUMBER_WAITV, s->memory + WAYS_BLOCK, s->n,
				   0, NULL, 0) == -1 &&
					   errno == EAGAIN
				   ? s->n
				   : 0;
	return 0;
}

/* The end of a child. */

#define WAIT_PIDFD ((idtype_t)3) /* P_PIDFD, which not all libraries have */
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif

static int end_at_once(void *arg)
{
	return 0;
}

/* It shares our memory: a copy would cost what this program's size costs. */
static bool await_child(struct ways *s, bool by_pidfd)
{
	int fd = -1, status = -1;
	siginfo_t info = { 0 };
	pid_t pid;
	bool good;

	pid = clone(end_at_once, s->memory + WAYS_BYTES,
		    CLONE_VM | SIGCHLD | (by_pidfd ? CLONE_PIDFD : 0), NULL,
		    &fd);
	if (pid > 0 && fd >= 0) {
		struct pollfd p = { fd, POLLIN, 0 };

		good = poll(&p, 1, -1) == 1 &&
		       !waitid(WAIT_PIDFD, (id_t)fd, &info, WEXITED) &&
		       info.si_pid == pid;
		close(fd);
		return good && info.si_status == 0;
	}
	good = pid > 0 && waitpid(pid, &status, 0) == pid && !status;
	if (good && by_pidfd) /* a kernel that does not know the flag */
		errno = ENOSYS;
	return good && !by_pidfd;
}

WAYS_SAMPLE(waitpid, await_child(s, false))
WAYS_SAMPLE(pidfd, await_child(s, true))

/* Not all kernels and sandboxes have it. */
static int open_child(struct bench *b, struct ways *s, bool by_pidfd,
		      const char *name)
{
	s->wanted = 1;
	errno = 0;
	return await_child(s, by_pidfd) ? 0
					: bench_skip(b, "clone and %s: %s",
						     name, strerror(errno));
}

static int open_waitpid(struct bench *b, struct ways *s)
{
	return open_child(b, s, false, "waitpid");
}

static int open_pidfd(struct bench *b, struct ways *s)
{
	return open_child(b, s, true, "pidfd");
}

const struct way ways_calls[] = {
	{ "random", "call", WAY_RANDOMS, open_one, run_random, NULL, false, 0 },
	{ "random", "vdso", WAY_RANDOMS, open_random_vdso, run_random_vdso,
	  NULL, false, 0 },
	{ "cpu", "call", WAY_ONE, open_one, run_cpu, NULL, false, 0 },
	{ "cpu", "vdso", WAY_ONE, open_cpu_vdso, run_cpu_vdso, NULL, false, 0 },
	{ "cpu", "rseq", WAY_ONE, open_rseq, run_rseq, NULL, false, 0 },
	{ "any_of", "poll", WAY_BATCHES, open_events, run_poll, NULL, false,
	  0 },
	{ "any_of", "futex_waitv", WAY_BATCHES, open_words, run_waitv, NULL,
	  false, 0 },
	{ "child_sharing_memory", "waitpid", WAY_ONE, open_waitpid, NULL,
	  sample_waitpid, true, 0 },
	{ "child_sharing_memory", "pidfd", WAY_ONE, open_pidfd, NULL,
	  sample_pidfd, true, 0 },
	{ 0 },
};
