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
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ
#endif
#ifdef HAVE_LIBURING
#include <liburing.h>
#endif

#include "bench.h"
#include "call.h"
#include "lib/kernel_entry.h"
#include "sysfile.h"

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

#define MOST  64		/* of a batch */
#define BYTES ((size_t)8 << 20) /* of memory for all ways: 128 pages */
#define BLOCK 4096

struct ways {
	uint64_t right;
	size_t n; /* the point: how many, or bytes */
	size_t page;
	int fd[MOST], fds;
	char *memory; /* BYTES, touched */
	pid_t parent;
	uint64_t submits, woken; /* of a ring with a thread */
	struct pollfd poll[MOST];
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

/* @fd is closed when the visit ends.  Return: @fd. */
static int keep(struct ways *s, int fd)
{
	if (fd >= 0)
		s->fd[s->fds++] = fd;
	return fd;
}

/* New memory, if there is any. */
static void unmap(struct ways *s)
{
	if (s->hole && s->hole != MAP_FAILED)
		munmap(s->hole, 2 * s->n);
	s->hole = NULL;
}

/* Requests by a ring, or by calls. */

/* The descriptors and buffers of nop, read and ready. */
static int open_things(struct bench *b, struct ways *s)
{
	const char *dir = bench_scratch(b);
	char path[PATH_MAX];
	int file, event;

	/* Not of a memfd: io_uring hands reads of that to a worker. */
	snprintf(path, sizeof(path), "%s/file", dir);
	file = keep(s, open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
	event = keep(s, eventfd(1, EFD_CLOEXEC));
	if (file < 0 || event < 0 || write(file, s->memory, BLOCK) != BLOCK)
		return bench_fail(b, errno, "%s and an eventfd", path);
	s->poll[0] = (struct pollfd) { event, POLLIN, 0 };
	return 0;
}

#ifdef HAVE_LIBURING

enum { NOP, READ, READY };

static int open_ring_of(struct bench *b, struct ways *s, unsigned int flags)
{
	struct io_uring_params p = { .flags = flags, .sq_thread_idle = 1000 };
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	int err = open_things(b, s);

	if (err)
		return err;
	if (flags && cpu < 0)
		return bench_skip(b, "no second CPU for the kernel's thread");
	p.sq_thread_cpu = flags ? (unsigned int)cpu : 0;
	s->ring = calloc(1, sizeof(*s->ring));
	if (!s->ring)
		return bench_fail(b, ENOMEM, "a ring");
	err = io_uring_queue_init_params(MOST, s->ring, &p);
	if (!err)
		return 0;
	free(s->ring);
	s->ring = NULL;
	return bench_skip(b, "io_uring: %s", strerror(-err));
}

static int open_ring(struct bench *b, struct ways *s)
{
	return open_ring_of(b, s, 0);
}

static int open_poller(struct bench *b, struct ways *s)
{
	return open_ring_of(b, s, IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF);
}

static void close_ring(struct ways *s)
{
	if (s->ring)
		io_uring_queue_exit(s->ring);
	free(s->ring);
	s->ring = NULL;
}

/* Request @i of a batch; its answer is to name it. */
TIMER_INLINE void request(struct ways *s, int op, uint64_t i)
{
	struct io_uring_sqe *e;

	/* The kernel's thread may answer before it gives the entries back. */
	while (!(e = io_uring_get_sqe(s->ring)))
		;
	if (op == READ)
		io_uring_prep_read(e, s->fd[0], s->memory, BLOCK, 0);
	else if (op == READY)
		io_uring_prep_poll_add(e, s->poll[0].fd, POLLIN);
	else
		io_uring_prep_nop(e);
	e->user_data = i;
}

/* The next answer. Return: whether it is right. */
TIMER_INLINE bool take(struct ways *s, int op)
{
	static const int right[] = {
		[NOP] = 0, [READ] = BLOCK, [READY] = POLLIN
	};
	struct io_uring_cqe *e;
	bool good;

	if (io_uring_peek_cqe(s->ring, &e) && io_uring_wait_cqe(s->ring, &e))
		return false;
	good = e->res == right[op] && e->user_data < s->n;
	io_uring_cqe_seen(s->ring, e);
	return good;
}

/* Return: how many answers of a batch were right. */
TIMER_INLINE uint64_t by_ring(struct ways *s, int op)
{
	uint64_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		request(s, op, k);
	io_uring_submit_and_wait(s->ring, (unsigned int)s->n);
	for (size_t k = 0; k < s->n; k++)
		right += take(s, op);
	return right;
}

/* No call: the kernel's thread sees what is new, unless it has gone to sleep,
 * and this program sees when it is done. */
TIMER_INLINE uint64_t by_poller(struct ways *s, int op)
{
	uint64_t right = 0;

	for (size_t k = 0; k < s->n; k++)
		request(s, op, k);
	s->submits++;
	s->woken += !!(IO_URING_READ_ONCE(*s->ring->sq.kflags) &
		       IORING_SQ_NEED_WAKEUP);
	io_uring_submit(s->ring);
	while (io_uring_cq_ready(s->ring) < s->n)
		;
	for (size_t k = 0; k < s->n; k++)
		right += take(s, op);
	return right;
}
#else

static int open_ring(struct bench *b, struct ways *s)
{
	return bench_skip(b, "this program was built without liburing");
}

/* Not reached. */
#define open_poller	 open_ring
#define by_ring(s, op)	 0
#define by_poller(s, op) 0

static void close_ring(struct ways *s)
{
}
#endif

#define THREE(W, what, op, expr)                            \
	W(EACH, what##_call, open_things, expr)             \
	W(LOOP, what##_io_uring, open_ring, by_ring(s, op)) \
	W(LOOP, what##_sqpoll, open_poller, by_poller(s, op))

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
	state = mmap(NULL, BLOCK, (int)p.protection, (int)p.flags, -1, 0);
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
		const int fd = keep(s, eventfd(i == s->n - 1, EFD_CLOEXEC));

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
	struct waiter *w = (struct waiter *)(s->memory + BLOCK);
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
	return syscall(NUMBER_WAITV, s->memory + BLOCK, s->n, 0, NULL, 0) ==
		       -1 &&
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

	pid = clone(end_at_once, s->memory + BYTES,
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
	struct iovec v[MOST];

	for (size_t k = 0; k < s->n; k++)
		v[k] = (struct iovec) { s->memory + 2 * k * s->page, s->page };
	return syscall(SYS_process_madvise, s->fd[0], v, s->n, MADV_COLD, 0);
}

static int open_self(struct bench *b, struct ways *s)
{
	return keep(s, (int)syscall(SYS_pidfd_open, getpid(), 0)) < 0
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
	unmap(s);
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

/* Between two sockets. */

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

#define DATAGRAM   1000		     /* 64 of them are what one may be */
#define MOST_LOOKS ((size_t)1 << 24) /* for one that may be lost */

enum { NEAR, FAR, FILE_, PIPE_OUT, PIPE_IN }; /* places in s->fd */

/* A connection over loopback; neither end waits. */
static int open_pair(struct bench *b, struct ways *s, int type)
{
	struct sockaddr_in here = { .sin_family = AF_INET };
	struct sockaddr *const address = (struct sockaddr *)&here;
	socklen_t len = sizeof(here);
	const int listener = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	const int near = keep(s, socket(AF_INET, type | SOCK_CLOEXEC, 0));
	int far = listener;

	here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener < 0 || near < 0 || bind(listener, address, len) ||
	    (type == SOCK_STREAM && listen(listener, 1)) ||
	    getsockname(listener, address, &len) || connect(near, address, len))
		far = -1;
	else if (type == SOCK_STREAM)
		far = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (listener >= 0 && far != listener)
		close(listener);
	if (keep(s, far) < 0 || fcntl(near, F_SETFL, O_NONBLOCK) ||
	    fcntl(far, F_SETFL, O_NONBLOCK))
		return bench_skip(b, "a connection over loopback: %s",
				  strerror(errno));
	return 0;
}

static int open_file(struct bench *b, struct ways *s)
{
	int ends[2], err = open_pair(b, s, SOCK_STREAM), file;

	if (err)
		return err;
	file = keep(s, memfd_create("oscost-ways", MFD_CLOEXEC));
	if (file < 0 || write(file, s->memory, s->n) != (ssize_t)s->n ||
	    pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return bench_fail(b, errno, "make a file and a pipe");
	keep(s, ends[0]);
	keep(s, ends[1]);
	s->in_pipe = 0;
	return 0;
}

/* Some of the bytes from @at on go out.  Return: how many, or -1. */
typedef ssize_t push_fn(struct ways *s, size_t at);

static size_t piece(const struct ways *s, size_t at)
{
	const size_t most = 64 << 10;

	return s->n - at < most ? s->n - at : most;
}

static ssize_t push_copy(struct ways *s, size_t at)
{
	const ssize_t n =
		pread(s->fd[FILE_], s->memory, piece(s, at), (off_t)at);

	return n <= 0 ? -1 : send(s->fd[NEAR], s->memory, (size_t)n, 0);
}

static ssize_t push_sendfile(struct ways *s, size_t at)
{
	off_t from = (off_t)at;

	return sendfile(s->fd[NEAR], s->fd[FILE_], &from, s->n - at);
}

static ssize_t push_splice(struct ways *s, size_t at)
{
	off_t from = (off_t)at;
	ssize_t n;

	if (!s->in_pipe) {
		n = splice(s->fd[FILE_], &from, s->fd[PIPE_IN], NULL,
			   piece(s, at), 0);
		if (n <= 0)
			return -1;
		s->in_pipe = (size_t)n;
	}
	n = splice(s->fd[PIPE_OUT], NULL, s->fd[NEAR], NULL, s->in_pipe,
		   SPLICE_F_NONBLOCK);
	s->in_pipe -= n > 0 ? (size_t)n : 0;
	return n;
}

/* All bytes go out and come in.  Return: whether they did. */
static bool transfer(struct ways *s, push_fn *push)
{
	size_t out = 0, in = 0;

	while (in < s->n) {
		ssize_t n = out < s->n ? push(s, out) : 0;

		if (n < 0 && errno != EAGAIN)
			break;
		out += n > 0 ? (size_t)n : 0;
		n = recv(s->fd[FAR], NULL, s->n, MSG_TRUNC);
		if (n < 0 && errno != EAGAIN)
			break;
		in += n > 0 ? (size_t)n : 0;
	}
	return in == s->n;
}

/* Datagrams. */

static int open_datagrams(struct bench *b, struct ways *s)
{
	const int bytes = 1 << 20;
	int err;

	err = open_pair(b, s, SOCK_DGRAM);
	if (!err)
		setsockopt(s->fd[FAR], SOL_SOCKET, SO_RCVBUF, &bytes,
			   sizeof(bytes));
	return err;
}

/* Datagrams of the right length that have come.  Before Linux 6.6 they may be
 * left to a thread of this CPU. */
static uint64_t receive(struct ways *s)
{
	struct mmsghdr m[MOST] = { 0 };
	struct iovec v = { s->memory, BLOCK };
	size_t have = 0, good = 0, left = MOST_LOOKS;

	for (size_t i = 0; i < s->n; i++)
		m[i].msg_hdr =
			(struct msghdr) { .msg_iov = &v, .msg_iovlen = 1 };
	while (have < s->n && good == have) {
		const int n = recvmmsg(s->fd[FAR], m + have,
				       (unsigned int)(s->n - have),
				       MSG_DONTWAIT, NULL);

		if (n <= 0 && !--left)
			break;
		if (n <= 0)
			sched_yield();
		for (int i = 0; i < n; i++)
			good += m[have++].msg_len == DATAGRAM;
	}
	return good;
}

static uint64_t send_each(struct ways *s)
{
	for (size_t i = 0; i < s->n; i++)
		send(s->fd[NEAR], s->memory + i * DATAGRAM, DATAGRAM, 0);
	return receive(s);
}

static uint64_t send_many(struct ways *s)
{
	struct mmsghdr m[MOST] = { 0 };
	struct iovec v[MOST];

	for (size_t i = 0; i < s->n; i++) {
		v[i] = (struct iovec) { s->memory + i * DATAGRAM, DATAGRAM };
		m[i].msg_hdr =
			(struct msghdr) { .msg_iov = &v[i], .msg_iovlen = 1 };
	}
	sendmmsg(s->fd[NEAR], m, (unsigned int)s->n, 0);
	return receive(s);
}

static uint64_t send_segments(struct ways *s)
{
	send(s->fd[NEAR], s->memory, s->n * DATAGRAM, 0);
	return receive(s);
}

static int open_segments(struct bench *b, struct ways *s)
{
	const int bytes = DATAGRAM;
	const int err = open_datagrams(b, s);

	if (err)
		return err;
	return setsockopt(s->fd[NEAR], IPPROTO_UDP, UDP_SEGMENT, &bytes,
			  sizeof(bytes))
		       ? bench_skip(b, "UDP_SEGMENT: %s", strerror(errno))
		       : 0;
}

/* All ways, W(kind, name, open, call[, holds]): rows of call.h, with their
 * open(). */
#define CALLS(W)                                                            \
	THREE(W, nop, NOP, getppid() == s->parent)                          \
	THREE(W, read_same, READ,                                           \
	      pread(s->fd[0], s->memory, BLOCK, 0) == BLOCK)                \
	THREE(W, ready, READY, poll(s->poll, 1, 0) == 1)                    \
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
	  faulted(s))                                                       \
	W(LOOP, to_socket_read_send, open_file, transfer(s, push_copy))     \
	W(LOOP, to_socket_sendfile, open_file, transfer(s, push_sendfile))  \
	W(LOOP, to_socket_splice, open_file, transfer(s, push_splice))      \
	W(LOOP, datagrams_send, open_datagrams, send_each(s))               \
	W(LOOP, datagrams_sendmmsg, open_datagrams, send_many(s))           \
	W(LOOP, datagrams_gso, open_segments, send_segments(s))

#define CALL_LOCALS			struct ways *const s CALL_LOCAL = state;
#define FUNCTION(kind, name, open, ...) CALL_FUNCTIONS_(kind, name, __VA_ARGS__)
#define ROW(kind, name, open, ...)	{ CALL_ROW_(kind, name) open },

CALLS(FUNCTION)

static const struct way ways[] = { CALLS(ROW) };

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	const size_t n = sizeof(ways) / sizeof(ways[0]);

	for (const struct way *w = ways; w < ways + n; w++)
		if (call_is_named(&w->call, c)) {
			call_use(c, &w->call);
			return true;
		}
	return false;
}

static int setup(struct bench *b, void *state)
{
	struct ways *s = state;
	void *m = mmap(NULL, BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (m == MAP_FAILED)
		return bench_fail(b, errno, "map memory");
	memset(m, 'x', BYTES);
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

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct ways *s = state;

	if (s->submits)
		bench_purity(b, c, "handed_over_without_call", BENCH_MOSTLY,
			     (double)s->submits,
			     (double)(s->submits - s->woken));
	s->submits = s->woken = 0;
	call_conclude(b, state, c, iters);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ways *s = state;

	close_ring(s);
	unmap(s);
	while (s->fds)
		close(s->fd[--s->fds]);
	if (s->state)
		munmap(s->state, BLOCK);
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
