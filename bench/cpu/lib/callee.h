/* SPDX-License-Identifier: MIT */
#ifndef CALLEE_H
#define CALLEE_H

#include <stdint.h>

/*
 * Procedures with 0 to 24 integer arguments, each of which is used once.  The
 * same text makes the ones in the program (bench/cpu/lib/callee.c) and the ones
 * in a shared object (bench/cpu/plt/callee.c), which differ in their prefix.
 */
#define CALLEE_MAX 24

/* X(number of arguments), for all of them.  Left alone: clang-format moves it
 * at each run. */
/* clang-format off */
#define CALLEE_FOR_EACH(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) \
	X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)
/* clang-format on */

/* Parameters. */
#define PARAMS_0  void
#define PARAMS_1  uint64_t a1
#define PARAMS_2  PARAMS_1, uint64_t a2
#define PARAMS_3  PARAMS_2, uint64_t a3
#define PARAMS_4  PARAMS_3, uint64_t a4
#define PARAMS_5  PARAMS_4, uint64_t a5
#define PARAMS_6  PARAMS_5, uint64_t a6
#define PARAMS_7  PARAMS_6, uint64_t a7
#define PARAMS_8  PARAMS_7, uint64_t a8
#define PARAMS_9  PARAMS_8, uint64_t a9
#define PARAMS_10 PARAMS_9, uint64_t a10
#define PARAMS_11 PARAMS_10, uint64_t a11
#define PARAMS_12 PARAMS_11, uint64_t a12
#define PARAMS_13 PARAMS_12, uint64_t a13
#define PARAMS_14 PARAMS_13, uint64_t a14
#define PARAMS_15 PARAMS_14, uint64_t a15
#define PARAMS_16 PARAMS_15, uint64_t a16
#define PARAMS_17 PARAMS_16, uint64_t a17
#define PARAMS_18 PARAMS_17, uint64_t a18
#define PARAMS_19 PARAMS_18, uint64_t a19
#define PARAMS_20 PARAMS_19, uint64_t a20
#define PARAMS_21 PARAMS_20, uint64_t a21
#define PARAMS_22 PARAMS_21, uint64_t a22
#define PARAMS_23 PARAMS_22, uint64_t a23
#define PARAMS_24 PARAMS_23, uint64_t a24

/* Arguments: elements of an array a, which the compiler must load afresh for
 * each call, for the procedure before might have changed them. */
#define ARGS_0
#define ARGS_1	a[0]
#define ARGS_2	ARGS_1, a[1]
#define ARGS_3	ARGS_2, a[2]
#define ARGS_4	ARGS_3, a[3]
#define ARGS_5	ARGS_4, a[4]
#define ARGS_6	ARGS_5, a[5]
#define ARGS_7	ARGS_6, a[6]
#define ARGS_8	ARGS_7, a[7]
#define ARGS_9	ARGS_8, a[8]
#define ARGS_10 ARGS_9, a[9]
#define ARGS_11 ARGS_10, a[10]
#define ARGS_12 ARGS_11, a[11]
#define ARGS_13 ARGS_12, a[12]
#define ARGS_14 ARGS_13, a[13]
#define ARGS_15 ARGS_14, a[14]
#define ARGS_16 ARGS_15, a[15]
#define ARGS_17 ARGS_16, a[16]
#define ARGS_18 ARGS_17, a[17]
#define ARGS_19 ARGS_18, a[18]
#define ARGS_20 ARGS_19, a[19]
#define ARGS_21 ARGS_20, a[20]
#define ARGS_22 ARGS_21, a[21]
#define ARGS_23 ARGS_22, a[22]
#define ARGS_24 ARGS_23, a[23]

/*
 * The use: one add to a sum.  The empty asm keeps the compiler from turning
 * the adds into vector code, which would load two arguments at once that were
 * stored one by one, and wait for that.
 */
#define CALLEE_USE(arg) \
	sum += (arg);   \
	__asm__("" : "+r"(sum));
#define USE_0
#define USE_1  USE_0 CALLEE_USE(a1)
#define USE_2  USE_1 CALLEE_USE(a2)
#define USE_3  USE_2 CALLEE_USE(a3)
#define USE_4  USE_3 CALLEE_USE(a4)
#define USE_5  USE_4 CALLEE_USE(a5)
#define USE_6  USE_5 CALLEE_USE(a6)
#define USE_7  USE_6 CALLEE_USE(a7)
#define USE_8  USE_7 CALLEE_USE(a8)
#define USE_9  USE_8 CALLEE_USE(a9)
#define USE_10 USE_9 CALLEE_USE(a10)
#define USE_11 USE_10 CALLEE_USE(a11)
#define USE_12 USE_11 CALLEE_USE(a12)
#define USE_13 USE_12 CALLEE_USE(a13)
#define USE_14 USE_13 CALLEE_USE(a14)
#define USE_15 USE_14 CALLEE_USE(a15)
#define USE_16 USE_15 CALLEE_USE(a16)
#define USE_17 USE_16 CALLEE_USE(a17)
#define USE_18 USE_17 CALLEE_USE(a18)
#define USE_19 USE_18 CALLEE_USE(a19)
#define USE_20 USE_19 CALLEE_USE(a20)
#define USE_21 USE_20 CALLEE_USE(a21)
#define USE_22 USE_21 CALLEE_USE(a22)
#define USE_23 USE_22 CALLEE_USE(a23)
#define USE_24 USE_23 CALLEE_USE(a24)

/* Neither inlined, cloned nor analysed from outside; gcc has a word for all
 * of it, and the separate translation unit does the rest. */
#if defined(__has_attribute)
#if __has_attribute(noipa)
#define CALLEE_OPAQUE __attribute__((noinline, noipa, aligned(64)))
#endif
#endif
#ifndef CALLEE_OPAQUE
#define CALLEE_OPAQUE __attribute__((noinline, aligned(64)))
#endif

#define CALLEE_NAME(prefix, n)	  prefix##_##n
#define CALLEE_DECLARE(prefix, n) uint64_t CALLEE_NAME(prefix, n)(PARAMS_##n);

/* The 1 shows that a procedure without arguments was called, too. */
#define CALLEE_DEFINE(prefix, n)                                  \
	CALLEE_OPAQUE uint64_t CALLEE_NAME(prefix, n)(PARAMS_##n) \
	{                                                         \
		uint64_t sum = 1;                                 \
                                                                  \
		USE_##n return sum;                               \
	}

#define CALLEE_DECLARE_DIRECT(n) CALLEE_DECLARE(callee, n)
/* Weak: the program starts without its shared object, and then opens it. */
#define CALLEE_DECLARE_PLT(n) \
	__attribute__((weak)) CALLEE_DECLARE(callee_plt, n)

CALLEE_FOR_EACH(CALLEE_DECLARE_DIRECT)
CALLEE_FOR_EACH(CALLEE_DECLARE_PLT)

#endif
