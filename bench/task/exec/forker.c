/* SPDX-License-Identifier: MIT */
/*
 * Makes processes on request and times it: a process as small as libc allows,
 * for the price of fork depends on its caller's size.  Requests come on fd 0,
 * replies go to fd 1 (bench/task/lib/proc_forker.h); it ends with the end of
 * its input. Its CPU and scheduling are inherited.
 */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/proc_forker.h"

static void serve(const struct proc_forker_request *q, const char *executed,
		  volatile uint64_t *child_end, struct proc_forker_reply *r)
{
	int status = 0;

	*r = (struct proc_forker_reply) { 0 };
	if (q->order == PROC_FORKER_FIRST)
		status = proc_first((enum timer_method)q->method, child_end,
				    &r->first);
	else if (q->order == PROC_FORKER_SPAWN)
		TIMER_INTERVAL(q->method, r->ticks,
			       status = proc_spawn(q->op, executed))
	r->status = status;
}

int main(int argc, char *argv[])
{
	struct proc_forker_request request;
	struct proc_forker_reply reply;
	void *shared = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	/* Ctrl-C goes to all of a terminal's group: who asks decides. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (shared == MAP_FAILED || argc < 2)
		return 1;
	while (read(0, &request, sizeof(request)) == sizeof(request)) {
		serve(&request, argv[1], shared, &reply);
		if (write(1, &reply, sizeof(reply)) != sizeof(reply))
			return 1;
	}
	return 0;
}
