/* SPDX-License-Identifier: MIT */
#ifndef CERTIFY_SAMPLE_H
#define CERTIFY_SAMPLE_H

#include "certificate.h"
#include "timer.h"

/* What the acceptance test times: the context of certificate_ops.sample. */
struct certify_sampler {
	enum timer_method method;
	volatile int variable; /* the paper's */
};

/* certify_sample() - ticks of one interval around @body. */
uint64_t certify_sample(struct certify_sampler *s, enum certificate_body body,
			uint32_t n);

/* certify_chain_ticks() - true length of one chain now, ticks. */
uint64_t certify_chain_ticks(void);

/* certify_seen_pct() - how much of it @method sees, percent. */
uint64_t certify_seen_pct(enum timer_method method);

#endif
