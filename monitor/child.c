// SPDX-License-Identifier: MIT
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

int child_start(struct child *child, char **argv, const sigset_t *mask)
{
	int failed[2], err = 0;

	*child = (struct child) { .status = EXIT_FAILURE << 8 };
	if (pipe2(failed, O_CLOEXEC))
		return -errno;
	child->pid = fork();
	if (!child->pid) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		err = errno;
		io_write(failed[1], &err, sizeof(err), -1);
		_exit(127);
	}
	if (child->pid < 0)
		err = errno;
	close(failed[1]);
	/* execvp() closes the other end: nothing comes if it works. */
	if (!err && io_read(failed[0], &err, sizeof(err), -1) > 0)
		waitpid(child->pid, &child->status, 0);
	close(failed[0]);
	child->ended = err;
	return -err;
}

bool child_reap(struct child *child)
{
	if (!child->ended)
		child->ended =
			waitpid(child->pid, &child->status, WNOHANG) != 0;
	return child->ended;
}

void child_exit(const struct child *child, int otherwise)
{
	if (WIFSIGNALED(child->status)) {
		const struct rlimit no_core = { 0, 0 };
		const int sig = WTERMSIG(child->status);
		sigset_t one;

		/* Its own core, if any, is enough. */
		setrlimit(RLIMIT_CORE, &no_core);
		signal(sig, SIG_DFL);
		sigemptyset(&one);
		sigaddset(&one, sig);
		sigprocmask(SIG_UNBLOCK, &one, NULL);
		raise(sig);
		/* What a shell would say, should the signal be ignored. */
		exit(128 + sig);
	}
	exit(WEXITSTATUS(child->status) ? WEXITSTATUS(child->status)
					: otherwise);
}
