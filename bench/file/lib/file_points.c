/* SPDX-License-Identifier: MIT */
#include "file_points.h"

#include "file_data.h"

#define HOT_BYTES ((uint64_t)256 << 10) /* of what is cached */

static const char *const cache_names[] = { "direct", "cold", "warm" };

#define BY_SIZE(order)                                            \
	"cache={direct,cold,warm} order=" order " size=4M..1G*4;" \
	"not cache=warm size>64M; is exclusive log;"              \
	"is mean if cache=cold order=sequential;"                 \
	"cache=direct order=" order " block=4K..1M*4;"            \
	"is exclusive mean bytes=block;"

const char file_points[] = BY_SIZE("sequential") BY_SIZE("random")

	/* What is fetched ahead depends little on the block, and takes long:
	 * one row beside that of 4 KiB. */
	"cache=cold order=sequential block=1M;"
	"cache=warm order=sequential block=4K..1M*4;"
	"is exclusive mean bytes=block;"

	"cache={direct,warm} order={sequential,random}"
	" ^via={read,pread,readv,mmap,io_uring};"
	"cache=cold order={sequential,random} via=mmap;"
	"not cache=direct order=random; not cache=direct via=mmap;"
	"is exclusive log mean;"

	/* What lmbench calls mmap reread: nothing but loads. */
	"cache=warm order=sequential via=mapped block=1M;"
	"is exclusive mean bytes=block;"

	"cache=direct order=random via=io_uring block=4K depth=1..64*2"
	" figure={latency,rate};"
	"cache=direct order=sequential via=io_uring block=64K depth=1..16*4"
	" figure={latency,rate};"
	"is exclusive; is log if figure=latency;"
	"is derived of=[figure=latency] unit='1/s' higher if figure=rate;"

	"cache=direct figure=random_over_sequential; is derived unit='1';"

	/* A cached file of a size that was asked for, as lmbench's bw_file_rd
	 * and bw_mmap_rd read it. */
	"cache=warm order=sequential via={pread,mapped,open_read,open_mmap}"
	" block=64K ^file=?256K..1G/256K; is exclusive mean bytes=block";

/* What is fetched ahead in an event that is no whole file must be as much as
 * what was fetched before it began: steps of the same size as the kernel's, or
 * many of its. */
static unsigned int stretch_of(enum file_cache_state cache, bool random,
			       size_t block)
{
	const uint64_t bytes =
		cache == FILE_WARM ? HOT_BYTES : FILE_POINTS_AHEAD_BYTES;

	if (cache == FILE_DIRECT || (cache == FILE_COLD && random))
		return 1;
	return block >= bytes ? 1 : (unsigned int)(bytes / block);
}

/* A small file that is not cached is read as a whole. */
static void choose_stretch(struct file_point *t)
{
	t->fresh = t->cache == FILE_COLD && !t->random && t->size &&
		   t->size <= FILE_POINTS_WHOLE_BYTES;
	if (file_reader_whole(t->via)) {
		t->n = (unsigned int)(t->size / t->block);
		return;
	}
	t->n = t->fresh ? (unsigned int)(t->size / t->block)
	       : t->cache == FILE_WARM && t->size && !t->asked
		       ? 1
		       : stretch_of(t->cache, t->random, t->block);
}

_Static_assert(FILE_DATA_BYTES == 1 << 30 && FILE_DATA_BLOCK == 4096 &&
		       FILE_POINTS_WARM_BYTES == 64 << 20 &&
		       FILE_POINTS_LOAD_BLOCK == 64 << 10 &&
		       FILE_POINTS_MOST_DEPTH == 64,
	       "as in the text");

static uint64_t number(const struct bench_case *c, const char *axis,
		       uint64_t otherwise)
{
	return case_has(c, axis) ? (uint64_t)case_int(c, axis) : otherwise;
}

bool file_point_fill(struct bench *b, void *state, struct bench_case *c)
{
	struct file_point *t = c->data;

	if (c->derived)
		return true;
	*t = (struct file_point) {
		.cache = CASE_NTH(c, "cache", cache_names),
		.random = case_is(c, "order", "random"),
		.via = FILE_PREAD,
		.size = number(c, "size", number(c, "file", 0)),
		.asked = case_has(c, "file"),
		.block = number(c, "block", FILE_DATA_BLOCK),
		.depth = (unsigned int)number(c, "depth", 0),
	};
	if (case_has(c, "via"))
		t->via = CASE_ENUM(c, "via", file_reader_name,
				   FILE_OPEN_MMAP + 1);
	choose_stretch(t);
	c->ops = t->depth ? 1 : t->n;
	return true;
}

uint64_t file_points_warm_bytes(const struct bench *b)
{
	uint64_t most = FILE_POINTS_WARM_BYTES;

	BENCH_EACH (b, c, "file")
		if ((uint64_t)case_int(c, "file") > most)
			most = (uint64_t)case_int(c, "file");
	return most;
}
