/* SPDX-License-Identifier: MIT */
#include "net_capture.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_PCAP
#include <pcap/pcap.h>

#include "deadline.h"

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

static int cannot(struct net_capture *cap, const char *why)
{
	cap->why = why;
	return -ENOTSUP;
}

static int activate(struct net_capture *cap, struct bench *b, const char *name)
{
	pcap_t *pcap = cap->pcap;
	char why[PCAP_ERRBUF_SIZE];
	int err;

	pcap_set_snaplen(pcap, SNAP_BYTES);
	pcap_set_buffer_size(pcap, BUFFER_BYTES);
	pcap_set_immediate_mode(pcap, 1);
	if (pcap_set_tstamp_precision(pcap, PCAP_TSTAMP_PRECISION_NANO))
		return cannot(cap, "no time stamps in nanoseconds here");
	err = pcap_activate(pcap);
	if (err == PCAP_ERROR_PERM_DENIED)
		return cannot(cap, "capturing packets is not permitted (needs "
				   "CAP_NET_RAW)");
	if (err < 0)
		return bench_fail(b, 0, "capture on %s: %s", name,
				  pcap_geterr(pcap));
	if (pcap_datalink(pcap) != DLT_EN10MB)
		return cannot(cap, "the interface has no Ethernet frames");
	if (set_filter(pcap, cap->port))
		return bench_fail(b, 0, "capture filter: %s",
				  pcap_geterr(pcap));
	return pcap_setnonblock(pcap, 1, why)
		       ? bench_fail(b, 0, "capture: %s", why)
		       : 0;
}

int net_capture_open(struct net_capture *cap, struct bench *b,
		     const struct net_addr *here, uint16_t server_port)
{
	char name[64], why[PCAP_ERRBUF_SIZE];
	int err = find_interface(name, sizeof(name), here);

	if (err)
		return bench_fail(b, -err, "find the interface to capture on");
	cap->port = server_port;
	cap->pcap = pcap_create(name, why);
	if (!cap->pcap)
		return bench_fail(b, 0, "capture on %s: %s", name, why);
	err = activate(cap, b, name);
	if (err)
		net_capture_close(cap);
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

int net_capture_next(struct net_capture *cap, struct net_packet *p, int wait_ms)
{
	const int64_t deadline = deadline_in(wait_ms);
	struct pollfd ready = { .events = POLLIN };
	int err, n;

	ready.fd = pcap_get_selectable_fd(cap->pcap);
	for (;;) {
		err = look(cap, p);
		if (err == -EPROTO)
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

unsigned int net_capture_lost(const struct net_capture *cap)
{
	struct pcap_stat st;

	return pcap_stats(cap->pcap, &st) ? 0 : st.ps_drop;
}

static void *let_go(void *pcap)
{
	pcap_close(pcap);
	return NULL;
}

/* Wait for the one that is being closed, if any. */
static void join(struct net_capture *cap)
{
	if (cap->closing)
		pthread_join(cap->closer, NULL);
	cap->closing = false;
}

void net_capture_end(struct net_capture *cap)
{
	sigset_t every, old;

	if (!cap->pcap)
		return;
	join(cap);
	/* Signals are for the thread that measures. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	cap->closing = !pthread_create(&cap->closer, NULL, let_go, cap->pcap);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!cap->closing)
		pcap_close(cap->pcap);
	cap->pcap = NULL;
}

void net_capture_close(struct net_capture *cap)
{
	net_capture_end(cap);
	join(cap);
}

#else

int net_capture_open(struct net_capture *cap, struct bench *b,
		     const struct net_addr *here, uint16_t server_port)
{
	(void)b;
	(void)here;
	(void)server_port;
	cap->why = "built without libpcap";
	return -ENOTSUP;
}

int net_capture_next(struct net_capture *cap, struct net_packet *p, int wait_ms)
{
	(void)cap;
	(void)p;
	(void)wait_ms;
	return -EIO;
}

void net_capture_drain(struct net_capture *cap)
{
	(void)cap;
}

unsigned int net_capture_lost(const struct net_capture *cap)
{
	(void)cap;
	return 0;
}

void net_capture_end(struct net_capture *cap)
{
	(void)cap;
}

void net_capture_close(struct net_capture *cap)
{
	(void)cap;
}
#endif

int net_capture_connection(struct net_capture *cap, struct bench *b, int fd,
			   uint16_t server_port)
{
	struct net_addr here = { .len = sizeof(here.sa) };

	if (getsockname(fd, (struct sockaddr *)&here.sa, &here.len))
		return bench_fail(b, errno, "getsockname");
	return net_capture_open(cap, b, &here, server_port);
}

int net_capture_ack(struct net_capture *cap, int wait_ms, struct net_ack *ack)
{
	struct net_packet p;
	int err;

	do
		err = net_capture_next(cap, &p, wait_ms);
	while (!err && !net_ack_see(ack, &p));
	return err;
}

int net_capture_handshake(struct net_capture *cap, struct net_handshake *h,
			  uint16_t port, int wait_ms)
{
	struct net_packet p;
	int err;

	*h = (struct net_handshake) { 0 };
	do {
		err = net_capture_next(cap, &p, wait_ms);
		if (err)
			return err;
	} while (p.port != port || !net_handshake_see(h, &p));
	return 0;
}

const struct net_host *net_capture_host(struct net_capture *cap,
					struct net_hosts *h,
					enum net_place place, int family)
{
	if (!net_hosts_runs(h, place, family))
		net_capture_close(cap);
	return net_hosts_need(h, place, family);
}
