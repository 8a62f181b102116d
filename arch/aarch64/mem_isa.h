/* SPDX-License-Identifier: MIT */
#ifndef MEM_ISA_H
#define MEM_ISA_H

/* The kinds of loops that memory/ has. */
enum mem_isa {
	MEM_SCALAR, /* ldp, stp of x registers */
	MEM_NEON,   /* of q registers */
	MEM_VLA,    /* SVE */
	MEM_REP,    /* dc zva */
	MEM_LIBC,   /* memset(), memcpy() */
	MEM_ISAS
};

#define MEM_BASE MEM_NEON /* vectors that every processor has */

#endif
