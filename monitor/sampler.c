// SPDX-License-Identifier: MIT
#include "cpu_load.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "cpus.h"
#include "err.h"
#include "grid.h"
#include "timer.h"

/* The rest at the end is a sample of its own if it is not less than this: less
 * shows nothing. */
#define REST_MIN_NS 1000000u

/* No line of a sample is longer. */
#define LINE_MOST ((size_t)2048)

#define REFERENCE_WINDOW_NS 20000000
#define FOREVER_NS	    UINT64_C(1000000000000000)

/* Where rows go.  All rows of one sample are written with one call, so that a
 * reader sees whole samples and a full disk leaves none that is cut short. */
struct output {
	const char *name;
	FILE *f; /* NULL: nowhere */
};

/* @path: NULL for standard output; @size: of a sample.  Return: 0 or -errno. */
static int output_open(struct output *o, const char *path, size_t size)
{
	o->name = path ? path : "standard output";
	o->f = path ? fopen(path, "we") : stdout;
	return !o->f || setvbuf(o->f, NULL, _IOFBF, size) ? -errno : 0;
}

struct sampler {
	const struct settings *set;
	struct cpu_model model;
	struct cpus *cpus;
	size_t n;
	pid_t child; /* the command; 0: there is none, or it has ended */
	int status;  /* as waitpid() gives it */
	bool ran;
	sigset_t ours, before; /* signals that we read, that were blocked */
	struct grid grid;
	struct row *rows;
	struct summary *sums;
	struct summary_run run;
	uint64_t last_ns; /* CLOCK_MONOTONIC of the last reading */
	struct output data, screen;
	char *head;
	double reference_hz; /* as of struct row */
	bool stop, broken;
};

/* Reference cycles pass as the steps of an invariant TSC do. */
static double reference_hz(void)
{
	struct timer_features features;

	timer_probe(&features);
	return features.invariant ? timer_tsc_hz(REFERENCE_WINDOW_NS) : 0;
}

/* Those that end the sampling, and a child's end, are read.  A reader that went
 * away or a limit of files is what write() returns. */
static void block_signals(struct sampler *s)
{
	sigset_t all;

	sigemptyset(&s->ours);
	sigaddset(&s->ours, SIGINT);
	sigaddset(&s->ours, SIGTERM);
	sigaddset(&s->ours, SIGHUP);
	sigaddset(&s->ours, SIGCHLD);
	all = s->ours;
	sigaddset(&all, SIGPIPE);
	sigaddset(&all, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &all, &s->before);
}

/* A sampler that is late because other processes ran first measures the
 * scheduler.  A policy that the caller has chosen stays. */
static void raise_priority(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	if (sched_getscheduler(0) == SCHED_OTHER)
		sched_setscheduler(0, SCHED_FIFO, &param);
}

/* A reader that went away has seen enough; a full disk is an error, of which
 * the file is left as it was for the next program that appends to it. */
static void flush(struct sampler *s, struct output *o)
{
	struct stat st;
	const int fd = fileno(o->f);
	const bool file = !fstat(fd, &st) && S_ISREG(st.st_mode);
	int err;

	if (!fflush(o->f))
		return;
	err = errno;
	if (file && !ftruncate(fd, st.st_size))
		lseek(fd, st.st_size, SEEK_SET);
	o->f = freopen("/dev/null", "we", o->f);
	if (err != EPIPE) {
		warn("%s: %s", o->name, strerror(err));
		s->broken = true;
	}
	/* The command goes on, whatever becomes of its figures. */
	s->stop = !s->set->command;
}

static void write_begin(struct sampler *s)
{
	s->head = facts_text(&s->model, cpus_counters(s->cpus));
	for (const char *at = s->head; at && *at; at += strcspn(at, "\n") + 1)
		warn("%.*s", (int)strcspn(at, "\n"), at);
	if (!s->set->rows)
		return;
	row_write(s->data.f, true, s->rows);
	flush(s, &s->data);
}

static void write_rows(struct sampler *s)
{
	if (s->set->rows) {
		for (size_t i = 0; i < s->n; i++)
			row_write(s->data.f, false, &s->rows[i]);
		flush(s, &s->data);
	}
	if (s->set->screen) {
		screen_draw(s->screen.f, s->head ? s->head : "", s->rows, s->n);
		flush(s, &s->screen);
	}
}

/* Return: 0 or -errno. */
static int take_sample(struct sampler *s)
{
	const struct stamp *now = &s->rows[0].at;
	const int err = cpus_sample(s->cpus, s->rows);
	uint64_t late;

	if (err)
		return err;
	late = grid_serve(&s->grid, now->mono_ns);
	for (size_t i = 0; i < s->n; i++) {
		struct row *row = &s->rows[i];

		row->late = late;
		row->reference_hz = s->reference_hz;
		row->since_ns = row->at.mono_ns - s->grid.start_ns;
		summary_add(&s->sums[i], row);
	}
	s->last_ns = now->mono_ns;
	s->run.samples++;
	s->run.late += late;
	s->run.duration_s = (double)(now->mono_ns - s->grid.start_ns) / 1e9;
	write_rows(s);
	return 0;
}

/* The first reading: the start of the first interval.  It opens the counters.
 */
static int take_start(struct sampler *s)
{
	const int err = cpus_sample(s->cpus, s->rows);

	s->last_ns = s->rows[0].at.mono_ns;
	s->grid = (struct grid) {
		.start_ns = s->last_ns,
		.interval_ns = s->set->interval_ns,
	};
	if (s->set->duration_ns)
		s->grid.end_ns = s->last_ns + s->set->duration_ns;
	return err;
}

/* Wait for a signal until @wake_ns.  With a command, the command decides:
 * Ctrl-C reaches it from the terminal, a signal to us alone is
 * passed on. */
static void wait_until(struct sampler *s, uint64_t wake_ns)
{
	const uint64_t now_ns = stamp_now().mono_ns;
	const uint64_t left_ns = wake_ns > now_ns ? wake_ns - now_ns : 0;
	const struct timespec left = {
		.tv_sec = (time_t)(left_ns / 1000000000u),
		.tv_nsec = (long)(left_ns % 1000000000u),
	};
	siginfo_t info;
	const int sig = sigtimedwait(&s->ours, &info, &left);

	if (sig > 0 && sig != SIGCHLD) {
		if (!s->set->command)
			s->stop = true;
		else if (info.si_code != SI_KERNEL && s->child)
			kill(s->child, sig);
	}
	if (s->child && waitpid(s->child, &s->status, WNOHANG)) {
		s->child = 0;
		s->stop = true;
	}
}

static int sample_on(struct sampler *s)
{
	int err = 0;

	while (!err && !s->stop && !grid_over(&s->grid, s->last_ns)) {
		uint64_t now_ns;
		bool due;

		wait_until(s, grid_next(&s->grid));
		now_ns = stamp_now().mono_ns;
		due = now_ns >= grid_next(&s->grid);
		if (s->stop)
			due = due || !s->run.samples ||
			      now_ns - s->last_ns >= REST_MIN_NS;
		if (due)
			err = take_sample(s);
	}
	return err;
}

/* Return: EXIT_OK, 126 or 127. */
static int start_child(struct sampler *s)
{
	char *const *argv = s->set->command;
	volatile int err = 0;
	pid_t pid;

	/* It shares our memory until it executes: what failed is seen here. */
	// NOLINTBEGIN(*.vfork,*.Vfork)
	pid = vfork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &s->before, NULL);
		execvp(argv[0], argv);
		err = errno;
		_exit(127);
	}
	// NOLINTEND(*.vfork,*.Vfork)
	if (pid < 0)
		err = errno;
	else if (err)
		waitpid(pid, NULL, 0);
	s->ran = !err;
	s->child = err ? 0 : pid;
	if (!err)
		return EXIT_OK;
	warn("%s: %s", argv[0], strerror(err));
	return err == ENOENT ? 127 : 126;
}

/* End this process as the command ended: by its status, by @otherwise if that
 * was 0, or by the signal that killed it. */
static _Noreturn void end_as_child(int child, int otherwise)
{
	if (WIFSIGNALED(child)) {
		const struct rlimit no_core = { 0, 0 };
		const int sig = WTERMSIG(child);
		sigset_t one;

		/* Its own core, if any, is enough. */
		setrlimit(RLIMIT_CORE, &no_core);
		signal(sig, SIG_DFL);
		sigemptyset(&one);
		sigaddset(&one, sig);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		raise(sig);
		/* The status that a shell gives, if the signal is ignored. */
		exit(128 + sig);
	}
	exit(WEXITSTATUS(child) ? WEXITSTATUS(child) : otherwise);
}

static int sample_all(struct sampler *s)
{
	int status, err = take_start(s);

	if (!err)
		write_begin(s);
	status = s->set->command ? start_child(s) : EXIT_OK;
	if (status)
		return status;
	/* Not of the command. */
	raise_priority();
	prctl(PR_SET_TIMERSLACK, 1);
	if (!err)
		err = sample_on(s);
	/* Figures or not, the command is waited for; signals go on to it. */
	while (s->child)
		wait_until(s, stamp_now().mono_ns + FOREVER_NS);
	if (err) {
		warn("the load cannot be read: %s", strerror(-err));
		return EXIT_FAIL;
	}
	s->run.interval_s = (double)s->set->interval_ns / 1e9;
	summary_print(stderr, s->sums, s->n, &s->run);
	return s->broken ? EXIT_FAIL : EXIT_OK;
}

static int open_cpus(struct sampler *s)
{
	const char *why;
	const int err = cpus_open(&s->cpus, s->set, &s->model, &why);

	if (!err) {
		s->n = cpus_count(s->cpus);
		return EXIT_OK;
	}
	warn("%s", why);
	return err == -EINVAL ? EXIT_USAGE : EXIT_FAIL;
}

static int open_outputs(struct sampler *s)
{
	const size_t size = s->n * LINE_MOST;
	struct output *o = &s->data;
	int err = 0;

	s->rows = text_alloc(s->n, sizeof(*s->rows));
	s->sums = text_alloc(s->n, sizeof(*s->sums));
	if (s->set->rows)
		err = output_open(o, s->set->output, size);
	if (!err && s->set->screen) {
		o = &s->screen;
		err = output_open(o, NULL, size);
	}
	if (err)
		warn("%s: %s", o->name, strerror(-err));
	return err ? EXIT_FAIL : EXIT_OK;
}

static int close_all(struct sampler *s, int status)
{
	const bool failed = s->data.f && fclose(s->data.f);

	if (failed)
		warn("%s: %s", s->data.name, strerror(errno));
	free(s->head);
	free(s->rows);
	free(s->sums);
	cpus_close(s->cpus);
	cpu_model_free(&s->model);
	return failed && !status ? EXIT_FAIL : status;
}

int sampler_run(const struct settings *set)
{
	struct sampler s = {
		.set = set,
		.reference_hz = reference_hz(),
		.status = EXIT_FAILURE << 8,
	};
	int status;

	/* Before the counters, which must be given back. */
	block_signals(&s);
	cpu_model_read(&s.model, set->width);
	status = open_cpus(&s);
	if (!status)
		status = open_outputs(&s);
	if (!status)
		status = sample_all(&s);
	status = close_all(&s, status);
	if (s.ran)
		end_as_child(s.status, status);
	return status;
}
