/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw.h"

/* Each loop counts the calls whose result was right: one compare and one add
 * beside some hundred cycles. */
#define LOOP(name, right)                                                 \
	static int run_##name(struct bench *b, void *state,               \
			      const struct bench_case *c, uint64_t iters) \
	{                                                                 \
		struct calls_state *s = state;                            \
		struct calls_memory *m = s->m;                            \
		uint64_t good = 0;                                        \
                                                                          \
		(void)b;                                                  \
		(void)c;                                                  \
		(void)m;                                                  \
		for (uint64_t i = 0; i < iters; i++)                      \
			good += (right);                                  \
		s->asked += iters;                                        \
		s->good += good;                                          \
		return 0;                                                 \
	}

#define RAW(nr, a, b, c) raw_syscall(SYS_##nr, (long)(a), (long)(b), (long)(c))
/* Pointers are below 4 GiB: see calls_memory. */
#define LOW(x)		   ((unsigned int)(uintptr_t)(x))
#define INT80(NR, a, b, c) raw_int80(INT80_##NR, LOW(a), LOW(b), LOW(c))

LOOP(getpid_libc, getpid() == s->pid)
LOOP(getpid_syscall, RAW(getpid, 0, 0, 0) == s->pid)
LOOP(getpid_int80, INT80(GETPID, 0, 0, 0) == s->pid)

LOOP(getppid_libc, getppid() == s->ppid)
LOOP(getppid_syscall, RAW(getppid, 0, 0, 0) == s->ppid)
LOOP(getppid_int80, INT80(GETPPID, 0, 0, 0) == s->ppid)

LOOP(getcwd_libc, getcwd(m->buffer, sizeof(m->buffer)) == m->buffer)
LOOP(getcwd_syscall,
     RAW(getcwd, m->buffer, sizeof(m->buffer), 0) == (long)s->cwd_bytes)
LOOP(getcwd_int80,
     INT80(GETCWD, m->buffer, sizeof(m->buffer), 0) == (int)s->cwd_bytes)

LOOP(read_libc, read(s->zero, m->buffer, 1) == 1)
LOOP(read_syscall, RAW(read, s->zero, m->buffer, 1) == 1)
LOOP(read_int80, INT80(READ, s->zero, m->buffer, 1) == 1)

LOOP(write_libc, write(s->null, m->buffer, 1) == 1)
LOOP(write_syscall, RAW(write, s->null, m->buffer, 1) == 1)
LOOP(write_int80, INT80(WRITE, s->null, m->buffer, 1) == 1)

LOOP(stat_libc, stat(m->path, &m->st) == 0)
LOOP(stat_syscall, RAW(stat, m->path, &m->st, 0) == 0)
LOOP(stat_int80, INT80(STAT64, m->path, &m->st64, 0) == 0)

LOOP(fstat_libc, fstat(s->file, &m->st) == 0)
LOOP(fstat_syscall, RAW(fstat, s->file, &m->st, 0) == 0)
LOOP(fstat_int80, INT80(FSTAT64, s->file, &m->st64, 0) == 0)

TIMER_INLINE bool open_close_libc(const char *path)
{
	const int fd = open(path, O_RDONLY);

	return fd >= 0 && close(fd) == 0;
}

TIMER_INLINE bool open_close_syscall(const char *path)
{
	const long fd = RAW(open, path, O_RDONLY, 0);

	return fd >= 0 && RAW(close, fd, 0, 0) == 0;
}

TIMER_INLINE bool open_close_int80(const char *path)
{
	const int fd = INT80(OPEN, path, O_RDONLY, 0);

	return fd >= 0 && INT80(CLOSE, fd, 0, 0) == 0;
}

LOOP(open_close_libc, open_close_libc(m->path))
LOOP(open_close_syscall, open_close_syscall(m->path))
LOOP(open_close_int80, open_close_int80(m->path))

LOOP(clock_libc, clock_gettime(CLOCK_MONOTONIC, &m->now) == 0)
LOOP(clock_syscall, RAW(clock_gettime, CLOCK_MONOTONIC, &m->now, 0) == 0)
LOOP(clock_int80, INT80(CLOCK_GETTIME64, CLOCK_MONOTONIC, &m->now, 0) == 0)
LOOP(clock_vdso, s->vdso_gettime(CLOCK_MONOTONIC, &m->now) == 0)

LOOP(invalid_libc, syscall(CALLS_INVALID_NUMBER) == -1 && errno == ENOSYS)
LOOP(invalid_syscall, raw_syscall(CALLS_INVALID_NUMBER, 0, 0, 0) == -ENOSYS)
LOOP(invalid_int80, raw_int80(CALLS_INVALID_NUMBER, 0, 0, 0) == -ENOSYS)

#define THREE(call, name, run)                                  \
	{ call, name, "libc", run_##run##_libc },               \
		{ call, name, "syscall", run_##run##_syscall }, \
	{                                                       \
		call, name, "int80", run_##run##_int80          \
	}

const struct calls_entry calls_table[] = {
	THREE(CALL_GETPID, "getpid", getpid),
	THREE(CALL_GETPPID, "getppid", getppid),
	THREE(CALL_GETCWD, "getcwd", getcwd),
	THREE(CALL_READ, "read", read),
	THREE(CALL_WRITE, "write", write),
	THREE(CALL_STAT, "stat", stat),
	THREE(CALL_FSTAT, "fstat", fstat),
	THREE(CALL_OPEN_CLOSE, "open_close", open_close),
	THREE(CALL_CLOCK_GETTIME, "clock_gettime", clock),
	{ CALL_CLOCK_GETTIME, "clock_gettime", "vdso", run_clock_vdso },
	THREE(CALL_INVALID, "invalid", invalid),
};

const size_t calls_count = sizeof(calls_table) / sizeof(*calls_table);
