/* SPDX-License-Identifier: MIT */
#include "net_stamp.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "wall_clock.h"

/* The stamp of what was sent comes by another way than the answer, but is made
 * before it. */
#define STAMP_MS 2

/* Round trips without stamps at first, a millisecond apart: the kernel begins
 * to stamp when it comes to it, on a CPU that may be taken away. */
#define FIRST_STAMP_MS 5000

static int enable(int fd)
{
	const int flags =
		SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
		SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;

	return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags,
			  sizeof(flags))
		       ? -EOPNOTSUPP
		       : 0;
}

static uint64_t in_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * 1000000000u + (uint64_t)ts->tv_nsec;
}

union control {
	char space[512];
	struct cmsghdr align;
};

static uint64_t stamp_of(struct msghdr *msg)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(msg);

	for (; head; head = CMSG_NXTHDR(msg, head)) {
		struct scm_timestamping stamps;

		if (head->cmsg_level != SOL_SOCKET ||
		    head->cmsg_type != SCM_TIMESTAMPING)
			continue;
		memcpy(&stamps, CMSG_DATA(head), sizeof(stamps));
		return in_ns(&stamps.ts[0]);
	}
	return 0;
}

static ssize_t receive(int fd, unsigned char *byte, int flags, uint64_t *ns)
{
	union control room;
	struct iovec iov = { byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = room.space,
		.msg_controllen = sizeof(room.space),
	};
	const ssize_t n = recvmsg(fd, &msg, flags);

	*ns = n < 0 ? 0 : stamp_of(&msg);
	return n;
}

/* A datagram that comes late is not the answer that is waited for. */
static int receive_answer(struct net_client *c, int fd, uint8_t number,
			  struct net_stamps *stamps)
{
	c->waits = 0;
	for (;;) {
		unsigned char byte = (unsigned char)~number;
		const ssize_t n = receive(fd, &byte, 0, &stamps->in_ns);
		int err = 0;

		stamps->end_ns = wall_clock_ns();
		if (n > 0 && byte == number)
			return 0;
		if (n > 0 && fd != c->udp)
			return -EBADMSG;
		if (n <= 0)
			err = net_client_check(c, n < 0 ? errno : ECONNRESET);
		if (err)
			return err;
	}
}

/* The error queue holds the stamp, and nothing else. */
static void fetch_sent(int fd, uint64_t *ns)
{
	struct pollfd p = { .fd = fd }; /* POLLERR comes unasked */
	unsigned char none;

	for (int i = 0; i < 2; i++) {
		if (receive(fd, &none, MSG_ERRQUEUE | MSG_DONTWAIT, ns) >= 0 &&
		    *ns)
			return;
		poll(&p, 1, STAMP_MS);
	}
}

int net_stamp_trip(struct net_client *c, int fd, uint8_t number,
		   struct net_stamps *stamps)
{
	const unsigned int patience = c->patience;
	const unsigned char byte = number;
	int err = 0;

	stamps->begin_ns = wall_clock_ns();
	while (send(fd, &byte, 1, MSG_NOSIGNAL) < 0 && !err)
		err = net_client_check(c, errno);
	if (err)
		return err;
	if (fd == c->udp)
		c->patience = NET_LOST_WAITS;
	err = receive_answer(c, fd, number, stamps);
	c->patience = patience;
	/* Also of what was lost: it must not be taken for the next one's. */
	fetch_sent(fd, &stamps->out_ns);
	return err;
}

int net_stamp_begin(struct net_client *c, int fd)
{
	int64_t deadline = deadline_in(NET_SILENCE_S * 1000L);
	int err = enable(fd), answered = 0;

	for (uint8_t i = 1; !err && !deadline_passed(deadline); i++) {
		struct net_stamps t = { 0 };

		err = net_stamp_trip(c, fd, i, &t);
		if (!err && !answered++)
			deadline = deadline_in(FIRST_STAMP_MS);
		if (!err && t.out_ns && t.in_ns)
			return answered;
		/* A datagram may get lost. */
		if (err == -ETIMEDOUT && fd == c->udp)
			err = 0;
		if (!err && bench_stopping(c->b))
			err = -ECANCELED;
		usleep(1000);
	}
	if (err)
		return err;
	return answered ? -ENODATA : -ETIMEDOUT;
}
