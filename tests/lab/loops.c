/* SPDX-License-Identifier: MIT */
/*
 * The loops of benchmarks, alone: run under callgrind, and where the machine
 * has counters also under those, so that both can be compared with what the
 * source says.
 *
 * usage: loops NAME N        do N times round of it
 *        loops NAME N HOW    and print what the counters saw: EVENT=COUNT for
 *                            each, "unknown" with its reason in a line below
 *
 * HOW is count (the user's instructions), kernel (its own, too), child (the
 * loop is done by a child, which is not counted), cpu (all that CPU 0 does) or
 * shared (by more sets than there are counters, which take turns).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/cpu/loop.c"
#include "../../bench/memory/lib/chase.h"
#include "counters.h"
#include "reference.h"

#define LINES 4096
#define SETS  6
#define WIDTH 4 /* as if the core could retire four at once */

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

static void print_counts(const struct counters *c,
			 const struct counters_counts *k)
{
	const double width[COUNTERS_PMUS] = { WIDTH, WIDTH, WIDTH, WIDTH };

	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (k->count[e].known)
			printf(" %s=%.0f",
			       counters_name((enum counters_event)e),
			       k->count[e].value);
		else
			printf(" %s=unknown",
			       counters_name((enum counters_event)e));
	printf(" ipc=%.6f load_pct=%.6f scaled=%d\n", counters_ipc(k),
	       counters_load_pct(k, width),
	       k->count[COUNTERS_INSTRUCTIONS].scaled);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (counters_why(c, (enum counters_event)e))
			printf("why %s: %s\n",
			       counters_name((enum counters_event)e),
			       counters_why(c, (enum counters_event)e));
}

/* The first time pays for pages: that is not counted. */
static int count(void (*run)(uint64_t n), uint64_t n, const char *how)
{
	const struct counters_target target = {
		.kind = strcmp(how, "cpu") ? COUNTERS_SELF : COUNTERS_CPU
	};
	const unsigned int flags = strcmp(how, "kernel") ? COUNTERS_USER : 0;
	const int sets = strcmp(how, "shared") ? 1 : SETS;
	struct counters *c[SETS];
	struct counters_counts k;

	for (int i = 0; i < sets; i++)
		if (counters_open(&c[i], &target, flags) ||
		    counters_start(c[i]) || counters_stop(c[i], &k))
			return 1;
	run(1);
	for (int i = 0; i < sets; i++)
		if (counters_start(c[i]))
			return 1;
	if (!strcmp(how, "child")) {
		const pid_t child = fork();

		if (!child) {
			run(n);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	} else {
		run(n);
	}
	for (int i = 0; i < sets; i++) {
		if (counters_stop(c[i], &k))
			return 1;
		printf("%s", how);
		print_counts(c[i], &k);
		counters_close(c[i]);
	}
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
			status = count(loops[i].run, n, argv[3]);
		else
			loops[i].run(n);
	}
	free(buffer);
	return status;
}
