/* SPDX-License-Identifier: MIT */
#ifndef CALLEE_H
#define CALLEE_H

#include <stdint.h>

#include "timer.h"

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

/* UPTO_n(X, S): X(1) S() X(2) S() ... X(n). */
#define UPTO_0(X, S)  X##_0
#define UPTO_1(X, S)  X(1)
#define UPTO_2(X, S)  UPTO_1(X, S) S() X(2)
#define UPTO_3(X, S)  UPTO_2(X, S) S() X(3)
#define UPTO_4(X, S)  UPTO_3(X, S) S() X(4)
#define UPTO_5(X, S)  UPTO_4(X, S) S() X(5)
#define UPTO_6(X, S)  UPTO_5(X, S) S() X(6)
#define UPTO_7(X, S)  UPTO_6(X, S) S() X(7)
#define UPTO_8(X, S)  UPTO_7(X, S) S() X(8)
#define UPTO_9(X, S)  UPTO_8(X, S) S() X(9)
#define UPTO_10(X, S) UPTO_9(X, S) S() X(10)
#define UPTO_11(X, S) UPTO_10(X, S) S() X(11)
#define UPTO_12(X, S) UPTO_11(X, S) S() X(12)
#define UPTO_13(X, S) UPTO_12(X, S) S() X(13)
#define UPTO_14(X, S) UPTO_13(X, S) S() X(14)
#define UPTO_15(X, S) UPTO_14(X, S) S() X(15)
#define UPTO_16(X, S) UPTO_15(X, S) S() X(16)
#define UPTO_17(X, S) UPTO_16(X, S) S() X(17)
#define UPTO_18(X, S) UPTO_17(X, S) S() X(18)
#define UPTO_19(X, S) UPTO_18(X, S) S() X(19)
#define UPTO_20(X, S) UPTO_19(X, S) S() X(20)
#define UPTO_21(X, S) UPTO_20(X, S) S() X(21)
#define UPTO_22(X, S) UPTO_21(X, S) S() X(22)
#define UPTO_23(X, S) UPTO_22(X, S) S() X(23)
#define UPTO_24(X, S) UPTO_23(X, S) S() X(24)
#define COMMA()	      ,
#define NOTHING()

#define PARAM(k)  uint64_t a##k
#define PARAM_0	  void
#define PARAMS(n) UPTO_##n(PARAM, COMMA)

/* Arguments: elements of an array a, which the compiler must load afresh for
 * each call, for the procedure before might have changed them. */
#define ARG(k) a[(k)-1]
#define ARG_0
#define ARGS(n) UPTO_##n(ARG, COMMA)

/*
 * The use: one add to a sum.  The empty asm keeps the compiler from turning
 * the adds into vector code, which would load two arguments at once that were
 * stored one by one, and wait for that.
 */
#define USE(k)       \
	sum += a##k; \
	__asm__("" : "+r"(sum));
#define USE_0

/* Neither inlined, cloned nor analysed from outside; gcc has a word for all
 * of it, and the separate translation unit does the rest. */
#if __has_attribute(noipa)
#define CALLEE_OPAQUE __attribute__((noinline, noipa, aligned(64)))
#else
#define CALLEE_OPAQUE __attribute__((noinline, aligned(64)))
#endif

/* The 1 shows that a procedure without arguments was called, too. */
#define CALLEE_DEFINE(prefix, n)                       \
	CALLEE_OPAQUE uint64_t prefix##_##n(PARAMS(n)) \
	{                                              \
		uint64_t sum = 1;                      \
                                                       \
		UPTO_##n(USE, NOTHING) return sum;     \
	}

/* Weak: the program starts without its shared object, and then opens it. */
#define CALLEE_DECLARE(n)               \
	uint64_t callee_##n(PARAMS(n)); \
	__attribute__((weak)) uint64_t callee_plt_##n(PARAMS(n));

CALLEE_FOR_EACH(CALLEE_DECLARE)

/* The loops that call them (caller.c). */

/* Calls in one pass of a loop: enough that the loop's own two instructions
 * are nothing beside them, few enough that 24 arguments stay within the cache
 * of decoded instructions. */
#define CALLER_UNROLL 8

/* caller_fn - make @passes x CALLER_UNROLL calls with the arguments @a[].
 * Return: the sum of what the calls returned. */
typedef uint64_t caller_fn(const uint64_t *a, uint64_t passes);

/* caller_once_fn - time one call by @method.  @sum: what it returned.  Return:
 * raw ticks. */
typedef uint64_t caller_once_fn(enum timer_method method, const uint64_t *a,
				uint64_t *sum);

struct caller {
	unsigned int args;
	caller_fn *direct, *pointer, *plt;
	caller_once_fn *once;
};

/* One for each number of arguments, 0 ... CALLEE_MAX. */
extern const struct caller callers[];

#endif
