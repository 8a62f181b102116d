/* SPDX-License-Identifier: MIT */
#ifndef MEM_VLA_H
#define MEM_VLA_H

#include "mem_kernels.h"

/*
 * Memory loops over vectors whose length only the processor knows (SVE, RVV):
 * what they do is the same, and an architecture gives the text of
 * VLA_LOAD(v, o, p), VLA_STORE(v, o, p), VLA_STREAM(v, o, p): vector register
 * v, the o-th vector from pointer p on; VLA_NEXT(v): other values for the next;
 * VLA_TRIAD(v, w): v = v * 3 + w;
 * VLA_KERNEL(name, body): the function: 64-bit numbers of all that registers 0
 *   and on hold (MEM_FIRST at the beginning), body for each vector of the
 *   arrays.
 */
/* clang-format off */
#define VLA_READ_V(o)  VLA_LOAD("8", o, "a")
#define VLA_WRITE_V(o) VLA_STORE("0", o, "a") VLA_NEXT("0")
#define VLA_WRITE_NT(o) VLA_STREAM("0", o, "a") VLA_NEXT("0")
#define VLA_COPY_V(o)  VLA_LOAD("8", o, "b") VLA_STORE("8", o, "a")
#define VLA_COPY_NT(o) VLA_LOAD("8", o, "b") VLA_STREAM("8", o, "a")
#define VLA_SUM(o) \
	VLA_LOAD("8", o, "c") VLA_LOAD("16", o, "b") VLA_TRIAD("8", "16")
#define VLA_TRIAD_V(o)  VLA_SUM(o) VLA_STORE("8", o, "a")
#define VLA_TRIAD_NT(o) VLA_SUM(o) VLA_STREAM("8", o, "a")
/* clang-format on */

VLA_KERNEL(vla_read, VLA_READ_V)
VLA_KERNEL(vla_write, VLA_WRITE_V)
VLA_KERNEL(vla_copy, VLA_COPY_V)
VLA_KERNEL(vla_triad, VLA_TRIAD_V)
#ifdef VLA_STREAM
VLA_KERNEL(vla_write_nt, VLA_WRITE_NT)
VLA_KERNEL(vla_copy_nt, VLA_COPY_NT)
VLA_KERNEL(vla_triad_nt, VLA_TRIAD_NT)
#endif

mem_kernel_fn *mem_vla_kernel(enum mem_op op)
{
	static mem_kernel_fn *const kernels[MEM_OPS] = {
		[MEM_READ] = vla_read,	       [MEM_WRITE] = vla_write,
		[MEM_COPY] = vla_copy,	       [MEM_TRIAD] = vla_triad,
#ifdef VLA_STREAM
		[MEM_WRITE_NT] = vla_write_nt, [MEM_COPY_NT] = vla_copy_nt,
		[MEM_TRIAD_NT] = vla_triad_nt,
#endif
	};

	return kernels[op];
}

#endif
