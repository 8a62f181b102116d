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
 * names of a directory through libc, from opendir to closedir; stat=entry is
 * the same by name. On a disk they are names of one empty file (hard links; the
 * fact links is how many), over a network or on a file system that lies on
 * another each of its own, for there a listing may look at the files too.
 *
 * On ext4 without a journal create costs more the more was deleted nearby in
 * the last minutes. So the files lie in a directory that ext4 puts into another
 * place of the disk each time.
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
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "call.h"
#include "file_data.h"
#include "guard.h"

#define ENTRIES	    10000
#define GROUP	    16
#define KIB	    ((size_t)1 << 10)
#define SMALL_BYTES (4 * KIB)
#define MAX_BYTES   (64 * KIB)
#define SECTOR	    512 /* the least that a journal can write */

/* More groups of new files would delay each other: docs. */
static const char points[] =
	"op={open_close,stat}; is threads; op=rename;"
	"op={create,delete} ^size={0,1K,4K,10K,?0..64K};"
	"is log most=12; is derived of=[op=create] if op=delete;"
	"op=readdir entries=10000 stat={whole,entry};"
	"is log exclusive; is derived of=[stat=whole] if stat=entry;"
	"op=fsync_dir; is log switches;"
	"op=fsync_file size=4K; is log switches";

/* One file, three names for it by turns: with two, an even number of renames
 * would leave what was there before. */
static const char file_name[] = "file";
static const char *const names[] = { file_name, "name", "last" };

#define NAMES (sizeof(names) / sizeof(names[0]))

struct ops_state {
	uint64_t right;
	struct file_place place;
	int top;     /* where the directories of small files are; 0: not open */
	int dir, fd; /* directory of the file, it; 0: not open */
	size_t name; /* the one that the file has now */
	char many[PATH_MAX]; /* the large directory */
	int64_t seen;	     /* names in it */
	/* Small files at hand: in which directory, their names, one of them. */
	int at;
	char group[GROUP][16];
	const char *small;
	size_t bytes;
	_Alignas(64) char data[MAX_BYTES];
};

/* Make a new file: openat, write (none for 0), close.  Return: whether all went
 * well; else errno. */
static bool make_file(int dir, const char *name, const char *data, size_t size)
{
	const int fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	bool good = true;

	if (fd < 0)
		return false;
	if (size)
		good = write(fd, data, size) == (ssize_t)size;
	return close(fd) == 0 && good;
}

static bool is_file(int dir, const char *name, off_t size)
{
	struct stat st;

	return !fstatat(dir, name, &st, 0) && S_ISREG(st.st_mode) &&
	       st.st_size == size;
}

static bool is_gone(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT;
}

static void name_entry(char name[24], int number)
{
	snprintf(name, 24, "entry-%06d", number);
}

static int setup(struct bench *b, void *state)
{
	const struct ops_state *first = bench_first(b);
	struct ops_state *s = state;
	const char *parent;
	char name[32];

	if (first) { /* all look up the same file */
		s->dir = fcntl(first->dir, F_DUPFD_CLOEXEC, 0);
		return s->dir < 0 ? bench_fail(b, errno, "dup") : 0;
	}
	parent = bench_scratch(b);
	file_data_fill(s->data, sizeof(s->data), 0);
	s->top = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s->dir = s->top < 0 ? -errno
			    : file_place_apart(s->top, name, bench_random(b));
	if (s->dir < 0)
		return bench_fail(b, -s->dir, "make a directory in %s", parent);
	s->place = file_place_find(s->dir);
	s->fd = openat(s->dir, file_name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC,
		       0600);
	/* Where it has its block, writing again needs no new one. */
	if (s->fd < 0 ||
	    write(s->fd, s->data, SMALL_BYTES) != (ssize_t)SMALL_BYTES ||
	    fsync(s->fd))
		return bench_fail(b, errno, "write %s", file_name);
	return 0;
}

static bool is_fsync(const struct bench_case *c)
{
	return call_is(c, "fsync_dir") || call_is(c, "fsync_file");
}

/* The case that gets its samples beside @c, or NULL. */
static const struct bench_case *beside(const struct bench *b,
				       const struct bench_case *c)
{
	return call_is(c, "readdir")  ? bench_beside(b, c, "stat=entry")
	       : call_is(c, "create") ? bench_beside(b, c, "op=delete")
				      : NULL;
}

/*
 * The directory with many names.
 */

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

/* Make the empty files of @dir, or names: a second one for the first file, if
 * @links, is an entry like any other to who lists them on a disk, and made
 * without looking for a free inode, which can take longer than all else.  Some
 * file systems have no second names, or not so many.  Return: 0 or -errno. */
static int make_files(int dir, bool links)
{
	char name[24], first[24] = "";

	for (int i = 0; i < ENTRIES; i++) {
		name_entry(name, i);
		if (links && first[0] && !linkat(dir, first, dir, name, 0))
			continue;
		if (!make_file(dir, name, NULL, 0))
			return -errno;
		memcpy(first, name, sizeof(first));
	}
	return 0;
}

/* See to it that directory @path has all names: one that has is used again,
 * what a killed program has left has fewer.  Return: 0 or -errno. */
static int make_many(const char *path, bool links)
{
	int dir = -1, err;

	if (count_names(path) == ENTRIES)
		return 0;
	err = guard_remove_tree(path);
	if (!err && !mkdir(path, 0700))
		dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!err)
		err = dir < 0 ? -errno : make_files(dir, links);
	if (dir >= 0)
		close(dir);
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
			   p->kind != FILE_PLACE_STACKED &&
			   strcmp(p->fs, "overlay") != 0;
	const char *dir = bench_files(b);
	char first[sizeof(s->many) + 32];
	struct stat st = { 0 };
	int err;

	snprintf(s->many, sizeof(s->many), "%s/many", dir);
	err = make_many(s->many, links);
	if (err)
		return bench_fail(b, -err, "make many files in %s", s->many);
	snprintf(first, sizeof(first), "%s/", s->many);
	name_entry(first + strlen(first), 0);
	stat(first, &st);
	bench_fact(b, c, "links", (double)st.st_nlink);
	bench_fact(b, beside(b, c), "links", (double)st.st_nlink);
	return 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	const struct bench_case *of[] = { c, beside(b, c) };
	struct ops_state *s = state;

	for (int i = 0; i < 2 && of[i]; i++)
		bench_fact_text(b, of[i], "where", s->place.where);
	if (call_is(c, "readdir"))
		return begin_readdir(b, s, c);
	if (!is_fsync(c))
		return 0;
	if (s->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(b,
				  "%s: fsync has nothing to do there "
				  "(try --dir)",
				  s->place.where);
	return 0;
}

/*
 * The calls.
 */

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
	bool is = is_file(s->dir, names[s->name], SMALL_BYTES);

	for (size_t i = 0; i < NAMES; i++)
		is &= i == s->name || is_gone(s->dir, names[i]);
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
	X(EVENT, create, make_file(s->at, s->small, s->data, s->bytes),       \
	  is_file(s->at, s->small, (off_t)s->bytes))                          \
	X(EVENT, delete, !unlinkat(s->at, s->small, 0),                       \
	  is_gone(s->at, s->small))                                           \
	X(EVENT, readdir, (s->seen = count_names(s->many)) >= 0, CALL_UNSEEN) \
	X(EVENT, fsync_dir, !fsync(dir), is_file(dir, s->small, 0))           \
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

/* @c with each of a group of small files.  They are looked at when all are
 * done: no look is between two. */
static int small_group(struct bench *b, struct ops_state *s,
		       const struct bench_case *c)
{
	const struct call *call = call_of(c);
	int held = 0;

	for (int i = 0; i < GROUP; i++)
		snprintf(s->group[i], sizeof(s->group[i]), "new-%d", i);
	for (int i = 0; i < GROUP; i++) {
		uint64_t ticks;

		s->small = s->group[i];
		if (!call->time(s, c, bench_timer(b)->method, &ticks))
			return bench_fail(b, errno, "%s %s", call->name,
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

/* Each group of files in a directory of its own: file_place_apart(). */
static int sample_create(struct bench *b, struct ops_state *s,
			 const struct bench_case *c)
{
	char name[32];
	int err;

	s->bytes = (size_t)case_int(c, "size");
	s->at = file_place_apart(s->top, name, bench_random(b));
	if (s->at < 0)
		return bench_fail(b, -s->at, "make a directory");
	err = small_group(b, s, c);
	if (!err)
		err = small_group(b, s, beside(b, c));
	for (int i = 0; err && i < GROUP; i++)
		unlinkat(s->at, s->group[i], 0);
	close(s->at);
	unlinkat(s->top, name, AT_REMOVEDIR);
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
	const bool good = of_dir ? make_file(s->dir, s->small, s->data, 0)
				 : pwrite(s->fd, s->data, SMALL_BYTES, 0) ==
					   (ssize_t)SMALL_BYTES;

	return good ? 0 : bench_fail(b, errno, "write what is to be synced");
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

/* Remove the remains of a failed fsync before the next visit. */
static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct ops_state *s = state;

	if (call_is(c, "fsync_dir"))
		unlinkat(s->dir, "new", 0);
	/* The other cases know it by the first name only. */
	if (s->name)
		renameat(s->dir, names[s->name], s->dir, file_name);
	s->name = 0;
}

static void teardown(struct bench *b, void *state)
{
	struct ops_state *s = state;

	if (s->fd > 0)
		close(s->fd);
	if (s->dir > 0)
		close(s->dir);
	if (s->top > 0)
		close(s->top);
}

const struct bench_desc bench_desc = {
	.points = points,
	.point = add_point,
	.state_size = sizeof(struct ops_state),
	.setup = setup,
	.enter = enter,
	.sample = sample,
	.conclude = call_conclude,
	.leave = leave,
	.teardown = teardown,
};
