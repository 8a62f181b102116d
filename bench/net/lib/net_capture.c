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

#include "deadline.h"
#include "partner.h"
#include "wall_clock.h"

/* Of the ring: the kernel's head of a packet, and the packet's headers with all
 * options.  Some thousand packets: all that one event makes, many times over.
 */
#define FRAME_BYTES ((size_t)256)
#define FRAMES	    8192u
#define BLOCK_BYTES 65536u
#define RING_BYTES  (FRAMES * FRAME_BYTES)

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

/* What does not go to or come from the server's port, IPv4 or IPv6, shall not
 * fill the ring.  Return: as setsockopt(). */
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

/* Return: 0 or a positive errno. */
static int make_ring(struct net_capture *cap)
{
	const struct tpacket_req size = { BLOCK_BYTES, RING_BYTES / BLOCK_BYTES,
					  FRAME_BYTES, FRAMES };
	const struct sockaddr_ll on = { .sll_family = AF_PACKET,
					.sll_protocol = htons(ETH_P_ALL) };
	const int version = TPACKET_V2;

	if (set_filter(cap) ||
	    setsockopt(cap->fd, SOL_PACKET, PACKET_VERSION, &version,
		       sizeof(version)) ||
	    setsockopt(cap->fd, SOL_PACKET, PACKET_RX_RING, &size,
		       sizeof(size)))
		return errno;
	cap->ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			 cap->fd, 0);
	if (cap->ring == MAP_FAILED) {
		cap->ring = NULL;
		return errno;
	}
	return bind(cap->fd, (const struct sockaddr *)&on, sizeof(on)) ? errno
								       : 0;
}

static void free_ring(struct net_capture *cap)
{
	if (cap->ring)
		munmap(cap->ring, RING_BYTES);
	if (cap->fd >= 0)
		close(cap->fd);
	if (cap->clock >= 0)
		close(cap->clock);
	cap->ring = NULL;
}

int net_capture_open(struct net_capture *cap, struct bench *b, uint16_t port)
{
	int err;

	*cap = (struct net_capture) { .clock = wall_clock_watch(),
				      .port = port };
	/* It gets packets of no protocol until it is bound. */
	cap->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	err = cap->fd < 0 ? errno : make_ring(cap);
	if (err)
		free_ring(cap);
	if (err == EPERM || err == EACCES)
		return bench_skip(b,
				  "capturing packets is not permitted (needs "
				  "CAP_NET_RAW)");
	if (err == EAFNOSUPPORT || err == ENOPROTOOPT)
		err = ENOSYS;
	return err ? partner_refused(b, err, "a capture of packets") : 0;
}

/* Wait up to @wait_ms for the next packet.  Return: 0, -EPROTO: not one of
 * ours, or -EAGAIN: there is none. */
static int look(struct net_capture *cap, struct net_packet *p, int wait_ms)
{
	unsigned char *frame = cap->ring + cap->next % FRAMES * FRAME_BYTES;
	struct tpacket2_hdr *head = (void *)frame;
	const struct sockaddr_ll *on =
		(void *)(frame + TPACKET_ALIGN(sizeof(*head)));
	struct pollfd ready = { cap->fd, POLLIN, 0 };
	int err = -EPROTO;

	if (poll(&ready, 1, wait_ms) <= 0 ||
	    !(__atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE) &
	      TP_STATUS_USER))
		return -EAGAIN;
	/* Loopback shows each packet as sent and as received. */
	if (on->sll_hatype != ARPHRD_LOOPBACK ||
	    on->sll_pkttype != PACKET_OUTGOING)
		err = net_packet_parse(p, frame + head->tp_net,
				       head->tp_snaplen, cap->port);
	if (!err && !cap->interface && p->to_server)
		cap->interface = on->sll_ifindex;
	if (on->sll_ifindex != cap->interface)
		err = -EPROTO;
	p->ns = head->tp_sec * 1000000000ull + head->tp_nsec;
	__atomic_store_n(&head->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	cap->next++;
	return err;
}

int net_capture_until(struct net_capture *cap, int wait_ms, net_see_fn *see,
		      void *arg)
{
	int64_t deadline = deadline_in(wait_ms);

	for (;;) {
		struct net_packet p;
		const int err = look(cap, &p, wait_ms);

		if (!err && see(arg, &p))
			return 0;
		if (!err)
			deadline = deadline_in(wait_ms);
		/* The client's watch interrupts the wait long before. */
		if (err == -EAGAIN && deadline_passed(deadline))
			return -ETIMEDOUT;
	}
}

void net_capture_drain(struct net_capture *cap)
{
	struct net_packet ignored;

	while (look(cap, &ignored, 0) != -EAGAIN)
		;
}

void net_capture_close(struct net_capture *cap, struct bench *b,
		       const struct bench_case *c)
{
	struct tpacket_stats seen;
	socklen_t size = sizeof(seen);

	if (!cap->ring)
		return;
	if (!getsockopt(cap->fd, SOL_PACKET, PACKET_STATISTICS, &seen, &size))
		bench_fact(b, c, "not_captured", seen.tp_drops);
	free_ring(cap);
}
