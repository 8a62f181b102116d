/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "arch.h"

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
/* File @name in the open directory @dir, so that no path is walked. */
#define RAW_STAT(dir, name, st) \
	raw_syscall4(SYS_newfstatat, dir, (long)(name), (long)(st), 0)
/* The 32-bit gate, where there is one.  Pointers are below 4 GiB: see
 * calls_memory. */
#if ARCH_INT80
#define LOW(x)			 ((unsigned int)(uintptr_t)(x))
#define INT80(NR, a, b, c)	 raw_int80(INT80_##NR, LOW(a), LOW(b), LOW(c), 0)
#define LOOP32(name, right)	 LOOP(name##_int80, right)
#define ENTRY32(call, name, run) { call, name, "int80", run_##run##_int80 },

TIMER_INLINE bool close32(int fd)
{
	return fd >= 0 && INT80(CLOSE, fd, 0, 0) == 0;
}
#else
#define LOOP32(name, right)
#define ENTRY32(call, name, run)
#endif

LOOP(getpid_libc, getpid() == s->pid)
LOOP(getpid_syscall, RAW(getpid, 0, 0, 0) == s->pid)
LOOP32(getpid, INT80(GETPID, 0, 0, 0) == s->pid)

LOOP(getppid_libc, getppid() == s->ppid)
LOOP(getppid_syscall, RAW(getppid, 0, 0, 0) == s->ppid)
LOOP32(getppid, INT80(GETPPID, 0, 0, 0) == s->ppid)

LOOP(getcwd_libc, getcwd(m->buffer, sizeof(m->buffer)) == m->buffer)
LOOP(getcwd_syscall,
     RAW(getcwd, m->buffer, sizeof(m->buffer), 0) == (long)s->cwd_bytes)
LOOP32(getcwd,
       INT80(GETCWD, m->buffer, sizeof(m->buffer), 0) == (int)s->cwd_bytes)

LOOP(read_libc, read(s->zero, m->buffer, 1) == 1)
LOOP(read_syscall, RAW(read, s->zero, m->buffer, 1) == 1)
LOOP32(read, INT80(READ, s->zero, m->buffer, 1) == 1)

LOOP(write_libc, write(s->null, m->buffer, 1) == 1)
LOOP(write_syscall, RAW(write, s->null, m->buffer, 1) == 1)
LOOP32(write, INT80(WRITE, s->null, m->buffer, 1) == 1)

LOOP(stat_libc, fstatat(s->dir, m->name, &m->st, 0) == 0)
LOOP(stat_syscall, RAW_STAT(s->dir, m->name, &m->st) == 0)
LOOP32(stat, INT80(FSTATAT64, s->dir, m->name, &m->st64) == 0)

LOOP(fstat_libc, fstat(s->file, &m->st) == 0)
LOOP(fstat_syscall, RAW(fstat, s->file, &m->st, 0) == 0)
LOOP32(fstat, INT80(FSTAT64, s->file, &m->st64, 0) == 0)

TIMER_INLINE bool open_close_libc(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY);

	return fd >= 0 && close(fd) == 0;
}

TIMER_INLINE bool open_close_syscall(int dir, const char *name)
{
	const long fd = RAW(openat, dir, name, O_RDONLY);

	return fd >= 0 && RAW(close, fd, 0, 0) == 0;
}

LOOP(open_close_libc, open_close_libc(s->dir, m->name))
LOOP(open_close_syscall, open_close_syscall(s->dir, m->name))
LOOP32(open_close, close32(INT80(OPENAT, s->dir, m->name, O_RDONLY)))

LOOP(clock_libc, clock_gettime(CLOCK_MONOTONIC, &m->now) == 0)
LOOP(clock_syscall, RAW(clock_gettime, CLOCK_MONOTONIC, &m->now, 0) == 0)
LOOP32(clock, INT80(CLOCK_GETTIME64, CLOCK_MONOTONIC, &m->now, 0) == 0)
LOOP(clock_vdso, s->vdso_gettime(CLOCK_MONOTONIC, &m->now) == 0)

LOOP(invalid_libc, syscall(CALLS_INVALID_NUMBER) == -1 && errno == ENOSYS)
LOOP(invalid_syscall, raw_syscall(CALLS_INVALID_NUMBER, 0, 0, 0) == -ENOSYS)
LOOP32(invalid, raw_int80(CALLS_INVALID_NUMBER, 0, 0, 0, 0) == -ENOSYS)

#define ALL(call, name, run)                                    \
	{ call, name, "libc", run_##run##_libc },               \
		{ call, name, "syscall", run_##run##_syscall }, \
		ENTRY32(call, name, run)

const struct calls_entry calls_table[] = {
	ALL(CALL_GETPID, "getpid", getpid) ALL(CALL_GETPPID, "getppid", getppid)
		ALL(CALL_GETCWD, "getcwd", getcwd) ALL(CALL_READ, "read", read)
			ALL(CALL_WRITE, "write",
			    write) ALL(CALL_STAT, "stat",
				       stat) ALL(CALL_FSTAT, "fstat", fstat)
				ALL(CALL_OPEN_CLOSE, "open_close", open_close)
					ALL(CALL_CLOCK_GETTIME, "clock_gettime",
					    clock) { CALL_CLOCK_GETTIME,
						     "clock_gettime", "vdso",
						     run_clock_vdso },
	ALL(CALL_INVALID, "invalid", invalid)
};

const size_t calls_count = sizeof(calls_table) / sizeof(*calls_table);
