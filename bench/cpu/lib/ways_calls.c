/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif

#include "kernel_entry.h"
#include "ways.h"

/* Random bytes. */

static bool random_call(struct ways *s)
{
	size_t have = 0;
	long n = 1;

	/* More than 256 may come in parts. */
	for (; have < s->n && n > 0; have += n > 0 ? (size_t)n : 0)
		n = syscall(SYS_getrandom, s->memory + have, s->n - have, 0);
	return have == s->n;
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

static void call_random_vdso(void *s)
{
	(void)random_vdso(s);
}

static int open_random_vdso(struct bench *b, struct ways *s)
{
	struct random_params p = { 0 };
	const char *why;
	void *state;

	s->call = vdso_find("__vdso_getrandom");
	if (!s->call ||
	    ((getrandom_fn *)s->call)(NULL, 0, 0, &p, ~(size_t)0) != 0)
		return bench_skip(b, "the vDSO has no getrandom (Linux 6.11)");
	s->state_bytes = p.state_bytes;
	state = mmap(NULL, WAYS_BLOCK, (int)p.protection, (int)p.flags, -1, 0);
	if (state == MAP_FAILED)
		return bench_fail(b, errno, "map the vDSO's state");
	s->state = state;
	why = probe_vdso(call_random_vdso, s);
	return why ? bench_skip(b, "%s", why) : 0;
}

/* Which CPU. */

typedef long getcpu_fn(unsigned int *cpu, unsigned int *node, void *unused);

static int open_cpu_vdso(struct bench *b, struct ways *s)
{
	s->call = vdso_find("__vdso_getcpu");
	return s->call ? 0 : bench_skip(b, "the vDSO has no getcpu");
}

static int open_rseq(struct bench *b, struct ways *s)
{
#ifdef HAVE_RSEQ
	const struct rseq *r =
		(const struct rseq *)((const char *)__builtin_thread_pointer() +
				      __rseq_offset);

	s->call = __rseq_size ? (void *)&r->cpu_id : NULL;
#else
	s->call = NULL;
#endif
	return s->call ? 0 : bench_skip(b, "libc has registered no rseq");
}

TIMER_INLINE unsigned int cpu_call(void)
{
	unsigned int cpu = ~0u;

	syscall(SYS_getcpu, &cpu, NULL, NULL);
	return cpu;
}

TIMER_INLINE unsigned int cpu_vdso(const struct ways *s)
{
	unsigned int cpu = ~0u;

	((getcpu_fn *)s->call)(&cpu, NULL, NULL);
	return cpu;
}

/* Any of many. */

static int open_events(struct bench *b, struct ways *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const int fd =
			ways_keep(s, eventfd(i == s->n - 1, EFD_CLOEXEC));

		if (fd < 0)
			return bench_fail(b, errno, "eventfd");
		s->poll[i] = (struct pollfd) { fd, POLLIN, 0 };
	}
	return 0;
}

TIMER_INLINE bool poll_once(struct ways *s)
{
	return poll(s->poll, s->n, 0) == 1 && s->poll[s->n - 1].revents;
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

	for (size_t i = 0; i < s->n; i++) {
		words[i] = i == s->n - 1; /* the last one has changed */
		w[i] = (struct waiter) { 0, (uint64_t)(uintptr_t)&words[i],
					 WORD_32_PRIVATE, 0 };
	}
	if (syscall(NUMBER_WAITV, w, s->n, 0, NULL, 0) == -1 && errno != EAGAIN)
		return bench_skip(b, "futex_waitv: %s", strerror(errno));
	return 0;
}

TIMER_INLINE bool waitv_once(struct ways *s)
{
	return syscall(NUMBER_WAITV, s->memory + WAYS_BLOCK, s->n, 0, NULL,
		       0) == -1 &&
	       errno == EAGAIN;
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

/* Not all kernels and sandboxes have it. */
static int open_child(struct bench *b, struct ways *s, bool by_pidfd,
		      const char *name)
{
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

#define CALLS(W)                                                               \
	W(LOOP, random_call, NULL, random_call(s), CALL_UNSEEN)                \
	W(LOOP, random_vdso, open_random_vdso, random_vdso(s), CALL_UNSEEN)    \
	W(LOOP, cpu_call, NULL, cpu_call() == s->here, CALL_UNSEEN)            \
	W(LOOP, cpu_vdso, open_cpu_vdso, cpu_vdso(s) == s->here, CALL_UNSEEN)  \
	W(LOOP, cpu_rseq, open_rseq,                                           \
	  *(const volatile uint32_t *)s->call == s->here, CALL_UNSEEN)         \
	W(LOOP, any_of_poll, open_events, poll_once(s) ? s->n : 0,             \
	  CALL_UNSEEN)                                                         \
	W(LOOP, any_of_futex_waitv, open_words, waitv_once(s) ? s->n : 0,      \
	  CALL_UNSEEN)                                                         \
	W(EVENT, child_sharing_memory_waitpid, open_waitpid,                   \
	  await_child(s, false), CALL_UNSEEN)                                  \
	W(EVENT, child_sharing_memory_pidfd, open_pidfd, await_child(s, true), \
	  CALL_UNSEEN)
WAYS_FUNCTIONS(CALLS)
const struct way ways_calls[] = WAYS_ROWS(CALLS);
