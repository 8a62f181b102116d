/* SPDX-License-Identifier: MIT */
/* Counts of the time between two readings. */
#include <math.h>
#include <string.h>

#include "counters_set.h"

/* A CPU counts as long as it is there: this much may be missing because the
 * clock and the counters are not read in one moment. */
#define GAP_NS	  1000000u
#define GAP_SHARE 0.01

/*
 * A hypervisor may have fewer counters than it shows, and one for which it has
 * none stands still while the kernel takes it for running (seen on AMD under
 * KVM: of six the sixth).  Counts that no processor can reach are refused: none
 * retires 16 instructions in a cycle, nor none at all in ten thousand of them,
 * nor a hundred thousand without a branch, nor predicts a million branches
 * without a miss; and no load misses the last level without having asked it.
 */
#define MOST_IPC	 16.0
#define FEW_INSTRUCTIONS 1e3
#define MANY_CYCLES	 1e4
#define NO_BRANCH	 1e5
#define NO_MISS		 1e6

/* Less of its time than that, and a counter had to take turns. */
#define WHOLE_TIME 0.99

/* Sums of one event over @pmus between the readings. */
struct passed {
	double value, enabled_ns, running_ns;
	double of_pmu[COUNTERS_PMUS];
	bool backwards;
};

static void add_up(const struct counters_reading *from,
		   const struct counters_reading *to, enum counters_event event,
		   unsigned int opened, struct passed *p)
{
	memset(p, 0, sizeof(*p));
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++) {
		const struct counters_raw *a = &from->raw[i][event];
		const struct counters_raw *b = &to->raw[i][event];

		if (!(opened >> i & 1))
			continue;
		if (b->value < a->value || b->enabled_ns < a->enabled_ns ||
		    b->running_ns < a->running_ns) {
			p->backwards = true;
			return;
		}
		p->of_pmu[i] = (double)(b->value - a->value);
		p->value += p->of_pmu[i];
		/* All were enabled all the time; each runs while the thread is
		 * on a core of its kind. */
		p->enabled_ns = fmax(p->enabled_ns,
				     (double)(b->enabled_ns - a->enabled_ns));
		p->running_ns += (double)(b->running_ns - a->running_ns);
	}
}

/* Whether the CPU was away, or the counters dead, for a part of the time. */
static bool has_gap(const struct counters *c,
		    const struct counters_reading *from,
		    const struct counters_reading *to, const struct passed *p)
{
	double least_ns = (double)to->before_ns - (double)from->after_ns;

	return c->target.kind == COUNTERS_CPU &&
	       p->enabled_ns < least_ns * (1 - GAP_SHARE) - GAP_NS;
}

static void forget(struct counters_count *count)
{
	count->known = count->scaled = false;
	count->value = NAN;
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		count->pmu[i] = NAN;
}

static void count_event(const struct counters *c,
			const struct counters_reading *from,
			const struct counters_reading *to,
			enum counters_event event, struct counters_count *out)
{
	unsigned int opened = c->opened[event];
	bool some = event < COUNTERS_HARDWARE && opened != c->wanted_pmus;
	double scale = 1;
	struct passed p;

	out->share = NAN;
	forget(out);
	if (!opened)
		return;
	add_up(from, to, event, opened, &p);
	if (p.backwards || has_gap(c, from, to, &p))
		return;
	if (p.enabled_ns > 0) {
		out->share = fmin(1, p.running_ns / p.enabled_ns);
		if (!(p.running_ns > 0))
			return;
		/* Where one kind of core cannot count it, what was missed there
		 * is no share of what was seen elsewhere. */
		if (some && p.running_ns < p.enabled_ns)
			return;
		scale = fmax(1, p.enabled_ns / p.running_ns);
	} else {
		out->share = 1; /* nothing ran, so nothing happened */
	}
	/* There counters that take turns were seen to be off by a factor. */
	if (scale * WHOLE_TIME > 1 && c->arch.hypervisor &&
	    event < COUNTERS_HARDWARE)
		return;
	out->known = true;
	out->scaled = scale > 1;
	out->value = p.value * scale;
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		if (opened >> i & 1)
			out->pmu[i] = p.of_pmu[i] * scale;
}

/* Counts that are not known compare as false. */
static void disbelieve(struct counters_count *count)
{
	const double instructions = count[COUNTERS_INSTRUCTIONS].value;
	const double cycles = count[COUNTERS_CYCLES].value;
	const double branches = count[COUNTERS_BRANCHES].value;

	if (instructions > MOST_IPC * cycles + FEW_INSTRUCTIONS)
		forget(&count[COUNTERS_CYCLES]);
	if (cycles >= MANY_CYCLES && instructions < 1)
		forget(&count[COUNTERS_INSTRUCTIONS]);
	if (cycles >= MANY_CYCLES && count[COUNTERS_REF_CYCLES].value < 1)
		forget(&count[COUNTERS_REF_CYCLES]);
	if (instructions >= NO_BRANCH && branches < 1)
		forget(&count[COUNTERS_BRANCHES]);
	if (branches >= NO_MISS && count[COUNTERS_BRANCH_MISSES].value < 1)
		forget(&count[COUNTERS_BRANCH_MISSES]);
	if (count[COUNTERS_LLC_MISSES].value >= 1 &&
	    count[COUNTERS_LLC_REFERENCES].value < 1)
		forget(&count[COUNTERS_LLC_REFERENCES]);
}

void counters_delta(const struct counters *c,
		    const struct counters_reading *from,
		    const struct counters_reading *to,
		    struct counters_counts *out)
{
	for (int e = 0; e < COUNTERS_EVENTS; e++)
		count_event(c, from, to, (enum counters_event)e,
			    &out->count[e]);
	disbelieve(out->count);
}

double counters_ipc(const struct counters_counts *counts)
{
	const struct counters_count *n = &counts->count[COUNTERS_INSTRUCTIONS];
	const struct counters_count *t = &counts->count[COUNTERS_CYCLES];

	if (!n->known || !t->known || !(t->value > 0))
		return NAN;
	return n->value / t->value;
}

double counters_load_pct(const struct counters_counts *counts,
			 const double width[COUNTERS_PMUS])
{
	const struct counters_count *n = &counts->count[COUNTERS_INSTRUCTIONS];
	const struct counters_count *t = &counts->count[COUNTERS_CYCLES];
	double could = 0;

	if (!n->known || !t->known || !(t->value > 0))
		return NAN;
	for (unsigned int i = 0; i < COUNTERS_PMUS; i++)
		if (t->pmu[i] > 0)
			could += t->pmu[i] * width[i];
	return n->value / could * 100;
}
