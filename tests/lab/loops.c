/* SPDX-License-Identifier: MIT */
/*
 * The loops of benchmarks, alone: run under callgrind, and where the machine
 * has counters also under those, so that both can be compared with what the
 * source says.
 *
 * usage: loops NAME N          do N times round of it
 *        loops NAME N count    and print what the counters saw: a number or
 *                              "unknown"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../bench/cpu/loop.c"
#include "../../bench/memory/lib/chase.h"
#include "counters.h"
#include "reference.h"

#define LINES 4096

static void *chase_from;

/* The parts of the harness that a loop needs. */
int bench_fail(struct bench *b, int err, const char *fmt, ...)
{
	return err ? -err : -EIO;
}

void bench_proof(struct bench *b, const struct bench_case *c, const char *what,
		 double expected, double seen)
{
}

/* One function each that callgrind can begin and end at. */
static __attribute__((noinline)) void counted_memory(uint64_t n)
{
	struct loop_state s = { 0 };

	run_each_memory(NULL, &s, NULL, n);
	BENCH_KEEP(s.passes);
}

static __attribute__((noinline)) void counted_register(uint64_t n)
{
	struct loop_state s = { 0 };

	run_each_register(NULL, &s, NULL, n);
	BENCH_KEEP(s.passes);
}

static __attribute__((noinline)) void counted_add(uint64_t n)
{
	BENCH_KEEP(reference_independent(n));
}

static __attribute__((noinline)) void counted_chase(uint64_t n)
{
	void *end = chase_run(chase_from, n);

	BENCH_KEEP(end);
}

static const struct {
	const char *name;
	void (*run)(uint64_t n);
} loops[] = {
	{ "memory", counted_memory },
	{ "register", counted_register },
	{ "add", counted_add },
	{ "chase", counted_chase },
};

static int count(void (*run)(uint64_t n), uint64_t n)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters_counts k;
	struct counters *c;

	if (counters_open(&c, &self, COUNTERS_USER) || counters_start(c))
		return 1;
	run(n);
	if (counters_stop(c, &k))
		return 1;
	counters_close(c);
	if (k.count[COUNTERS_INSTRUCTIONS].known &&
	    !k.count[COUNTERS_INSTRUCTIONS].scaled)
		printf("%.0f\n", k.count[COUNTERS_INSTRUCTIONS].value);
	else
		puts("unknown");
	return 0;
}

int main(int argc, char **argv)
{
	struct chase chase;
	void *buffer = aligned_alloc(CHASE_LINE, LINES * CHASE_LINE);
	int status = 2;

	if (argc < 3 || !buffer ||
	    chase_link_random(&chase, buffer, LINES * CHASE_LINE, 0, 1))
		return 2;
	chase_from = chase.entry[0];
	for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		uint64_t n = strtoull(argv[2], NULL, 10);

		if (strcmp(argv[1], loops[i].name) != 0)
			continue;
		status = 0;
		if (argc > 3)
			status = count(loops[i].run, n);
		else
			loops[i].run(n);
	}
	free(buffer);
	return status;
}
