/* SPDX-License-Identifier: MIT */
#include "stay.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"

static volatile pid_t child;

/* The terminal sends its signals to the command, too. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	const int err = errno;

	if (info->si_code <= 0 && child > 0)
		kill(child, sig);
	errno = err;
}

int stay_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Also of other processes, where we are the first of a PID namespace. */
int stay_wait(pid_t pid)
{
	int status = 0;
	pid_t gone;

	do
		gone = waitpid(-1, &status, 0);
	while (gone != pid && (gone > 0 || errno == EINTR));
	return gone == pid ? stay_status(status) : EXIT_FAIL;
}

pid_t stay_fork(void)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
	const struct sigaction action = { .sa_sigaction = pass_on,
					  .sa_flags = SA_SIGINFO };
	int alive[2];
	pid_t pid;
	char byte;

	fflush(NULL);
	if (pipe(alive))
		return -1;
	pid = fork();
	if (pid < 0) {
		close(alive[0]);
		close(alive[1]);
		return -1;
	}
	if (pid) {
		close(alive[0]);
		child = pid;
		for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
			sigaction(signals[i], &action, NULL);
		/* A parent that is killed before this: end of file. */
		if (write(alive[1], "", 1) < 0)
			kill(pid, SIGKILL);
		close(alive[1]);
		return pid;
	}
	close(alive[1]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(alive[0], &byte, 1) != 1)
		_exit(EXIT_FAIL);
	close(alive[0]);
	return 0;
}

int stay(void)
{
	const pid_t pid = stay_fork();

	if (pid <= 0)
		return pid ? -errno : 0;
	_exit(stay_wait(pid));
}
