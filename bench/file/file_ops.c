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
#include <dirent.h>
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
#include "guard.h"
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
	const char *parent;  /* of the directories of small files */
	const char *journal; /* NULL: not ext4 on a known disk */
	char many[PATH_MAX]; /* the large directory; "" until it is there */
	int64_t seen;	     /* names in it */
	size_t name;	     /* the one that the file has now */
	int dir, fd;	     /* directory of the file, it; -1: not open */
	/* Small files at hand: in which directory, their names, one of them. */
	int at;
	char group[GROUP][16];
	const char *small;
	size_t bytes;
	_Alignas(64) char data[MAX_BYTES];
};

static void name_new(char name[16], int number)
{
	snprintf(name, 16, "new-%d", number);
}

static int make_file(struct bench *b, struct ops_state *s)
{
	s->fd = openat(s->dir, file_name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		       0600);
	if (s->fd < 0)
		return file_refused(b, errno, "make %s", file_name);
	/* Where it has its block, writing again needs no new one. */
	if (write(s->fd, s->data, SMALL_BYTES) != (ssize_t)SMALL_BYTES ||
	    fsync(s->fd))
		return file_refused(b, errno, "write %s", file_name);
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

	if (first) { /* all look up the same file */
		s->dir = fcntl(first->dir, F_DUPFD_CLOEXEC, 0);
		return s->dir < 0 ? bench_fail(b, errno, "dup") : 0;
	}
	s->parent = bench_scratch(b);
	if (!s->parent)
		return -EIO; /* bench_scratch() has said why */
	file_data_fill(s->data, sizeof(s->data), 0);
	s->dir = file_small_dir(s->parent, bench_random(b));
	if (s->dir < 0)
		return file_refused(b, -s->dir, "make a directory in %s",
				    s->parent);
	s->place = file_place_find(s->dir);
	s->journal = file_small_journal(&s->place, "/proc/fs/jbd2");
	return make_file(b, s);
}

static bool is_fsync(const struct bench_case *c)
{
	return call_is(c, "fsync_dir") || call_is(c, "fsync_file");
}

/* What gets its samples beside @c, or NULL. */
static const struct bench_case *beside(const struct bench *b,
				       const struct bench_case *c)
{
	return call_is(c, "readdir") ? bench_beside(b, c, "figure=entry")
	       : call_is(c, "create") && !case_has(c, "after")
		       ? bench_beside(b, c, "op=delete")
		       : NULL;
}

/* A directory with many names. */

/* Read directory @path to its end.  Return: how many names there are beside "."
 * and "..", or -errno. */
static int64_t count_names(const char *path)
{
	const struct dirent *e;
	DIR *d = opendir(path);
	int64_t seen = 0;

	if (!d)
		return -errno;
	errno = 0;
	/* Not all file systems give "." and "..". */
	while ((e = readdir(d)))
		seen += e->d_name[0] != '.';
	if (errno)
		seen = -errno;
	closedir(d);
	return seen;
}

#define ENTRY "entry-%06u"

/* A second name for a file is an entry like any other to who lists them on a
 * disk, and made without looking for a free inode, which can take longer than
 * all else.  Some file systems have no second names, or not so many. */
static int fill_many(const char *path, unsigned int count, bool links)
{
	const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = dir < 0 ? -errno : 0;
	char first[32] = "";

	for (unsigned int i = 0; !err && i < count; i++) {
		char name[32];

		snprintf(name, sizeof(name), ENTRY, i);
		if (links && first[0] && !linkat(dir, first, dir, name, 0))
			continue;
		err = file_small_make(dir, name, NULL, 0) ? 0 : -errno;
		memcpy(first, name, sizeof(first));
	}
	if (dir >= 0)
		close(dir);
	return err;
}

/* How many names the file of the first one has, or -errno. */
static int64_t count_links(const char *path)
{
	char first[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(first, sizeof(first), "%s/" ENTRY, path, 0u) >=
	    sizeof(first))
		return -ENAMETOOLONG;
	return stat(first, &st) ? -errno : (int64_t)st.st_nlink;
}

/* See to it that directory @path holds @count names: one that does is used
 * again.  @links: they may be names of one empty file, as far as the file
 * system lets one have so many.  Return: 0 or -errno. */
static int make_many(const char *path, unsigned int count, bool links)
{
	int err;

	/* A file that a killed program has left has fewer. */
	if (count_names(path) == (int64_t)count)
		return 0;
	err = guard_remove_tree(path);
	if (!err && mkdir(path, 0700))
		err = -errno;
	if (!err)
		err = fill_many(path, count, links);
	if (err)
		guard_remove_tree(path);
	return err;
}

static int begin_readdir(struct bench *b, struct ops_state *s,
			 const struct bench_case *c)
{
	const struct file_place *p = &s->place;
	/* Whether a listing is of names only. */
	const bool links = p->kind != FILE_PLACE_NETWORK &&
			   p->kind != FILE_PLACE_STACKED && !p->above[0];
	const char *dir = bench_files(b);
	int err;

	if (!dir)
		return -EIO;
	if ((size_t)snprintf(s->many, PATH_MAX, "%s/many", dir) >= PATH_MAX)
		return bench_fail(b, ENAMETOOLONG, "%s", dir);
	err = make_many(s->many, ENTRIES, links);
	if (err)
		return file_refused(b, -err, "make many files in %s", s->many);
	bench_fact(b, c, "links", (double)count_links(s->many));
	bench_fact(b, beside(b, c), "links", (double)count_links(s->many));
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct bench_case *of[] = { c, beside(b, c) };
	struct ops_state *s = state;

	for (int i = 0; i < 2 && of[i]; i++) {
		bench_fact_text(b, of[i], "where", s->place.where);
		if (s->journal)
			bench_fact_text(b, of[i], "journal", s->journal);
	}
	if (case_has(c, "after")) {
		if (s->used < 0 && !s->used_err)
			s->used_err = use_directory(b, s);
		bench_fact(b, c, "deleted", DELETED);
		return s->used_err ? file_refused(b, s->used_err,
						  "make files in %s", s->parent)
				   : 0;
	}
	if (call_is(c, "readdir"))
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
#define CALLS(X)                                                              \
	X(LOOP, open_close, close(openat(dir, file_name, O_RDONLY)) == 0,     \
	  CALL_UNSEEN)                                                        \
	X(LOOP, stat, stat_once(dir), CALL_UNSEEN)                            \
	X(LOOP, rename, rename_once(s, dir), name_in_effect(s))               \
	X(EVENT, create, file_small_make(s->at, s->small, s->data, s->bytes), \
	  file_small_is(s->at, s->small, (off_t)s->bytes))                    \
	X(EVENT, delete, !unlinkat(s->at, s->small, 0),                       \
	  file_small_gone(s->at, s->small))                                   \
	X(EVENT, readdir, (s->seen = count_names(s->many)) >= 0, CALL_UNSEEN) \
	X(EVENT, fsync_dir, !fsync(dir), file_small_is(dir, s->small, 0))     \
	X(EVENT, fsync_file, !fsync(s->fd), CALL_UNSEEN)
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

/* @c with each of a group of small files, from @first on.  They are looked at
 * when all are done: no look is between two. */
static int small_group(struct bench *b, struct ops_state *s,
		       const struct bench_case *c, int first)
{
	const struct call *call = call_of(c);
	int held = 0;

	for (int i = 0; i < GROUP; i++)
		name_new(s->group[i], first + i);
	for (int i = 0; i < GROUP; i++) {
		uint64_t ticks;

		s->small = s->group[i];
		if (!call->time(s, c, bench_timer(b)->method, &ticks))
			return file_refused(b, errno, "%s %s", call->name,
					    s->small);
		bench_record(b, c, ticks);
	}
	for (int i = 0; i < GROUP; i++) {
		s->small = s->group[i];
		held += call->holds(s, c, 1);
	}
	bench_proof(b, c, "effects", GROUP, held);
	return 0;
}

/* Each group of files in a directory of its own: see file_small_dir().  Where
 * others were deleted they stay, or the next ones would come after more
 * deletes. */
static int sample_create(struct bench *b, struct ops_state *s,
			 const struct bench_case *c)
{
	const struct bench_case *gone = beside(b, c);
	const uint64_t number = bench_random(b);
	int err;

	s->bytes = gone ? (size_t)case_int(c, "size") : 0;
	s->at = gone ? file_small_dir(s->parent, number) : s->used;
	if (s->at < 0)
		return file_refused(b, -s->at, "make a directory in %s",
				    s->parent);
	err = small_group(b, s, c, s->made);
	if (!gone) {
		s->made += GROUP;
		return err;
	}
	if (!err)
		err = small_group(b, s, gone, s->made);
	for (int i = 0; err && i < GROUP; i++)
		unlinkat(s->at, s->group[i], 0);
	file_small_end(s->at, s->parent, number);
	return err;
}

static int sample_readdir(struct bench *b, struct ops_state *s,
			  const struct bench_case *c)
{
	const struct bench_case *entry = beside(b, c);
	uint64_t ticks;
	const bool good =
		call_of(c)->time(s, c, bench_timer(b)->method, &ticks);

	if (good) {
		bench_record_value(b, entry,
				   bench_ns(b, (double)ticks) / ENTRIES);
		bench_proof(b, c, "entries", ENTRIES, (double)s->seen);
		bench_proof(b, entry, "entries", ENTRIES, (double)s->seen);
	}
	return call_took(b, s, c, good, ticks);
}

/* Something for fsync to do. */
static int make_dirty(struct bench *b, struct ops_state *s, bool of_dir)
{
	const bool good = of_dir ? file_small_make(s->dir, s->small, s->data, 0)
				 : pwrite(s->fd, s->data, SMALL_BYTES, 0) ==
					   (ssize_t)SMALL_BYTES;

	return good ? 0 : file_refused(b, errno, "write what is to be synced");
}

/* Where the kernel or another's sync came first there was nothing left to do:
 * such a one is no sample. */
static int sample_fsync(struct bench *b, struct ops_state *s,
			const struct bench_case *c)
{
	const bool of_dir = call_is(c, "fsync_dir");
	const int64_t least = of_dir ? SECTOR : (int64_t)SMALL_BYTES;
	struct file_counts before, written;
	uint64_t ticks;
	bool good;
	int err;

	s->small = "new";
	err = make_dirty(b, s, of_dir);
	if (err)
		return err;
	before = file_counts(&s->place);
	good = call_of(c)->time(s, c, bench_timer(b)->method, &ticks);
	written = file_counts_since(&s->place, &before);
	if (good && written.device_written >= 0)
		bench_purity(b, c, "syncs_that_wrote", BENCH_SOME, 1,
			     written.device_written >= least);
	if (!good || written.device_written < 0 ||
	    written.device_written >= least)
		err = call_took(b, s, c, good, ticks);
	if (!err && of_dir && unlinkat(s->dir, s->small, 0))
		err = bench_fail(b, errno, "unlink");
	return err;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	return is_fsync(c)	       ? sample_fsync(b, state, c)
	       : call_is(c, "readdir") ? sample_readdir(b, state, c)
				       : sample_create(b, state, c);
}

/* What an fsync that failed left must not be there at the next visit. */
static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ops_state *s = state;

	if (call_is(c, "fsync_dir"))
		unlinkat(s->dir, "new", 0);
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
