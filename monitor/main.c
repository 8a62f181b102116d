// SPDX-License-Identifier: MIT
/*
 * cpu_load - what does each core really do while the system says 100 %?
 * (docs/cpu_load.md)
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "err.h"
#include "sampler.h"

static int open_target(struct target **target, const struct settings *set,
		       const struct cpu_model *model)
{
	const struct target_settings wanted = {
		.model = model,
		.cpus = set->cpus,
		.replay = set->replay,
		.switches = set->switches,
		.msr = set->msr,
	};
	const char *why;
	int err;

	if (set->pid)
		err = process_open(target, &wanted, (pid_t)set->pid, &why);
	else if (set->cgroup)
		err = cgroup_open(target, &wanted, set->cgroup, &why);
	else
		err = machine_open(target, &wanted, &why);
	if (!err)
		return EXIT_OK;
	warn("%s%s%s", set->cgroup ? set->cgroup : "", set->cgroup ? ": " : "",
	     why);
	return err == -EINVAL ? EXIT_USAGE : EXIT_FAIL;
}

/* Who is late because others were served measures how they are scheduled.  A
 * policy that the caller has chosen stays. */
static void raise_priority(const struct settings *set)
{
	const bool asked = set->priority != PRIORITY_DEFAULT;
	const struct sched_param param = {
		.sched_priority = asked ? (int)set->priority : 1,
	};

	if (!param.sched_priority ||
	    (!asked && sched_getscheduler(0) != SCHED_OTHER))
		return;
	/* Not for the command. */
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) &&
	    asked)
		warn("--priority: %s: going on without", strerror(errno));
}

int main(int argc, char **argv)
{
	struct settings set;
	struct cpu_model model;
	struct target *target;
	struct child child = { 0 };
	struct facts facts = { .set = &set, .model = &model };
	sigset_t ours, before;
	int status = settings_parse(&set, argc, argv);

	if (status >= 0)
		return status;
	sampler_signals(&ours);
	sigprocmask(SIG_BLOCK, &ours, &before);
	if (set.replay)
		cpu_model_none(&model, set.width);
	else
		cpu_model_read(&model, set.width);
	status = open_target(&target, &set, &model);
	if (!status) {
		facts.target = target;
		if (set.command &&
		    child_prepare(&child, set.command, &before)) {
			warn("fork: %s", strerror(errno));
			status = EXIT_FAIL;
		}
	}
	signal(SIGPIPE, SIG_IGN); /* for us, not for the command */
	signal(SIGXFSZ, SIG_IGN);
	if (!status) {
		raise_priority(&set);
		status = sampler_run(&facts, target,
				     set.command ? &child : NULL);
		target->close(target);
	}
	cpu_model_free(&model);
	if (set.command && child.ended && status < 126)
		child_exit(&child, status);
	return status;
}
