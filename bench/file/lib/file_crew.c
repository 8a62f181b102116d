/* SPDX-License-Identifier: MIT */
#include "file_crew.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Orders and reports are less than PIPE_BUF: they come in one piece. */
_Noreturn static void work(int orders, int reports, file_worker_fn *fn,
			   void *arg, unsigned int member)
{
	struct file_order order;

	/* The program ends it; Ctrl-C goes to all of the group. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		struct file_report report = { 0 };

		fn(arg, member, &order, &report);
		if (write(reports, &report, sizeof(report)) !=
		    (ssize_t)sizeof(report))
			break;
	}
	_exit(0);
}

/* The ends that other members are reached by: else none would see that its
 * own was closed. */
static void close_others(const struct file_crew *crew)
{
	for (unsigned int i = 0; i < crew->size; i++) {
		close(crew->member[i].orders);
		close(crew->member[i].reports);
	}
}

static int start(struct bench *b, struct file_crew *crew, file_worker_fn *fn,
		 void *arg)
{
	const unsigned int i = crew->size;
	int down[2], up[2], err = 0;
	pid_t pid;

	if (pipe2(down, O_CLOEXEC))
		return -errno;
	if (pipe2(up, O_CLOEXEC)) {
		err = -errno;
		close(down[0]);
		close(down[1]);
		return err;
	}
	pid = bench_fork(b);
	if (pid == 0) {
		close(down[1]);
		close(up[0]);
		close_others(crew);
		work(down[0], up[1], fn, arg, i);
	}
	err = pid < 0 ? -errno : 0;
	close(down[0]);
	close(up[1]);
	if (err) {
		close(down[1]);
		close(up[0]);
		return err;
	}
	crew->member[i].pid = pid;
	crew->member[i].orders = down[1];
	crew->member[i].reports = up[0];
	crew->size++;
	return 0;
}

int file_crew_begin(struct bench *b, struct file_crew *crew, unsigned int size,
		    file_worker_fn *fn, void *arg)
{
	int err = 0;

	if (size > FILE_CREW_MAX)
		return -ERANGE;
	crew->size = 0;
	while (!err && crew->size < size)
		err = start(b, crew, fn, arg);
	return err;
}

int file_crew_order(struct file_crew *crew, unsigned int member,
		    const struct file_order *order)
{
	const ssize_t n =
		write(crew->member[member].orders, order, sizeof(*order));

	return n == (ssize_t)sizeof(*order) ? 0 : n < 0 ? -errno : -EIO;
}

int file_crew_report(const struct bench *b, struct file_crew *crew,
		     unsigned int member, struct file_report *report)
{
	for (;;) {
		const ssize_t n = read(crew->member[member].reports, report,
				       sizeof(*report));

		if (n == (ssize_t)sizeof(*report))
			return report->err;
		if (n < 0 && errno == EINTR && !bench_stopping(b))
			continue;
		return n < 0 ? -errno : -ECHILD;
	}
}

void file_crew_end(struct file_crew *crew)
{
	/* They may be in the middle of something: nobody waits for it. */
	for (unsigned int i = 0; i < crew->size; i++) {
		kill(crew->member[i].pid, SIGKILL);
		close(crew->member[i].orders);
		close(crew->member[i].reports);
	}
	for (unsigned int i = 0; i < crew->size; i++)
		while (waitpid(crew->member[i].pid, NULL, 0) < 0 &&
		       errno == EINTR)
			;
	crew->size = 0;
}
