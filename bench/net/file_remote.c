/* SPDX-License-Identifier: MIT */
/*
 * file_remote - what does it cost to read a file that lies on another machine?
 *
 * One block of a file is read at a time, in sequence or at random, through a
 * network file system, and the same file without the network.  The difference
 * of the two is the network's penalty (figure=penalty: both in the same state
 * of the cache; figure=penalty_direct: cold less local with O_DIRECT, as in the
 * CSE 221 report), beside what one would expect of it (figure=estimate): a
 * round trip of TCP (figure=connect: SYN and SYN ACK, which no process has to
 * answer) and the block at the bandwidth of large reads.  null_call is NFS's
 * procedure 0, which does nothing: a round trip with the RPC layers and the
 * wake-ups of both ends.
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
#include "lib/remote_read.h"
#include "lib/remote_target.h"

#define MIB    ((int64_t)1 << 20)
#define ANSWER 28 /* bytes of one of RPC that says nothing, with its mark */

static const char *const caches[] = { "cold", "warm", "direct", "unknown" };

/* Of the report's 4 MiB to 1 GiB; blocks are swept in the middle one. */
static const char points[] =
	"where=$where cache=$caches order={sequential,random} file={4M,64M,1G}"
	" block={4K,64K,1M} figure={read,penalty,penalty_direct};"
	"not cache=direct where!=local;"
	"not block!=4K file!=64M; not block!=4K order=random;"
	"not block!=4K cache=direct; not block!=4K figure!=read;"
	"not figure!=read where=local; not figure!=read cache=unknown;"
	"not figure=penalty_direct cache!=cold;"
	"is switches; is derived if figure!=read;"
	"is mean if figure=read cache=cold order=sequential;"
	"is median log if figure=read cache!=cold"
	" or figure=read order=random";

static const char network_points[] =
	"where=$label figure={connect,null_call,estimate}; is switches;"
	"is derived if figure=estimate; is median log if figure!=estimate";

struct state {
	struct remote_options options;
	struct remote_target target;
	struct remote_reader reader;
	const struct bench_case *connect, *null_call, *estimate;
	bool reads; /* in this visit */
};

static bool has_local(const struct state *s)
{
	return s->options.nfslab || s->options.local;
}

/* Whether a larger file shows that as well: cold and in sequence, a block that
 * is read when reading ahead is under way takes as long in 64 MiB as in 1 GiB,
 * which a file of ours may have. */
static bool shown_by_larger(const struct state *s, const struct bench_case *c)
{
	return (s->options.nfslab || s->options.dir) &&
	       s->options.bytes >= 1 << 30 && case_is(c, "cache", "cold") &&
	       case_is(c, "order", "sequential") && case_is(c, "file", "64M") &&
	       case_is(c, "block", "4K");
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct remote_read *r = c->data;
	bool runs;

	if (!case_has(c, "cache"))
		return true;
	if (shown_by_larger(state, c))
		return false;
	*r = (struct remote_read) {
		.local = case_is(c, "where", "local"),
		.cache = CASE_NTH(c, "cache", caches),
		.random = case_is(c, "order", "random"),
		.file = (uint64_t)case_int(c, "file"),
		.block = (uint32_t)case_int(c, "block"),
	};
	if (c->derived)
		return true;
	/* All events are one stretch: as few as there may be.  And what goes
	 * before them takes as long at each visit. */
	runs = r->cache == REMOTE_COLD && !r->random;
	c->exclusive = runs || remote_read_needs_lead(r);
	c->most = runs ? 1 : r->block >= MIB ? 12 : r->block > 4096 ? 32 : 120;
	c->most = (unsigned int)fmax(BENCH_LEAST_SPARE,
				     c->most * bench_effort(b));
	return true;
}

/* What can be told apart here. */
static int cases(struct bench *b, void *state)
{
	struct state *s = state;
	const char *const label = remote_target_label(&s->options);
	const char *const where[] = { label, "local" };
	const bool local = has_local(s);

	bench_set_names(b, "label", where, sizeof(*where), 1);
	bench_set_names(b, "where", where, sizeof(*where), local ? 2 : 1);
	bench_set_names(b, "caches", caches + (local ? 0 : REMOTE_UNKNOWN),
			sizeof(*caches), local ? REMOTE_UNKNOWN : 1);
	bench_points(b, points);
	if (s->options.dir)
		return 0; /* the kernel's client: no connection of ours */
	bench_points(b, network_points);
	s->connect = bench_find(b, "where=%s,figure=connect", label);
	s->null_call = bench_find(b, "where=%s,figure=null_call", label);
	s->estimate = bench_find(b, "where=%s,figure=estimate", label);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	remote_target_init(&s->target, b, &s->options);
	err = remote_reader_open(&s->reader, b, &s->target);
	if (!err)
		err = remote_target_open(&s->target);
	if (err)
		return err;
	return s->target.bytes < 4 * MIB
		       ? bench_fail(b, 0, "the file has less than 4 MiB")
		       : 0;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	s->reads = case_has(c, "cache");
	return s->reads ? remote_read_enter(&s->reader, c) : 0;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	return s->reads ? remote_read_prepare(&s->reader) : 0;
}

static int sample_connect(struct bench *b, struct state *s)
{
	bool established = false;
	uint64_t ticks = 0;
	const int err = remote_target_connect(&s->target, &ticks, &established);

	if (err || bench_stopping(b))
		return err;
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
		bench_least(b, s->null_call, "answer_bytes", ANSWER,
			    (double)(now.received_bytes -
				     before.received_bytes));
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	if (bench_stopping(b))
		return 0;
	if (s->reads)
		return remote_read_sample(&s->reader);
	return c == s->connect ? sample_connect(b, s) : sample_null_call(b, s);
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;

	return s->reads ? remote_read_leave(&s->reader) : 0;
}

/* Three standard errors of its median; 0: not known, for it is a mean. */
static double error_of(const struct bench_case *c)
{
	const struct remote_read *r = c->data;

	return r->all.n ? sample_median_error(&r->all) : 0;
}

/* The difference of a remote read and of a local one. */
static void derive_penalty(struct bench *b, const struct bench_case *penalty)
{
	const struct bench_case *remote =
		bench_beside(b, penalty, "figure=read");
	const struct bench_case *local =
		bench_beside(b, penalty,
			     case_is(penalty, "figure", "penalty_direct")
				     ? "where=local cache=direct figure=read"
				     : "where=local figure=read");
	const double ns[] = { bench_value(b, remote), bench_value(b, local) };

	if (isnan(ns[0]) || isnan(ns[1])) {
		bench_derive_skip(b, penalty,
				  "one of the two reads has no value");
		return;
	}
	bench_derive_within(b, penalty, ns[0] - ns[1],
			    hypot(error_of(remote), error_of(local)));
}

/* As in the report: a round trip, and the block at the network's bandwidth,
 * which is the slope between two large reads from the server's memory. */
static void derive_estimate(struct bench *b, const struct state *s)
{
	static const char *const blocks[] = { "64K", "1M" };
	const double rtt = bench_value(b, s->connect);
	double ns[2], slope;

	for (unsigned int i = 0; i < 2; i++)
		ns[i] = bench_value(
			b, bench_find(b,
				      "where=%s,cache=%s,order=sequential,"
				      "file=64M,block=%s,figure=read",
				      case_str(s->estimate, "where"),
				      has_local(s) ? "warm" : "unknown",
				      blocks[i]));
	slope = (ns[1] - ns[0]) / ((double)MIB - MIB / 16.0);
	if (isnan(rtt) || isnan(slope) || slope <= 0) {
		bench_derive_skip(b, s->estimate,
				  "needs connect and the reads of 64 KiB and "
				  "1 MiB");
		return;
	}
	bench_derive(b, s->estimate, rtt + 4096 * slope);
	bench_fact(b, s->estimate, "bandwidth_bytes_per_s", 1e9 / slope);
}

static int derive(struct bench *b, void *state)
{
	struct state *s = state;

	BENCH_EACH (b, c, "figure={penalty,penalty_direct}")
		derive_penalty(b, c);
	if (s->estimate)
		derive_estimate(b, s);
	return 0;
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

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
	OPT_SIZE(0, "bytes", state, options.bytes, "64m", 4 << 20, 1 << 30,
		 "size of a file that is made, bytes"),
	OPT_END
};

const struct bench_desc bench_desc = {
	.name = "file_remote",
	.many_cpus = true,
	.opts = options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct remote_read),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = sample,
	.leave = leave,
	.derive = derive,
	.teardown = teardown,
};
