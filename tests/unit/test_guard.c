/* SPDX-License-Identifier: MIT */
/* Things noted in a guard file are removed by the process that holds it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box.h"
#include "tests.h"

static char stuck[128];

TEST(files)
{
	const char *file, *sub;
	int fd;

	box_open(true);
	setenv("OSCOST_RECORDS", in_box("records"), 1);
	fd = guard_open();
	file = in_box("a file");
	sub = in_box("sub");
	box_put("a file", "");
	box_put("sub/x", "");
	OK(fd >= 0, "a guard opens");
	OK(!guard_add(fd, "file", file) && !guard_add(fd, "dir", sub) &&
		   !guard_add(fd, "file", "/nonexistent/x"),
	   "things are noted");
	OK(guard_sweep(fd, stuck, sizeof(stuck)) == 2,
	   "two of them were there");
	OK(access(file, F_OK) && access(sub, F_OK), "now they are not");
	OK(guard_sweep(fd, stuck, sizeof(stuck)) == 0,
	   "and are not looked for again");
	box_put("a file", "");
	OK(!guard_add(fd, "file", file) &&
		   guard_sweep(fd, stuck, sizeof(stuck)) == 1,
	   "the guard can be used again");
	guard_close(fd);
	OK(!guard_add(-1, "file", file), "without a guard nothing is noted");
}

TEST(kernel_objects)
{
	int fd = guard_open();
	int sem = semget(IPC_PRIVATE, 1, 0600);
	char id[32], name[64];
	int shmem;

	snprintf(name, sizeof(name), "/test_guard-%d", (int)getpid());
	shmem = shm_open(name, O_CREAT | O_RDWR, 0600);
	if (shmem >= 0)
		close(shmem);
	snprintf(id, sizeof(id), "%d", sem);
	guard_add(fd, "sem", id);
	guard_add(fd, "shmem", name);
	guard_add(fd, "unheard-of", "x");
	OK((int)guard_sweep(fd, stuck, sizeof(stuck)) ==
		   (sem >= 0) + (shmem >= 0) + 1,
	   "semaphores and shared memory are removed");
	OK(!strcmp(stuck, "unheard-of x"), "what cannot be removed is named");
	OK(semctl(sem, 0, GETVAL) < 0 && shm_open(name, O_RDWR, 0) < 0,
	   "they are gone");
	guard_close(fd);
}

TEST(scratch)
{
	const size_t own = strlen(box);
	char path[256], inside[300];

	OK(!guard_scratch(box, "prog", path, sizeof(path)) &&
		   !strncmp(path, box, own) && strstr(path, "prog"),
	   "a scratch directory below the one that was asked for");
	snprintf(inside, sizeof(inside), "%s/f", path + own + 1);
	box_put(inside, "");
	OK(!guard_remove_tree(path) && access(path, F_OK), "goes as a whole");
	OK(!guard_remove_tree(path), "and once more without complaint");
	OK(guard_scratch("/nonexistent", "prog", path, sizeof(path)) == -ENOENT,
	   "an impossible directory is an error, not replaced");
	OK(!chdir(box) && !guard_scratch(NULL, "prog", path, sizeof(path)) &&
		   !strncmp(path, box, own),
	   "without a wish it is made where we are");
	guard_remove_tree(path);
	unsetenv("TMPDIR");
	OK(!mkdir("gone", 0700) && !chdir("gone") && !rmdir(in_box("gone")) &&
		   guard_scratch(NULL, "prog", path, 8) == -ENOENT,
	   "of several that fail the first is told");
	OK(!chdir("/"), "leave");
}

/* Where this process may make a group: below its own, v1 or v2. */
static bool make_group(char *path, size_t size)
{
	char line[300];
	bool made = false;
	FILE *f = fopen("/proc/self/cgroup", "re");

	while (f && !made && fgets(line, sizeof(line), f)) {
		const char *own = strstr(line, ":/");
		const bool v1 = strstr(line, ":memory:");

		line[strcspn(line, "\n")] = '\0';
		if (!own || (!v1 && strncmp(line, "0::", 3) != 0))
			continue;
		snprintf(path, size, "/sys/fs/cgroup%s%s/" GUARD_CGROUP "t-%d",
			 v1 ? "/memory" : "", own + 1, (int)getpid());
		made = !mkdir(path, 0755);
	}
	if (f)
		fclose(f);
	return made;
}

static void join(const char *group)
{
	char path[520];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	f = fopen(path, "we");
	if (!f || fputs("0", f) < 0 || fclose(f))
		_exit(1);
}

TEST(control_groups)
{
	const char *plain = in_box(GUARD_CGROUP "x");
	char path[500];
	int fd = guard_open(), status = 0;
	pid_t pid;

	OK(guard_remove_cgroup("/sys/fs/cgroup") == -EINVAL,
	   "a group with another name is not touched");
	mkdir(plain, 0700);
	OK(guard_remove_cgroup(plain) == -EINVAL && !access(plain, F_OK),
	   "nor a directory that is no group");
	rmdir(plain);
	OK(!guard_remove_cgroup("/sys/fs/cgroup/" GUARD_CGROUP "none"),
	   "one that is not there is no error");
	if (!make_group(path, sizeof(path))) {
		OK(true, "no group can be made here # SKIP");
		guard_close(fd);
		return;
	}
	pid = fork();
	if (!pid) {
		join(path);
		pause();
		_exit(0);
	}
	/* Once it is in; if it cannot join it ends by itself. */
	while (!waitpid(pid, &status, WNOHANG)) {
		char procs[520], line[32] = "";
		FILE *f;

		snprintf(procs, sizeof(procs), "%s/cgroup.procs", path);
		f = fopen(procs, "re");
		if (f && fgets(line, sizeof(line), f))
			pid = -pid;
		if (f)
			fclose(f);
		if (pid < 0)
			break;
		usleep(1000);
	}
	guard_add(fd, "cgroup", path);
	OK(guard_sweep(fd, stuck, sizeof(stuck)) == 1 && access(path, F_OK),
	   "a group is removed");
	if (pid < 0)
		waitpid(-pid, &status, 0);
	OK(pid > 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL),
	   "and what is in it is killed");
	guard_close(fd);
}

/* A process that has noted @what, and is killed if @now. */
static pid_t killed_with(const char *kind, const char *what, bool now)
{
	int ready[2], status;
	char c;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		guard_add(guard_open(), kind, what);
		if (now)
			raise(SIGKILL);
		close(ready[0]);
		close(ready[1]);
		pause();
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) < 0 || now)
		waitpid(pid, &status, 0);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Leftovers of killed processes go with the next one; a file that is not
 * theirs, or has another owner by now, does not. */
TEST(leftovers)
{
	const char *left = in_box("left"), *records = in_box("records");
	int fd;
	pid_t pid;

	box_put("left/f", "");
	pid = killed_with("dir", left, false);
	OK(!guard_clean_up() && !access(in_box("left/f"), F_OK),
	   "what a living process has noted stays");
	end(pid);
	fd = guard_open();
	OK(access(left, F_OK), "and goes at the next start when it was killed");
	guard_close(fd);
	OK(access(records, F_OK), "the last record goes with its directory");
}

TEST(kept)
{
	const char *left = in_box("left"), *kept = in_box("kept");
	const char *records = in_box("records"), *inside = in_box("kept/f");
	struct stat st;
	int fd;

	box_put("kept/f", "");
	OK(!symlink(kept, left), "a link");
	killed_with("dir", left, true);
	OK(guard_clean_up() == 1 && !lstat(left, &st) && !access(inside, F_OK),
	   "a link that lies there by now is not followed");
	chmod(kept, 0777);
	killed_with("dir", kept, true);
	OK(guard_clean_up() == 1 && !access(inside, F_OK),
	   "a directory in which others may write is left alone");
	chmod(kept, 0700);

	mkdir(records, 0700);
	chmod(records, 0777);
	fd = guard_open();
	OK(fd >= 0 && !rmdir(records),
	   "no record lies where everybody may write");
	guard_close(fd);
}

/* A record of nobody's: @text, last written at @when, 0 for now. */
static void record(const char *text, time_t when)
{
	const struct timespec times[2] = { { when, 0 }, { when, 0 } };

	box_put("records/netlab", text);
	if (when)
		utimensat(AT_FDCWD, in_box("records/netlab"), times, 0);
}

/* Numbers of kernel objects are given anew. */
TEST(numbers)
{
	char text[32];
	const int sem = semget(IPC_PRIVATE, 1, 0600);

	snprintf(text, sizeof(text), "sem %d\n", sem);
	record(text, 1);
	OK(!guard_clean_up() && semctl(sem, 0, GETVAL) == 0,
	   "a semaphore made later is another's");
	record(text, 0);
	OK(!guard_clean_up() && semctl(sem, 0, GETVAL) < 0,
	   "one made before goes");
}

/* A child that ignores what can be ignored, and its own child. */
TEST(children)
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
