/* SPDX-License-Identifier: MIT */
#ifndef GRID_H
#define GRID_H

#include <stdbool.h>
#include <stdint.h>

/*
 * When to sample: at start + k * interval, computed afresh for each k, so that
 * lateness never adds up.  Deadlines that passed while the process could not
 * run (stopped, or others were served) are not made up for; they are counted.
 *
 * No clock of its own: all times are CLOCK_MONOTONIC, handed in.
 */
struct grid {
	uint64_t start_ns, interval_ns;
	uint64_t end_ns; /* of the last interval; 0: none */
	uint64_t passed; /* deadlines, served or missed */
};

/* grid_next() - the next deadline; the end, if that comes first. */
uint64_t grid_next(const struct grid *grid);

/**
 * grid_serve() - a sample is being taken at @now_ns.
 *
 * Return: how many deadlines passed without one since the last; the one that
 * is served now is not counted.
 */
uint64_t grid_serve(struct grid *grid, uint64_t now_ns);

/* grid_over() - whether the end was reached. */
bool grid_over(const struct grid *grid, uint64_t now_ns);

/**
 * duration_parse() - read "10ms", "0.5", "2s", "1m", "1h", "500us" as ns.
 *
 * Return: 0, or -EINVAL (no such time, negative, or over 100 years).
 */
int duration_parse(const char *text, uint64_t *ns);

#endif
