/* SPDX-License-Identifier: MIT */
#include "guard.h"

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

#define REAP_ROUNDS 200 /* a fork storm is over by then */

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
	const char *name = strrchr(path, '/');
	struct statfs fs;

	/* Somebody else's group has other processes than ours in it. */
	if (!name || strncmp(name + 1, GUARD_CGROUP, strlen(GUARD_CGROUP)))
		return -EINVAL;
	if (statfs(path, &fs))
		return errno == ENOENT ? 0 : -errno;
	if (fs.f_type != CGROUP_SUPER_MAGIC && fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	for (int i = 0; i < REAP_ROUNDS; i++) {
		int err = kill_members(path);

		if (err < 0 && err != -ENOENT)
			return err;
		if (!rmdir(path) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		usleep(2000); /* until those that were killed are gone */
	}
	return -EBUSY;
}

/* Return: whether the thing was there and is not any more. */
static bool sweep_one(const char *kind, const char *what)
{
	if (!strcmp(kind, "file"))
		return !unlink(what);
	if (!strcmp(kind, "dir"))
		return !access(what, F_OK) && !guard_remove_tree(what);
	if (!strcmp(kind, "sem"))
		return !semctl(to_id(what), 0, IPC_RMID);
	if (!strcmp(kind, "shm"))
		return !shmctl(to_id(what), IPC_RMID, NULL);
	if (!strcmp(kind, "msg"))
		return !msgctl(to_id(what), IPC_RMID, NULL);
	if (!strcmp(kind, "mq"))
		return !mq_unlink(what);
	if (!strcmp(kind, "shmem"))
		return !shm_unlink(what);
	if (!strcmp(kind, "netns"))
		return !remove_netns(what);
	if (!strcmp(kind, "cgroup"))
		return !access(what, F_OK) && !guard_remove_cgroup(what);
	return false;
}

unsigned int guard_sweep(int fd)
{
	unsigned int n = 0;
	char line[PATH_MAX + 32];
	FILE *f;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

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
		n += sweep_one(line, what);
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
	char cwd[PATH_MAX];
	const char *tmp = getenv("TMPDIR");
	int err;

	if (dir) {
		char real[PATH_MAX];

		if (!realpath(dir, real))
			return -errno;
		return try_scratch(real, name, path, size);
	}
	err = getcwd(cwd, sizeof(cwd)) ? try_scratch(cwd, name, path, size)
				       : -errno;
	if (err && tmp && *tmp)
		err = try_scratch(tmp, name, path, size);
	if (err)
		err = try_scratch("/tmp", name, path, size);
	return err;
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
		return 0;
	while (fscanf(f, "%d", &pid) == 1)
		n += !kill(pid, SIGKILL);
	fclose(f);
	return n;
}

unsigned int guard_reap(void)
{
	unsigned int n = 0;

	for (int i = 0; i < REAP_ROUNDS; i++) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0)
			break; /* no children at all */
		n += kill_children();
		usleep(2000);
	}
	return n;
}
