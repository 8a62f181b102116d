/* SPDX-License-Identifier: MIT */
/*
 * process - what does it cost to make a process, and to see it end?
 *
 * A process that ends at once is made in each of the ways that programs use,
 * and waited for: the time holds the making, the first run, the end and the
 * reaping, and nothing else, for parent and child share one CPU.  Fork copies
 * the page tables of its parent, so it is also priced against the memory that
 * the parent has touched; what is added for each page is a row of its own.
 * With written=each the parent writes to all of it again before each fork,
 * outside the interval, as a busy server would; with written=once it did so
 * before the first one only, so that the pages are still shared read-only.
 *
 * parent=small is a static program that does nothing else, for the measuring
 * program is large; parent_mappings and parent_resident_bytes say how large.
 *
 * The exec kinds execute a static program of one system call, fork_sh by
 * `sh -c`.  program=dynamic is as most programs are: the dynamic linker maps
 * libc and links it before main() ends, with a status that says so.
 *
 * op=first_instruction is the figure of the CSE 221 report: from just before
 * fork to the first instruction after it, in the child and in the parent,
 * and the smaller of the two.  One fork gives all three.
 *
 * op=posix_spawn makes its process as op=vfork_exec does, but glibc first maps
 * a stack for the child, and the child asks for the handling of each signal
 * and resets it, some 120 system calls: op=vfork_exec has neither.
 *
 * The cold figure of a row is its first process in an invocation.
 *
 * Measures: ns from before the call to after the child was reaped;
 *           first_instruction: ns from before fork() to after its return;
 *           fork_page: ns that one touched page adds to fork, exit and wait.
 * Includes: libc's own work around fork; waitpid; for the exec kinds execve
 *           of a program that only exits, and its end; for fork_sh the shell
 *           too.
 * After:    lmbench lat_proc (fork, exec and shell: comparable with
 *           parent=small and program=dynamic), CSE 221 report section 3.5
 *           (first_instruction), osbench.
 * Needs:    memory for the mem cases, else they are skipped.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "lib/proc_forker.h"
#include "lib/proc_memory.h"
#include "lib/proc_points.h"
#include "lib/proc_spawn.h"
#include "mem.h"
#include "partner.h"

#define MIB (1024ul * 1024)

struct process_state {
	struct proc_helpers helpers;
	struct proc_memory memory;
	struct proc_forker small;	  /* while a case of it is visited */
	volatile uint64_t *child_end;	  /* shared with the children */
	const struct bench_case *view[2]; /* child, parent: of this visit */
	int64_t status;			  /* of the last child */
};

static int cases(struct bench *b, void *state)
{
	proc_points_set(b);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct process_state *s = state;
	void *p;

	p = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return bench_fail(b, errno, "map a shared page");
	s->child_end = p;
	return 0;
}

/* Without its size no two prices of fork can be compared; only /proc has it. */
static int tell_size(struct bench *b, const struct bench_case *c, pid_t pid)
{
	unsigned int mappings;
	uint64_t resident;
	const int err = proc_memory_size(pid, &resident, &mappings);

	if (err == -ENOENT)
		return 0;
	if (err)
		return bench_fail(b, -err, "read the size of the process");
	bench_fact(b, c, "parent_resident_bytes", (double)resident);
	bench_fact(b, c, "parent_mappings", mappings);
	return 0;
}

/* Its first answer says that it is there and no copy of this one any more. */
static int meet_small(struct bench *b, struct process_state *s,
		      const struct bench_case *c)
{
	struct proc_forker_reply reply;
	const int err =
		proc_forker_ask(b, &s->small, PROC_FORKER_HELLO, 0, &reply);

	return err ? err : tell_size(b, c, s->small.partner.pid);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	const struct proc_point *p = c->data;
	int64_t huge;
	int err = proc_points_place(b, &s->helpers, p);

	if (err)
		return err;
	s->view[0] = bench_beside(b, c, "view=child");
	s->view[1] = bench_beside(b, c, "view=parent");
	if (p->parent == PROC_PARENT_SMALL) {
		err = proc_forker_start(b, &s->small,
					s->helpers.path[PROC_FORKER],
					s->helpers.path[p->program]);
		return err ? err : meet_small(b, s, c);
	}
	if (!p->bytes)
		return tell_size(b, c, 0);
	if (p->bytes > bench_spare_bytes(b))
		return bench_skip(b, "needs %zu MiB, may take %llu MiB",
				  p->bytes / MIB,
				  (unsigned long long)bench_spare_bytes(b) /
					  MIB);
	err = proc_memory_open(&s->memory, p->bytes, p->huge);
	if (err)
		return bench_fail(b, -err, "map %zu MiB", p->bytes / MIB);
	huge = mem_huge_in(s->memory.start, s->memory.bytes, false);
	if (huge == -ENOENT)
		return bench_skip(b, "needs /proc/self/smaps");
	if (huge < 0)
		return bench_fail(b, (int)-huge, "read /proc/self/smaps");
	if (huge != (p->huge ? (int64_t)p->bytes : 0))
		return bench_skip(b,
				  "%lld MiB of %zu are huge pages, though %s "
				  "were asked for",
				  (long long)(huge / MIB), p->bytes / MIB,
				  p->huge ? "all" : "none");
	bench_fact(b, c, "huge_page_bytes", (double)huge);
	return tell_size(b, c, 0);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	const struct proc_point *p = c->data;

	if (p->again && s->memory.start)
		proc_memory_touch(&s->memory, p->page);
	return 0;
}

static int sample_spawn(struct bench *b, struct process_state *s,
			const struct bench_case *c, const struct proc_point *p)
{
	uint64_t ticks;
	int status;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       status = proc_spawn(p->op, s->helpers.path[p->program]));
	if (status < 0)
		return partner_refused(b, -status, proc_op_name(p->op));
	s->status = status;
	bench_record(b, c, ticks);
	return 0;
}

/* One event, made by the small program and timed there. */
static int ask_small(struct bench *b, struct process_state *s,
		     enum proc_forker_order order, enum proc_op op,
		     struct proc_forker_reply *reply)
{
	const int err = proc_forker_ask(b, &s->small, order, op, reply);

	if (err)
		return err;
	if (reply->status < 0)
		return partner_refused(b, (int)-reply->status,
				       proc_op_name(op));
	s->status = reply->status;
	return 0;
}

static int sample_small(struct bench *b, struct process_state *s,
			const struct bench_case *c, const struct proc_point *p)
{
	struct proc_forker_reply reply;
	const int err = ask_small(b, s, PROC_FORKER_SPAWN, p->op, &reply);

	if (err)
		return err;
	bench_record(b, c, reply.ticks);
	return 0;
}

static int first_of(struct bench *b, struct process_state *s,
		    enum proc_parent parent, struct proc_first *first)
{
	struct proc_forker_reply reply = { 0 };
	int err;

	if (parent == PROC_PARENT_SMALL) {
		err = ask_small(b, s, PROC_FORKER_FIRST, PROC_FORK, &reply);
		*first = reply.first;
		return err;
	}
	err = proc_first(bench_timer(b)->method, s->child_end, first);
	s->status = err;
	return err < 0 ? partner_refused(b, -err, "fork") : 0;
}

static int sample_first(struct bench *b, struct process_state *s,
			const struct bench_case *c, struct proc_point *p)
{
	struct proc_first t;
	const int err = first_of(b, s, p->parent, &t);
	bool child_first;

	if (err)
		return err;
	child_first = t.in_child < t.in_parent;
	bench_record(b, s->view[0], t.in_child);
	bench_record(b, s->view[1], t.in_parent);
	bench_record(b, c, child_first ? t.in_child : t.in_parent);
	p->firsts++;
	p->child_firsts += child_first;
	bench_fact(b, c, "child_ran_first",
		   (double)p->child_firsts / (double)p->firsts);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	struct proc_point *p = c->data;

	if (p->first)
		return sample_first(b, s, c, p);
	if (p->parent == PROC_PARENT_SMALL)
		return sample_small(b, s, c, p);
	return sample_spawn(b, s, c, p);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct process_state *s = state;
	const struct proc_point *p = c->data;

	bench_proof(b, c, "children_reaped", 1,
		    s->status == proc_point_status(p));
	for (int i = 0; i < 2 && p->first; i++)
		bench_proof(b, s->view[i], "children_reaped", 1,
			    s->status == 0);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;

	proc_forker_stop(&s->small);
	proc_memory_close(&s->memory);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct process_state *s = state;

	proc_forker_stop(&s->small);
	proc_memory_close(&s->memory);
	if (s->child_end)
		munmap((void *)s->child_end, (size_t)sysconf(_SC_PAGESIZE));
}

const struct bench_desc bench_desc = {
	.name = "process",
	.state_size = sizeof(struct process_state),
	.case_state_size = sizeof(struct proc_point),
	.points = proc_points,
	.point = proc_point_fill,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.teardown = teardown,
};
