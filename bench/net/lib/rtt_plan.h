/* SPDX-License-Identifier: MIT */
#ifndef RTT_PLAN_H
#define RTT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "net_host.h"

/*
 * What tcp_rtt measures: which protocols and sizes, with which wait, between
 * which CPUs; and the rows that get their values from another one.
 */
#define RTT_CASES 64

/* Round trips in one event, one right after the other as in other programs of
 * this kind: what the harness does between events would give the scheduler
 * another state of things to decide on. */
#define RTT_TRIPS 8

enum rtt_proto { RTT_TCP, RTT_TCP6, RTT_UDP, RTT_UDP6, RTT_ICMP };

enum rtt_figure { RTT_ROUND_TRIP, RTT_STAMPED, RTT_PACKET };

/* The parts of a stamped round trip, in their order. */
enum rtt_part { RTT_SEND, RTT_WIRE, RTT_RECEIVE, RTT_PARTS };

/* What is counted in all visits to a case together. */
struct rtt_tally {
	unsigned int lost;
	unsigned int trips;
	long sleeps; /* in these trips */
	uint64_t again;
	double least_ns;
	unsigned int clock_set;	   /* trips in which the clock was set */
	unsigned int server_acked; /* others, see net_acked_trip() */
};

struct rtt_case {
	enum rtt_figure figure;
	enum rtt_proto proto;
	uint32_t size;
	bool busy;
	enum net_place place;
	/* Cases that get their values from this one, or NULL. */
	const struct bench_case *srtt, *parts[RTT_PARTS];
	const struct bench_case *spaced, *before, *after;
	struct rtt_tally tally;
};

struct rtt_plan {
	const struct net_options *net;
	struct rtt_case cases[RTT_CASES];
	size_t n;
};

/* rtt_plan_make() - add the cases for @p->net; a case's index is that of its
 * struct rtt_case, which is its arg. */
void rtt_plan_make(struct bench *b, struct rtt_plan *p);

/* rtt_is_udp() - over IPv4 or IPv6. */
bool rtt_is_udp(enum rtt_proto proto);

/* rtt_family() - AF_INET or AF_INET6. */
int rtt_family(enum rtt_proto proto);

#endif
