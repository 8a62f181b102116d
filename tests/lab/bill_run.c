/* SPDX-License-Identifier: MIT */
/* bill_run COMMAND...: runs it twice, the second time between two marks of the
 * ledger's plugin, each time when the system has settled: what ran before, the
 * first run too, leaves work to the kernel.  $PREPARE is run by sh before each.
 * Exit: that of the command. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The linker puts them where the plugin looks for them, and this program where
 * none else is: tests/lab/bill. */
__asm__(".section .marks, \"ax\"\n"
	"begin: nop\n\tret\n\t.balign 16\n"
	"end: nop\n\tret\n\t.previous");
void begin(void);
void end(void);

int main(int argc, char **argv)
{
	const char *prepare = getenv("PREPARE");
	int status = 127 << 8;

	for (int i = 0; i < 2; i++) {
		pid_t pid;

		if (prepare && system(prepare))
			return 127;
		sync();
		usleep(300000);
		if (i)
			begin();
		pid = vfork();
		if (!pid) {
			unsetenv("PREPARE");
			execvp(argv[1], argv + 1);
			_exit(127);
		}
		waitpid(pid, &status, 0);
		__builtin_ia32_rdtsc(); /* the plugin writes what it has */
		if (i)
			end();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
