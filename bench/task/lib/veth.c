/* SPDX-License-Identifier: MIT */
#include "veth.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int open_netlink(unsigned int groups)
{
	const struct sockaddr_nl name = { .nl_family = AF_NETLINK,
					  .nl_groups = groups };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0 || !bind(fd, (const struct sockaddr *)&name, sizeof(name)))
		return fd;
	close(fd);
	return -1;
}

/* A message of rtnetlink: an attribute that holds others ends with it. */
struct named {
	struct rtattr head;
	char name[8];
};

struct request {
	struct nlmsghdr head;
	struct ifinfomsg link;
	struct named near;
	struct rtattr info;
	struct named kind;
	struct rtattr data, peer;
	/* It is up only when the other end is there: later, by its owner. */
	struct ifinfomsg far_link;
	struct named far;
	struct rtattr owner;
	pid_t pid;
};

#define ATTRIBUTE(first, last, type)                          \
	{                                                     \
		offsetof(struct request, last) +              \
			sizeof(((struct request *)0)->last) - \
			offsetof(struct request, first),      \
			type                                  \
	}

bool veth_make(pid_t pid)
{
	const struct request q = {
		.head = { .nlmsg_len = sizeof(q),
			  .nlmsg_type = RTM_NEWLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
					 NLM_F_CREATE | NLM_F_EXCL },
		.link = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP },
		.near = { ATTRIBUTE(near, near, IFLA_IFNAME), VETH_NEAR },
		.info = ATTRIBUTE(info, pid, IFLA_LINKINFO),
		.kind = { ATTRIBUTE(kind, kind, IFLA_INFO_KIND), "veth" },
		.data = ATTRIBUTE(data, pid, IFLA_INFO_DATA),
		.peer = ATTRIBUTE(peer, pid, VETH_INFO_PEER),
		.far = { ATTRIBUTE(far, far, IFLA_IFNAME), VETH_FAR },
		.owner = ATTRIBUTE(owner, pid, IFLA_NET_NS_PID),
		.pid = pid,
	};
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[512];
	} answer = { 0 };
	const int fd = open_netlink(0);
	const bool answered = fd >= 0 &&
			      send(fd, &q, sizeof(q), 0) == sizeof(q) &&
			      recv(fd, &answer, sizeof(answer), 0) >=
				      (ssize_t)sizeof(answer.head);

	if (fd >= 0)
		close(fd);
	if (answered && answer.head.nlmsg_type == NLMSG_ERROR)
		errno = -answer.error.error;
	return answered && !answer.error.error;
}

int veth_watch(void)
{
	const struct timeval patience = { .tv_sec = 30 };
	const int fd = open_netlink(RTMGRP_LINK);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

bool veth_gone(int events)
{
	char message[8192];

	while (if_nametoindex(VETH_NEAR))
		if (recv(events, message, sizeof(message), 0) < 0 &&
		    errno == EAGAIN) {
			errno = ETIMEDOUT;
			return false;
		}
	return true;
}
