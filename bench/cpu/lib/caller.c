/* SPDX-License-Identifier: MIT */
/*
 * The caller's side, compiled apart from the procedures so that it knows
 * nothing of them but how to call them.  Each function begins at a cache line.
 * mk/programs.mk compiles this without vector registers: clang would copy two
 * arguments at a time.
 */
#include "callee.h"

#define TIMES_8(x) x x x x x x x x
_Static_assert(CALLER_UNROLL == 8, "the loops have TIMES_8");

/* @call: an expression of the arguments in a[]. */
#define CALLER(name, setup, call)                                    \
	__attribute__((noinline, aligned(64))) static uint64_t name( \
		const uint64_t *a, uint64_t passes)                  \
	{                                                            \
		uint64_t sum = 0;                                    \
                                                                     \
		setup for (; passes; passes--)                       \
		{                                                    \
			TIMES_8(sum += (call);)                      \
		}                                                    \
		return sum;                                          \
	}

/* The compiler must not know which procedure it is. */
#define POINTER(n)                              \
	uint64_t (*to)(PARAMS(n)) = callee_##n; \
	__asm__ volatile("" : "+r"(to));

#define ONCE(n)                                                               \
	__attribute__((noinline, aligned(64))) static uint64_t call_once_##n( \
		enum timer_method method, const uint64_t *a, uint64_t *sum)   \
	{                                                                     \
		uint64_t ticks;                                               \
                                                                              \
		TIMER_INTERVAL(method, ticks, *sum = callee_##n(ARGS(n)));    \
		return ticks;                                                 \
	}

#define DEFINE(n)                                         \
	ONCE(n)                                           \
	CALLER(call_direct_##n, , callee_##n(ARGS(n)))    \
	CALLER(call_pointer_##n, POINTER(n), to(ARGS(n))) \
	CALLER(call_plt_##n, , callee_plt_##n(ARGS(n)))

CALLEE_FOR_EACH(DEFINE)

#define ENTRY(n) \
	{ n, call_direct_##n, call_pointer_##n, call_plt_##n, call_once_##n },

const struct caller callers[] = { CALLEE_FOR_EACH(ENTRY) };
