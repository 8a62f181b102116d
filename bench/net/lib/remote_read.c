/* SPDX-License-Identifier: MIT */
#include "remote_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_data.h"

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

int remote_reader_open(struct remote_reader *v, struct bench *b,
		       struct remote_target *t)
{
	v->b = b;
	v->target = t;
	v->seen = calloc(MAX_SEEN, sizeof(*v->seen));
	if (!v->seen ||
	    posix_memalign(&v->buffer, FILE_DATA_ALIGN, REMOTE_READ_MAX_BLOCK))
		return bench_fail(b, ENOMEM, "memory for a block");
	memset(v->buffer, 0, REMOTE_READ_MAX_BLOCK);
	return 0;
}

void remote_reader_close(struct remote_reader *v)
{
	if (!v->b)
		return;
	BENCH_EACH (v->b, c, "cache figure=read")
		sample_free(&((struct remote_read *)c->data)->all);
	free(v->buffer);
	free(v->seen);
}

/* Take [from, to) out of the cache of whoever has the disk. */
static int drop(struct remote_reader *v, uint64_t from, uint64_t to)
{
	const struct remote_target *t = v->target;
	const uint64_t low = from / FOLIO * FOLIO;
	const uint64_t high = (to + FOLIO - 1) / FOLIO * FOLIO;
	int64_t left =
		file_cache_drop(t->local, low,
				(high > t->bytes ? t->bytes : high) - low);

	if (left > 0)
		left = file_cache_bytes(t->local, from, to - from);
	if (left < 0)
		return bench_fail(v->b, (int)-left, "drop cached pages");
	if (left > 0 && t->place.kind == FILE_PLACE_MEMORY)
		return bench_skip(v->b, "%s: the file is never cold",
				  t->place.where);
	return left ? bench_skip(
			      v->b,
			      "%jd bytes could not be dropped from the cache",
			      (intmax_t)left)
		    : 0;
}

/* See that nothing of [from, to) is cached. */
static int make_cold(struct remote_reader *v, uint64_t from, uint64_t to)
{
	const double bytes = (double)(to - from);
	int64_t left = file_cache_bytes(v->target->local, from, to - from);
	const int err = left > 0 ? drop(v, from, to) : 0;

	if (err)
		return err;
	if (left > 0)
		left = file_cache_bytes(v->target->local, from, to - from);
	if (left < 0)
		return bench_fail(v->b, (int)-left, "look into the page cache");
	bench_purity(v->b, v->c, "uncached_before", BENCH_MOSTLY, bytes,
		     bytes - (double)left);
	return 0;
}

/* See that all of the piece is. */
static int make_warm(struct remote_reader *v)
{
	const int64_t n =
		file_cache_fetch(v->target->local, v->start, v->end - v->start);

	if (n < 0)
		return bench_fail(v->b, (int)-n, "get it into the cache");
	bench_purity(v->b, v->c, "cached_before", BENCH_MOSTLY,
		     (double)(v->end - v->start), (double)n);
	return 0;
}

static ssize_t read_at(const struct remote_reader *v, size_t len)
{
	const struct remote_read *r = v->read;
	ssize_t n;

	if (!r->local)
		return remote_target_read(v->target, v->buffer, len, v->at);
	n = pread(r->cache == REMOTE_DIRECT ? v->target->local_direct
					    : v->target->plain,
		  v->buffer, len, (off_t)v->at);
	return n < 0 ? -errno : n;
}

static int wrong_length(struct remote_reader *v, ssize_t got)
{
	if (got < 0 && v->read->local)
		return bench_fail(v->b, (int)-got, "read the local file");
	if (got < 0)
		return remote_target_fail(v->target, (int)got, "read");
	return bench_skip(v->b, "one read gave %zd of %u bytes", got,
			  v->read->block);
}

/* Get reading ahead and the connection under way, in blocks that do it
 * soon. */
static int read_lead(struct remote_reader *v)
{
	const uint64_t end = v->start + v->lead;

	while (v->at < end && !bench_stopping(v->b)) {
		const uint64_t left = end - v->at;
		const ssize_t got = read_at(v, left < REMOTE_READ_MAX_BLOCK
						       ? left
						       : REMOTE_READ_MAX_BLOCK);

		if (got <= 0)
			return wrong_length(v, got);
		v->at += (uint64_t)got;
		v->reads++;
		v->wanted += (uint64_t)got;
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
static uint64_t choose_stretch(struct remote_reader *v)
{
	const struct remote_read *r = v->read;
	const int64_t most = v->target->place.read_ahead;
	uint64_t bytes = r->file;

	v->window = most > (int64_t)AHEAD_BYTES ? (uint64_t)most : AHEAD_BYTES;
	v->whole = r->file <= WHOLE_BYTES ||
		   r->file < AHEADS * v->window + REMOTE_READ_MAX_BLOCK;
	if (!v->whole) {
		v->lead = v->window;
		bytes = (is_far(r) ? WINDOWS_FAR : WINDOWS) * v->window;
	}
	v->blocks = (unsigned int)(bytes / r->block);
	return v->whole ? r->file : AHEADS * v->window;
}

bool remote_read_needs_lead(const struct remote_read *r)
{
	return !r->local && !r->random && r->cache != REMOTE_COLD &&
	       r->block >= LARGE;
}

/* Linux (6.18) cuts what it fetches at a multiple of its largest page, once,
 * and less would be fetched than read; but not where it ends at such a multiple
 * anyhow, as it does if the lead begins one read behind one: its first read
 * fetches nothing ahead. */
static void align_start(struct remote_reader *v, uint64_t bytes)
{
	const uint64_t end = v->target->bytes, first = end - v->read->file;
	uint64_t start = v->start / v->window * v->window;

	start += REMOTE_READ_MAX_BLOCK;
	if (start + bytes > end)
		start -= v->window;
	else if (start < first)
		start += v->window;
	if (start >= first && start + bytes <= end)
		v->start = start;
}

/* The piece that this visit reads, and in what parts: somewhere at random in
 * the part of the file that is used, which is its end, for nothing can be
 * fetched ahead beyond it. */
static void choose_piece(struct remote_reader *v)
{
	const struct remote_read *r = v->read;
	uint64_t bytes = (uint64_t)(v->c->most + MORE_READS) * r->block;

	v->lead = remote_read_needs_lead(r) ? AHEAD_BYTES : 0;
	v->part = 0;
	v->whole = false;
	v->runs = r->cache == REMOTE_COLD && !r->random;
	if (v->runs)
		bytes = choose_stretch(v);
	else if (r->random)
		bytes = r->cache == REMOTE_WARM ? PIECE : r->file;
	else
		bytes = (bytes > AGAIN ? AGAIN : bytes) + v->lead;
	bytes = bytes > r->file ? r->file : bytes;
	v->start = v->target->bytes - r->file +
		   bench_random(v->b) % ((r->file - bytes) / r->block + 1) *
			   r->block;
	if (v->runs && !v->whole)
		align_start(v, bytes);
	v->end = v->start + bytes;
}

/* The first read of a piece, or a stretch once more. */
static int begin(struct remote_reader *v)
{
	const struct remote_read *r = v->read;
	int err = 0;

	v->at = v->start;
	v->part = 0;
	if (v->runs)
		err = make_cold(v, v->start, v->end);
	else if (r->cache == REMOTE_WARM)
		err = make_warm(v);
	return err;
}

int remote_read_enter(struct remote_reader *v, const struct bench_case *c)
{
	const struct remote_target *t = v->target;
	struct remote_read *r = c->data;
	int err;

	v->read = r;
	v->c = c;
	v->n_seen = v->reads = 0;
	v->wanted = v->timed = v->least = 0;
	v->fetched = (struct file_counts) { 0 };
	if (r->file > t->bytes)
		return bench_skip(v->b, "the file has only %ju bytes",
				  (uintmax_t)t->bytes);
	if (r->cache == REMOTE_DIRECT && t->local_direct < 0)
		return bench_skip(v->b, "%s", t->why_not_direct);
	if (!r->local && t->nfs.dead)
		return bench_fail(v->b, 0, "%s", t->nfs.why);
	choose_piece(v);
	err = begin(v);
	remote_target_traffic(t, &v->traffic);
	file_counts_read(&t->place, &v->counts);
	return err ? err : read_lead(v);
}

/* Of a stretch one word in each page, for its time is taken with that of the
 * reads, during which the disk does not stand still. */
static uint64_t sum_of(const struct remote_reader *v)
{
	const size_t step = v->runs ? FILE_DATA_BLOCK : sizeof(uint64_t);
	const char *bytes = v->buffer;
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < v->read->block; i += step) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3u;
	}
	return sum;
}

/* Whether what was read was the file's data: only now, when a local file may be
 * read without changing what is cached. */
static int check_seen(struct remote_reader *v)
{
	const uint32_t len = v->read->block;
	size_t right = 0;

	if (!v->target->known && v->target->local < 0)
		return 0; /* nobody knows */
	for (size_t i = 0; i < v->n_seen; i++) {
		const uint64_t at = v->seen[i].offset;

		if (v->target->known)
			file_data_fill(v->buffer, len, at);
		else if (pread(v->target->local, v->buffer, len, (off_t)at) !=
			 (ssize_t)len)
			return bench_fail(v->b, errno, "read the local file");
		right += sum_of(v) == v->seen[i].sum;
	}
	if (v->n_seen)
		bench_proof(v->b, v->c, "contents_right", (double)v->n_seen,
			    (double)right);
	v->n_seen = 0;
	return 0;
}

static void choose_any(struct remote_reader *v)
{
	const uint32_t block = v->read->block;

	v->at = v->start +
		bench_random(v->b) % ((v->end - v->start) / block) * block;
}

/* Whether what was read and did not count is more than may lie before a
 * stretch. */
static bool is_late(const struct remote_reader *v)
{
	return !v->part &&
	       v->at > v->start + v->lead + (v->whole ? 0 : v->window);
}

int remote_read_prepare(struct remote_reader *v)
{
	const struct remote_read *r = v->read;
	const bool again = v->runs && (is_late(v) || v->part == PARTS);
	int err = 0;

	if (again || (v->target->known && v->n_seen > MAX_SEEN / 2))
		err = check_seen(v);
	if (err)
		return err;
	if (again) {
		err = begin(v);
		if (!err)
			err = read_lead(v);
	} else if (!v->runs && r->random) {
		choose_any(v);
		if (r->cache == REMOTE_COLD)
			err = make_cold(v, v->at, v->at + r->block);
	} else if (!v->runs && v->at >= v->end) {
		v->at = v->start + v->lead;
	}
	/* What is checked afterwards must have come in this read. */
	memset(v->buffer, 0, r->block);
	return err;
}

static void block_done(struct remote_reader *v)
{
	if (v->n_seen < MAX_SEEN)
		v->seen[v->n_seen++] =
			(struct remote_seen) { v->at, sum_of(v) };
	v->reads++;
	v->wanted += v->read->block;
	v->at += v->read->block;
}

/* @n blocks, looked at as they come.  Return: what the last read gave. */
static ssize_t read_blocks(struct remote_reader *v, unsigned int n)
{
	const uint32_t block = v->read->block;
	ssize_t got = block;

	for (unsigned int i = 0; i < n && got == (ssize_t)block; i++) {
		if (bench_stopping(v->b))
			break;
		got = read_at(v, block);
		if (got == (ssize_t)block)
			block_done(v);
	}
	return got;
}

/* What was fetched while a whole stretch was timed. */
static void end_stretch(struct remote_reader *v)
{
	const uint64_t bytes = (uint64_t)v->blocks * v->read->block;
	struct file_counts now;

	file_counts_read(&v->target->place, &now);
	file_counts_since(&now, &v->stretch);
	v->timed += bytes;
	v->least += v->whole ? bytes : bytes - v->window;
	v->fetched.device_read += now.device_read;
	v->fetched.process_read += now.process_read;
}

/* The next part of a stretch, as long as the others but for a block: all of
 * their time is shared out, so that its mean is that of all blocks.  (How they
 * differ, by where the disk is waited for, says nothing of its error.)  What
 * does not count is one block, so that no part is read without being timed. */
static int sample_part(struct remote_reader *v)
{
	const bool counts = bench_is_sample(v->b);
	const unsigned int from = v->blocks * v->part / PARTS,
			   to = v->blocks * (v->part + 1) / PARTS;
	const double blocks = counts ? (double)v->blocks / PARTS : 1;
	uint64_t ticks = 0;
	ssize_t got;

	if (counts && !v->part)
		file_counts_read(&v->target->place, &v->stretch);
	TIMER_INTERVAL(bench_timer(v->b)->method, ticks,
		       got = read_blocks(v, counts ? to - from : 1));
	if (got != (ssize_t)v->read->block)
		return wrong_length(v, got);
	if (bench_stopping(v->b))
		return 0;
	bench_record_value(v->b, v->c, bench_ns(v->b, (double)ticks) / blocks);
	v->part += counts;
	if (v->part == PARTS)
		end_stretch(v);
	return 0;
}

int remote_read_sample(struct remote_reader *v)
{
	uint64_t ticks = 0;
	ssize_t got;

	if (v->runs)
		return sample_part(v);
	TIMER_INTERVAL(bench_timer(v->b)->method, ticks,
		       got = read_at(v, v->read->block));
	if (got != (ssize_t)v->read->block)
		return wrong_length(v, got);
	block_done(v);
	bench_record(v->b, v->c, ticks);
	sample_push(&v->read->all, bench_ns(v->b, (double)ticks));
	return 0;
}

/* What came over the network, as the kernel counted. */
static void tell_traffic(struct remote_reader *v)
{
	struct remote_traffic now;

	remote_target_traffic(v->target, &now);
	if (now.received_bytes < 0 || v->traffic.received_bytes < 0)
		return;
	bench_least(v->b, v->c, "wire_bytes", (double)v->wanted,
		    (double)(now.received_bytes - v->traffic.received_bytes));
	bench_least(v->b, v->c, "requests", v->reads,
		    (double)(now.sent_segments - v->traffic.sent_segments));
}

/* What came from the disk: the counters of the device, and for reads of our
 * own those of this process. */
static void tell_disk(struct remote_reader *v)
{
	struct file_counts now;

	file_counts_read(&v->target->place, &now);
	file_counts_since(&now, &v->counts);
	if (now.device_read >= 0)
		bench_least(v->b, v->c, "device_bytes", (double)v->wanted,
			    (double)now.device_read);
	if (v->read->local && now.process_read >= 0)
		bench_least(v->b, v->c, "disk_bytes", (double)v->wanted,
			    (double)now.process_read);
}

/* How much of what was timed was fetched in that time: all, but where a stretch
 * begins or ends within what is fetched at once.  Before far reads, which are
 * slower than their lead, much is under way, and nobody waits for it. */
static void tell_stretch(struct remote_reader *v)
{
	const bool local = v->read->local;
	const int64_t fetched =
		local ? v->fetched.process_read : v->fetched.device_read;

	if (!v->timed || fetched < 0 || (is_far(v->read) && !v->whole))
		return;
	bench_fact(v->b, v->c, "bytes_fetched_for_each",
		   (double)fetched / (double)v->timed);
	if (local)
		bench_least(v->b, v->c, "fetched_while_timed", (double)v->least,
			    (double)fetched);
}

static void tell_place(const struct remote_reader *v)
{
	const struct remote_target *t = v->target;

	if (t->local >= 0 || t->mounted >= 0)
		bench_fact_text(v->b, v->c, "place", t->place.where);
	if (!v->read->local && t->mounted < 0) {
		bench_fact(v->b, v->c, "nfs_version", t->nfs.version);
		if (t->server_cpu >= 0)
			bench_fact(v->b, v->c, "server_cpu", t->server_cpu);
	}
	if (!t->known && t->local < 0)
		bench_fact_text(v->b, v->c, "contents", "not checked");
}

int remote_read_leave(struct remote_reader *v)
{
	const struct remote_read *r = v->read;

	if (!v->reads)
		return 0;
	if (!r->local)
		tell_traffic(v);
	if (r->cache == REMOTE_COLD || r->cache == REMOTE_DIRECT)
		tell_disk(v);
	tell_stretch(v);
	tell_place(v);
	/* The next case shall not wait for what is still fetched ahead. */
	if (v->runs)
		file_cache_drop(v->target->local, v->start, v->end - v->start);
	return check_seen(v);
}
