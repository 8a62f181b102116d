/* SPDX-License-Identifier: MIT */
/* bill_run COMMAND...: runs it twice, each time between two marks
 * (bill_truth.c) and when the system has settled: what ran before, the first
 * run too, leaves work to the kernel.  Exit: that of the command. */
#include <sys/wait.h>
#include <unistd.h>

#define MARK() __asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0\n\t.ascii \"llib\"")

int main(int argc, char **argv)
{
	int status = 127 << 8;

	for (int i = 0; i < 2; i++) {
		pid_t pid;

		sync();
		usleep(300000);
		MARK();
		pid = vfork();
		if (!pid) {
			execvp(argv[1], argv + 1);
			_exit(127);
		}
		waitpid(pid, &status, 0);
		MARK();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
