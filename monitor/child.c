// SPDX-License-Identifier: MIT
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child.  A byte is the word to go: if the parent dies before, the pipe
 * ends without one. */
static _Noreturn void become(char **argv, int go_fd, int failed_fd,
			     const sigset_t *mask)
{
	char word;
	ssize_t got;
	int err;

	do {
		got = read(go_fd, &word, 1);
	} while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(126);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed_fd, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int child_prepare(struct child *child, char **argv, const sigset_t *mask)
{
	int go[2], failed[2];

	*child = (struct child) { .go_fd = -1,
				  .failed_fd = -1,
				  .status = EXIT_FAILURE << 8 };
	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return -EMFILE;
	}
	child->pid = fork();
	if (!child->pid) {
		close(go[1]);
		become(argv, go[0], failed[1], mask);
	}
	close(go[0]);
	close(failed[1]);
	child->go_fd = go[1];
	child->failed_fd = failed[0];
	return child->pid < 0 ? -EAGAIN : 0;
}

int child_go(struct child *child)
{
	int err = 0;
	ssize_t got;

	if (write(child->go_fd, "", 1) != 1)
		err = errno;
	close(child->go_fd);
	/* execvp() closes the other end: nothing comes if it works. */
	do {
		got = read(child->failed_fd, &err, sizeof(err));
	} while (got < 0 && errno == EINTR);
	close(child->failed_fd);
	if (got != sizeof(err) && !err)
		return 0;
	waitpid(child->pid, &child->status, 0);
	child->ended = true;
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
