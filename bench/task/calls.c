/* SPDX-License-Identifier: MIT */
/*
 * calls - what does one call of the kernel cost a program?
 *
 * Other programs repeat a call on the same objects, in a loop. A program
 * seldom does: it opens a file once, reads it, and closes it. Here each call is
 * made and timed once, on an object that was made ready for it, and then
 * undone: an open without its close, an open of a name that is missing, a close
 * that is the last one. These are the costs that `oscost bill` multiplies
 * with how often a program makes such calls.
 *
 * The cost of a call can grow with a feature of it: components of the path,
 * bytes, pages that a file gets or that go with a mapping, entries of a
 * directory, descriptors. These calls have a row at both ends of a range, and
 * the cost between them is taken as a straight line. Files lie in the page
 * cache and their names in that of the kernel; nothing is forced to the disk.
 * Pages that are read or written again were so before: on some kernels the
 * second time costs more, for it marks a page as one to keep.
 *
 * add= rows: fork and exit of a process that has mapped more than the
 * measuring program itself: anonymous pages, pages of a file, or mappings;
 * facts state what the process had in all. exit is timed from the child's last
 * instruction until its parent, which waits, goes on: the switch is in it.
 *
 * Measures: ns for one call.
 * Includes: libc's wrapper, a call by a pointer; work of the kernel that other
 *           processes do at once in such a program (the far end of a connection
 *           over loopback).
 * After:    nothing.
 * Needs:    a scratch directory (--dir).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "call.h"
#include "file_place.h"
#include "lib/proc_copy.h"
#include "partner.h"
#include "sysfile.h"

#define DEPTH	       8  /* directories below the scratch directory */
#define MOST_FDS       64 /* that are asked about at once */
#define MOST_BYTES     ((size_t)64 << 10)
#define MOST_PAGES     16
#define MOST_NAMES     200
#define UNUSED_FD      9999
#define ADDED_PAGES    4096 /* to a process: 16 MiB */
#define ADDED_MAPPINGS 512

/* Written by a process that was made. */
struct shared {
	volatile uint64_t ticks; /* at its first instruction, or its last one */
	_Alignas(64) _Atomic uint32_t go;   /* the partner may answer */
	_Alignas(64) _Atomic uint32_t word; /* of futex */
	double file_pages, anonymous_pages, mappings;
};

struct row;

struct state {
	uint64_t right;
	int top; /* the scratch directory, which is the current one */
	struct file_place place;
	/* Names below it with as many components as the case says. */
	char file[64], missing[64], fresh[64], other[64], dir[64], link[64];
	size_t bytes, pages, added;
	int fds;
	int fd, far, listener; /* -1: not open */
	char *map, *heap;
	size_t map_bytes;
	pid_t pid;
	int status;	       /* that it ends with */
	struct shared *shared; /* with processes that are made */
	enum timer_method method;
	struct partner partner;
	const struct row *row; /* what it answers */
	char *added_map;       /* what the process has more: add= */
	size_t added_bytes;
	int large; /* a file of as much */
	struct pollfd asked[MOST_FDS];
	struct epoll_event events[MOST_FDS];
	struct sockaddr_in in;
	union {
		struct stat st;
		struct statfs fs;
		struct termios tty;
		struct utsname name;
		struct timespec time;
		struct rusage usage;
		struct rlimit limit;
		struct sigaction action;
		sigset_t set;
		struct flock lock;
	} of;
	const char *what; /* is added */
	_Atomic int tid;  /* of a thread; 0: it has ended */
	int word;	  /* of futex, of options of sockets */
	_Alignas(64) char data[MOST_BYTES];
};

/*
 * Objects, made ready and undone; all return whether it went right.
 */

static bool shut(int *fd)
{
	const int was = *fd;

	*fd = -1;
	return was < 0 || !close(was);
}

static bool shut_all(struct state *s)
{
	return shut(&s->fd) & shut(&s->far) & shut(&s->listener);
}

/* Descriptors that were closed, at both ends or at one. */
static bool forgot(struct state *s)
{
	s->fd = -1;
	if (s->far >= 0 && fcntl(s->far, F_GETFD) < 0)
		s->far = -1;
	return shut_all(s);
}

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static size_t page_bytes(void)
{
	static size_t bytes;

	return bytes ? bytes : (bytes = bench_page_bytes());
}

/* A new file of @pages pages, open as s->fd at its beginning. */
static bool make_open(struct state *s, const char *path, size_t pages)
{
	s->fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	for (size_t i = 0; s->fd >= 0 && i < pages; i++)
		if (write(s->fd, s->data, page_bytes()) !=
		    (ssize_t)page_bytes())
			return false;
	return s->fd >= 0 && !lseek(s->fd, 0, SEEK_SET);
}

static bool make_file(struct state *s, const char *path, size_t pages)
{
	return make_open(s, path, pages) && shut(&s->fd);
}

static bool drop(struct state *s, const char *path)
{
	return shut_all(s) & !unlink(path);
}

static bool have(struct state *s, int flags)
{
	s->fd = open(s->file, flags | O_CLOEXEC);
	return s->fd >= 0;
}

/* A file to copy from, and a new one. */
static bool have_two(struct state *s)
{
	s->far = open(s->fresh, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	return s->far >= 0 && have(s, O_RDONLY);
}

static bool have_dir(struct state *s)
{
	s->fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->fd >= 0;
}

/* A directory with as many names as the case says, beside "." and "..". */
static bool have_entries(struct state *s)
{
	s->fd = open(s->pages > 2 ? "full" : "empty",
		     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->fd >= 0;
}

static bool have_pipe(struct state *s)
{
	int end[2];

	if (pipe2(end, O_CLOEXEC | O_NONBLOCK))
		return false;
	s->fd = end[0];
	s->far = end[1];
	return true;
}

static bool have_pair(struct state *s)
{
	int end[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
		       end))
		return false;
	s->fd = end[0];
	s->far = end[1];
	return true;
}

static bool have_socket(struct state *s, int family, int type)
{
	s->fd = socket(family, type | SOCK_CLOEXEC, 0);
	return s->fd >= 0;
}

static const struct sockaddr_un unix_name = { AF_UNIX, "socket" };
#define UNIX_NAME (const struct sockaddr *)&unix_name, sizeof(unix_name)

static bool have_unix_listener(struct state *s)
{
	unlink(unix_name.sun_path);
	s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return s->listener >= 0 && !bind(s->listener, UNIX_NAME) &&
	       !listen(s->listener, 8) && have_socket(s, AF_UNIX, SOCK_STREAM);
}

/* A port of loopback that @fd is bound to, as s->in. */
static bool have_port(struct state *s, int fd)
{
	socklen_t len = sizeof(s->in);

	s->in = (struct sockaddr_in) { .sin_family = AF_INET };
	s->in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !bind(fd, (struct sockaddr *)&s->in, sizeof(s->in)) &&
	       !getsockname(fd, (struct sockaddr *)&s->in, &len);
}
#define IN_NAME(s) (const struct sockaddr *)&(s)->in, sizeof((s)->in)

static bool have_tcp_listener(struct state *s, int type)
{
	s->listener =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return s->listener >= 0 && have_port(s, s->listener) &&
	       !listen(s->listener, 8) &&
	       have_socket(s, AF_INET, SOCK_STREAM | type);
}

static bool have_tcp_client(struct state *s)
{
	return have_tcp_listener(s, 0) && !connect(s->fd, IN_NAME(s));
}

static bool accept_far(struct state *s)
{
	s->far = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return s->far >= 0;
}

static bool have_tcp(struct state *s)
{
	return have_tcp_client(s) && accept_far(s) && shut(&s->listener) &&
	       !fcntl(s->fd, F_SETFL, O_NONBLOCK);
}

/* The sender is s->far: it has no port of its own yet. */
static bool have_udp(struct state *s)
{
	s->far = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return s->far >= 0 &&
	       have_socket(s, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK) &&
	       have_port(s, s->fd);
}

static bool have_udp_pair(struct state *s)
{
	return have_udp(s) && !connect(s->far, IN_NAME(s));
}

/* Into @fd as many bytes as the case says. */
static bool fill(struct state *s, int fd)
{
	return write(fd, s->data, s->bytes) == (ssize_t)s->bytes;
}

static bool is_there(struct state *s, int fd)
{
	int there = 0;

	return !ioctl(fd, FIONREAD, &there) && there == (int)s->bytes;
}

/* Anonymous memory, or that of a file, of which so many pages were touched. */
static bool have_map(struct state *s, int fd)
{
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;

	s->map_bytes = MOST_PAGES * page_bytes();
	s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (s->map == MAP_FAILED)
		return false;
	(void)madvise(s->map, s->map_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < s->pages; i++)
		s->map[i * page_bytes()] = 1;
	return true;
}

static bool unmap(struct state *s)
{
	const bool good = !s->map || s->map == MAP_FAILED ||
			  !munmap(s->map, s->map_bytes);

	s->map = NULL;
	return good & shut_all(s);
}

static bool is_mapped(const struct state *s)
{
	unsigned char in;

	return !mincore(s->map, 1, &in);
}

/* The end of the heap, moved up by what may be touched. */
static bool have_heap(struct state *s)
{
	s->heap = sbrk((intptr_t)(MOST_PAGES * page_bytes()));
	for (size_t i = 0; (uintptr_t)s->heap != UINTPTR_MAX && i < s->pages;
	     i++)
		s->heap[i * page_bytes()] = 1;
	return (uintptr_t)s->heap != UINTPTR_MAX;
}

/* Unless malloc() has moved the end meanwhile: all below is in use then. */
static bool give_heap(struct state *s)
{
	const bool ours = sbrk(0) == s->heap + MOST_PAGES * page_bytes();

	return ours ? !brk(s->heap) : true;
}

static bool have_asked(struct state *s, bool ready)
{
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; i < s->fds; i++) {
		struct epoll_event e = { .events = EPOLLIN };
		const int fd = eventfd((unsigned int)ready,
				       EFD_CLOEXEC | EFD_NONBLOCK);

		s->asked[i] = (struct pollfd) { .fd = fd, .events = POLLIN };
		if (fd < 0 || epoll_ctl(s->fd, EPOLL_CTL_ADD, fd, &e))
			return false;
	}
	return s->fd >= 0;
}

static bool close_asked(struct state *s)
{
	bool good = true;

	for (int i = 0; i < s->fds; i++) {
		good &= s->asked[i].fd <= 0 || !close(s->asked[i].fd);
		s->asked[i].fd = -1;
	}
	return good & shut_all(s);
}

static bool select_asked(struct state *s)
{
	struct timeval none = { 0 };
	fd_set set;

	FD_ZERO(&set);
	for (int i = 0; i < s->fds; i++)
		FD_SET(s->asked[i].fd, &set);
	return select(s->asked[s->fds - 1].fd + 1, &set, NULL, NULL, &none) ==
	       s->fds;
}

static bool have_epoll(struct state *s, bool added)
{
	struct epoll_event e = { .events = EPOLLIN };

	s->fds = 0;
	s->far = eventfd(0, EFD_CLOEXEC);
	return s->far >= 0 && have_asked(s, false) &&
	       (!added || !epoll_ctl(s->fd, EPOLL_CTL_ADD, s->far, &e));
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled++;
}

static bool blocked(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return !sigprocmask(how, &set, NULL);
}

static bool take_signal(struct state *s)
{
	const struct timespec none = { 0 };

	sigemptyset(&s->of.set);
	sigaddset(&s->of.set, SIGUSR1);
	return sigtimedwait(&s->of.set, NULL, &none) == SIGUSR1 &&
	       blocked(SIG_UNBLOCK);
}

/* A process that has ended, or that waits until s->far is closed. */
static bool have_child(struct state *s, bool ended)
{
	siginfo_t info;

	if (!ended && !have_pipe(s))
		return false;
	s->pid = fork();
	if (!s->pid) {
		if (!ended) {
			close(s->far);
			fcntl(s->fd, F_SETFL, 0);
			ended = read(s->fd, s->data, 1) == 0;
		}
		_exit(!ended);
	}
	return s->pid > 0 && (!ended || !waitid(P_PID, (id_t)s->pid, &info,
						WEXITED | WNOWAIT));
}

static bool reap(struct state *s)
{
	int status = 1;
	const bool good = s->pid > 0 && waitpid(s->pid, &status, 0) == s->pid;

	s->pid = 0;
	return (good && status == s->status) & shut_all(s);
}

#define FUTEX(s, op, value, time) \
	syscall(SYS_futex, &(s)->word, (op) | FUTEX_PRIVATE_FLAG, value, time)

/*
 * Processes.
 */

/* The size of the process, by /proc. */
static void note_size(struct shared *to)
{
	char statm[128], *maps = sysfile_text("/proc/self/maps");
	int64_t all, file;

	sysfile_line(statm, sizeof(statm), "/proc/self/statm");
	all = field_number(field_nth(statm, 1), 0);
	file = field_number(field_nth(statm, 2), 0);
	to->file_pages = (double)file;
	to->anonymous_pages = (double)(all - file);
	to->mappings = 0;
	for (const char *at = maps; at && (at = strchr(at, '\n')); at++)
		to->mappings++;
	free(maps);
}

/* Map and touch what the case adds: pages of its own, of a file, or one mapping
 * for every second page, without pages. */
static bool add(struct state *s, const char *what)
{
	const bool file = !strcmp(what, "file");
	const bool maps = !strcmp(what, "mappings");
	const size_t pages = maps ? ADDED_MAPPINGS : ADDED_PAGES;

	if (!strcmp(what, "none"))
		return true;
	s->added_bytes = pages * page_bytes();
	s->added_map = mmap(NULL, s->added_bytes, PROT_READ | PROT_WRITE,
			    file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
			    file ? s->large : -1, 0);
	if (s->added_map == MAP_FAILED)
		return false;
	(void)madvise(s->added_map, s->added_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++) {
		char *at = s->added_map + i * page_bytes();

		if (maps && i % 2 && mprotect(at, page_bytes(), PROT_READ))
			return false;
		if (!maps)
			*(volatile char *)at = 1;
	}
	return true;
}

static bool take_added(struct state *s)
{
	const bool good = !s->added_map || s->added_map == MAP_FAILED ||
			  !munmap(s->added_map, s->added_bytes);

	s->added_map = NULL;
	return good;
}

/* A process that has what the case adds, and ends. */
static bool end_child(struct state *s)
{
	s->pid = fork();
	if (!s->pid) {
		if (!add(s, s->what))
			_exit(1);
		note_size(s->shared);
		s->shared->ticks = timer_end(s->method);
		_exit(0);
	}
	return reap(s);
}

/* NOLINTBEGIN(clang-analyzer-*): a child of vfork() may read the clock. */

/* The child uses the memory of this one, which waits for it. */
static bool end_vfork(struct state *s)
{
	const pid_t pid = vfork();

	if (!pid) {
		s->shared->ticks = timer_end(s->method);
		_exit(0);
	}
	s->pid = pid;
	return pid > 0;
}

/* oscost-true ends with the number of its arguments: that of a script has one.
 */
static bool exec_child(struct state *s, const char *program, int arguments)
{
	char *const argv[] = { (char *)program, NULL };
	char *const none[] = { NULL };
	const pid_t pid = vfork();

	if (!pid) {
		s->shared->ticks = timer_end(s->method);
		execve(program, argv, none);
		_exit(127);
	}
	s->pid = pid;
	s->status = arguments << 8;
	return reap(s);
}

/* NOLINTEND(clang-analyzer-*) */

static int end_thread(void *arg)
{
	syscall(SYS_exit, 0);
	return 0;
}

#define LIKE_PTHREAD                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
	 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID)

static bool make_thread(struct state *s)
{
	return clone(end_thread, s->data + sizeof(s->data), LIKE_PTHREAD, NULL,
		     &s->tid, NULL, &s->tid) > 0;
}

/* It has left the stack that the next one gets. */
static bool await_thread(struct state *s)
{
	int tid;

	while ((tid = atomic_load(&s->tid)))
		syscall(SYS_futex, &s->tid, FUTEX_WAIT, tid, NULL);
	return true;
}

/* The partner's work while the measuring process sleeps: the least policy, on
 * the same CPU, lets it run only then. */
static int answer(struct partner *p, void *arg);

#define FAILS(call, why) ((call) < 0 && errno == (why))

/* Features: at which values of them a row is measured. */
#define PLAIN(row)	 ""
#define PATH(row)	 "components={1,8}"
#define PATH_PAGES(row)	 "components={1,8} pages={0,16}"
#define PATH_BYTES(row)	 "components={1,8} bytes={1,64}"
#define BYTES(row)	 "bytes={1,4K,64K}"
#define PACKET(row)	 "bytes={1,8K}"
#define FEW_BYTES(row)	 "bytes={1,256}"
#define PAGES(row)	 "pages={0,16}"
#define ENTRIES(row)	 "entries={2,202}"
#define FDS(row)	 "descriptors={1,64}"
#define MORE(row)	 "add={none,anonymous,file,mappings}"
#define BYTES_PAGES(row) "bytes={1,4K} pages=1; op=" row " bytes=64K pages=16"
#define NEW_PAGES(row)                                                     \
	"bytes={1,4K} pages=1 new_pages=1; op=" row " bytes=64K pages=16 " \
	"new_pages={1,16}"

/*
 * A row: its name (that of bill/operations.h in small letters), what makes it
 * ready, the call, what must hold afterwards, and what undoes it.
 */
#define NAMES(X)                                                               \
	X(open_new, PATH, true,                                                \
	  (s->fd = open(s->fresh, O_CREAT | O_EXCL | O_WRONLY, 0600)) >= 0,    \
	  exists(s->fresh), drop(s, s->fresh))                                 \
	X(open_truncate, PATH_PAGES, make_file(s, s->fresh, s->pages),         \
	  (s->fd = open(s->fresh, O_WRONLY | O_TRUNC)) >= 0,                   \
	  !fstat(s->fd, &s->of.st) && !s->of.st.st_size, drop(s, s->fresh))    \
	X(open, PATH, true, (s->fd = open(s->file, O_RDONLY)) >= 0,            \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(open_dir, PATH, true,                                                \
	  (s->fd = open(s->dir, O_RDONLY | O_DIRECTORY)) >= 0, CALL_UNSEEN,    \
	  shut(&s->fd))                                                        \
	X(open_enoent, PATH, true, FAILS(open(s->missing, O_RDONLY), ENOENT),  \
	  CALL_UNSEEN, true)                                                   \
	X(stat, PATH, true, !stat(s->file, &s->of.st),                         \
	  S_ISREG(s->of.st.st_mode), true)                                     \
	X(stat_enoent, PATH, true, FAILS(stat(s->missing, &s->of.st), ENOENT), \
	  CALL_UNSEEN, true)                                                   \
	X(fstat, PLAIN, have(s, O_RDONLY), !fstat(s->fd, &s->of.st),           \
	  S_ISREG(s->of.st.st_mode), shut(&s->fd))                             \
	X(fstat_other, PLAIN, have_pipe(s), !fstat(s->fd, &s->of.st),          \
	  S_ISFIFO(s->of.st.st_mode), shut_all(s))                             \
	X(access, PATH, true, !access(s->file, R_OK), CALL_UNSEEN, true)       \
	X(access_enoent, PATH, true, FAILS(access(s->missing, R_OK), ENOENT),  \
	  CALL_UNSEEN, true)                                                   \
	X(readlink, PATH, true, readlink(s->link, s->data, 64) > 0,            \
	  CALL_UNSEEN, true)                                                   \
	X(readlink_einval, PATH, true,                                         \
	  FAILS(readlink(s->file, s->data, 64), EINVAL), CALL_UNSEEN, true)    \
	X(readlink_enoent, PATH, true,                                         \
	  FAILS(readlink(s->missing, s->data, 64), ENOENT), CALL_UNSEEN, true) \
	X(getxattr_enodata, PATH, true,                                        \
	  FAILS(getxattr(s->file, "security.oscost", s->data, 64), ENODATA),   \
	  CALL_UNSEEN, true)                                                   \
	X(fgetxattr_enodata, PLAIN, have(s, O_RDONLY),                         \
	  FAILS(fgetxattr(s->fd, "security.oscost", s->data, 64), ENODATA),    \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(setxattr, PATH_BYTES, true,                                          \
	  !setxattr(s->file, "user.some", s->data, s->bytes, 0), CALL_UNSEEN,  \
	  !removexattr(s->file, "user.some"))                                  \
	X(getxattr, PATH_BYTES,                                                \
	  !setxattr(s->file, "user.some", s->data, s->bytes, 0),               \
	  getxattr(s->file, "user.some", s->data, 4096) == (ssize_t)s->bytes,  \
	  CALL_UNSEEN, !removexattr(s->file, "user.some"))                     \
	X(statfs_enoent, PATH, true,                                           \
	  FAILS(statfs(s->missing, &s->of.fs), ENOENT), CALL_UNSEEN, true)     \
	X(statfs, PATH, true, !statfs(s->file, &s->of.fs),                     \
	  s->of.fs.f_bsize > 0, true)                                          \
	X(chmod, PATH, true, !chmod(s->file, 0600), CALL_UNSEEN, true)         \
	X(fchmod, PLAIN, have(s, O_RDONLY), !fchmod(s->fd, 0600), CALL_UNSEEN, \
	  shut(&s->fd))                                                        \
	X(chown, PATH, true, !chown(s->file, geteuid(), getegid()),            \
	  CALL_UNSEEN, true)                                                   \
	X(fchown, PLAIN, have(s, O_RDONLY),                                    \
	  !fchown(s->fd, geteuid(), getegid()), CALL_UNSEEN, shut(&s->fd))     \
	X(utimens, PATH, true, !utimensat(AT_FDCWD, s->file, NULL, 0),         \
	  CALL_UNSEEN, true)                                                   \
	X(futimens, PLAIN, have(s, O_RDWR), !futimens(s->fd, NULL),            \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(mkdir, PATH, true, !mkdir(s->fresh, 0700), exists(s->fresh),         \
	  !rmdir(s->fresh))                                                    \
	X(mkdir_eexist, PATH, true, FAILS(mkdir(s->file, 0700), EEXIST),       \
	  CALL_UNSEEN, true)                                                   \
	X(rmdir, PATH, !mkdir(s->fresh, 0700), !rmdir(s->fresh),               \
	  !exists(s->fresh), true)                                             \
	X(unlink_shared, PATH, !link(s->file, s->fresh), !unlink(s->fresh),    \
	  !exists(s->fresh), true)                                             \
	X(unlink, PATH_PAGES, make_file(s, s->fresh, s->pages),                \
	  !unlink(s->fresh), !exists(s->fresh), true)                          \
	X(unlink_enoent, PATH, true, FAILS(unlink(s->missing), ENOENT),        \
	  CALL_UNSEEN, true)                                                   \
	X(rename, PATH, make_file(s, s->fresh, 0),                             \
	  !rename(s->fresh, s->other), exists(s->other), !unlink(s->other))    \
	X(rename_over, PATH_PAGES,                                             \
	  make_file(s, s->fresh, 0) && make_file(s, s->other, s->pages),       \
	  !rename(s->fresh, s->other), !exists(s->fresh), !unlink(s->other))   \
	X(rename_dir, PATH, !mkdir(s->fresh, 0700),                            \
	  !rename(s->fresh, s->other), exists(s->other), !rmdir(s->other))     \
	X(link, PATH, true, !link(s->file, s->fresh), exists(s->fresh),        \
	  !unlink(s->fresh))                                                   \
	X(symlink, PATH, true, !symlink("file", s->fresh), exists(s->fresh),   \
	  !unlink(s->fresh))                                                   \
	X(chdir, PATH, true, !chdir(s->dir), CALL_UNSEEN, !fchdir(s->top))     \
	X(fchdir, PLAIN, true, !fchdir(s->top), CALL_UNSEEN, true)

#define DESCRIPTORS(X)                                                        \
	X(close_shared, PLAIN, (s->fd = dup(s->top)) >= 0, !close(s->fd),     \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_file, PLAIN, have(s, O_RDONLY), !close(s->fd),                \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_dir, PLAIN, have_dir(s), !close(s->fd),                       \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_pipe, PLAIN, have_pipe(s),                                    \
	  !close(s->fd) + !close(s->far) == 2, fcntl(s->far, F_GETFD) < 0,    \
	  forgot(s))                                                          \
	X(close_tcp, PLAIN, have_tcp(s), !close(s->fd),                       \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_udp, PLAIN, have_udp(s), !close(s->fd),                       \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_unix, PLAIN, have_pair(s),                                    \
	  !close(s->fd) + !close(s->far) == 2, fcntl(s->far, F_GETFD) < 0,    \
	  forgot(s))                                                          \
	X(close_eventfd, PLAIN, (s->fd = eventfd(0, 0)) >= 0, !close(s->fd),  \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_epoll, PLAIN, (s->fd = epoll_create1(0)) >= 0, !close(s->fd), \
	  fcntl(s->fd, F_GETFD) < 0, forgot(s))                               \
	X(close_ebadf, PLAIN, true, FAILS(close(UNUSED_FD), EBADF),           \
	  CALL_UNSEEN, true)                                                  \
	X(dup, PLAIN, true, (s->fd = dup(s->top)) >= 0, CALL_UNSEEN,          \
	  shut(&s->fd))                                                       \
	X(dup_over, PLAIN, have(s, O_RDONLY), dup2(s->top, s->fd) == s->fd,   \
	  CALL_UNSEEN, shut(&s->fd))                                          \
	X(pipe, PLAIN, true, have_pipe(s), CALL_UNSEEN, shut_all(s))          \
	X(lseek, PLAIN, have(s, O_RDONLY), lseek(s->fd, 1, SEEK_SET) == 1,    \
	  CALL_UNSEEN, shut(&s->fd))                                          \
	X(lseek_espipe, PLAIN, have_pipe(s),                                  \
	  FAILS(lseek(s->fd, 0, SEEK_CUR), ESPIPE), CALL_UNSEEN, shut_all(s)) \
	X(fcntl_flags, PLAIN, true, fcntl(s->top, F_GETFL) >= 0, CALL_UNSEEN, \
	  true)                                                               \
	X(fcntl_ebadf, PLAIN, true, FAILS(fcntl(UNUSED_FD, F_GETFL), EBADF),  \
	  CALL_UNSEEN, true)                                                  \
	X(setlk, PLAIN,                                                       \
	  have(s, O_RDWR) &&                                                  \
		  (s->of.lock = (struct flock) { .l_type = F_WRLCK }, true),  \
	  !fcntl(s->fd, F_SETLK, &s->of.lock), CALL_UNSEEN, shut(&s->fd))     \
	X(flock, PLAIN, have(s, O_RDWR), !flock(s->fd, LOCK_EX | LOCK_NB),    \
	  CALL_UNSEEN, shut(&s->fd))                                          \
	X(ioctl_enotty, PLAIN, have(s, O_RDWR),                               \
	  FAILS(ioctl(s->fd, TCGETS, &s->of.tty), ENOTTY), CALL_UNSEEN,       \
	  shut(&s->fd))

#define FILES(X)                                                               \
	X(read_end, PLAIN, make_open(s, s->fresh, 0),                          \
	  !read(s->fd, s->data, 4096), CALL_UNSEEN, drop(s, s->fresh))         \
	X(read, BYTES_PAGES, have(s, O_RDONLY),                                \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,    \
	  shut(&s->fd))                                                        \
	X(pread, BYTES_PAGES, have(s, O_RDONLY),                               \
	  pread(s->fd, s->data, s->bytes, 0) == (ssize_t)s->bytes,             \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(write_new, NEW_PAGES, make_open(s, s->fresh, s->pages - s->added),   \
	  write(s->fd, s->data, s->bytes) == (ssize_t)s->bytes,                \
	  !fstat(s->fd, &s->of.st) && s->of.st.st_size >= (off_t)s->bytes,     \
	  drop(s, s->fresh))                                                   \
	X(write, BYTES_PAGES, have(s, O_WRONLY),                               \
	  write(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,   \
	  shut(&s->fd))                                                        \
	X(pwrite_new, NEW_PAGES, make_open(s, s->fresh, s->pages - s->added),  \
	  pwrite(s->fd, s->data, s->bytes, 0) == (ssize_t)s->bytes,            \
	  !fstat(s->fd, &s->of.st) && s->of.st.st_size >= (off_t)s->bytes,     \
	  drop(s, s->fresh))                                                   \
	X(pwrite, BYTES_PAGES, have(s, O_WRONLY),                              \
	  pwrite(s->fd, s->data, s->bytes, 0) == (ssize_t)s->bytes,            \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(copy_range_new, NEW_PAGES,                                           \
	  have_two(s) && !ftruncate(s->far, (off_t)((s->pages - s->added) *    \
						    page_bytes())),            \
	  copy_file_range(s->fd, NULL, s->far, NULL, s->bytes, 0) ==           \
		  (ssize_t)s->bytes,                                           \
	  CALL_UNSEEN, drop(s, s->fresh))                                      \
	X(copy_range_end, PLAIN, have_two(s) && lseek(s->fd, 0, SEEK_END) > 0, \
	  !copy_file_range(s->fd, NULL, s->far, NULL, 1 << 20, 0),             \
	  CALL_UNSEEN, drop(s, s->fresh))                                      \
	X(clone_range, PLAIN, have_two(s),                                     \
	  FAILS(ioctl(s->far, FICLONE, s->fd), EOPNOTSUPP), CALL_UNSEEN,       \
	  drop(s, s->fresh))                                                   \
	X(truncate, PAGES, make_open(s, s->fresh, s->pages),                   \
	  !ftruncate(s->fd, 0), !fstat(s->fd, &s->of.st) && !s->of.st.st_size, \
	  drop(s, s->fresh))                                                   \
	X(getdents, ENTRIES, have_entries(s),                                  \
	  syscall(SYS_getdents64, s->fd, s->data, 32768) > 0, CALL_UNSEEN,     \
	  shut(&s->fd))                                                        \
	X(getdents_end, PLAIN,                                                 \
	  have_entries(s) &&                                                   \
		  syscall(SYS_getdents64, s->fd, s->data, 32768) > 0,          \
	  !syscall(SYS_getdents64, s->fd, s->data, 32768), CALL_UNSEEN,        \
	  shut(&s->fd))                                                        \
	X(fadvise, PLAIN, have(s, O_RDONLY),                                   \
	  !posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL), CALL_UNSEEN,     \
	  shut(&s->fd))

#define PIPES(X)                                                               \
	X(read_pipe_end, PLAIN, have_pipe(s) && shut(&s->far),                 \
	  !read(s->fd, s->data, 1), CALL_UNSEEN, shut_all(s))                  \
	X(read_pipe, BYTES_PAGES, have_pipe(s) && fill(s, s->far),             \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(read_pipe_eagain, PLAIN, have_pipe(s),                               \
	  FAILS(read(s->fd, s->data, 1), EAGAIN), CALL_UNSEEN, shut_all(s))    \
	X(write_pipe, BYTES_PAGES, have_pipe(s), fill(s, s->far),              \
	  is_there(s, s->fd), shut_all(s))                                     \
	X(write_null, PLAIN, (s->fd = open("/dev/null", O_RDWR)) >= 0,         \
	  write(s->fd, s->data, 1) == 1, CALL_UNSEEN, shut(&s->fd))            \
	X(read_null, PLAIN, (s->fd = open("/dev/null", O_RDWR)) >= 0,          \
	  !read(s->fd, s->data, 1), CALL_UNSEEN, shut(&s->fd))                 \
	X(eventfd, PLAIN, true, (s->fd = eventfd(0, 0)) >= 0, CALL_UNSEEN,     \
	  shut(&s->fd))                                                        \
	X(read_eventfd, PLAIN, (s->fd = eventfd(1, 0)) >= 0,                   \
	  read(s->fd, s->data, 8) == 8, CALL_UNSEEN, shut(&s->fd))             \
	X(read_eventfd_eagain, PLAIN, (s->fd = eventfd(0, EFD_NONBLOCK)) >= 0, \
	  FAILS(read(s->fd, s->data, 8), EAGAIN), CALL_UNSEEN, shut(&s->fd))   \
	X(write_eventfd, PLAIN, (s->fd = eventfd(0, 0)) >= 0,                  \
	  write(s->fd, "\1\0\0\0\0\0\0", 8) == 8, CALL_UNSEEN, shut(&s->fd))   \
	X(poll, FDS, have_asked(s, true),                                      \
	  poll(s->asked, (nfds_t)s->fds, 0) == s->fds, CALL_UNSEEN,            \
	  close_asked(s))                                                      \
	X(select, FDS, have_asked(s, true), select_asked(s), CALL_UNSEEN,      \
	  close_asked(s))                                                      \
	X(epoll_create, PLAIN, true, (s->fd = epoll_create1(0)) >= 0,          \
	  CALL_UNSEEN, shut(&s->fd))                                           \
	X(epoll_add, PLAIN, have_epoll(s, false),                              \
	  !epoll_ctl(s->fd, EPOLL_CTL_ADD, s->far, s->events), CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(epoll_change, PLAIN, have_epoll(s, true),                            \
	  !epoll_ctl(s->fd, EPOLL_CTL_MOD, s->far, s->events), CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(epoll_remove, PLAIN, have_epoll(s, true),                            \
	  !epoll_ctl(s->fd, EPOLL_CTL_DEL, s->far, NULL), CALL_UNSEEN,         \
	  shut_all(s))                                                         \
	X(epoll_nothing, PLAIN, have_epoll(s, true),                           \
	  !epoll_wait(s->fd, s->events, MOST_FDS, 0), CALL_UNSEEN,             \
	  shut_all(s))                                                         \
	X(epoll, FDS, have_asked(s, true),                                     \
	  epoll_wait(s->fd, s->events, MOST_FDS, 0) == s->fds, CALL_UNSEEN,    \
	  close_asked(s))

#define SOCKETS(X)                                                             \
	X(socket_tcp, PLAIN, true, have_socket(s, AF_INET, SOCK_STREAM),       \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(socket_udp, PLAIN, true, have_socket(s, AF_INET, SOCK_DGRAM),        \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(socket_unix, PLAIN, true, have_socket(s, AF_UNIX, SOCK_STREAM),      \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(socketpair, PLAIN, true, have_pair(s), CALL_UNSEEN, shut_all(s))     \
	X(bind_tcp, PLAIN,                                                     \
	  have_socket(s, AF_INET, SOCK_STREAM) && have_port(s, s->fd) &&       \
		  shut(&s->fd) && have_socket(s, AF_INET, SOCK_STREAM),        \
	  !bind(s->fd, IN_NAME(s)), CALL_UNSEEN, shut_all(s))                  \
	X(bind_udp, PLAIN,                                                     \
	  have_udp(s) && shut(&s->fd) && have_socket(s, AF_INET, SOCK_DGRAM),  \
	  !bind(s->fd, IN_NAME(s)), CALL_UNSEEN, shut_all(s))                  \
	X(bind_unix, PLAIN,                                                    \
	  have_unix_listener(s) && !unlink(unix_name.sun_path),                \
	  !bind(s->fd, UNIX_NAME), exists(unix_name.sun_path),                 \
	  drop(s, unix_name.sun_path))                                         \
	X(listen, PLAIN,                                                       \
	  have_socket(s, AF_INET, SOCK_STREAM) && have_port(s, s->fd),         \
	  !listen(s->fd, 8), CALL_UNSEEN, shut_all(s))                         \
	X(connect_tcp, PLAIN, have_tcp_listener(s, 0),                         \
	  !connect(s->fd, IN_NAME(s)), accept_far(s), shut_all(s))             \
	X(connect_tcp_begun, PLAIN, have_tcp_listener(s, SOCK_NONBLOCK),       \
	  FAILS(connect(s->fd, IN_NAME(s)), EINPROGRESS), accept_far(s),       \
	  shut_all(s))                                                         \
	X(connect_udp, PLAIN, have_udp(s), !connect(s->far, IN_NAME(s)),       \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(connect_unix, PLAIN, have_unix_listener(s),                          \
	  !connect(s->fd, UNIX_NAME), accept_far(s),                           \
	  drop(s, unix_name.sun_path))                                         \
	X(connect_unix_enoent, PLAIN,                                          \
	  have_unix_listener(s) && !unlink(unix_name.sun_path),                \
	  FAILS(connect(s->fd, UNIX_NAME), ENOENT), CALL_UNSEEN, shut_all(s))  \
	X(accept_tcp, PLAIN, have_tcp_client(s), accept_far(s), CALL_UNSEEN,   \
	  shut_all(s))                                                         \
	X(accept_tcp_eagain, PLAIN, have_tcp_listener(s, 0),                   \
	  FAILS(accept4(s->listener, NULL, NULL, 0), EAGAIN), CALL_UNSEEN,     \
	  shut_all(s))                                                         \
	X(accept_unix, PLAIN,                                                  \
	  have_unix_listener(s) && !connect(s->fd, UNIX_NAME), accept_far(s),  \
	  CALL_UNSEEN, drop(s, unix_name.sun_path))                            \
	X(send_tcp, BYTES, have_tcp(s), fill(s, s->fd), is_there(s, s->far),   \
	  shut_all(s))                                                         \
	X(send_udp, PACKET, have_udp_pair(s), fill(s, s->far), CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(send_unix, BYTES, have_pair(s), fill(s, s->fd), is_there(s, s->far), \
	  shut_all(s))                                                         \
	X(receive_tcp, BYTES, have_tcp(s) && fill(s, s->far),                  \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(receive_tcp_end, PLAIN, have_tcp(s) && shut(&s->far),                \
	  !read(s->fd, s->data, 1), CALL_UNSEEN, shut_all(s))                  \
	X(receive_tcp_eagain, PLAIN, have_tcp(s),                              \
	  FAILS(read(s->fd, s->data, 1), EAGAIN), CALL_UNSEEN, shut_all(s))    \
	X(receive_udp, PACKET, have_udp_pair(s) && fill(s, s->far),            \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(receive_unix, BYTES, have_pair(s) && fill(s, s->far),                \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN,    \
	  shut_all(s))                                                         \
	X(receive_unix_end, PLAIN, have_pair(s) && shut(&s->far),              \
	  !read(s->fd, s->data, 1), CALL_UNSEEN, shut_all(s))                  \
	X(receive_unix_eagain, PLAIN, have_pair(s),                            \
	  FAILS(read(s->fd, s->data, 1), EAGAIN), CALL_UNSEEN, shut_all(s))    \
	X(shutdown_tcp, PLAIN, have_tcp(s), !shutdown(s->fd, SHUT_WR),         \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(socket_name, PLAIN, have_udp(s),                                     \
	  !getsockname(s->fd, (struct sockaddr *)&s->in,                       \
		       &(socklen_t) { sizeof(s->in) }),                        \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(setsockopt, PLAIN, have_socket(s, AF_INET, SOCK_STREAM),             \
	  !setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &s->word,               \
		      sizeof(s->word)),                                        \
	  CALL_UNSEEN, shut_all(s))                                            \
	X(getsockopt, PLAIN, have_socket(s, AF_INET, SOCK_STREAM),             \
	  !getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &s->word,                   \
		      &(socklen_t) { sizeof(s->word) }),                       \
	  CALL_UNSEEN, shut_all(s))

#define MEMORY(X)                                                              \
	X(mmap_anon, PLAIN, (s->map_bytes = MOST_PAGES * page_bytes()) > 0,    \
	  (s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE,           \
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED,   \
	  is_mapped(s), unmap(s))                                              \
	X(mmap_shared, PLAIN, (s->map_bytes = MOST_PAGES * page_bytes()) > 0,  \
	  (s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE,           \
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED,    \
	  is_mapped(s), unmap(s))                                              \
	X(mmap_file, PLAIN,                                                    \
	  have(s, O_RDONLY) && (s->map_bytes = MOST_PAGES * page_bytes()) > 0, \
	  (s->map = mmap(NULL, s->map_bytes, PROT_READ, MAP_PRIVATE, s->fd,    \
			 0)) != MAP_FAILED,                                    \
	  is_mapped(s), unmap(s))                                              \
	X(mmap_fixed, PAGES, have(s, O_RDONLY) && have_map(s, s->fd),          \
	  mmap(s->map, s->map_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED,       \
	       s->fd, 0) == s->map,                                            \
	  is_mapped(s), unmap(s))                                              \
	X(mmap_fixed_anon, PAGES, have(s, O_RDONLY) && have_map(s, s->fd),     \
	  mmap(s->map, s->map_bytes, PROT_READ,                                \
	       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == s->map,      \
	  is_mapped(s), unmap(s))                                              \
	X(munmap, PAGES, have_map(s, -1), !munmap(s->map, s->map_bytes),       \
	  !is_mapped(s), (s->map = NULL, true))                                \
	X(mprotect, PAGES, have_map(s, -1),                                    \
	  !mprotect(s->map, s->map_bytes, PROT_READ), is_mapped(s), unmap(s))  \
	X(brk_query, PLAIN, true, syscall(SYS_brk, 0) > 0, CALL_UNSEEN, true)  \
	X(brk_less, PAGES, have_heap(s), give_heap(s), CALL_UNSEEN, true)      \
	X(brk, PLAIN, (uintptr_t)(s->heap = sbrk(0)) != UINTPTR_MAX,           \
	  !brk(s->heap + MOST_PAGES * page_bytes()),                           \
	  sbrk(0) > (void *)s->heap, give_heap(s))                             \
	X(madvise_remove, PAGES, have_map(s, -1),                              \
	  !madvise(s->map, s->map_bytes, MADV_DONTNEED), !s->map[0], unmap(s))

#define PROCESSES(X)                                                           \
	X(fork, MORE, (s->shared->ticks = 0, true),                            \
	  (s->pid = fork()) > 0 || (!s->pid && (_exit(0), true)), CALL_UNSEEN, \
	  reap(s))                                                             \
	X(thread, PLAIN, true, make_thread(s), CALL_UNSEEN, await_thread(s))   \
	X(signal, PLAIN,                                                       \
	  (s->of.action = (struct sigaction) { .sa_handler = handle },         \
	   true) &&                                                            \
		  !sigaction(SIGUSR2, &s->of.action, NULL) && !(handled = 0),  \
	  !kill(getpid(), SIGUSR2), handled == 1, true)                        \
	X(wait, PLAIN, have_child(s, true), reap(s), CALL_UNSEEN, true)        \
	X(wait_nothing, PLAIN, have_child(s, false),                           \
	  !waitpid(s->pid, NULL, WNOHANG), CALL_UNSEEN,                        \
	  shut(&s->far) && reap(s))                                            \
	X(wait_echild, PLAIN, true, FAILS(waitpid(-1, NULL, WNOHANG), ECHILD), \
	  CALL_UNSEEN, true)                                                   \
	X(exec_enoent, PATH, true,                                             \
	  FAILS(execve(s->missing, (char *const[]) { s->missing, NULL },       \
		       (char *const[]) { NULL }),                              \
		ENOENT),                                                       \
	  CALL_UNSEEN, true)                                                   \
	X(futex_wait_eagain, PLAIN, true,                                      \
	  FAILS(FUTEX(s, FUTEX_WAIT, s->word + 1, NULL), EAGAIN), CALL_UNSEEN, \
	  true)                                                                \
	X(futex_wake_nothing, PLAIN, true, !FUTEX(s, FUTEX_WAKE, 1, NULL),     \
	  CALL_UNSEEN, true)                                                   \
	X(sigaction, PLAIN,                                                    \
	  (s->of.action = (struct sigaction) { .sa_handler = handle }, true),  \
	  !sigaction(SIGUSR1, &s->of.action, NULL), CALL_UNSEEN, true)         \
	X(sigprocmask, PLAIN, true, !sigprocmask(SIG_BLOCK, NULL, &s->of.set), \
	  CALL_UNSEEN, true)                                                   \
	X(kill, PLAIN, blocked(SIG_BLOCK), !kill(getpid(), SIGUSR1),           \
	  CALL_UNSEEN, take_signal(s))                                         \
	X(null_call, PLAIN, true, getppid() > 0, CALL_UNSEEN, true)            \
	X(clock, PLAIN, true,                                                  \
	  !syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &s->of.time),           \
	  s->of.time.tv_sec > 0, true)                                         \
	X(prlimit, PLAIN, true, !getrlimit(RLIMIT_NOFILE, &s->of.limit),       \
	  s->of.limit.rlim_max > 0, true)                                      \
	X(uname, PLAIN, true, !uname(&s->of.name), s->of.name.sysname[0] != 0, \
	  true)                                                                \
	X(getrandom, FEW_BYTES, true,                                          \
	  getrandom(s->data, s->bytes, 0) == (ssize_t)s->bytes, CALL_UNSEEN,   \
	  true)                                                                \
	X(getcwd, PLAIN, true, getcwd(s->data, 4096), CALL_UNSEEN, true)       \
	X(getrusage, PLAIN, true, !getrusage(RUSAGE_SELF, &s->of.usage),       \
	  CALL_UNSEEN, true)                                                   \
	X(yield, PLAIN, true, !sched_yield(), CALL_UNSEEN, true)

/* From the first instruction of a process that is made, or until it. */
#define FROM_PROCESS(X)                                                      \
	X(exit, MORE, true, end_child(s), CALL_UNSEEN, true)                 \
	X(exit_shared, PLAIN, true, end_vfork(s), CALL_UNSEEN, reap(s))      \
	X(exec_static, PLAIN, true, exec_child(s, "oscost-true", 0),         \
	  CALL_UNSEEN, true)                                                 \
	X(exec_dynamic, PLAIN, true, exec_child(s, "oscost-linked", 0),      \
	  CALL_UNSEEN, true)                                                 \
	X(exec_script, PLAIN, true, exec_child(s, "script", 1), CALL_UNSEEN, \
	  true)
#define UNTIL_PROCESS(X) \
	X(vfork_op, PLAIN, true, end_vfork(s), CALL_UNSEEN, reap(s))

/* Calls that sleep: the last column is what the partner does then. */
#define WAITS(X)                                                            \
	X(read_pipe_waited, PLAIN, true,                                    \
	  read(s->fd, s->data, s->bytes) == (ssize_t)s->bytes, CALL_UNSEEN, \
	  true, have_pipe(s) && !fcntl(s->fd, F_SETFL, 0), fill(s, s->far)) \
	X(poll_waited, FDS, true, poll(s->asked, (nfds_t)s->fds, -1) == 1,  \
	  CALL_UNSEEN, read(s->asked[s->fds - 1].fd, s->data, 8) == 8,      \
	  have_asked(s, false),                                             \
	  write(s->asked[s->fds - 1].fd, "\1\0\0\0\0\0\0", 8) == 8)         \
	X(futex_waited, PLAIN, (atomic_store(&s->shared->word, 0), true),   \
	  !syscall(SYS_futex, &s->shared->word, FUTEX_WAIT, 0, NULL),       \
	  CALL_UNSEEN, true, true,                                          \
	  (atomic_store(&s->shared->word, 1), true) &&                      \
		  syscall(SYS_futex, &s->shared->word, FUTEX_WAKE, 1) >= 0)

#define CALLS_ALONE(X) \
	NAMES(X)       \
	DESCRIPTORS(X) FILES(X) PIPES(X) SOCKETS(X) MEMORY(X) PROCESSES(X)
#define ROWS(X) CALLS_ALONE(X) FROM_PROCESS(X) UNTIL_PROCESS(X)

struct row {
	struct call call;
	bool (*op)(struct state *);
	bool (*ready)(struct state *), (*undo)(struct state *);
	enum { ALONE, FROM, UNTIL, WAITS_FOR } how;
	bool (*begin)(struct state *), (*act)(struct state *);
};

/* One piece of code times all rows: each by itself, for each timer, would make
 * the static file a 25th larger. */
CALL_PLACED static bool time_row(void *state, const struct bench_case *c,
				 enum timer_method method, uint64_t *ticks)
{
	const struct row *row = c->arg;
	bool good;

	TIMER_INTERVAL(method, *ticks, good = row->op(state));
	return good;
}

#define CALL_LOCALS struct state *const s CALL_LOCAL = state;
#define ROW_FUNCTIONS(name, features, ready, call, held, undo)           \
	static bool call_##name(struct state *s)                         \
	{                                                                \
		return call;                                             \
	}                                                                \
	static int holds_##name(void *state, const struct bench_case *c, \
				uint64_t iters)                          \
	{                                                                \
		CALL_LOCALS                                              \
                                                                         \
		return held;                                             \
	}                                                                \
	static bool ready_##name(struct state *s)                        \
	{                                                                \
		return ready;                                            \
	}                                                                \
	static bool undo_##name(struct state *s)                         \
	{                                                                \
		return undo;                                             \
	}
#define ROW_(name, kind)                                                    \
	.call = { #name, NULL, time_row, holds_##name }, .op = call_##name, \
	.ready = ready_##name, .undo = undo_##name, .how = kind
#define ROW(name, ...)	     { ROW_(name, ALONE) },
#define FROM_ROW(name, ...)  { ROW_(name, FROM) },
#define UNTIL_ROW(name, ...) { ROW_(name, UNTIL) },
#define WAIT_ROW(name, ...) \
	{ ROW_(name, WAITS_FOR), .begin = begin_##name, .act = act_##name },
#define POINTS(name, features, ...) "op=" #name " " features(#name) ";"

#define WAIT_FUNCTIONS(name, features, ready, call, held, undo, begin, act) \
	ROW_FUNCTIONS(name, features, ready, call, held, undo)              \
	static bool begin_##name(struct state *s)                           \
	{                                                                   \
		return begin;                                               \
	}                                                                   \
	static bool act_##name(struct state *s)                             \
	{                                                                   \
		return act;                                                 \
	}
ROWS(ROW_FUNCTIONS)
WAITS(WAIT_FUNCTIONS)
static const struct row rows[] = { CALLS_ALONE(ROW) FROM_PROCESS(
	FROM_ROW) UNTIL_PROCESS(UNTIL_ROW) WAITS(WAIT_ROW) };

static const char points[] = ROWS(POINTS) WAITS(
	POINTS) "is ops=2 if op={close_pipe,close_unix};"
		"is switches if "
		"op={fork,wait,wait_nothing,yield,thread,exit,exit_shared,"
		"vfork_op,exec_static,exec_dynamic,exec_script,read_pipe_"
		"waited,"
		"poll_waited,futex_waited}";

static int answer(struct partner *p, void *arg)
{
	struct state *s = arg;
	const struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &none))
		return -errno;
	while (!partner_stopping(p)) {
		if (!atomic_exchange(&s->shared->go, 0))
			continue;
		if (!s->row->act(s))
			return -errno;
	}
	return 0;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	for (size_t i = 0; !c->arg && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (case_is(c, "op", rows[i].call.name))
			c->arg = &rows[i];
	return c->arg;
}

/* In each directory what the rows look up; in the last one no directory. */
static int make_names(struct state *s)
{
	char name[32];
	int err = 0;

	for (int depth = 0; !err && depth < DEPTH; depth++) {
		err = !make_file(s, "file", MOST_PAGES) ||
		      symlink("file", "link") || mkdir("d", 0700) ||
		      (depth + 1 < DEPTH && chdir("d"));
	}
	err = err || fchdir(s->top) || mkdir("empty", 0700) ||
	      mkdir("full", 0700);
	for (int i = 0; !err && i < MOST_NAMES; i++) {
		snprintf(name, sizeof(name), "full/entry-%04d", i);
		err = !make_file(s, name, 0);
	}
	return err ? -errno : 0;
}

/* The programs to execute, below names without a directory: the interpreter of
 * the second and third is the first. */
static int make_programs(struct bench *b, struct state *s)
{
	static const char script[] = "#!oscost-true\n";
	const bool made = make_open(s, "script", 0) &&
			  write(s->fd, script, strlen(script)) > 0 &&
			  !fchmod(s->fd, 0700) && shut(&s->fd);

	s->large = open("large", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (!made || s->large < 0 ||
	    ftruncate(s->large, (off_t)(ADDED_PAGES * page_bytes())))
		return bench_fail(b, errno, "make a file");
	return proc_copy_program(b, "oscost-true", "oscost-true") ||
			       proc_copy_program(b, "oscost-linked",
						 "oscost-linked")
		       ? -1
		       : 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const char *dir = bench_scratch(b);
	int err;

	s->fd = s->far = s->listener = -1;
	if (!dir)
		return -EIO; /* bench_scratch() has said why */
	s->top = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->top < 0 || fchdir(s->top))
		return bench_fail(b, errno, "go to %s", dir);
	s->place = file_place_find(s->top);
	memset(s->data, 0x5a, sizeof(s->data));
	s->shared = partner_share(sizeof(*s->shared));
	if (!s->shared)
		return bench_fail(b, ENOMEM, "share memory");
	err = make_names(s);
	if (err)
		return bench_fail(b, -err, "make files in %s", dir);
	return make_programs(b, s);
}

static void put_name(char *path, size_t size, int depth, const char *name)
{
	*path = 0;
	while (depth--)
		strncat(path, "d/", size - strlen(path) - 1);
	strncat(path, name, size - strlen(path) - 1);
}

static size_t number(const struct bench_case *c, const char *axis, size_t other)
{
	return case_has(c, axis) ? (size_t)case_int(c, axis) : other;
}

static void note_facts(struct bench *b, const struct state *s,
		       const struct bench_case *c)
{
	bench_fact(b, c, "file_pages", s->shared->file_pages);
	bench_fact(b, c, "anonymous_pages", s->shared->anonymous_pages);
	bench_fact(b, c, "mappings", s->shared->mappings);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const int depth = (int)number(c, "components", 1) - 1;

	put_name(s->file, sizeof(s->file), depth, "file");
	put_name(s->missing, sizeof(s->missing), depth, "missing");
	put_name(s->fresh, sizeof(s->fresh), depth, "fresh");
	put_name(s->other, sizeof(s->other), depth, "other");
	put_name(s->link, sizeof(s->link), depth, "link");
	put_name(s->dir, sizeof(s->dir), depth, "d");
	s->bytes = number(c, "bytes", 1);
	s->pages = number(c, "pages", number(c, "entries", 0));
	s->added = number(c, "new_pages", 0);
	s->fds = (int)number(c, "descriptors", 1);
	s->what = case_has(c, "add") ? case_str(c, "add") : "none";
	s->row = c->arg;
	s->status = 0;
	s->method = bench_timer(b)->method;
	bench_fact_text(b, c, "where", s->place.where);
	if (call_is(c, "fork")) {
		if (!add(s, s->what))
			return bench_fail(b, errno, "add %s", s->what);
		note_size(s->shared);
		note_facts(b, s, c);
	}
	if (s->row->how != WAITS_FOR)
		return 0;
	if (!s->row->begin(s))
		return bench_fail(b, errno, "make %s ready", s->row->call.name);
	return partner_start(b, &s->partner, PARTNER_PROCESS, bench_cpu(b),
			     answer, s);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (call_is(c, "exit"))
		note_facts(b, s, c);
	partner_stop(&s->partner);
	close_asked(s);
	shut_all(s);
	return take_added(s) ? 0 : bench_fail(b, errno, "munmap");
}

/* Times what is not between two points of this process. */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct call *call = call_of(c);
	uint64_t begin, end, ticks;
	bool good;

	if (s->row->how == ALONE)
		return call_sample(b, state, c);
	for (;;) {
		int err;

		atomic_store(&s->shared->go, 1);
		begin = timer_end(s->method);
		good = call->time(state, c, s->method, &ticks);
		end = timer_end(s->method);
		/* The signal that looks after the partner; it may have answered
		 * already. */
		if (good || (errno != EINTR && errno != EAGAIN))
			break;
		err = partner_check();
		if (err)
			return partner_failed(b, err);
		if (!s->row->ready(s))
			break;
	}
	if (s->row->how == FROM)
		ticks = end - s->shared->ticks;
	if (s->row->how == UNTIL)
		ticks = s->shared->ticks - begin;
	return call_took(b, state, c, good, ticks);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	const struct row *row = c->arg;

	return row->ready(state)
		       ? 0
		       : bench_fail(b, errno, "make %s ready", row->call.name);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct row *row = c->arg;

	return row->undo(state)
		       ? 0
		       : bench_fail(b, errno, "undo %s", row->call.name);
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	shut_all(s);
	if (s->top > 0)
		close(s->top);
}

const struct bench_desc bench_desc = {
	.name = "calls",
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
