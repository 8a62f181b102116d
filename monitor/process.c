// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "deadline.h"
#include "guard.h"
#include "sysfile.h"
#include "target.h"

struct process {
	struct target target;
	pid_t pid;
	clockid_t clock;
	struct counters *counters;
	double width[COUNTERS_PMUS];
	/* The reading before. */
	struct stamp at;
	struct counters_reading counted;
	int64_t cpu_ns, user, system;
};

struct stamp stamp_now(void)
{
	return (struct stamp) {
		.mono_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC),
		.real_ns = (uint64_t)clock_now_ns(CLOCK_REALTIME),
	};
}

static bool read_times(const struct process *p, int64_t *user, int64_t *system)
{
	char stat[1024];

	sysfile_stat(stat, sizeof(stat), "/proc/%d/stat", p->pid);
	*user = field_number(field_of_stat(stat, 14), -1);
	*system = field_number(field_of_stat(stat, 15), -1);
	return *user >= 0 && *system >= 0;
}

static double steps_pct(int64_t from, int64_t to, double interval_ns)
{
	const double step_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);

	return to < from ? NAN
			 : 100 * (double)(to - from) * step_ns / interval_ns;
}

/* What a thread ran since the timer last ticked is not in its sum yet. */
static double tick_ns(void)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (double)tick.tv_nsec;
}

static int sample(struct target *target, struct row *row)
{
	struct process *p = (struct process *)target;
	const struct process before = *p;
	double interval_ns;

	p->at = stamp_now();
	p->cpu_ns = clock_now_ns(p->clock);
	*row = (struct row) {
		.at = p->at,
		.cpu = ROW_PROCESS,
		.interval_ns = p->at.mono_ns - before.at.mono_ns,
		.os = os_load_unknown(OS_ENDED),
	};
	interval_ns = (double)row->interval_ns;
	memcpy(row->width, p->width, sizeof(row->width));
	if (p->counters && !counters_read(p->counters, &p->counted) &&
	    before.at.mono_ns)
		counters_delta(p->counters, &before.counted, &p->counted,
			       &row->counts);
	if (p->cpu_ns >= 0 && read_times(p, &p->user, &p->system)) {
		row->os.state = OS_OK;
		row->os.load_pct =
			100 * (double)(p->cpu_ns - before.cpu_ns) / interval_ns;
		row->os.resolution_pct = 100 * tick_ns() / interval_ns;
		row->os.user_pct = steps_pct(before.user, p->user, interval_ns);
		row->os.system_pct =
			steps_pct(before.system, p->system, interval_ns);
	}
	return before.at.mono_ns ? 1 : 0;
}

static void close_process(struct target *target)
{
	struct process *p = (struct process *)target;

	counters_close(p->counters);
	if (target->ended_fd >= 0)
		close(target->ended_fd);
	free(p);
}

int process_open(struct target **target, const struct target_settings *settings,
		 pid_t pid, const char **why)
{
	const struct counters_target counted = {
		.kind = COUNTERS_PROCESS,
		.pid = pid,
	};
	struct process *p = calloc(1, sizeof(*p));
	int err;

	*why = "out of memory";
	if (!p)
		return -ENOMEM;
	p->target = (struct target) {
		.rows = 1,
		.sample = sample,
		.close = close_process,
	};
	p->pid = pid;
	p->target.ended_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	err = p->target.ended_fd < 0 && errno == ESRCH
		      ? ESRCH
		      : clock_getcpuclockid(pid, &p->clock);
	*why = "there is no such process";
	if (!err && !guard_sees_processes()) {
		*why = "/proc is missing, or not of this PID namespace";
		err = ENOENT;
	}
	if (err) {
		close_process(&p->target);
		return -err;
	}
	if (counters_open(&p->counters, &counted, 0))
		p->counters = NULL;
	p->target.asked = p->counters;
	cpu_model_widths(settings->model, p->counters, p->width);
	*target = &p->target;
	return 0;
}
