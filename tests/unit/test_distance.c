/* SPDX-License-Identifier: MIT */
/* A cache line goes there and back as often as it is sent; who answers is gone
 * afterwards, and where nobody can there is no distance. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "distance.h"
#include "program.h"
#include "tap.h"
#include "topo.h"

static _Atomic uint64_t line;
static uint64_t answers;

static void *answer(void *arg)
{
	answers = distance_answer(&line);
	return arg;
}

static bool left_nothing(void)
{
	return waitpid(-1, NULL, WNOHANG | __WALL) == -1 && errno == ECHILD;
}

/* Whether all children end within ten seconds. */
static bool all_end(void)
{
	int left = 10000;

	while (left && waitpid(-1, NULL, WNOHANG | __WALL) >= 0) {
		usleep(1000);
		left--;
	}
	return left;
}

/* A process that is killed at any moment leaves none behind: orphans come to
 * this one. */
static void ends_with_its_maker(int cpu)
{
	bool ended;
	char begun = 0;
	int fd[2];

	ended = !pipe(fd);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; ended && i < 20; i++) {
		const pid_t maker = fork();

		setpgid(maker, maker);
		if (!maker) {
			distance_ns(cpu);
			if (write(fd[1], &begun, 1) != 1)
				_exit(1);
			for (;;)
				distance_ns(cpu);
		}
		ended = read(fd[0], &begun, 1) == 1;
		usleep((useconds_t)(50 * i));
		kill(maker, SIGKILL);
		ended &= all_end();
		if (!ended)
			kill(-maker, SIGKILL);
	}
	OK(ended, "who answers ends with its maker");
}

int main(void)
{
	const int here = sched_getcpu();
	struct topo *topo = NULL;
	pthread_t thread;
	int cpus[2];

	pthread_create(&thread, NULL, answer, NULL);
	OK(distance_trips(&line, 1) && line == 2, "there and back");
	OK(distance_trips(&line, 99) && line == 200, "and again");
	line = DISTANCE_LAST;
	pthread_join(thread, NULL);
	OK(answers == 100, "each was answered once");

	OK(isnan(distance_ns(8000)), "a CPU that is not there");
	OK(left_nothing(), "left nothing behind");
	topo_open(&topo);
	if (topo_cpus(topo, cpus, 2) < 2) {
		printf("# one CPU: no distance\n");
		topo_close(topo);
		return tap_done();
	}
	bench_pin(here);
	OK(distance_ns(cpus[cpus[0] == here]) > 0, "of two CPUs");
	OK(left_nothing(), "left nothing behind");
	OK(sched_getcpu() == here, "and this process where it was");
	topo_close(topo);
	ends_with_its_maker(cpus[cpus[0] == here]);
	return tap_done();
}
