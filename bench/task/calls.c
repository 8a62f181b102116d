/* SPDX-License-Identifier: MIT */
/*
 * calls - what does one call of the kernel cost a program?
 *
 * Other programs repeat a call on the same objects, in a loop. A program seldom
 * does: it opens a file once, reads it, and closes it. Here each call is made
 * and timed once, on an object that was made ready for it, and then undone: an
 * open without its close, an open of a name that is missing, a close that is
 * the last one. Only files that a call makes stay until the row has its
 * samples, as those of a program do. Where most calls meet no tick of the
 * kernel's timer, one that does is left out; with several CPUs only ticks of
 * the one that keeps the time are seen. These are the costs that `oscost bill`
 * multiplies with how often a program makes such calls.
 *
 * The cost of a call can grow with a feature of it: components of the path,
 * bytes, pages that a file gets or that go with a mapping, entries of a
 * directory, descriptors. These calls have a row at both ends of a range, and
 * the cost between them is taken as a straight line. Files lie in the page
 * cache and their names in that of the kernel; nothing is forced to the disk.
 * Pages that are read or written again were so before: on some kernels the
 * second time costs more, for it marks a page as one to keep. Bytes have gone
 * through pipes and connections before: the first use of a pipe takes a new
 * page, and a new connection has small windows and acknowledges at once. Calls
 * on a part of a mapping (mprotect, mmap_fixed) divide it. Files that are
 * removed or cut were never on the disk: to free their blocks is in no row.
 *
 * add= rows: fork and exit of a process that has mapped more than the
 * measuring program itself: anonymous pages, its own or shared with the parent
 * since a fork, pages of a file (private and only read, as those of libraries
 * are), the same where another process maps them, too (common), or mappings;
 * facts state what the process had in all. exit is timed
 * from the child's last instruction until its parent, which waits, goes on: the
 * switch is in it.
 *
 * Measures: ns for one call.
 * Includes: libc's wrapper, a call by a pointer; work of the kernel that other
 *           processes do at once in such a program (the far end of a connection
 *           over loopback).
 * After:    nothing.
 * Needs:    a scratch directory (--dir), with 130 MiB free for all rows.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
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
#include <sys/sysinfo.h>
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
#include "lib/sync_futex.h"
#include "partner.h"
#include "process_pages.h"

#define DEPTH	       8  /* components of a name, at most */
#define MOST_FDS       64 /* that are asked about at once */
#define MOST_BYTES     ((size_t)64 << 10)
#define MOST_PAGES     16
#define MOST_NAMES     200
#define UNUSED_FD      9999
#define PROC_FILE      "/proc/self/stat"
#define ADDED_PAGES    4096 /* to a process: 16 MiB */
#define ADDED_MAPPINGS 512

/* Memory of the processes that take part. */
struct shared {
	/* When a child began or ended what is timed, by its own clock, where
	 * this process does not do that itself; else 0. */
	volatile uint64_t began, ended;
	_Alignas(64) _Atomic uint32_t go;   /* the partner may answer */
	_Alignas(64) _Atomic uint32_t word; /* of futex */
	struct process_pages size;
};

struct row;

struct state {
	uint64_t right;
	int top; /* the scratch directory, which is the current one */
	struct file_place place;
	/* Names below it with as many components as the case says. */
	char file[64], missing[64], fresh[64], other[64], dir[64], link[64];
	const char *made;     /* of a file that tidy() removes, or NULL */
	const char *above;    /* the path of such names */
	unsigned int entries; /* that were made */
	bool keeps; /* what a row makes stays, until the directory goes */
	size_t bytes, pages, added;
	int fds;
	int fd, far, listener; /* -1: not open */
	char *map, *heap;      /* map is NULL: none */
	char *held;	       /* ADDED_PAGES of a visit, or NULL */
	size_t map_bytes;
	pid_t self; /* this process */
	pid_t pid;  /* of a child; 0: none */
	int status; /* that it ends with */
	int policy; /* of this process, between visits */
	struct shared *shared;
	enum timer_method method;
	struct partner partner;
	const struct row *row; /* what it answers */
	int large;	       /* a file of all added pages */
	struct pollfd asked[MOST_FDS];
	struct epoll_event events[MOST_FDS];
	struct sockaddr_in in;
	union {
		struct stat st;
		struct statfs fs;
		struct termios tty;
		struct utsname name;
		struct sysinfo system;
		struct timespec time;
		struct rusage usage;
		struct rlimit limit;
		struct sigaction action;
		sigset_t set;
		struct flock lock;
		fd_set fds;
	} of;
	const char *what;	   /* is added */
	int word;		   /* of options of sockets */
	_Atomic uint32_t own_word; /* of futex, in this process alone */
	_Atomic uint32_t tid;	   /* of a thread; 0: it has ended */
	_Alignas(64) char data[MOST_BYTES];
};

/*
 * Objects, made ready and undone; all return whether it went right.
 */

#define GETS_FD(call) ((s->fd = (call)) >= 0)

static bool shut(int *fd)
{
	const int was = *fd;

	*fd = -1;
	return was < 0 || !close(was);
}

static bool shut_all(struct state *s)
{
	bool good = shut(&s->fd);

	good &= shut(&s->far);
	good &= shut(&s->listener);
	return good;
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
	return !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static size_t page_bytes(void)
{
	static size_t bytes;

	return bytes ? bytes : (bytes = bench_page_bytes());
}

/* A new file of @pages pages, open as s->fd at its beginning. */
static bool make_open(struct state *s, const char *path, size_t pages)
{
	bool good = GETS_FD(
		open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));

	s->made = path;
	for (size_t i = 0; good && i < pages; i++) {
		errno = ENOSPC; /* if only a part of it is written */
		good = write(s->fd, s->data, page_bytes()) ==
		       (ssize_t)page_bytes();
	}
	return good && !lseek(s->fd, 0, SEEK_SET);
}

/* The same, closed; what undoes the row removes it. */
static bool make_file(struct state *s, const char *path, size_t pages)
{
	if (!make_open(s, path, pages) || !shut(&s->fd))
		return false;
	s->made = NULL;
	return true;
}

static bool have_path(struct state *s, const char *path, int flags)
{
	return GETS_FD(open(path, flags | O_CLOEXEC));
}

static bool have(struct state *s, int flags)
{
	return have_path(s, s->file, flags);
}

/* A file to copy from, and a new one of @pages pages. */
static bool have_two(struct state *s, size_t pages)
{
	const bool good = make_open(s, s->fresh, pages);

	s->far = s->fd;
	s->fd = -1;
	return good && GETS_FD(openat(s->top, "file", O_RDONLY | O_CLOEXEC));
}

/* Some of a file that is made up as it is read: s->bytes. */
static bool read_some(struct state *s)
{
	s->bytes = (size_t)read(s->fd, s->data, 4096);
	return s->bytes && s->bytes <= 4096;
}

/* A directory with as many names as the case says, beside "." and "..". */
static bool have_entries(struct state *s)
{
	return have_path(s, s->pages > 2 ? "full" : "empty", O_DIRECTORY);
}

static bool take_ends(struct state *s, const int end[2])
{
	s->fd = end[0];
	s->far = end[1];
	return true;
}

static bool have_pipe(struct state *s)
{
	int end[2];

	return !pipe2(end, O_CLOEXEC | O_NONBLOCK) && take_ends(s, end);
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

/* The same, and wait until they are at the other end: a softirq that is late
 * has them still under way over loopback. */
static bool fill_far(struct state *s, int from, int to)
{
	bool good = fill(s, from);

	while (good && !is_there(s, to))
		good = poll(&(struct pollfd) { to, POLLIN, 0 }, 1, -1) == 1;
	return good;
}

/* As many go from one end to the other.  A pipe keeps a page or two of those
 * that were read, for the next write. */
static bool pass(struct state *s, int from, int to)
{
	return fill_far(s, from, to) &&
	       read(to, s->data, s->bytes) == (ssize_t)s->bytes;
}

static bool have_pair(struct state *s)
{
	const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int end[2];

	return !socketpair(AF_UNIX, type, 0, end) && take_ends(s, end);
}

static bool have_socket(struct state *s, int family, int type)
{
	return GETS_FD(socket(family, type | SOCK_CLOEXEC, 0));
}

static const struct sockaddr_un unix_name = { AF_UNIX, "socket" };
#define UNIX_NAME (const struct sockaddr *)&unix_name, sizeof(unix_name)

static bool unname(struct state *s)
{
	s->made = NULL;
	return !unlink(unix_name.sun_path);
}

static bool have_unix_listener(struct state *s)
{
	s->made = unix_name.sun_path;
	unlink(unix_name.sun_path); /* of a row that failed */
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

/* A connection that has carried data both ways: a new one has small windows and
 * acknowledges each segment at once. */
static bool have_tcp(struct state *s)
{
	return have_tcp_client(s) && accept_far(s) && shut(&s->listener) &&
	       !fcntl(s->fd, F_SETFL, O_NONBLOCK) && pass(s, s->fd, s->far) &&
	       pass(s, s->far, s->fd);
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
	return have_udp(s) && !connect(s->far, IN_NAME(s)) &&
	       pass(s, s->far, s->fd);
}

static bool has_size(struct state *s, bool some)
{
	return !fstat(s->fd, &s->of.st) &&
	       (some ? s->of.st.st_size >= (off_t)s->bytes : !s->of.st.st_size);
}

/* Memory of small pages, as s->map: anonymous, or that of a file. */
static bool have_pages(struct state *s, size_t pages, int flags, int fd)
{
	s->map_bytes = pages * page_bytes();
	s->map = mmap(NULL, s->map_bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (s->map == MAP_FAILED)
		s->map = NULL;
	else
		(void)madvise(s->map, s->map_bytes, MADV_NOHUGEPAGE);
	return s->map;
}

static void touch(char *at, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)at)[i * page_bytes()] = 1;
}

#define PART_BYTES (MOST_PAGES * page_bytes())

/* Some of which as many pages were touched as the case says.  A call on
 * PART_BYTES of it divides the mapping, as those of a dynamic linker do. */
static bool have_map(struct state *s, int fd)
{
	if (!have_pages(s, (s->pages > MOST_PAGES ? s->pages : MOST_PAGES) + 1,
			fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd))
		return false;
	touch(s->map, s->pages);
	return true;
}

#define MAPS(prot, flags, fd) \
	((s->map = mmap(NULL, s->map_bytes, prot, flags, fd, 0)) != MAP_FAILED)

static bool unmap(struct state *s)
{
	const bool good = !s->map || s->map == MAP_FAILED ||
			  !munmap(s->map, s->map_bytes);

	s->map = NULL;
	return good;
}

static bool is_mapped(const struct state *s)
{
	unsigned char in;

	return !mincore(s->map, 1, &in);
}

/* The end of the heap, moved up by a page that is touched, and by @more, of
 * which so many pages are touched, too.  brk() changes the mapping of that
 * page: the one of the program is locked, so it neither grows nor shrinks. */
static bool have_heap(struct state *s, size_t more)
{
	char *at = sbrk((intptr_t)(page_bytes() + more));

	if ((uintptr_t)at == UINTPTR_MAX)
		return false;
	touch(at, 1 + s->pages);
	s->heap = at + page_bytes();
	return true;
}

/* Unless malloc() has moved the end from @end meanwhile: all below is in use
 * then. */
static bool give_heap(const char *end, char *to)
{
	return sbrk(0) != end || !brk(to);
}

static bool have_asked(struct state *s, bool ready)
{
	FD_ZERO(&s->of.fds);
	for (int i = 0; i < s->fds; i++) {
		const int fd = eventfd((unsigned int)ready,
				       EFD_CLOEXEC | EFD_NONBLOCK);

		s->asked[i] = (struct pollfd) { .fd = fd, .events = POLLIN };
		if (fd < 0)
			return false;
		FD_SET(fd, &s->of.fds);
	}
	return true;
}

static bool watch(int epoll, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

/* Only for epoll: to be watched makes each write to a descriptor longer. */
static bool watch_asked(struct state *s)
{
	bool good = have_asked(s, true);

	s->fd = epoll_create1(EPOLL_CLOEXEC);
	for (int i = 0; good && i < s->fds; i++)
		good = watch(s->fd, s->asked[i].fd);
	return good;
}

static bool close_asked(struct state *s)
{
	bool good = true;

	for (int i = 0; i < s->fds; i++)
		if (s->asked[i].fd > 0)
			good &= shut(&s->asked[i].fd);
	return good;
}

static bool select_asked(struct state *s)
{
	struct timeval none = { 0 };

	return select(s->asked[s->fds - 1].fd + 1, &s->of.fds, NULL, NULL,
		      &none) == s->fds;
}

static bool have_epoll(struct state *s, bool added)
{
	s->fd = epoll_create1(EPOLL_CLOEXEC);
	s->far = eventfd(0, EFD_CLOEXEC);
	return s->far >= 0 && (!added || watch(s->fd, s->far));
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	handled++;
}

static bool have_action(struct state *s)
{
	s->of.action = (struct sigaction) { .sa_handler = handle };
	handled = 0;
	return !sigaction(SIGUSR2, &s->of.action, NULL);
}

static bool blocked(struct state *s, int how)
{
	sigemptyset(&s->of.set);
	sigaddset(&s->of.set, SIGUSR1);
	return !sigprocmask(how, &s->of.set, NULL);
}

static bool take_signal(struct state *s)
{
	const struct timespec none = { 0 };

	return sigtimedwait(&s->of.set, NULL, &none) == SIGUSR1 &&
	       blocked(s, SIG_UNBLOCK);
}

static bool reap(struct state *s)
{
	int status = 1;
	const bool good = waitpid(s->pid, &status, 0) == s->pid;

	s->pid = 0;
	return good && status == s->status;
}

/* Undoes most rows: nothing is left open, mapped, made or running. */
static bool tidy(struct state *s)
{
	bool good = close_asked(s);

	good &= shut_all(s);
	good &= unmap(s);
	good &= s->pid <= 0 || reap(s);
	good &= !s->made || s->keeps || !unlink(s->made);
	s->made = NULL;
	return good;
}

/* The same, and what the call has made at @path goes, or stays under this
 * sample's own name. */
static bool drop(struct state *s, const char *path)
{
	const bool good = tidy(s);

	return (s->keeps ? !rename(path, s->fresh) : !remove(path)) && good;
}

/*
 * Processes.
 */

/* One that has ended, or that waits until s->far is closed. */
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

static bool adds(const struct state *s, const char *what)
{
	return !strcmp(s->what, what);
}

/* Map and touch what the case adds: pages of its own or of a file; or map pages
 * of a file one by one, backwards, so that the kernel cannot join them. */
static bool add(struct state *s)
{
	const bool file = adds(s, "file") || adds(s, "common");
	const bool maps = adds(s, "mappings");
	const size_t pages = maps ? ADDED_MAPPINGS : ADDED_PAGES;

	if (adds(s, "none"))
		return true;
	if (!have_pages(s, pages, MAP_PRIVATE | (file ? 0 : MAP_ANONYMOUS),
			file ? s->large : -1))
		return false;
	for (size_t i = 0; file && i < pages; i++)
		(void)((volatile char *)s->map)[i * page_bytes()];
	if (!file && !maps)
		touch(s->map, pages);
	for (size_t i = 0; maps && i < pages; i++)
		if (mmap(s->map + i * page_bytes(), page_bytes(), PROT_READ,
			 MAP_PRIVATE | MAP_FIXED, s->large,
			 (off_t)((pages - 1 - i) * page_bytes())) == MAP_FAILED)
			return false;
	return true;
}

/* A process that has what the case adds, and ends. */
static bool end_child(struct state *s)
{
	s->pid = fork();
	if (!s->pid) {
		if (!adds(s, "shared") && !add(s))
			_exit(1);
		process_pages(0, &s->shared->size);
		s->shared->began = timer_end(s->method);
		_exit(0);
	}
	return s->pid > 0 && reap(s);
}

/* NOLINTBEGIN(clang-analyzer-*): a child of vfork() may read the clock. */

/* The child uses the memory of this one, which waits for it; @at: where it
 * leaves its time. */
static bool end_vfork(struct state *s, volatile uint64_t *at)
{
	const pid_t pid = vfork();

	if (!pid) {
		*at = timer_end(s->method);
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
		s->shared->began = timer_end(s->method);
		execve(program, argv, none);
		_exit(127);
	}
	s->pid = pid;
	s->status = arguments << 8;
	return pid > 0 && reap(s);
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
	uint32_t tid;

	while ((tid = atomic_load(&s->tid)))
		futex_wait(&s->tid, tid, false);
	return true;
}

#define FAILS(call, why) ((call) < 0 && errno == (why))
#define ALL(call)	 ((call) == (ssize_t)s->bytes)

/* Features: at which values of them a row is measured. */
#define PLAIN(row)	 ""
#define PATH(row)	 "components={1,8}"
#define PATH_PAGES(row)	 "components={1,8} pages={0,16}"
#define PATH_BYTES(row)	 "components={1,8} bytes={1,64}"
#define BYTES(row)	 "bytes={1,4K,64K}"
#define PACKET(row)	 "bytes={1,8K}"
#define FEW_BYTES(row)	 "bytes={1,256}"
#define PAGES(row)	 "pages={0,16}"
#define MANY_PAGES(row)	 "pages={1,16,256}"
#define ENTRIES(row)	 "entries={2,202}"
#define FDS(row)	 "descriptors={1,64}"
#define MORE(row)	 "add={none,anonymous,file,mappings}"
#define MORE_SHARED(row) "add={none,anonymous,shared,file,common,mappings}"
#define MADE_UP(row)	 "file={cmdline,stat,status,maps}"
#define BYTES_PAGES(row) "bytes={1,4K} pages=1; op=" row " bytes=64K pages=16"
#define NEW_PAGES(row)                                                     \
	"bytes={1,4K} pages=1 new_pages=1; op=" row " bytes=64K pages=16 " \
	"new_pages={1,16}"

#define LISTS syscall(SYS_getdents64, s->fd, s->data, 32768)
#define ONE   "\1\0\0\0\0\0\0" /* more than 0, in 8 bytes */

struct row {
	struct call call;
	bool (*op)(struct state *);
	bool (*ready)(struct state *), (*undo)(struct state *);
	/* With a partner: at the begin of a visit; its work. */
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

#define CALL_(call, ...)		    call
#define READY_(call, ready, ...)	    ready
#define HELD_(call, ready, held, ...)	    held
#define UNDO_(call, ready, held, undo, ...) undo

#define DO_(what, name, expression)                \
	static bool what##_##name(struct state *s) \
	{                                          \
		return expression;                 \
	}
#define ROW_FUNCTIONS(name, features, ...)                                \
	DO_(call, name, CALL_(__VA_ARGS__, 0))                            \
	DO_(ready, name, READY_(__VA_ARGS__, true, 0))                    \
	DO_(undo, name, UNDO_(__VA_ARGS__, tidy(s), tidy(s), tidy(s), 0)) \
	static int holds_##name(void *state, const struct bench_case *c,  \
				uint64_t iters)                           \
	{                                                                 \
		struct state *const s CALL_LOCAL = state;                 \
                                                                          \
		return HELD_(__VA_ARGS__, CALL_UNSEEN, CALL_UNSEEN, 0);   \
	}
#define OF_ROW(name)                                                        \
	.call = { #name, NULL, time_row, holds_##name }, .op = call_##name, \
	.ready = ready_##name, .undo = undo_##name

#define WAIT_FUNCTIONS(name, features, call, ready, held, undo, first, answer) \
	ROW_FUNCTIONS(name, features, call, ready, held, undo)                 \
	DO_(begin, name, first)                                                \
	DO_(act, name, answer)

#define ROW	 ROW_FUNCTIONS
#define WAIT_ROW WAIT_FUNCTIONS
#include "lib/calls.def"

static const struct row rows[] = {
#define ROW(name, ...) { OF_ROW(name) },
#define WAIT_ROW(name, ...) \
	{ OF_ROW(name), .begin = begin_##name, .act = act_##name },
#include "lib/calls.def"
};

static const char points[] =
#define ROW(name, features, ...) "op=" #name " " features(#name) ";"
#define WAIT_ROW		 ROW
#include "lib/calls.def"
	"is ops=2 if op={close_pipe,close_unix};"
	/* These make an inode, and what they make stays: go_apart(). */
	"is most=60 if op={open_new,mkdir,symlink,bind_unix};"
	/* The kernel fetches free pages by 63: 252 have four of those. */
	"is most=252 exclusive if op={write_new,pwrite_new,copy_range_new};"
	"is switches if op={fork,wait,wait_nothing,yield,thread,exit,"
	"exit_shared,vfork_op,exec_static,exec_dynamic,exec_script,"
	"read_pipe_waited,poll_waited,futex_waited}";

/* The partner's work while the measuring process sleeps: the least policy, on
 * the same CPU, lets it run only then. */
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

/* Below the scratch directory, the first component of the deepest names. */
static const char deep[] = "d/d/d/d/d/d/d/";
_Static_assert(sizeof(deep) == 2 * (DEPTH - 1) + 1, "so many directories");

/* @n more files, in the directory that names beginning with @above are in. */
static bool fill_directory(struct state *s, const char *above, int n)
{
	char name[64];
	bool good = true;

	while (good && n--) {
		snprintf(name, sizeof(name), "%sentry-%04u", above,
			 s->entries++);
		good = make_file(s, name, 0);
	}
	return good;
}

/* In each directory what the rows look up. */
static int make_names(struct state *s)
{
	int err = 0;

	for (int depth = 0; !err && depth < DEPTH; depth++) {
		err = !make_file(s, "file", MOST_PAGES) ||
		      symlink("file", "link") || mkdir("d", 0700) ||
		      (depth + 1 < DEPTH && chdir("d"));
	}
	err = err || fchdir(s->top) || mkdir("empty", 0700) ||
	      mkdir("full", 0700) || !fill_directory(s, "full/", MOST_NAMES);
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
	int err;

	s->made = NULL; /* it stays */
	s->large = open("large", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (!made || s->large < 0 ||
	    ftruncate(s->large, (off_t)(ADDED_PAGES * page_bytes())))
		return bench_fail(b, errno, "make a file");
	err = proc_copy_program(b, "oscost-true", "oscost-true");
	return err ? err
		   : proc_copy_program(b, "oscost-linked", "oscost-linked");
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	const char *dir = bench_scratch(b);
	int err;

	s->fd = s->far = s->listener = -1;
	s->self = getpid();
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

/* The calls before have deleted thousands of inodes, which can make a new one
 * fifty times as expensive: go to a directory apart, with others in it.  It has
 * names: some kernels number those of a directory in a tree. */
static int go_apart(struct bench *b, struct state *s)
{
	char name[32];
	const int dir = file_place_apart(s->top, name, bench_random(b));
	bool good =
		dir >= 0 && !fchdir(dir) && fill_directory(s, "", MOST_NAMES);

	for (int i = 1; good && i < DEPTH; i++)
		good = !mkdir("d", 0700) && !chdir("d");
	good = good && fill_directory(s, "", MOST_NAMES);
	good = good && !fchdir(dir);
	if (dir >= 0)
		close(dir);
	return good ? 0 : bench_fail(b, errno, "make directories");
}

static size_t number(const struct bench_case *c, const char *axis, size_t other)
{
	return case_has(c, axis) ? (size_t)case_int(c, axis) : other;
}

static void note_facts(struct bench *b, const struct state *s,
		       const struct bench_case *c)
{
	const struct process_pages *size = &s->shared->size;
	const double shared = size->anonymous - size->own;

	bench_fact(b, c, "file_pages", size->resident - size->anonymous);
	/* A fork copies both; an end frees those that are shared with none. */
	bench_fact(b, c, "anonymous_pages",
		   call_is(c, "fork") ? size->anonymous : size->own);
	if (call_is(c, "exit")) {
		bench_fact(b, c, "shared_pages", shared);
		bench_fact(b, c, "common_pages", size->common);
	}
	bench_fact(b, c, "mappings", size->mappings);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const char *dir = bench_scratch(b);
	const size_t up = DEPTH - number(c, "components", 1);
	const char *above = s->above = deep + 2 * up;

	snprintf(s->file, sizeof(s->file), "%sfile", above);
	snprintf(s->missing, sizeof(s->missing), "%smissing", above);
	snprintf(s->fresh, sizeof(s->fresh), "%sfresh", above);
	snprintf(s->other, sizeof(s->other), "%sother", above);
	snprintf(s->link, sizeof(s->link), "%slink", above);
	snprintf(s->dir, sizeof(s->dir), "%sd", above);
	if (case_has(c, "file"))
		snprintf(s->file, sizeof(s->file), "/proc/self/%s",
			 case_str(c, "file"));
	s->map_bytes = MOST_PAGES * page_bytes();
	s->bytes = number(c, "bytes", 1);
	s->pages = number(c, "pages", number(c, "entries", 0));
	s->added = number(c, "new_pages", 0);
	s->fds = (int)number(c, "descriptors", 1);
	s->what = case_has(c, "add") ? case_str(c, "add") : "none";
	s->row = c->arg;
	s->status = 0;
	s->method = bench_timer(b)->method;
	bench_fact_text(b, c, "where", s->place.where);
	/* The parent, too, has pages that are shared or common. */
	if ((call_is(c, "fork") || adds(s, "shared") || adds(s, "common")) &&
	    !add(s))
		return bench_fail(b, errno, "add %s", s->what);
	if (call_is(c, "fork")) {
		process_pages(0, &s->shared->size);
		note_facts(b, s, c);
	}
	/* A task that is made may else run before the call returns. */
	s->policy = sched_getscheduler(0);
	if ((call_is(c, "fork") || call_is(c, "thread")) && partner_defer())
		return bench_fail(b, errno, "defer to others");
	/* New pages of a program are seldom those that were given back just
	 * before, which are cheaper. */
	if (s->added) {
		if (!have_pages(s, ADDED_PAGES, MAP_PRIVATE | MAP_ANONYMOUS,
				-1))
			return bench_fail(b, errno, "map memory");
		s->held = s->map;
		s->map = NULL;
		touch(s->held, ADDED_PAGES);
	}
	s->keeps = c->most;
	if (s->keeps &&
	    file_place_room(dir) < (int64_t)(c->most * s->pages * page_bytes()))
		return bench_skip(b,
				  "half of the free space in %s is too little",
				  dir);
	if (s->keeps)
		return go_apart(b, s);
	if (!s->row->act)
		return 0;
	if (!s->row->begin(s))
		return bench_fail(b, errno, "make %s ready", s->row->call.name);
	return partner_start(b, &s->partner, PARTNER_PROCESS, bench_cpu(b),
			     answer, s);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct sched_param none = { 0 };
	struct state *s = state;
	bool good;

	if (s->policy == SCHED_OTHER)
		sched_setscheduler(0, SCHED_OTHER, &none);
	if (call_is(c, "exit"))
		note_facts(b, s, c);
	if (call_is(c, "read_proc"))
		bench_fact(b, c, "bytes", (double)s->bytes);
	partner_stop(&s->partner);
	if (s->held)
		munmap(s->held, ADDED_PAGES * page_bytes());
	s->held = NULL;
	good = tidy(s);
	if (fchdir(s->top) || !good)
		bench_fail(b, errno, "tidy up");
}

/* Whether a call that waits is to be made again: it saw the signal that looks
 * after the partner, or its answer was there already. */
static bool again(struct state *s)
{
	return s->row->act && (errno == EINTR || errno == EAGAIN) &&
	       s->row->ready(s);
}

static bool time_once(struct state *s, const struct bench_case *c,
		      uint64_t *ticks)
{
	struct shared *shared = s->shared;
	uint64_t begin, end;
	bool good;

	shared->began = shared->ended = 0;
	do {
		atomic_store(&shared->go, s->row->act != NULL);
		begin = timer_end(s->method);
		good = time_row(s, c, s->method, ticks);
		end = timer_end(s->method);
	} while (!good && again(s));
	if (shared->began)
		*ticks = end - shared->began;
	if (shared->ended)
		*ticks = shared->ended - begin;
	return good;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	const struct row *row = c->arg;
	struct state *s = state;

	if (s->keeps)
		snprintf(s->fresh, sizeof(s->fresh), "%sfresh-%04u", s->above,
			 s->entries++);
	return row->ready(state)
		       ? 0
		       : bench_fail(b, errno, "make %s ready", row->call.name);
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;

	if (!s->row->undo(s))
		bench_fail(b, errno, "undo %s", s->row->call.name);
}

/* This clock moves at each tick, at which the kernel does work of its own: its
 * nanoseconds now (clock_gettime), or from tick to tick (clock_getres). */
static long tick(int (*ask)(clockid_t, struct timespec *))
{
	struct timespec t = { 0 };

	ask(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_nsec;
}

/* Where most calls meet no tick, one that does is no sample. */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const long last = tick(clock_gettime);
	const uint64_t begin = timer_end(s->method);
	uint64_t ticks;
	const bool good = time_once(s, c, &ticks);
	const double ns = bench_ns(b, (double)(timer_end(s->method) - begin));
	const bool ticked =
		tick(clock_gettime) != last &&
		ns <= (1 - BENCH_MOSTLY) * (double)tick(clock_getres);
	const int err = call_took(b, s, c, good, ticks);

	return err ? err : ticked ? BENCH_NO_SAMPLE : 0;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
};
