/* SPDX-License-Identifier: MIT */
#include "team.h"

#include <errno.h>

#include "arch.h"

static int serve(struct partner *p, void *arg)
{
	struct team *team = arg;
	const unsigned int number = (unsigned int)(p - team->member);
	uint64_t done = 0;

	while (!partner_stopping(p)) {
		if (atomic_load_explicit(&team->go, memory_order_acquire) ==
		    done) {
			ARCH_PAUSE();
			continue;
		}
		done++;
		team->fn(team->arg, number, team->rounds);
		atomic_fetch_sub_explicit(&team->busy, 1, memory_order_release);
	}
	return 0;
}

int team_start(struct bench *b, struct team *team, unsigned int size,
	       team_fn *fn, void *arg)
{
	int err = 0;

	if (size > team_most(b))
		return bench_fail(b, ERANGE, "a team of %u threads", size);
	team->fn = fn;
	team->arg = arg;
	atomic_store(&team->go, 0);
	for (team->size = 1; !err && team->size < size; team->size += !err)
		err = partner_start(b, &team->member[team->size],
				    PARTNER_THREAD,
				    bench_nth_cpu(b, team->size), serve, team);
	return err;
}

void team_go(struct team *team, uint64_t rounds)
{
	team->rounds = rounds;
	atomic_store(&team->busy, team->size - 1);
	atomic_fetch_add_explicit(&team->go, 1, memory_order_release);
}

void team_wait(struct team *team)
{
	while (atomic_load_explicit(&team->busy, memory_order_acquire))
		ARCH_PAUSE();
}

void team_run(struct team *team, uint64_t rounds)
{
	if (team->size > 1)
		team_go(team, rounds);
	team->fn(team->arg, 0, rounds);
	if (team->size > 1)
		team_wait(team);
}

void team_stop(struct team *team)
{
	partner_stop_all(team->member, team->size); /* the first is none */
	team->size = 0;
}
