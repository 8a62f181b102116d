/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc_copy.h"
#include "proc_memory.h"
#include "proc_points.h"

#define MIB (1024ul * 1024)

static const char *const parents[PROC_PARENTS] = { "suite", "small" };

size_t proc_point_page(const struct proc_point *p)
{
	return p->huge ? proc_huge_page_bytes() : (size_t)sysconf(_SC_PAGESIZE);
}

int proc_point_processes(const struct proc_point *p)
{
	return 1 + (p->parent == PROC_PARENT_SMALL) + (p->op == PROC_FORK_SH);
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

#define NOT_FOUND(name) \
	name " was found neither in ../libexec nor beside this program"

static const struct {
	const char *name, *why;
} helpers[] = {
	[PROC_STATIC] = { "oscost-true", NOT_FOUND("oscost-true") },
	[PROC_DYNAMIC] = { "oscost-hello", NOT_FOUND("oscost-hello") },
	[PROC_FORKER] = { "oscost-forker", NOT_FOUND("oscost-forker") },
};

static const char *no_helper(enum proc_helper helper)
{
	char path[PATH_MAX];

	return proc_find_program(helpers[helper].name, path, sizeof(path))
		       ? helpers[helper].why
		       : NULL;
}

static int place(struct bench *b, struct proc_points *s,
		 enum proc_helper helper)
{
	const char *name = helpers[helper].name;
	const char *dir = bench_scratch(b);
	char *path = s->helper[helper];
	int err;

	if (*path || !dir)
		return *path ? 0 : -ENOENT;
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	err = proc_copy_program(name, path);
	if (!err)
		return 0;
	*path = '\0';
	return bench_skip(b, "%s cannot be put into %s and executed there: %s",
			  name, dir, strerror(-err));
}

static bool executes(enum proc_op op)
{
	return op != PROC_FORK && op != PROC_VFORK && op != PROC_CLONE3;
}

int proc_points_place(struct bench *b, struct proc_points *s,
		      const struct proc_point *p)
{
	int err = 0;

	if (p->parent == PROC_PARENT_SMALL)
		err = place(b, s, PROC_FORKER);
	if (!err && executes(p->op))
		err = place(b, s, p->program);
	return err;
}

static const char *no_shell(void)
{
	return access("/bin/sh", X_OK) ? "there is no /bin/sh" : NULL;
}

static void add_spawns(struct bench *b, struct proc_points *s)
{
	static const enum proc_op ops[] = {
		PROC_VFORK,	PROC_CLONE3,	 PROC_POSIX_SPAWN,
		PROC_FORK_EXEC, PROC_VFORK_EXEC, PROC_FORK_SH,
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		const char *why =
			executes(ops[i]) ? no_helper(PROC_STATIC) : NULL;

		if (!why && ops[i] == PROC_FORK_SH)
			why = no_shell();
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

static void add_small(struct bench *b, struct proc_points *s)
{
	add(b, s,
	    (struct bench_case) {
		    .params = { P_STR("op", "fork"), P_STR("parent", "small") },
		    .skip = no_helper(PROC_FORKER),
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
		  .program = PROC_STATIC,
		  .parent = PROC_PARENT_SMALL },
		{ .op = PROC_FORK_SH,
		  .program = PROC_DYNAMIC,
		  .parent = PROC_PARENT_SMALL },
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
		const struct proc_point *p = &points[i];
		const bool small = p->parent == PROC_PARENT_SMALL;
		const char *skip = no_helper(p->program);

		if (!skip && p->op == PROC_FORK_SH)
			skip = no_shell();
		if (!skip && small)
			skip = no_helper(PROC_FORKER);
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
						? no_helper(PROC_FORKER)
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
