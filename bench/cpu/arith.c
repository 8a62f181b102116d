/* SPDX-License-Identifier: MIT */
/*
 * arith - what does an arithmetic operation cost, waited for and overlapped?
 *
 * figure=latency: each operation takes the result of the one before it, so a
 * chain of them takes as long as their results.  figure=throughput: eight
 * such chains, which need nothing of each other, share the units of the core;
 * the cost is that of one operation.  The operations are C; after each one
 * the compiler is made to forget its result, so that it neither joins nor
 * drops any.
 *
 * The time of a division depends on its operands on many processors: div is
 * k / x with k = 0x7ffffff1 (int32) or 0x7ffffffffffffff1 (int64), where x and
 * the quotient have about half as many bits as k.  mod is (k % x) | c with x of
 * the same size; the OR is part of it.  Of floating point, add and mul are
 * x + k and x * k, div is x / k with k a little above 1, sqrt stands just below
 * 1, fma is x * k + c, and bogo is lmbench's (c + x) * (1.5 - x) / x, four
 * operations in three steps.  float128, double128, float256 and double256 are
 * vectors of that many bits.
 *
 * Measures: ns for one operation; for a vector, one of all its elements.
 * Includes: the loop's jump, once in 64 operations.  figure=throughput cannot
 *	     show more than eight operations for each latency.
 * After:    lmbench lat_ops (latency) and par_ops (throughput).
 * Needs:    FMA for op=fma, AVX for 256 bits.
 */
#include <string.h>

#include "arch.h"
#include "bench.h"

#define CHAINS 8
#define STEPS  64 /* of a chain, or of all chains, in one iteration */

struct arith_state {
	uint64_t steps; /* of each chain */
	size_t bytes;
	_Alignas(32) char result[CHAINS * 32];
};

struct kernel {
	bench_run_fn *latency, *throughput;
	/* How many bytes of the result are those of a plain loop in C. */
	size_t (*right)(const struct arith_state *s);
};

#define ANY /* no more than the architecture's base */

typedef float float128 __attribute__((vector_size(16)));
typedef double double128 __attribute__((vector_size(16)));
typedef float float256 __attribute__((vector_size(32)));
typedef double double256 __attribute__((vector_size(32)));

#define HIDE(where, x) __asm__ volatile("" : where(x))
#define EIGHT(x)       x x x x x x x x
/* Numbers of the same start in all elements. */
#define SPLAT(T, E, v) ((T) { 0 } + (E)(v))

#define STEP(F, where, x) \
	x = F(x, k, c);   \
	HIDE(where, x);
#define STEP_ALL(F, where) \
	STEP(F, where, x0) \
	STEP(F, where, x1) \
	STEP(F, where, x2) \
	STEP(F, where, x3) \
	STEP(F, where, x4) \
	STEP(F, where, x5) STEP(F, where, x6) STEP(F, where, x7)

/*
 * The functions of one operation.  @T: its type, @E: of an element; @where: the
 * kind of register; @F: the result of a step; @first, @k_, @c_: where a chain
 * starts, and its constants.
 */
#define KERNEL(id, T, E, where, attr, F, first, k_, c_)               \
	attr static int latency_##id(struct bench *b, void *state,    \
				     const struct bench_case *bc,     \
				     uint64_t iters)                  \
	{                                                             \
		struct arith_state *s = state;                        \
		T x = SPLAT(T, E, first);                             \
		T k = SPLAT(T, E, k_), c = SPLAT(T, E, c_);           \
                                                                      \
		(void)b;                                              \
		(void)bc;                                             \
		HIDE(where, x);                                       \
		HIDE(where, k);                                       \
		HIDE(where, c);                                       \
		for (uint64_t i = 0; i < iters; i++) {                \
			EIGHT(EIGHT(STEP(F, where, x)))               \
		}                                                     \
		memcpy(s->result, &x, sizeof(x));                     \
		s->bytes = sizeof(T);                                 \
		s->steps = iters * STEPS;                             \
		return 0;                                             \
	}                                                             \
	attr static int throughput_##id(struct bench *b, void *state, \
					const struct bench_case *bc,  \
					uint64_t iters)               \
	{                                                             \
		struct arith_state *s = state;                        \
		T x0 = SPLAT(T, E, first), x1 = x0, x2 = x0, x3 = x0; \
		T x4 = x0, x5 = x0, x6 = x0, x7 = x0;                 \
		T k = SPLAT(T, E, k_), c = SPLAT(T, E, c_);           \
                                                                      \
		(void)b;                                              \
		(void)bc;                                             \
		HIDE(where, k);                                       \
		HIDE(where, c);                                       \
		for (uint64_t i = 0; i < iters; i++) {                \
			EIGHT(STEP_ALL(F, where))                     \
		}                                                     \
		T *to = (T *)s->result;                               \
		to[0] = x0;                                           \
		to[1] = x1;                                           \
		to[2] = x2;                                           \
		to[3] = x3;                                           \
		to[4] = x4;                                           \
		to[5] = x5;                                           \
		to[6] = x6;                                           \
		to[7] = x7;                                           \
		s->bytes = CHAINS * sizeof(T);                        \
		s->steps = iters * STEPS / CHAINS;                    \
		return 0;                                             \
	}                                                             \
	attr static size_t right_##id(const struct arith_state *s)    \
	{                                                             \
		E x = (E)(first), k = (E)(k_), c = (E)(c_);           \
		size_t right = 0;                                     \
                                                                      \
		(void)k;                                              \
		(void)c;                                              \
		for (uint64_t i = 0; i < s->steps; i++)               \
			x = F(x, k, c);                               \
		for (size_t at = 0; at < s->bytes; at += sizeof(E)) { \
			E seen;                                       \
                                                                      \
			memcpy(&seen, s->result + at, sizeof(E));     \
			right += seen == x ? sizeof(E) : 0;           \
		}                                                     \
		return right;                                         \
	}

#define OP_AND(x, k, c)	  ((x) & (k))
#define OP_OR(x, k, c)	  ((x) | (k))
#define OP_XOR(x, k, c)	  ((x) ^ (k))
#define OP_ADD(x, k, c)	  ((x) + (k))
#define OP_MUL(x, k, c)	  ((x) * (k))
#define OP_OVER(x, k, c)  ((k) / (x))
#define OP_MOD(x, k, c)	  (((k) % (x)) | (c))
#define OP_DIV(x, k, c)	  ((x) / (k))
#define OP_BOGO(x, k, c)  (((c) + (x)) * ((k) - (x)) / (x))
#define OP_SQRTF(x, k, c) __builtin_sqrtf(x)
#define OP_SQRT(x, k, c)  __builtin_sqrt(x)
#define OP_FMAF(x, k, c)  __builtin_fmaf(x, k, c)
#define OP_FMA(x, k, c)	  __builtin_fma(x, k, c)

#define INTEGER(id, T, big, half)                                \
	KERNEL(id##_and, T, T, "+r", ANY, OP_AND, (T)-1, big, 0) \
	KERNEL(id##_or, T, T, "+r", ANY, OP_OR, 1, big, 0)       \
	KERNEL(id##_xor, T, T, "+r", ANY, OP_XOR, half, big, 0)  \
	KERNEL(id##_add, T, T, "+r", ANY, OP_ADD, half, big, 0)  \
	KERNEL(id##_mul, T, T, "+r", ANY, OP_MUL, half, big, 0)  \
	KERNEL(id##_div, T, T, "+r", ANY, OP_OVER, half, big, 0) \
	KERNEL(id##_mod, T, T, "+r", ANY, OP_MOD, half, big, half)

#define FLOATING(id, T, E, attr, above)                                   \
	KERNEL(id##_add, T, E, ARCH_IN_VECTOR, attr, OP_ADD, 1, 1, 0)     \
	KERNEL(id##_mul, T, E, ARCH_IN_VECTOR, attr, OP_MUL, 1, above, 0) \
	KERNEL(id##_div, T, E, ARCH_IN_VECTOR, attr, OP_DIV, 1, above, 0) \
	KERNEL(id##_bogo, T, E, ARCH_IN_VECTOR, attr, OP_BOGO, 0.7, 1.5, -0.1)

INTEGER(int32, uint32_t, 0x7ffffff1, 46349)
INTEGER(int64, uint64_t, 0x7ffffffffffffff1, 3037000507)
FLOATING(float, float, float, ANY, 1 + 0x1p-23)
FLOATING(double, double, double, ANY, 1 + 0x1p-23)
#if ARCH_VECTOR_BITS >= 128
FLOATING(float128, float128, float, ANY, 1 + 0x1p-23)
FLOATING(double128, double128, double, ANY, 1 + 0x1p-23)
#endif
#if ARCH_VECTOR_BITS >= 256
FLOATING(float256, float256, float, ARCH_WITH_256, 1 + 0x1p-23)
FLOATING(double256, double256, double, ARCH_WITH_256, 1 + 0x1p-23)
#endif
KERNEL(float_sqrt, float, float, ARCH_IN_FLOAT, ANY, OP_SQRTF, 0.7, 0, 0)
KERNEL(double_sqrt, double, double, ARCH_IN_FLOAT, ANY, OP_SQRT, 0.7, 0, 0)
KERNEL(float_fma, float, float, ARCH_IN_FLOAT, ARCH_WITH_FMA, OP_FMAF, 1, 0.99,
       0.3)
KERNEL(double_fma, double, double, ARCH_IN_FLOAT, ARCH_WITH_FMA, OP_FMA, 1,
       0.99, 0.3)

enum { INT32, INT64, FLOAT, DOUBLE, FLOAT128, DOUBLE128, FLOAT256, DOUBLE256 };
static const char *const types[] = { "int32",	 "int64",     "float", "double",
#if ARCH_VECTOR_BITS >= 128
				     "float128", "double128",
#endif
#if ARCH_VECTOR_BITS >= 256
				     "float256", "double256"
#endif
};
enum { AND, OR, XOR, ADD, MUL, DIV, MOD, SQRT, FMA_, BOGO, OPS };
static const char *const ops[] = { "and", "or",	 "xor",	 "add", "mul",
				   "div", "mod", "sqrt", "fma", "bogo" };
static const char *const figures[] = { "latency", "throughput" };

static const struct bench_axis axes[] = { AXIS_STR("type", types),
					  AXIS_STR("op", ops),
					  AXIS_STR("figure", figures),
					  {} };

#define K(id)                                             \
	{                                                 \
		latency_##id, throughput_##id, right_##id \
	}
#define INTEGERS(id)                                                           \
	{                                                                      \
		[AND] = K(id##_and), [OR] = K(id##_or), [XOR] = K(id##_xor),   \
		[ADD] = K(id##_add), [MUL] = K(id##_mul), [DIV] = K(id##_div), \
		[MOD] = K(id##_mod)                                            \
	}
#define VECTORS(id)                                                            \
	{                                                                      \
		[ADD] = K(id##_add), [MUL] = K(id##_mul), [DIV] = K(id##_div), \
		[BOGO] = K(id##_bogo)                                          \
	}
#define SCALARS(id)                                                            \
	{                                                                      \
		[ADD] = K(id##_add), [MUL] = K(id##_mul), [DIV] = K(id##_div), \
		[SQRT] = K(id##_sqrt), [FMA_] = K(id##_fma),                   \
		[BOGO] = K(id##_bogo)                                          \
	}

static const struct kernel kernels[][OPS] = {
	[INT32] = INTEGERS(int32),	[INT64] = INTEGERS(int64),
	[FLOAT] = SCALARS(float),	[DOUBLE] = SCALARS(double),
#if ARCH_VECTOR_BITS >= 128
	[FLOAT128] = VECTORS(float128), [DOUBLE128] = VECTORS(double128),
#endif
#if ARCH_VECTOR_BITS >= 256
	[FLOAT256] = VECTORS(float256), [DOUBLE256] = VECTORS(double256),
#endif
};

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct kernel *k = &kernels[c->at[0]][c->at[1]];

	c->arg = k;
	c->run = c->at[2] ? k->throughput : k->latency;
	c->ops = STEPS;
	if (c->at[0] >= FLOAT256 && !ARCH_HAS_256())
		c->skip = "this CPU has no vectors of 256 bits that we know";
	if (c->at[1] == FMA_ && !ARCH_HAS_FMA())
		c->skip = "this CPU has no FMA that we know";
	return c->run;
}

static int conclude(struct bench *b, void *state, const struct bench_case *c,
		    uint64_t iters)
{
	const struct kernel *k = c->arg;
	struct arith_state *s = state;

	bench_proof(b, c, "answers", (double)s->bytes, (double)k->right(s));
	return 0;
}

const struct bench_desc bench_desc = {
	.name = "arith",
	.state_size = sizeof(struct arith_state),
	.axes = axes,
	.point = point,
	.conclude = conclude,
};
