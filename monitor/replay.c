// SPDX-License-Identifier: MIT
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sysfile.h"

struct replay {
	const char *dir;
	unsigned int step; /* the next one */
	char stat[PATH_MAX];
	/* The counters of the reading before and of this one. */
	char *counters[2];
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
	free(replay->counters[0]);
	free(replay->counters[1]);
	free(replay);
}

void replay_rewind(struct replay *replay)
{
	free(replay->counters[1]); /* nothing was before */
	replay->counters[1] = NULL;
	replay->step = 0;
}

static int read_time(struct replay *replay, struct stamp *at)
{
	char *text = sysfile_text("%s/%u/time", replay->dir, replay->step);
	const int64_t mono_ns = field_number(field_nth(text, 0), 0);
	const int64_t real_ns = field_number(field_nth(text, 1), 0);

	if (!text)
		return -errno;
	free(text);
	at->mono_ns = (uint64_t)mono_ns;
	at->real_ns = (uint64_t)real_ns;
	return mono_ns > 0 && real_ns > 0 ? 0 : -EINVAL;
}

int replay_next(struct replay *replay, struct stamp *at)
{
	const int err = read_time(replay, at);

	if (err)
		return err;
	snprintf(replay->stat, sizeof(replay->stat), "%s/%u/proc/stat",
		 replay->dir, replay->step);
	free(replay->counters[0]);
	replay->counters[0] = replay->counters[1];
	replay->counters[1] =
		sysfile_text("%s/%u/counters", replay->dir, replay->step);
	/* Not each recording has some. */
	if (!replay->counters[1] && errno != ENOENT && errno != ENODATA)
		return -errno;
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
			sum[i] = field_number(field_behind(replay->counters[i],
							   key),
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
