/* SPDX-License-Identifier: MIT */
/* The tracer: all tasks of a command, stop by stop. */
#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "arch.h"
#include "deadline.h"
#include "err.h"
#include "sysfile.h"
#include "task.h"
#include "trace.h"

#define OPTIONS                                                           \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXIT)

/* Results of interrupted calls, which are made again or return EINTR. */
#define RESTART_FIRST (-516)
#define RESTART_LAST  (-512)

#define TASKS (1 << 22) /* more than any TID (PID_MAX_LIMIT) */

static struct profile *profile;
static const char *refused;	  /* why */
static struct task *tasks[TASKS]; /* by TID */

static volatile sig_atomic_t command; /* its PID while it runs */
static volatile sig_atomic_t stop;    /* a signal came after it */

/* ---- Tasks ------------------------------------------------------------- */

static struct task *add(pid_t tid)
{
	if (!tasks[tid]) {
		tasks[tid] = text_alloc(1, sizeof(struct task));
		tasks[tid]->tid = tasks[tid]->pid = tid;
	}
	return tasks[tid];
}

static void drop(pid_t tid)
{
	if (!tasks[tid])
		return;
	files_drop(tasks[tid]->files);
	memory_drop(tasks[tid]->memory);
	free(tasks[tid]);
	tasks[tid] = NULL;
}

static void kill_all(void)
{
	for (size_t i = 0; i < TASKS; i++)
		if (tasks[i])
			kill(tasks[i]->pid, SIGKILL);
}

/* The command is not to go on. */
static void refuse(const char *why)
{
	refused = why;
	kill_all();
}

/* ---- Counting ---------------------------------------------------------- */

static void count_event(int class)
{
	static const uint64_t none[FEATURES];

	profile_class(profile, class, none);
}

static bool count_fault(pid_t tid, uint64_t address)
{
	struct task *t = tasks[tid];
	bool small;

	if (!t || !t->memory)
		return false;
	if (t->inside && (t->nr == SYS_execve || t->nr == SYS_execveat)) {
		profile->exec_faults++;
		return true;
	}
	count_event(memory_fault(t->memory, tid, address, &small));
	if (small) {
		profile->class[OP_FAULT_HUGE].count--;
		count_event(OP_FAULT_ANON);
	}
	return true;
}

static void count_unclassed(const struct task *t, const char *outcome)
{
	/* A path or a file is no kind. */
	profile_unclassed(profile, t->nr, outcome,
			  t->call.kind & (KIND_BAD | KIND_FILE)
				  ? ""
				  : kind_name(t->call.kind));
}

static void count_call(const struct task *t)
{
	const int class = operation_of(&t->call);
	const char *error =
		t->call.ret < 0 ? strerrorname_np((int)-t->call.ret) : NULL;

	if (class >= 0)
		profile_class(profile, class, t->call.feature);
	else
		count_unclassed(t, error ? error : "");
}

static void count_name(const struct task *t)
{
	profile->calls[call_name(t->nr) ? t->nr : CALL_NUMBERS] +=
		profile->processes > 0;
}

/* A memory is taken down: faults have brought its pages of files, of which each
 * maps some around the one that was missing. */
static void count_brought(const uint64_t feature[FEATURES])
{
	if (profile->processes)
		profile->class[OP_FAULT_FILE].feature[0][SUM] +=
			feature[FILE_PAGES];
}

/* Faults of one thread, as the kernel counts them. */
static void count_faults(const struct task *t)
{
	char stat[512];

	sysfile_stat(stat, sizeof(stat), "/proc/%d/task/%d/stat", (int)t->pid,
		     (int)t->tid);
	profile->traced[MINOR_FAULTS] +=
		(uint64_t)field_number(field_of_stat(stat, 10), 0);
	profile->traced[MAJOR_FAULTS] +=
		(uint64_t)field_number(field_of_stat(stat, 12), 0);
}

/* ---- Stops ------------------------------------------------------------- */

static void enter(struct task *t, const struct __ptrace_syscall_info *info)
{
	struct call *c = &t->call;

	faults_read(count_fault, false);
	/* A call of 32 bits has no number here. */
	t->nr = c->nr = info->arch == ARCH_AUDIT ? (long)info->entry.nr : -1;
	for (int i = 0; i < 6; i++)
		c->args[i] = info->entry.args[i];
	task_enter(t);
	if (t->missed)
		count_fault(t->tid, t->missed);
	if (t->nr == SYS_ptrace &&
	    (c->args[0] == PTRACE_TRACEME || c->args[0] == PTRACE_ATTACH ||
	     c->args[0] == PTRACE_SEIZE))
		refuse("the command traces processes itself, and a process has "
		       "one tracer");
	if (t->rights)
		refuse("a setuid program, or one with capabilities, would lose "
		       "its rights under a tracer");
}

static void leave(struct task *t, const struct __ptrace_syscall_info *info)
{
	struct call *c = &t->call;

	c->ret = info->exit.rval;
	count_name(t);
	if (c->ret >= RESTART_FIRST && c->ret <= RESTART_LAST) {
		count_unclassed(t, "interrupted");
		return;
	}
	/* An address may look like an error, but not as one that is known. */
	if (!info->exit.is_error && c->ret < 0)
		c->ret = 0;
	task_leave(t);
	count_call(t);
}

static void at_call(struct task *t)
{
	struct __ptrace_syscall_info info = { 0 };
	const bool inside = t->inside;

	ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info);
	t->inside = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	if (t->inside)
		enter(t, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT && inside)
		leave(t, &info);
}

/* A call of @t has made task @tid. */
static void at_child(struct task *t, pid_t tid)
{
	const bool stopped = tasks[tid]; /* it was earlier than its parent */
	struct task *child = add(tid);

	if (t->flags & CLONE_THREAD) {
		child->pid = t->pid;
		profile->threads++;
	} else {
		profile->processes++;
	}
	child->files = files_copy(t->files, t->flags & CLONE_FILES);
	child->memory = memory_copy(t->memory, t->flags & CLONE_VM);
	if (stopped)
		ptrace(PTRACE_SYSCALL, tid, NULL, 0L);
}

/* The process @tid has a new program; the thread that asked for it was
 * @before. */
static void at_exec(pid_t tid, pid_t before)
{
	struct task *t = tasks[before];

	if (t && before != tid) {
		drop(tid);
		tasks[before] = NULL;
		tasks[tid] = t;
		t->tid = t->pid = tid;
	}
	if (!t || !t->files)
		return;
	task_exec(t);
	count_brought(t->call.feature);
	memory_drop(t->memory);
	t->memory = memory_new();
	if (!profile->processes) { /* what was before is not the command's */
		profile->processes = 1;
		t->call.feature[FILE_PAGES] = 0;
		t->call.feature[ANONYMOUS_PAGES] = 0;
		t->call.feature[SHARED_PAGES] = 0;
		t->call.feature[MAPPINGS] = 0;
	}
}

static void at_exit(struct task *t)
{
	struct call *c = &t->call;
	const bool inside = t->inside;
	const long nr = t->nr;

	faults_read(count_fault, false);
	count_faults(t);
	*c = (struct call) { .nr = SYS_exit_group, .kind = KIND_BAD };
	if (inside)
		count_name(t);
	if (inside && nr != SYS_exit_group && nr != SYS_exit)
		count_unclassed(t, "unfinished");
	t->inside = false;
	t->nr = c->nr;
	if (t->memory->refs > 1)
		c->traits = MEMORY;
	else if (!memory_resident(t->tid, false, c->feature))
		c->traits = ODD; /* killed as it was made: it has none */
	count_brought(c->feature);
	if (t->memory->refs == 1)
		memory_forget(t->memory, 0, UINT64_MAX - PAGE_SIZE);
	count_call(t);
}

static void at_stop(pid_t tid, int status)
{
	const int sig = WSTOPSIG(status), event = status >> 16;
	unsigned long message = 0;
	struct task *t;
	long pass = 0;

	if (event)
		ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
	if (event == PTRACE_EVENT_EXEC)
		at_exec(tid, (pid_t)message);
	t = tasks[tid];
	if (!t || !t->files) {
		/* A child before its parent's event: it waits for that. */
		if (event == PTRACE_EVENT_STOP)
			add(tid);
		else
			ptrace(PTRACE_CONT, tid, NULL, event ? 0L : (long)sig);
		return;
	}
	if (sig == (SIGTRAP | 0x80)) {
		at_call(t);
	} else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		/* Stopped as a group: until SIGCONT comes. */
		ptrace(PTRACE_LISTEN, tid, NULL, NULL);
		return;
	} else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
		   event == PTRACE_EVENT_CLONE) {
		at_child(t, (pid_t)message);
	} else if (event == PTRACE_EVENT_EXIT) {
		at_exit(t);
	} else if (!event) {
		pass = sig;
		if (task_catches(t, sig))
			count_event(OP_SIGNAL);
	}
	ptrace(PTRACE_SYSCALL, tid, NULL, pass);
}

/* ---- The run ----------------------------------------------------------- */

/* Keys reach the command by themselves; what was sent to us is passed on.  That
 * a ring of faults fills ends waitpid(). */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	if (sig == SIGIO)
		return;
	if (!command)
		stop = sig;
	else if (info->si_code <= 0)
		kill(command, sig);
}

static const int signals[] = { SIGIO, SIGINT, SIGQUIT, SIGTERM, SIGHUP };
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static void catch (struct sigaction *before)
{
	const struct sigaction action = { .sa_sigaction = on_signal,
					  .sa_flags = SA_SIGINFO };

	for (size_t i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN || signals[i] == SIGIO)
			sigaction(signals[i], &action, NULL);
	}
}

/* All changes that waitpid() has, before a task goes on: it looks at the tasks
 * in a fixed order, so one that stops again at once would keep the others
 * waiting.  Return: how many. */
struct change {
	pid_t tid;
	int status;
};

static size_t wait_all(struct change **changes)
{
	struct change c;
	size_t n = 0;

	while ((c.tid = waitpid(-1, &c.status, __WALL | (n ? WNOHANG : 0))) >
	       0) {
		*changes = text_grow(*changes, n, sizeof(c));
		(*changes)[n++] = c;
	}
	return n;
}

static int until_all_ended(pid_t first)
{
	struct change *changes = NULL;
	int result = EXIT_FAIL;
	size_t n;

	while ((n = wait_all(&changes)) || errno == EINTR) {
		faults_read(count_fault, !n);
		if (!n && stop)
			kill_all(); /* what the command left behind */
		for (size_t i = 0; i < n; i++) {
			const pid_t tid = changes[i].tid;

			if (WIFSTOPPED(changes[i].status)) {
				at_stop(tid, changes[i].status);
				continue;
			}
			drop(tid);
			if (tid == first) {
				result = status_of(changes[i].status);
				command = 0;
			}
		}
	}
	free(changes);
	return result;
}

int trace_run(struct profile *p, char **arguments)
{
	uint64_t *const minor = &p->traced[MINOR_FAULTS];
	struct sigaction before[SIGNALS];
	struct task *first;
	int64_t begin;
	int status, go;

	profile = p;
	p->unclassed = json_object();
	command = command_start(p, arguments, &go);
	if (command < 0) {
		warn("%s", strerror(errno));
		return EXIT_FAIL;
	}
	catch (before);
	if (ptrace(PTRACE_SEIZE, command, NULL, (long)OPTIONS) ||
	    ptrace(PTRACE_INTERRUPT, command, NULL, NULL)) {
		warn("%s", errno == EPERM ? "ptrace is not permitted here"
					  : strerror(errno));
		kill(command, SIGKILL);
		waitpid(command, NULL, 0);
		return EXIT_SKIP;
	}
	first = add(command);
	first->files = files_new(command);
	first->memory = memory_new();
	p->faults = faults_open(command);
	begin = clock_now_ns(CLOCK_MONOTONIC);
	close(go);
	status = until_all_ended(command);
	p->traced[WALL_NS] = (uint64_t)(clock_now_ns(CLOCK_MONOTONIC) - begin);
	p->traced[STATUS] = (uint64_t)status;
	*minor -= *minor < p->faults_before ? *minor : p->faults_before;
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	if (!refused)
		return status;
	warn("%s", refused);
	p->processes = 0;
	return EXIT_USAGE;
}
