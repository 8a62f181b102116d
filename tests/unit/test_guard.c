/* SPDX-License-Identifier: MIT */
/* What is noted in a guard file is removed by whoever holds it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"
#include "tap.h"

static char dir[] = "/tmp/test_guard-XXXXXX";

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
}

static void files(void)
{
	char file[64], sub[64], deep[80];
	int fd = guard_open();

	snprintf(file, sizeof(file), "%s/a file", dir);
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	snprintf(deep, sizeof(deep), "%s/x", sub);
	touch(file);
	mkdir(sub, 0700);
	touch(deep);
	OK(fd >= 0, "a guard opens");
	OK(!guard_add(fd, "file", file) && !guard_add(fd, "dir", sub) &&
		   !guard_add(fd, "file", "/nonexistent/x"),
	   "things are noted");
	OK(guard_sweep(fd) == 2, "two of them were there");
	OK(access(file, F_OK) && access(sub, F_OK), "now they are not");
	OK(guard_sweep(fd) == 0, "and are not looked for again");
	touch(file);
	OK(!guard_add(fd, "file", file) && guard_sweep(fd) == 1,
	   "the guard can be used again");
	close(fd);
	OK(!guard_add(-1, "file", file), "without a guard nothing is noted");
}

static void kernel_objects(void)
{
	int fd = guard_open();
	int sem = semget(IPC_PRIVATE, 1, 0600);
	int shm = shmget(IPC_PRIVATE, 4096, 0600);
	char id[32], name[64];
	struct shmid_ds ds;
	int shmem;

	snprintf(name, sizeof(name), "/test_guard-%d", (int)getpid());
	shmem = shm_open(name, O_CREAT | O_RDWR, 0600);
	if (shmem >= 0)
		close(shmem);
	snprintf(id, sizeof(id), "%d", sem);
	guard_add(fd, "sem", id);
	snprintf(id, sizeof(id), "%d", shm);
	guard_add(fd, "shm", id);
	guard_add(fd, "shmem", name);
	guard_add(fd, "unheard-of", "x");
	OK((int)guard_sweep(fd) == (sem >= 0) + (shm >= 0) + (shmem >= 0),
	   "semaphores and shared memory are removed");
	OK(semctl(sem, 0, GETVAL) < 0 && shmctl(shm, IPC_STAT, &ds) < 0 &&
		   shm_open(name, O_RDWR, 0) < 0,
	   "they are gone");
	close(fd);
}

static void scratch(void)
{
	char path[256], inside[300];

	OK(!guard_scratch(dir, "prog", path, sizeof(path)) &&
		   !strncmp(path, dir, strlen(dir)) && strstr(path, "prog"),
	   "a scratch directory below the one that was asked for");
	snprintf(inside, sizeof(inside), "%s/f", path);
	touch(inside);
	OK(!guard_remove_tree(path) && access(path, F_OK), "goes as a whole");
	OK(!guard_remove_tree(path), "and once more without complaint");
	OK(guard_scratch("/nonexistent", "prog", path, sizeof(path)) == -ENOENT,
	   "an impossible directory is an error, not replaced");
	OK(!chdir(dir) && !guard_scratch(NULL, "prog", path, sizeof(path)) &&
		   !strncmp(path, dir, strlen(dir)),
	   "without a wish it is made where we are");
	guard_remove_tree(path);
	OK(!chdir("/"), "leave");
}

/* A child that ignores what can be ignored, and its own child. */
static void children(void)
{
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (!pid) {
		signal(SIGTERM, SIG_IGN);
		if (!fork())
			pause();
		pause();
		_exit(0);
	}
	OK(pid > 0 && guard_reap() >= 1, "children are killed");
	OK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
	   "none is left, nor one of theirs");
	OK(guard_reap() == 0, "where there is none, none is killed");
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	files();
	kernel_objects();
	scratch();
	children();
	guard_remove_tree(dir);
	return tap_done();
}
