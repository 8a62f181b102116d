/* SPDX-License-Identifier: MIT */
#include "ipc_watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* A real-time signal that neither libc (the first two) nor the harness uses. */
#define WATCH_SIGNAL (SIGRTMIN + 4)

static void wake_up(int sig)
{
	(void)sig; /* it came: that is all it is for */
}

int ipc_watch_open(struct ipc_watch *w)
{
	/* No SA_RESTART: the call that was interrupted must return. */
	struct sigaction action = { .sa_handler = wake_up };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };

	event.sigev_signo = WATCH_SIGNAL;
	if (sigaction(WATCH_SIGNAL, &action, NULL))
		return -errno;
	if (timer_create(CLOCK_MONOTONIC, &event, &w->timer))
		return -errno;
	w->made = true;
	return 0;
}

static void set(struct ipc_watch *w, long ns)
{
	const struct itimerspec every = { { 0, ns }, { 0, ns } };

	if (w->made)
		timer_settime(w->timer, 0, &every, NULL);
}

void ipc_watch_start(struct ipc_watch *w)
{
	w->checks = 0;
	set(w, IPC_WATCH_MS * 1000000L);
}

void ipc_watch_stop(struct ipc_watch *w)
{
	set(w, 0);
}

void ipc_watch_close(struct ipc_watch *w)
{
	if (w->made)
		timer_delete(w->timer);
	w->made = false;
}

int ipc_watch_check(const struct bench *b, pid_t partner)
{
	siginfo_t info = { 0 };

	if (bench_stopping(b))
		return -ECANCELED;
	/* WNOWAIT: ipc_partner_kill() is to reap it, and nobody else. */
	if (waitid(P_PID, (id_t)partner, &info, WEXITED | WNOHANG | WNOWAIT) ||
	    info.si_pid)
		return -ESRCH;
	return 0;
}

int ipc_watch_again(struct ipc_watch *w, const struct bench *b, pid_t partner)
{
	const int err = ipc_watch_check(b, partner);

	if (err)
		return err;
	return ++w->checks > IPC_WATCH_PATIENCE ? -ETIMEDOUT : 0;
}

void ipc_partner_kill(pid_t *partner)
{
	if (*partner <= 0)
		return;
	kill(*partner, SIGKILL);
	while (waitpid(*partner, NULL, 0) < 0 && errno == EINTR)
		;
	*partner = 0;
}

int ipc_partner_settle(int cpu)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	return bench_pin(cpu);
}
