/* SPDX-License-Identifier: MIT */
#include "net_ping.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sysfile.h"

/* linux/icmp.h has it and cannot be included beside netinet's. */
#define ICMP_FILTER_OPTION 1

int net_ping_open(struct net_ping *p)
{
	p->icmp = -1;
	p->buf = malloc(NET_MAX_MESSAGE);
	if (!p->buf)
		return -ENOMEM;
	/* Neither zero nor constant; and all pages are there. */
	for (size_t i = 0; i < NET_MAX_MESSAGE; i++)
		p->buf[i] = (unsigned char)(i * 31 + 7);
	return 0;
}

int net_ping_tcp(struct net_ping *p, struct net_client *c, uint32_t size)
{
	const uint8_t number = ++p->number;
	int err;

	p->buf[0] = number;
	err = net_client_send(c, p->buf, size);
	if (err)
		return err;
	p->buf[0] = (unsigned char)~number;
	err = net_client_receive(c, p->buf, size);
	return err ? err : p->buf[0] == number ? 0 : -EBADMSG;
}

/* Datagrams that come late are not the answer that is waited for. */
static int wait_udp(struct net_ping *p, struct net_client *c, uint32_t size,
		    uint8_t number)
{
	for (;;) {
		const ssize_t n =
			net_client_receive_some(c, c->udp, p->buf, size);

		if (n < 0)
			return (int)n;
		if (n == (ssize_t)size && p->buf[0] == number)
			return 0;
	}
}

int net_ping_udp(struct net_ping *p, struct net_client *c, uint32_t size)
{
	const uint8_t number = ++p->number;
	int err;

	p->buf[0] = number;
	while (send(c->udp, p->buf, size, MSG_NOSIGNAL) < 0) {
		err = net_client_check(c, errno);
		if (err)
			return err;
	}
	p->buf[0] = (unsigned char)~number;
	c->most_waits = NET_LOST_WAITS;
	err = wait_udp(p, c, size, number);
	c->most_waits = 0;
	return err;
}

int net_ping_icmp_open(struct net_ping *p, const struct net_host *host)
{
	/* Of all that comes only echo replies: on loopback our own requests
	 * come back to us as well. */
	const uint32_t filter = ~(1u << ICMP_ECHOREPLY);
	const int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_RAW, ICMP_FILTER_OPTION, &filter,
		       sizeof(filter)) ||
	    connect(fd, &host->addr.any, host->addr.len))
		err = -errno;
	if (err)
		close(fd);
	else
		p->icmp = fd;
	p->ident = (uint16_t)getpid();
	return err;
}

static uint16_t checksum(const unsigned char *data, size_t bytes)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < bytes; i += 2)
		sum += (uint32_t)(data[i] << 8 | data[i + 1]);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static bool is_answer(const struct net_ping *p, const unsigned char *packet,
		      size_t bytes, uint16_t number)
{
	const size_t header = bytes ? (size_t)(packet[0] & 15u) << 2 : 0;
	struct icmphdr icmp;

	if (header < 20 || bytes < header + sizeof(icmp))
		return false;
	memcpy(&icmp, packet + header, sizeof(icmp));
	return icmp.type == ICMP_ECHOREPLY &&
	       icmp.un.echo.id == htons(p->ident) &&
	       icmp.un.echo.sequence == htons(number);
}

int net_ping_icmp(struct net_ping *p, struct net_client *c, uint32_t size)
{
	const size_t bytes = sizeof(struct icmphdr) + size;
	struct icmphdr icmp = { .type = ICMP_ECHO };
	unsigned char packet[2048];
	ssize_t n = 0;

	icmp.un.echo.id = htons(p->ident);
	icmp.un.echo.sequence = htons(++p->number);
	if (bytes > sizeof(packet) - 60)
		return -EMSGSIZE;
	memcpy(packet + sizeof(icmp), p->buf, bytes - sizeof(icmp));
	memcpy(packet, &icmp, sizeof(icmp));
	icmp.checksum = checksum(packet, bytes);
	memcpy(packet, &icmp, sizeof(icmp));
	if (send(p->icmp, packet, bytes, 0) < 0)
		return -errno;
	c->most_waits = NET_LOST_WAITS;
	do
		n = net_client_receive_some(c, p->icmp, packet, sizeof(packet));
	while (n > 0 && !is_answer(p, packet, (size_t)n, p->number));
	c->most_waits = 0;
	return n < 0 ? (int)n : 0;
}

void net_ping_icmp_close(struct net_ping *p)
{
	if (p->icmp >= 0)
		close(p->icmp);
	p->icmp = -1;
}

void net_ping_close(struct net_ping *p)
{
	if (!p->buf)
		return; /* nothing was opened */
	net_ping_icmp_close(p);
	free(p->buf);
	p->buf = NULL;
}

/* Echo replies that came to this network namespace; 0 if it is not told.  The
 * line "Icmp: names" is followed by "Icmp: values". */
static uint64_t echo_replies(void)
{
	char *text = sysfile_text("/proc/thread-self/net/snmp");
	const char *names = field_behind(text, "Icmp"), *name;
	const char *values =
		names ? field_behind(strchr(names, '\n'), "Icmp") : NULL;
	int64_t n = 0;

	for (unsigned int i = 0; values && (name = field_nth(names, i)); i++)
		if (!strncmp(name, "InEchoReps ", 11))
			n = field_number(field_nth(values, i), 0);
	free(text);
	return (uint64_t)n;
}

static uint64_t count(const struct net_proof *p, const struct net_client *c)
{
	struct tcp_info info;

	switch (p->by) {
	case NET_PROOF_SERVER:
		return c->echoed;
	case NET_PROOF_ICMP:
		return echo_replies();
	default:
		net_client_info(c, &info);
		return p->by == NET_PROOF_BYTES ? info.tcpi_bytes_received
						: info.tcpi_bytes_acked;
	}
}

/* The server's answer has come in: a kernel whose TCP_INFO has no bytes at the
 * first session does not count them. */
static bool counts_bytes(const struct net_client *c)
{
	static enum { UNKNOWN, COUNTS, SILENT } kernel;
	struct tcp_info info;

	if (kernel == UNKNOWN) {
		net_client_info(c, &info);
		kernel = info.tcpi_bytes_received ? COUNTS : SILENT;
	}
	return kernel == COUNTS;
}

void net_proof_begin(struct net_proof *p, const struct net_client *c,
		     enum net_proof_by by, uint32_t size)
{
	*p = (struct net_proof) { .by = by, .size = size };
	if (by == NET_PROOF_BYTES && !counts_bytes(c))
		p->by = NET_PROOF_SERVER;
	p->before = count(p, c);
}

int net_proof_end(struct net_proof *p, struct net_client *c,
		  const struct bench_case *bc)
{
	const bool bytes = p->by == NET_PROOF_BYTES || p->by == NET_PROOF_ACKED;
	const double expected = (double)(p->answered * (bytes ? p->size : 1));
	double seen;
	int err;

	if (!p->answered || bench_stopping(c->b))
		return 0;
	p->answered = 0; /* it is told once */
	if (p->by == NET_PROOF_SERVER) {
		net_client_end(c);
		err = net_client_ask(c);
		if (err)
			return err;
	}
	seen = (double)count(p, c) - (double)p->before;
	if (p->by == NET_PROOF_BYTES)
		bench_proof(c->b, bc, "bytes_back", expected, seen);
	else
		bench_least(c->b, bc,
			    p->by == NET_PROOF_ACKED	? "acknowledged"
			    : p->by == NET_PROOF_SERVER ? "echoed_by_server"
							: "replies_in",
			    expected, seen);
	return 0;
}
