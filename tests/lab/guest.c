/* SPDX-License-Identifier: MIT */
/*
 * The first and only process of an emulated machine (tests/lab/counters):
 * it counts loops of known length with the counters of harness/ through the
 * kernel's real perf_event_open(), says what it saw and switches the machine
 * off.  It judges nothing; the script does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counters.h"

#define WIDTH 4 /* as if the core could retire four at once */

/* Three instructions each time round, as the script's expectation has it. */
static __attribute__((noinline)) void loop3(uint64_t n)
{
	__asm__ volatile("1:\n\t"
			 "add x9, x9, x9\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b"
			 : "+r"(n)
			 :
			 : "x9", "cc");
}

/* Twelve of them. */
static __attribute__((noinline)) void loop12(uint64_t n)
{
	__asm__ volatile("1:\n\t"
			 ".rept 10\n\t"
			 "add x9, x9, x9\n\t"
			 ".endr\n\t"
			 "subs %0, %0, #1\n\t"
			 "b.ne 1b"
			 : "+r"(n)
			 :
			 : "x9", "cc");
}

static void write_count(const char *name, const struct counters_count *k)
{
	if (k->known)
		printf(" %s=%.0f", name, k->value);
	else
		printf(" %s=unknown", name);
}

static void say(const char *what, uint64_t n, const struct counters_counts *k)
{
	const double width[COUNTERS_PMUS] = { WIDTH, WIDTH, WIDTH, WIDTH };

	printf("@%s n=%" PRIu64, what, n);
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		write_count(counters_name((enum counters_event)e),
			    &k->count[e]);
	printf(" ipc=%.6f load_pct=%.6f scaled=%d\n", counters_ipc(k),
	       counters_load_pct(k, width),
	       k->count[COUNTERS_INSTRUCTIONS].scaled);
}

static struct counters *open_or_say(const struct counters_target *target,
				    unsigned int flags)
{
	struct counters *c;
	int err = counters_open(&c, target, flags);

	if (err)
		printf("@failed to open: %s\n", strerror(-err));
	return err ? NULL : c;
}

/* Start or stop, and say if it fails: then @k holds nothing. */
static bool started(struct counters *c)
{
	int err = counters_start(c);

	if (err)
		printf("@failed to start: %s\n", strerror(-err));
	return !err;
}

static bool stopped(struct counters *c, struct counters_counts *k)
{
	int err = counters_stop(c, k);

	if (err)
		printf("@failed to stop: %s\n", strerror(-err));
	return !err;
}

static void count_loop(const char *what, unsigned int flags,
		       void (*loop)(uint64_t), uint64_t n)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters *c = open_or_say(&self, flags);
	struct counters_counts k;

	if (!c)
		return;
	/* Once without counting: the first time pays for pages. */
	if (started(c)) {
		loop(1);
		stopped(c, &k);
	}
	if (started(c)) {
		loop(n);
		if (stopped(c, &k))
			say(what, n, &k);
	}
	counters_close(c);
}

static void write_reason(void)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters *c = open_or_say(&self, 0);

	if (!c)
		return;
	printf("@pmus n=%u name=%s\n", counters_pmus(c),
	       counters_pmu_name(c, 0));
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		if (counters_why(c, (enum counters_event)e))
			printf("@why %s: %s\n",
			       counters_name((enum counters_event)e),
			       counters_why(c, (enum counters_event)e));
	counters_close(c);
}

/* The work of a child does not count. */
static void count_alone(uint64_t n)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters *c = open_or_say(&self, COUNTERS_USER);
	struct counters_counts k;
	pid_t child;

	if (!c)
		return;
	if (started(c)) {
		child = fork();
		if (!child) {
			loop3(n);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		if (stopped(c, &k))
			say("alone", n, &k);
	}
	counters_close(c);
}

static void count_cpu(uint64_t n)
{
	static const struct counters_target cpu = { .kind = COUNTERS_CPU,
						    .cpu = 0 };
	struct counters *c = open_or_say(&cpu, COUNTERS_USER);
	struct counters_counts k;

	if (!c)
		return;
	if (started(c)) {
		loop3(n);
		if (stopped(c, &k))
			say("cpu", n, &k);
	}
	counters_close(c);
}

/* More sets than there are counters take turns. */
#define SETS 6
static void count_shared(uint64_t n)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters *c[SETS] = { NULL };
	struct counters_counts k;

	for (int i = 0; i < SETS; i++)
		c[i] = open_or_say(&self, COUNTERS_USER);
	for (int i = 0; i < SETS; i++)
		if (c[i])
			counters_start(c[i]);
	loop3(n);
	for (int i = 0; i < SETS; i++) {
		if (c[i] && !counters_stop(c[i], &k))
			say("shared", n, &k);
		counters_close(c[i]);
	}
}

int main(void)
{
	/* It switches the machine off. */
	if (getpid() != 1) {
		fputs("guest: only as the first process of a machine\n",
		      stderr);
		return 2;
	}
	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	write_reason();
	for (uint64_t n = 1000; n <= 1000000; n *= 10) {
		count_loop("loop3", COUNTERS_USER, loop3, n);
		count_loop("loop3", COUNTERS_USER, loop3, 2 * n);
		count_loop("loop12", COUNTERS_USER, loop12, n);
		count_loop("loop12", COUNTERS_USER, loop12, 2 * n);
	}
	count_loop("kernel_too", 0, loop3, 1000000);
	count_alone(1000000);
	count_cpu(1000000);
	count_shared(50000000);
	puts("@end");
	fflush(stdout);
	reboot(RB_POWER_OFF);
	return 1;
}
