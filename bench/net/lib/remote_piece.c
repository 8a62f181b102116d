/* SPDX-License-Identifier: MIT */
#include "remote_piece.h"

#include "../../file/lib/file_points.h"

/* The cold first one and those to warm up. */
#define MORE_READS 12

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
#define AHEADS	    (WINDOWS + 3) /* one before, two fetched beyond */
#define MOST_PARTS  5
#define LARGE	    ((uint64_t)64 << 10) /* blocks: whole windows are soon read */

bool remote_piece_is_far(const struct remote_read *r)
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
static uint64_t choose_stretch(struct remote_reader *v, unsigned int events)
{
	const struct remote_read *r = v->read;
	const int64_t most = v->target->place.read_ahead;
	uint64_t bytes;

	v->window = FILE_POINTS_AHEAD_BYTES;
	if (most > (int64_t)v->window)
		v->window = (uint64_t)most;
	v->whole = r->file <= FILE_POINTS_WHOLE_BYTES ||
		   r->file < AHEADS * v->window + REMOTE_READ_MAX_BLOCK;
	v->lead = v->whole ? 0 : v->window;
	bytes = v->whole ? r->file
			 : (remote_piece_is_far(r) ? WINDOWS_FAR : WINDOWS) *
				   v->window;
	v->blocks = (unsigned int)(bytes / r->block);
	v->parts = events < MOST_PARTS ? events : MOST_PARTS;
	return v->whole ? r->file : AHEADS * v->window;
}

bool remote_piece_needs_lead(const struct remote_read *r)
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

void remote_piece_choose(struct remote_reader *v, unsigned int events)
{
	const struct remote_read *r = v->read;
	uint64_t bytes = (uint64_t)(events + MORE_READS) * r->block;

	v->lead = remote_piece_needs_lead(r) ? FILE_POINTS_AHEAD_BYTES : 0;
	v->part = 0;
	v->whole = false;
	v->runs = r->cache == REMOTE_COLD && !r->random;
	if (v->runs)
		bytes = choose_stretch(v, events);
	else if (r->random)
		bytes = r->cache == REMOTE_WARM ? PIECE : r->file;
	else if (bytes > AGAIN)
		bytes = AGAIN;
	if (!v->runs)
		bytes += v->lead;
	bytes = bytes > r->file ? r->file : bytes;
	v->start = v->target->bytes - r->file +
		   bench_random(v->b) % ((r->file - bytes) / r->block + 1) *
			   r->block;
	if (v->runs && !v->whole)
		align_start(v, bytes);
	v->end = v->start + bytes;
	v->at = v->start;
}
