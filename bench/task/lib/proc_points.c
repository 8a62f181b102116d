/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "multicall.h"
#include "proc_memory.h"
#include "proc_points.h"

#define MIB (1024ul * 1024)

static const char *const parents[PROC_PARENTS] = { "suite", "small" };

size_t proc_point_page(const struct proc_point *p)
{
	return p->huge ? proc_huge_page_bytes() : (size_t)sysconf(_SC_PAGESIZE);
}

static const struct bench_case *add(struct bench *b, struct proc_points *s,
				    struct bench_case c, struct proc_point p)
{
	if (s->n == PROC_POINTS_MAX) {
		bench_fail(b, 0, "more than %d cases", PROC_POINTS_MAX);
		return NULL;
	}
	s->v[s->n] = p;
	c.arg = &s->v[s->n];
	return s->v[s->n++].self = bench_add(b, &c);
}

int proc_point_status(const struct proc_point *p)
{
	return p->program == PROC_DYNAMIC ? PROC_LINKED : 0;
}

/* Why @program cannot be executed, or NULL; its path. */
static const char *no_program(struct proc_points *s, enum proc_program program)
{
	static const char *const why[] = {
		"oscost-true was found neither in ../libexec nor beside this "
		"program",
		"oscost-hello was found neither in ../libexec nor beside this "
		"program",
	};
	const char *const name =
		program == PROC_STATIC ? "oscost-true" : "oscost-hello";

	if (program == PROC_STATIC && multicall_true)
		return NULL; /* see proc_points_unpack() */
	return proc_find_program(name, s->program[program],
				 sizeof(s->program[program]))
		       ? why[program]
		       : NULL;
}

int proc_points_unpack(struct bench *b, struct proc_points *s)
{
	const size_t bytes = (size_t)(multicall_true_end - multicall_true);
	char *path = s->program[PROC_STATIC];
	const char *dir;
	int fd;
	bool good;

	if (!multicall_true || *path)
		return 0;
	dir = bench_scratch(b);
	if (!dir)
		return -ENOENT;
	snprintf(path, PATH_MAX, "%s/oscost-true", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	good = fd >= 0 && write(fd, multicall_true, bytes) == (ssize_t)bytes;
	if (fd >= 0)
		close(fd);
	if (good && !access(path, X_OK))
		return 0;
	*path = '\0';
	return bench_skip(b,
			  "oscost-true cannot be put into %s and executed "
			  "there",
			  dir);
}

static void add_spawns(struct bench *b, struct proc_points *s)
{
	static const enum proc_op ops[] = {
		PROC_VFORK,	PROC_CLONE3,	 PROC_POSIX_SPAWN,
		PROC_FORK_EXEC, PROC_VFORK_EXEC, PROC_FORK_SH,
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const bool execs =
			ops[i] != PROC_VFORK && ops[i] != PROC_CLONE3;

		const char *why = execs ? no_program(s, PROC_STATIC) : NULL;

		if (ops[i] == PROC_FORK_SH && access("/bin/sh", X_OK))
			why = "there is no /bin/sh";
		add(b, s,
		    (struct bench_case) {
			    .params = { P_STR("op", proc_op_name(ops[i])) },
			    .skip = why,
		    },
		    (struct proc_point) { .kind = PROC_KIND_SPAWN,
					  .op = ops[i] });
	}
}

static const char *cannot_hold(const struct proc_point *p)
{
	if (p->huge && !proc_point_page(p))
		return "this kernel has no transparent huge pages, or they "
		       "are switched off";
	if (p->huge && p->bytes && p->bytes < proc_point_page(p))
		return "smaller than one huge page";
	return NULL;
}

/* Fork with so much touched memory, and what each page of it added. */
static void add_memory(struct bench *b, struct proc_points *s,
		       struct proc_point p)
{
	const char *const pages = p.huge ? "huge" : bench_page_name();
	const char *const written = p.again ? "each" : "once";
	const struct bench_case *of;

	p.kind = PROC_KIND_MEMORY;
	of = add(b, s,
		 (struct bench_case) {
			 .params = { P_STR("op", "fork"),
				     P_SIZE("mem", (int64_t)p.bytes),
				     P_STR("pages", pages),
				     P_STR("written", written) },
			 .skip = cannot_hold(&p),
			 .threads = !p.bytes,
			 .exclusive = p.bytes != 0,
		 },
		 p);
	if (!p.bytes) {
		s->fork0 = of;
		return;
	}
	p.kind = PROC_KIND_PAGE;
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

static const char *no_forker(struct proc_points *s)
{
	return proc_find_program(PROC_FORKER, s->forker, sizeof(s->forker))
		       ? "oscost-forker was found neither in ../libexec nor "
			 "beside this program"
		       : NULL;
}

static void add_small(struct bench *b, struct proc_points *s)
{
	add(b, s,
	    (struct bench_case) {
		    .params = { P_STR("op", "fork"), P_STR("parent", "small") },
		    .skip = no_forker(s),
	    },
	    (struct proc_point) { .kind = PROC_KIND_SPAWN,
				  .parent = PROC_PARENT_SMALL });
}

/* What users run is mostly linked dynamically, and often by a small program. */
static void add_programs(struct bench *b, struct proc_points *s)
{
	static const char *const programs[] = { "static", "dynamic" };
	static const struct proc_point points[] = {
		{ .op = PROC_FORK_EXEC, .program = PROC_DYNAMIC },
		{ .op = PROC_FORK_EXEC,
		  .program = PROC_STATIC,
		  .parent = PROC_PARENT_SMALL },
		{ .op = PROC_FORK_EXEC,
		  .program = PROC_DYNAMIC,
		  .parent = PROC_PARENT_SMALL },
		{ .op = PROC_FORK_SH,
		  .program = PROC_DYNAMIC,
		  .parent = PROC_PARENT_SMALL },
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		const struct proc_point *p = &points[i];
		const bool small = p->parent == PROC_PARENT_SMALL;
		const char *skip = no_program(s, p->program);

		if (!skip && small)
			skip = no_forker(s);
		add(b, s,
		    (struct bench_case) {
			    .params = { P_STR("op", proc_op_name(p->op)),
					P_STR("parent", parents[p->parent]),
					P_STR("program",
					      programs[p->program]) },
			    .skip = skip,
		    },
		    *p);
	}
}

/* The smaller of the two views of a first instruction, which is the case that
 * is sampled, and both of them. */
static void add_first(struct bench *b, struct proc_points *s,
		      enum proc_parent parent)
{
	static const char *const views[] = { "smaller", "child", "parent" };
	const struct bench_case *smaller = NULL;

	for (int i = 0; i < 3; i++) {
		const bool sampled = i == 0;
		const struct bench_case *c = add(
			b, s,
			(struct bench_case) {
				.params = { P_STR("op", "first_instruction"),
					    P_STR("parent", parents[parent]),
					    P_STR("view", views[i]) },
				.skip = parent == PROC_PARENT_SMALL
						? no_forker(s)
						: NULL,
				.derived = !sampled,
				.of = smaller,
			},
			(struct proc_point) { .kind = sampled ? PROC_KIND_FIRST
							      : PROC_KIND_VIEW,
					      .parent = parent });

		if (sampled)
			smaller = c;
		else
			s->view[parent][i - 1] = c;
	}
}

void proc_points_add(struct bench *b, struct proc_points *s)
{
	static const struct proc_point memory[] = {
		{ .bytes = 0 },
		{ .bytes = 1 * MIB },
		{ .bytes = 16 * MIB },
		{ .bytes = 256 * MIB },
		{ .bytes = 1 * MIB, .again = true },
		{ .bytes = 16 * MIB, .again = true },
		{ .bytes = 16 * MIB, .huge = true },
		{ .bytes = 256 * MIB, .huge = true },
	};

	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		add_memory(b, s, memory[i]);
	add_spawns(b, s);
	add_small(b, s);
	add_programs(b, s);
	for (int parent = 0; parent < PROC_PARENTS; parent++)
		add_first(b, s, parent);
}

/* Both forks of the difference share everything but the touched pages. */
static void derive_page(struct bench *b, const struct proc_point *p)
{
	const double with = bench_value(b, p->with);
	const double without = bench_value(b, p->without);
	const double pages = (double)p->bytes / (double)proc_point_page(p);

	if (isnan(with) || isnan(without)) {
		bench_derive_skip(b, p->self, "needs %s and %s", p->with->name,
				  p->without->name);
		return;
	}
	bench_derive_within(b, p->self, (with - without) / pages, 0);
	bench_fact(b, p->self, "fork_ns", with);
	bench_fact(b, p->self, "fork_without_ns", without);
	bench_fact(b, p->self, "pages", pages);
}

void proc_points_derive(struct bench *b, const struct proc_points *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind == PROC_KIND_PAGE &&
		    bench_selected(b, s->v[i].self))
			derive_page(b, &s->v[i]);
}
