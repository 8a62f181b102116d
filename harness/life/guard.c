/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deadline.h"
#include "err.h"
#include "sysfile.h"

/* A fork storm is over by then, and so is what a process that was killed does
 * in the kernel, though the CPU that it does it on may be taken away. */
#define REAP_MS 30000

int guard_add(int fd, const char *kind, const char *what)
{
	char line[PATH_MAX + 32];
	int len;

	if (fd < 0)
		return 0;
	len = snprintf(line, sizeof(line), "%s %s\n", kind, what);
	if (len < 0 || (size_t)len >= sizeof(line))
		return -ENAMETOOLONG;
	/* One write, so that a line is whole even if we are killed. */
	return write(fd, line, (size_t)len) == len ? 0 : -EIO;
}

/* All that is in @fd, which is closed; no link is followed, so that nobody who
 * puts one there meanwhile leads us to another place.  Return: 0 or -errno. */
static int empty(int fd, dev_t device)
{
	DIR *d = fdopendir(fd);
	const struct dirent *e;
	int err = d ? 0 : -errno;

	if (!d)
		close(fd);
	while (d && (e = readdir(d))) {
		const char *name = e->d_name;
		struct stat st = { 0 };
		int sub;

		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    !unlinkat(fd, name, 0))
			continue;
		sub = openat(fd, name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub >= 0 && !fstat(sub, &st) && st.st_dev == device)
			empty(sub, device);
		else if (sub >= 0)
			close(sub);
		if (unlinkat(fd, name, AT_REMOVEDIR) && errno != ENOENT && !err)
			err = -errno;
	}
	if (d)
		closedir(d);
	return err;
}

/* Ours: nobody else can have made it, nor what is in it. */
static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & 022);
}

static int remove_tree(const char *path, bool ours_only)
{
	const int fd =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st = { 0 };
	int err = fd < 0 || fstat(fd, &st) ? -errno : 0;

	if (!err && ours_only && !is_ours(&st))
		err = -EPERM;
	if (err && fd >= 0)
		close(fd);
	if (!err)
		err = empty(fd, st.st_dev);
	if (!err && rmdir(path))
		err = -errno;
	return err == -ENOENT ? 0 : err;
}

int guard_remove_tree(const char *path)
{
	return remove_tree(path, false);
}

/* SIGKILL for each member.  Return: 0 or -errno. */
static int kill_members(const char *path)
{
	char *text = sysfile_text("%s/cgroup.procs", path), *rest = text;
	const int err = text || errno == ENODATA ? 0 : -errno;
	const char *line;

	while ((line = strsep(&rest, "\n"))) {
		const pid_t pid = (pid_t)field_number(line, 0);

		/* 0 is a process of another PID namespace: not ours to kill,
		 * and kill() would take it for our own group. */
		if (pid > 1)
			kill(pid, SIGKILL);
	}
	free(text);
	return err;
}

int guard_remove_cgroup(const char *path)
{
	const int64_t deadline = deadline_in(REAP_MS);
	const char *name = strrchr(path, '/');
	struct statfs fs;

	/* Somebody else's group has other processes than ours in it. */
	if (!name || strncmp(name + 1, GUARD_CGROUP, strlen(GUARD_CGROUP)) != 0)
		return -EINVAL;
	if (statfs(path, &fs))
		return errno == ENOENT ? 0 : -errno;
	if (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	do {
		const int err = kill_members(path);

		if (err && err != -ENOENT)
			return err;
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		usleep(2000); /* until those that were killed are gone */
	} while (!deadline_passed(deadline));
	return -EBUSY;
}

/* Numbers are given anew: that of a dead process's is still its own if it was
 * made before the last line of the record was written.  Return: as
 * remove_one(). */
static int remove_sem(int id, const struct stat *record)
{
	struct semid_ds sem = { 0 };

	if (record && (semctl(id, 0, IPC_STAT, &sem) ||
		       sem.sem_ctime > record->st_mtime ||
		       sem.sem_perm.cuid != geteuid()))
		return -ENOENT;
	if (!semctl(id, 0, IPC_RMID))
		return 0;
	/* Which is said of a number that is free. */
	return errno == EINVAL || errno == EIDRM ? -ENOENT : -errno;
}

/* @record: that of a dead process, which cannot be asked; or NULL.  Return: 0,
 * -ENOENT if it was gone before, or -errno. */
static int remove_one(const char *kind, const char *what,
		      const struct stat *record)
{
	const bool is_dir = !strcmp(kind, "dir");
	const bool is_group = !strcmp(kind, "cgroup");
	char path[PATH_MAX + 64];
	struct stat st;
	const char *in = !strcmp(kind, "shmem")	  ? "/dev/shm"
			 : !strcmp(kind, "netns") ? "/run/netns/"
						  : "";

	if (!strcmp(kind, "owner"))
		return -ENOENT; /* for people */
	if (!strcmp(kind, "sem"))
		return remove_sem((int)strtol(what, NULL, 10), record);
	if (!strcmp(kind, "mq"))
		return mq_unlink(what) ? -errno : 0;
	if (!*in && !is_dir && !is_group && strcmp(kind, "file") != 0)
		return -EINVAL; /* nobody knows how to remove such a thing */
	/* A read-only file system refuses to remove also what it has not. */
	snprintf(path, sizeof(path), "%s%s", in, what);
	if (lstat(path, &st))
		return -ENOENT;
	if (is_dir)
		return remove_tree(path, record);
	if (is_group)
		return guard_remove_cgroup(path);
	if (!strcmp(kind, "netns"))
		umount2(path, MNT_DETACH);
	return unlink(path) ? -errno : 0;
}

struct swept {
	unsigned int n;
	char removed[512], stuck[512]; /* the first of each kind of end */
};

static void sweep(int fd, const struct stat *record, struct swept *s)
{
	char line[PATH_MAX + 32];
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");

	*s = (struct swept) { 0 };
	if (f)
		rewind(f);
	while (f && fgets(line, sizeof(line), f)) {
		char *what = strchr(line, ' '), *to;
		int err;

		if (!what)
			continue;
		*what++ = '\0';
		what[strcspn(what, "\n")] = '\0';
		err = remove_one(line, what, record);
		if (err == -ENOENT)
			continue;
		to = err ? s->stuck : s->removed;
		if (!to[0])
			snprintf(to, sizeof(s->stuck), "%.30s %.470s", line,
				 what);
		s->n++;
	}
	if (f)
		fclose(f);
}

unsigned int guard_sweep(int fd, char *stuck, size_t size)
{
	struct swept s;

	sweep(fd, NULL, &s);
	snprintf(stuck, size, "%s", s.stuck);
	/* Else all is swept again next time, which does no harm. */
	if (!ftruncate(fd, 0))
		lseek(fd, 0, SEEK_SET);
	return s.n;
}

/* Where the records are, made if @make.  Return: whether that is a directory of
 * ours alone. */
static bool find_records(char dir[PATH_MAX], bool make)
{
	const char *elsewhere = getenv("OSCOST_RECORDS");
	struct stat st;

	if (elsewhere)
		snprintf(dir, PATH_MAX, "%s", elsewhere);
	else if (geteuid())
		snprintf(dir, PATH_MAX, GUARD_RECORDS_OF,
			 (unsigned int)geteuid());
	else
		snprintf(dir, PATH_MAX, "%s", GUARD_RECORDS);
	if (make)
		mkdir(dir, 0700);
	return !lstat(dir, &st) && S_ISDIR(st.st_mode) && is_ours(&st);
}

/* The record at @path, locked; -1 if another process has it.  A lock counts
 * only while the file has its name: who removes it holds one. */
static int lock_record(const char *path, int flags)
{
	const int fd = open(path, O_RDWR | O_NOFOLLOW | flags, 0600);
	struct stat held, named;

	if (fd >= 0 && !fstat(fd, &held) && S_ISREG(held.st_mode) &&
	    is_ours(&held) && !flock(fd, LOCK_EX | LOCK_NB) &&
	    !lstat(path, &named) && held.st_ino == named.st_ino &&
	    held.st_dev == named.st_dev)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* By who holds its lock. */
static void forget(const char *path)
{
	char dir[PATH_MAX];

	unlink(path);
	if (find_records(dir, false))
		rmdir(dir); /* the last one does */
}

/* The record of process @owner, "" if it has no name. */
static char own_record[PATH_MAX + 16];
static pid_t owner;

/* Also where the program dies between two invocations. */
static void forget_own(void)
{
	if (own_record[0] && owner == getpid())
		forget(own_record);
}

int guard_open(void)
{
	char dir[PATH_MAX];
	int fd = -1;

	guard_clean_up();
	atexit(forget_own);
	/* Two programs may race: one removes the directory the other made. */
	for (int tries = 0; fd < 0 && tries < 3; tries++) {
		if (!find_records(dir, true))
			continue;
		owner = getpid();
		snprintf(own_record, sizeof(own_record), "%s/%d", dir,
			 (int)owner);
		fd = lock_record(own_record, O_CREAT);
	}
	if (fd < 0) {
		own_record[0] = '\0';
		fd = memfd_create("oscost-guard", 0);
	}
	return fd < 0 ? -errno : fd;
}

void guard_close(int fd)
{
	forget_own();
	if (fd >= 0)
		close(fd);
}

static int try_scratch(const char *dir, const char *name, char *path,
		       size_t size)
{
	if ((size_t)snprintf(path, size, "%s/.oscost-%s-XXXXXX", dir, name) >=
	    size)
		return -ENAMETOOLONG;
	return mkdtemp(path) ? 0 : -errno;
}

int guard_scratch(const char *dir, const char *name, char *path, size_t size)
{
	const char *const others[] = { getenv("TMPDIR"), "/tmp" };
	char real[PATH_MAX];
	const char *own = dir ? realpath(dir, real) : getcwd(real, PATH_MAX);
	const int first = own ? try_scratch(own, name, path, size) : -errno;

	if (!first || dir)
		return first;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] && *others[i] &&
		    !try_scratch(others[i], name, path, size))
			return 0;
	return first;
}

bool guard_marked(const char *dir, const char *mark)
{
	char path[2 * PATH_MAX];
	struct stat place, file;

	/* Looked at, not opened: it may be a pipe. */
	snprintf(path, sizeof(path), "%s/%s", dir, mark);
	return !stat(dir, &place) && is_ours(&place) && !lstat(path, &file) &&
	       S_ISREG(file.st_mode) && file.st_uid == geteuid();
}

bool guard_sees_processes(void)
{
	char pid[16] = "";

	return readlink("/proc/self", pid, sizeof(pid) - 1) > 0 &&
	       strtol(pid, NULL, 10) == getpid();
}

static unsigned int clean_one(const char *dir, const char *name)
{
	char path[2 * PATH_MAX];
	struct swept s = { 0 };
	struct stat record;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = lock_record(path, O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && !fstat(fd, &record)) {
		sweep(fd, &record, &s);
		forget(path);
	}
	if (fd >= 0)
		close(fd);
	if (s.removed[0])
		warn("removed what a killed process (%s) had left: %s%s", name,
		     s.removed, s.n > 1 ? ", and more" : "");
	if (s.stuck[0])
		warn("a killed process (%s) left what cannot be removed: %s",
		     name, s.stuck);
	return !!s.stuck[0];
}

unsigned int guard_clean_up(void)
{
	char dir[PATH_MAX];
	DIR *d = find_records(dir, false) ? opendir(dir) : NULL;
	const struct dirent *e;
	unsigned int stuck = 0;

	while (d && (e = readdir(d)))
		stuck += clean_one(dir, e->d_name);
	if (d)
		closedir(d);
	return stuck;
}

/* Also those that another thread of this process has started, whom the list of
 * children of its first thread does not have. */
static unsigned int kill_children(void)
{
	DIR *d = guard_sees_processes() ? opendir("/proc") : NULL;
	const struct dirent *e;
	unsigned int n = 0;

	while (d && (e = readdir(d))) {
		const pid_t pid = (pid_t)field_number(e->d_name, 0);
		char stat[1024];

		if (pid <= 0)
			continue;
		sysfile_stat(stat, sizeof(stat), "/proc/%d/stat", (int)pid);
		if (field_number(field_of_stat(stat, 4), -1) == getpid())
			n += !kill(pid, SIGKILL);
	}
	if (d)
		closedir(d);
	return n;
}

unsigned int guard_reap(void)
{
	const int64_t deadline = deadline_in(REAP_MS);
	unsigned int n = 0;

	do {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			break; /* no children at all */
		n += kill_children();
		usleep(2000);
	} while (!deadline_passed(deadline));
	return n;
}
