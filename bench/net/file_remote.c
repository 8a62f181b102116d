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
#include "file_data.h"
#include "file_place.h"
#include "lib/remote_target.h"
#include "sample.h"

#define MIB	  ((int64_t)1 << 20)
#define MAX_BLOCK ((size_t)1 << 20)
#define ANSWER	  28 /* bytes of one of RPC that says nothing, with its mark */

/* Pages come and go in folios, at most so large, at multiples of their size:
 * one that is only partly in the range is not dropped. */
#define FOLIO ((uint64_t)2 << 20)

#define MAX_SEEN 8200 /* a stretch by 4 KiB, and what goes before */

/* The cold first one and those to warm up. */
#define MORE_READS 12

/* Reading ahead is timed in stretches of so many bytes at least, or of a file
 * as a whole, from the first read on, if it has no more than the other. */
#define AHEAD_BYTES ((uint64_t)8 << 20)
#define WHOLE_BYTES ((uint64_t)16 << 20)

#define AGAIN ((uint64_t)8 << 20) /* a stretch that may be read once more */
#define PIECE ((uint64_t)4 << 20) /* read at random from memory in a visit */

/*
 * A stretch is so many times what the kernel fetches at a time.  A device that
 * tells only when it has nothing left to do brings two such windows at once: of
 * a single one the reads find all of it there, or wait for two.  Read by 4 KiB
 * over a network it is there long before, and once is enough.
 */
#define WINDOWS	    4
#define WINDOWS_FAR 1
#define AHEADS	    (WINDOWS + 3)	 /* one before, two fetched beyond */
#define LARGE	    ((uint64_t)64 << 10) /* blocks: whole windows are soon read */
#define PARTS	    BENCH_LEAST_EVENTS	 /* of a stretch, an event each */

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

enum cache { COLD, WARM, DIRECT, UNKNOWN };

/* A case. */
struct remote_read {
	bool local;
	enum cache cache;
	bool random;
	uint64_t file; /* the last so many bytes of it are used */
	uint32_t block;

	/* Of all events, also those that warm up, ns.  None of a stretch. */
	struct sample_vec all;
};

/* One block that was read. */
struct seen {
	uint64_t offset, sum;
};

struct state {
	struct remote_options options;
	struct remote_target target;
	struct bench *b;
	const struct bench_case *connect, *estimate;
	void *buffer;
	struct seen *seen;
	size_t n_seen;

	/* This visit. */
	struct remote_read *read; /* NULL: no reads */
	const struct bench_case *c;
	uint64_t start, at, end; /* of the piece that is read */
	uint64_t lead;		 /* bytes of it that are read before */
	bool runs;  /* the events that count read parts of stretches */
	bool whole; /* which are a file, dropped before its first read */
	unsigned int blocks; /* of a stretch */
	unsigned int part;   /* of its parts how many were read */
	uint64_t window;     /* bytes that are fetched at a time, at most */
	uint64_t timed; /* bytes of stretches; what was fetched meanwhile, */
	uint64_t least; /* at least; and in all: */
	struct file_counts stretch, fetched;
	uint64_t wanted; /* bytes */
	unsigned int reads;
	struct remote_traffic traffic;
	struct file_counts counts;
};

static int sample_connect(struct bench *b, void *state,
			  const struct bench_case *c)
{
	struct state *s = state;
	bool established = false;
	uint64_t ticks = 0;
	const int err = remote_target_connect(&s->target, &ticks, &established);

	if (err || bench_stopping(b))
		return err;
	bench_record(b, c, ticks);
	bench_proof(b, c, "connections", 1, established);
	return 0;
}

static int sample_null_call(struct bench *b, void *state,
			    const struct bench_case *c)
{
	struct state *s = state;
	struct remote_traffic before, now;
	uint64_t ticks;
	int err;

	remote_target_traffic(&s->target, &before);
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = nfs_client_null(&s->target.nfs));
	if (err)
		return remote_target_fail(&s->target, err, "null call");
	bench_record(b, c, ticks);
	remote_target_traffic(&s->target, &now);
	if (before.received_bytes >= 0 && now.received_bytes >= 0)
		bench_least(b, c, "answer_bytes", ANSWER,
			    (double)(now.received_bytes -
				     before.received_bytes));
	return 0;
}

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

/* Whether these are large blocks that go over a network one by one.  Its
 * connection must be as busy as that of cold ones then: after a pause the first
 * ones take longer. */
static bool needs_lead(const struct remote_read *r)
{
	return !r->local && !r->random && r->cache != COLD && r->block >= LARGE;
}

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	struct remote_read *r = c->data;
	bool runs;

	if (case_is(c, "figure", "connect"))
		c->sample = sample_connect;
	if (case_is(c, "figure", "null_call"))
		c->sample = sample_null_call;
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
	runs = r->cache == COLD && !r->random;
	c->exclusive = runs || needs_lead(r);
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
	bench_set_names(b, "caches", caches + (local ? 0 : UNKNOWN),
			sizeof(*caches), local ? UNKNOWN : 1);
	bench_points(b, points);
	if (s->options.dir)
		return 0; /* the kernel's client: no connection of ours */
	bench_points(b, network_points);
	s->connect = bench_find(b, "where=%s,figure=connect", label);
	s->estimate = bench_find(b, "where=%s,figure=estimate", label);
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	int err;

	s->b = b;
	remote_target_init(&s->target, b, &s->options);
	s->seen = calloc(MAX_SEEN, sizeof(*s->seen));
	s->buffer = aligned_alloc(FILE_DATA_ALIGN, MAX_BLOCK);
	if (!s->seen || !s->buffer)
		return bench_fail(b, ENOMEM, "memory for a block");
	memset(s->buffer, 0, MAX_BLOCK);
	err = remote_target_open(&s->target);
	if (err)
		return err;
	return s->target.bytes < 4 * MIB
		       ? bench_fail(b, 0, "the file has less than 4 MiB")
		       : 0;
}

/* Take [from, to) out of the cache of whoever has the disk. */
static int drop(struct state *s, uint64_t from, uint64_t to)
{
	const struct remote_target *t = &s->target;
	const uint64_t low = from / FOLIO * FOLIO;
	const uint64_t high = (to + FOLIO - 1) / FOLIO * FOLIO;
	int64_t left =
		file_cache_drop(t->local, low,
				(high > t->bytes ? t->bytes : high) - low);

	if (left > 0)
		left = file_cache_bytes(t->local, from, to - from);
	if (left < 0)
		return bench_fail(s->b, (int)-left, "drop cached pages");
	if (left > 0 && t->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(s->b, "%s: the file is never cold",
				  t->place.where);
	return left ? bench_skip(
			      s->b,
			      "%jd bytes could not be dropped from the cache",
			      (intmax_t)left)
		    : 0;
}

/* See that nothing of [from, to) is cached. */
static int make_cold(struct state *s, uint64_t from, uint64_t to)
{
	const double bytes = (double)(to - from);
	int64_t left = file_cache_bytes(s->target.local, from, to - from);
	const int err = left > 0 ? drop(s, from, to) : 0;

	if (err)
		return err;
	if (left > 0)
		left = file_cache_bytes(s->target.local, from, to - from);
	if (left < 0)
		return bench_fail(s->b, (int)-left, "look into the page cache");
	bench_purity(s->b, s->c, "uncached_before", BENCH_MOSTLY, bytes,
		     bytes - (double)left);
	return 0;
}

/* See that all of the piece is. */
static int make_warm(struct state *s)
{
	const int64_t n =
		file_cache_fetch(s->target.local, s->start, s->end - s->start);

	if (n < 0)
		return bench_fail(s->b, (int)-n, "get it into the cache");
	bench_purity(s->b, s->c, "cached_before", BENCH_MOSTLY,
		     (double)(s->end - s->start), (double)n);
	return 0;
}

static ssize_t read_at(struct state *s, size_t len)
{
	const struct remote_read *r = s->read;
	ssize_t n;

	if (!r->local)
		return remote_target_read(&s->target, s->buffer, len, s->at);
	n = pread(r->cache == DIRECT ? s->target.local_direct : s->target.plain,
		  s->buffer, len, (off_t)s->at);
	return n < 0 ? -errno : n;
}

static int wrong_length(struct state *s, ssize_t got)
{
	if (got < 0 && s->read->local)
		return bench_fail(s->b, (int)-got, "read the local file");
	if (got < 0)
		return remote_target_fail(&s->target, (int)got, "read");
	return bench_skip(s->b, "one read gave %zd of %u bytes", got,
			  s->read->block);
}

/* Get reading ahead and the connection under way, in blocks that do it
 * soon. */
static int read_lead(struct state *s)
{
	const uint64_t end = s->start + s->lead;

	while (s->at < end && !bench_stopping(s->b)) {
		const uint64_t left = end - s->at;
		const ssize_t got =
			read_at(s, left < MAX_BLOCK ? left : MAX_BLOCK);

		if (got <= 0)
			return wrong_length(s, got);
		s->at += (uint64_t)got;
		s->reads++;
		s->wanted += (uint64_t)got;
	}
	return 0;
}

/* Whether storage is much faster than what is read from it. */
static bool is_far(const struct remote_read *r)
{
	return !r->local && r->block < LARGE;
}

/*
 * What is fetched ahead is in the figure as it should be only if as much is
 * fetched as is read.  So the events of a visit read one part each of a small
 * file as a whole, from its first read on, or of some times as much as the
 * kernel fetches at a time, when reading ahead is under way.  Return: bytes of
 * the piece.
 */
static uint64_t choose_stretch(struct state *s)
{
	const struct remote_read *r = s->read;
	const int64_t most = s->target.place.read_ahead;
	uint64_t bytes = r->file;

	s->window = most > (int64_t)AHEAD_BYTES ? (uint64_t)most : AHEAD_BYTES;
	s->whole = r->file <= WHOLE_BYTES ||
		   r->file < AHEADS * s->window + MAX_BLOCK;
	if (!s->whole) {
		s->lead = s->window;
		bytes = (is_far(r) ? WINDOWS_FAR : WINDOWS) * s->window;
	}
	s->blocks = (unsigned int)(bytes / r->block);
	return s->whole ? r->file : AHEADS * s->window;
}

/* Linux (6.18) cuts what it fetches at a multiple of its largest page, once,
 * and less would be fetched than read; but not where it ends at such a multiple
 * anyhow, as it does if the lead begins one read behind one: its first read
 * fetches nothing ahead. */
static void align_start(struct state *s, uint64_t bytes)
{
	const uint64_t end = s->target.bytes, first = end - s->read->file;
	uint64_t start = s->start / s->window * s->window;

	start += MAX_BLOCK;
	if (start + bytes > end)
		start -= s->window;
	else if (start < first)
		start += s->window;
	if (start >= first && start + bytes <= end)
		s->start = start;
}

/* The piece that this visit reads, and in what parts: somewhere at random in
 * the part of the file that is used, which is its end, for nothing can be
 * fetched ahead beyond it. */
static void choose_piece(struct state *s)
{
	const struct remote_read *r = s->read;
	uint64_t bytes = (uint64_t)(s->c->most + MORE_READS) * r->block;

	s->lead = needs_lead(r) ? AHEAD_BYTES : 0;
	s->part = 0;
	s->whole = false;
	s->runs = r->cache == COLD && !r->random;
	if (s->runs)
		bytes = choose_stretch(s);
	else if (r->random)
		bytes = r->cache == WARM ? PIECE : r->file;
	else
		bytes = (bytes > AGAIN ? AGAIN : bytes) + s->lead;
	bytes = bytes > r->file ? r->file : bytes;
	s->start = s->target.bytes - r->file +
		   bench_random(s->b) % ((r->file - bytes) / r->block + 1) *
			   r->block;
	if (s->runs && !s->whole)
		align_start(s, bytes);
	s->end = s->start + bytes;
}

/* The first read of a piece, or a stretch once more. */
static int begin(struct state *s)
{
	const struct remote_read *r = s->read;
	int err = 0;

	s->at = s->start;
	s->part = 0;
	if (s->runs)
		err = make_cold(s, s->start, s->end);
	else if (r->cache == WARM)
		err = make_warm(s);
	return err;
}

static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct remote_target *t = &s->target;
	struct remote_read *r = c->data;
	int err;

	s->read = case_has(c, "cache") ? r : NULL;
	s->c = c;
	s->n_seen = s->reads = 0;
	s->wanted = s->timed = s->least = 0;
	s->fetched = (struct file_counts) { 0 };
	if (!s->read)
		return 0;
	if (r->file > t->bytes)
		return bench_skip(b, "the file has only %ju bytes",
				  (uintmax_t)t->bytes);
	if (r->cache == DIRECT && t->local_direct < 0)
		return bench_skip(b, "%s", t->why_not_direct);
	if (!r->local && t->nfs.dead)
		return bench_fail(b, 0, "%s", t->nfs.why);
	choose_piece(s);
	err = begin(s);
	remote_target_traffic(t, &s->traffic);
	s->counts = file_counts(&t->place);
	return err ? err : read_lead(s);
}

/* Of a stretch one word in each page, for its time is taken with that of the
 * reads, during which the disk does not stand still. */
static uint64_t sum_of(const struct state *s)
{
	const size_t step = s->runs ? FILE_DATA_BLOCK : sizeof(uint64_t);
	const char *bytes = s->buffer;
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s->read->block; i += step) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3u;
	}
	return sum;
}

/* Whether what was read was the file's data: only now, when a local file may be
 * read without changing what is cached. */
static int check_seen(struct state *s)
{
	const uint32_t len = s->read->block;
	size_t right = 0;

	if (!s->target.known && s->target.local < 0)
		return 0; /* nobody knows */
	for (size_t i = 0; i < s->n_seen; i++) {
		const uint64_t at = s->seen[i].offset;

		if (s->target.known)
			file_data_fill(s->buffer, len, at);
		else if (pread(s->target.local, s->buffer, len, (off_t)at) !=
			 (ssize_t)len)
			return bench_fail(s->b, errno, "read the local file");
		right += sum_of(s) == s->seen[i].sum;
	}
	if (s->n_seen)
		bench_proof(s->b, s->c, "contents_right", (double)s->n_seen,
			    (double)right);
	s->n_seen = 0;
	return 0;
}

static void choose_any(struct state *s)
{
	const uint32_t block = s->read->block;

	s->at = s->start +
		bench_random(s->b) % ((s->end - s->start) / block) * block;
}

/* Whether what was read and did not count is more than may lie before a
 * stretch. */
static bool is_late(const struct state *s)
{
	return !s->part &&
	       s->at > s->start + s->lead + (s->whole ? 0 : s->window);
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct remote_read *r = s->read;
	const bool again = r && s->runs && (is_late(s) || s->part == PARTS);
	int err = 0;

	if (!r)
		return 0;
	/* Not within a stretch: what is fetched ahead would get the time. */
	if (again || (!s->runs && s->target.known && s->n_seen > MAX_SEEN / 2))
		err = check_seen(s);
	if (err)
		return err;
	if (again) {
		err = begin(s);
		if (!err)
			err = read_lead(s);
	} else if (!s->runs && r->random) {
		choose_any(s);
		if (r->cache == COLD)
			err = make_cold(s, s->at, s->at + r->block);
	} else if (!s->runs && s->at >= s->end) {
		s->at = s->start + s->lead;
	}
	/* What is checked afterwards must have come in this read. */
	memset(s->buffer, 0, r->block);
	return err;
}

static void block_done(struct state *s)
{
	if (s->n_seen < MAX_SEEN)
		s->seen[s->n_seen++] = (struct seen) { s->at, sum_of(s) };
	s->reads++;
	s->wanted += s->read->block;
	s->at += s->read->block;
}

/* @n blocks, looked at as they come.  Return: what the last read gave. */
static ssize_t read_blocks(struct state *s, unsigned int n)
{
	const uint32_t block = s->read->block;
	ssize_t got = block;

	for (unsigned int i = 0; i < n && got == (ssize_t)block; i++) {
		if (bench_stopping(s->b))
			break;
		got = read_at(s, block);
		if (got == (ssize_t)block)
			block_done(s);
	}
	return got;
}

/* What was fetched while a whole stretch was timed. */
static void end_stretch(struct state *s)
{
	const uint64_t bytes = (uint64_t)s->blocks * s->read->block;
	const struct file_counts now =
		file_counts_since(&s->target.place, &s->stretch);

	s->timed += bytes;
	s->least += s->whole ? bytes : bytes - s->window;
	s->fetched.device_read += now.device_read;
	s->fetched.process_read += now.process_read;
}

/* The next part of a stretch, as long as the others but for a block: all of
 * their time is shared out, so that its mean is that of all blocks.  (How they
 * differ, by where the disk is waited for, says nothing of its error.)  What
 * does not count is one block, so that no part is read without being timed. */
static int sample_part(struct state *s)
{
	const bool counts = bench_is_sample(s->b);
	const unsigned int from = s->blocks * s->part / PARTS,
			   to = s->blocks * (s->part + 1) / PARTS;
	const double blocks = counts ? (double)s->blocks / PARTS : 1;
	uint64_t ticks = 0;
	ssize_t got;

	if (counts && !s->part)
		s->stretch = file_counts(&s->target.place);
	TIMER_INTERVAL(bench_timer(s->b)->method, ticks,
		       got = read_blocks(s, counts ? to - from : 1));
	if (got != (ssize_t)s->read->block)
		return wrong_length(s, got);
	if (bench_stopping(s->b))
		return 0;
	bench_record_value(s->b, s->c, bench_ns(s->b, (double)ticks) / blocks);
	s->part += counts;
	if (s->part == PARTS)
		end_stretch(s);
	return 0;
}

static int sample(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	uint64_t ticks = 0;
	ssize_t got;

	if (bench_stopping(b))
		return 0;
	if (s->runs)
		return sample_part(s);
	TIMER_INTERVAL(bench_timer(s->b)->method, ticks,
		       got = read_at(s, s->read->block));
	if (got != (ssize_t)s->read->block)
		return wrong_length(s, got);
	block_done(s);
	bench_record(s->b, s->c, ticks);
	sample_push(&s->read->all, bench_ns(s->b, (double)ticks));
	return 0;
}

/* What came over the network, as the kernel counted. */
static void tell_traffic(struct state *s)
{
	struct remote_traffic now;

	remote_target_traffic(&s->target, &now);
	if (now.received_bytes < 0 || s->traffic.received_bytes < 0)
		return;
	bench_least(s->b, s->c, "wire_bytes", (double)s->wanted,
		    (double)(now.received_bytes - s->traffic.received_bytes));
	bench_least(s->b, s->c, "requests", s->reads,
		    (double)(now.sent_segments - s->traffic.sent_segments));
}

/* What came from the disk: the counters of the device, and for reads of our
 * own those of this process. */
static void tell_disk(struct state *s)
{
	const struct file_counts now =
		file_counts_since(&s->target.place, &s->counts);

	if (now.device_read >= 0)
		bench_least(s->b, s->c, "device_bytes", (double)s->wanted,
			    (double)now.device_read);
	if (s->read->local && now.process_read >= 0)
		bench_least(s->b, s->c, "disk_bytes", (double)s->wanted,
			    (double)now.process_read);
}

/* How much of what was timed was fetched in that time: all, but where a stretch
 * begins or ends within what is fetched at once.  Before far reads, which are
 * slower than their lead, much is under way, and nobody waits for it. */
static void tell_stretch(struct state *s)
{
	const bool local = s->read->local;
	const int64_t fetched =
		local ? s->fetched.process_read : s->fetched.device_read;

	if (!s->timed || fetched < 0 || (is_far(s->read) && !s->whole))
		return;
	bench_fact(s->b, s->c, "bytes_fetched_for_each",
		   (double)fetched / (double)s->timed);
	if (local)
		bench_least(s->b, s->c, "fetched_while_timed", (double)s->least,
			    (double)fetched);
}

static void tell_place(const struct state *s)
{
	const struct remote_target *t = &s->target;

	if (t->local >= 0 || t->mounted >= 0)
		bench_fact_text(s->b, s->c, "place", t->place.where);
	if (!s->read->local && t->mounted < 0) {
		bench_fact(s->b, s->c, "nfs_version", t->nfs.version);
		if (t->server_cpu >= 0)
			bench_fact(s->b, s->c, "server_cpu", t->server_cpu);
	}
	if (!t->known && t->local < 0)
		bench_fact_text(s->b, s->c, "contents", "not checked");
}

static int leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct remote_read *r = s->read;

	if (!s->reads)
		return 0;
	if (!r->local)
		tell_traffic(s);
	if (r->cache == COLD || r->cache == DIRECT)
		tell_disk(s);
	tell_stretch(s);
	tell_place(s);
	/* The next case shall not wait for what is still fetched ahead. */
	if (s->runs)
		file_cache_drop(s->target.local, s->start, s->end - s->start);
	return check_seen(s);
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
	BENCH_EACH (b, c, "cache figure=read")
		sample_free(&((struct remote_read *)c->data)->all);
	free(s->buffer);
	free(s->seen);
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
