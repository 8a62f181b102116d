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
 * op=first_instruction is the figure of the CSE 221 report: from just before
 * fork to the first instruction after it, in the child and in the parent,
 * and the smaller of the two.  One fork gives all three.
 *
 * The cold figure of a row is its first process in an invocation.
 *
 * Measures: ns from before the call to after the child was reaped;
 *           first_instruction: ns from before fork() to after its return;
 *           fork_page: ns that one touched page adds to fork, exit and wait.
 * Includes: libc's own work around fork; waitpid; for the exec kinds execve
 *           of a static program that only exits, for fork_sh the shell too.
 * After:    lmbench lat_proc (fork, exec, shell: comparable but for its own
 *           size), CSE 221 report section 3.5 (first_instruction), osbench.
 * Needs:    memory for the mem cases, else they are skipped.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
#include "lib/proc_memory.h"
#include "lib/proc_room.h"
#include "lib/proc_spawn.h"

#define KIB (1024l)
#define MIB (1024l * KIB)

enum kind { KIND_SPAWN, KIND_MEMORY, KIND_PAGE, KIND_FIRST, KIND_VIEW };

/* What the callbacks must know about a case. */
struct point {
	enum kind kind;
	enum proc_op op;
	size_t bytes;
	bool huge, again;
	const struct bench_case *self;
	const struct bench_case *with, *without; /* KIND_PAGE: derived from */
};

#define MAX_POINTS 48

struct process_state {
	struct point points[MAX_POINTS];
	size_t n_points;
	char program[PATH_MAX]; /* empty: there is none */
	const struct bench_case *fork0, *view[2];
	struct proc_memory memory;
	volatile uint64_t *child_end; /* shared with the children */
	uint64_t firsts, child_firsts;
	int status; /* of the last child */
};

static size_t page_bytes(const struct point *p)
{
	return p->huge ? proc_huge_page_bytes() : (size_t)sysconf(_SC_PAGESIZE);
}

static const struct bench_case *add(struct bench *b, struct process_state *s,
				    struct bench_case c, struct point p)
{
	if (s->n_points == MAX_POINTS) {
		bench_fail(b, 0, "more than %d cases", MAX_POINTS);
		return NULL;
	}
	s->points[s->n_points] = p;
	c.arg = &s->points[s->n_points];
	return s->points[s->n_points++].self = bench_add(b, &c);
}

static void add_spawns(struct bench *b, struct process_state *s)
{
	static const struct {
		enum proc_op op;
		unsigned int events, budget_ms;
	} ops[] = {
		{ PROC_VFORK, 200, 12 },       { PROC_CLONE3, 120, 25 },
		{ PROC_POSIX_SPAWN, 120, 25 }, { PROC_FORK_EXEC, 100, 40 },
		{ PROC_VFORK_EXEC, 120, 20 },  { PROC_FORK_SH, 40, 60 },
	};
	const char *const missing =
		proc_find_program(s->program, sizeof(s->program))
			? "oscost-true was found neither in ../libexec nor "
			  "beside this program"
			: NULL;

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const bool execs =
			ops[i].op != PROC_VFORK && ops[i].op != PROC_CLONE3;

		add(b, s,
		    (struct bench_case) {
			    .params = { P_STR("op", proc_op_name(ops[i].op)) },
			    .skip = execs ? missing : NULL,
			    .events = ops[i].events,
			    .budget_ms = ops[i].budget_ms,
		    },
		    (struct point) { .kind = KIND_SPAWN, .op = ops[i].op });
	}
}

static const char *cannot_hold(const struct point *p)
{
	if (p->huge && !page_bytes(p))
		return "this kernel has no transparent huge pages, or they "
		       "are switched off";
	if (p->huge && p->bytes && p->bytes < page_bytes(p))
		return "smaller than one huge page";
	return NULL;
}

/* Fork with so much touched memory, and what each page of it added. */
static void add_memory(struct bench *b, struct process_state *s, struct point p)
{
	const char *const pages = p.huge ? "huge" : "4K";
	const char *const written = p.again ? "each" : "once";
	const struct bench_case *of;

	p.kind = KIND_MEMORY;
	of = add(b, s,
		 (struct bench_case) {
			 .params = { P_STR("op", "fork"),
				     P_SIZE("mem", (int64_t)p.bytes),
				     P_STR("pages", pages),
				     P_STR("written", written) },
			 .skip = cannot_hold(&p),
			 .events = p.again || p.bytes >= 256 * MIB ? 16 : 100,
			 .budget_ms = p.bytes ? 30 : 50,
			 .exclusive = p.bytes != 0,
		 },
		 p);
	if (!p.bytes) {
		s->fork0 = of;
		return;
	}
	p.kind = KIND_PAGE;
	p.with = of;
	p.without = s->fork0;
	add(b, s,
	    (struct bench_case) {
		    .params = { P_STR("op", "fork_page"),
				P_SIZE("mem", (int64_t)p.bytes),
				P_STR("pages", pages),
				P_STR("written", written) },
		    .skip = cannot_hold(&p),
		    .derived = true,
	    },
	    p);
}

static int cases(struct bench *b, void *state)
{
	static const struct point memory[] = {
		{ .bytes = 0 },
		{ .bytes = 1 * MIB },
		{ .bytes = 16 * MIB },
		{ .bytes = 256 * MIB },
		{ .bytes = 1 * MIB, .again = true },
		{ .bytes = 16 * MIB, .again = true },
		{ .bytes = 16 * MIB, .huge = true },
		{ .bytes = 256 * MIB, .huge = true },
	};
	static const char *const views[] = { "child", "parent" };
	struct process_state *s = state;

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		add_memory(b, s, memory[i]);
	add_spawns(b, s);
	for (int i = 0; i < 2; i++)
		s->view[i] = add(b, s,
				 (struct bench_case) {
					 .params = { P_STR("op",
							   "first_instruction"),
						     P_STR("view", views[i]) },
					 .derived = true,
				 },
				 (struct point) { .kind = KIND_VIEW });
	add(b, s,
	    (struct bench_case) {
		    .params = { P_STR("op", "first_instruction"),
				P_STR("view", "smaller") },
		    .events = 200,
		    .budget_ms = 40,
	    },
	    (struct point) { .kind = KIND_FIRST });
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct process_state *s = state;
	char why[160];
	void *p;

	if (proc_room(why, sizeof(why)) < 2)
		return bench_skip(b, "no room for another process: %s", why);
	p = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return bench_fail(b, errno, "map a shared page");
	s->child_end = p;
	return 0;
}

/* Without its size no two prices of fork can be compared. */
static int tell_size(struct bench *b, const struct bench_case *c)
{
	unsigned int mappings;
	uint64_t resident;
	const int err = proc_memory_self(&resident, &mappings);

	if (err)
		return bench_fail(b, -err, "read the size of this process");
	bench_fact(b, c, "parent_resident_bytes", (double)resident);
	bench_fact(b, c, "parent_mappings", mappings);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	const struct point *p = c->arg;
	int64_t huge;
	int err;

	if (p->kind != KIND_MEMORY || !p->bytes)
		return tell_size(b, c);
	if (p->bytes > bench_spare_bytes(b))
		return bench_skip(b, "needs %zu MiB, may take %llu MiB",
				  p->bytes / MIB,
				  (unsigned long long)bench_spare_bytes(b) /
					  MIB);
	err = proc_memory_open(&s->memory, p->bytes, p->huge);
	if (err)
		return bench_fail(b, -err, "map %zu MiB", p->bytes / MIB);
	huge = proc_memory_huge(&s->memory);
	if (huge < 0)
		return bench_fail(b, (int)-huge, "read /proc/self/smaps");
	if (huge != (p->huge ? (int64_t)p->bytes : 0))
		return bench_skip(b,
				  "%lld MiB of %zu are huge pages, though %s "
				  "were asked for",
				  (long long)(huge / MIB), p->bytes / MIB,
				  p->huge ? "all" : "none");
	bench_fact(b, c, "huge_page_bytes", (double)huge);
	return tell_size(b, c);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	const struct point *p = c->arg;

	(void)b;
	if (p->kind == KIND_MEMORY && p->again && s->memory.start)
		proc_memory_touch(&s->memory, page_bytes(p));
	return 0;
}

static int sample_spawn(struct bench *b, struct process_state *s,
			const struct bench_case *c, enum proc_op op)
{
	uint64_t ticks;
	int status;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       status = proc_spawn(op, s->program));
	if (status < 0)
		return proc_refused(b, -status, proc_op_name(op));
	s->status = status;
	bench_record(b, c, ticks);
	return 0;
}

/*
 * The end of the interval is read by both, each after its own return from
 * fork.  The child leaves its reading in a shared page: storing it there
 * comes after the reading, so what it costs is in nobody's interval.
 */
static int sample_first(struct bench *b, struct process_state *s,
			const struct bench_case *c)
{
	const enum timer_method method = bench_timer(b)->method;
	uint64_t begin, end, in_child, in_parent;
	pid_t pid;

	*s->child_end = 0;
	begin = timer_begin(method);
	pid = fork();
	end = timer_end(method);
	if (pid == 0) {
		*s->child_end = end;
		_exit(0);
	}
	if (pid < 0)
		return proc_refused(b, errno, "fork");
	s->status = proc_reap(pid);
	if (s->status || !*s->child_end)
		return bench_fail(b, 0, "the child left no time (status %d)",
				  s->status);
	in_parent = end - begin;
	in_child = *s->child_end - begin;
	bench_record(b, s->view[0], in_child);
	bench_record(b, s->view[1], in_parent);
	bench_record(b, c, in_child < in_parent ? in_child : in_parent);
	s->firsts++;
	s->child_firsts += in_child < in_parent;
	bench_fact(b, c, "child_ran_first",
		   (double)s->child_firsts / (double)s->firsts);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;
	const struct point *p = c->arg;

	if (p->kind == KIND_FIRST)
		return sample_first(b, s, c);
	return sample_spawn(b, s, c, p->op);
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct process_state *s = state;
	const struct point *p = c->arg;

	(void)iters;
	bench_evidence(b, c, "children_reaped", 1, s->status == 0);
	if (p->kind == KIND_FIRST) {
		bench_evidence(b, s->view[0], "children_reaped", 1,
			       s->status == 0);
		bench_evidence(b, s->view[1], "children_reaped", 1,
			       s->status == 0);
	}
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct process_state *s = state;

	(void)b;
	(void)c;
	proc_memory_close(&s->memory);
	return 0;
}

/* Both forks of the difference share everything but the touched pages. */
static void derive_page(struct bench *b, const struct point *p)
{
	const double with = bench_value(b, p->with);
	const double without = bench_value(b, p->without);
	const double pages = (double)p->bytes / (double)page_bytes(p);

	if (isnan(with) || isnan(without))
		bench_derive_skip(b, p->self, "needs %s and %s", p->with->name,
				  p->without->name);
	else if (with <= without)
		bench_derive_skip(b, p->self,
				  "below resolution: fork took %.0f ns with "
				  "these pages and %.0f ns without",
				  with, without);
	else
		bench_derive(b, p->self, (with - without) / pages);
}

static int derive(struct bench *b, void *state)
{
	struct process_state *s = state;

	for (size_t i = 0; i < s->n_points; i++)
		if (s->points[i].kind == KIND_PAGE &&
		    bench_selected(b, s->points[i].self))
			derive_page(b, &s->points[i]);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct process_state *s = state;

	(void)b;
	proc_memory_close(&s->memory);
	if (s->child_end)
		munmap((void *)s->child_end, (size_t)sysconf(_SC_PAGESIZE));
}

const struct bench_desc bench_desc = {
	.name = "process",
	.state_size = sizeof(struct process_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
