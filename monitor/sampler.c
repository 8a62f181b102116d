// SPDX-License-Identifier: MIT
#include "sampler.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "err.h"
#include "grid.h"
#include "screen.h"
#include "sink.h"
#include "summary.h"
#include "timer.h"

/* The ring of a CPU holds 6500 switches: enough for 65 000 a second. */
#define TEND_NS 100000000u

/* The rest at the end is a sample of its own if it is not less than this: less
 * tells nothing. */
#define REST_MIN_NS 1000000u

struct sampler {
	const struct facts *facts;
	const struct settings *set;
	struct target *target;
	struct child *child;
	struct grid grid;
	int timer_fd, signal_fd;
	struct row *rows;
	struct summary *sums;
	struct summary_run run;
	struct stamp start, last;
	struct sink data, screen;
	char *head;
	double reference_hz; /* as of struct row */
	bool stop, broken;
};

#define REFERENCE_WINDOW_NS 20000000

/* Reference cycles pass as the steps of an invariant TSC do. */
static double reference_hz(void)
{
	struct timer_features features;

	timer_probe(&features);
	return features.invariant ? timer_tsc_hz(REFERENCE_WINDOW_NS) : 0;
}

void sampler_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

/* A reader that went away has seen enough; a full disk is an error. */
static void flush(struct sampler *s, struct sink *sink, const char *name)
{
	const int err = sink_flush(sink);

	if (!err)
		return;
	if (err != -EPIPE) {
		warn("%s: %s", name, strerror(-err));
		s->broken = true;
	}
	/* The command goes on, whatever becomes of its figures. */
	s->stop = !s->child;
}

static const char *data_name(const struct sampler *s)
{
	return s->set->output ? s->set->output : "standard output";
}

static void write_begin(struct sampler *s)
{
	if (s->set->format == DATA_NONE)
		return;
	if (s->set->format == DATA_CSV)
		write_csv_head(s->data.stream);
	else
		facts_json(s->data.stream, s->facts, &s->start);
	flush(s, &s->data, data_name(s));
}

static void write_rows(struct sampler *s, size_t n)
{
	for (size_t i = 0; i < n && s->set->format != DATA_NONE; i++)
		if (s->set->format == DATA_CSV)
			write_csv_row(s->data.stream, &s->rows[i]);
		else
			write_json_row(s->data.stream, &s->rows[i]);
	if (s->set->format != DATA_NONE)
		flush(s, &s->data, data_name(s));
	if (s->set->screen) {
		screen_draw(s->screen.stream, s->head ? s->head : "", s->rows,
			    n);
		flush(s, &s->screen, "standard output");
	}
}

/* Intervals are of a clock that nobody sets; only the stamps jump. */
static void watch_clock(struct sampler *s, const struct stamp *now)
{
	const uint64_t mono[2] = { s->last.mono_ns, now->mono_ns };
	const uint64_t real[2] = { s->last.real_ns, now->real_ns };
	const int64_t step_ns = clock_step_ns(mono, real);

	if (!step_ns)
		return;
	s->run.clock_steps++;
	warn("the clock was set by %+.3f s at %.3f s: times before and after "
	     "do not fit, intervals do",
	     (double)step_ns / 1e9,
	     (double)(now->mono_ns - s->start.mono_ns) / 1e9);
}

/* Return: 0 or -errno. */
static int take_sample(struct sampler *s)
{
	const int n = s->target->sample(s->target, s->rows);
	const struct stamp *now = &s->rows[0].at;
	uint64_t late;

	if (n < 0)
		return n;
	late = grid_serve(&s->grid, now->mono_ns);
	watch_clock(s, now);
	for (int i = 0; i < n; i++) {
		struct row *row = &s->rows[i];

		row->late = late;
		row->reference_hz = s->reference_hz;
		row->since_ns = row->at.mono_ns - s->start.mono_ns;
		summary_add(&s->sums[i], row);
	}
	s->last = *now;
	s->run.samples++;
	s->run.late += late;
	s->run.duration_s = (double)(now->mono_ns - s->start.mono_ns) / 1e9;
	write_rows(s, (size_t)n);
	return 0;
}

/* The first reading: the start of the first interval. */
static int take_start(struct sampler *s)
{
	const int err = s->target->sample(s->target, s->rows);

	if (err < 0)
		return err;
	s->start = s->rows[0].at;
	s->last = s->start;
	s->grid = (struct grid) {
		.start_ns = s->start.mono_ns,
		.interval_ns = s->set->interval_ns,
	};
	if (s->set->duration_ns)
		s->grid.end_ns = s->start.mono_ns + s->set->duration_ns;
	return 0;
}

static void arm_timer(struct sampler *s, uint64_t now_ns)
{
	uint64_t wake_ns = grid_next(&s->grid);
	struct itimerspec when = { 0 };

	if (s->target->tend && wake_ns > now_ns + TEND_NS)
		wake_ns = now_ns + TEND_NS;
	when.it_value.tv_sec = (time_t)(wake_ns / 1000000000u);
	when.it_value.tv_nsec = (long)(wake_ns % 1000000000u);
	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* With a command, the command decides: Ctrl-C reaches it from the terminal,
 * what somebody sends to us alone is passed on. */
static void take_signals(struct sampler *s)
{
	struct signalfd_siginfo info;

	while (read(s->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		const int sig = (int)info.ssi_signo;

		if (sig == SIGCHLD)
			continue;
		if (!s->child)
			s->stop = true;
		else if (info.ssi_code != SI_KERNEL)
			kill(s->child->pid, sig);
	}
	if (s->child && child_reap(s->child))
		s->stop = true;
}

static void wait_a_while(struct sampler *s)
{
	struct pollfd fds[] = {
		{ .fd = s->timer_fd, .events = POLLIN },
		{ .fd = s->signal_fd, .events = POLLIN },
		{ .fd = s->target->ended_fd, .events = POLLIN },
	};
	uint64_t expired;

	arm_timer(s, stamp_now().mono_ns);
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
		return;
	if (fds[0].revents && read(s->timer_fd, &expired, sizeof(expired)) < 0)
		return;
	if (fds[1].revents)
		take_signals(s);
	if (fds[2].revents)
		s->stop = true;
}

static int run_live(struct sampler *s)
{
	int err = 0;

	while (!err && !s->stop && !grid_over(&s->grid, s->last.mono_ns)) {
		uint64_t now_ns;
		bool due;

		wait_a_while(s);
		now_ns = stamp_now().mono_ns;
		due = now_ns >= grid_next(&s->grid);
		if (s->stop)
			due = due || !s->run.samples ||
			      now_ns - s->last.mono_ns >= REST_MIN_NS;
		if (due)
			err = take_sample(s);
		else if (s->target->tend)
			s->target->tend(s->target);
	}
	return err;
}

static int run_replay(struct sampler *s)
{
	int err;

	do {
		err = take_sample(s);
	} while (!err && !s->stop);
	return err == -ENOENT && s->run.samples ? 0 : err;
}

/* Figures or not, the command is waited for; signals go on to it. */
static void wait_for_child(struct sampler *s)
{
	struct pollfd fd = { .fd = s->signal_fd, .events = POLLIN };

	while (!child_reap(s->child))
		if (poll(&fd, 1, -1) > 0)
			take_signals(s);
}

static int start_child(struct sampler *s, int *status)
{
	const int err = child_go(s->child);

	if (err) {
		warn("%s: %s", s->set->command[0], strerror(-err));
		*status = err == -ENOENT ? 127 : 126;
	}
	return err;
}

static int sample_all(struct sampler *s)
{
	int status = EXIT_OK;
	int err = take_start(s);

	if (!err) {
		/* The counters were opened by the first reading. */
		facts_say(s->facts);
		if (s->set->screen)
			s->head = facts_head(s->facts);
		write_begin(s);
	}
	if (s->child && start_child(s, &status))
		return status;
	if (!err)
		err = s->set->replay ? run_replay(s) : run_live(s);
	if (s->child)
		wait_for_child(s);
	if (err) {
		warn("the load cannot be read: %s", strerror(-err));
		return EXIT_FAIL;
	}
	s->run.interval_s = (double)s->set->interval_ns / 1e9;
	if (s->set->format == DATA_JSON) {
		summary_json(s->data.stream, s->sums, s->target->rows, &s->run);
		flush(s, &s->data, data_name(s));
	}
	summary_print(stderr, s->sums, s->target->rows, &s->run);
	return s->broken ? EXIT_FAIL : EXIT_OK;
}

static int open_all(struct sampler *s)
{
	sigset_t signals;
	int err = 0;

	sampler_signals(&signals);
	s->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	s->timer_fd =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	s->rows = calloc(s->target->rows, sizeof(*s->rows));
	s->sums = calloc(s->target->rows, sizeof(*s->sums));
	if (s->signal_fd < 0 || s->timer_fd < 0 || !s->rows || !s->sums) {
		warn("no memory or no file descriptors");
		return EXIT_FAIL;
	}
	if (s->set->format != DATA_NONE)
		err = sink_open(&s->data, s->set->output);
	if (!err && s->set->screen)
		err = sink_open(&s->screen, NULL);
	if (err)
		warn("%s: %s", data_name(s), strerror(-err));
	return err ? EXIT_FAIL : EXIT_OK;
}

static int close_all(struct sampler *s, int status)
{
	const int err = sink_close(&s->data);

	if (err)
		warn("%s: %s", data_name(s), strerror(-err));
	sink_close(&s->screen);
	free(s->head);
	free(s->rows);
	free(s->sums);
	close(s->signal_fd);
	close(s->timer_fd);
	return err && !status ? EXIT_FAIL : status;
}

int sampler_run(const struct facts *facts, struct target *target,
		struct child *child)
{
	struct sampler s = {
		.facts = facts,
		.set = facts->set,
		.target = target,
		.child = child,
		.data = { .fd = -1 },
		.screen = { .fd = -1 },
		.reference_hz = facts->set->replay ? 0 : reference_hz(),
	};
	int status = open_all(&s);

	if (!status)
		status = sample_all(&s);
	return close_all(&s, status);
}
