/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc_forker.h"
#include "partner.h"

#define PATIENCE_MS 30000

static _Noreturn void become(const char *program, int channel)
{
	char *const argv[] = { (char *)program, NULL };
	char *const none[] = { NULL };

	if (dup2(channel, 0) == 0 && dup2(channel, 1) == 1)
		execve(program, argv, none);
	_exit(127);
}

int proc_forker_start(struct bench *b, struct proc_forker *f,
		      const char *program)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return partner_refused(b, errno, "make a socket pair");
	f->pid = bench_fork(b);
	if (f->pid == 0)
		become(program, pair[1]);
	err = errno;
	close(pair[1]);
	f->channel = pair[0];
	if (f->pid > 0)
		return 0;
	f->pid = 0;
	close(f->channel);
	return partner_refused(b, err, "make a process");
}

int proc_forker_ask(struct bench *b, const struct proc_forker *f,
		    enum proc_forker_order order,
		    struct proc_forker_reply *reply)
{
	const struct proc_forker_request request = {
		.order = order, .method = bench_timer(b)->method
	};
	struct pollfd answer = { .fd = f->channel, .events = POLLIN };
	int n;

	if (send(f->channel, &request, sizeof(request), MSG_NOSIGNAL) !=
	    sizeof(request))
		return bench_fail(b, errno, "ask the small program");
	do
		n = poll(&answer, 1, PATIENCE_MS);
	while (n < 0 && errno == EINTR);
	if (n != 1 || read(f->channel, reply, sizeof(*reply)) != sizeof(*reply))
		return bench_fail(b, 0, "no answer from the small program");
	return 0;
}

void proc_forker_stop(struct proc_forker *f)
{
	if (f->pid <= 0)
		return;
	close(f->channel);
	kill(f->pid, SIGKILL);
	proc_reap(f->pid);
	*f = (struct proc_forker) { 0 };
}
