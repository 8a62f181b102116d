/* SPDX-License-Identifier: MIT */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include "ensemble.h"

/*
 * The certificate of one timing method: the paper's tests in the paper's
 * order.  Shared by bench/cpu/certify.c and by the kernel module; who uses it
 * brings a function that times one body once, and the memory.
 */
enum certificate_body {
	CERTIFICATE_EMPTY, /* nothing: what does the measuring itself cost? */
	CERTIFICATE_LOOP,  /* n stores: can one more be seen? */
	CERTIFICATE_CHAIN, /* n chains of roots, 1 or 8k: does the end wait? */
	CERTIFICATE_FUNCTION, /* somebody's: what does it cost? */
};

struct certificate_ops {
	/* Ticks of @count intervals around @body, one after the other. */
	void (*take)(void *ctx, enum certificate_body body, uint32_t n,
		     uint64_t *ticks, uint32_t count);
	/* An ensemble is done: @quiet of undisturbed samples, @all of all. */
	void (*row)(void *ctx, enum certificate_body body, uint32_t ensemble,
		    const struct ensemble_row *quiet,
		    const struct ensemble_row *all);
	/* Asked before each ensemble: end here?  NULL: never. */
	bool (*stop)(void *ctx);
};

struct certificate {
	struct ensemble_figures empty, loop; /* undisturbed samples */
	struct ensemble_figures empty_all, loop_all;
	struct ensemble_figures function, function_all;
	struct ensemble_resolution resolution;
	struct ensemble_clock clock;
	uint64_t disturbed; /* samples of the empty body over the bound */
	unsigned int faults;
	bool has_function; /* set by who brings one, before it is taken */
};

/* certificate_seen() - how much of a chain the method sees, the offset being
 * subtracted: percent of its true length, which is what a chain adds to a long
 * row of chains, where the ends do not count. */
uint64_t certificate_seen(const struct certificate_ops *ops, void *ctx,
			  uint64_t quantum);

/**
 * certificate_take() - run the tests of one method.
 * @c: gets the figures; @c->clock.quantum and .hz must be set.
 * @ensembles, @samples: the paper's sizes are 1000 and 100 000.
 * @scratch: room for 2 * @ensembles numbers.
 *
 * Return: 0, or -1 if stop() said so (@c has no meaning then).
 */
int certificate_take(struct certificate *c, const struct certificate_ops *ops,
		     void *ctx, uint32_t ensembles, uint32_t samples,
		     uint64_t *scratch);

/* One figure of a certificate, as it goes into a row of results. */
struct certificate_figure {
	const char *body, *name, *unit;
	wide value, all; /* times 10^decimals; all: of all samples */
	unsigned int decimals;
	bool has_all;
	bool unknown; /* has no value */
	bool higher;  /* is better; else lower */
};

/**
 * certificate_figure() - the figure of index @i, in the paper's order.
 * Return: whether there is one.
 */
bool certificate_figure(const struct certificate *c, unsigned int i,
			struct certificate_figure *f);

/* certificate_paper() - what the white paper printed for that figure of that
 * method, or -1. */
int64_t certificate_paper(const char *method, const char *body,
			  const char *name);

/* certificate_word() - "accepted", "for batches only", "rejected". */
const char *certificate_word(const struct certificate *c);

#endif
