/* SPDX-License-Identifier: MIT */
#include "mem_team.h"

#include <errno.h>

static void serve(struct sync_thread *thread, void *arg)
{
	const struct mem_member *m = arg;
	struct mem_team *team = m->team;
	uint64_t done = atomic_load(&team->go);

	/* Ready only now: a round that begins before would be missed. */
	atomic_fetch_sub(&team->busy, 1);
	while (!sync_thread_stopping(thread)) {
		if (atomic_load_explicit(&team->go, memory_order_acquire) ==
		    done) {
			__builtin_ia32_pause();
			continue;
		}
		done++;
		team->fn(team->arg, m->number, team->rounds);
		atomic_fetch_sub_explicit(&team->busy, 1, memory_order_release);
	}
}

int mem_team_begin(struct mem_team *team, const struct bench *b,
		   unsigned int size, mem_team_fn *fn, void *arg)
{
	int err = 0;

	if (size > MEM_TEAM_MAX)
		return -ERANGE;
	team->fn = fn;
	team->arg = arg;
	team->size = 1;
	for (unsigned int i = 1; !err && i < size; i++) {
		struct mem_member *m = &team->member[i];
		const int cpu = bench_nth_cpu(b, i);

		m->team = team;
		m->number = i;
		if (cpu < 0)
			return cpu;
		if (!m->thread.started)
			err = sync_thread_start(&m->thread);
		atomic_fetch_add(&team->busy, 1);
		if (!err)
			err = sync_thread_begin(&m->thread, serve, m, cpu, -1);
		if (err)
			atomic_fetch_sub(&team->busy, 1);
		else
			team->size = i + 1;
	}
	mem_team_wait(team);
	return err;
}

void mem_team_start(struct mem_team *team, uint64_t rounds)
{
	team->rounds = rounds;
	atomic_store(&team->busy, team->size - 1);
	atomic_fetch_add_explicit(&team->go, 1, memory_order_release);
}

void mem_team_wait(struct mem_team *team)
{
	while (atomic_load_explicit(&team->busy, memory_order_acquire))
		__builtin_ia32_pause();
}

void mem_team_run(struct mem_team *team, uint64_t rounds)
{
	if (team->size > 1)
		mem_team_start(team, rounds);
	team->fn(team->arg, 0, rounds);
	if (team->size > 1)
		mem_team_wait(team);
}

void mem_team_end(struct mem_team *team)
{
	for (unsigned int i = 1; i < team->size; i++)
		sync_thread_end(&team->member[i].thread);
	team->size = 0;
}

void mem_team_close(struct mem_team *team)
{
	mem_team_end(team);
	for (unsigned int i = 1; i < MEM_TEAM_MAX; i++)
		sync_thread_finish(&team->member[i].thread);
}
