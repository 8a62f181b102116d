/* SPDX-License-Identifier: MIT */
#ifndef MEM_ISA_H
#define MEM_ISA_H

/* The kinds of loops that memory/ has. */
enum mem_isa {
	MEM_SCALAR, /* ld, sd */
	MEM_VLA,    /* RVV */
	MEM_REP,    /* no instruction for a block: no loop */
	MEM_LIBC,   /* memset(), memcpy() */
	MEM_ISAS
};

#define MEM_BASE MEM_SCALAR /* registers that every processor has */

#endif
