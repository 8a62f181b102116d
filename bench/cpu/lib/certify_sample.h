/* SPDX-License-Identifier: MIT */
#ifndef CERTIFY_SAMPLE_H
#define CERTIFY_SAMPLE_H

#include "certificate.h"
#include "timer.h"

/* What the acceptance test times: the context of certificate_ops.take. */
struct certify_sampler {
	enum timer_method method;
	volatile int variable; /* the paper's */
};

/**
 * certify_take() - ticks of @count intervals around @body.
 *
 * With cpuid and cpuid2 the CPUID that ends an interval is also the one in
 * front of the next: the sequence around each body is the method's, for half
 * of the exits to a hypervisor.  Between that CPUID and the read stands what
 * moves the loop on (of cpuid2 also the store of the sample), which takes a
 * cycle or two while the read is under way.
 */
void certify_take(struct certify_sampler *s, enum certificate_body body,
		  uint32_t n, uint64_t *ticks, uint32_t count);

/* certify_seen_pct() - how much of a chain @method sees, percent. */
uint64_t certify_seen_pct(enum timer_method method, uint64_t quantum);

#endif
