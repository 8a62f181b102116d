/* SPDX-License-Identifier: MIT */
#ifndef MEM_ISA_H
#define MEM_ISA_H

/* The kinds of loops that memory/ has. */
enum mem_isa {
	MEM_SCALAR,
	MEM_SSE2,
	MEM_AVX2,
	MEM_AVX512,
	MEM_REP,  /* rep stosb, rep movsb */
	MEM_LIBC, /* memset(), memcpy() */
	MEM_ISAS
};

#define MEM_BASE MEM_SSE2 /* vectors that every processor has */

#endif
