/* SPDX-License-Identifier: MIT */
/* The tracer: all tasks of a command, stop by stop. */
#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "err.h"
#include "sysfile.h"
#include "task.h"
#include "trace.h"

#define OPTIONS                                                           \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEEXIT)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv)
#define ARCH AUDIT_ARCH_RISCV64
#else
#define ARCH 0 /* any */
#endif

/* Results of interrupted calls, which are made again or return EINTR. */
#define RESTART_FIRST (-516)
#define RESTART_LAST  (-512)

#define CHAINS 4096

static struct trace {
	struct profile *profile;
	struct faults *faults;
	struct task *chain[CHAINS];
	bool begun; /* the command's own program was loaded */
	const char *why;
} trace;

static volatile sig_atomic_t command; /* its PID while it runs */
static volatile sig_atomic_t stop;    /* a signal came after it */

/* ---- Tasks ------------------------------------------------------------- */

static struct task **find(pid_t tid)
{
	struct task **t = &trace.chain[(unsigned int)tid % CHAINS];

	while (*t && (*t)->tid != tid)
		t = &(*t)->next;
	return t;
}

static struct task *add(pid_t tid)
{
	struct task **at = find(tid);

	if (!*at) {
		*at = text_alloc(1, sizeof(**at));
		(*at)->tid = (*at)->pid = tid;
	}
	return *at;
}

static void drop(pid_t tid)
{
	struct task **at = find(tid), *t = *at;

	if (!t)
		return;
	*at = t->next;
	files_drop(t->files);
	memory_drop(t->memory);
	free(t->path[0]);
	free(t->path[1]);
	free(t);
}

static void kill_all(void)
{
	for (size_t i = 0; i < CHAINS; i++)
		for (const struct task *t = trace.chain[i]; t; t = t->next)
			kill(t->pid, SIGKILL);
}

/* The command is not to go on. */
static void refuse(const char *why)
{
	trace.why = why;
	kill_all();
}

/* ---- Counting ---------------------------------------------------------- */

static bool count_fault(void *arg, pid_t tid, uint64_t address)
{
	static const int classes[] = {
		[FAULT_FILE] = OP_FAULT_FILE,
		[FAULT_COW] = OP_FAULT_COW,
		[FAULT_ANON] = OP_FAULT_ANON,
		[FAULT_ZERO] = OP_FAULT_ZERO,
	};
	static const uint64_t none[FEATURES];
	const struct task *t = *find(tid);

	if (t && t->memory)
		profile_class(trace.profile,
			      classes[memory_fault(t->memory, tid, address)],
			      none);
	return t && t->memory;
}

static void read_faults(void)
{
	faults_read(trace.faults, count_fault, NULL);
}

/* "name ERRNO kind" of a call without a class. */
static void count_unpriced(const struct task *t, const char *more)
{
	const char *name = call_name(t->nr), *kind = kind_name(t->call.kind);
	char number[32], text[96];

	snprintf(number, sizeof(number), "call %ld", t->nr);
	snprintf(text, sizeof(text), "%s%s%s%s%s", name ? name : number,
		 *more ? " " : "", more,
		 t->call.kind & (KIND_BAD | KIND_FILE) ? "" : " ",
		 t->call.kind & (KIND_BAD | KIND_FILE) ? "" : kind);
	profile_name(&trace.profile->unpriced, text, 1);
}

static void count_call(const struct task *t)
{
	const int class = operation_of(&t->call);

	if (class >= 0)
		profile_class(trace.profile, class, t->call.feature);
	else
		count_unpriced(t, t->call.ret < 0
					  ? strerrorname_np((int)-t->call.ret)
						    ?: ""
					  : "");
}

static void count_name(const struct task *t)
{
	const char *name = call_name(t->nr);

	profile_name(&trace.profile->calls, name ? name : "unknown", 1);
}

/* Faults of one thread, as the kernel counts them. */
static uint64_t faults_of(pid_t pid, pid_t tid, uint64_t *major)
{
	char stat[512];
	int64_t few = 0, many = 0;

	if (sysfile_stat(stat, sizeof(stat), "/proc/%d/task/%d/stat", (int)pid,
			 (int)tid) > 0) {
		few = field_number(field_of_stat(stat, 10), 0);
		many = field_number(field_of_stat(stat, 12), 0);
	}
	if (major)
		*major += (uint64_t)many;
	return (uint64_t)few;
}

/* ---- Stops ------------------------------------------------------------- */

static void enter(struct task *t, const struct __ptrace_syscall_info *info)
{
	read_faults();
	t->inside = true;
	t->nr = t->call.nr = (long)info->entry.nr;
	if (ARCH && info->arch != ARCH)
		t->nr = t->call.nr = -1; /* a call of 32 bits */
	for (int i = 0; i < 6; i++)
		t->call.args[i] = info->entry.args[i];
	task_enter(t);
	if (t->missed)
		count_fault(NULL, t->tid, t->missed);
	if (t->nr < 0)
		return;
	if (t->nr == SYS_ptrace && (t->call.args[0] == PTRACE_TRACEME ||
				    t->call.args[0] == PTRACE_ATTACH ||
				    t->call.args[0] == PTRACE_SEIZE))
		refuse("the command traces processes itself, and a process has "
		       "one tracer");
	if (t->rights)
		refuse("a setuid program, or one with capabilities, would lose "
		       "its rights under a tracer");
}

static void leave(struct task *t, const struct __ptrace_syscall_info *info)
{
	if (!t->inside)
		return;
	t->inside = false;
	t->call.ret = info->exit.rval;
	count_name(t);
	if (t->call.ret >= RESTART_FIRST && t->call.ret <= RESTART_LAST) {
		count_unpriced(t, "interrupted");
		return;
	}
	/* An address may look like an error, but not as one that is known. */
	if (!info->exit.is_error && t->call.ret < 0)
		t->call.ret = 0;
	task_leave(t);
	count_call(t);
}

static void at_call(struct task *t)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		enter(t, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
		leave(t, &info);
}

/* A call of @t has made task @tid. */
static void at_child(struct task *t, pid_t tid)
{
	struct task *child = *find(tid);
	const bool stopped = child != NULL; /* it was earlier than its parent */

	child = add(tid);
	child->pid = t->flags & CLONE_THREAD ? t->pid : tid;
	if (t->flags & CLONE_THREAD)
		trace.profile->threads++;
	else
		trace.profile->processes++;
	if (t->flags & CLONE_FILES)
		t->files->refs++;
	child->files = t->flags & CLONE_FILES ? t->files : files_copy(t->files);
	if (t->flags & CLONE_VM)
		t->memory->refs++;
	child->memory =
		t->flags & CLONE_VM ? t->memory : memory_copy(t->memory);
	if (stopped)
		ptrace(PTRACE_SYSCALL, tid, NULL, 0L);
}

/* The process @tid has a new program; the thread that asked for it was
 * @before. */
static struct task *at_exec(pid_t tid, pid_t before)
{
	struct task *t = *find(before);

	if (t && before != tid) {
		struct task **at = find(before);

		*at = t->next;
		drop(tid);
		t->tid = t->pid = tid;
		at = find(tid);
		t->next = *at;
		*at = t;
	}
	if (!t || !t->files)
		return t;
	task_exec(t);
	memory_drop(t->memory);
	t->memory = memory_new();
	if (!trace.begun) { /* what was before it is not the command's */
		profile_free(trace.profile);
		*trace.profile = (struct profile) { .processes = 1 };
		t->call.feature[FILE_PAGES] = 0;
		t->call.feature[ANONYMOUS_PAGES] = 0;
		trace.begun = true;
	}
	return t;
}

static void at_exit(struct task *t)
{
	struct call *c = &t->call;
	const struct task killed = { .nr = t->nr, .call.kind = KIND_BAD };

	trace.profile->traced.minor_faults +=
		faults_of(t->pid, t->tid, &trace.profile->traced.major_faults);
	if (t->inside)
		count_name(t);
	if (t->inside && t->nr != SYS_exit_group && t->nr != SYS_exit)
		count_unpriced(&killed, "unfinished");
	t->inside = false;
	t->nr = SYS_exit_group;
	*c = (struct call) { .nr = t->nr, .kind = KIND_BAD };
	if (t->memory->refs > 1)
		c->traits = MEMORY;
	else if (!memory_resident(t->tid, &c->feature[FILE_PAGES],
				  &c->feature[ANONYMOUS_PAGES],
				  &c->feature[MAPPINGS]))
		c->traits = ODD; /* killed as it was made: it has none */
	count_call(t);
}

static void at_stop(pid_t tid, int status)
{
	const int sig = WSTOPSIG(status), event = status >> 16;
	struct task *t = *find(tid);
	static const uint64_t none[FEATURES];
	unsigned long message = 0;
	long pass = 0;

	if (event)
		ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message);
	if (event == PTRACE_EVENT_EXEC)
		t = at_exec(tid, (pid_t)message);
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
		read_faults();
		at_exit(t);
	} else if (!event) {
		pass = sig;
		if (task_catches(t, sig))
			profile_class(trace.profile, OP_SIGNAL, none);
	}
	ptrace(PTRACE_SYSCALL, tid, NULL, pass);
}

/* ---- The run ----------------------------------------------------------- */

/* Keys reach the command by themselves; what was sent to us is passed on. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	if (!command)
		stop = sig;
	else if (info->si_code <= 0)
		kill(command, sig);
}

static void on_ring(int sig)
{
}

static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGIO };
#define SIGNALS (sizeof(signals) / sizeof(*signals))

static void catch (struct sigaction *before)
{
	for (size_t i = 0; i < SIGNALS; i++) {
		struct sigaction action = { .sa_sigaction = on_signal,
					    .sa_flags = SA_SIGINFO };

		sigaction(signals[i], NULL, &before[i]);
		if (signals[i] == SIGIO) {
			action.sa_flags = 0;
			action.sa_handler = on_ring;
		} else if (before[i].sa_handler == SIG_IGN) {
			continue;
		}
		sigaction(signals[i], &action, NULL);
	}
}

/* What waitpid() has of all tasks, before one of them goes on: it looks at them
 * in a fixed order, so one that stops again at once would keep the others
 * waiting. */
struct news {
	pid_t tid;
	int status;
};

static size_t wait_all(struct news **news)
{
	size_t n = 0;

	for (;;) {
		struct news one;

		one.tid = waitpid(-1, &one.status, __WALL | (n ? WNOHANG : 0));
		if (one.tid <= 0)
			return n;
		*news = text_grow(*news, n, sizeof(**news));
		(*news)[n++] = one;
	}
}

static int until_all_ended(pid_t first)
{
	struct news *news = NULL;
	int result = EXIT_FAIL;

	for (;;) {
		const size_t n = wait_all(&news);

		if (!n && errno != EINTR)
			break;
		read_faults();
		if (!n && stop)
			kill_all(); /* what the command left behind */
		for (size_t i = 0; i < n; i++) {
			if (WIFSTOPPED(news[i].status)) {
				at_stop(news[i].tid, news[i].status);
				continue;
			}
			drop(news[i].tid);
			if (news[i].tid == first) {
				result = status_of(news[i].status);
				command = 0;
			}
		}
	}
	free(news);
	return result;
}

int trace_run(struct profile *p, char **arguments, const char **why)
{
	static const int same[3] = { -1, -1, -1 };
	struct sigaction before[SIGNALS];
	struct rlimit files;
	struct rusage usage;
	struct started s;
	struct task *first;
	const char *how;
	uint64_t begin;
	int status;

	trace = (struct trace) { .profile = p };
	status = command_start(&s, arguments, same);
	if (status) {
		*why = strerror(-status);
		return EXIT_FAIL;
	}
	command = s.pid;
	catch (before);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (ptrace(PTRACE_SEIZE, s.pid, NULL, (long)OPTIONS) ||
	    ptrace(PTRACE_INTERRUPT, s.pid, NULL, NULL)) {
		*why = errno == EPERM ? "ptrace is not permitted here"
				      : strerror(errno);
		kill(s.pid, SIGKILL);
		waitpid(s.pid, NULL, 0);
		close(s.go);
		return EXIT_SKIP;
	}
	first = add(s.pid);
	first->files = files_new(s.pid);
	first->memory = memory_new();
	trace.faults = faults_open(s.pid, &how);
	begin = now_ns();
	close(s.go);
	status = until_all_ended(s.pid);
	p->traced.wall_ns = now_ns() - begin;
	read_faults();
	faults_close(trace.faults);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	getrusage(RUSAGE_CHILDREN, &usage);
	if (p->traced.minor_faults > *s.faults)
		p->traced.minor_faults -= *s.faults;
	p->traced.status = (uint64_t)status;
	p->unknown_faults = p->traced.minor_faults + p->traced.major_faults;
	for (int i = OP_FAULT_FILE; i <= OP_FAULT_ZERO; i++)
		p->unknown_faults -= p->class[i].count < p->unknown_faults
					     ? p->class[i].count
					     : p->unknown_faults;
	p->faults = text_copy(how);
	*why = trace.why;
	return trace.why ? EXIT_USAGE : status;
}
