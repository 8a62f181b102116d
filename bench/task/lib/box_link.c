/* SPDX-License-Identifier: MIT */
#include "box_link.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "deadline.h"

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	char attributes[256];
};

static struct rtattr *add(struct request *q, unsigned short type,
			  const void *data, size_t bytes)
{
	struct rtattr *a =
		(struct rtattr *)((char *)q + NLMSG_ALIGN(q->head.nlmsg_len));

	*a = (struct rtattr) { (unsigned short)RTA_LENGTH(bytes), type };
	if (bytes)
		memcpy(RTA_DATA(a), data, bytes);
	q->head.nlmsg_len = NLMSG_ALIGN(q->head.nlmsg_len) +
			    (uint32_t)RTA_ALIGN(a->rta_len);
	return a;
}

/* @a holds all that was added since. */
static void close_nest(struct request *q, struct rtattr *a)
{
	a->rta_len =
		(unsigned short)((char *)q + q->head.nlmsg_len - (char *)a);
}

static int ask(const struct request *q)
{
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (send(fd, q, q->head.nlmsg_len, 0) < 0 ||
	    recv(fd, &answer, sizeof(answer), 0) < (ssize_t)sizeof(answer.head))
		err = -errno;
	else if (answer.head.nlmsg_type == NLMSG_ERROR)
		err = answer.error.error;
	close(fd);
	return err;
}

int box_link_make(const char *near, const char *far, pid_t pid)
{
	struct request q = {
		.head = { .nlmsg_len = NLMSG_LENGTH(sizeof(q.link)),
			  .nlmsg_type = RTM_NEWLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_CREATE | NLM_F_EXCL },
		.link = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP },
	};
	/* It is up only when the other end is there: later, by its owner. */
	const struct ifinfomsg far_link = { 0 };
	struct rtattr *info, *data, *peer;

	add(&q, IFLA_IFNAME, near, strlen(near) + 1);
	info = add(&q, IFLA_LINKINFO, NULL, 0);
	add(&q, IFLA_INFO_KIND, "veth", strlen("veth"));
	data = add(&q, IFLA_INFO_DATA, NULL, 0);
	peer = add(&q, VETH_INFO_PEER, &far_link, sizeof(far_link));
	add(&q, IFLA_IFNAME, far, strlen(far) + 1);
	add(&q, IFLA_NET_NS_PID, &pid, sizeof(pid));
	close_nest(&q, peer);
	close_nest(&q, data);
	close_nest(&q, info);
	return ask(&q);
}

int box_link_events(void)
{
	const struct sockaddr_nl groups = { .nl_family = AF_NETLINK,
					    .nl_groups = RTMGRP_LINK };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&groups, sizeof(groups)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int box_link_await(int events, const char *name, int most_ms)
{
	const int64_t deadline = deadline_in(most_ms);
	char message[8192];

	/* Each message says that some link has changed: then look. */
	while (if_nametoindex(name)) {
		struct pollfd wait = { events, POLLIN, 0 };

		if (deadline_passed(deadline))
			return -ETIMEDOUT;
		if (poll(&wait, 1, most_ms) > 0)
			(void)!recv(events, message, sizeof(message),
				    MSG_DONTWAIT);
	}
	return 0;
}
