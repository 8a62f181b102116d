/* SPDX-License-Identifier: MIT */
#include "file_points.h"

#include "file_data.h"

#define HOT_BYTES ((uint64_t)256 << 10) /* of what is cached */

static const char *const cache_names[] = { "direct", "cold", "warm" };
static const char *const order_names[] = { "sequential", "random" };

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

static const struct bench_case *add(struct bench *b, struct file_points *s,
				    struct bench_case *c, struct file_point *t)
{
	choose_stretch(t);
	c->index = (int64_t)s->n;
	c->ops = t->depth ? 1 : t->n;
	c->exclusive = true;
	s->point[s->n++] = *t;
	return bench_add(b, c);
}

static void add_sizes(struct bench *b, struct file_points *s,
		      enum file_cache_state cache, int random)
{
	const uint64_t most =
		cache == FILE_WARM ? FILE_POINTS_WARM_BYTES : FILE_DATA_BYTES;

	size_t n = 0;

	for (uint64_t size = FILE_POINTS_LEAST_BYTES; size <= most; size *= 4) {
		const bool ahead = cache == FILE_COLD && !random;
		struct file_point t = {
			.cache = cache,
			.random = random,
			.via = FILE_PREAD,
			.size = size,
			.block = FILE_DATA_BLOCK,
		};
		struct bench_case c = {
			.params = { P_STR("cache", cache_names[cache]),
				    P_STR("order", order_names[random]),
				    P_SIZE("size", (int64_t)size) },
			.histogram = BENCH_HIST_LOG,
			.estimator = ahead ? BENCH_EST_MEAN : BENCH_EST_DEFAULT,
		};
		const struct bench_case *added = add(b, s, &c, &t);

		if (cache == FILE_DIRECT)
			s->direct[random][n++] = added;
	}
}

static void add_blocks(struct bench *b, struct file_points *s,
		       enum file_cache_state cache, int random)
{
	/* What is fetched ahead depends little on the block, and takes long:
	 * one row beside that of 4 KiB. */
	const size_t least =
		cache == FILE_COLD ? FILE_POINTS_MOST_BLOCK : FILE_DATA_BLOCK;

	for (size_t block = least; block <= FILE_POINTS_MOST_BLOCK;
	     block *= 4) {
		struct file_point t = {
			.cache = cache,
			.random = random,
			.via = FILE_PREAD,
			.block = block,
		};
		struct bench_case c = {
			.params = { P_STR("cache", cache_names[cache]),
				    P_STR("order", order_names[random]),
				    P_SIZE("block", (int64_t)block) },
			.bytes = block,
			.estimator = BENCH_EST_MEAN,
		};

		add(b, s, &c, &t);
	}
}

/* What lmbench calls mmap reread: nothing but loads. */
static void add_mapped(struct bench *b, struct file_points *s)
{
	struct file_point t = {
		.cache = FILE_WARM,
		.via = FILE_MAPPED,
		.block = FILE_POINTS_MOST_BLOCK,
	};
	struct bench_case c = {
		.params = { P_STR("cache", cache_names[FILE_WARM]),
			    P_STR("order", order_names[0]),
			    P_STR("via", file_reader_name(FILE_MAPPED)),
			    P_SIZE("block", (int64_t)t.block) },
		.bytes = t.block,
		.estimator = BENCH_EST_MEAN,
	};

	add(b, s, &c, &t);
}

static void add_via(struct bench *b, struct file_points *s,
		    enum file_cache_state cache, int random, enum file_via via)
{
	struct file_point t = {
		.cache = cache,
		.random = random,
		.via = via,
		.block = FILE_DATA_BLOCK,
	};
	struct bench_case c = {
		.params = { P_STR("cache", cache_names[cache]),
			    P_STR("order", order_names[random]),
			    P_STR("via", file_reader_name(via)) },
		.histogram = BENCH_HIST_LOG,
		.estimator = BENCH_EST_MEAN,
	};

	add(b, s, &c, &t);
}

static void add_depth(struct bench *b, struct file_points *s, int random,
		      size_t block, unsigned int depth)
{
	struct file_point t = {
		.cache = FILE_DIRECT,
		.random = random,
		.via = FILE_URING,
		.block = block,
		.depth = depth,
	};
	struct bench_case c = {
		.params = { P_STR("cache", cache_names[FILE_DIRECT]),
			    P_STR("order", order_names[random]),
			    P_STR("via", file_reader_name(FILE_URING)),
			    P_SIZE("block", (int64_t)block),
			    P_INT("depth", depth), P_STR("figure", "latency") },
		.histogram = BENCH_HIST_LOG,
	};
	const size_t at = s->n;

	c.of = add(b, s, &c, &t);
	c.params[5] = (struct bench_param)P_STR("figure", "rate");
	c.unit = "1/s";
	c.better = BENCH_HIGHER;
	c.histogram = BENCH_HIST_NONE;
	c.derived = true;
	s->point[at].rate = bench_add(b, &c);
}

const struct bench_open file_points_open[] = {
	{ "file", BENCH_SIZE, 4 * FILE_POINTS_LOAD_BLOCK, FILE_DATA_BYTES,
	  4 * FILE_POINTS_LOAD_BLOCK },
	{ 0 },
};

/* A cached file of a size that was asked for, as lmbench's bw_file_rd and
 * bw_mmap_rd read it. */
static void add_file(struct bench *b, struct file_points *s, uint64_t size)
{
	static const enum file_via vias[] = { FILE_PREAD, FILE_MAPPED,
					      FILE_OPEN_READ, FILE_OPEN_MMAP };

	for (size_t i = 0; i < sizeof(vias) / sizeof(vias[0]); i++) {
		struct file_point t = {
			.cache = FILE_WARM,
			.via = vias[i],
			.size = size,
			.asked = true,
			.block = FILE_POINTS_LOAD_BLOCK,
		};
		struct bench_case c = {
			.params = { P_STR("cache", cache_names[FILE_WARM]),
				    P_STR("order", order_names[0]),
				    P_STR("via", file_reader_name(vias[i])),
				    P_SIZE("block", (int64_t)t.block),
				    P_SIZE("file", (int64_t)size) },
			.bytes = t.block,
			.estimator = BENCH_EST_MEAN,
		};

		add(b, s, &c, &t);
	}
	if (size > s->warm_bytes)
		s->warm_bytes = size;
}

static void add_vias(struct bench *b, struct file_points *s)
{
	for (int via = 0; via < FILE_VIAS; via++) {
		if (via != FILE_MMAP)
			add_via(b, s, FILE_DIRECT, false, via);
		add_via(b, s, FILE_WARM, false, via);
		add_via(b, s, FILE_WARM, true, via);
	}
	add_via(b, s, FILE_COLD, false, FILE_MMAP);
	add_via(b, s, FILE_COLD, true, FILE_MMAP);
}

void file_points_add(struct bench *b, struct file_points *s)
{
	const struct bench_case ratio = {
		.params = { P_STR("cache", "direct"),
			    P_STR("figure", "random_over_sequential") },
		.unit = "1",
		.derived = true,
	};

	int64_t file[BENCH_ASKED] = { 0 };
	const size_t files = bench_values(b, "file", file, 0, file);

	s->warm_bytes = FILE_POINTS_WARM_BYTES;
	for (int random = 0; random < 2; random++) {
		add_sizes(b, s, FILE_DIRECT, random);
		add_sizes(b, s, FILE_COLD, random);
		add_sizes(b, s, FILE_WARM, random);
		add_blocks(b, s, FILE_DIRECT, random);
	}
	add_blocks(b, s, FILE_COLD, false);
	add_blocks(b, s, FILE_WARM, false);
	add_vias(b, s);
	add_mapped(b, s);
	for (unsigned int depth = 1; depth <= FILE_POINTS_MOST_DEPTH;
	     depth *= 2)
		add_depth(b, s, true, FILE_DATA_BLOCK, depth);
	for (unsigned int depth = 1; depth <= 16; depth *= 4)
		add_depth(b, s, false, FILE_POINTS_LOAD_BLOCK, depth);
	s->ratio = bench_add(b, &ratio);
	for (size_t i = 0; i < files; i++)
		add_file(b, s, (uint64_t)file[i]);
}
