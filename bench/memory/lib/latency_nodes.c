/* SPDX-License-Identifier: MIT */
#include "latency_nodes.h"

#include <errno.h>

/* Which of bench_nth_node() that is. */
static unsigned int nth_of(const struct bench *b, int node)
{
	for (unsigned int i = 0; i < bench_nodes(b) && i < BENCH_MAX_NODES; i++)
		if (bench_nth_node(b, i) == node)
			return i;
	return 0;
}

static int make(struct bench *b, struct latency_nodes *n, unsigned int i,
		const struct latency_spec *spec)
{
	struct mem_buffer *m = &n->node[i].buffer;
	int err = mem_map(m, spec->bytes, MEM_THP);

	if (!err)
		err = bench_bind_memory(b, m->base, m->bytes, spec->to);
	if (err)
		return bench_fail(b, -err, "%zu bytes on node %d", spec->bytes,
				  spec->to);
	mem_touch(m);
	n->node[i].there = mem_node_bytes(m, spec->to);
	n->node[i].huge = mem_huge_bytes(m);
	err = chase_link_window(&n->node[i].chase, m->base, m->bytes,
				bench_random(b));
	if (err)
		return bench_fail(b, -err, "link the chain");
	mem_flush(m->base, m->bytes);
	n->node[i].at = n->node[i].chase.entry[0];
	return 0;
}

int latency_nodes_enter(struct bench *b, struct latency_nodes *n,
			const struct bench_case *c, void **at)
{
	const struct latency_spec *spec = c->data;
	const unsigned int i = nth_of(b, spec->to);
	const int cpu = bench_cpu_of_node(b, spec->from);
	int err = n->node[i].buffer.base ? 0 : make(b, n, i, spec);

	if (err)
		return err;
	if (n->node[i].huge < (int64_t)spec->bytes)
		return mem_skip_huge(b, n->node[i].huge, spec->bytes);
	err = bench_pin(cpu);
	if (err)
		return bench_fail(b, -err, "go to CPU %d", cpu);
	bench_fact(b, c, "from_cpu", cpu);
	bench_proof(b, c, "bytes_on_node", (double)spec->bytes,
		    n->node[i].there < 0 ? 0 : (double)n->node[i].there);
	*at = n->node[i].at;
	return 0;
}

int latency_nodes_leave(struct bench *b, struct latency_nodes *n,
			const struct bench_case *c, void *at)
{
	const struct latency_spec *spec = c->data;
	const unsigned int i = nth_of(b, spec->to);
	const struct chase *chase = &n->node[i].chase;
	const int err = bench_pin(bench_cpu(b));

	if (err)
		return bench_fail(b, -err, "go back to CPU %d", bench_cpu(b));
	if (!at)
		return 0;
	n->node[i].at = at;
	bench_proof(b, c, "lines_visited", (double)chase->lines,
		    (double)chase_verify(chase));
	return 0;
}

void latency_nodes_close(struct latency_nodes *n)
{
	for (int i = 0; i < BENCH_MAX_NODES; i++)
		mem_unmap(&n->node[i].buffer);
}
