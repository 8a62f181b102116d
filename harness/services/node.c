/* SPDX-License-Identifier: MIT */
/* What a benchmark may ask of NUMA nodes. */
#include <errno.h>

#include "program.h"
#include "topo.h"

unsigned int bench_nodes(const struct bench *b)
{
	const size_t n = topo_nodes(b->topo, NULL, 0);

	return n ? (unsigned int)n : 1;
}

int bench_nth_node(const struct bench *b, unsigned int nth)
{
	int nodes[BENCH_MAX_NODES];
	const size_t n = topo_nodes(b->topo, nodes, BENCH_MAX_NODES);

	return nth < n && nth < BENCH_MAX_NODES ? nodes[nth] : -ERANGE;
}

int bench_node_of_cpu(const struct bench *b, int cpu)
{
	return topo_node_of_cpu(b->topo, cpu);
}

int bench_cpu_of_node(const struct bench *b, int node)
{
	return topo_cpu_of_node(b->topo, node, b->cpu);
}

int bench_bind_memory(const struct bench *b, void *base, size_t bytes, int node)
{
	/* With one node there is nothing to choose. */
	return bench_nodes(b) < 2
		       ? 0
		       : topo_bind_memory(b->topo, base, bytes, node);
}
