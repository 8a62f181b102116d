/* SPDX-License-Identifier: MIT */
#ifndef BANDWIDTH_PLAN_H
#define BANDWIDTH_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "mem_kernels.h"
#include "partner.h"

/*
 * The rows of mem_bandwidth: which kernels, with which registers, on arrays of
 * which size, by how many threads; and the rows that take the best of them.
 */
#define BANDWIDTH_CHUNK ((size_t)256 << 10) /* of each array, in one round */
#define BANDWIDTH_INTS	((size_t)64 << 20)  /* of the report's access */
enum bandwidth_level { LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_MEMORY, LEVELS };

/* The state of a case. */
struct bandwidth_spec {
	enum mem_op op;
	enum mem_isa isa;
	enum bandwidth_level level;
	unsigned int threads;
	size_t size;  /* of all arrays of all threads */
	size_t part;  /* bytes of one array of one thread */
	size_t chunk; /* of that, what one round goes over; the last one less */
	const struct bench_case *best; /* the row that takes it if it wins */
};

struct bandwidth_plan {
	size_t last_bytes; /* of the last cache that is known; 0: of none */
	/* The room of each level for the arrays of all threads, and the size
	 * beyond all caches; for the number of threads being planned, and when
	 * all is planned for one. */
	size_t room[LEVEL_MEMORY], memory_bytes;
	unsigned int cpus;
	int cpu[PARTNER_TEAM_MAX]; /* of each thread */
};

extern const char bandwidth_plan_asked[];

/* bandwidth_plan_make() - add the cases but the report's. bandwidth_plan_fill()
 * - of each of them its spec; false if it is not worth a row. */
void bandwidth_plan_make(struct bench *b, struct bandwidth_plan *p);
bool bandwidth_plan_fill(const struct bench *b, const struct bandwidth_plan *p,
			 struct bench_case *c);

/* bandwidth_place() - where the @nth array of a thread begins, in bytes from
 * the start of its memory; what the operation does not use is where the first
 * is. bandwidth_room() - the memory that it needs. */
size_t bandwidth_place(const struct bandwidth_spec *spec, unsigned int nth);
size_t bandwidth_room(const struct bandwidth_spec *spec);

/* bandwidth_rate() - bytes a second, of all threads, where one of them came by
 * @bytes of each of its arrays in @ns. */
double bandwidth_rate(const struct bandwidth_spec *spec, uint64_t bytes,
		      double ns);

/* bandwidth_plan_derive() - give the rows isa=best the best of what was
 * measured, and what is in L3 by its size the fact times_memory: its rate over
 * that of the same way in memory, to hundredths, about 1 where the cache did
 * not hold it.  No fact where either has no value. */
void bandwidth_plan_derive(struct bench *b, const struct bandwidth_plan *p);

#endif
