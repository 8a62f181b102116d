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

void ipc_ring_reset(struct ipc_ring *r)
{
	atomic_store(&r->written, 0);
	atomic_store(&r->read, 0);
	atomic_store(&r->reader_sleeps, 0);
	atomic_store(&r->writer_sleeps, 0);
}

/*
 * Sleep while *@word is @value.  The flag is raised before the futex looks at
 * the word, and the other side looks at the flag after it has changed the
 * word (both in the one order of seq_cst): one of the two sees the other.
 */
static int sleep_while(_Atomic uint32_t *word, uint32_t value,
		       _Atomic uint32_t *sleeps)
{
	int err;

	atomic_store(sleeps, 1);
	err = futex_wait(word, value, false);
	return err == -EINTR ? err : 0;
}

static void publish(_Atomic uint32_t *word, uint32_t value,
		    _Atomic uint32_t *sleeps)
{
	atomic_store(word, value);
	if (atomic_load(sleeps)) {
		atomic_store(sleeps, 0);
		futex_wake(word, 1, false);
	}
}

int ipc_ring_put(struct ipc_ring *r, const void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = atomic_load(&r->written);
	uint32_t read;

	while (at - (read = atomic_load(&r->read)) >= slots)
		if (sleep_while(&r->read, read, &r->writer_sleeps))
			return -EINTR;
	memcpy(r->data + at % slots * size, message, size);
	publish(&r->written, at + 1, &r->reader_sleeps);
	return 0;
}

int ipc_ring_get(struct ipc_ring *r, void *message, size_t size)
{
	const uint32_t slots = slots_of(size);
	const uint32_t at = atomic_load(&r->read);

	while (atomic_load(&r->written) == at)
		if (sleep_while(&r->written, at, &r->reader_sleeps))
			return -EINTR;
	memcpy(message, r->data + at % slots * size, size);
	publish(&r->read, at + 1, &r->writer_sleeps);
	return 0;
}
