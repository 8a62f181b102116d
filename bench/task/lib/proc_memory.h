/* SPDX-License-Identifier: MIT */
#ifndef PROC_MEMORY_H
#define PROC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Private anonymous memory that was touched: what fork has to copy. */
struct proc_memory {
	char *start; /* NULL: none */
	size_t bytes;
	void *mapping; /* with what alignment took */
	size_t mapped;
};

/* proc_huge_page_bytes() - size of a transparent huge page; 0 if the kernel
 * has none or they are switched off ("never"). */
size_t proc_huge_page_bytes(void);

/**
 * proc_memory_open() - map @bytes and touch every page.
 * @huge: ask for huge pages; else forbid them.
 *
 * Where the program's memory is locked (MCL_FUTURE), a mapping is populated
 * when it is made, before advice could be given; so it is made without access
 * first.
 *
 * Return: 0 or -errno; @m is then unchanged but for being closed.
 */
int proc_memory_open(struct proc_memory *m, size_t bytes, bool huge);

/* proc_memory_touch() - write to every page, as its owner would between two
 * forks; @page is the step in bytes. */
void proc_memory_touch(const struct proc_memory *m, size_t page);

/**
 * proc_memory_size() - how large a process is, which is what fork copies.
 * @pid: of the process; 0 for this one.
 * @resident: bytes that are there.
 * @mappings: how many.
 *
 * Return: 0 or -errno; -ENOENT: no /proc shows it.
 */
int proc_memory_size(pid_t pid, uint64_t *resident, unsigned int *mappings);

/* proc_memory_close() - give it back; nothing if there is none. */
void proc_memory_close(struct proc_memory *m);

#endif
