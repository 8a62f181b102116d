/* SPDX-License-Identifier: MIT */
/*
 * arith - what does an arithmetic operation cost, waited for and overlapped?
 *
 * stat=latency: each operation takes the result of the one before it, so a
 * chain of them takes as long as their results.  stat=throughput: as many
 * such chains as there are registers for (12 here on x86-64, else 24), which
 * need nothing of each other, share the units of the core; the cost is that of
 * one operation.  The operations are C; after each one the compiler is made to
 * forget its result, so that it neither joins nor drops any.
 *
 * The time of a division depends on its operands on many processors: div is
 * k / x with k = 0x7ffffff1 (int32) or 0x7ffffffffffffff1 (int64), where x and
 * the quotient have about half as many bits as k.  mod is (k % x) | c with x of
 * the same size; the OR is part of it.  In floating point, add and mul are
 * x + k and x * k, div is x / k with k a little above 1, sqrt stands just below
 * 1, fma is x * k + c, and bogo is lmbench's (c + x) * (1.5 - x) / x, four
 * operations in three steps.  float128, double128, float256 and double256 are
 * vectors of that many bits.
 *
 * Measures: ns for one operation; for a vector, one of all its elements.
 * Includes: the loop's jump, once in 64 operations or more.  Where all chains
 *	     wait for their own results, the units may do more than
 *	     stat=throughput shows: at_least is 0, and at_most its value.
 * After:    lmbench lat_ops (latency) and par_ops (throughput).
 * Needs:    FMA for op=fma, AVX for 256 bits.
 */
#include <math.h>
#include <string.h>

#include "arch.h"
#include "bench.h"
#include "load_rows.h"

struct arith_state {
	uint64_t steps; /* of each chain */
	size_t bytes;
	_Alignas(32) char result[ARCH_CHAINS * 32];
};

#define ANY /* no more than the architecture's base */

typedef float float128 __attribute__((vector_size(16)));
typedef double double128 __attribute__((vector_size(16)));
typedef float float256 __attribute__((vector_size(32)));
typedef double double256 __attribute__((vector_size(32)));

#define HIDE(where, x) __asm__ volatile("" : where(x))
#define TIMES_4(x)     x x x x
#define TIMES_16(x)    TIMES_4(TIMES_4(x))
#define TIMES_64(x)    TIMES_4(TIMES_16(x))
/* Numbers of the same start in all elements. */
#define SPLAT(T, E, v) ((T) { 0 } + (E)(v))

/* Chains are variables: not every compiler keeps an array in registers. */
#define ONE_CHAIN(X, ...) X(0, __VA_ARGS__)
#define FOUR_CHAINS(X, a, b, c, d, ...) \
	X(a, __VA_ARGS__) X(b, __VA_ARGS__) X(c, __VA_ARGS__) X(d, __VA_ARGS__)
#define ALL_CHAINS(X, ...)                        \
	FOUR_CHAINS(X, 0, 1, 2, 3, __VA_ARGS__)   \
	FOUR_CHAINS(X, 4, 5, 6, 7, __VA_ARGS__)   \
	FOUR_CHAINS(X, 8, 9, 10, 11, __VA_ARGS__) \
	MORE_CHAINS(X, __VA_ARGS__)
#if ARCH_CHAINS == 24
#define MORE_CHAINS(X, ...)                         \
	FOUR_CHAINS(X, 12, 13, 14, 15, __VA_ARGS__) \
	FOUR_CHAINS(X, 16, 17, 18, 19, __VA_ARGS__) \
	FOUR_CHAINS(X, 20, 21, 22, 23, __VA_ARGS__)
#else
#define MORE_CHAINS(...)
#endif

#define BEGIN(n, T, E, first) T x##n = SPLAT(T, E, first);
#define STEP(n, F, where)     \
	x##n = F(x##n, k, c); \
	HIDE(where, x##n);
#define END(n, T) memcpy(s->result + (n) * sizeof(T), &x##n, sizeof(T));

/* @CHAINS: one or all, @n of them; @TIMES: steps of each in an iteration. */
#define LOOP(function, T, E, where, attr, F, first, k_, c_, CHAINS, n, TIMES) \
	attr static int function(struct bench *b, void *state,                \
				 const struct bench_case *bc, uint64_t iters) \
	{                                                                     \
		struct arith_state *s = state;                                \
		T k = SPLAT(T, E, k_), c = SPLAT(T, E, c_);                   \
                                                                              \
		CHAINS(BEGIN, T, E, first)                                    \
		HIDE(where, k);                                               \
		HIDE(where, c);                                               \
		for (uint64_t i = 0; i < iters; i++) {                        \
			TIMES(CHAINS(STEP, F, where))                         \
		}                                                             \
		CHAINS(END, T)                                                \
		s->bytes = (n) * sizeof(T);                                   \
		s->steps = iters * (bc->ops / (n));                           \
		return 0;                                                     \
	}

/*
 * The functions of one operation.  @T: its type, @E: of an element; @where: the
 * kind of register; @F: the result of a step; @first, @k_, @c_: where a chain
 * starts, and its constants.
 */
#define KERNEL(id, T, E, where, attr, F, first, k_, c_)                        \
	LOOP(latency_##id, T, E, where, attr, F, first, k_, c_, ONE_CHAIN, 1,  \
	     TIMES_64)                                                         \
	LOOP(throughput_##id, T, E, where, attr, F, first, k_, c_, ALL_CHAINS, \
	     ARCH_CHAINS, TIMES_16)                                            \
	attr static size_t right_##id(const struct arith_state *s)             \
	{                                                                      \
		E x = (E)(first), k = (E)(k_), c = (E)(c_);                    \
		size_t right = 0;                                              \
                                                                               \
		(void)k;                                                       \
		(void)c;                                                       \
		for (uint64_t i = 0; i < s->steps; i++)                        \
			x = F(x, k, c);                                        \
		for (size_t at = 0; at < s->bytes; at += sizeof(E)) {          \
			E seen;                                                \
                                                                               \
			memcpy(&seen, s->result + at, sizeof(E));              \
			right += seen == x ? sizeof(E) : 0;                    \
		}                                                              \
		return right;                                                  \
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

/* X(type, op, ...) of each type; ... is what KERNEL() takes. */
#define INTEGER(X, type, T, big, half)                       \
	X(type, and, T, T, "+r", ANY, OP_AND, (T)-1, big, 0) \
	X(type, or, T, T, "+r", ANY, OP_OR, 1, big, 0)       \
	X(type, xor, T, T, "+r", ANY, OP_XOR, half, big, 0)  \
	X(type, add, T, T, "+r", ANY, OP_ADD, half, big, 0)  \
	X(type, mul, T, T, "+r", ANY, OP_MUL, half, big, 0)  \
	X(type, div, T, T, "+r", ANY, OP_OVER, half, big, 0) \
	X(type, mod, T, T, "+r", ANY, OP_MOD, half, big, half)
#define FLOATING(X, type, E, attr)                                         \
	X(type, add, type, E, ARCH_IN_VECTOR, attr, OP_ADD, 1, 1, 0)       \
	X(type, mul, type, E, ARCH_IN_VECTOR, attr, OP_MUL, 1, ABOVE_1, 0) \
	X(type, div, type, E, ARCH_IN_VECTOR, attr, OP_DIV, 1, ABOVE_1, 0) \
	X(type, bogo, type, E, ARCH_IN_VECTOR, attr, OP_BOGO, 0.7, 1.5, -0.1)
#define SCALAR(X, type, op, attr, F, first, k, c) \
	X(type, op, type, type, ARCH_IN_FLOAT, attr, F, first, k, c)
#define ABOVE_1 (1 + 0x1p-23)

#if ARCH_VECTOR_BITS >= 128
#define VECTORS_128(X)                    \
	FLOATING(X, float128, float, ANY) \
	FLOATING(X, double128, double, ANY)
#else
#define VECTORS_128(X)
#endif
#if ARCH_VECTOR_BITS >= 256
#define VECTORS_256(X)                              \
	FLOATING(X, float256, float, ARCH_WITH_256) \
	FLOATING(X, double256, double, ARCH_WITH_256)
#else
#define VECTORS_256(X)
#endif

#define KERNELS(X)                                                  \
	INTEGER(X, int32, uint32_t, 0x7ffffff1, 46349)              \
	INTEGER(X, int64, uint64_t, 0x7ffffffffffffff1, 3037000507) \
	FLOATING(X, float, float, ANY)                              \
	FLOATING(X, double, double, ANY)                            \
	VECTORS_128(X)                                              \
	VECTORS_256(X)                                              \
	SCALAR(X, float, sqrt, ANY, OP_SQRTF, 0.7, 0, 0)            \
	SCALAR(X, double, sqrt, ANY, OP_SQRT, 0.7, 0, 0)            \
	SCALAR(X, float, fma, ARCH_WITH_FMA, OP_FMAF, 1, 0.99, 0.3) \
	SCALAR(X, double, fma, ARCH_WITH_FMA, OP_FMA, 1, 0.99, 0.3)

#define FUNCTIONS(type, op, ...) KERNEL(type##_##op, __VA_ARGS__)
KERNELS(FUNCTIONS)

static const struct kernel {
	const char *type, *op;
	bench_run_fn *latency, *throughput;
	/* How many bytes of the result are those of a plain loop in C. */
	size_t (*right)(const struct arith_state *s);
} kernels[] = {
#define ROW(type, op, ...)                                             \
	{ #type, #op, latency_##type##_##op, throughput_##type##_##op, \
	  right_##type##_##op },
	KERNELS(ROW)
};

#define OPS_OF_ALL "is ops=16*" BENCH_TEXT(ARCH_CHAINS)

static const char points[] = LOAD_AXIS
	"type=int64 op=add;" LOAD_RULES OPS_OF_ALL ";"
	"type={int32,int64,float,double,float128,double128,float256,double256} "
	"op={and,or,xor,add,mul,div,mod,sqrt,fma,bogo} "
	"stat={latency,throughput};"
	"is ops=64 if stat=latency;" OPS_OF_ALL " if stat=throughput;"
	"needs $vectors if type={float256,double256}; needs $fma if op=fma";

LOAD_SAMPLE(sample_load, ((const struct kernel *)c->arg)->throughput)

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const size_t n = sizeof(kernels) / sizeof(kernels[0]);

	for (const struct kernel *k = kernels; k < kernels + n; k++)
		if (case_is(c, "type", k->type) && case_is(c, "op", k->op)) {
			c->arg = k;
			if (case_has(c, "load"))
				c->sample = sample_load;
			else if (case_is(c, "stat", "latency"))
				c->run = k->latency;
			else
				c->run = k->throughput;
			return true;
		}
	return false;
}

static void conclude(struct bench *b, void *state, const struct bench_case *c,
		     uint64_t iters)
{
	const struct kernel *k = c->arg;
	struct arith_state *s = state;

	bench_proof(b, c, "answers", (double)s->bytes, (double)k->right(s));
}

static void cases(struct bench *b, void *state)
{
	bench_need(b, "vectors",
		   ARCH_HAS_256() ? NULL : "we know no 256-bit vectors here");
	bench_need(b, "fma",
		   ARCH_HAS_FMA() ? NULL : "this CPU has no FMA that we know");
	bench_points(b, points);
	BENCH_EACH (b, c, "stat=throughput")
		bench_derived_from(b, c, bench_beside(b, c, "stat=latency"));
}

/* The least that an operation may take if @chains of them side by side took
 * @each and one alone takes @latency: @latency / @each are under way at a time
 * (Little's law).  Where that leaves a whole chain that waits, the units were
 * always busy and it is @each; else they might do more, and it is 0. */
static double overlap_least(double latency, double each, unsigned int chains)
{
	return latency / each > chains - 1 ? 0 : each;
}

static void derive(struct bench *b, void *state)
{
	BENCH_EACH (b, c, "stat=throughput") {
		const double ns = bench_value(b, c);
		const double latency =
			bench_value(b, bench_beside(b, c, "stat=latency"));
		const double least = overlap_least(latency, ns, ARCH_CHAINS);

		if (least < ns)
			bench_derive_between(b, c, NAN, least, ns);
	}
	load_derive(b);
}

const struct bench_desc bench_desc = {
	.state_size = sizeof(struct arith_state),
	.point = point,
	.cases = cases,
	.conclude = conclude,
	.derive = derive,
};
