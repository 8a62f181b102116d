/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "switch_ring.h"

#define LINE_BYTES 64

struct token {
	uint16_t members;
	uint16_t report; /* count your switches */
	uint32_t bytes;
};

/* One load from each line, as the members of lmbench's ring add up an array.
 * Return: bytes that it went over, which the token tells the next one. */
static uint32_t read_lines(const char *memory, uint32_t bytes)
{
	uint64_t sum = 0, x;
	uint32_t i;

	for (i = 0; i < bytes; i += LINE_BYTES) {
		memcpy(&x, memory + i, sizeof(x));
		sum += x;
	}
	BENCH_KEEP(sum);
	return i;
}

static int put(int fd, struct token t)
{
	return write(fd, &t, sizeof(t)) == sizeof(t) ? 0 : -EIO;
}

static int get(int fd, struct token *t)
{
	ssize_t n;

	do
		n = read(fd, t, sizeof(*t));
	while (n < 0 && errno == EINTR);
	return n == sizeof(*t) ? 0 : -EIO;
}

static void *map(size_t bytes, int how)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS,
		       -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Small pages for all: what is compared must be translated alike. */
static char *map_small(size_t bytes)
{
	char *p = map(bytes, MAP_PRIVATE | MAP_NORESERVE);

	if (p)
		madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void write_pages(char *p, size_t from, size_t to)
{
	if (to <= from)
		return;
#ifdef MADV_POPULATE_WRITE
	/* A fault for each page takes longer than asking for all; where the
	 * kernel cannot, memset() has the faults. */
	madvise(p + from, to - from, MADV_POPULATE_WRITE);
#endif
	/* Not zeros: nothing may treat these pages as special. */
	memset(p + from, 0x5a, to - from);
}

/* A member.  It keeps the other members' pipe ends: it is killed when the
 * measuring process ends, so nobody waits for them to be closed. */
static int take_part(struct partner *p, void *arg)
{
	struct switch_ring *r = arg;
	const unsigned int self = (unsigned int)(p - r->member);
	char *const memory = map_small(r->bytes);
	struct switch_account *mine = &r->account[self];
	struct token t;

	if (!memory)
		return -ENOMEM;
	write_pages(memory, 0, r->bytes);
	while (get(r->fd[self][0], &t) == 0) {
		t.bytes = read_lines(memory, t.bytes);
		if (t.report)
			switch_account_read(mine);
		if (put(r->fd[(self + 1) % t.members][1], t))
			break;
	}
	return -EIO;
}

static int open_pipes(struct switch_ring *r, unsigned int members)
{
	for (unsigned int i = 0; i < members; i++) {
		if (pipe2(r->fd[i], O_CLOEXEC))
			return errno;
		r->room = i + 1;
		if (pipe2(r->solo[i], O_CLOEXEC))
			return errno;
	}
	return 0;
}

int switch_ring_open(struct bench *b, struct switch_ring *r,
		     unsigned int members, size_t bytes)
{
	/* Whole pages for each, as the members have in their own processes. */
	const size_t page = bench_page_bytes();
	const size_t all =
		members * (((bytes ? bytes : 1) + page - 1) / page * page);
	int err;

	memset(r, 0, sizeof(*r));
	r->bytes = all / members;
	memset(r->fd, -1, sizeof(r->fd));
	memset(r->solo, -1, sizeof(r->solo));
	r->made = 1;
	r->cpu = bench_cpu(b);
	err = open_pipes(r, members);
	if (err) {
		switch_ring_close(r);
		return partner_refused(b, err, "make the ring's pipes");
	}
	r->account = map(SWITCH_RING_MAX * sizeof(*r->account), MAP_SHARED);
	r->memory = map_small(all);
	if (!r->account || !r->memory) {
		switch_ring_close(r);
		return partner_refused(b, ENOMEM, "map the ring's memory");
	}
	/* The members need no copy of it, and fork would have to make one. */
	madvise(r->memory, all, MADV_DONTFORK);
	return 0;
}

int switch_ring_grow(struct bench *b, struct switch_ring *r,
		     unsigned int members)
{
	char why[160];

	if (members > r->room)
		return bench_skip(b, "no pipes for %u members", members);
	/* Ask before the first of many, and leave some to others. */
	if (members > r->made &&
	    partner_room(why, sizeof(why)) < (long)(members - r->made) + 8)
		return bench_skip(b, "no room for %u more processes: %s",
				  members - r->made, why);
	while (r->made < members) {
		const int err =
			partner_start(b, &r->member[r->made], PARTNER_PROCESS,
				      r->cpu, take_part, r);

		if (err)
			return err;
		r->made++;
	}
	return 0;
}

struct journey {
	struct switch_ring *ring;
	struct token token;
	unsigned int laps;
};

static int go_round(void *arg)
{
	const struct journey *j = arg;
	struct switch_ring *r = j->ring;
	const unsigned int laps = j->laps;
	struct token t = j->token;
	int bad = 0;

	for (unsigned int i = 0; i < laps; i++) {
		bad |= put(r->fd[1][1], t);
		bad |= get(r->fd[0][0], &t);
		t.bytes = read_lines(r->memory, t.bytes);
	}
	return bad || t.bytes != j->token.bytes ? -EIO : 0;
}

static int guarded(struct bench *b, struct switch_ring *r, struct token t,
		   unsigned int laps)
{
	struct journey j = { r, t, laps };
	const int err = partner_guard(go_round, &j);

	return err ? partner_failed(b, err) : 0;
}

static struct token token_of(struct switch_lap lap)
{
	return (struct token) { .members = (uint16_t)lap.members,
				.bytes = lap.bytes };
}

int switch_ring_run(struct bench *b, struct switch_ring *r,
		    struct switch_lap lap, unsigned int laps)
{
	return guarded(b, r, token_of(lap), laps);
}

void switch_ring_touch(struct switch_ring *r, struct switch_lap lap, bool all)
{
	const size_t others = all ? lap.members - 1 : 0;
	const size_t bytes = others * r->bytes + lap.bytes;

	write_pages(r->memory, r->touched, bytes);
	if (bytes > r->touched)
		r->touched = bytes;
}

int switch_ring_alone(struct switch_ring *r, struct switch_lap lap,
		      unsigned int laps)
{
	struct token t = token_of(lap);
	int bad = 0;

	for (unsigned int i = 0; i < laps; i++) {
		for (unsigned int k = 0; k < lap.members; k++) {
			bad |= put(r->solo[k][1], t);
			bad |= get(r->solo[k][0], &t);
			t.bytes = read_lines(r->memory + (size_t)k * r->bytes,
					     t.bytes);
		}
	}
	return bad ? -EIO : 0;
}

int switch_ring_account(struct bench *b, struct switch_ring *r,
			struct switch_lap lap, struct switch_account *sum)
{
	/* No reading: it is not timed, and with much memory takes longest. */
	struct token t = { .members = (uint16_t)lap.members, .report = 1 };
	int err;

	err = guarded(b, r, t, 1);
	if (err)
		return err;
	switch_account_read(&r->account[0]);
	*sum = (struct switch_account) { 0 };
	for (unsigned int i = 0; i < lap.members; i++) {
		const struct switch_account *a = &r->account[i];

		if (a->cpu != r->cpu)
			return bench_fail(b, 0,
					  "member %u is on CPU %d, not %d", i,
					  a->cpu, r->cpu);
		sum->voluntary += a->voluntary;
		sum->involuntary += a->involuntary;
	}
	return 0;
}

static void close_pair(int fd[2])
{
	for (int end = 0; end < 2; end++)
		if (fd[end] >= 0)
			close(fd[end]);
}

void switch_ring_close(struct switch_ring *r)
{
	for (unsigned int i = 1; i < r->made; i++)
		partner_stop(&r->member[i]);
	for (unsigned int i = 0; i < r->room; i++) {
		close_pair(r->fd[i]);
		close_pair(r->solo[i]);
	}
	if (r->account)
		munmap(r->account, SWITCH_RING_MAX * sizeof(*r->account));
	if (r->memory)
		munmap(r->memory, (size_t)r->room * r->bytes);
	memset(r, 0, sizeof(*r));
}
