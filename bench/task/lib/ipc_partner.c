/* SPDX-License-Identifier: MIT */
#include "ipc_partner.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sync_futex.h"

/* A partner that has not said within this that it is done will not; one that
 * has died is noticed at once. */
#define PATIENCE_MS 30000

/* The greatest message: two fit into a ring. */
#define BUF_BYTES (IPC_RING_MAX_BYTES / 2)

struct order {
	struct ipc_ends ends;
	int cpu;
	enum ipc_duty duty;
};

#define ENDS_FDS 2

/* Between two looks of a sink at the clock: so much that a look has no share in
 * the time, and so little that it takes a part of a span. */
#define LOOK_BYTES    262144u
#define LOOK_MESSAGES 128u

/* Room for the descriptors that go with an order. */
union fds_message {
	char space[CMSG_SPACE(sizeof(int) * ENDS_FDS)];
	struct cmsghdr align;
};

static int send_order(int fd, const struct order *o)
{
	const int fds[ENDS_FDS] = { o->ends.rx, o->ends.tx };
	union fds_message room = { { 0 } };
	struct iovec iov = { (void *)o, sizeof(*o) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fds[0] >= 0) {
		struct cmsghdr *head;

		msg.msg_control = room.space;
		msg.msg_controllen = sizeof(room.space);
		head = CMSG_FIRSTHDR(&msg);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(fds));
		memcpy(CMSG_DATA(head), fds, sizeof(fds));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive_order(int fd, struct order *o)
{
	union fds_message room = { { 0 } };
	struct iovec iov = { o, sizeof(*o) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room.space,
		.msg_controllen = sizeof(room.space),
	};
	const struct cmsghdr *head;
	ssize_t n;

	do
		n = recvmsg(fd, &msg, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*o))
		return -EPIPE; /* nobody is there any more */
	head = CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_type == SCM_RIGHTS) {
		int fds[ENDS_FDS];

		memcpy(fds, CMSG_DATA(head), sizeof(fds));
		o->ends.rx = fds[0];
		o->ends.tx = fds[1];
	}
	return 0;
}

/* The partner's side. */

static int never(void *arg)
{
	(void)arg;
	return 0; /* no watch runs here: go on */
}

static int echo(struct ipc_channel *ch, struct ipc_shared *shared)
{
	for (;;) {
		int err = ipc_receive(ch);

		if (err || atomic_load(&shared->stop))
			return err;
		err = ipc_send(ch);
		if (err)
			return err;
	}
}

static int pour(struct ipc_channel *ch, struct ipc_shared *shared)
{
	do {
		int err;

		ch->last = atomic_load_explicit(&shared->stop,
						memory_order_relaxed);
		err = ipc_send(ch);
		if (err)
			return err;
	} while (!ch->last);
	return 0;
}

/* The messages to the next look at the clock. */
static int drain_some(struct ipc_channel *ch, bool check)
{
	const uint64_t fit = LOOK_BYTES / ch->ends.size;
	const uint64_t n = fit < LOOK_MESSAGES ? fit : LOOK_MESSAGES;
	int err = 0;

	for (uint64_t i = 0; i < n && !err && !ch->ended; i++)
		err = check ? ipc_receive_checked(ch) : ipc_receive(ch);
	return err;
}

/* Each byte is looked at before and after the time that counts. */
static int drain(struct ipc_channel *ch, struct ipc_shared *shared,
		 const struct timer *t)
{
	int err = drain_some(ch, true);

	for (uint32_t n = 0; n < shared->wanted && !err && !ch->ended; n++) {
		struct ipc_stamp *s = &shared->stamp[n];

		do {
			err = n ? drain_some(ch, false) : 0;
			s->ticks = timer_end(t->method);
		} while (!err && n && !ch->ended &&
			 timer_ns(t, (double)(s->ticks - s[-1].ticks)) <
				 IPC_SPAN_NS);
		s->bytes = ch->bytes;
	}
	atomic_store(&shared->there, !err && !ch->ended);
	futex_wake(&shared->there, 1, false);
	while (!err && !ch->ended)
		err = drain_some(ch, true);
	return err;
}

static int work(struct ipc_partner *p, struct ipc_channel *ch,
		enum ipc_duty duty)
{
	switch (duty) {
	case IPC_ECHO:
		return echo(ch, p->shared);
	case IPC_SOURCE:
		return pour(ch, p->shared);
	default:
		return drain(ch, p->shared, bench_timer(p->b));
	}
}

static bool tell(int fd, int error, const struct ipc_channel *ch)
{
	const struct ipc_report r = {
		.error = error,
		.cpu = sched_getcpu(),
		.sent = ch->sent,
		.received = ch->received,
		.bytes = ch->bytes,
		.checked = ch->checked,
		.right = ch->right,
	};

	return send(fd, &r, sizeof(r), MSG_NOSIGNAL) == (ssize_t)sizeof(r);
}

/* Serve until nobody asks any more. */
static void serve(struct ipc_partner *p, int control, int cpu)
{
	struct ipc_channel ch = {
		.rings = &p->shared->rings,
		.buf = p->buf,
		.interrupted = never,
	};
	struct order o;
	int err = ipc_partner_settle(cpu);

	/* Pages of its own, before anything is timed. */
	ipc_fill(p->buf, BUF_BYTES);
	while (!err && !receive_order(control, &o)) {
		ipc_attach(&ch, &o.ends);
		err = bench_pin(o.cpu);
		if (!tell(control, err, &ch) || err)
			break;
		err = work(p, &ch, o.duty);
		ipc_close(&o.ends);
		if (!tell(control, err, &ch))
			break;
	}
}

/* The measuring side. */

static void *map(size_t bytes, int flags)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

int ipc_partner_open(struct ipc_partner *p, struct bench *b,
		     const struct ipc_partner *with)
{
	void *shared =
		with ? with->shared : map(sizeof(*p->shared), MAP_SHARED);
	void *buf = map(BUF_BYTES, MAP_PRIVATE);

	p->b = b;
	p->control = -1;
	p->borrowed = with;
	p->shared = shared == MAP_FAILED ? NULL : shared;
	p->buf = buf == MAP_FAILED ? NULL : buf;
	if (!p->shared || !p->buf)
		return -ENOMEM;
	return ipc_watch_open(&p->watch);
}

int ipc_partner_need(struct ipc_partner *p)
{
	int fd[2];

	if (p->pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return -errno;
	p->pid = bench_fork(p->b);
	if (p->pid == 0) {
		close(fd[0]);
		serve(p, fd[1], bench_cpu(p->b));
		_exit(0);
	}
	ipc_fill(p->buf, BUF_BYTES);
	close(fd[1]);
	p->control = fd[0];
	if (p->pid < 0) {
		const int err = -errno;

		close(fd[0]);
		p->pid = 0;
		return err;
	}
	return 0;
}

void ipc_partner_drop(struct ipc_partner *p)
{
	ipc_watch_stop(&p->watch);
	if (p->pid)
		close(p->control);
	ipc_partner_kill(&p->pid);
}

/* Wait for what the partner says; its death ends the wait. */
static int hear(struct ipc_partner *p, struct ipc_report *report)
{
	struct pollfd pfd = { p->control, POLLIN, 0 };
	int n;

	do
		n = poll(&pfd, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR && !bench_stopping(p->b));
	if (n <= 0)
		return n ? -ECANCELED : -ETIMEDOUT;
	if (recv(p->control, report, sizeof(*report), 0) !=
	    (ssize_t)sizeof(*report))
		return -ESRCH;
	return report->error;
}

static void reset(struct ipc_shared *shared)
{
	atomic_store(&shared->stop, 0);
	atomic_store(&shared->there, 0);
	ipc_ring_reset(&shared->rings.ring[0]);
	ipc_ring_reset(&shared->rings.ring[1]);
}

int ipc_partner_begin(struct ipc_partner *p, struct ipc_ends *ends, int cpu,
		      enum ipc_duty duty)
{
	const struct order o = { *ends, cpu, duty };
	struct ipc_report report;
	int err;

	if (duty != IPC_SINK) /* its source has begun */
		reset(p->shared);
	err = send_order(p->control, &o);
	ipc_close(ends);
	if (!err)
		err = hear(p, &report);
	if (err)
		ipc_partner_drop(p);
	else
		ipc_watch_start(&p->watch);
	return err;
}

int ipc_partner_stamps(const struct ipc_partner *p)
{
	while (!atomic_load(&p->shared->there))
		if (futex_wait(&p->shared->there, 0, false) == -EINTR)
			return -EINTR;
	return 0;
}

int ipc_partner_end(struct ipc_partner *p, struct ipc_channel *ch,
		    struct ipc_report *report)
{
	int err = 0;

	atomic_store(&p->shared->stop, 1);
	if (ch) /* an echo waits for one more, which it does not answer */
		err = ipc_send(ch);
	ipc_watch_stop(&p->watch);
	if (!err)
		err = hear(p, report);
	if (err)
		ipc_partner_drop(p);
	return err;
}

void ipc_partner_close(struct ipc_partner *p)
{
	ipc_partner_drop(p);
	ipc_watch_close(&p->watch);
	if (p->shared && !p->borrowed)
		munmap(p->shared, sizeof(*p->shared));
	if (p->buf)
		munmap(p->buf, BUF_BYTES);
	p->shared = NULL;
	p->buf = NULL;
}
