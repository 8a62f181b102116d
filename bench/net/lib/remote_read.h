/* SPDX-License-Identifier: MIT */
#ifndef REMOTE_READ_H
#define REMOTE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "file_place.h"
#include "remote_target.h"
#include "sample.h"

/*
 * Reads of single blocks of a remote file, or of the same file as this machine
 * sees it, with the caches in a known state before each.
 */
enum remote_cache { REMOTE_COLD, REMOTE_WARM, REMOTE_DIRECT, REMOTE_UNKNOWN };

/* A case. */
struct remote_read {
	bool local;
	enum remote_cache cache;
	bool random;
	uint64_t file; /* the last so many bytes of it are used */
	uint32_t block;

	/* Of all events, also those that warm up, ns.  None of a stretch. */
	struct sample_vec all;
};

#define REMOTE_READ_MAX_BLOCK ((size_t)1 << 20)

/* One block that was read. */
struct remote_seen {
	uint64_t offset, sum;
};

struct remote_reader {
	struct bench *b;
	struct remote_target *target;
	void *buffer;
	struct remote_seen *seen;
	size_t n_seen;

	/* This visit. */
	struct remote_read *read;
	const struct bench_case *c;
	uint64_t start, at, end; /* of the piece that is read */
	uint64_t lead;		 /* bytes of it that are read before */
	bool runs;  /* the events that count read parts of stretches */
	bool whole; /* which are a file, dropped before its first read */
	unsigned int blocks; /* of a stretch */
	unsigned int part;   /* of its parts how many were read */
	uint64_t window;     /* bytes that are fetched at a time, at most */
	uint64_t timed; /* bytes of stretches; what was fetched meanwhile, */
	uint64_t least; /* at least; and in all: */
	struct file_counts stretch, fetched;
	uint64_t wanted; /* bytes */
	unsigned int reads;
	struct remote_traffic traffic;
	struct file_counts counts;
};

/* remote_read_needs_lead() - whether these are large blocks that go over a
 * network one by one.  Its connection must be as busy as that of cold ones
 * then: after a pause the first ones take longer. */
bool remote_read_needs_lead(const struct remote_read *r);

/* Return: 0 or bench_fail(); remote_reader_close() accepts any state. */
int remote_reader_open(struct remote_reader *v, struct bench *b,
		       struct remote_target *t);
void remote_reader_close(struct remote_reader *v);

/* The callbacks of bench.h, for a case whose data is a struct remote_read. */
int remote_read_enter(struct remote_reader *v, const struct bench_case *c);
int remote_read_prepare(struct remote_reader *v);
int remote_read_sample(struct remote_reader *v);
int remote_read_leave(struct remote_reader *v);

#endif
