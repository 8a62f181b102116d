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

/* topo_default_cpu() - the last usable CPU: the first ones get the
 * interrupts.  -ENOENT if there is none. */
int topo_default_cpu(const struct topo *topo);

/* topo_partner() - a usable CPU at @place from @cpu, the nearest first; the
 * CPU itself for BENCH_SAME_CPU; -ENOENT if there is none. */
int topo_partner(const struct topo *topo, int cpu, enum bench_place place);

/* topo_cache_bytes() - data or unified cache of @level of @cpu; 0: unknown. */
uint64_t topo_cache_bytes(const struct topo *topo, int cpu, unsigned int level);

/* topo_numa_nodes() - how many NUMA nodes with memory; at least 1. */
int topo_numa_nodes(const struct topo *topo);

/**
 * topo_pin() - bind the calling thread to @cpu and verify that it runs there.
 *
 * Return: 0; -ERANGE if this process may not use it; -EXDEV if the topology
 * is not this machine's; -EIO if it then runs elsewhere; -errno.
 */
int topo_pin(const struct topo *topo, int cpu);

#endif
