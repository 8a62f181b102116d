/* SPDX-License-Identifier: MIT */
#ifndef REPLAY_H
#define REPLAY_H

#include "row.h"

/* A recording of a machine (see machine_open()), to be sampled again. */
struct replay;

/* replay_open() - Return: 0 or -ENOMEM.  replay_close() it; NULL is fine. */
int replay_open(struct replay **replay, const char *dir);
void replay_close(struct replay *replay);

/* replay_next() - go to the next reading.  @at: when it was taken.  Return: 0,
 * -ENOENT at the end, -EINVAL (its time cannot be read). */
int replay_next(struct replay *replay, struct stamp *at);

/* replay_rewind() - the next reading is the first one again. */
void replay_rewind(struct replay *replay);

/* replay_stat() - the path of this reading's /proc/stat. */
const char *replay_stat(const struct replay *replay);

/* replay_count() - what CPU @cpu counted between the reading before and this
 * one; what is not in both is unknown. */
void replay_count(const struct replay *replay, int cpu,
		  struct counters_counts *counts);

#endif
