/* SPDX-License-Identifier: MIT */
/*
 * process - what does it cost to make a process, and to see it end?
 *
 * A process that ends at once is made in each of the ways that programs use,
 * and waited for: the time holds the making, the first run, the end and the
 * reaping, and nothing else, for parent and child share one CPU.  Fork copies
 * the page tables of its parent, so it is also measured against the memory that
 * the parent has touched; what is added for each page is a row of its own.
 * With written=each the parent writes to all of it again before each fork,
 * outside the interval, as a busy server would; with written=once it did so
 * before the first one only, so that the pages are still shared read-only.
 *
 * parent=small is a static program that does nothing else, for the measuring
 * program is large; see parent_mappings and parent_resident_bytes.
 *
 * The exec kinds execute a static program of one system call, fork_sh by
 * `sh -c`.  program=dynamic is as most programs are: the dynamic linker maps
 * libc and links it before main() ends, with a status that proves it.
 *
 * op=first_instruction is the figure of the CSE 221 report: from just before
 * fork to the first instruction after it, in the child and in the parent,
 * and the smaller of the two.  One fork gives all three.
 *
 * op=posix_spawn makes its process as op=vfork_exec does, but glibc first maps
 * a stack for the child, and the child asks for the handling of each signal
 * and resets it, some 120 system calls: op=vfork_exec has neither.
 *
 * The cold figure of a row is its first process in a process run.
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
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "guard.h"
#include "lib/proc_copy.h"
#include "lib/proc_spawn.h"
#include "mem.h"
#include "partner.h"
#include "process_pages.h"
#include "sysfile.h"

#define MIB (1024ul * 1024)
#define THP "/sys/kernel/mm/transparent_hugepage/"

/* Users' programs are mostly dynamic, and often started by a small program. */
static const char points[] =
	"op=fork mem=0 pages=$page written=once; is threads;"

	"op={fork,fork_page} ^mem={1M,16M,256M} pages=$page written=once;"
	"op={fork,fork_page} ^mem={1M,16M} pages=$page written=each;"
	"op={fork,fork_page} ^mem={16M,256M} pages=huge written=once;"
	"is exclusive if op=fork; needs memory=mem;"
	"needs $huge_pages if pages=huge;"
	"fork_page := (fork_ns:[op=fork] - fork_without_ns:"
	"[op=fork mem=0 pages=$page written=once]) / pages:(mem / $page)"
	" if pages=$page;"
	"fork_page := (fork_ns:[op=fork] - fork_without_ns:"
	"[op=fork mem=0 pages=$page written=once]) / pages:(mem / $huge)"
	" if pages=huge;"

	"op={vfork,clone3,posix_spawn,fork_exec,vfork_exec,fork_sh};"
	"needs program='/bin/sh' if op=fork_sh;"

	"op=fork parent=small;"
	"op=fork_exec parent=suite program=dynamic;"
	"op={fork_exec,fork_sh} parent=small program={static,dynamic};"
	"needs program='/bin/sh' if op=fork_sh;"

	"op=first_instruction parent={suite,small} view={smaller,child,parent};"
	"is derived of=[view=smaller] if view={child,parent}";

/* Programs of their own: what the exec kinds execute, one that has no libc or
 * one that a dynamic linker starts, and the small one that forks. */
enum helper { STATIC, DYNAMIC, FORKER, HELPERS };

static const char *const helpers[HELPERS] = {
	[STATIC] = "oscost-true",
	[DYNAMIC] = "oscost-hello",
	[FORKER] = "oscost-forker",
};

struct state {
	char path[HELPERS][PATH_MAX]; /* copies of the programs, made once */
	/* Private memory that was touched, with what its alignment took. */
	char *memory, *mapping; /* NULL: none */
	size_t bytes, mapped;
	struct partner small; /* while a case of it is visited: the forker, */
	int channel;	      /* and the socket to it */
	int64_t children_ns;  /* what its children have run so far */
	volatile uint64_t *child_end;	  /* shared with the children */
	const struct bench_case *view[2]; /* child, parent: of this visit */
	int64_t status;			  /* of the last child */

	/* These are of the visit under way. */
	int32_t way; /* of proc_ways */
	enum helper program;
	size_t page; /* of the memory, bytes */
	bool again;  /* which is touched before each fork */
};

/* Size of a transparent huge page; 0: none, or they are switched off. */
static size_t huge_page_bytes(void)
{
	char mode[128];

	if (sysfile_line(mode, sizeof(mode), THP "enabled") <= 0 ||
	    strstr(mode, "[never]"))
		return 0;
	return (size_t)sysfile_number(0, NULL, THP "hpage_pmd_size");
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	if (case_is(c, "pages", "huge") && !c->skip &&
	    (size_t)case_int(c, "mem") < huge_page_bytes())
		c->skip = "smaller than one huge page";
	return true;
}

static void cases(struct bench *b, void *state)
{
	const size_t huge = huge_page_bytes();

	bench_need(b, "huge_pages",
		   huge ? NULL
			: "this kernel has no transparent huge pages, or they "
			  "are switched off");
	BENCH_SET_NUMBER(b, "huge", BENCH_SIZE, huge);
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;

	s->child_end = partner_share(sizeof(*s->child_end));
	return s->child_end ? 0 : bench_fail(b, ENOMEM, "map a shared page");
}

static int place(struct bench *b, struct state *s, enum helper helper)
{
	const char *name = helpers[helper];
	char *path = s->path[helper];
	int err;

	if (*path)
		return 0;
	snprintf(path, PATH_MAX, "%s/%s", bench_scratch(b), name);
	err = proc_copy_program(b, name, path);
	if (err)
		*path = '\0';
	return err;
}

/* Without its size no two costs of fork can be compared; only /proc has it.
 * @pid: 0 is this process. */
static int note_size(struct bench *b, const struct bench_case *c, pid_t pid)
{
	struct process_pages size;

	if (!guard_sees_processes())
		return 0;
	if (!process_pages(pid, &size))
		return bench_fail(b, errno, "read the size of the process");
	bench_fact(b, c, "parent_resident_bytes",
		   size.resident * (double)bench_page_bytes());
	bench_fact(b, c, "parent_mappings", size.mappings);
	return 0;
}

struct exec {
	const char *program, *executed;
	int channel;
};

static int become(struct partner *p, void *arg)
{
	const struct exec *e = arg;
	char *const argv[] = { (char *)e->program, (char *)e->executed, NULL };
	char *const none[] = { NULL };

	if (dup2(e->channel, 0) == 0 && dup2(e->channel, 1) == 1)
		execve(e->program, argv, none);
	return -errno;
}

/* An answer of the small program. */
static int await(struct bench *b, const struct state *s, struct proc *r)
{
	const ssize_t n = recv(s->channel, r, sizeof(*r), 0);

	return n == sizeof(*r) ? 0
			       : bench_fail(b, n < 0 ? errno : 0,
					    "no answer from the small program");
}

static int ask(struct bench *b, struct state *s, struct proc *r)
{
	const int64_t before = s->children_ns;
	const struct proc_request request = { s->way, bench_timer(b)->method };
	int err;

	if (send(s->channel, &request, sizeof(request), MSG_NOSIGNAL) !=
	    sizeof(request))
		return bench_fail(b, errno, "ask the small program");
	err = await(b, s, r);
	s->children_ns = r->children_ns;
	bench_helped(s->children_ns - before);
	return err;
}

/* Its first answer says that it is there and no copy of this one any more. */
static int enter_small(struct bench *b, struct state *s,
		       const struct bench_case *c)
{
	struct exec e = { s->path[FORKER], s->path[s->program], 0 };
	struct proc none;
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return partner_refused(b, errno, "make a socket pair");
	s->channel = pair[0];
	e.channel = pair[1];
	err = partner_start(b, &s->small, PARTNER_PROCESS, bench_cpu(b), become,
			    &e);
	close(e.channel);
	if (!err)
		err = await(b, s, &none);
	return err ? err : note_size(b, c, s->small.pid);
}

/* Write to every page, as its owner would between two forks. */
static void touch(const struct state *s, size_t page)
{
	volatile char *p = s->memory;

	for (size_t i = 0; i < s->bytes; i += page)
		p[i] = (char)(p[i] + 1);
}

/*
 * Map s->bytes and touch every page.  @huge: ask for pages of this size; 0:
 * forbid them.  Where the program's memory is locked (MCL_FUTURE), a mapping is
 * populated when it is made, before advice could be given; so it is made
 * without access first.
 */
static int open_memory(struct state *s, size_t huge)
{
	char *p;

	s->mapped = s->bytes + huge;
	p = mmap(NULL, s->mapped, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	s->mapping = p;
	s->memory = huge ? p + huge - (uintptr_t)p % huge : p;
	/* EINVAL: a kernel without huge pages, which need not be forbidden. */
	if ((madvise(s->memory, s->bytes,
		     huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
	     (huge || errno != EINVAL)) ||
	    mprotect(s->memory, s->bytes, PROT_READ | PROT_WRITE))
		return -errno;
		/* A fault for each page takes three times as long as asking for
		 * all; either way the pages are there and written to. */
#ifdef MADV_POPULATE_WRITE
	if (madvise(s->memory, s->bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
#endif
	touch(s, bench_page_bytes());
	return 0;
}

static int enter_memory(struct bench *b, struct state *s,
			const struct bench_case *c)
{
	const bool huge = case_is(c, "pages", "huge");
	const size_t mib = s->bytes / MIB;
	int64_t got;
	int err;

	err = open_memory(s, huge ? s->page : 0);
	if (err)
		return bench_fail(b, -err, "map %zu MiB", mib);
	got = mem_huge_in(s->memory, s->bytes, false);
	if (got == -ENOENT)
		return bench_skip(b, "needs /proc/self/smaps");
	if (got < 0)
		return bench_fail(b, (int)-got, "read /proc/self/smaps");
	if (got != (huge ? (int64_t)s->bytes : 0))
		return bench_skip(b,
				  "%lld MiB of %zu are huge pages, though %s "
				  "were asked for",
				  (long long)(got / (int64_t)MIB), mib,
				  huge ? "all" : "none");
	return note_size(b, c, 0);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const bool small = case_is(c, "parent", "small");
	int err;

	s->way = (int32_t)CASE_NTH(c, "op", proc_ways);
	s->program = case_is(c, "program", "dynamic") ? DYNAMIC : STATIC;
	s->again = case_is(c, "written", "each");
	s->page = case_is(c, "pages", "huge") ? huge_page_bytes()
					      : bench_page_bytes();
	err = small ? place(b, s, FORKER) : 0;
	if (!err && s->way >= PROC_EXECUTES)
		err = place(b, s, s->program);
	if (err)
		return err;
	s->view[0] = bench_beside(b, c, "view=child");
	s->view[1] = bench_beside(b, c, "view=parent");
	s->bytes = case_has(c, "mem") ? (size_t)case_int(c, "mem") : 0;
	if (small)
		return enter_small(b, s, c);
	return s->bytes ? enter_memory(b, s, c) : note_size(b, c, 0);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	const struct state *s = state;

	if (s->again)
		touch(s, s->page);
	return 0;
}

static void record_first(struct bench *b, const struct state *s,
			 const struct bench_case *c, const struct proc *t)
{
	const bool child_first = t->in_child < t->in_parent;

	bench_record(b, s->view[0], t->in_child);
	bench_record(b, s->view[1], t->in_parent);
	bench_record(b, c, child_first ? t->in_child : t->in_parent);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct proc r = { .program = s->path[s->program],
			  .child_end = s->child_end };
	int err = 0;

	if (s->small.page)
		err = ask(b, s, &r);
	else
		proc_make(&r, s->way, bench_timer(b)->method);
	if (err)
		return err;
	if (r.status < 0)
		return partner_refused(b, (int)-r.status, proc_ways[s->way]);
	/* A shell that may not fork: dash and busybox say 2, bash 254. */
	if (s->way == PROC_FORK_SH && (r.status == 2 || r.status == 254))
		return partner_refused(b, EAGAIN, "the shell's process");
	s->status = r.status;
	if (s->way == PROC_FIRST)
		record_first(b, s, c, &r);
	else
		bench_record(b, c, r.ticks);
	return 0;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	struct state *s = state;
	const int64_t wanted = s->program == DYNAMIC ? PROC_LINKED : 0;

	bench_proof(b, c, "children_reaped", 1, s->status == wanted);
	for (int i = 0; i < 2 && s->way == PROC_FIRST; i++)
		bench_proof(b, s->view[i], "children_reaped", 1,
			    s->status == 0);
}

static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	partner_stop(&s->small);
	if (s->channel)
		close(s->channel);
	s->channel = 0;
	s->children_ns = 0;
	if (s->mapping)
		munmap(s->mapping, s->mapped);
	s->mapping = s->memory = NULL;
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct state),
	.points = points,
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
};
