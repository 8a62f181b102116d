/* SPDX-License-Identifier: MIT */
#ifndef TOPO_H
#define TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/*
 * The only module that talks to hwloc.  CPUs go by the kernel's number
 * everywhere outside; only those count that this process may use.
 */
struct topo;

/* Return: 0 and *@out set, or -errno. */
int topo_open(struct topo **out);
void topo_close(struct topo *topo); /* NULL is fine */

/* topo_is_real() - false on an invented machine (HWLOC_SYNTHETIC,
 * HWLOC_XMLFILE): it can be asked, but must not be measured. */
bool topo_is_real(const struct topo *topo);

/**
 * topo_cpus() - the CPUs that this process may use, ascending.
 * @cpus: gets at most @max numbers.
 *
 * Return: how many there are (may be more than @max).
 */
size_t topo_cpus(const struct topo *topo, int *cpus, size_t max);

/**
 * topo_kinds() - the kinds of CPUs that this process may use, the fastest
 * first, by the names that hwloc has for them (IntelCore, IntelAtom) or kind0,
 * kind1 ... by its rank.
 * @names: gets at most @max, which live as long as @topo.
 *
 * Return: how many there are; 0 if all are of one kind, as far as is known.
 */
#define TOPO_MAX_KINDS 8
size_t topo_kinds(const struct topo *topo, const char **names, size_t max);

/* topo_kind() - that of @cpu; NULL where all are of one. */
const char *topo_kind(const struct topo *topo, int cpu);

/* topo_default_cpu() - the last usable CPU of @kind (NULL: the fastest): the
 * first ones get the interrupts.  -ENOENT if there is none. */
int topo_default_cpu(const struct topo *topo, const char *kind);

/* topo_distance() - as bench_distance(). */
enum bench_distance topo_distance(const struct topo *topo, int a, int b);

/* topo_partner() - a usable CPU at @place from @cpu, the nearest first; the
 * CPU itself for BENCH_SAME_CPU; -ENOENT if there is none. */
int topo_partner(const struct topo *topo, int cpu, enum bench_place place);

/**
 * topo_spread() - the order in which CPUs are taken for copies of one
 * operation: @first, then the other cores of its kind and package, then those
 * of other kinds and packages, then the other hardware threads of all these.
 * @cpus: gets at most @max numbers.
 *
 * Return: how many there are.
 */
size_t topo_spread(const struct topo *topo, int first, int *cpus, size_t max);

/* topo_cache_bytes() - data or unified cache of @level of @cpu; 0: unknown. */
uint64_t topo_cache_bytes(const struct topo *topo, int cpu, unsigned int level);

/* topo_caches_bytes() - the caches of @level that the @n CPUs @cpus use, each
 * counted once however many share it; 0: unknown for one of them. */
uint64_t topo_caches_bytes(const struct topo *topo, const int *cpus, size_t n,
			   unsigned int level);

/* topo_cache_share() - bytes of a cache of @level for each of the @n CPUs @cpus
 * that share it; the least that one of them gets; 0: unknown for one. */
uint64_t topo_cache_share(const struct topo *topo, const int *cpus, size_t n,
			  unsigned int level);

/* topo_numa_nodes() - how many NUMA nodes with memory; at least 1. */
int topo_numa_nodes(const struct topo *topo);

/**
 * topo_nodes() - the NUMA nodes whose memory this process may use, ascending.
 * @nodes: gets at most @max of the kernel's numbers.
 *
 * Return: how many there are (may be more than @max); 0 if hwloc knows none.
 */
size_t topo_nodes(const struct topo *topo, int *nodes, size_t max);

/* topo_node_of_cpu() - the first node local to @cpu; -ENOENT: none. */
int topo_node_of_cpu(const struct topo *topo, int cpu);

/* topo_cpu_of_node() - a usable CPU that @node is local to: @prefer if it is
 * one, else the last; -ENOENT if there is none (memory without CPUs). */
int topo_cpu_of_node(const struct topo *topo, int node, int prefer);

/* topo_bind_memory() - what is touched for the first time in [@base, @base +
 * @bytes) comes from @node and from nowhere else.  Return: 0, -ENOENT, -EXDEV
 * (not this machine's topology) or -errno. */
int topo_bind_memory(const struct topo *topo, void *base, size_t bytes,
		     int node);

/* topo_has() - whether this process may use @cpu. */
bool topo_has(const struct topo *topo, int cpu);

/* topo_last_cpu() - the highest CPU that the calling thread may use; -1: the
 * kernel does not say. */
int topo_last_cpu(void);

/**
 * topo_pin() - bind the calling thread to @cpu and verify that it runs there.
 *
 * Return: 0; -ERANGE if this process may not use it; -EXDEV if the topology
 * is not this machine's; -EIO if it then runs elsewhere; -errno.
 */
int topo_pin(const struct topo *topo, int cpu);

#endif
