/* SPDX-License-Identifier: MIT */
#include "guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/magic.h>
#include <mqueue.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "deadline.h"

/* A fork storm is over by then, and so is what a process that was killed does
 * in the kernel, though the CPU that it does it on may be taken away. */
#define REAP_MS 30000

int guard_open(void)
{
	int fd = memfd_create("oscost-guard", 0);

	return fd < 0 ? -errno : fd;
}

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

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

int guard_remove_tree(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) &&
	    errno != ENOENT)
		return -errno;
	return 0;
}

static int to_id(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* A named network namespace is a mount below /run/netns. */
static int remove_netns(const char *name)
{
	char path[PATH_MAX];

	if (strchr(name, '/') ||
	    (size_t)snprintf(path, sizeof(path), "/run/netns/%s", name) >=
		    sizeof(path))
		return -1;
	if (access(path, F_OK))
		return -1;
	umount2(path, MNT_DETACH);
	return unlink(path);
}

/* SIGKILL for each member.  Return: how many there were, or -errno. */
static int kill_members(const char *path)
{
	char file[PATH_MAX];
	int n = 0, pid;
	FILE *f;

	if ((size_t)snprintf(file, sizeof(file), "%s/cgroup.procs", path) >=
	    sizeof(file))
		return -ENAMETOOLONG;
	f = fopen(file, "re");
	if (!f)
		return -errno;
	while (fscanf(f, "%d", &pid) == 1) {
		n++;
		/* 0 is a process of another PID namespace: not ours to kill,
		 * and kill() would take it for our own group. */
		if (pid > 1)
			kill(pid, SIGKILL);
	}
	fclose(f);
	return n;
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
		int err = kill_members(path);

		if (err < 0 && err != -ENOENT)
			return err;
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		usleep(2000); /* until those that were killed are gone */
	} while (!deadline_passed(deadline));
	return -EBUSY;
}

/* What became of one thing. */
enum fate { GONE_BEFORE, REMOVED, STUCK };

static enum fate fate_of(int failed)
{
	if (!failed)
		return REMOVED;
	/* System V calls say EINVAL or EIDRM of a number that is free. */
	return errno == ENOENT || errno == EINVAL || errno == EIDRM
		       ? GONE_BEFORE
		       : STUCK;
}

/* The same for what returns 0 also where there was nothing. */
static enum fate fate_of_path(const char *path, int remover(const char *))
{
	if (access(path, F_OK))
		return GONE_BEFORE;
	return remover(path) ? STUCK : REMOVED;
}

static enum fate sweep_one(const char *kind, const char *what)
{
	if (!strcmp(kind, "file"))
		return fate_of(unlink(what));
	if (!strcmp(kind, "dir"))
		return fate_of_path(what, guard_remove_tree);
	if (!strcmp(kind, "sem"))
		return fate_of(semctl(to_id(what), 0, IPC_RMID));
	if (!strcmp(kind, "shm"))
		return fate_of(shmctl(to_id(what), IPC_RMID, NULL));
	if (!strcmp(kind, "msg"))
		return fate_of(msgctl(to_id(what), IPC_RMID, NULL));
	if (!strcmp(kind, "mq"))
		return fate_of(mq_unlink(what));
	if (!strcmp(kind, "shmem"))
		return fate_of(shm_unlink(what));
	if (!strcmp(kind, "netns"))
		return fate_of(remove_netns(what));
	if (!strcmp(kind, "cgroup"))
		return fate_of_path(what, guard_remove_cgroup);
	return STUCK; /* nobody knows how to remove such a thing */
}

unsigned int guard_sweep(int fd, char *stuck, size_t size)
{
	unsigned int n = 0;
	char line[PATH_MAX + 32];
	FILE *f;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	stuck[0] = '\0';
	f = copy < 0 ? NULL : fdopen(copy, "r");
	if (!f) {
		if (copy >= 0)
			close(copy);
		return 0;
	}
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		char *what = strchr(line, ' ');

		if (!what)
			continue;
		*what++ = '\0';
		what[strcspn(what, "\n")] = '\0';
		switch (sweep_one(line, what)) {
		case GONE_BEFORE:
			break;
		case STUCK:
			if (!stuck[0])
				snprintf(stuck, size, "%s %s", line, what);
			n++;
			break;
		case REMOVED:
			n++;
			break;
		}
	}
	fclose(f);
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		return n; /* swept again next time, which does no harm */
	return n;
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
	char cwd[PATH_MAX];
	int first;

	if (dir) {
		char real[PATH_MAX];

		if (!realpath(dir, real))
			return -errno;
		return try_scratch(real, name, path, size);
	}
	first = getcwd(cwd, sizeof(cwd)) ? try_scratch(cwd, name, path, size)
					 : -errno;
	if (!first)
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i] && *others[i] &&
		    !try_scratch(others[i], name, path, size))
			return 0;
	return first;
}

bool guard_marked(const char *dir, const char *mark)
{
	const int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat place, file;
	/* Looked at, not opened: it may be a pipe. */
	const bool yes = at >= 0 && !fstat(at, &place) &&
			 !fstatat(at, mark, &file, AT_SYMLINK_NOFOLLOW) &&
			 place.st_uid == geteuid() && !(place.st_mode & 022) &&
			 S_ISREG(file.st_mode) && file.st_uid == geteuid();

	if (at >= 0)
		close(at);
	return yes;
}

static int parent_of(int pid)
{
	char path[64], line[512], *end;
	int parent = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	/* The name, in parentheses, may hold anything. */
	end = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	fclose(f);
	if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
		return -1;
	return parent;
}

/* The same where the kernel lists no children (no CONFIG_PROC_CHILDREN). */
static unsigned int kill_found_children(void)
{
	DIR *proc = opendir("/proc");
	const int self = getpid();
	const struct dirent *entry;
	unsigned int n = 0;

	while (proc && (entry = readdir(proc))) {
		const int pid = to_id(entry->d_name);

		if (pid > 1 && parent_of(pid) == self)
			n += !kill(pid, SIGKILL);
	}
	if (proc)
		closedir(proc);
	return n;
}

/* Kill the children that the kernel lists for this process. */
static unsigned int kill_children(void)
{
	unsigned int n = 0;
	char path[64];
	int pid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "re");
	if (!f)
		return kill_found_children();
	while (fscanf(f, "%d", &pid) == 1)
		n += !kill(pid, SIGKILL);
	fclose(f);
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
