/* SPDX-License-Identifier: MIT */
#include "net_capture.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "partner.h"
#include "wall_clock.h"

/* A frame of the ring: the kernel's head of a packet, and the packet's headers
 * with all options.  There are some thousand: many times the packets of one
 * event. */
#define FRAME_BYTES ((size_t)256)
#define FRAMES	    8192u
#define BLOCK_BYTES 65536u
#define RING_BYTES  (FRAMES * FRAME_BYTES)
#define LOOK_MS	    100
#define LOOKS	    30 /* that find no packet, until it counts as lost */

#define IP4_BYTES 20
#define IP6_BYTES 40
#define TCP_BYTES 20

static uint32_t get(const unsigned char *from, unsigned int bytes)
{
	uint32_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | from[i];
	return value;
}

int net_packet_parse(struct net_packet *p, const unsigned char *ip, size_t have,
		     uint16_t server_port)
{
	size_t at, payload, end;
	const unsigned char *tcp;
	bool six;

	if (have < IP6_BYTES)
		return -EPROTO;
	six = ip[0] >> 4 == 6;
	at = six ? IP6_BYTES : (size_t)(ip[0] & 15u) << 2;
	tcp = ip + at;
	if ((!six && ip[0] >> 4 != 4) || ip[six ? 6 : 9] != IPPROTO_TCP ||
	    at < IP4_BYTES || have < at + TCP_BYTES)
		return -EPROTO;
	end = six ? IP6_BYTES + get(ip + 4, 2) : get(ip + 2, 2);
	payload = at + ((size_t)(tcp[12] >> 4) << 2);
	p->to_server = get(tcp + 2, 2) == server_port;
	if (payload < at + TCP_BYTES || payload > end ||
	    (!p->to_server && get(tcp, 2) != server_port))
		return -EPROTO;
	p->port = (uint16_t)get(p->to_server ? tcp : tcp + 2, 2);
	p->seq = get(tcp + 4, 4);
	p->ack = get(tcp + 8, 4);
	p->flags = tcp[13];
	p->payload = (uint32_t)(end - payload);
	return 0;
}

/* Keep packets that do not go to or come from the server's port, IPv4 or IPv6,
 * out of the ring.  Return: as setsockopt(). */
static int set_filter(const struct net_capture *cap)
{
	struct sock_filter step[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
		BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 1, 0),
		BPF_STMT(BPF_LDX | BPF_IMM, IP6_BYTES),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, cap->port, 2, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, cap->port, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, FRAME_BYTES),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { sizeof(step) / sizeof(*step), step };

	return setsockopt(cap->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
			  sizeof(filter));
}

int net_capture_open(struct net_capture *cap, struct bench *b, uint16_t port)
{
	const struct tpacket_req size = { BLOCK_BYTES, RING_BYTES / BLOCK_BYTES,
					  FRAME_BYTES, FRAMES };
	const struct sockaddr_ll on = { .sll_family = AF_PACKET,
					.sll_protocol = htons(ETH_P_ALL) };
	const int version = TPACKET_V2;
	void *ring = MAP_FAILED;

	/* It gets packets of no protocol until it is bound. */
	*cap = (struct net_capture) {
		.fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
		.port = port,
	};
	if (cap->fd >= 0 && !set_filter(cap) &&
	    !setsockopt(cap->fd, SOL_PACKET, PACKET_VERSION, &version,
			sizeof(version)) &&
	    !setsockopt(cap->fd, SOL_PACKET, PACKET_RX_RING, &size,
			sizeof(size)))
		ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED, cap->fd, 0);
	if (ring != MAP_FAILED &&
	    !bind(cap->fd, (const struct sockaddr *)&on, sizeof(on))) {
		cap->ring = ring;
		cap->clock = wall_clock_watch();
		return 0;
	}
	return partner_refused(b, errno == ENOPROTOOPT ? ENOSYS : errno,
			       "a capture of packets (needs CAP_NET_RAW)");
}

/* Read the next packet and give its place back.  Return: whether it is ours. */
static bool take(struct net_capture *cap, struct net_packet *p,
		 struct tpacket2_hdr *head)
{
	const unsigned char *frame = (void *)head;
	const struct sockaddr_ll *on =
		(const void *)(frame + TPACKET_ALIGN(sizeof(*head)));
	/* Loopback shows each packet as sent and as received. */
	bool ours = (on->sll_hatype != ARPHRD_LOOPBACK ||
		     on->sll_pkttype != PACKET_OUTGOING) &&
		    !net_packet_parse(p, frame + head->tp_net, head->tp_snaplen,
				      cap->port);

	if (ours && !cap->interface && p->to_server)
		cap->interface = on->sll_ifindex;
	ours = ours && on->sll_ifindex == cap->interface;
	p->ns = head->tp_sec * 1000000000ull + head->tp_nsec;
	__atomic_store_n(&head->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	cap->next++;
	return ours;
}

bool net_capture_next(struct net_capture *cap, struct net_packet *p, bool wait)
{
	struct pollfd ready = { cap->fd, POLLIN, 0 };
	int looks = wait ? LOOKS : 1;

	while (looks) {
		struct tpacket2_hdr *head =
			(void *)(cap->ring + cap->next % FRAMES * FRAME_BYTES);
		const bool there =
			poll(&ready, 1, wait ? LOOK_MS : 0) > 0 &&
			__atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE) &
				TP_STATUS_USER;

		if (there && take(cap, p, head))
			return true;
		looks -= !there;
	}
	return false;
}

void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c)
{
	struct tpacket_stats seen;
	socklen_t size = sizeof(seen);

	if (cap->fd <= 0)
		return;
	if (!getsockopt(cap->fd, SOL_PACKET, PACKET_STATISTICS, &seen, &size))
		bench_fact(b, c, "not_captured", seen.tp_drops);
	if (cap->ring)
		munmap(cap->ring, RING_BYTES);
	close(cap->fd);
	if (cap->ring && cap->clock >= 0)
		close(cap->clock);
	*cap = (struct net_capture) { .fd = 0 };
}
