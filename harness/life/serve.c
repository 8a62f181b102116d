/* SPDX-License-Identifier: MIT */
/* The services of bench.h that are about the invocation and its files. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "file_place.h"
#include "guard.h"
#include "program.h"
#include "units.h"

/* The facts of an invocation that a program may read. */
#define GIVES(type, name, what)          \
	type name(const struct bench *b) \
	{                                \
		return what;             \
	}

GIVES(const struct timer *, bench_timer, &b->timer)
GIVES(uint64_t, bench_seed, b->plan.seed)
GIVES(bool, bench_is_sample, b->now.phase == PHASE_SAMPLE)
GIVES(double, bench_effort, (double)b->plan.effort / 100)
GIVES(double, bench_time_ns,
      b->now.current ? b->now.current->got.time_ns : b->now.time_ns)
GIVES(void *, bench_first, b->first)
GIVES(int, bench_cpu, b->cpu)

double bench_ns(const struct bench *b, double ticks)
{
	return timer_ns(&b->timer, ticks - b->timer.overhead_ticks);
}

/* Files that lie elsewhere than where the user is: he may not expect it. */
static void note_place(const struct bench *b)
{
	char here[sizeof(b->scratch)];
	struct file_place p;
	int fd;

	if (b->plan.dir || !b->plan.first_process ||
	    (getcwd(here, sizeof(here)) &&
	     !strncmp(b->scratch, here, strlen(here))))
		return;
	fd = open(b->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p = file_place_find(fd);
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
	err = guard_scratch(b->plan.dir, b->plan.name, b->scratch,
			    sizeof(b->scratch));
	if (err) {
		b->scratch[0] = '\0';
		bench_fail(b, -err, "make a directory for test files in %s",
			   b->plan.dir ? b->plan.dir : ".");
		return "/dev/null/";
	}
	guard_add(b->plan.guard_fd, "dir", b->scratch);
	note_place(b);
	return b->scratch;
}

bool bench_files_stay(const struct bench *b)
{
	return b->plan.dir && guard_marked(b->plan.dir, BENCH_FILES_MARK);
}

const char *bench_files(struct bench *b)
{
	return bench_files_stay(b) ? b->plan.dir : bench_scratch(b);
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
	guard_add(b->plan.guard_fd, kind, what);
}
