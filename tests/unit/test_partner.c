/* SPDX-License-Identifier: MIT */
/* Partners do their work where they were told to; one that may not be made is a
 * reason, and one that dies or hangs ends the process, however it waits. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/memory/lib/team.h"
#include "deadline.h"
#include "partner.h"
#include "program.h"
#include "tests.h"
#include "topo.h"

#define HANGS_S	    120
#define PATIENCE_MS 30000

struct shared {
	int cpu;
	int order, answer;
	pthread_mutex_t lock;
	pthread_cond_t filled;
};

static const struct bench_desc desc;
static struct bench bench;
static struct shared *shared;
static int fd[2]; /* nobody ever writes to it */

static void fresh(void)
{
	free(bench.runs);
	topo_close(bench.topo);
	bench = (struct bench) { .desc = &desc, .plan.name = "made_up" };
	bench.cpu = sched_getcpu();
	topo_open(&bench.topo);
}

static int add_one(struct partner *p, void *arg)
{
	struct shared *s = arg;

	s->cpu = sched_getcpu();
	while (!partner_meet(p)) {
		const bool last = s->order < 0;

		s->answer = s->order + 1;
		if (partner_meet(p))
			break;
		if (last)
			return 7;
	}
	return -1;
}

static int ask(struct partner *p, int order)
{
	int err;

	shared->order = order;
	err = partner_meet(p);
	return err ? err : partner_meet(p);
}

static void work(enum partner_kind kind, int cpu)
{
	struct partner p;

	fresh();
	OK(!partner_start(&bench, &p, kind, cpu, add_one, shared) &&
		   !ask(&p, 1) && shared->answer == 2 && shared->cpu == cpu &&
		   !ask(&p, 5) && shared->answer == 6,
	   "a partner does its work on its CPU");
	OK(!ask(&p, -1) && partner_finish(&p) == 7 && !p.page,
	   "and returns how it ended");
	OK(!partner_start(&bench, &p, kind, cpu, add_one, shared),
	   "has a successor");
	partner_stop(&p);
	partner_stop(&p);
	OK(!p.page && waitpid(-1, NULL, WNOHANG) < 0,
	   "which is stopped in the middle, and none is left");
}

static int move(struct partner *p, void *arg)
{
	int err = bench_pin(*(int *)arg);

	err |= partner_meet(p);
	err |= partner_meet(p);
	return err;
}

/* Not where it was sent, but where it was. */
static void seen(enum partner_kind kind, int cpu)
{
	struct case_run run = { .def.facts = json_object() }, *runs = &run;
	struct partner p;
	double at = -1;
	int from;

	fresh();
	from = bench_nth_cpu(&bench, 0);
	if (from == cpu)
		from = bench_nth_cpu(&bench, bench_cpus(&bench) - 1);
	bench.runs = &runs;
	bench.n_runs = 1;
	OK(!partner_start(&bench, &p, kind, from, move, &cpu) &&
		   !partner_meet(&p),
	   "one that moves");
	partner_leave(&bench, &p, &run.c);
	OK(!json_unpack(run.def.facts, "{s:F!}", "partner_cpu", &at) &&
		   (int)at == cpu,
	   "is seen where it went");
	json_decref(run.def.facts);
	bench.runs = NULL;
}

/* Busy for a while, then asleep. */
static int settle(struct partner *p, void *arg)
{
	const int64_t until = deadline_in(50);

	while (!deadline_passed(until))
		;
	p->page->answers = 1;
	pause();
	return 0;
}

static void settles(int cpu)
{
	struct partner p;

	fresh();
	OK(!partner_start(&bench, &p, PARTNER_PROCESS, cpu, settle, NULL) &&
		   !partner_settle(&bench, &p) && p.page->answers == 1,
	   "one that has settled has done its work");
	partner_stop(&p);
}

static int defer(struct partner *p, void *arg)
{
	const int err = partner_defer();

	return err ? err : sched_getscheduler(0);
}

static void defers(enum partner_kind kind, int cpu)
{
	const int mine = sched_getscheduler(0);
	struct partner p;

	fresh();
	OK(!partner_start(&bench, &p, kind, cpu, defer, NULL) &&
		   partner_finish(&p) ==
			   (mine == SCHED_OTHER ? SCHED_BATCH : mine) &&
		   sched_getscheduler(0) == mine,
	   "one that does not preempt");
}

static int do_nothing(struct partner *p, void *arg)
{
	return 7;
}

/* A partner that does nothing may have ended before it is looked at. */
static void short_lives(int n)
{
	struct partner p;
	int good = 0;

	fresh();
	for (int i = 0; i < n; i++)
		good += !partner_start(&bench, &p, PARTNER_PROCESS, bench.cpu,
				       do_nothing, NULL) &&
			partner_finish(&p) == 7;
	OK(good == n, "none that has nothing to do is taken for dead");
}

static int perish(struct partner *p, void *arg)
{
	usleep(20000);
	_exit(3);
}

static int hang(struct partner *p, void *arg)
{
	char byte;

	do
		if (read(fd[0], &byte, 1) > 0)
			return 1;
	while (!partner_stopping(p));
	return 2;
}

static int die_with_the_lock(struct partner *p, void *arg)
{
	pthread_mutex_lock(&shared->lock);
	_exit(3);
}

static int wait_for_ever(void *arg)
{
	pthread_mutex_lock(&shared->lock);
	while (!pthread_cond_wait(&shared->filled, &shared->lock))
		;
	return 1;
}

static int read_for_ever(void *arg)
{
	char byte;

	return read(fd[0], &byte, 1) != 1;
}

static int spin_for_ever(void *arg)
{
	for (volatile int go_on = 1; go_on;)
		;
	return arg != NULL;
}

static int meet(void *p)
{
	return partner_meet(p);
}

/* A process that waits for a partner of its own. */
static struct {
	enum partner_kind kind;
	partner_fn *partner;
	int (*wait)(void *);
	int said[2];
} waiter;

static int start_and_wait(struct partner *p, void *arg)
{
	struct partner own;

	alarm(HANGS_S);
	dup2(waiter.said[1], STDERR_FILENO);
	partner_patience_ms = waiter.partner == hang ? 300 : PATIENCE_MS;
	return partner_start(&bench, &own, waiter.kind, sched_getcpu(),
			     waiter.partner, NULL)
		       ? 1
		       : waiter.wait(&own);
}

/* It is ended at once, with the reason. */
static void ends(enum partner_kind kind, partner_fn *partner,
		 int (*wait)(void *), const char *why, const char *how)
{
	const int64_t begin = deadline_in(0);
	char text[256] = "";
	struct partner p;

	fresh();
	waiter.kind = kind;
	waiter.partner = partner;
	waiter.wait = wait;
	OK(!pipe(waiter.said) &&
		   !partner_start(&bench, &p, PARTNER_PROCESS, sched_getcpu(),
				  start_and_wait, NULL) &&
		   partner_finish(&p) == -ESRCH,
	   how);
	close(waiter.said[1]);
	OK(read(waiter.said[0], text, sizeof(text) - 1) > 0 &&
		   strstr(text, why),
	   why);
	close(waiter.said[0]);
	/* Not because its patience or any other was over. */
	OK(deadline_in(0) - begin < PATIENCE_MS, "soon");
	OK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "it is reaped");
}

static void make_lock(void)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t cond;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&cond);
	pthread_condattr_setpshared(&cond, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->lock, &mutex);
	pthread_cond_init(&shared->filled, &cond);
}

static void no_cpu(void)
{
	struct partner p;

	fresh();
	OK(partner_start(&bench, &p, PARTNER_PROCESS, 1023, add_one, shared) <
			   0 &&
		   strstr(bench.verdict.why, "pin the partner to CPU 1023"),
	   "a CPU that is not there");
	partner_stop(&p);
	OK(waitpid(-1, NULL, WNOHANG) < 0, "leaves no process");
	OK(!partner_start(&bench, &p, PARTNER_THREAD, bench.cpu, hang, NULL),
	   "a thread that blocks");
	partner_stop(&p);
	OK(!p.page, "is stopped all the same");
}

static uint64_t rounds_of[TEAM_MOST];
static int cpu_of[TEAM_MOST];

static void count_rounds(void *arg, unsigned int member, uint64_t rounds)
{
	rounds_of[member] += rounds;
	cpu_of[member] = sched_getcpu();
}

static void team(unsigned int size)
{
	static struct team t;
	unsigned int right = 0, at_home = 0;

	fresh();
	memset(rounds_of, 0, sizeof(rounds_of));
	OK(!team_start(&bench, &t, size, count_rounds, NULL), "a team");
	for (int i = 0; i < 100; i++)
		team_run(&t, 3);
	for (unsigned int i = 0; i < size; i++)
		right += rounds_of[i] == 300;
	OK(right == size, "each member did each round");
	for (unsigned int i = 1; i < size; i++)
		at_home += cpu_of[i] == bench_nth_cpu(&bench, i);
	OK(at_home == size - 1, "each on a CPU of its own");
	team_go(&t, 5);
	team_wait(&t);
	OK(rounds_of[0] == 300 && (size == 1 || rounds_of[size - 1] == 305),
	   "or all but the measuring one");
	team_stop(&t);
	team_stop(&t);
	OK(team_start(&bench, &t, bench_cpus(&bench) + 1, count_rounds, NULL) <
		   0,
	   "a team needs a CPU for each");
	team_stop(&t);
}

static int last_cpu(void)
{
	cpu_set_t may;
	int last = 0;

	sched_getaffinity(0, sizeof(may), &may);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &may))
			last = cpu;
	return last;
}

TEST(partners)
{
	static const char died[] = "the partner died",
			  hung[] = "the partner does not move";
	const int other = last_cpu();
	cpu_set_t one;

	alarm(HANGS_S);
	shared = partner_share(sizeof(*shared));
	if (!shared || pipe(fd)) {
		OK(0, "set up");
		return;
	}
	make_lock();
	for (int on_one = 0; on_one < 2; on_one++) {
		fresh();
		for (int k = 0; k < 2; k++) {
			const enum partner_kind kind =
				k ? PARTNER_PROCESS : PARTNER_THREAD;

			work(kind, other);
			if (!on_one) {
				seen(kind, other);
				defers(kind, other);
			}
		}
		settles(other);
		team(on_one ? 1 : bench_cpus(&bench));
		CPU_ZERO(&one);
		CPU_SET(other, &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	short_lives(1000);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ends(PARTNER_PROCESS, perish, meet, died, "at the barrier");
	ends(PARTNER_PROCESS, perish, read_for_ever, died, "in read()");
	ends(PARTNER_PROCESS, perish, spin_for_ever, died, "in a loop");
	ends(PARTNER_PROCESS, die_with_the_lock, wait_for_ever, died,
	     "with the lock, in pthread_cond_wait()");
	ends(PARTNER_PROCESS, hang, read_for_ever, hung, "in read()");
	ends(PARTNER_PROCESS, hang, meet, hung, "at the barrier");
	ends(PARTNER_THREAD, hang, spin_for_ever, hung, "a thread, in a loop");
	no_cpu();
}
