/* SPDX-License-Identifier: MIT */
#include "partner.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "program.h"
#include "sysfile.h"

#ifndef sigev_notify_thread_id /* older than glibc 2.41 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* Real-time signals that neither libc (the first two) nor the harness uses: for
 * the watch, and for a thread that is to stop, whose calls it interrupts. */
#define WATCH_SIGNAL (SIGRTMIN + 4)
#define KICK_SIGNAL  (SIGRTMIN + 5)

/* The stack of a thread: nothing of size is on it. */
#define STACK_BYTES 262144u

/* Between two signals to a thread that is to stop. */
#define KICK_MS 1

/* Between two looks at one that is to fall asleep. */
#define LOOK_US 50

#define PROCESSES 1024 /* that are watched, at most */

enum side { NEAR, FAR };

int64_t partner_patience_ms = 120000;

/* The partner that this thread is the work of; NULL: the measuring thread. */
static _Thread_local const struct partner *self;

static timer_t watch;
static bool watch_made;
static _Atomic unsigned int watched;	 /* partners that live */
static _Atomic pid_t process[PROCESSES]; /* those of them; 0: a free place */
static _Atomic uint64_t meetings;
static const struct bench *program; /* that is named if it is given up */

int partner_defer(void)
{
	const struct sched_param none = { 0 };

	return sched_getscheduler(0) == SCHED_OTHER &&
			       sched_setscheduler(0, SCHED_BATCH, &none)
		       ? -errno
		       : 0;
}

/* Put @to in the place of @from. */
static void note(pid_t from, pid_t to)
{
	for (size_t i = 0; i < PROCESSES; i++) {
		pid_t is = from;

		if (atomic_compare_exchange_strong(&process[i], &is, to))
			return;
	}
}

static bool has_failed(pid_t pid)
{
	siginfo_t end = { 0 };

	/* WNOWAIT: partner_stop() is to reap it. */
	return !waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT) &&
	       end.si_pid && (end.si_code != CLD_EXITED || end.si_status);
}

/* The end of this process, in a signal handler: no lock may be taken. */
_Noreturn static void give_up(const char *why)
{
	const struct case_run *at = program->now.current;
	const char *const word[] = {
		program->plan.name, ": ", at ? at->c.name : "",
		at ? ": " : "",	    why,  "\n"
	};

	for (size_t i = 0; i < sizeof(word) / sizeof(*word); i++)
		if (write(STDERR_FILENO, word[i], strlen(word[i])) < 0)
			break;
	for (size_t i = 0; i < PROCESSES; i++)
		if (process[i]) {
			kill(process[i], SIGKILL);
			waitpid(process[i], NULL, 0);
		}
	_exit(EXIT_BROKEN);
}

static void on_watch(int sig)
{
	static uint64_t seen;
	static int64_t still;
	const uint64_t moves = visit_moves + meetings;
	const int saved = errno;

	for (size_t i = 0; i < PROCESSES; i++)
		if (process[i] && has_failed(process[i]))
			give_up("the partner died");
	still = moves == seen ? still + 1 : 0;
	seen = moves;
	if (still * PARTNER_WATCH_MS > partner_patience_ms)
		give_up("the partner does not move");
	errno = saved;
}

static void on_kick(int sig)
{
}

/* One more, or one less. */
static void set_watch(int by)
{
	const long ns = by > 0 ? PARTNER_WATCH_MS * 1000000L : 0;
	const struct itimerspec every = { { 0, ns }, { 0, ns } };

	if (atomic_fetch_add(&watched, by) == (by > 0 ? 0 : 1))
		timer_settime(watch, 0, &every, NULL);
}

/* @flags: SA_RESTART, or 0 for calls that are to be interrupted. */
static int make_watch(const struct bench *b, int flags)
{
	const struct sigaction look = { .sa_handler = on_watch,
					.sa_flags = flags },
			       kick = { .sa_handler = on_kick };
	/* For the measuring thread and no other. */
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };

	event.sigev_signo = WATCH_SIGNAL;
	event.sigev_notify_thread_id = gettid();
	if (!watch_made && (sigaction(WATCH_SIGNAL, &look, NULL) ||
			    sigaction(KICK_SIGNAL, &kick, NULL) ||
			    timer_create(CLOCK_MONOTONIC, &event, &watch)))
		return errno;
	program = watch_made ? program : b;
	watch_made = true;
	return 0;
}

int partner_watch(struct bench *b)
{
	const int err = make_watch(b, 0);

	if (err)
		return bench_fail(b, err, "make a timer");
	set_watch(1);
	return 0;
}

void *partner_share(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void partner_unshare(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

static void wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* Until *@word may have changed from @value, a signal came, or @ms are over;
 * 0: no limit. */
static void doze(_Atomic uint32_t *word, uint32_t value, long ms)
{
	const struct timespec most = { .tv_nsec = ms * 1000000L };

	syscall(SYS_futex, word, FUTEX_WAIT, value, ms ? &most : NULL, NULL, 0);
}

int partner_meet(struct partner *p)
{
	const enum side side = p == self ? FAR : NEAR;
	struct partner_page *page = p->page;
	_Atomic uint32_t *theirs = &page->met[side ^ 1];
	const uint32_t mine = atomic_fetch_add(&page->met[side], 1) + 1;
	uint32_t seen;

	wake(&page->met[side]);
	while ((int32_t)((seen = atomic_load(theirs)) - mine) < 0) {
		const bool over = side == FAR ? partner_stopping(p)
					      : atomic_load(&page->done);

		/* One with little to do may have been here since, and ended. */
		if (over && (int32_t)(atomic_load(theirs) - mine) < 0)
			return side == FAR	  ? -ECANCELED
			       : page->result < 0 ? page->result
						  : -ESRCH;
		doze(theirs, seen, side == NEAR ? PARTNER_WATCH_MS : 0);
	}
	meetings++;
	return 0;
}

/* The partner's side.  Return: whether its work has failed, before it was told
 * to stop. */
static bool take_part(struct partner *p)
{
	struct partner_page *page = p->page;
	int err;

	self = p;
	/* The number here may not be that of /proc. */
	if (readlink("/proc/thread-self", page->name, sizeof(page->name) - 1) <
	    0)
		page->name[0] = '\0';
	err = bench_pin(p->cpu);
	if (!err)
		err = partner_meet(p);
	page->result = err ? err : p->work(p, p->arg);
	atomic_store(&page->done, 1);
	wake(&page->done);
	wake(&page->met[FAR]);
	return !err && page->result < 0 && !partner_stopping(p);
}

static void *thread_main(void *arg)
{
	take_part(arg);
	return NULL;
}

static int make_thread(struct partner *p)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	/* The mask is inherited: blocked here, blocked there from the start. */
	sigfillset(&all);
	sigdelset(&all, KICK_SIGNAL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&p->thread, &attr, thread_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

static int make_process(struct partner *p)
{
	const pid_t parent = getpid();

	p->pid = fork();
	if (p->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1); /* it died before it could be watched */
		/* Timers and threads are not inherited. */
		watch_made = false;
		watched = 0;
		memset(process, 0, sizeof(process));
		noise_alone();
		_exit(take_part(p));
	}
	if (p->pid < 0) {
		p->pid = 0;
		return errno;
	}
	note(0, p->pid);
	return 0;
}

double partner_waited(void)
{
	struct noise seen;

	noise_end(&seen);
	return seen.waited_ns;
}

/* Until it is on its CPU. */
static int await(struct bench *b, struct partner *p)
{
	int err = partner_meet(p);

	if (err) {
		err = bench_fail(b, -err, "pin the partner to CPU %d", p->cpu);
		partner_stop(p);
		return err;
	}
	/* A process may have threads; they all are the partner. */
	if (p->pid ? clock_getcpuclockid(p->pid, &p->clock)
		   : pthread_getcpuclockid(p->thread, &p->clock))
		p->clock = 0;
	else
		noise_watch(p->page->name, p->clock, p->cpu);
	return 0;
}

int partner_start(struct bench *b, struct partner *p, enum partner_kind kind,
		  int cpu, partner_fn *work, void *arg)
{
	const bool thread = kind == PARTNER_THREAD;
	int err;

	*p = (struct partner) { .page = partner_share(sizeof(*p->page)),
				.work = work,
				.arg = arg,
				.cpu = cpu };
	err = p->page ? make_watch(b, SA_RESTART) : ENOMEM;
	if (!err)
		err = thread ? make_thread(p) : make_process(p);
	if (!err) {
		set_watch(1);
		return await(b, p);
	}
	partner_unshare(p->page, sizeof(*p->page));
	p->page = NULL;
	return partner_refused(b, err,
			       thread ? "make a partner thread"
				      : "make a partner process");
}

int partner_settle(struct bench *b, const struct partner *p)
{
	char stat[1024];
	const char *state;

	do {
		if (atomic_load(&p->page->done))
			return bench_fail(b, -p->page->result, "the partner");
		usleep(LOOK_US);
		sysfile_stat(stat, sizeof(stat), "/proc/%s/stat",
			     p->page->name);
		state = field_of_stat(stat, 3);
	} while (state && *state != 'S');
	return 0;
}

/* Until its work returns. */
static void kick(const struct partner *p)
{
	wake(&p->page->met[NEAR]);
	while (!atomic_load(&p->page->done)) {
		pthread_kill(p->thread, KICK_SIGNAL);
		doze(&p->page->done, 0, KICK_MS);
	}
}

int partner_finish(struct partner *p)
{
	int result;

	note(p->pid, 0); /* its end is no failure any more */
	if (!p->pid)
		pthread_join(p->thread, NULL);
	while (p->pid && waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	result = atomic_load(&p->page->done) ? p->page->result : -ESRCH;
	set_watch(-1);
	noise_unwatch(p->clock);
	partner_unshare(p->page, sizeof(*p->page));
	*p = (struct partner) { 0 };
	return result;
}

void partner_stop_all(struct partner *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (p[i].page)
			atomic_store(&p[i].page->stop, 1);
		note(p[i].pid, 0);
	}
	for (unsigned int i = 0; i < n; i++) {
		if (!p[i].page)
			continue;
		if (p[i].pid)
			kill(p[i].pid, SIGKILL);
		else
			kick(&p[i]);
		partner_finish(&p[i]);
	}
}

void partner_stop(struct partner *p)
{
	partner_stop_all(p, 1);
}

void partner_leave(struct bench *b, void *partner, const struct bench_case *c)
{
	struct partner *p = partner;
	char stat[1024];
	int64_t cpu;

	if (!p->page)
		return;
	if (p->asked)
		bench_proof(b, c, "answers", (double)p->asked,
			    (double)atomic_load(&p->page->answers));
	sysfile_stat(stat, sizeof(stat), "/proc/%s/stat", p->page->name);
	cpu = field_number(field_of_stat(stat, 39), -1);
	if (cpu >= 0)
		bench_fact(b, c, "partner_cpu", (double)cpu);
	partner_stop(p);
}

int partner_sleep(struct partner *p, void *arg)
{
	return partner_meet(p);
}

void partner_goes_on(const _Atomic uint64_t *count)
{
	const uint64_t seen = atomic_load(count);

	while (atomic_load(count) == seen)
		;
}

int partner_refused(struct bench *b, int err, const char *what)
{
	struct rlimit user;
	char limit[48] = "";

	if (err != EAGAIN)
		return bench_fail(b, err, "%s", what);
	if (!getrlimit(RLIMIT_NPROC, &user) && user.rlim_cur != RLIM_INFINITY)
		snprintf(limit, sizeof(limit), "ulimit -u is %lu, ",
			 (unsigned long)user.rlim_cur);
	return bench_skip(b,
			  "%s: no more are allowed (%spids.max of a control "
			  "group, kernel.threads-max)",
			  what, limit);
}
