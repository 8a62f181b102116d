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
static unsigned int making;	  /* tasks in a call that may make another */
static unsigned int waiting;	  /* stopped before its parent's event */

static volatile sig_atomic_t command;	  /* its PID while it runs */
static volatile sig_atomic_t interrupted; /* a signal came ... */
static volatile sig_atomic_t stop;	  /* ... after it ended */

/* ---- Tasks ------------------------------------------------------------- */

static struct task *add(pid_t tid)
{
	if (!tasks[tid]) {
		tasks[tid] = text_alloc(1, sizeof(struct task));
		tasks[tid]->tid = tasks[tid]->pid = tid;
	}
	return tasks[tid];
}

/* @t makes no other task now. */
static void has_made(struct task *t)
{
	making -= t->makes;
	t->makes = false;
}

static void drop(pid_t tid)
{
	struct task *t = tasks[tid];

	if (!t)
		return;
	has_made(t);
	waiting -= !t->files;
	files_drop(t->files);
	memory_drop(t->memory);
	free(t);
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

static bool count_fault(pid_t tid, uint64_t address)
{
	struct task *t = tasks[tid];

	if (!t || !t->memory)
		return false;
	if (t->inside &&
	    (t->call.nr == SYS_execve || t->call.nr == SYS_execveat))
		profile->exec_faults++;
	else
		memory_fault(t->memory, tid, address, profile);
	return true;
}

static void count_name(const struct call *c)
{
	profile->calls[call_name(c->made) ? c->made : CALL_NUMBERS]++;
}

/* A memory is taken down: faults have brought its pages of files, of which each
 * maps some around the one that was missing. */
static void count_brought(const uint64_t feature[FEATURES])
{
	profile->class[OP_FAULT_FILE].feature[0].sum += feature[FILE_PAGES];
}

/* Faults of one thread, as the kernel counts them. */
static void count_faults(const struct task *t)
{
	char stat[512];

	sysfile_stat(stat, sizeof(stat), "/proc/%d/task/%d/stat", (int)t->pid,
		     (int)t->tid);
	profile->traced.usage.ru_minflt +=
		field_number(field_of_stat(stat, 10), 0);
	profile->traced.usage.ru_majflt +=
		field_number(field_of_stat(stat, 12), 0);
}

/* ---- Stops ------------------------------------------------------------- */

static void enter(struct task *t, const struct __ptrace_syscall_info *info)
{
	struct call *c = &t->call;

	faults_read(count_fault, false);
	/* A call of 32 bits has no number here. */
	c->made = info->arch == ARCH_AUDIT ? (long)info->entry.nr : -1;
	for (int i = 0; i < 6; i++)
		c->args[i] = info->entry.args[i];
	task_enter(t);
	t->makes |= c->made < 0;
	making += t->makes;
	if (t->missed)
		count_fault(t->tid, t->missed);
	if (c->made == SYS_ptrace &&
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

	if (!profile->processes) /* what was before is not the command's */
		return;
	c->ret = info->exit.rval;
	count_name(c);
	if (c->ret >= RESTART_FIRST && c->ret <= RESTART_LAST) {
		profile_unclassed(profile, c, "interrupted");
		return;
	}
	/* An address may look like an error, but not as one that is known. */
	if (!info->exit.is_error && c->ret < 0)
		c->ret = 0;
	task_leave(t);
	profile_call(profile, c);
}

static void at_call(struct task *t)
{
	struct __ptrace_syscall_info info = { 0 };
	const bool inside = t->inside;

	has_made(t);
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

	has_made(t);
	if (child->files) /* an adopted one */
		return;
	if (t->flags & CLONE_THREAD) {
		child->pid = t->pid;
		profile->threads++;
	} else {
		profile->processes++;
	}
	child->files = files_copy(t->files, t->flags & CLONE_FILES);
	child->memory = memory_copy(t->memory, t->flags & CLONE_VM);
	waiting -= stopped;
	if (stopped)
		ptrace(PTRACE_SYSCALL, tid, NULL, 0L);
}

/* Children whose parents were killed before their event. */
static void adopt(void)
{
	for (pid_t tid = 0; waiting && tid < TASKS; tid++) {
		struct task *t = tasks[tid];

		if (!t || t->files)
			continue;
		profile->processes++;
		waiting--;
		t->files = files_new(tid);
		t->memory = memory_new();
		ptrace(PTRACE_SYSCALL, tid, NULL, 0L);
	}
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
	if (!profile->processes) { /* what was before is not the command's */
		profile->processes = 1;
		memset(t->call.feature, 0, sizeof(t->call.feature));
	}
	count_brought(t->call.feature);
	memory_drop(t->memory);
	t->memory = memory_new();
}

static void at_exit(struct task *t)
{
	struct call *c = &t->call;

	faults_read(count_fault, false);
	count_faults(t);
	has_made(t);
	if (t->inside)
		count_name(c);
	if (t->inside && c->made != SYS_exit_group && c->made != SYS_exit) {
		c->kind = KIND_BAD;
		profile_unclassed(profile, c, "unfinished");
	}
	t->inside = false;
	*c = (struct call) { SYS_exit_group, SYS_exit_group, .kind = KIND_BAD };
	if (t->memory->refs > 1)
		c->traits = MEMORY;
	else if (!memory_resident(t->tid, false, c->feature))
		c->traits = ODD; /* killed as it was made: it has none */
	count_brought(c->feature);
	if (t->memory->refs == 1)
		memory_forget(t->memory, 0, UINT64_MAX - PAGE_SIZE);
	profile_call(profile, c);
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
		if (event == PTRACE_EVENT_STOP && !t) {
			add(tid);
			waiting++;
		} else if (event != PTRACE_EVENT_STOP) {
			ptrace(PTRACE_CONT, tid, NULL, event ? 0L : (long)sig);
		}
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
			profile_event(profile, OP_SIGNAL, NULL);
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
	interrupted = true;
	stop = !command;
	if (command && info->si_code <= 0)
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
		if (!making)
			adopt();
	}
	free(changes);
	return result;
}

int trace_run(struct profile *p, char **arguments)
{
	struct sigaction before[SIGNALS];
	struct run *const r = &p->traced;
	struct task *first;
	int64_t begin;
	int go;

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
	r->status = until_all_ended(command);
	r->wall_ns = clock_now_ns(CLOCK_MONOTONIC) - begin;
	r->usage.ru_minflt -= p->faults_before;
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	if (interrupted)
		p->no_untraced = "it was interrupted";
	if (!refused)
		return r->status;
	warn("%s", refused);
	p->processes = 0;
	return EXIT_USAGE;
}
