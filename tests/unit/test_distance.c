/* SPDX-License-Identifier: MIT */
/* A cache line goes there and back as often as it is sent; who answers is gone
 * afterwards, and where nobody can there is no distance. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "distance.h"
#include "invocation.h"
#include "tap.h"

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

int main(void)
{
	const int here = sched_getcpu();
	struct topo *topo = NULL;
	pthread_t thread;
	int cpus[2];

	pthread_create(&thread, NULL, answer, NULL);
	OK(!distance_trips(&line, 1) && line == 2, "there and back");
	OK(!distance_trips(&line, 99) && line == 200, "and again");
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
	invocation_stop = 1;
	line = 0;
	OK(distance_trips(&line, 1) == -ECANCELED,
	   "nobody answers, and the user wants to stop");
	return tap_done();
}
