/* SPDX-License-Identifier: MIT */
#ifndef LATENCY_NODES_H
#define LATENCY_NODES_H

#include "bench.h"
#include "chase.h"
#include "latency_plan.h"
#include "mem_buffer.h"

/*
 * The chase from a CPU of one NUMA node through the memory of another.  The
 * chain in a node's memory is linked once and followed from each node, each
 * time on from where the last one came to.
 */
struct latency_nodes {
	struct {
		struct mem_buffer buffer;
		struct chase chase;
		void *at;
		int64_t there, huge; /* bytes on the node, on huge pages */
	} node[BENCH_MAX_NODES];     /* by nth */
};

/* latency_nodes_enter() - go to a CPU of its from_node; *@at gets where to go
 * on. Return: 0, bench_fail() or bench_skip(). */
int latency_nodes_enter(struct bench *b, struct latency_nodes *n,
			const struct bench_case *c, void **at);

/* latency_nodes_leave() - back to the measuring CPU; @at: how far it came. */
int latency_nodes_leave(struct bench *b, struct latency_nodes *n,
			const struct bench_case *c, void *at);

/* latency_nodes_close() - a zeroed one is fine. */
void latency_nodes_close(struct latency_nodes *n);

#endif
