/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif

#include "kernel_entry.h"
#include "sysfile.h"
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

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef MADV_COLD
#define MADV_COLD 20
#endif

/* Shared memory. */

static int open_shm(struct bench *b, struct ways *s)
{
	snprintf(s->name, sizeof(s->name), "/oscost-ways-%016llx",
		 (unsigned long long)bench_random(b));
	bench_guard(b, "shmem", s->name);
	return 0;
}

static bool use_memory(int fd, size_t n, size_t page)
{
	char *m = MAP_FAILED;
	bool good = false;

	if (fd >= 0 && !ftruncate(fd, (off_t)n))
		m = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m != MAP_FAILED) {
		for (size_t at = 0; at < n; at += page)
			m[at] = 1;
		good = m[(n - 1) / page * page] == 1;
		munmap(m, n);
	}
	if (fd >= 0)
		close(fd);
	return good;
}

static bool use_shm(struct ways *s)
{
	const int fd = shm_open(s->name, O_RDWR | O_CREAT | O_EXCL, 0600);

	shm_unlink(s->name);
	return use_memory(fd, s->n, s->page);
}

static bool use_memfd(struct ways *s)
{
	return use_memory(memfd_create("oscost-ways", MFD_CLOEXEC), s->n,
			  s->page);
}

/* Advice for ranges: each second page. */

static size_t advise_each(const struct ways *s)
{
	size_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		right += !madvise(s->memory + 2 * k * s->page, s->page,
				  MADV_COLD);
	return right;
}

static long advise_all(const struct ways *s)
{
	struct iovec v[WAYS_MOST];

	for (size_t k = 0; k < s->n; k++)
		v[k] = (struct iovec) { s->memory + 2 * k * s->page, s->page };
	return syscall(SYS_process_madvise, s->fd[0], v, s->n, MADV_COLD, 0);
}

static int open_self(struct bench *b, struct ways *s)
{
	return ways_keep(s, (int)syscall(SYS_pidfd_open, getpid(), 0)) < 0
		       ? bench_skip(b, "pidfd_open: %s", strerror(errno))
		       : 0;
}

/* New memory, a region of n bytes at an address that is a multiple of n. */

static bool touch(volatile char *at, size_t bytes, size_t page)
{
	for (size_t i = 0; i < bytes; i += page)
		at[i] = 1;
	return true;
}

/* In a hole twice its size a region of @n is aligned. */
static int ready_touch(struct bench *b, struct ways *s)
{
	ways_unmap(s);
	s->hole = mmap(NULL, 2 * s->n, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	s->at = s->hole + s->n - ((uintptr_t)s->hole & (s->n - 1));
	/* Without access first: locked memory would be filled at once.  A
	 * kernel that has no huge pages refuses the order to take none. */
	if (s->hole == MAP_FAILED ||
	    (madvise(s->at, s->n, s->advice) && s->advice == MADV_HUGEPAGE) ||
	    mprotect(s->at, s->n, PROT_READ | PROT_WRITE))
		return bench_fail(b, errno, "map %zu bytes", s->n);
	s->faults = (size_t)bench_usage(RUSAGE_SELF).ru_minflt;
	return 0;
}

static bool faulted(const struct ways *s)
{
	const size_t taken = (size_t)bench_usage(RUSAGE_SELF).ru_minflt -
			     s->faults,
		     pages = s->n / s->page;

	/* A fault elsewhere may be among them. */
	return s->advice == MADV_HUGEPAGE ? 2 * taken <= pages : taken >= pages;
}

static int open_pages(struct bench *b, struct ways *s)
{
	const char *why = kernel_lacks(KERNEL_FAULTS);

	s->ready = ready_touch;
	s->advice = MADV_NOHUGEPAGE;
	if (s->n < s->page)
		return bench_skip(b, "smaller than a page of %s",
				  bench_page_name());
	return why ? bench_skip(b, "%s", why) : 0;
}

/* One fault for all of it: a folio of this size, or a larger one. */
static int open_folio(struct bench *b, struct ways *s)
{
	char path[128], text[64];

	s->ready = ready_touch;
	s->advice = MADV_HUGEPAGE;
	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/enabled",
		 s->n >> 10);
	if (sysfile_line(text, sizeof(text), "%s", path) <= 0)
		return bench_skip(b, "no folios of this size (no %s)", path);
	if (strstr(text, "[never]"))
		return bench_skip(b, "%s is never; madvise allows it", path);
	return 0;
}

#define CALLS(W)                                                            \
	W(LOOP, random_call, NULL, random_call(s))                          \
	W(LOOP, random_vdso, open_random_vdso, random_vdso(s))              \
	W(LOOP, cpu_call, NULL, cpu_call() == s->here)                      \
	W(LOOP, cpu_vdso, open_cpu_vdso, cpu_vdso(s) == s->here)            \
	W(LOOP, cpu_rseq, open_rseq,                                        \
	  *(const volatile uint32_t *)s->call == s->here)                   \
	W(LOOP, any_of_poll, open_events, poll_once(s) ? s->n : 0)          \
	W(LOOP, any_of_futex_waitv, open_words, waitv_once(s) ? s->n : 0)   \
	W(EVENT, child_sharing_memory_waitpid, NULL, await_child(s, false)) \
	W(EVENT, child_sharing_memory_pidfd, NULL, await_child(s, true))    \
	W(EVENT, memory_shm_open, open_shm, use_shm(s))                     \
	W(EVENT, memory_memfd, NULL, use_memfd(s))                          \
	W(LOOP, advise_madvise, NULL, advise_each(s))                       \
	W(LOOP, advise_process_madvise, open_self,                          \
	  (size_t)advise_all(s) / s->page)                                  \
	W(EVENT, touch_pages, open_pages, touch(s->at, s->n, s->page),      \
	  faulted(s))                                                       \
	W(EVENT, touch_folio, open_folio, touch(s->at, s->n, s->page),      \
	  faulted(s))
WAYS_FUNCTIONS(CALLS)
const struct way ways_calls[] = WAYS_ROWS(CALLS);
