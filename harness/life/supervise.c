/* SPDX-License-Identifier: MIT */
#include "life.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "err.h"
#include "guard.h"
#include "program.h"
#include "random.h"
#include "result.h"
#include "stay.h"

#define ORDERS	  "OSCOST_INVOCATION"
#define PADDING	  "OSCOST_PAD"
#define MAX_PAD	  4096 /* one page: more repeats the same offsets */
#define RECORD_FD 3    /* the guard's, in an invocation */
#define ORPHAN	  "orphan"

/* For an invocation whose supervisor is killed, a new image: a handler may do
 * little, and this process has the record of what is to be removed. */
static char *orphan_argv[2], *orphan_env[3];

static void on_orphaned(int sig)
{
	execve("/proc/self/exe", orphan_argv, orphan_env);
	_exit(128 + sig);
}

static void watch_supervisor(void)
{
	const char *records = getenv("OSCOST_RECORDS");

	orphan_argv[0] = program_invocation_name;
	orphan_env[0] = text_copy(ORDERS "=" ORPHAN);
	orphan_env[1] =
		records ? text_format("OSCOST_RECORDS=%s", records) : NULL;
	signal(SIGTERM, on_orphaned);
}

_Noreturn static void clean_up_orphan(void)
{
	guard_reap();
	close(RECORD_FD); /* it has the lock of the record */
	guard_clean_up();
	_exit(128 + SIGTERM);
}

bool supervise_orders(struct invocation_plan *plan)
{
	const char *text = getenv(ORDERS);
	struct invocation_plan told = *plan;
	unsigned int number;
	struct stat out;
	uint64_t channel;
	bool good;

	if (!text)
		return false;
	if (!strcmp(text, ORPHAN))
		clean_up_orphan();
	/* By hand stdout is another file than the supervisor's channel. */
	good = sscanf(text, "%" SCNu64 ":%d:%u:%" SCNu64, &told.seed,
		      &told.guard_fd, &number, &channel) == 4 &&
	       !fstat(STDOUT_FILENO, &out) && out.st_ino == channel;
	told.first_process = good && !number;
	if (good) {
		*plan = told;
		watch_supervisor();
	}
	unsetenv(ORDERS);
	return good;
}

/* The stdout of an invocation: its rows.  It waits while the pipe is full,
 * but writes only when it has measured. */
struct channel {
	int fd;
	char *text;
	size_t len;
};

/* Read what is there.  Return: whether there may be more. */
static bool empty_channel(struct channel *c)
{
	const size_t room = 65536;
	ssize_t got;

	do {
		c->text = realloc(c->text, c->len + room);
		if (!c->text)
			die(EXIT_FAIL, "no memory");
		got = read(c->fd, c->text + c->len, room);
		c->len += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* All invocations. */
struct run {
	char *const *argv;
	const struct invocation_plan *plan;
	int guard; /* the record of what must not outlive them */
	struct result *rows;
	size_t n;
	bool broken; /* the last wrote a row that is none */
};

/* Whole lines count, also those of an invocation that was killed. */
static void collect(struct run *all, const struct channel *c)
{
	const char *at = c->text, *const end = at + c->len;

	all->broken = false;
	while (!all->broken && at < end) {
		all->rows = text_grow(all->rows, all->n, sizeof(*all->rows));
		all->broken = result_take(&all->rows[all->n], &at, end);
		all->n += !all->broken;
	}
	if (all->broken)
		warn("a process run wrote a broken row");
}

/* This program anew: by its path, so that ps shows its name; by the link where
 * the path leads to another file by now; as it was started (execve's path),
 * without /proc. */
static void start_again(char *const *argv)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n > 0) {
		path[n] = '\0';
		execv(path, argv);
		execv("/proc/self/exe", argv);
	} else {
		/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
		execv((const char *)getauxval(AT_EXECFN), argv);
	}
}

_Noreturn static void become_invocation(const struct run *all, uint64_t seed,
					unsigned int number, int out,
					pid_t supervisor)
{
	char orders[96], hz[32], pad[MAX_PAD];
	size_t len = seed % MAX_PAD;
	struct stat channel = { 0 };
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor)
		_exit(EXIT_FAIL); /* it died before it could be watched */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Its group is in the background: after `stty tostop` a message would
	 * stop it. */
	signal(SIGTTOU, SIG_IGN);
	fstat(out, &channel);
	snprintf(orders, sizeof(orders), "%" PRIu64 ":%d:%u:%" PRIu64, seed,
		 all->guard < 0 ? -1 : RECORD_FD, number,
		 (uint64_t)channel.st_ino);
	snprintf(hz, sizeof(hz), "%.3f", all->plan->tsc_hz);
	memset(pad, 'x', len);
	pad[len ? len - 1 : 0] = '\0';
	if (dup2(out, STDOUT_FILENO) < 0 ||
	    (all->guard >= 0 && dup2(all->guard, RECORD_FD) < 0) ||
	    setenv(ORDERS, orders, 1) || setenv(PADDING, pad, 1) ||
	    (all->plan->tsc_hz > 0 && setenv("OSCOST_TSC_HZ", hz, 1)))
		_exit(EXIT_FAIL);
	/* Each fork copies what is open, also what our caller has left open.
	 * Before Linux 5.9 it stays. */
	syscall(SYS_close_range, RECORD_FD + 1, UINT_MAX, 0);
	start_again(all->argv);
	warn("cannot start a process run: %s%s", strerror(errno),
	     errno == ENOEXEC
		     ? ": the kernel must know how to start this file; "
		       "for qemu-user register it with binfmt_misc, flag P"
		     : "");
	_exit(EXIT_BROKEN);
}

static void kill_group(pid_t pid)
{
	/* Before the child's setpgid() there is no such group. */
	if (kill(-pid, SIGKILL))
		kill(pid, SIGKILL);
}

/* The signal that is to stop this process, or 0. */
static volatile sig_atomic_t stopped;

/* Ctrl-Z would stop this process and not the invocation, whose group is
 * another; and a sample with a pause in it would be wrong. */
static volatile sig_atomic_t asked_to_pause;

/* Wait until @pid is gone; SIGCHLD ends each wait.  One that is to be stopped
 * is killed: it has no rows yet, and what it leaves is removed as for any that
 * dies.  Return: its status. */
static int follow(pid_t pid, struct channel *c)
{
	struct pollfd pipe = { c->fd, POLLIN, 0 };
	sigset_t none;
	int status = EXIT_FAIL << 8; /* if another has reaped it */
	bool ended = false;

	sigemptyset(&none);
	while (!ended) {
		if (stopped)
			kill_group(pid);
		if (asked_to_pause)
			warn("Ctrl-Z does not pause a measurement: it goes on; "
			     "Ctrl-C stops it");
		asked_to_pause = 0;
		pipe.revents = 0;
		ppoll(&pipe, 1, NULL, &none);
		if (pipe.revents && !empty_channel(c))
			pipe.fd = -1;
		ended = waitpid(pid, &status, WNOHANG) != 0;
	}
	return status;
}

/* How many of @rows from @i to @n have that status. */
static size_t count(const struct result *rows, size_t i, size_t n,
		    enum result_status status)
{
	size_t some = 0;

	for (; i < n; i++)
		some += rows[i].status == status;
	return some;
}

/*
 * The exit code for a process run that ended with @status, and the work that it
 * did not do for its supervisor: clean up, and write its rows, those from
 * @before on.  An exit from within a library must not pass for a measurement.
 */
static int judge(int status, unsigned int number, unsigned int orphans,
		 unsigned int left, const struct run *all, size_t before)
{
	int code = WEXITSTATUS(status);

	if (WIFSIGNALED(status)) {
		warn("process run %u was ended by signal %d (%s)", number,
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
		return EXIT_FAIL;
	}
	if (all->broken && code == EXIT_OK)
		code = EXIT_FAIL;
	/* The meaning of a row that failed is seen when all are there. */
	else if (code == EXIT_FAIL &&
		 count(all->rows, before, all->n, RESULT_FAILED))
		code = EXIT_OK;
	if (orphans)
		warn("a process run left processes behind; they were killed");
	if (left)
		warn("%u thing(s) left behind by a process run were removed",
		     left);
	if (code == EXIT_OK && all->n == before) {
		warn("a process run ended without a result");
		return EXIT_BROKEN;
	}
	if ((orphans || left) && (code == EXIT_OK || code == EXIT_SKIP))
		return EXIT_FAIL;
	return code;
}

/* Start one invocation, follow it to its end, clean up after it. */
static int one_invocation(struct run *all, unsigned int number)
{
	const uint64_t first = all->plan->seed;
	uint64_t state = first + number * 0x9E3779B97F4A7C15u + 1;
	/* The first invocation has the seed that the user gave. */
	const uint64_t seed = number ? random_next(&state) >> 1 : first;
	const pid_t supervisor = getpid();
	const size_t before = all->n;
	struct channel channel = { 0 };
	unsigned int left, orphans;
	int ends[2], status, code;
	char stuck[512];
	pid_t pid;

	/* Closed over exec: the measured process has its stdout, no more. */
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETFL, O_NONBLOCK))
		die(EXIT_FAIL, "no place for rows: %s", strerror(errno));
	channel.fd = ends[0];
	pid = fork();
	if (pid == 0)
		become_invocation(all, seed, number, ends[1], supervisor);
	close(ends[1]);
	if (pid < 0) {
		/* ulimit -u or pids.max: a limit of this place, no defect. */
		const bool limit = errno == EAGAIN || errno == ENOMEM;

		warn("%scannot start a process run: %s",
		     limit ? "skipped: " : "", strerror(errno));
		close(ends[0]);
		return limit ? EXIT_SKIP : EXIT_FAIL;
	}
	status = follow(pid, &channel);
	orphans = guard_reap();
	kill(-pid, SIGKILL); /* not kill_group(): the number is free again */
	left = guard_sweep(all->guard, stuck, sizeof(stuck));
	empty_channel(&channel);
	close(ends[0]);
	if (stuck[0])
		warn("cannot remove what was left behind: %s", stuck);
	if (stopped) {
		code = 128 + stopped;
	} else {
		collect(all, &channel);
		code = judge(status, number + 1, orphans, left, all, before);
	}
	free(channel.text);
	return code;
}

/* One row for each case, in the order of the first invocation.  Return: how
 * many are in @rows. */
static size_t aggregate(const struct run *all, struct result **rows)
{
	const struct result **same =
		text_alloc(all->n, sizeof(struct result *));
	size_t n = 0;

	*rows = text_alloc(all->n, sizeof(**rows));
	for (size_t i = 0; i < all->n; i++) {
		size_t count = 0;

		for (size_t k = 0; k < all->n; k++)
			if (!strcmp(all->rows[k].name, all->rows[i].name))
				same[count++] = &all->rows[k];
		/* Else it is in another row already. */
		if (same[0] == &all->rows[i])
			result_aggregate(&(*rows)[n++], same, count);
	}
	free(same);
	return n;
}

static void on_signal(int sig)
{
	if (sig == SIGTSTP)
		asked_to_pause = 1;
	else if (sig != SIGCHLD)
		stopped = sig;
}

/* To @handler, or what they do by themselves; those that a parent ignores, as
 * nohup(1) and `&` in a script do, stay so.  @set gets the others. */
static void set_signals(void (*handler)(int), sigset_t *set)
{
	static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP,
				       SIGCHLD };
	struct sigaction action = { .sa_handler = handler }, old;

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(*watched); i++) {
		if (!sigaction(watched[i], NULL, &old) &&
		    old.sa_handler == SIG_IGN && watched[i] != SIGTERM)
			continue;
		/* One that waits already must not end the program: to ignore it
		 * for a moment discards it. */
		if (handler == SIG_DFL)
			signal(watched[i], SIG_IGN);
		sigaction(watched[i], &action, NULL);
		sigaddset(set, watched[i]);
	}
}

/* One line that is written over: how far it is, and from the second one on how
 * long the others will take if they take as long. */
static void print_progress(const struct invocation_plan *plan, unsigned int i,
			   uint64_t begin_ns)
{
	const double took = (double)(invocation_now_ns() - begin_ns) / 1e9;

	fprintf(stderr, "\r\033[K%s: process run %u of %u",
		program_invocation_short_name, i + 1,
		(unsigned int)plan->invocations);
	if (i)
		fprintf(stderr, ", %.0f s left",
			took / i * (double)(plan->invocations - i));
}

/* The children that this process had when it became this program (`daemon &
 * exec program`), and of a first process all orphans, are none of an
 * invocation: then this one waits, and another supervises. */
static void keep_apart(void)
{
	siginfo_t any;
	int err;

	if (getpid() != 1 &&
	    waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT))
		return;
	err = stay();
	if (err)
		die(EXIT_SKIP, "skipped: cannot start: %s", strerror(-err));
}

int supervise_run(char *const *argv, const struct invocation_plan *plan,
		  struct result **rows, size_t *n)
{
	static struct run all;
	const bool progress = isatty(STDERR_FILENO) && plan->invocations > 1;
	int code = EXIT_OK, now;
	const uint64_t begin_ns = invocation_now_ns();
	unsigned int done = 0;
	sigset_t watched;

	all.argv = argv;
	all.plan = plan;
	keep_apart();
	all.guard = guard_open();
	set_signals(on_signal, &watched);
	sigprocmask(SIG_BLOCK, &watched, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned int i = 0; i < plan->invocations; i++) {
		const size_t before = all.n;

		if (progress)
			print_progress(plan, i, begin_ns);
		now = one_invocation(&all, i);
		/* This can be measured here, as it was before: noise had each
		 * of the rows skipped, and they say so. */
		if (now == EXIT_SKIP && done && all.n > before)
			now = EXIT_OK;
		/* A skip does not excuse a failure. */
		if (now > code && !(code == EXIT_FAIL && now == EXIT_SKIP))
			code = now;
		if (code > EXIT_FAIL)
			break; /* usage, broken, skipped, or stopped */
		done++;
	}
	if (code == EXIT_BROKEN || (code == EXIT_SKIP && done))
		code = EXIT_FAIL; /* what was measured is not skipped */
	if (progress)
		fputs("\r\033[K", stderr);
	if (stopped) {
		code = 128 + stopped;
		warn("stopped by %s after %u of %u process runs",
		     stopped == SIGINT	  ? "SIGINT"
		     : stopped == SIGTERM ? "SIGTERM"
					  : "SIGHUP",
		     done, (unsigned int)plan->invocations);
	}
	*n = aggregate(&all, rows);
	/* The program exits as its rows say. */
	if (code == EXIT_OK && count(*rows, 0, *n, RESULT_FAILED))
		code = EXIT_FAIL;
	if (code == EXIT_OK && *n && count(*rows, 0, *n, RESULT_SKIPPED) == *n)
		code = EXIT_SKIP;
	guard_close(all.guard);
	/* The results are written next, maybe to a pipe that is never
	 * emptied: from here on a signal ends the program at once. */
	set_signals(SIG_DFL, &watched);
	sigprocmask(SIG_UNBLOCK, &watched, NULL);
	return code;
}
