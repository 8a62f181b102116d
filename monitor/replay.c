// SPDX-License-Identifier: MIT
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

struct replay {
	const char *dir;
	unsigned int step; /* the next one */
	char stat[PATH_MAX];
	/* The counters of the reading before and of this one. */
	struct text_file counters[2];
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
	text_file_free(&replay->counters[0]);
	text_file_free(&replay->counters[1]);
	free(replay);
}

void replay_rewind(struct replay *replay)
{
	replay->step = 0;
}

static int read_time(struct replay *replay, struct stamp *at)
{
	struct text_file *file = &replay->counters[1];
	char path[PATH_MAX], *end;
	long got;

	snprintf(path, sizeof(path), "%s/%u/time", replay->dir, replay->step);
	got = text_file_read(file, path);
	if (got < 0)
		return (int)got;
	errno = 0;
	at->mono_ns = strtoull(file->text, &end, 10);
	at->real_ns = strtoull(end, NULL, 10);
	return errno || !at->mono_ns || !at->real_ns ? -EINVAL : 0;
}

int replay_next(struct replay *replay, struct stamp *at)
{
	const struct text_file old = replay->counters[0];
	char path[PATH_MAX];
	long got;
	int err;

	replay->counters[0] = replay->counters[1];
	replay->counters[1] = old;
	err = read_time(replay, at);
	if (err)
		return err;
	snprintf(replay->stat, sizeof(replay->stat), "%s/%u/proc/stat",
		 replay->dir, replay->step);
	snprintf(path, sizeof(path), "%s/%u/counters", replay->dir,
		 replay->step);
	got = text_file_read(&replay->counters[1], path);
	if (got < 0)
		text_file_free(&replay->counters[1]);
	/* Not each recording has some. */
	if (got < 0 && got != -ENOENT)
		return (int)got;
	if (!replay->step)
		text_file_free(&replay->counters[0]);
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
		uint64_t sum[2];
		char key[64];
		bool known = true;

		snprintf(key, sizeof(key), "%d %s", cpu,
			 counters_name((enum counters_event)e));
		for (int i = 0; i < 2; i++)
			known = known && replay->counters[i].text &&
				!text_file_number(&replay->counters[i], key,
						  &sum[i]);
		if (!known || sum[1] < sum[0])
			continue;
		*count = (struct counters_count) {
			.known = true,
			.value = (double)(sum[1] - sum[0]),
			.share = 1,
		};
		count->pmu[0] = count->value;
	}
}
