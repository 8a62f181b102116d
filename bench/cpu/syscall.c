/* SPDX-License-Identifier: MIT */
/*
 * syscall - what does it cost to ask the kernel for something small?
 *
 * Each call does next to nothing in the kernel, so that most of the time is
 * the way in and out: getpid and getppid (a few loads), an invalid number (the
 * way alone), read of one byte from /dev/zero and write of one to /dev/null,
 * getcwd, stat and fstat of a file, open and close of it, clock_gettime. stat
 * and open_close look up one name in an open directory (newfstatat, openat), so
 * that they cost the same wherever the test directory lies; getcwd costs more
 * the deeper the current directory is (the fact path_components).
 *
 * Four ways in: by=libc is the function that a program calls; by=syscall the
 * instruction SYSCALL by itself; by=int80 the 32-bit gate INT 0x80 with the
 * 32-bit call of that name; by=vdso the kernel's code in the process, without
 * entering the kernel.  libc's clock_gettime uses the vDSO, and its fstat uses
 * newfstatat(2), which has more to do than the old call of by=syscall.
 *
 * Measures: ns for one call (open_close: for the pair).
 * Includes: checking each result, about one cycle.
 * After:    CSE 221 report, section 3.4 and table 2 (single shots; getpid and
 *	     getcwd by libc, int and syscall), and lmbench 3 lat_syscall null
 *	     (getppid), read, write, stat, fstat and open: comparable, but that
 *	     lmbench walks a path: each component adds some 30 ns.
 * Needs:    nothing; int80 and vdso are skipped where they are not to be had.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "bench.h"
#include "call.h"
#include "lib/kernel_entry.h"

/* No kernel has had a number near this one, in either table. */
#define INVALID_NUMBER 1000000

/* struct stat64 of the 32-bit table. */
struct stat64_32 {
	uint64_t dev;
	uint32_t pad0, low_ino, mode, nlink, uid, gid;
	uint64_t rdev;
	uint32_t pad1;
	int64_t size;
	uint32_t blksize;
	uint64_t blocks;
	uint32_t times[6];
	uint64_t ino;
} __attribute__((packed));

/* The memory that the calls write to and read from.  It lies below 4 GiB, where
 * 32-bit pointers reach, and all ways in use the same. */
struct memory {
	char name[8];	       /* of the file to stat and to open */
	char buffer[PATH_MAX]; /* byte to read or write, or the directory */
	struct stat st;
	struct stat64_32 st64;
	struct timespec now; /* 64-bit in the 32-bit call, too */
};

struct state {
	uint64_t right;
	struct memory *m;
	int (*vdso_gettime)(clockid_t id, struct timespec *now);
	pid_t pid, ppid;
	int zero, null;	  /* descriptors: /dev/zero, /dev/null */
	int dir, file;	  /* a file and its directory; -1: not made */
	size_t cwd_bytes; /* with the closing 0; 0: getcwd(2) failed */
	char cwd[PATH_MAX];
	struct stat expected; /* of the file */
	uint64_t started_ns;  /* CLOCK_MONOTONIC before the batch */
};

#define RAW(nr, a, b, c) raw_syscall(SYS_##nr, (long)(a), (long)(b), (long)(c))
/* File @name in the open directory @dir, so that no path is walked. */
#define RAW_STAT(dir, name, st) \
	raw_syscall4(SYS_newfstatat, dir, (long)(name), (long)(st), 0)

/* The last call of the batch must have left this in memory. */
static bool is_cwd(const struct state *s)
{
	return !strcmp(s->m->buffer, s->cwd);
}

static bool is_stat(const struct state *s)
{
	return s->m->st.st_size == s->expected.st_size &&
	       s->m->st.st_ino == s->expected.st_ino;
}

static bool is_now(const struct state *s)
{
	const uint64_t ns = timespec_ns(&s->m->now);

	return s->started_ns <= ns && ns <= kernel_ns(CLOCK_MONOTONIC);
}

/* The 32-bit gate, where there is one.  Pointers are below 4 GiB: see struct
 * memory. */
#if ARCH_INT80
#define LOW(x)		   ((unsigned int)(uintptr_t)(x))
#define INT80(NR, a, b, c) raw_int80(INT80_##NR, LOW(a), LOW(b), LOW(c), 0)

static bool is_stat64(const struct state *s)
{
	return s->m->st64.size == s->expected.st_size &&
	       s->m->st64.ino == s->expected.st_ino;
}

#define CALLS_INT80(X)                                                         \
	X(LOOP, getpid_int80, INT80(GETPID, 0, 0, 0) == s->pid)                \
	X(LOOP, getppid_int80, INT80(GETPPID, 0, 0, 0) == s->ppid)             \
	X(LOOP, getcwd_int80,                                                  \
	  INT80(GETCWD, m->buffer, sizeof(m->buffer), 0) == (int)s->cwd_bytes, \
	  is_cwd(s))                                                           \
	X(LOOP, read_int80, INT80(READ, s->zero, m->buffer, 1) == 1,           \
	  !m->buffer[0])                                                       \
	X(LOOP, write_int80, INT80(WRITE, s->null, m->buffer, 1) == 1)         \
	X(LOOP, stat_int80, INT80(FSTATAT64, s->dir, m->name, &m->st64) == 0,  \
	  is_stat64(s))                                                        \
	X(LOOP, fstat_int80, INT80(FSTAT64, s->file, &m->st64, 0) == 0,        \
	  is_stat64(s))                                                        \
	X(LOOP, open_close_int80,                                              \
	  INT80(CLOSE, INT80(OPENAT, s->dir, m->name, O_RDONLY), 0, 0) == 0)   \
	X(LOOP, clock_gettime_int80,                                           \
	  INT80(CLOCK_GETTIME64, CLOCK_MONOTONIC, &m->now, 0) == 0, is_now(s)) \
	X(LOOP, invalid_int80, raw_int80(INVALID_NUMBER, 0, 0, 0, 0) == -ENOSYS)
#else
#define CALLS_INT80(X)
#endif

/* Each loop counts the calls whose result was right: one compare and one add
 * beside some hundred cycles. */
#define CALLS(X)                                                              \
	X(LOOP, getpid_libc, getpid() == s->pid)                              \
	X(LOOP, getpid_syscall, RAW(getpid, 0, 0, 0) == s->pid)               \
	X(LOOP, getppid_libc, getppid() == s->ppid)                           \
	X(LOOP, getppid_syscall, RAW(getppid, 0, 0, 0) == s->ppid)            \
	X(LOOP, getcwd_libc,                                                  \
	  getcwd(m->buffer, sizeof(m->buffer)) == m->buffer, is_cwd(s))       \
	X(LOOP, getcwd_syscall,                                               \
	  RAW(getcwd, m->buffer, sizeof(m->buffer), 0) == (long)s->cwd_bytes, \
	  is_cwd(s))                                                          \
	X(LOOP, read_libc, read(s->zero, m->buffer, 1) == 1, !m->buffer[0])   \
	X(LOOP, read_syscall, RAW(read, s->zero, m->buffer, 1) == 1,          \
	  !m->buffer[0])                                                      \
	X(LOOP, write_libc, write(s->null, m->buffer, 1) == 1)                \
	X(LOOP, write_syscall, RAW(write, s->null, m->buffer, 1) == 1)        \
	X(LOOP, stat_libc, fstatat(s->dir, m->name, &m->st, 0) == 0,          \
	  is_stat(s))                                                         \
	X(LOOP, stat_syscall, RAW_STAT(s->dir, m->name, &m->st) == 0,         \
	  is_stat(s))                                                         \
	X(LOOP, fstat_libc, fstat(s->file, &m->st) == 0, is_stat(s))          \
	X(LOOP, fstat_syscall, RAW(fstat, s->file, &m->st, 0) == 0,           \
	  is_stat(s))                                                         \
	X(LOOP, open_close_libc,                                              \
	  close(openat(s->dir, m->name, O_RDONLY)) == 0)                      \
	X(LOOP, open_close_syscall,                                           \
	  RAW(close, RAW(openat, s->dir, m->name, O_RDONLY), 0, 0) == 0)      \
	X(LOOP, clock_gettime_libc,                                           \
	  clock_gettime(CLOCK_MONOTONIC, &m->now) == 0, is_now(s))            \
	X(LOOP, clock_gettime_syscall,                                        \
	  RAW(clock_gettime, CLOCK_MONOTONIC, &m->now, 0) == 0, is_now(s))    \
	X(LOOP, clock_gettime_vdso,                                           \
	  s->vdso_gettime(CLOCK_MONOTONIC, &m->now) == 0, is_now(s))          \
	X(LOOP, invalid_libc,                                                 \
	  syscall(INVALID_NUMBER) == -1 && errno == ENOSYS)                   \
	X(LOOP, invalid_syscall,                                              \
	  raw_syscall(INVALID_NUMBER, 0, 0, 0) == -ENOSYS)                    \
	CALLS_INT80(X)

#define CALL_LOCALS                               \
	struct state *const s CALL_LOCAL = state; \
	struct memory *const m CALL_LOCAL = s->m;
CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static const char points[] =
	"op={getpid,getppid,getcwd,read,write,stat,fstat,open_close,"
	"clock_gettime,invalid} by={libc,syscall,int80,vdso};"
	"is threads; needs $int80 if by=int80; needs $vdso if by=vdso";

static void call_vdso(void *data)
{
	const struct state *s = data;
	struct timespec now;

	(void)s->vdso_gettime(CLOCK_MONOTONIC, &now);
}

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	return call_choose(c, calls);
}

static void cases(struct bench *b, void *state)
{
	struct state *s = state;

	s->zero = s->null = s->dir = s->file = -1;
	s->vdso_gettime = (int (*)(clockid_t, struct timespec *))vdso_find(
		ARCH_VDSO("clock_gettime"));
	bench_need(b, "int80", probe_int80());
	bench_need(b, "vdso",
		   s->vdso_gettime ? probe_vdso(call_vdso, s)
				   : "the vDSO has no clock_gettime");
}

/* A file of a size that cannot be guessed. */
static int make_file(struct bench *b, struct state *s)
{
	const char *dir = bench_scratch(b);

	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s->file = s->dir < 0
			  ? -1
			  : openat(s->dir, s->m->name,
				   O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return s->file < 0 ||
			       ftruncate(s->file,
					 (off_t)(1 + bench_random(b) % 4096)) ||
			       fstat(s->file, &s->expected)
		       ? bench_fail(b, errno, "make a file in %s", dir)
		       : 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	void *m = mmap(NULL, sizeof(*s->m), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | ARCH_MAP_LOW, -1, 0);

	if (m == MAP_FAILED)
		return bench_fail(b, errno, "mmap below 4 GiB");
	s->m = m;
	s->pid = getpid();
	s->ppid = getppid();
	if (getcwd(s->cwd, sizeof(s->cwd)))
		s->cwd_bytes = strlen(s->cwd) + 1;
	s->zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	s->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	memcpy(s->m->name, "file", sizeof("file"));
	return 0;
}

static double components(const char *path)
{
	double n = 0;

	for (; *path; path++)
		n += path[0] == '/' && path[1] && path[1] != '/';
	return n;
}

/* A kernel too old, or a filter that answers in its stead. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const bool int80 = case_is(c, "by", "int80");
	long result = -ENOSYS;

	if (case_is(c, "op", "invalid"))
		result = int80 ? raw_int80(INVALID_NUMBER, 0, 0, 0, 0)
			       : raw_syscall(INVALID_NUMBER, 0, 0, 0);
	if (result != -ENOSYS)
		return bench_skip(b,
				  "an invalid number gives %ld, not ENOSYS: "
				  "calls are filtered here",
				  result);
	if (case_is(c, "op", "getcwd") && !s->cwd_bytes)
		return bench_skip(b, "the current directory has no path: it "
				     "was removed, or one that is too long");
	if (case_is(c, "op", "read") && s->zero < 0)
		return bench_skip(b, "/dev/zero cannot be opened here");
	if (case_is(c, "op", "write") && s->null < 0)
		return bench_skip(b, "/dev/null cannot be opened here");
	if (call_is(c, "clock_gettime_int80") &&
	    raw_int80(INT80_CLOCK_GETTIME64, CLOCK_MONOTONIC,
		      (unsigned int)(uintptr_t)&s->m->now, 0, 0) == -ENOSYS)
		return bench_skip(b, "this kernel has no clock_gettime64 "
				     "(Linux 5.1)");
	if (case_is(c, "op", "getcwd"))
		bench_fact(b, c, "path_components", components(s->cwd));
	return (case_is(c, "op", "stat") || case_is(c, "op", "fstat") ||
		case_is(c, "op", "open_close")) &&
			       s->file < 0
		       ? make_file(b, s)
		       : 0;
}

/* Wipe the result of the last batch, or it would be taken for this one's. */
static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct memory *m = s->m;

	memset(m->buffer, 0x5a, s->cwd_bytes);
	memset(&m->st, 0x5a, sizeof(m->st));
	memset(&m->st64, 0x5a, sizeof(m->st64));
	memset(&m->now, 0, sizeof(m->now));
	s->started_ns = kernel_ns(CLOCK_MONOTONIC);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	const struct state *s = state;
	const int fd[] = { s->zero, s->null, s->file, s->dir };

	for (int i = 0; i < 4; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	if (s->m)
		munmap(s->m, sizeof(*s->m));
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = add_point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.conclude = call_conclude,
	.teardown = teardown,
};
