/* SPDX-License-Identifier: MIT */
#ifndef MEM_VLA_ASK_H
#define MEM_VLA_ASK_H

#include "mem_kernels.h"

/* The loops of mem_vla.h.  mem_vla_usable() - whether processor and kernel have
 * such vectors. */
int mem_vla_usable(void);

/* mem_vla_kernel() - NULL if there is none. */
mem_kernel_fn *mem_vla_kernel(enum mem_op op);

#endif
