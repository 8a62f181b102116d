/* SPDX-License-Identifier: MIT */
/*
 * file_ops - what do the operations on names and small files cost?
 *
 * open and close, stat and rename are repeated on one file whose name and
 * inode are cached. Names are looked up from an open directory (openat and the
 * like): no figure depends on how deep --dir lies. create is openat(O_CREAT |
 * O_EXCL), one write of `size` bytes and close; delete is unlinkat of the same
 * file. Both are taken from groups of 16 new files: all of a group are made,
 * looked at, and removed, each call timed by itself. readdir reads all 10 000
 * names of a directory through libc, from opendir to closedir; figure=entry is
 * the same by name. On a disk they are names of one empty file (hard links; the
 * fact links says of how many), over a network or on a file system that lies on
 * another each of its own, for there a listing may look at the files too.
 *
 * ext4 without a journal takes no inode again that was deleted in the last
 * minutes (but for the running second), and looks at each of them anew for
 * every file that it makes: there create costs more the more was deleted nearby
 * just before. So the files lie in a directory that ext4 puts into another
 * place of the disk each time; after=deletes is an empty file made where 1024
 * were deleted, a second before at most, which is what users see. The fact
 * journal says whether there is one.
 *
 * fsync_dir is fsync of a directory in which a file was just made: after it
 * the name survives a power cut, as far as the disk keeps its word. fsync_file
 * is fsync of a file of which 4 KiB were just written again. All other rows
 * work on the cache: nothing is forced to the disk, and what is removed may
 * never have been on it.
 *
 * Measures: ns for one operation (open_close: both calls).
 * Includes: the journal's work that the call itself waits for; for create the
 *           new inode and the copy of the data into the page cache; not the
 *           write to the disk, save for the fsync rows.
 * After:    lmbench lat_fs (create and delete, 0 to 10 KiB: it divides the
 *           time of all by their number), lat_syscall open and stat.
 * Needs:    a directory that it may write to (--dir); for the fsync rows one
 *           on a disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "lib/file_many.h"
#include "lib/file_small.h"

#define ENTRIES	    10000
#define GROUP	    16
#define DELETED	    1024 /* files, before create,after=deletes */
#define MOST	    12	 /* groups; more would delay each other: docs */
#define KIB	    ((size_t)1 << 10)
#define SMALL_BYTES (4 * KIB)
#define MAX_BYTES   (64 * KIB)
#define SECTOR	    512 /* the least that a journal can write */

static const int64_t sizes[] = { 0, KIB, 4 * KIB, 10 * KIB };

static const struct bench_open open_axes[] = {
	{ "size", BENCH_SIZE, 0, MAX_BYTES, 0 },
	{ 0 },
};

/* One file, three names for it by turns: with two, an even number of renames
 * would leave what was there before. */
static const char file_name[] = "file";
static const char *const names[] = { file_name, "name", "last" };

#define NAMES (sizeof(names) / sizeof(names[0]))

#define SIZES	   (sizeof(sizes) / sizeof(sizes[0]))
#define MOST_SIZES (SIZES + BENCH_ASKED)

enum op {
	OPEN_CLOSE,
	STAT,
	RENAME,
	CREATE,
	CREATE_AFTER,
	READDIR,
	FSYNC_DIR,
	FSYNC_FILE
};

struct ops_state {
	int64_t size[MOST_SIZES]; /* of the files of create and remove */
	size_t n_sizes;
	const struct bench_case *remove[MOST_SIZES]; /* beside create */
	const struct bench_case *create[MOST_SIZES];
	int used;			/* directory for that */
	int made;			/* files in it */
	int used_err;			/* why it cannot be had: an errno */
	const struct bench_case *entry; /* beside readdir */
	const struct bench_case *readdir;
	struct file_place place;
	const char *parent;    /* of the directories of small files */
	const char *journal;   /* NULL: not ext4 on a known disk */
	char group[GROUP][16]; /* names */
	char many[PATH_MAX];   /* the large directory; "" until it is there */
	size_t name;	       /* the one that the file has now */
	int dir, fd;	       /* directory of the file, it; -1: not open */
	uint64_t good; /* operations of a batch that did what they say */
	char data[MAX_BYTES];
};

static const struct bench_case *add(struct bench *b, struct bench_case c,
				    enum op op)
{
	c.index = op;
	if (op >= CREATE)
		c.histogram = BENCH_HIST_LOG;
	return bench_add(b, &c);
}

static void add_create(struct bench *b, struct ops_state *s, size_t i)
{
	struct bench_case c = {
		.params = { P_STR("op", "create"), P_SIZE("size", s->size[i]) },
		.arg = &s->size[i],
		.most = MOST,
	};

	s->create[i] = add(b, c, CREATE);
	c.params[0] = (struct bench_param)P_STR("op", "delete");
	c.derived = true;
	c.of = s->create[i];
	c.estimator = BENCH_EST_MEDIAN;
	s->remove[i] = add(b, c, CREATE);
}

static void add_create_after(struct bench *b, struct ops_state *s)
{
	add(b,
	    (struct bench_case) {
		    .params = { P_STR("op", "create"),
				P_STR("after", "deletes") },
		    .most = MOST,
	    },
	    CREATE_AFTER);
}

static void add_readdir(struct bench *b, struct ops_state *s)
{
	struct bench_case c = {
		.params = { P_STR("op", "readdir"), P_INT("entries", ENTRIES),
			    P_STR("figure", "whole") },
		.exclusive = true,
	};

	s->readdir = add(b, c, READDIR);
	c.params[2] = (struct bench_param)P_STR("figure", "entry");
	c.derived = true;
	c.of = s->readdir;
	c.estimator = BENCH_EST_MEDIAN;
	s->entry = add(b, c, READDIR);
}

static bench_run_fn run_open_close, run_stat, run_rename;
static bench_case_fn sample_create, sample_readdir, sample_fsync;

static int cases(struct bench *b, void *state)
{
	struct ops_state *s = state;

	s->dir = s->fd = s->used = -1;
	add(b,
	    (struct bench_case) { .params = { P_STR("op", "open_close") },
				  .run = run_open_close,
				  .threads = true },
	    OPEN_CLOSE);
	add(b,
	    (struct bench_case) { .params = { P_STR("op", "stat") },
				  .run = run_stat,
				  .threads = true },
	    STAT);
	add(b,
	    (struct bench_case) { .params = { P_STR("op", "rename") },
				  .run = run_rename },
	    RENAME);
	s->n_sizes = bench_values(b, "size", sizes, SIZES, s->size);
	for (size_t i = 0; i < s->n_sizes; i++)
		add_create(b, s, i);
	add_create_after(b, s);
	add_readdir(b, s);
	add(b,
	    (struct bench_case) { .params = { P_STR("op", "fsync_dir") },
				  .sample = sample_fsync,
				  .switches = true },
	    FSYNC_DIR);
	add(b,
	    (struct bench_case) {
		    .params = { P_STR("op", "fsync_file"),
				P_SIZE("size", (int64_t)SMALL_BYTES) },
		    .sample = sample_fsync,
		    .switches = true },
	    FSYNC_FILE);
	return 0;
}

/* What cannot be done here, and is no defect of ours. */
static int refused(struct bench *b, int err, const char *what, const char *path)
{
	switch (err) {
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case EACCES:
	case EPERM:
	case ENOENT:
		return bench_skip(b, "%s %s: %s", what, path, strerror(err));
	default:
		return bench_fail(b, err, "%s %s", what, path);
	}
}

static int path_in(struct bench *b, char *path, const char *dir,
		   const char *name)
{
	if ((size_t)snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return 0;
	return bench_fail(b, ENAMETOOLONG, "%s", dir);
}

static void name_new(char name[16], int number)
{
	snprintf(name, 16, "new-%d", number);
}

static int make_file(struct bench *b, struct ops_state *s)
{
	for (int i = 0; i < GROUP; i++)
		name_new(s->group[i], i);
	s->fd = openat(s->dir, file_name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		       0600);
	if (s->fd < 0)
		return refused(b, errno, "make", file_name);
	if (write(s->fd, s->data, SMALL_BYTES) != (ssize_t)SMALL_BYTES)
		return refused(b, errno, "write", file_name);
	/* Where it has its block, writing again needs no new one. */
	if (fsync(s->fd))
		return refused(b, errno, "fsync", file_name);
	return 0;
}

/* A directory of its own, in which files were.  What was deleted in the running
 * second is taken again, so wait for the next.  Return: 0 or an errno. */
static int use_directory(struct bench *b, struct ops_state *s)
{
	char name[16];
	time_t deleted;
	int n = 0, err = 0;

	s->used = file_small_dir(s->parent, bench_random(b));
	if (s->used < 0)
		return -s->used;
	for (; !err && n < DELETED; n++) {
		name_new(name, n);
		err = file_small_make(s->used, name, s->data, 0) ? 0 : errno;
	}
	while (n--) {
		name_new(name, n);
		if (unlinkat(s->used, name, 0) && !err)
			err = errno;
	}
	deleted = time(NULL);
	while (!err && time(NULL) == deleted && !bench_stopping(b))
		usleep(10000);
	return err;
}

static int setup(struct bench *b, void *state)
{
	const struct ops_state *first = bench_first(b);
	struct ops_state *s = state;
	const char *dir;
	int err;

	if (first) { /* all look up the same file */
		s->dir = fcntl(first->dir, F_DUPFD_CLOEXEC, 0);
		return s->dir < 0 ? bench_fail(b, errno, "dup") : 0;
	}
	dir = bench_scratch(b);
	if (!dir)
		return -EIO; /* bench_scratch() has said why */
	file_data_fill(s->data, sizeof(s->data), 0);
	s->parent = dir;
	s->dir = file_small_dir(dir, bench_random(b));
	if (s->dir < 0)
		return refused(b, -s->dir, "make a directory in", dir);
	err = file_place_find(&s->place, s->dir);
	if (err)
		return bench_fail(b, -err, "find out where %s lies", dir);
	s->journal = file_small_journal(&s->place, "/proc/fs/jbd2");
	return make_file(b, s);
}

/* Whether a listing is of names only. */
static bool only_names(const struct file_place *p)
{
	return p->kind != FILE_PLACE_NETWORK && p->kind != FILE_PLACE_STACKED &&
	       !p->above[0];
}

static int begin_readdir(struct bench *b, struct ops_state *s)
{
	const char *dir = bench_files(b);
	double links;
	int err;

	if (!dir)
		return -EIO;
	err = path_in(b, s->many, dir, "many");
	if (!err) {
		err = file_many_get(s->many, ENTRIES, only_names(&s->place));
		if (err)
			err = refused(b, -err, "make many files in", s->many);
	}
	if (err) {
		s->many[0] = '\0';
		return err;
	}
	links = (double)file_many_links(s->many);
	bench_fact(b, s->readdir, "links", links);
	bench_fact(b, s->entry, "links", links);
	return 0;
}

static void tell_place(struct bench *b, const struct ops_state *s,
		       const struct bench_case *c)
{
	bench_fact_text(b, c, "where", s->place.where);
	if (s->journal)
		bench_fact_text(b, c, "journal", s->journal);
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct ops_state *s = state;

	tell_place(b, s, c);
	switch ((enum op)c->index) {
	case CREATE:
		for (size_t i = 0; i < s->n_sizes; i++)
			if (s->create[i] == c)
				tell_place(b, s, s->remove[i]);
		return 0;
	case CREATE_AFTER:
		if (s->used < 0 && !s->used_err)
			s->used_err = use_directory(b, s);
		bench_fact(b, c, "deleted", DELETED);
		return s->used_err ? refused(b, s->used_err, "make files in",
					     s->parent)
				   : 0;
	case READDIR:
		tell_place(b, s, s->entry);
		return begin_readdir(b, s);
	case FSYNC_DIR:
	case FSYNC_FILE:
		if (s->place.kind == FILE_PLACE_MEMORY)
			return bench_skip(b,
					  "%s: fsync has nothing to do there "
					  "(try --dir)",
					  s->place.where);
		if (s->place.write_cache[0])
			bench_fact_text(b, c, "device_cache",
					s->place.write_cache);
		return 0;
	default:
		return 0;
	}
}

/* After close(openat()), which leaves the errno of close(). */
static int why_not_open(struct bench *b, int dir)
{
	const int fd = openat(dir, file_name, O_RDONLY);

	if (fd < 0)
		return bench_fail(b, errno, "openat");
	close(fd);
	return bench_fail(b, 0, "openat or close failed for a while");
}

static int run_open_close(struct bench *b, void *state,
			  const struct bench_case *c, uint64_t iters)
{
	struct ops_state *s = state;
	const int dir = s->dir;
	uint64_t good = 0;

	for (uint64_t i = 0; i < iters; i++)
		good += close(openat(dir, file_name, O_RDONLY)) == 0;
	s->good = good;
	return good < iters ? why_not_open(b, dir) : 0;
}

static int run_stat(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct ops_state *s = state;
	const int dir = s->dir;
	uint64_t good = 0;
	struct stat st;

	for (uint64_t i = 0; i < iters; i++)
		good += fstatat(dir, file_name, &st, 0) == 0 &&
			st.st_size == (off_t)SMALL_BYTES;
	s->good = good;
	return good < iters ? bench_fail(b, errno, "fstatat") : 0;
}

static int run_rename(struct bench *b, void *state, const struct bench_case *c,
		      uint64_t iters)
{
	struct ops_state *s = state;
	size_t from = s->name, to;
	const int dir = s->dir;
	uint64_t good = 0;

	for (uint64_t i = 0; i < iters; i++) {
		to = from + 1 < NAMES ? from + 1 : 0;
		good += renameat(dir, names[from], dir, names[to]) == 0;
		from = to;
	}
	s->name = from;
	s->good = good;
	return good < iters ? bench_fail(b, errno, "renameat") : 0;
}

/* The file has the name that it should have, and no other. */
static bool name_in_effect(const struct ops_state *s)
{
	bool is = file_small_is(s->dir, names[s->name], SMALL_BYTES);

	for (size_t i = 0; i < NAMES; i++)
		is &= i == s->name || file_small_gone(s->dir, names[i]);
	return is;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	struct ops_state *s = state;

	if (!c->run)
		return 0;
	bench_proof(b, c, "done", (double)iters, (double)s->good);
	if (c->index != RENAME)
		return 0;
	bench_proof(b, c, "names_in_effect", 1, name_in_effect(s));
	return 0;
}

static int create_group(struct bench *b, const struct ops_state *s, int dir,
			const struct bench_case *c, size_t size)
{
	for (int i = 0; i < GROUP; i++) {
		uint64_t ticks;
		bool good;

		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       good = file_small_make(dir, s->group[i], s->data,
						      size));
		if (!good)
			return refused(b, errno, "make", s->group[i]);
		bench_record(b, c, ticks);
	}
	return 0;
}

static int remove_group(struct bench *b, const struct ops_state *s, int dir,
			const struct bench_case *c)
{
	for (int i = 0; i < GROUP; i++) {
		uint64_t ticks;
		int bad;

		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       bad = unlinkat(dir, s->group[i], 0));
		if (bad)
			return bench_fail(b, errno, "unlink %s", s->group[i]);
		bench_record(b, c, ticks);
	}
	return 0;
}

static int create_and_remove(struct bench *b, const struct ops_state *s,
			     int dir, const struct bench_case *c)
{
	const size_t which = (size_t)((const int64_t *)c->arg - s->size);
	const size_t bytes = (size_t)s->size[which];
	const struct bench_case *gone = s->remove[which];
	int there = 0, err = create_group(b, s, dir, c, bytes);

	for (int i = 0; !err && i < GROUP; i++)
		there += file_small_is(dir, s->group[i], (off_t)bytes);
	if (!err)
		err = remove_group(b, s, dir, gone);
	if (err)
		return err;
	bench_proof(b, c, "files_there", GROUP, there);
	there = 0;
	for (int i = 0; i < GROUP; i++)
		there += file_small_gone(dir, s->group[i]);
	bench_proof(b, gone, "files_gone", GROUP, there);
	return 0;
}

/* Each group of files in a directory of its own: see file_small_dir(). */
static int sample_create(struct bench *b, void *state,
			 const struct bench_case *c)
{
	struct ops_state *s = state;
	const uint64_t number = bench_random(b);
	const int dir = file_small_dir(s->parent, number);
	int err;

	if (dir < 0)
		return refused(b, -dir, "make a directory in", s->parent);
	err = create_and_remove(b, s, dir, c);
	if (err)
		for (int i = 0; i < GROUP; i++)
			unlinkat(dir, s->group[i], 0);
	file_small_end(dir, s->parent, number);
	return err;
}

/* They stay, or the next ones would come after more deletes. */
static int sample_create_after(struct bench *b, struct ops_state *s,
			       const struct bench_case *c)
{
	int there = 0;

	for (int i = 0; i < GROUP; i++) {
		char name[16];
		uint64_t ticks;
		bool good;

		name_new(name, s->made++);
		TIMER_INTERVAL(bench_timer(b)->method, ticks,
			       good = file_small_make(s->used, name, s->data,
						      0));
		if (!good)
			return refused(b, errno, "make", name);
		bench_record(b, c, ticks);
		there += file_small_is(s->used, name, 0);
	}
	bench_proof(b, c, "files_there", GROUP, there);
	return 0;
}

static int sample_readdir(struct bench *b, void *state,
			  const struct bench_case *c)
{
	struct ops_state *s = state;
	uint64_t ticks;
	int64_t seen;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       seen = file_many_count(s->many));
	if (seen < 0)
		return bench_fail(b, (int)-seen, "read %s", s->many);
	bench_record(b, c, ticks);
	bench_record_value(b, s->entry, bench_ns(b, (double)ticks) / ENTRIES);
	bench_proof(b, c, "entries", ENTRIES, (double)seen);
	bench_proof(b, s->entry, "entries", ENTRIES, (double)seen);
	return 0;
}

/* Something for fsync to do. */
static int make_dirty(struct bench *b, struct ops_state *s, enum op op)
{
	if (op == FSYNC_DIR)
		return file_small_make(s->dir, s->group[0], s->data, 0)
			       ? 0
			       : refused(b, errno, "make", s->group[0]);
	return pwrite(s->fd, s->data, SMALL_BYTES, 0) == (ssize_t)SMALL_BYTES
		       ? 0
		       : refused(b, errno, "write", file_name);
}

/* What one fsync() took and had written. */
struct flush {
	uint64_t ticks;
	int64_t bytes; /* -1: not known */
};

static int one_fsync(struct bench *b, struct ops_state *s,
		     const struct bench_case *c, struct flush *f)
{
	const enum op op = (enum op)c->index;
	const int fd = op == FSYNC_DIR ? s->dir : s->fd;
	struct file_counts before, written;
	int bad, err = make_dirty(b, s, op);

	if (err)
		return err;
	file_counts_read(&s->place, &before);
	TIMER_INTERVAL(bench_timer(b)->method, f->ticks, bad = fsync(fd));
	if (bad)
		return bench_fail(b, errno, "fsync");
	file_counts_read(&s->place, &written);
	file_counts_since(&written, &before);
	f->bytes = written.device_written;
	if (op != FSYNC_DIR)
		return 0;
	bench_proof(b, c, "files_there", 1,
		    file_small_is(s->dir, s->group[0], 0));
	return unlinkat(s->dir, s->group[0], 0) ? bench_fail(b, errno, "unlink")
						: 0;
}

/* Where the kernel or another's sync came first there was nothing left to do:
 * such a one is no sample. */
static int sample_fsync(struct bench *b, void *state,
			const struct bench_case *c)
{
	const size_t least = c->index == FSYNC_DIR ? SECTOR : SMALL_BYTES;
	struct flush f = { 0 };
	const int err = one_fsync(b, state, c, &f);

	if (err)
		return err;
	if (f.bytes >= 0)
		bench_purity(b, c, "syncs_that_wrote", BENCH_SOME, 1,
			     f.bytes >= (int64_t)least);
	if (f.bytes < 0 || f.bytes >= (int64_t)least)
		bench_record(b, c, f.ticks);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	return c->index == READDIR	  ? sample_readdir(b, state, c)
	       : c->index == CREATE_AFTER ? sample_create_after(b, state, c)
					  : sample_create(b, state, c);
}

/* What an fsync that failed left must not be there at the next visit. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ops_state *s = state;

	if (c->index == FSYNC_DIR)
		unlinkat(s->dir, s->group[0], 0);
	/* The other cases know it by the first name only. */
	if (s->name)
		renameat(s->dir, names[s->name], s->dir, file_name);
	s->name = 0;
	return 0;
}

static void derive_beside(struct bench *b, const struct bench_case *c,
			  const struct bench_case *beside)
{
	if (isnan(bench_value(b, beside)))
		bench_derive_skip(b, c, "%s has no value", beside->name);
}

/* What is recorded beside another case has its fate. */
static int derive(struct bench *b, void *state)
{
	const struct ops_state *s = state;

	for (size_t i = 0; i < s->n_sizes; i++)
		derive_beside(b, s->remove[i], s->create[i]);
	derive_beside(b, s->entry, s->readdir);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct ops_state *s = state;

	if (s->fd >= 0)
		close(s->fd);
	if (s->dir >= 0)
		close(s->dir);
	if (s->used >= 0)
		close(s->used);
}

const struct bench_desc bench_desc = {
	.name = "file_ops",
	.open = open_axes,
	.state_size = sizeof(struct ops_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
