/* SPDX-License-Identifier: MIT */
#ifndef MEM_STRINGS_H
#define MEM_STRINGS_H

#include "mem_kernels.h"

/*
 * The kernels that are not vector loops: the processor's string instructions,
 * libc's functions, and the CSE 221 report's access.
 */
mem_kernel_fn mem_write_rep, mem_clear_rep, mem_copy_rep;
mem_kernel_fn mem_write_libc, mem_clear_libc, mem_copy_libc;

/* The report's access: one 4-byte integer in each 256 bytes. */
void mem_read_ints(const void *a, size_t bytes);
void mem_write_ints(void *a, size_t bytes);

#endif
