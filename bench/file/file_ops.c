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
#include "call.h"
#include "file_data.h"
#include "file_place.h"
#include "lib/file_many.h"
#include "lib/file_small.h"

#define ENTRIES	    10000
#define GROUP	    16
#define DELETED	    1024 /* files, before create,after=deletes */
#define KIB	    ((size_t)1 << 10)
#define SMALL_BYTES (4 * KIB)
#define MAX_BYTES   (64 * KIB)
#define SECTOR	    512 /* the least that a journal can write */

/* More groups of new files would delay each other: docs. */
static const char points[] =
	"op={open_close,stat}; is threads; op=rename;"
	"op={create,delete} ^size={0,1K,4K,10K,?0..64K};"
	"is log most=12; is derived of=[op=create] if op=delete;"
	"op=create after=deletes; is log most=12;"
	"op=readdir entries=10000 figure={whole,entry};"
	"is log exclusive; is derived of=[figure=whole] if figure=entry;"
	"op=fsync_dir; is log switches;"
	"op=fsync_file size=4K; is log switches";

/* One file, three names for it by turns: with two, an even number of renames
 * would leave what was there before. */
static const char file_name[] = "file";
static const char *const names[] = { file_name, "name", "last" };

#define NAMES (sizeof(names) / sizeof(names[0]))

struct ops_state {
	uint64_t right;
	int used;     /* directory for create,after=deletes */
	int made;     /* files in it */
	int used_err; /* why it cannot be had: an errno */
	struct file_place place;
	const char *parent;    /* of the directories of small files */
	const char *journal;   /* NULL: not ext4 on a known disk */
	char group[GROUP][16]; /* names */
	char many[PATH_MAX];   /* the large directory; "" until it is there */
	size_t name;	       /* the one that the file has now */
	int dir, fd;	       /* directory of the file, it; -1: not open */
	char data[MAX_BYTES];
};

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

static bool is(const struct bench_case *c, const char *op)
{
	return case_is(c, "op", op);
}

static bool is_fsync(const struct bench_case *c)
{
	return is(c, "fsync_dir") || is(c, "fsync_file");
}

/* Whether a listing is of names only. */
static bool only_names(const struct file_place *p)
{
	return p->kind != FILE_PLACE_NETWORK && p->kind != FILE_PLACE_STACKED &&
	       !p->above[0];
}

/* What gets its samples beside @c. */
static const struct bench_case *beside(const struct bench *b,
				       const struct bench_case *c)
{
	return bench_beside(b, c,
			    is(c, "readdir") ? "figure=entry" : "op=delete");
}

static int begin_readdir(struct bench *b, struct ops_state *s,
			 const struct bench_case *c)
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
	bench_fact(b, c, "links", links);
	bench_fact(b, beside(b, c), "links", links);
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
	if (is(c, "create") && case_has(c, "after")) {
		if (s->used < 0 && !s->used_err)
			s->used_err = use_directory(b, s);
		bench_fact(b, c, "deleted", DELETED);
		return s->used_err ? refused(b, s->used_err, "make files in",
					     s->parent)
				   : 0;
	}
	if (is(c, "create") || is(c, "readdir"))
		tell_place(b, s, beside(b, c));
	if (is(c, "readdir"))
		return begin_readdir(b, s, c);
	if (!is_fsync(c))
		return 0;
	if (s->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: fsync has nothing to do there "
				  "(try --dir)",
				  s->place.where);
	if (s->place.write_cache[0])
		bench_fact_text(b, c, "device_cache", s->place.write_cache);
	return 0;
}

TIMER_INLINE bool stat_once(int dir)
{
	struct stat st;

	return fstatat(dir, file_name, &st, 0) == 0 &&
	       st.st_size == (off_t)SMALL_BYTES;
}

TIMER_INLINE bool rename_once(struct ops_state *s, int dir)
{
	const size_t from = s->name;

	s->name = from + 1 < NAMES ? from + 1 : 0;
	return renameat(dir, names[from], dir, names[s->name]) == 0;
}

/* The file has the name that it should have, and no other. */
static bool name_in_effect(const struct ops_state *s)
{
	bool is = file_small_is(s->dir, names[s->name], SMALL_BYTES);

	for (size_t i = 0; i < NAMES; i++)
		is &= i == s->name || file_small_gone(s->dir, names[i]);
	return is;
}

#define CALL_LOCALS                                   \
	struct ops_state *const s CALL_LOCAL = state; \
	const int dir CALL_LOCAL = s->dir;
#define CALLS(X)                                                          \
	X(LOOP, open_close, close(openat(dir, file_name, O_RDONLY)) == 0, \
	  CALL_UNSEEN)                                                    \
	X(LOOP, stat, stat_once(dir), CALL_UNSEEN)                        \
	X(LOOP, rename, rename_once(s, dir), name_in_effect(s))
CALL_FUNCTIONS(CALLS)
static const struct call calls[] = CALL_ROWS(CALLS);

static bool add_point(struct bench *b, void *state, struct bench_case *c)
{
	call_choose(c, calls);
	if (c->derived)
		c->estimator = BENCH_EST_MEDIAN;
	return true;
}

static int cases(struct bench *b, void *state)
{
	struct ops_state *s = state;

	s->dir = s->fd = s->used = -1;
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
	const size_t bytes = (size_t)case_int(c, "size");
	const struct bench_case *gone = beside(b, c);
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
	const struct bench_case *entry = beside(b, c);
	struct ops_state *s = state;
	uint64_t ticks;
	int64_t seen;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       seen = file_many_count(s->many));
	if (seen < 0)
		return bench_fail(b, (int)-seen, "read %s", s->many);
	bench_record(b, c, ticks);
	bench_record_value(b, entry, bench_ns(b, (double)ticks) / ENTRIES);
	bench_proof(b, c, "entries", ENTRIES, (double)seen);
	bench_proof(b, entry, "entries", ENTRIES, (double)seen);
	return 0;
}

/* Something for fsync to do. */
static int make_dirty(struct bench *b, struct ops_state *s, bool of_dir)
{
	if (of_dir)
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
	const bool of_dir = is(c, "fsync_dir");
	const int fd = of_dir ? s->dir : s->fd;
	struct file_counts before, written;
	int bad, err = make_dirty(b, s, of_dir);

	if (err)
		return err;
	file_counts_read(&s->place, &before);
	TIMER_INTERVAL(bench_timer(b)->method, f->ticks, bad = fsync(fd));
	if (bad)
		return bench_fail(b, errno, "fsync");
	file_counts_read(&s->place, &written);
	file_counts_since(&written, &before);
	f->bytes = written.device_written;
	if (!of_dir)
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
	const size_t least = is(c, "fsync_dir") ? SECTOR : SMALL_BYTES;
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
	return is_fsync(c)	      ? sample_fsync(b, state, c)
	       : is(c, "readdir")     ? sample_readdir(b, state, c)
	       : case_has(c, "after") ? sample_create_after(b, state, c)
				      : sample_create(b, state, c);
}

/* What an fsync that failed left must not be there at the next visit. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ops_state *s = state;

	if (is(c, "fsync_dir"))
		unlinkat(s->dir, s->group[0], 0);
	/* The other cases know it by the first name only. */
	if (s->name)
		renameat(s->dir, names[s->name], s->dir, file_name);
	s->name = 0;
	return 0;
}

/* What is recorded beside another case has its fate. */
static int derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "op={create,readdir} !after")
		if (!c->derived && isnan(bench_value(b, c)))
			bench_derive_skip(b, beside(b, c), "%s has no value",
					  c->name);
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
	.points = points,
	.point = add_point,
	.state_size = sizeof(struct ops_state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = call_conclude,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
