// SPDX-License-Identifier: MIT
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"

struct replay {
	const char *dir;
	unsigned int step; /* the next one */
	char stat[PATH_MAX];
	/* The counters of the reading before and of this one. */
	struct sysfile counters[2];
};

int replay_open(struct replay **replay, const char *dir)
{
	*replay = calloc(1, sizeof(**replay));
	if (!*replay)
		return -ENOMEM;
	(*replay)->dir = dir;
	return 0;
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	sysfile_free(&replay->counters[0]);
	sysfile_free(&replay->counters[1]);
	free(replay);
}

void replay_rewind(struct replay *replay)
{
	replay->step = 0;
}

static int read_time(struct replay *replay, struct stamp *at)
{
	struct sysfile *file = &replay->counters[1];
	const long got =
		sysfile_read(file, "%s/%u/time", replay->dir, replay->step);
	int64_t mono_ns, real_ns;

	if (got < 0)
		return (int)got;
	mono_ns = field_number(field_nth(file->text, 0), 0);
	real_ns = field_number(field_nth(file->text, 1), 0);
	at->mono_ns = (uint64_t)mono_ns;
	at->real_ns = (uint64_t)real_ns;
	return mono_ns > 0 && real_ns > 0 ? 0 : -EINVAL;
}

int replay_next(struct replay *replay, struct stamp *at)
{
	const struct sysfile old = replay->counters[0];
	long got;
	int err;

	replay->counters[0] = replay->counters[1];
	replay->counters[1] = old;
	err = read_time(replay, at);
	if (err)
		return err;
	snprintf(replay->stat, sizeof(replay->stat), "%s/%u/proc/stat",
		 replay->dir, replay->step);
	got = sysfile_read(&replay->counters[1], "%s/%u/counters", replay->dir,
			   replay->step);
	if (got < 0)
		sysfile_free(&replay->counters[1]);
	/* Not each recording has some. */
	if (got < 0 && got != -ENOENT)
		return (int)got;
	if (!replay->step)
		sysfile_free(&replay->counters[0]);
	replay->step++;
	return 0;
}

const char *replay_stat(const struct replay *replay)
{
	return replay->stat;
}

void replay_count(const struct replay *replay, int cpu,
		  struct counters_counts *counts)
{
	for (int e = 0; e < COUNTERS_EVENTS; e++) {
		struct counters_count *count = &counts->count[e];
		int64_t sum[2];
		char key[64];

		snprintf(key, sizeof(key), "%d %s", cpu,
			 counters_name((enum counters_event)e));
		for (int i = 0; i < 2; i++)
			sum[i] = field_number(
				field_behind(replay->counters[i].text, key),
				-1);
		if (sum[0] < 0 || sum[1] < sum[0])
			continue;
		*count = (struct counters_count) {
			.known = true,
			.value = (double)(sum[1] - sum[0]),
			.share = 1,
		};
		count->pmu[0] = count->value;
	}
}
