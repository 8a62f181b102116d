/* SPDX-License-Identifier: MIT */
/*
 * The first process of a machine that has nothing but one static file: runs
 * what /commands says, a line each, program first, and powers off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 32

static const struct {
	const char *type, *at;
} mounts[] = { { "proc", "/proc" },	{ "sysfs", "/sys" },
	       { "devtmpfs", "/dev" },	{ "tmpfs", "/tmp" },
	       { "tmpfs", "/dev/shm" }, { "debugfs", "/sys/kernel/debug" } };

static void run(char *line)
{
	char *argv[WORDS + 1] = { NULL };
	int status = 0;
	pid_t pid;

	printf("@begin %s", line);
	fflush(stdout);
	for (int n = 0; n < WORDS && (!n || argv[n - 1]); n++)
		argv[n] = strtok(n ? NULL : line, " \n");
	if (!argv[0])
		return;
	pid = fork();
	if (!pid) {
		execv(argv[0][0] == '/' ? argv[0] : "/oscost", argv);
		perror(argv[0]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		perror("fork");
	printf("@status %s %d\n", argv[0],
	       WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

int main(void)
{
	char line[512];
	FILE *f;

	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		mkdir(mounts[i].at, 0755);
		mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, NULL);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	f = fopen("/commands", "r");
	while (f && fgets(line, sizeof(line), f))
		run(line);
	puts("@end");
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
