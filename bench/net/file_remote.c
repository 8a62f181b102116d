/* SPDX-License-Identifier: MIT */
/*
 * file_remote - what does it cost to read a file that lies on another machine?
 *
 * One block of a file is read at a time, in sequence or at random, through a
 * network file system, and the same file without the network.  The difference
 * of the two is the network's penalty (figure=penalty), beside what one would
 * expect of it (figure=estimate): a round trip of TCP (figure=connect: SYN and
 * SYN ACK, which no process has to answer) and the block at the bandwidth of
 * large reads.  null_call is NFS's procedure 0, which does nothing: a round
 * trip with the RPC layers and the wake-ups of both ends.
 *
 * where=server is an nfs:// URL (--url), read through libnfs without a mount
 * or a privilege; libnfs has no cache and sends one request for each read.
 * where=veth is the same to the server of make nfslab, between two network
 * namespaces, on another CPU of this machine.  where=mount is a directory on
 * any network file system (--remote-dir), read with O_DIRECT.  where=local is
 * the same file as this machine sees it.
 *
 * file is the part of the file that is used, its end, of which each visit reads
 * a piece.
 * cache says where the data was before the read: cold: in the page cache of
 * neither machine (dropped, and looked at); warm: in the server's (or, local,
 * ours); direct: local with O_DIRECT; unknown: with a server on another
 * machine nobody here can say.  Cold reads in sequence profit from what the
 * machine with the disk fetches ahead, so they are timed in stretches, all
 * blocks by all time: 4 MiB as a whole from the first read on, or of more, when
 * reading ahead is under way, four times as much as that machine fetches at a
 * time (4 KiB over the network: once), 8 MiB or more; bytes_fetched_for_each
 * says how much came from the disk meanwhile.  Where the file was made with
 * 1 GiB (--bytes) there is no such row for 64 MiB, which would be the same.
 * All else is the median of single reads; those of 64 KiB and 1 MiB over the
 * network come after 8 MiB, as the cold ones do, for after a pause the first
 * take longer.
 *
 * Measures: ns from before one block is asked for until it is here.
 * Includes: system calls, RPC layers, both network stacks, wake-ups, the
 *           server's file system; cold: its disk.
 * After:    CSE 221 report section 6.3 (NFS mount with rsize=4096, caches of
 *           both machines dropped); fio on a mount measures the same.
 * Needs:    --url, --remote-dir or --nfslab; libnfs for URLs; cold and warm:
 *           --local (the same file on this machine) or --nfslab.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "lib/remote_piece.h"
#include "lib/remote_read.h"
#include "lib/remote_target.h"

#define BLOCK	  4096u
#define MIB	  ((uint64_t)1 << 20)
#define MAX_CASES 80
#define ANSWER	  28 /* bytes of one of RPC that says nothing, with its mark */

static const char *const cache_names[] = { "cold", "warm", "direct",
					   "unknown" };
static const char *const order_names[] = { "sequential", "random" };

/* Of the report's 4 MiB to 1 GiB; blocks are swept in the middle one. */
static const uint64_t files[] = { 4 * MIB, 64 * MIB, 1024 * MIB };
static const uint32_t blocks[] = { 64 << 10, 1 << 20 };

/* Of what is read in one stretch; more at a greater effort. */
#define LEAST_EVENTS 5

#define SWEPT 1 /* of files[] */

struct remote_case {
	struct remote_read read;
	const struct bench_case *bench, *penalty;
};

struct state {
	struct remote_options options;
	struct remote_target target;
	struct remote_reader reader;
	struct remote_case cases[MAX_CASES];
	size_t n_cases;
	const struct bench_case *connect, *null_call, *estimate;
};

static bool has_local(const struct state *s)
{
	return s->options.nfslab || s->options.local;
}

static const char *where_of(const struct state *s, const struct remote_read *r)
{
	return r->local ? "local" : remote_target_label(&s->options);
}

/* Whether the file is one of ours that is as large as the largest. */
static bool has_all_sizes(const struct state *s)
{
	const bool made = s->options.nfslab || s->options.dir;

	return made && s->options.bytes >= files[SWEPT + 1];
}

static void add(struct bench *b, struct state *s, const struct remote_read *r)
{
	const bool runs = r->cache == REMOTE_COLD && !r->random;
	const bool led = remote_piece_needs_lead(r);
	struct remote_case *rc = &s->cases[s->n_cases++];
	struct bench_case c = {
		.params = {
			P_STR("where", where_of(s, r)),
			P_STR("cache", cache_names[r->cache]),
			P_STR("order", order_names[r->random]),
			P_SIZE("file", (int64_t)r->file),
			P_SIZE("block", r->block),
			P_STR("figure", "read"),
		},
		.arg = rc,
		.estimator = runs ? BENCH_EST_MEAN : BENCH_EST_MEDIAN,
		.histogram = runs ? BENCH_HIST_NONE : BENCH_HIST_LOG,
		/* All events are one stretch: as few as there may be.  And what
		 * goes before them takes as long at each visit. */
		.exclusive = runs || led,
		.most = runs ? 1 : 120,
		.switches = true,
	};

	rc->read = *r;
	if (r->block > BLOCK && !runs)
		c.most = r->block >= MIB ? 12 : 32;
	c.most = (unsigned int)fmax(LEAST_EVENTS, c.most * bench_effort(b));
	rc->bench = bench_add(b, &c);
	if (r->local || r->block != BLOCK || r->cache == REMOTE_UNKNOWN)
		return;
	c.params[5].text = "penalty";
	c.derived = true;
	c.estimator = BENCH_EST_DEFAULT;
	c.histogram = BENCH_HIST_NONE;
	rc->penalty = bench_add(b, &c);
}

/* Whether @r reads what a larger file shows as well: cold and in sequence, what
 * is read when reading ahead is under way takes as long in 64 MiB as in 1 GiB.
 */
static bool shown_by_larger(const struct state *s, const struct remote_read *r)
{
	return r->cache == REMOTE_COLD && !r->random &&
	       r->file == files[SWEPT] && has_all_sizes(s);
}

/* All that is asked about one state of the caches. */
static void add_cache(struct bench *b, struct state *s, bool local,
		      enum remote_cache cache)
{
	struct remote_read r = { .local = local, .cache = cache };

	r.block = BLOCK;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (int random = 0; random < 2; random++) {
			r.file = files[i];
			r.random = random;
			if (!shown_by_larger(s, &r))
				add(b, s, &r);
		}
	if (cache == REMOTE_DIRECT)
		return;
	r.file = files[SWEPT];
	r.random = false;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		r.block = blocks[i];
		add(b, s, &r);
	}
}

static const struct bench_case *add_network(struct bench *b,
					    const struct state *s,
					    const char *figure, bool derived)
{
	const struct bench_case c = {
		.params = {
			P_STR("where", remote_target_label(&s->options)),
			P_STR("figure", figure),
		},
		.estimator = derived ? BENCH_EST_DEFAULT : BENCH_EST_MEDIAN,
		.histogram = derived ? BENCH_HIST_NONE : BENCH_HIST_LOG,
		.derived = derived,
		.switches = true,
	};

	return bench_add(b, &c);
}

static int cases(struct bench *b, void *state)
{
	struct state *s = state;

	if (has_local(s)) {
		add_cache(b, s, false, REMOTE_COLD);
		add_cache(b, s, false, REMOTE_WARM);
		add_cache(b, s, true, REMOTE_COLD);
		add_cache(b, s, true, REMOTE_DIRECT);
		add_cache(b, s, true, REMOTE_WARM);
	} else {
		add_cache(b, s, false, REMOTE_UNKNOWN);
	}
	if (s->options.dir)
		return 0; /* the kernel's client: no connection of ours */
	s->connect = add_network(b, s, "connect", false);
	s->null_call = add_network(b, s, "null_call", false);
	s->estimate = add_network(b, s, "estimate", true);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	remote_target_init(&s->target, b, &s->options);
	if (remote_target_why_not(&s->options))
		return bench_skip(b, "%s", remote_target_why_not(&s->options));
	err = remote_reader_open(&s->reader, b, &s->target);
	if (err)
		return err;
	err = remote_target_open(&s->target);
	if (err)
		return err;
	return s->target.bytes < files[0]
		       ? bench_fail(b, 0, "the file has less than 4 MiB")
		       : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	struct remote_case *rc = (struct remote_case *)c->arg;

	(void)b;
	return rc ? remote_read_enter(&s->reader, &rc->read, c, c->most) : 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	(void)b;
	return c->arg ? remote_read_prepare(&s->reader) : 0;
}

static int sample_connect(struct bench *b, struct state *s)
{
	bool established = false;
	uint64_t ticks = 0;
	const int err = remote_target_connect(&s->target, &ticks, &established);

	if (err)
		return bench_stopping(b)
			       ? 0
			       : bench_fail(b, -err, "connect to the server");
	bench_record(b, s->connect, ticks);
	bench_proof(b, s->connect, "connections", 1, established);
	return 0;
}

static int sample_null_call(struct bench *b, struct state *s)
{
	struct remote_traffic before, now;
	uint64_t ticks;
	int err;

	remote_target_traffic(&s->target, &before);
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = nfs_client_null(&s->target.nfs));
	if (err)
		return remote_target_fail(&s->target, err, "null call");
	bench_record(b, s->null_call, ticks);
	remote_target_traffic(&s->target, &now);
	if (before.received_bytes >= 0 && now.received_bytes >= 0)
		bench_proof(b, s->null_call, "answer_bytes", ANSWER,
			    (double)(now.received_bytes -
				     before.received_bytes));
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (bench_stopping(b))
		return 0;
	if (c->arg)
		return remote_read_sample(&s->reader);
	return c == s->connect ? sample_connect(b, s) : sample_null_call(b, s);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	(void)b;
	return c->arg ? remote_read_leave(&s->reader) : 0;
}

static const struct remote_case *find(const struct state *s, bool local,
				      const struct remote_read *like)
{
	for (size_t i = 0; i < s->n_cases; i++) {
		const struct remote_read *r = &s->cases[i].read;

		if (r->local == local && r->cache == like->cache &&
		    r->random == like->random && r->file == like->file &&
		    r->block == like->block)
			return &s->cases[i];
	}
	return NULL;
}

static void derive_penalty(struct bench *b, const struct state *s,
			   const struct remote_case *rc)
{
	const struct remote_case *local = find(s, true, &rc->read);
	const double near = local ? bench_value(b, local->bench) : NAN;
	const double far = bench_value(b, rc->bench);
	double error;

	if (isnan(near) || isnan(far)) {
		bench_derive_skip(b, rc->penalty,
				  "one of the two reads has no value");
		return;
	}
	error = hypot(remote_read_error(&rc->read),
		      remote_read_error(&local->read));
	bench_derive_within(b, rc->penalty, far - near, error);
}

/* As in the report: a round trip, and the block at the network's bandwidth,
 * which is the slope between two large reads from the server's memory. */
static void derive_estimate(struct bench *b, const struct state *s)
{
	struct remote_read r = {
		.cache = has_local(s) ? REMOTE_WARM : REMOTE_UNKNOWN,
		.file = files[SWEPT],
	};
	const struct remote_case *small, *large;
	double rtt = bench_value(b, s->connect), ns;

	r.block = blocks[0];
	small = find(s, false, &r);
	r.block = blocks[1];
	large = find(s, false, &r);
	ns = (bench_value(b, large->bench) - bench_value(b, small->bench)) /
	     (blocks[1] - blocks[0]);
	if (isnan(rtt) || isnan(ns) || ns <= 0) {
		bench_derive_skip(b, s->estimate,
				  "needs connect and the reads of 64 KiB and "
				  "1 MiB");
		return;
	}
	bench_derive(b, s->estimate, rtt + BLOCK * ns);
	bench_fact(b, s->estimate, "bandwidth_bytes_per_s", 1e9 / ns);
}

static int derive(struct bench *b, void *state)
{
	struct state *s = state;

	if (remote_target_why_not(&s->options))
		return 0;
	for (size_t i = 0; i < s->n_cases; i++)
		if (s->cases[i].penalty)
			derive_penalty(b, s, &s->cases[i]);
	if (s->estimate)
		derive_estimate(b, s);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	(void)b;
	remote_target_close(&s->target);
	remote_reader_close(&s->reader);
}

static const struct opt options[] = {
	OPT_STR(0, "url", state, options.url, NULL,
		"read this file, nfs://HOST/EXPORT/FILE[?version=4], URL"),
	OPT_STR(0, "remote-dir", state, options.dir, NULL,
		"make a file in this directory on a network file system and "
		"read it, path"),
	OPT_FLAG(0, "nfslab", state, options.nfslab,
		 "read from the server of scripts/nfslab, flag"),
	OPT_STR(0, "local", state, options.local, NULL,
		"the file of --url as this machine sees it, path"),
	OPT_SIZE(0, "bytes", state, options.bytes, "64m", 4 * MIB, 1024 * MIB,
		 "size of a file that is made, bytes"),
	OPT_END
};

const struct bench_desc bench_desc = {
	.name = "file_remote",
	.opts = options,
	.state_size = sizeof(struct state),
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
