/* SPDX-License-Identifier: MIT */
#include "ipc_ring.h"

#include <stdbool.h>
#include <string.h>

#include "sync_futex.h"

static uint32_t slots_of(size_t size)
{
	const size_t n = IPC_RING_BYTES / size;

	return n < 2 ? 2 : (uint32_t)n;
}

#define SLEEPS 1u		 /* the lowest bit */
#define COUNTS (UINT32_MAX >> 1) /* of messages */

static uint32_t count_of(uint32_t word)
{
	return word >> 1;
}

void ipc_ring_reset(struct ipc_ring *r)
{
	atomic_store(&r->written, 0);
	atomic_store(&r->read, 0);
}

/* Sleep while *@word is @seen: mark it, unless it has changed, and let the
 * kernel look at the marked word once more. */
static int sleep_while(_Atomic uint32_t *word, uint32_t seen)
{
	if (!(seen & SLEEPS) &&
	    !atomic_compare_exchange_strong(word, &seen, seen | SLEEPS))
		return 0;
	return futex_wait(word, seen | SLEEPS, false) == -EINTR ? -EINTR : 0;
}

static void publish(_Atomic uint32_t *word, uint32_t count)
{
	if (atomic_exchange(word, count << 1) & SLEEPS)
		futex_wake(word, 1, false);
}

int ipc_ring_put(struct ipc_ring *r, const void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = count_of(atomic_load(&r->written));
	uint32_t read;

	while (((at - count_of(read = atomic_load(&r->read))) & COUNTS) >=
	       slots)
		if (sleep_while(&r->read, read))
			return -EINTR;
	memcpy(r->data + at % slots * size, message, size);
	publish(&r->written, at + 1);
	return 0;
}

int ipc_ring_get(struct ipc_ring *r, void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = count_of(atomic_load(&r->read));
	uint32_t written;

	while (count_of(written = atomic_load(&r->written)) == at)
		if (sleep_while(&r->written, written))
			return -EINTR;
	memcpy(message, r->data + at % slots * size, size);
	publish(&r->read, at + 1);
	return 0;
}
