/* SPDX-License-Identifier: MIT */
/* The tracer: all tasks of a command, stop by stop. */
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "alloc.h"
#include "arch.h"
#include "bill.h"
#include "deadline.h"
#include "err.h"
#include "stay.h"
#include "sysfile.h"

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

/* ---- Faults: a ring of their addresses for each CPU ------------------- */

#define RING_PAGES_MAX 128 /* what a user may lock for each CPU */
#define WATERMARK      16384
#define RING_PAGES_MIN 8

static struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* samples are behind it */
	size_t bytes;			   /* of samples */
	uint64_t tail;
} * rings;
static size_t rings_n;

static bool open_ring(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct ring r = { .page = MAP_FAILED };

	r.fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (r.fd < 0)
		return errno == ENODEV; /* a CPU that is off */
	for (size_t pages = RING_PAGES_MAX;
	     r.page == MAP_FAILED && pages >= RING_PAGES_MIN; pages /= 2) {
		r.bytes = pages * PAGE_SIZE;
		r.page = mmap(NULL, r.bytes + PAGE_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED, r.fd, 0);
	}
	/* waitpid() returns when a ring fills. */
	fcntl(r.fd, F_SETOWN, getpid());
	fcntl(r.fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	rings = text_grow(rings, rings_n, sizeof(*rings));
	rings[rings_n++] = r;
	return r.page != MAP_FAILED;
}

/* See where faults are, from the exec() of @pid on, also of all that it starts.
 * Return: a sentence on what is counted or why not. */
static const char *faults_open(pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.watermark = 1,
		.wakeup_watermark = WATERMARK,
	};
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int user = 0; user < 2; user++) {
		int cpu = 0;

		attr.exclude_kernel = user != 0;
		while (cpu < cpus && open_ring(&attr, pid, cpu))
			cpu++;
		if (cpu == cpus && rings_n)
			return user ? "perf, without faults in the kernel "
				      "(perf_event_paranoid)"
				    : "perf";
		while (rings_n)
			close(rings[--rings_n].fd);
	}
	return "unknown: perf counts no page faults here (perf_event_paranoid, "
	       "or a sandbox)";
}

/* Word @n, of 64 bits, of the record at the tail, which may turn around. */
static uint64_t word(const struct ring *r, size_t n)
{
	const char *data = (const char *)r->page + PAGE_SIZE;
	uint64_t got;

	memcpy(&got, data + (r->tail + n * sizeof(got)) % r->bytes,
	       sizeof(got));
	return got;
}

/* Return: false: the task is not known yet, so a call that made it is not over.
 */
static bool count_fault(pid_t tid, uint64_t address)
{
	struct task *t = tasks[tid];

	if (!t || !t->memory)
		return !making;
	if (t->inside &&
	    (t->call.nr == SYS_execve || t->call.nr == SYS_execveat))
		profile->exec_faults++;
	else
		memory_fault(t->memory, tid, address, profile);
	return true;
}

/* Count the faults that are not yet read.  @running: the newest are left, for
 * the kernel may not have done them yet.  A record begins with its type (32
 * bits), something else, and its size (16 bits); that of a fault goes on with
 * PID and TID (32 bits each) and address. */
static void faults_read(bool running)
{
	const uint64_t least = running ? WATERMARK : 0;

	for (struct ring *r = rings; r < rings + rings_n; r++) {
		const uint64_t head =
			__atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);

		while (r->tail + least < head) {
			const uint64_t header = word(r, 0);

			if ((uint32_t)header == PERF_RECORD_SAMPLE &&
			    !count_fault((pid_t)(word(r, 1) >> 32), word(r, 2)))
				break;
			r->tail += header >> 48;
		}
		__atomic_store_n(&r->page->data_tail, r->tail,
				 __ATOMIC_RELEASE);
	}
}

/* A memory is taken down: faults have brought its pages of files, of which each
 * maps some around the one that was missing. */
static void count_brought(const uint64_t feature[FEATURES])
{
	profile->class[OP_FAULT_FILE].feature[0].sum += feature[FILE_PAGES];
	profile->class[OP_FAULT_FILE].feature[1].sum += feature[COMMON_PAGES];
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

	faults_read(false);
	/* A call of 32 bits has no number here. */
	c->made = info->arch == ARCH_AUDIT ? (long)info->entry.nr : -1;
	for (int i = 0; i < 6; i++)
		c->args[i] = info->entry.args[i];
	task_enter(t);
	t->makes |= c->made < 0;
	making += t->makes;
	if (t->missed)
		count_fault(t->tid, t->missed);
	if (c->traits & TRACES)
		refuse("the command traces processes itself, and a process has "
		       "one tracer");
	if (c->traits & RIGHTS)
		refuse("a setuid program, or one with capabilities, would lose "
		       "its rights under a tracer");
}

static void leave(struct task *t, const struct __ptrace_syscall_info *info)
{
	struct call *c = &t->call;

	if (!profile->processes) /* what was before is not the command's */
		return;
	c->ret = info->exit.rval;
	profile_made(profile, c);
	if (c->ret >= RESTART_FIRST && c->ret <= RESTART_LAST) {
		profile_call(profile, c, "interrupted");
		return;
	}
	/* An address may look like an error, but not as one that is known. */
	if (!info->exit.is_error && c->ret < 0)
		c->ret = 0;
	task_leave(t);
	profile_call(profile, c, NULL);
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

	faults_read(false);
	count_faults(t);
	has_made(t);
	if (t->inside)
		profile_made(profile, c);
	if (t->inside && c->made != SYS_exit_group && c->made != SYS_exit) {
		c->kind = KIND_BAD;
		profile_call(profile, c, "unfinished");
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
	profile_call(profile, c, NULL);
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

static int until_all_ended(pid_t first)
{
	static struct {
		pid_t tid;
		int status;
	} change[1024];
	int result = EXIT_FAIL, err;
	size_t n;

	do {
		/* All that waitpid() has, before a task goes on: it looks at
		 * the tasks in a fixed order, so one that stops again at once
		 * would keep the others waiting. */
		for (n = 0; n < 1024; n++) {
			change[n].tid = waitpid(-1, &change[n].status,
						__WALL | (n ? WNOHANG : 0));
			if (change[n].tid <= 0)
				break;
		}
		err = errno;
		faults_read(!n);
		if (!n && stop)
			kill_all(); /* what the command left behind */
		for (size_t i = 0; i < n; i++) {
			const pid_t tid = change[i].tid;

			if (WIFSTOPPED(change[i].status)) {
				at_stop(tid, change[i].status);
				continue;
			}
			drop(tid);
			if (tid == first) {
				result = stay_status(change[i].status);
				command = 0;
			}
		}
		if (!making)
			adopt();
	} while (n || err == EINTR);
	return result;
}

int trace_run(struct profile *p, pid_t pid, int go)
{
	struct sigaction before[SIGNALS];
	struct run *const r = &p->traced;
	struct task *first;
	int64_t begin;

	profile = p;
	command = pid;
	catch (before);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (long)OPTIONS) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL)) {
		warn("%s", errno == EPERM ? "ptrace is not permitted here"
					  : strerror(errno));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return EXIT_SKIP;
	}
	first = add(pid);
	first->files = files_new(pid);
	first->memory = memory_new();
	p->faults = faults_open(pid);
	begin = clock_now_ns(CLOCK_MONOTONIC);
	close(go);
	r->status = until_all_ended(pid);
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
