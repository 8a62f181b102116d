/* SPDX-License-Identifier: MIT */
#ifndef MEM_STRINGS_H
#define MEM_STRINGS_H

#include "mem_kernels.h"

/* The processor's string instructions. */
mem_kernel_fn mem_write_rep, mem_clear_rep, mem_copy_rep;

#endif
