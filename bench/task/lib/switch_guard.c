/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "switch_guard.h"

/* A signal handler has no argument of its own, so these cannot be passed. */
ucontext_t switch_guard_exit;
static volatile sig_atomic_t armed, deaths;

static struct sigaction before;
static bool opened;

/* Before a call that does not return AddressSanitizer forgets what the frames
 * have that will never be left: so setcontext() has one around it. */
static _Noreturn __attribute__((noinline)) void get_out(void)
{
	setcontext(&switch_guard_exit);
	abort();
}

static void child_died(int sig)
{
	(void)sig;
	deaths = 1;
	if (!armed)
		return;
	armed = 0;
	get_out();
}

void switch_guard_reset(void)
{
	deaths = 0;
}

/* Armed before it looks: a death in between jumps. */
int switch_guard_arm(void)
{
	armed = 1;
	if (!deaths)
		return 0;
	armed = 0;
	return 1;
}

void switch_guard_disarm(void)
{
	armed = 0;
}

int switch_guard_open(void)
{
	/* No SA_RESTART: a wait that is not armed may be interrupted too. */
	const struct sigaction action = { .sa_handler = child_died,
					  .sa_flags = SA_NOCLDSTOP };

	if (sigaction(SIGCHLD, &action, &before))
		return -errno;
	opened = true;
	return 0;
}

void switch_guard_close(void)
{
	armed = 0;
	if (opened)
		sigaction(SIGCHLD, &before, NULL);
	opened = false;
}
