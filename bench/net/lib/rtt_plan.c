/* SPDX-License-Identifier: MIT */
#include "rtt_plan.h"

#include <sys/socket.h>

static const char *const proto_names[] = { "tcp", "tcp6", "udp", "udp6",
					   "icmp" };

static const char *const figure_names[] = { "round_trip", "stamped", "packet" };

static const char *const part_names[] = { "send", "wire", "receive" };

bool rtt_is_udp(enum rtt_proto proto)
{
	return proto == RTT_UDP || proto == RTT_UDP6;
}

int rtt_family(enum rtt_proto proto)
{
	return proto == RTT_TCP6 || proto == RTT_UDP6 ? AF_INET6 : AF_INET;
}

static struct bench_case describe(struct bench *b, const struct rtt_plan *p,
				  const struct rtt_case *rc, const char *figure)
{
	return (struct bench_case) {
		.params = {
			P_STR("net", net_hosts_label(p->net)),
			P_STR("proto", proto_names[rc->proto]),
			P_SIZE("size", rc->size),
			P_STR("wait", rc->busy ? "busy" : "block"),
			P_STR("place", net_hosts_place(p->net, rc->place)),
			P_STR("figure", figure),
		},
		.arg = rc,
		.index = rc - p->cases,
		.skip = net_hosts_why_not(p->net, b, rc->place,
					  rtt_family(rc->proto)),
		.histogram = BENCH_HIST_LOG,
		.switches = true,
	};
}

/* One more row of the same case, with its own name. */
static const struct bench_case *
add_figure(struct bench *b, struct bench_case *c, const char *name)
{
	c->params[5].text = name;
	return bench_add(b, c);
}

/* The rows that get their values from @c. */
static void add_beside(struct bench *b, struct rtt_case *rc,
		       struct bench_case *c)
{
	for (int i = 0; rc->figure == RTT_STAMPED && i < RTT_PARTS; i++)
		rc->parts[i] = add_figure(b, c, part_names[i]);
	if (rc->figure == RTT_PACKET) {
		rc->spaced = add_figure(b, c, "spaced");
		rc->before = add_figure(b, c, "before");
		rc->after = add_figure(b, c, "after");
	}
	if (rc->figure != RTT_ROUND_TRIP || rc->proto != RTT_TCP ||
	    rc->size != 1 || rc->busy)
		return;
	c->histogram = BENCH_HIST_NONE;
	rc->srtt = add_figure(b, c, "kernel_srtt");
}

static void add(struct bench *b, struct rtt_plan *p, const struct rtt_case *rc)
{
	struct rtt_case *keep = &p->cases[p->n++];
	struct bench_case c;

	*keep = *rc;
	c = describe(b, p, keep, figure_names[rc->figure]);
	/* Opening and closing a capture takes tens of ms. */
	c.exclusive = rc->figure == RTT_PACKET;
	c.of = bench_add(b, &c);
	c.exclusive = false;
	c.derived = true;
	add_beside(b, keep, &c);
}

static void add_place(struct bench *b, struct rtt_plan *p, enum net_place place)
{
	static const uint32_t tcp[] = { 1, 1024, 8192, 65536 };
	static const uint32_t udp[] = { 1, 1024, 8192, 32768 };

	for (int i = 0; i < 4; i++) {
		add(b, p,
		    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_TCP, tcp[i],
					 .place = place });
		add(b, p,
		    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_UDP, udp[i],
					 .place = place });
	}
	add(b, p,
	    &(struct rtt_case) { RTT_STAMPED, RTT_TCP, 1, .place = place });
	add(b, p,
	    &(struct rtt_case) { RTT_STAMPED, RTT_UDP, 1, .place = place });
	/* No process takes part in it, so it has no place of its own. */
	if (place == NET_SAME_CPU)
		add(b, p,
		    &(struct rtt_case) { RTT_PACKET, RTT_TCP, 1,
					 .place = place });
	if (p->net->peer)
		return;
	add(b, p,
	    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_TCP6, 1, .place = place });
	add(b, p,
	    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_UDP6, 1, .place = place });
}

void rtt_plan_make(struct bench *b, struct rtt_plan *p)
{
	const enum net_place far = net_hosts_places(p->net) - 1;

	for (enum net_place place = 0; place <= far; place++)
		add_place(b, p, place);
	/* Two that poll on one CPU would only wait for their time slices. */
	add(b, p,
	    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_TCP, 1, true,
				 .place = far });
	add(b, p,
	    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_UDP, 1, true,
				 .place = far });
	/* The kernel answers where the request comes in: on this CPU. */
	add(b, p,
	    &(struct rtt_case) { RTT_ROUND_TRIP, RTT_ICMP, 56, .place = 0 });
}
