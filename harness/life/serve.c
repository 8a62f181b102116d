/* SPDX-License-Identifier: MIT */
/* The services of bench.h that are about the place: CPUs, caches, files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "file_place.h"
#include "guard.h"
#include "mem.h"
#include "program.h"
#include "topo.h"
#include "units.h"

bool bench_stopping(const struct bench *b)
{
	return invocation_stop;
}

const struct timer *bench_timer(const struct bench *b)
{
	return &b->timer;
}

double bench_ns(const struct bench *b, double ticks)
{
	return timer_ns(&b->timer, ticks - b->timer.overhead_ticks);
}

uint64_t bench_seed(const struct bench *b)
{
	return b->seed;
}

bool bench_is_sample(const struct bench *b)
{
	return b->now.phase == PHASE_SAMPLE;
}

double bench_effort(const struct bench *b)
{
	return b->effort;
}

double bench_time_ns(const struct bench *b)
{
	return b->now.current ? b->now.current->got.time_ns : b->now.time_ns;
}

void *bench_first(const struct bench *b)
{
	return b->first;
}

int bench_cpu(const struct bench *b)
{
	return b->cpu;
}

int bench_partner(const struct bench *b, enum bench_place place)
{
	return topo_partner(b->topo, b->cpu, place);
}

enum bench_distance bench_distance(const struct bench *b, int a, int c)
{
	return topo_distance(b->topo, a, c);
}

unsigned int bench_cpus(const struct bench *b)
{
	return (unsigned int)topo_cpus(b->topo, NULL, 0);
}

int bench_unbind(const struct bench *b)
{
	const size_t n = bench_cpus(b);
	int *cpus = calloc(n + 1, sizeof(*cpus)), err = -ENOMEM;

	if (cpus)
		err = bench_bind(0, cpus, topo_cpus(b->topo, cpus, n));
	free(cpus);
	return err;
}

int bench_nth_cpu(const struct bench *b, unsigned int nth)
{
	size_t n = bench_cpus(b);
	int *cpus, found = -ERANGE;

	if (nth >= n)
		return -ERANGE;
	if (nth == 0)
		return b->cpu;
	cpus = calloc(n, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	topo_cpus(b->topo, cpus, n);
	for (size_t i = 0; i < n; i++)
		if (cpus[i] != b->cpu && --nth == 0) {
			found = cpus[i];
			break;
		}
	free(cpus);
	return found;
}

uint64_t bench_spare_bytes(const struct bench *b)
{
	static _Atomic uint64_t bytes;

	if (!bytes)
		bytes = mem_spare_bytes();
	return bytes;
}

uint64_t bench_cache_bytes(const struct bench *b, unsigned int level)
{
	return topo_cache_bytes(b->topo, b->cpu, level);
}

uint64_t bench_caches_bytes(const struct bench *b, const int *cpus, size_t n,
			    unsigned int level)
{
	return topo_caches_bytes(b->topo, cpus, n, level);
}

uint64_t bench_cache_share(const struct bench *b, const int *cpus, size_t n,
			   unsigned int level)
{
	return topo_cache_share(b->topo, cpus, n, level);
}

/* Files that lie elsewhere than where the user is: he may not expect it. */
static void tell_where(const struct bench *b)
{
	char here[sizeof(b->scratch)];
	struct file_place p = { 0 };
	int fd;

	if (b->dir || !b->first_process ||
	    (getcwd(here, sizeof(here)) &&
	     !strncmp(b->scratch, here, strlen(here))))
		return;
	fd = open(b->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_place_find(&p, fd);
	warn("no file can be made in the current directory: test files go to "
	     "%s (%s); --dir says where",
	     b->scratch, p.where);
	if (fd >= 0)
		close(fd);
}

const char *bench_scratch(struct bench *b)
{
	int err;

	if (b->scratch[0])
		return b->scratch;
	err = guard_scratch(b->dir, b->desc->name, b->scratch,
			    sizeof(b->scratch));
	if (err) {
		b->scratch[0] = '\0';
		bench_fail(b, -err, "make a directory for test files in %s",
			   b->dir ? b->dir : ".");
		return NULL;
	}
	guard_add(b->guard_fd, "dir", b->scratch);
	tell_where(b);
	return b->scratch;
}

bool bench_files_stay(const struct bench *b)
{
	return b->dir && guard_marked(b->dir, BENCH_FILES_MARK);
}

const char *bench_files(struct bench *b)
{
	return bench_files_stay(b) ? b->dir : bench_scratch(b);
}

size_t bench_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

const char *bench_page_name(void)
{
	static char name[UNITS_MAX];

	return units_size(name, bench_page_bytes());
}

void bench_guard(struct bench *b, const char *kind, const char *what)
{
	guard_add(b->guard_fd, kind, what);
}

void bench_say(struct bench *b, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	warn("%s", line);
}
