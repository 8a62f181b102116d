/* SPDX-License-Identifier: MIT */
#ifndef REMOTE_PIECE_H
#define REMOTE_PIECE_H

#include <stdbool.h>

#include "remote_read.h"

/* Which piece of a file a visit reads, and in what parts. */

/* remote_piece_choose() - for @v->read: of the part of the file that is used,
 * which is its end (nothing can be fetched ahead beyond), somewhere at random.
 * @events: reads in this visit, at most. */
void remote_piece_choose(struct remote_reader *v, unsigned int events);

/* remote_piece_is_far() - whether storage is much faster than what is read
 * from it. */
bool remote_piece_is_far(const struct remote_read *r);

/* remote_piece_needs_lead() - whether these are large blocks that go over a
 * network one by one.  Its connection must be as busy as that of cold ones
 * then: after a pause the first ones take longer. */
bool remote_piece_needs_lead(const struct remote_read *r);

#endif
