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

struct ipc_ring {
	_Alignas(64) _Atomic uint32_t written; /* messages, modulo 2^32 */
	_Atomic uint32_t reader_sleeps;
	_Alignas(64) _Atomic uint32_t read;
	_Atomic uint32_t writer_sleeps;
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
