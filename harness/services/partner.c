/* SPDX-License-Identifier: MIT */
#include "partner.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "arch.h"
#include "deadline.h"
#include "program.h"
#include "sysfile.h"

/*
 * Out of a signal handler, past a blocked call.  glibc's longjmp() would clean
 * up behind pthread_cond_wait(), which takes the mutex: for ever, if the
 * partner died with it.  musl's does not; it has no setcontext().
 */
#ifdef __GLIBC__
#define WAY_OUT	       ucontext_t
#define SET_WAY_OUT()  getcontext(&way_out)
#define TAKE_WAY_OUT() setcontext(&way_out)
#else
#define WAY_OUT	       sigjmp_buf
#define SET_WAY_OUT()  sigsetjmp(way_out, 1)
#define TAKE_WAY_OUT() siglongjmp(way_out, 1)
#endif

#ifndef sigev_notify_thread_id /* older than glibc 2.41 */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* A real-time signal that neither libc (the first two) nor the harness uses. */
#define WATCH_SIGNAL (SIGRTMIN + 4)

/* The stack of a thread: nothing of size is on it. */
#define STACK_BYTES 262144u

/* Between two signals to a thread that is to stop. */
#define KICK_MS 1

/* Between two looks at one that is to fall asleep. */
#define LOOK_US 50

enum side { NEAR, FAR };

int64_t partner_patience_ms = 30000;

static _Thread_local int64_t give_up; /* a deadline; 0: has not waited yet */
static _Thread_local uint64_t since;  /* visit_moves, when it was set */
static _Thread_local enum side side;

/* A signal handler has no argument of its own. */
static WAY_OUT way_out;
static volatile sig_atomic_t armed, verdict;

static timer_t watch;
static bool watch_made;
static unsigned int watched;	     /* processes that live */
static _Atomic unsigned int threads; /* the same */

void partner_moved(void)
{
	give_up = 0;
}

int partner_defer(void)
{
	const struct sched_param none = { 0 };

	return sched_getscheduler(0) == SCHED_OTHER &&
			       sched_setscheduler(0, SCHED_BATCH, &none)
		       ? -errno
		       : 0;
}

void partner_lead(bool on)
{
	side = on ? NEAR : FAR;
}

int partner_check(void)
{
	siginfo_t dead = { 0 };

	if (side == FAR)
		return 0;
	/* WNOWAIT: partner_stop() is to reap it.  Without partner processes a
	 * dead child is one that a partner thread has made. */
	if (watched && !waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) &&
	    dead.si_pid)
		return -ESRCH;
	if (!give_up || since != visit_moves)
		give_up = deadline_in(partner_patience_ms);
	since = visit_moves;
	return deadline_passed(give_up) ? -ETIMEDOUT : 0;
}

int partner_failed(struct bench *b, int err)
{
	return err == -ESRCH ? bench_fail(b, 0, "the partner died")
	       : err == -ETIMEDOUT
		       ? bench_fail(b, 0, "the partner does not move")
		       : bench_fail(b, -err, "the partner");
}

/* Before a call that does not return AddressSanitizer forgets what the frames
 * have that will never be left: so TAKE_WAY_OUT() has one around it. */
static _Noreturn __attribute__((noinline)) void get_out(void)
{
	TAKE_WAY_OUT();
	abort();
}

/* It makes a blocked call return. */
static void on_watch(int sig)
{
	const int saved = errno;

	if (armed && !threads) {
		verdict = partner_check();
		if (verdict) {
			armed = 0;
			get_out();
		}
	}
	errno = saved;
}

int partner_guard(int (*wait)(void *arg), void *arg)
{
	int err;

	verdict = 0;
	SET_WAY_OUT();
	if (verdict)
		return verdict;
	armed = 1;
	err = wait(arg);
	armed = 0;
	return err;
}

static void set_watch(unsigned int processes)
{
	const long ns = processes ? PARTNER_WATCH_MS * 1000000L : 0;
	const struct itimerspec every = { { 0, ns }, { 0, ns } };

	if (!processes != !watched)
		timer_settime(watch, 0, &every, NULL);
	watched = processes;
}

static int make_watch(void)
{
	/* No SA_RESTART: the call that was interrupted must return. */
	const struct sigaction action = { .sa_handler = on_watch };
	/* For the measuring thread and no other. */
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };

	event.sigev_signo = WATCH_SIGNAL;
	event.sigev_notify_thread_id = gettid();
	if (!watch_made && (sigaction(WATCH_SIGNAL, &action, NULL) ||
			    timer_create(CLOCK_MONOTONIC, &event, &watch)))
		return errno;
	watch_made = true;
	return 0;
}

int partner_watch(bool on)
{
	const int err = on ? make_watch() : 0;

	if (!err)
		set_watch(on ? watched + 1 : watched - 1);
	return -err;
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
	struct partner_page *page = p->page;
	_Atomic uint32_t *theirs = &page->met[side ^ 1];
	const uint32_t mine = atomic_fetch_add(&page->met[side], 1) + 1;
	uint32_t seen;

	wake(&page->met[side]);
	while ((int32_t)((seen = atomic_load(theirs)) - mine) < 0) {
		int err = side == NEAR		? partner_check()
			  : partner_stopping(p) ? -ECANCELED
						: 0;

		if (!err && side == NEAR && atomic_load(&page->done))
			err = -ESRCH;
		/* One with little to do may have been here since, and ended. */
		if (err == -ESRCH && (int32_t)(atomic_load(theirs) - mine) >= 0)
			break;
		if (err)
			return err;
		doze(theirs, seen, side == NEAR ? PARTNER_WATCH_MS : 0);
	}
	if (side == NEAR)
		partner_moved();
	return 0;
}

/* The partner's side. */
static void take_part(struct partner *p)
{
	struct partner_page *page = p->page;
	int err;

	side = FAR;
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
	sigdelset(&all, WATCH_SIGNAL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&p->thread, &attr, thread_main, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	threads += !err;
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
		threads = 0;
		noise_alone();
		take_part(p);
		_exit(0);
	}
	if (p->pid < 0) {
		p->pid = 0;
		return errno;
	}
	set_watch(watched + 1);
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

	if (!err) {
		/* A process may have threads; they all are the partner. */
		if (p->pid ? clock_getcpuclockid(p->pid, &p->clock)
			   : pthread_getcpuclockid(p->thread, &p->clock))
			p->clock = 0;
		else
			noise_watch(p->page->name, p->clock, p->cpu);
		return 0;
	}
	if (err == -ESRCH && p->page->result)
		err = bench_fail(b, -p->page->result,
				 "pin the partner to CPU %d", p->cpu);
	partner_stop(p);
	return partner_failed(b, err);
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
	partner_moved();
	err = p->page ? make_watch() : ENOMEM;
	if (!err)
		err = thread ? make_thread(p) : make_process(p);
	if (!err)
		return await(b, p);
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
	int err;

	do {
		usleep(LOOK_US);
		sysfile_stat(stat, sizeof(stat), "/proc/%s/stat",
			     p->page->name);
		state = field_of_stat(stat, 3);
		err = partner_check();
	} while (!err && state && *state != 'S');
	return err ? partner_failed(b, err) : 0;
}

static void stop_thread(struct partner *p)
{
	const int64_t deadline = deadline_in(partner_patience_ms);

	wake(&p->page->met[NEAR]);
	while (!atomic_load(&p->page->done)) {
		if (deadline_passed(deadline)) {
			pthread_cancel(p->thread);
			break;
		}
		pthread_kill(p->thread, WATCH_SIGNAL);
		doze(&p->page->done, 0, KICK_MS);
	}
	pthread_join(p->thread, NULL);
}

/* It was reaped or joined. */
static void forget(struct partner *p)
{
	if (p->pid)
		set_watch(watched - 1);
	else
		threads--;
	noise_unwatch(p->clock);
	partner_unshare(p->page, sizeof(*p->page));
	*p = (struct partner) { 0 };
}

void partner_stop(struct partner *p)
{
	if (!p->page)
		return;
	atomic_store(&p->page->stop, 1);
	if (!p->pid) {
		stop_thread(p);
	} else {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	forget(p);
}

void partner_leave(struct bench *b, const struct bench_case *c,
		   struct partner *p)
{
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

int partner_finish(struct partner *p)
{
	pid_t ended = p->pid ? -1 : pthread_join(p->thread, NULL);
	int err = 0, result;

	while (ended < 0 && !err) {
		ended = waitpid(p->pid, NULL, 0);
		if (ended < 0)
			err = errno == EINTR ? partner_check() : -errno;
	}
	/* Also where partner_check() has seen its own, right end. */
	result = atomic_load(&p->page->done) ? p->page->result
		 : err			     ? err
					     : -ESRCH;
	if (ended < 0)
		partner_stop(p);
	else
		forget(p);
	return result;
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

/*
 * A team.
 */

static int serve(struct partner *p, void *arg)
{
	struct partner_team *team = arg;
	const unsigned int number = (unsigned int)(p - team->member);
	uint64_t done = 0;

	while (!partner_stopping(p)) {
		if (atomic_load_explicit(&team->go, memory_order_acquire) ==
		    done) {
			ARCH_PAUSE();
			continue;
		}
		done++;
		team->fn(team->arg, number, team->rounds);
		atomic_fetch_sub_explicit(&team->busy, 1, memory_order_release);
	}
	return 0;
}

int partner_team_start(struct bench *b, struct partner_team *team,
		       unsigned int size, partner_round_fn *fn, void *arg)
{
	int err = 0;

	if (size > PARTNER_TEAM_MAX || size > bench_cpus(b))
		return bench_fail(b, ERANGE, "a team of %u threads", size);
	team->fn = fn;
	team->arg = arg;
	atomic_store(&team->go, 0);
	for (team->size = 1; !err && team->size < size; team->size += !err)
		err = partner_start(b, &team->member[team->size],
				    PARTNER_THREAD,
				    bench_nth_cpu(b, team->size), serve, team);
	return err;
}

void partner_team_go(struct partner_team *team, uint64_t rounds)
{
	team->rounds = rounds;
	atomic_store(&team->busy, team->size - 1);
	atomic_fetch_add_explicit(&team->go, 1, memory_order_release);
}

void partner_team_wait(struct partner_team *team)
{
	while (atomic_load_explicit(&team->busy, memory_order_acquire))
		ARCH_PAUSE();
}

void partner_team_run(struct partner_team *team, uint64_t rounds)
{
	if (team->size > 1)
		partner_team_go(team, rounds);
	team->fn(team->arg, 0, rounds);
	if (team->size > 1)
		partner_team_wait(team);
}

void partner_team_stop(struct partner_team *team)
{
	/* All are told before the first is waited for. */
	for (unsigned int i = 1; i < team->size; i++)
		atomic_store(&team->member[i].page->stop, 1);
	for (unsigned int i = 1; i < team->size; i++)
		partner_stop(&team->member[i]);
	team->size = 0;
}
