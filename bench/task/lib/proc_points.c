/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc_copy.h"
#include "proc_memory.h"
#include "proc_points.h"

/* What users run is mostly linked dynamically, and often by a small program. */
const char proc_points[] =
	"op=fork mem=0 pages=$page written=once; is threads;"

	"op={fork,fork_page} ^mem={1M,16M,256M} pages=$page written=once;"
	"op={fork,fork_page} ^mem={1M,16M} pages=$page written=each;"
	"op={fork,fork_page} ^mem={16M,256M} pages=huge written=once;"
	"is exclusive if op=fork; needs $huge_pages if pages=huge;"
	"fork_page := (fork_ns:[op=fork] - fork_without_ns:"
	"[op=fork mem=0 pages=$page written=once]) / pages:(mem / $page)"
	" if pages=$page;"
	"fork_page := (fork_ns:[op=fork] - fork_without_ns:"
	"[op=fork mem=0 pages=$page written=once]) / pages:(mem / $huge)"
	" if pages=huge;"

	"op={vfork,clone3,posix_spawn,fork_exec,vfork_exec,fork_sh};"
	"needs $static if op!={vfork,clone3};"
	"needs program='/bin/sh' if op=fork_sh;"

	"op=fork parent=small;"
	"op=fork_exec parent=suite program=dynamic;"
	"op={fork_exec,fork_sh} parent=small program={static,dynamic};"
	"needs $static if program=static; needs $dynamic if program=dynamic;"
	"needs program='/bin/sh' if op=fork_sh;"
	"needs $forker if parent=small;"

	"op=first_instruction parent={suite,small} view={smaller,child,parent};"
	"is derived of=[view=smaller] if view={child,parent};"
	"needs $forker if parent=small";

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

void proc_points_set(struct bench *b)
{
	const size_t huge = proc_huge_page_bytes();

	bench_need(b, "static", no_helper(PROC_STATIC));
	bench_need(b, "dynamic", no_helper(PROC_DYNAMIC));
	bench_need(b, "forker", no_helper(PROC_FORKER));
	bench_need(b, "huge_pages",
		   huge ? NULL
			: "this kernel has no transparent huge pages, or they "
			  "are switched off");
	BENCH_SET_NUMBER(b, "huge", BENCH_SIZE, huge);
}

static int place(struct bench *b, struct proc_helpers *h,
		 enum proc_helper helper)
{
	const char *name = helpers[helper].name;
	const char *dir = bench_scratch(b);
	char *path = h->path[helper];
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

int proc_points_place(struct bench *b, struct proc_helpers *h,
		      const struct proc_point *p)
{
	int err = 0;

	if (p->parent == PROC_PARENT_SMALL)
		err = place(b, h, PROC_FORKER);
	if (!err && executes(p->op))
		err = place(b, h, p->program);
	return err;
}

bool proc_point_fill(struct bench *b, void *state, struct bench_case *c)
{
	struct proc_point *p = c->data;

	p->first = case_is(c, "op", "first_instruction");
	p->op = CASE_ENUM(c, "op", proc_op_name, PROC_OPS);
	if (p->op == PROC_OPS)
		p->op = PROC_FORK; /* of a first instruction, of a page */
	p->huge = case_is(c, "pages", "huge");
	p->page = p->huge ? proc_huge_page_bytes() : bench_page_bytes();
	p->bytes = case_has(c, "mem") ? (size_t)case_int(c, "mem") : 0;
	p->again = case_is(c, "written", "each");
	p->parent = case_is(c, "parent", "small");
	p->program =
		case_is(c, "program", "dynamic") ? PROC_DYNAMIC : PROC_STATIC;
	c->processes =
		1 + (p->parent == PROC_PARENT_SMALL) + (p->op == PROC_FORK_SH);
	if (p->huge && !c->skip && p->bytes < p->page)
		c->skip = "smaller than one huge page";
	return true;
}
