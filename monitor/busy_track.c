// SPDX-License-Identifier: MIT
#include "switches.h"

static void account(struct busy_track *track, uint64_t until_ns)
{
	/* A record may come a little after the interval that it belongs to
	 * was ended: it then counts from the beginning of this one. */
	if (until_ns <= track->since_ns)
		return;
	if (track->known && track->busy)
		track->busy_ns += until_ns - track->since_ns;
	if (!track->known)
		track->lost = true;
	track->since_ns = until_ns;
}

void busy_track_switch(struct busy_track *track, uint64_t at_ns, bool busy)
{
	account(track, at_ns);
	track->known = true;
	track->busy = busy;
}

void busy_track_lost(struct busy_track *track)
{
	track->known = false;
	track->lost = true;
}

bool busy_track_end(struct busy_track *track, uint64_t now_ns,
		    uint64_t *busy_ns)
{
	bool whole;

	account(track, now_ns);
	whole = !track->lost;
	if (whole)
		*busy_ns = track->busy_ns;
	track->busy_ns = 0;
	track->lost = false;
	return whole;
}
