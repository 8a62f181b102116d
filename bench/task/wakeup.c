/* SPDX-License-Identifier: MIT */
/*
 * wakeup - how late does a sleeping thread wake up?
 *
 * The thread sleeps until the next point of a grid of absolute times, 200
 * microseconds apart, by one of four calls, and then reads the clock: what it
 * is late is the sample.  The distribution is the answer, and
 * its tail more than its middle: the median, p99, p99.9 and the greatest are
 * reported.
 *
 * policy is set for this thread while the case is measured and restored
 * afterwards; fifo has priority 80.  Under SCHED_OTHER the kernel may delay a
 * timer by the thread's timer slack, so as to serve several with one interrupt:
 * 50 us by default, which is most of what is seen with slack=default; slack=1ns
 * is the same with PR_SET_TIMERSLACK 1.  A timerfd has no slack, whatever the
 * row's name: its timer is the kernel's own and not the thread's sleep.  Under
 * a real-time policy there is none either.
 *
 * Measures: time from the point of the grid to the thread's own reading of
 *           CLOCK_MONOTONIC after the call, ns.
 * Includes: the timer interrupt (and under a hypervisor its injection), leaving
 *           the idle state, the switch to the thread, the return of the call,
 *           and reading the clock (by the vDSO, tens of ns).  A relative
 *           timeout (ppoll, epoll_pwait2) also includes the time from computing
 *           it to the kernel's start of the timer.
 * After:    cyclictest of rt-tests: the same question with clock_nanosleep and
 *           the same grid; comparable at the same interval and policy.
 * Needs:    the right to use a real-time policy for policy=fifo.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"

#define NS_PER_S    1000000000ll
#define INTERVAL_NS 200000
#define PRIORITY    80

/* A visit begins this long before its first point of the grid: the change of
 * policy has had its effect by then. */
#define LEAD_NS 100000

/* Points of the grid that may be missed in a row. */
#define TRIES 20

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* the same number on all architectures */
#endif

struct state {
	int timer, never, epoll; /* descriptors; -1 */
	int64_t next; /* the point of the grid, ns of CLOCK_MONOTONIC */
	const struct call *call; /* of this visit */
	/* As the caller has them; restored by leave(). */
	int policy;
	struct sched_param param;
	int slack;
};

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec) { ns / NS_PER_S, ns % NS_PER_S };
}

/* The time left to the point; never negative. */
static struct timespec left(const struct state *s)
{
	const int64_t ns = s->next - clock_now_ns(CLOCK_MONOTONIC);

	return to_timespec(ns > 0 ? ns : 0);
}

/* Result of a wait for an event that never comes; @n: events, or -1. */
static int timed_out(long n)
{
	return n < 0 ? -errno : n ? -EIO : 0;
}

static int sleep_nanosleep(const struct state *s)
{
	const struct timespec at = to_timespec(s->next);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static int sleep_timerfd(const struct state *s)
{
	const struct itimerspec at = { .it_value = to_timespec(s->next) };
	uint64_t times = 0;

	if (timerfd_settime(s->timer, TFD_TIMER_ABSTIME, &at, NULL) ||
	    read(s->timer, &times, sizeof(times)) < 0)
		return -errno;
	return times == 1 ? 0 : -EIO;
}

static int sleep_ppoll(const struct state *s)
{
	struct pollfd pfd = { s->never, POLLIN, 0 };
	const struct timespec rest = left(s);

	return timed_out(ppoll(&pfd, 1, &rest, NULL));
}

/* The system call itself: older libcs have no name for it. */
static int sleep_epoll(const struct state *s)
{
	struct epoll_event event;
	const struct timespec rest = left(s);

	return timed_out(syscall(SYS_epoll_pwait2, s->epoll, &event, 1, &rest,
				 NULL, (size_t)0));
}

static const struct call {
	const char *name;
	/* Sleep until the point of the grid: 0 or -errno. */
	int (*sleep)(const struct state *s);
} calls[] = {
	{ "clock_nanosleep", sleep_nanosleep },
	{ "timerfd", sleep_timerfd },
	{ "ppoll", sleep_ppoll },
	{ "epoll_pwait2", sleep_epoll },
};

/* Real time has no slack, and the others have some. */
static const char points[] =
	"op={clock_nanosleep,timerfd,ppoll,epoll_pwait2}"
	" policy={other,fifo} slack={default,'1ns',none};"
	"not policy=fifo slack!=none; not policy=other slack=none;"
	/* For a machine that is very late only. */
	"is log step=1 switches";

static int setup(struct bench *b, void *state)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct state *s = state;

	s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	s->never = eventfd(0, EFD_CLOEXEC);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->timer < 0 || s->never < 0 || s->epoll < 0 ||
	    epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->never, &event))
		return bench_fail(b, errno, "make a timer, an event, an epoll");
	return 0;
}

/* A policy or a slack that a kernel has not is EINVAL. */
static int or_lacks(int err)
{
	return err == EINVAL ? ENOSYS : err;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const bool fifo = case_is(c, "policy", "fifo");
	const int policy = fifo ? SCHED_FIFO : SCHED_OTHER;
	const struct sched_param param = { fifo ? PRIORITY : 0 };
	const unsigned long slack = case_is(c, "slack", "1ns"); /* 0: default */
	struct state *s = state;

	s->call = CASE_OF(c, "op", calls);
	s->policy = sched_getscheduler(0);
	sched_getparam(0, &s->param);
	s->slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	/* The policy first: entering and leaving real time resets the slack. */
	if (sched_setscheduler(0, policy, &param))
		return bench_fail(b, or_lacks(errno),
				  "use SCHED_%s (ulimit -r, CAP_SYS_NICE)",
				  fifo ? "FIFO" : "OTHER");
	if (prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0))
		return bench_fail(b, or_lacks(errno), "set the timer slack");
	/* As the kernel says, not as we asked. */
	bench_proof(b, c, "policy_in_force", 1,
		    sched_getscheduler(0) == policy);
	bench_fact(b, c, "timer_slack_ns",
		   prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
	s->next = clock_now_ns(CLOCK_MONOTONIC) + LEAD_NS + INTERVAL_NS / 2;
	return 0;
}

/* On to a point of the grid that is not yet past, and that leaves time to
 * fall asleep: cyclictest does the same. */
static void next_point(struct state *s)
{
	const int64_t soon = clock_now_ns(CLOCK_MONOTONIC) + INTERVAL_NS / 4;

	while (s->next < soon)
		s->next += INTERVAL_NS;
}

/* A sleep is one if the thread slept; else it was kept from running until the
 * point was past. */
static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct call *call = s->call;
	int64_t late = 0;
	bool slept = false;
	int err = 0;

	for (int i = 0; i < TRIES && !slept && !err; i++) {
		long before;

		next_point(s);
		before = bench_usage(RUSAGE_THREAD).ru_nvcsw;
		do
			err = call->sleep(s);
		while (err == -EINTR);
		late = clock_now_ns(CLOCK_MONOTONIC) - s->next;
		slept = bench_usage(RUSAGE_THREAD).ru_nvcsw > before;
		s->next += INTERVAL_NS;
	}
	if (err)
		return bench_fail(b, -err, "%s", call->name);
	bench_proof(b, c, "sleeps", 1, slept);
	/* Too early would be a bug of the kernel, and is no lateness. */
	bench_proof(b, c, "not_early", 1, late >= 0);
	if (slept && late >= 0)
		bench_record_value(b, c, (double)late);
	return 0;
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	const struct state *s = state;

	sched_setscheduler(0, s->policy, &s->param);
	prctl(PR_SET_TIMERSLACK, (unsigned long)s->slack, 0, 0, 0);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
};
