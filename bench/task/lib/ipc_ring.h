/* SPDX-License-Identifier: MIT */
#ifndef IPC_RING_H
#define IPC_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A queue of messages in memory that two processes share: one writes, one
 * reads.  Who finds it full or empty sleeps in a futex and never spins, so
 * both sides may run on one CPU under any policy; who changes it makes the
 * system call only if the other side said that it sleeps.
 *
 * Messages are copied in and out, as a kernel does, so that what is compared
 * is the mechanism.
 */

/* As much as a pipe holds by default; two messages at least. */
#define IPC_RING_BYTES	   65536
#define IPC_RING_MAX_BYTES (512 * 1024ul)

/*
 * Each count is written by one side, which counts the messages (modulo 2^31)
 * in all bits but the lowest.  The lowest is set by the other side when it is
 * about to sleep on the count, and goes with the next change: in one word, so
 * that no order of events can lose it.
 */
struct ipc_ring {
	_Alignas(64) _Atomic uint32_t written;
	_Alignas(64) _Atomic uint32_t read;
	_Alignas(64) unsigned char data[IPC_RING_MAX_BYTES];
};

/* ipc_ring_reset() - empty it; nobody may be using it. */
void ipc_ring_reset(struct ipc_ring *r);

/**
 * ipc_ring_put(), ipc_ring_get() - copy one message of @size bytes in or out,
 * sleeping if there is no room or no message.
 *
 * Return: 0, or -EINTR with nothing done.
 */
int ipc_ring_put(struct ipc_ring *r, const void *message, size_t size);
int ipc_ring_get(struct ipc_ring *r, void *message, size_t size);

#endif
