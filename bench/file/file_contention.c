/* SPDX-License-Identifier: MIT */
/*
 * file_contention - how does reading slow down when other processes read too?
 *
 * 1 to 10 processes read at the same time, 4 KiB after 4 KiB from a random
 * place on, each its own file (files=own) or all the same one (files=one), past
 * the page cache (mode=direct, O_DIRECT) or out of it (mode=warm). A window of
 * time opens when all are under way, and they go on until it is over; the time
 * of a block is the window times the processes, divided by the blocks that all
 * have got in it. So all of them compete for all of the time, and neither a
 * slow start nor the last one's end is in the figure.
 *
 * The processes are not pinned: the kernel places them on the CPUs that this
 * program may use (`cpus`). With more processes than CPUs, mode=warm shows how
 * the CPUs are shared, mode=direct how the disk is, as long as the CPUs have
 * time left. No process reads what a CPU's cache still holds: each reads 64
 * MiB. A line, time = intercept + slope x processes, is fitted to each series,
 * with the share of the variance that it explains (figure=r2).
 *
 * Measures: ns for 4 KiB as one process sees it.
 * Includes: pread, the switches between processes; warm: a look at the clock
 *           for every 8 blocks, direct: for each.
 * After:    CSE 221 report section 6.4 and Figure 9 (10 files of 128 MiB read
 *           from end to end; here 64 MiB, read in parts), fio --numjobs.
 * Needs:    up to 640 MiB of disk; for mode=direct a file system that knows
 *           O_DIRECT.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "partner.h"
#include "stats.h"

#define MOST	  10u
#define BLOCK	  4096u
#define WARM_LOOK 8u  /* blocks between looks at the clock */
#define WINDOW_MS 4.0 /* at least */
#define ENOUGH	  4   /* blocks of each process in a window, or it stays open */

/* Three points make a line; of one series all are wanted. */
static const char points[] =
	"mode={direct,warm} files={own,one} procs=1..10;"
	"not procs={3,4,6,7,8,9} mode=warm; not procs={3,4,6,7,8,9} files=one;"
	"is unit=ns exclusive;"
	"mode={direct,warm} files={own,one} figure={intercept,slope,r2};"
	"is derived unit=ns; is unit='1' higher if figure=r2";

/* What the processes of a window share.  It opens when the last of them is
 * under way; it closes when its time is over, where the disk is slow not before
 * there are enough blocks in it. */
struct window {
	_Atomic unsigned int under_way;
	_Atomic uint64_t from, to; /* ticks; 0: not yet */
	uint64_t least;		   /* ticks */
	struct share {
		_Alignas(64) _Atomic uint64_t blocks;
		uint64_t offset;       /* where to begin */
		int err;	       /* -errno */
		uint64_t bytes, wrong; /* read, of which not the file's */
		int64_t stored;	       /* of them from storage; -1: not known */
	} of[MOST];
};

struct contention_state {
	struct file_data file[MOST];
	struct file_place place;
	struct partner member[MOST];
	bool direct, own; /* of the case that is being visited */
	unsigned int procs;
	struct window *window;
	struct bench *b;
	enum timer_method method;
	int fd; /* in a process of the crew */
};

/* Each process of the crew has its own copy. */
static _Alignas(FILE_DATA_ALIGN) char block[BLOCK];

static int cases(struct bench *b, void *state)
{
	struct contention_state *s = state;

	for (unsigned int i = 0; i < MOST; i++)
		file_data_init(&s->file[i]);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct contention_state *s = state;

	s->method = bench_timer(b)->method;
	s->window = partner_share(sizeof(*s->window));
	if (!s->window)
		return bench_fail(b, ENOMEM, "share a page");
	s->b = b;
	return 0;
}

static uint64_t now(enum timer_method method)
{
	return method == TIMER_CLOCK ? timer_clock_end() : timer_fenced_begin();
}

static const struct file_data *file_of(const struct contention_state *s,
				       unsigned int member)
{
	return &s->file[s->own ? member : 0];
}

/* The rest of this section runs in the processes that read. */

static int open_own(struct contention_state *s, unsigned int member)
{
	const char *path = file_of(s, member)->path, *why;
	const int err = bench_unbind(s->b);

	if (err)
		return err;
	s->fd = s->direct ? file_direct_open(path, O_RDONLY, &why)
			  : open(path, O_RDONLY | O_CLOEXEC);
	return s->fd >= 0 ? 0 : s->direct ? s->fd : -errno;
}

static uint64_t blocks_in(const struct window *w)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < MOST; i++)
		n += w->of[i].blocks;
	return n;
}

/* @n blocks of @member were done at @t: count them if the window is open then.
 * Return: whether there is more to do. */
static bool count(struct contention_state *s, unsigned int member,
		  unsigned int n, uint64_t t)
{
	const uint64_t enough = (uint64_t)ENOUGH * s->procs;
	struct window *w = s->window;
	const uint64_t from = w->from;
	uint64_t to = w->to;

	if (!from || t <= from)
		return true;
	if (!to && t > from + w->least) {
		const uint64_t before = blocks_in(w);
		const uint64_t end = before >= enough ? from + w->least : t;

		/* One says when it closed, for all of them. */
		if (before + n >= enough &&
		    atomic_compare_exchange_strong(&w->to, &to, end))
			to = end;
	}
	if (to && t > to)
		return false;
	w->of[member].blocks += n;
	return true;
}

static int read_window(struct contention_state *s, unsigned int member)
{
	const unsigned int look = s->direct ? 1 : WARM_LOOK;
	struct share *r = &s->window->of[member];
	uint64_t at = r->offset;

	if (atomic_fetch_add(&s->window->under_way, 1) + 1 == s->procs)
		s->window->from = now(s->method);
	do {
		for (unsigned int i = 0; i < look; i++) {
			const ssize_t n = pread(s->fd, block, BLOCK, (off_t)at);

			if (n != (ssize_t)BLOCK)
				return n < 0 ? -errno : -EIO;
			at = at + BLOCK < FILE_OWN_BYTES ? at + BLOCK : 0;
		}
		r->bytes += (uint64_t)look * BLOCK;
	} while (count(s, member, look, now(s->method)));
	at = (at ? at : FILE_OWN_BYTES) - BLOCK;
	if (!file_data_sample(block, BLOCK, at))
		r->wrong = BLOCK;
	return 0;
}

static int work(struct partner *p, void *arg)
{
	struct contention_state *s = arg;
	const unsigned int member = (unsigned int)(p - s->member);
	struct share *r = &s->window->of[member];
	struct file_counts before, after;

	r->err = open_own(s, member);
	while (!partner_meet(p)) {
		if (partner_meet(p)) /* the window begins */
			break;
		file_counts_read(&s->place, &before);
		r->err = read_window(s, member);
		file_counts_read(&s->place, &after);
		file_counts_since(&after, &before);
		r->stored = after.process_read;
	}
	return 0;
}

/* The measuring process again. */

static int get_files(struct bench *b, struct contention_state *s)
{
	const unsigned int n = s->own ? s->procs : 1;

	for (unsigned int i = 0; i < n; i++) {
		char name[32];
		int err;

		if (s->file[i].fd >= 0)
			continue;
		snprintf(name, sizeof(name), FILE_OWN_NAME, i);
		err = file_data_get(b, &s->file[i], name, FILE_OWN_BYTES);
		if (err)
			return err;
	}
	if (s->place.where[0])
		return 0;
	if (file_place_find(&s->place, s->file[0].fd))
		return bench_fail(b, errno, "find out where %s lies",
				  s->file[0].path);
	return 0;
}

/* What mode=warm reads has to be there, and not in the CPUs' caches: that one
 * process finds more of its file in them than ten do is not what is asked. */
static int warm(struct bench *b, struct contention_state *s)
{
	const unsigned int n = s->own ? s->procs : 1;

	for (unsigned int i = 0; i < n && !bench_stopping(b); i++) {
		const int64_t cached = file_cache_fill(s->file[i].fd, 0, 0, 1);

		if (cached < 0)
			return bench_fail(b, (int)-cached, "read %s",
					  s->file[i].path);
	}
	return 0;
}

/* Whether a read from storage is counted as such: a sandbox's kernel may have
 * the counter, and leave it at 0. */
static bool counts_storage(const struct contention_state *s)
{
	const int fd = s->file[0].fd;
	struct file_counts before, after;

	if (file_cache_drop(fd, 0, BLOCK) > 0)
		return true;
	file_counts_read(&s->place, &before);
	if (pread(fd, block, sizeof(block), 0) != (ssize_t)sizeof(block))
		return true;
	file_counts_read(&s->place, &after);
	file_counts_since(&after, &before);
	return after.process_read || after.device_read > 0;
}

/* Until all have done what they were told to. */
static int meet_all(struct contention_state *s)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < s->procs; i++)
		err = partner_meet(&s->member[i]);
	for (unsigned int i = 0; !err && i < s->procs; i++)
		err = s->window->of[i].err;
	return err;
}

static void stop_all(struct contention_state *s)
{
	for (unsigned int i = 0; i < MOST; i++)
		partner_stop(&s->member[i]);
}

static int start_all(struct bench *b, struct contention_state *s)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < s->procs; i++)
		err = partner_start(b, &s->member[i], PARTNER_PROCESS,
				    bench_cpu(b), work, s);
	if (!err)
		err = meet_all(s);
	if (err == -EINVAL && s->direct)
		return bench_skip(b, "%s: O_DIRECT is refused", s->place.where);
	return err ? partner_failed(b, err) : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct contention_state *s = state;
	int err;

	s->direct = case_is(c, "mode", "direct");
	s->own = case_is(c, "files", "own");
	s->procs = (unsigned int)case_int(c, "procs");
	err = get_files(b, s);
	if (err)
		return err;
	if (s->direct && s->place.kind != FILE_PLACE_MEMORY &&
	    !counts_storage(s))
		return bench_skip(b,
				  "nothing tells whether reads from %s reach a "
				  "device: /proc/self/io counts no byte",
				  s->place.where);
	bench_fact_text(b, c, "where", s->place.where);
	bench_fact(b, c, "cpus", bench_cpus(b));
	if (!s->direct)
		err = warm(b, s);
	return err ? err : start_all(b, s);
}

/* What all members together did in one window and around it. */
struct done {
	uint64_t bytes, wrong;
	int64_t stored; /* -1: not known */
};

static int one_window(struct bench *b, struct contention_state *s,
		      struct done *d)
{
	int err;

	*d = (struct done) { 0 };
	memset(s->window, 0, sizeof(*s->window));
	s->window->least = (uint64_t)(WINDOW_MS / 1e3 * bench_timer(b)->hz);
	for (unsigned int i = 0; i < s->procs; i++)
		s->window->of[i].offset =
			bench_random(b) % (FILE_OWN_BYTES / BLOCK) * BLOCK;
	err = meet_all(s); /* they begin */
	if (!err)
		err = meet_all(s);
	for (unsigned int i = 0; !err && i < s->procs; i++) {
		const struct share *r = &s->window->of[i];

		d->bytes += r->bytes;
		d->wrong += r->wrong;
		d->stored = r->stored < 0 || d->stored < 0
				    ? -1
				    : d->stored + r->stored;
	}
	return err;
}

static void record(struct bench *b, const struct contention_state *s,
		   const struct bench_case *c)
{
	const struct window *w = s->window;
	const double ns = timer_ns(bench_timer(b), (double)(w->to - w->from));

	bench_record_value(b, c, ns * s->procs / (double)blocks_in(w));
	bench_fact(b, c, "window_ms", ns / 1e6);
}

static void show_direct(struct bench *b, const struct bench_case *c,
			const struct done *d, const struct file_counts *seen)
{
	if (seen->device_read >= 0)
		bench_least(b, c, "device_bytes_read", (double)d->bytes,
			    (double)seen->device_read);
	if (d->stored >= 0)
		bench_least(b, c, "bytes_from_storage", (double)d->bytes,
			    (double)d->stored);
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct contention_state *s = state;
	struct file_counts before, after;
	struct done d;
	int err;

	file_counts_read(&s->place, &before);
	err = one_window(b, s, &d);
	file_counts_read(&s->place, &after);
	if (err)
		return partner_failed(b, err);
	bench_proof(b, c, "bytes_right", (double)d.bytes,
		    (double)(d.bytes - d.wrong));
	file_counts_since(&after, &before);
	if (s->direct)
		show_direct(b, c, &d, &after);
	/* At first the readers' own code is fetched, and more of it ahead. */
	else if (d.stored >= 0 && bench_is_sample(b))
		bench_purity(b, c, "windows_from_cache", BENCH_MOSTLY, 1,
			     d.stored == 0);
	/* A block that came from the disk took as long as many cached ones. */
	if (s->direct || d.stored <= 0)
		record(b, s, c);
	return 0;
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct contention_state *s = state;

	stop_all(s);
	return 0;
}

static void derive_line(struct bench *b, const struct bench_case *intercept)
{
	const struct bench_case *slope =
		bench_beside(b, intercept, "figure=slope");
	const struct bench_case *r2 = bench_beside(b, intercept, "figure=r2");
	double x[MOST], y[MOST];
	struct stats_line f;
	size_t n = 0;

	BENCH_EACH (b, c, "procs") {
		if (strcmp(case_str(c, "mode"), case_str(r2, "mode")) != 0 ||
		    strcmp(case_str(c, "files"), case_str(r2, "files")) != 0)
			continue;
		x[n] = (double)case_int(c, "procs");
		y[n] = bench_value(b, c);
		n += isfinite(y[n]) ? 1 : 0;
	}
	if (stats_fit_line(&f, x, y, n) || !isfinite(f.r_squared)) {
		const struct bench_case *all[] = { intercept, slope, r2 };

		for (int i = 0; i < 3; i++)
			bench_derive_skip(b, all[i],
					  "a line needs three points, there "
					  "are %zu",
					  n);
		return;
	}
	bench_derive_within(b, intercept, f.intercept, f.intercept_error);
	bench_derive_within(b, slope, f.slope, f.slope_error);
	bench_derive(b, r2, f.r_squared);
	bench_fact(b, intercept, "standard_error", f.intercept_error);
	bench_fact(b, slope, "standard_error", f.slope_error);
}

static int derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "figure=intercept")
		derive_line(b, c);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct contention_state *s = state;

	stop_all(s);
	for (unsigned int i = 0; i < MOST; i++)
		file_data_close(&s->file[i]);
	partner_unshare(s->window, sizeof(*s->window));
}

const struct bench_desc bench_desc = {
	.name = "file_contention",
	.many_cpus = true,
	.switches = true,
	.state_size = sizeof(struct contention_state),
	.points = points,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
