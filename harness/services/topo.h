/* SPDX-License-Identifier: MIT */
#ifndef TOPO_H
#define TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"

/*
 * The only module that talks to hwloc: it also has what bench.h says of CPUs,
 * caches and nodes.  CPUs go by the kernel's number everywhere outside; only
 * those count that this process may use.
 */
struct topo;

/* Return: 0 and *@out set, or -errno. */
int topo_open(struct topo **out);
void topo_close(struct topo *topo); /* NULL is fine */

/* topo_is_real() - false on an invented machine (HWLOC_SYNTHETIC,
 * HWLOC_XMLFILE): it can be asked, but must not be measured. */
bool topo_is_real(const struct topo *topo);

/* topo_kind() - the kind of @cpu, by the name that hwloc has for it (IntelCore,
 * IntelAtom) or kind0, kind1 ... by its rank; NULL where all CPUs that this
 * process may use are of one kind, as far as is known. */
const char *topo_kind(const struct topo *topo, int cpu);

/* topo_default_cpu() - the last usable CPU of the @nth kind, of which 0 is the
 * fastest: the first ones get the interrupts.  -ENOENT if there is none. */
int topo_default_cpu(const struct topo *topo, size_t nth);

/* topo_spread() - all CPUs, a new array, in the order in which they are taken
 * for copies of one operation: @first, then the other cores of its kind and
 * package, then those of other kinds and packages, then the other hardware
 * threads of all these. */
int *topo_spread(const struct topo *topo, int first);

/* topo_has() - whether this process may use @cpu. */
bool topo_has(const struct topo *topo, int cpu);

/* topo_last_cpu() - the highest CPU that the calling thread may use; -1: the
 * kernel does not say. */
int topo_last_cpu(void);

/* topo_confine() - let this process, and what it starts, use the CPUs of @list
 * ("0-3,7") only, before topo_open().  Return: NULL, or why it may not. */
const char *topo_confine(const char *list);

#endif
