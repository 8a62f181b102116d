/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "proc_forker.h"

struct exec {
	const char *program, *executed;
	int channel;
};

static int become(struct partner *p, void *arg)
{
	const struct exec *e = arg;
	char *const argv[] = { (char *)e->program, (char *)e->executed, NULL };
	char *const none[] = { NULL };

	if (dup2(e->channel, 0) == 0 && dup2(e->channel, 1) == 1)
		execve(e->program, argv, none);
	return -errno;
}

int proc_forker_start(struct bench *b, struct proc_forker *f,
		      const char *program, const char *executed)
{
	struct exec e = { .program = program, .executed = executed };
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return partner_refused(b, errno, "make a socket pair");
	e.channel = pair[1];
	err = partner_start(b, &f->partner, PARTNER_PROCESS, bench_cpu(b),
			    become, &e);
	close(pair[1]);
	f->channel = pair[0];
	if (err)
		close(f->channel);
	return err;
}

int proc_forker_ask(struct bench *b, const struct proc_forker *f,
		    enum proc_op op, struct proc_result *r)
{
	const struct proc_request request = {
		.op = op,
		.method = bench_timer(b)->method,
	};
	int err = 0;
	ssize_t n;

	if (send(f->channel, &request, sizeof(request), MSG_NOSIGNAL) !=
	    sizeof(request))
		return bench_fail(b, errno, "ask the small program");
	do {
		n = recv(f->channel, r, sizeof(*r), 0);
		if (n < 0)
			err = errno == EINTR ? partner_check() : -errno;
	} while (n < 0 && !err);
	if (err)
		return partner_failed(b, err);
	if (n != sizeof(*r))
		return bench_fail(b, 0, "no answer from the small program");
	return 0;
}

void proc_forker_stop(struct proc_forker *f)
{
	if (f->partner.page)
		close(f->channel);
	partner_stop(&f->partner);
}
