/* SPDX-License-Identifier: MIT */
#include "net_capture.h"

#include <errno.h>

#ifdef HAVE_PCAP
#include <ifaddrs.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "deadline.h"
#include "net_addr.h"

/* The headers, with all options. */
#define SNAP_BYTES 192

/* Some thousand packets: all that one event makes, many times over. */
#define BUFFER_BYTES (2 << 20)

static int find_interface(char *name, size_t size, const struct net_addr *here)
{
	struct ifaddrs *list, *i;
	int err = -ENODEV;

	if (getifaddrs(&list))
		return -errno;
	for (i = list; i && err; i = i->ifa_next) {
		struct net_addr a = { .len = here->len };

		if (!i->ifa_addr ||
		    i->ifa_addr->sa_family != here->sa.ss_family)
			continue;
		memcpy(&a.sa, i->ifa_addr, here->len);
		if (!net_addr_same_host(&a, here))
			continue;
		snprintf(name, size, "%s", i->ifa_name);
		err = 0;
	}
	freeifaddrs(list);
	return err;
}

static int set_filter(pcap_t *pcap, uint16_t port)
{
	struct bpf_program program;
	char text[32];
	int err;

	snprintf(text, sizeof(text), "tcp port %u", port);
	err = pcap_compile(pcap, &program, text, 1, PCAP_NETMASK_UNKNOWN);
	if (err)
		return err;
	err = pcap_setfilter(pcap, &program);
	pcap_freecode(&program);
	return err;
}

/* Return: 0, also with cap->why, or bench_fail(). */
static int activate(struct net_capture *cap, struct bench *b, const char *name)
{
	pcap_t *pcap = cap->pcap;
	char why[PCAP_ERRBUF_SIZE];
	int err;

	pcap_set_snaplen(pcap, SNAP_BYTES);
	pcap_set_buffer_size(pcap, BUFFER_BYTES);
	pcap_set_immediate_mode(pcap, 1);
	if (pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO)) {
		cap->why = "no time stamps in nanoseconds here";
		return 0;
	}
	err = pcap_activate(pcap);
	if (err == PCAP_ERROR_PERM_DENIED)
		cap->why = "capturing packets is not permitted (needs "
			   "CAP_NET_RAW)";
	else if (err >= 0 && pcap_datalink(pcap) != DLT_EN10MB)
		cap->why = "the interface has no Ethernet frames";
	if (cap->why)
		return 0;
	if (err < 0 || set_filter(pcap, cap->port))
		return bench_fail(b, 0, "capture on %s: %s", name,
				  pcap_geterr(pcap));
	return pcap_setnonblock(pcap, 1, why)
		       ? bench_fail(b, 0, "capture: %s", why)
		       : 0;
}

int net_capture_open(struct net_capture *cap, struct bench *b, int fd)
{
	struct net_addr here, there = { .len = sizeof(there.sa) };
	char name[64], why[PCAP_ERRBUF_SIZE];
	int err;

	if (net_addr_here(fd, &here) ||
	    getpeername(fd, (struct sockaddr *)&there.sa, &there.len))
		return bench_fail(b, errno, "addresses of the connection");
	err = find_interface(name, sizeof(name), &here);
	if (err)
		return bench_fail(b, -err, "find the interface to capture on");
	cap->port = net_addr_port(&there);
	cap->pcap = pcap_create(name, why);
	if (!cap->pcap)
		return bench_fail(b, 0, "capture on %s: %s", name, why);
	err = activate(cap, b, name);
	if (err || cap->why) {
		pcap_close(cap->pcap);
		cap->pcap = NULL;
	}
	return err;
}

static int look(struct net_capture *cap, struct net_packet *p)
{
	struct pcap_pkthdr *head;
	const unsigned char *frame;
	const int n = pcap_next_ex(cap->pcap, &head, &frame);

	if (n < 0)
		return -EIO;
	if (n == 0)
		return -EAGAIN;
	if (net_packet_parse(p, frame, head->caplen, cap->port))
		return -EPROTO;
	/* With this precision tv_usec holds nanoseconds. */
	p->ns = (uint64_t)head->ts.tv_sec * 1000000000u +
		(uint64_t)head->ts.tv_usec;
	return 0;
}

int net_capture_until(struct net_capture *cap, int wait_ms, net_see_fn *see,
		      void *arg)
{
	struct pollfd ready = { .events = POLLIN };
	int64_t deadline = deadline_in(wait_ms);

	ready.fd = pcap_get_selectable_fd(cap->pcap);
	for (;;) {
		struct net_packet p;
		const int err = look(cap, &p);
		int n;

		if (!err && see(arg, &p))
			return 0;
		if (!err)
			deadline = deadline_in(wait_ms);
		if (!err || err == -EPROTO)
			continue;
		if (err != -EAGAIN)
			return err;
		n = poll(&ready, 1, wait_ms);
		/* The client's watch interrupts it long before. */
		if (n == 0 || (n < 0 && deadline_passed(deadline)))
			return -ETIMEDOUT;
	}
}

void net_capture_drain(struct net_capture *cap)
{
	struct net_packet ignored;
	int err;

	do
		err = look(cap, &ignored);
	while (!err || err == -EPROTO);
}

void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c)
{
	struct pcap_stat st;

	if (!cap->pcap)
		return;
	if (!pcap_stats(cap->pcap, &st))
		bench_fact(b, c, "not_captured", st.ps_drop);
	pcap_close(cap->pcap);
	cap->pcap = NULL;
}

#else

int net_capture_open(struct net_capture *cap, struct bench *b, int fd)
{
	cap->why = "built without libpcap";
	return 0;
}

int net_capture_until(struct net_capture *cap, int wait_ms, net_see_fn *see,
		      void *arg)
{
	return -EIO;
}

void net_capture_drain(struct net_capture *cap)
{
}

void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c)
{
}
#endif
