/* SPDX-License-Identifier: MIT */
/* What is mapped where, and which kind a page fault was. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "alloc.h"
#include "memory.h"
#include "sysfile.h"

#define PAGE_SIZE ((uint64_t)sysconf(_SC_PAGESIZE))

/* Of an entry of /proc/PID/pagemap: there; of a file; which page, or, where
 * users may not know that, whether other processes have it, too. */
#define ENTRY_THERE (1ULL << 63)
#define ENTRY_FILE  (1ULL << 61)
#define ENTRY_WHICH (1ULL << 56 | ((1ULL << 55) - 1))

struct memory *memory_new(void)
{
	struct memory *m = text_alloc(1, sizeof(*m));

	m->refs = 1;
	m->pagemap = -1;
	m->old = true;
	return m;
}

struct memory *memory_copy(struct memory *from)
{
	struct memory *m = memory_new();

	m->pages = from->pages;
	m->room = from->room;
	if (m->room) {
		m->page = text_alloc(m->room, sizeof(*m->page));
		for (size_t i = 0; i < m->room; i++)
			from->page[i].shared = true;
		memcpy(m->page, from->page, m->room * sizeof(*m->page));
	}
	return m;
}

void memory_drop(struct memory *m)
{
	if (!m || --m->refs)
		return;
	if (m->pagemap >= 0)
		close(m->pagemap);
	free(m->mapping);
	free(m->page);
	free(m);
}

/* Where page @number is in the table, or where it belongs. */
static struct page *page_at(const struct memory *m, uint64_t number)
{
	size_t i = (number * 0x9E3779B97F4A7C15u >> 20) & (m->room - 1);

	while (m->page[i].number && m->page[i].number != number + 1)
		i = (i + 1) & (m->room - 1);
	return &m->page[i];
}

static void page_put(struct memory *m, struct page page)
{
	struct page *p;

	if (2 * m->pages >= m->room) {
		struct page *const old = m->page;
		const size_t n = m->room;

		m->room = n ? 2 * n : 256;
		m->page = text_alloc(m->room, sizeof(*m->page));
		for (size_t i = 0; i < n; i++)
			if (old[i].number)
				*page_at(m, old[i].number - 1) = old[i];
		free(old);
	}
	p = page_at(m, page.number - 1);
	m->pages += !p->number;
	*p = page;
}

void memory_forget(struct memory *m, uint64_t from, uint64_t to)
{
	struct page *const old = m->page;
	const size_t n = m->room;
	uint64_t p = from /= PAGE_SIZE;

	m->old = true;
	to = (to + PAGE_SIZE - 1) / PAGE_SIZE;
	/* Mostly few, and none of them known. */
	while (n && p < to && p - from < n && !page_at(m, p)->number)
		p++;
	if (!n || p >= to)
		return;
	m->page = NULL;
	m->pages = m->room = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].number &&
		    (old[i].number <= from || old[i].number > to))
			page_put(m, old[i]);
	free(old);
}

static void read_mappings(struct memory *m, pid_t tid)
{
	char *text = sysfile_text("/proc/%d/maps", (int)tid), *rest = text;
	const char *line;

	m->mappings = 0;
	m->old = false;
	while ((line = strsep(&rest, "\n"))) {
		struct mapping at;
		unsigned long from, to, inode;
		char kind;

		/* [heap] and the like have no inode; shared memory has one,
		 * as has what is deleted. */
		if (sscanf(line, "%lx-%lx %*2c%*c%c %*x %*s %lu", &from, &to,
			   &kind, &inode) != 4)
			continue;
		at = (struct mapping) { from, to, inode != 0 };
		m->mapping =
			text_grow(m->mapping, m->mappings, sizeof(*m->mapping));
		m->mapping[m->mappings++] = at;
	}
	free(text);
}

static bool is_file(struct memory *m, pid_t tid, uint64_t address)
{
	size_t low = 0, high;

	if (m->old)
		read_mappings(m, tid);
	high = m->mappings;
	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (m->mapping[mid].to <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->mappings && m->mapping[low].from <= address &&
	       m->mapping[low].file;
}

/* Entries of the pagemap from @page on.  Return: how many. */
static size_t read_entries(struct memory *m, pid_t tid, uint64_t page,
			   uint64_t *entry, size_t n)
{
	ssize_t got;

	if (m->pagemap < 0) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)tid);
		m->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	}
	got = m->pagemap < 0 ? -1
			     : pread(m->pagemap, entry, n * sizeof(*entry),
				     (off_t)(page * sizeof(*entry)));
	return got < 0 ? 0 : (size_t)got / sizeof(*entry);
}

/* Whether this is the page of zeros: as one that this process has only read,
 * and not as one that it has written. */
static bool is_zero_page(uint64_t entry)
{
	static uint64_t zero, other;
	static bool known;

	if (!known) {
		struct memory own = { .pagemap = -1 };
		uint64_t two[2] = { 0 };
		volatile char *at =
			mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at != MAP_FAILED) {
			at[PAGE_SIZE] = at[0];
			read_entries(&own, getpid(), (uintptr_t)at / PAGE_SIZE,
				     two, 2);
			close(own.pagemap);
		}
		zero = two[0] & ENTRY_WHICH;
		other = two[1] & ENTRY_WHICH;
		known = true;
	}
	return zero != other && (entry & ENTRY_WHICH) == zero;
}

/* The page is looked at when more faults of it may have followed.  A process
 * has no fault on a page of its own, unless a fork shared it: else it was read
 * at first, and the fault that is counted now stands for that one. */
enum fault memory_fault(struct memory *m, pid_t tid, uint64_t address)
{
	const uint64_t number = address / PAGE_SIZE;
	const struct page *p = m->room ? page_at(m, number) : NULL;
	const bool own = p && p->number &&
			 (p->kind == FAULT_COW || p->kind == FAULT_ANON);
	const bool file = is_file(m, tid, address);
	uint64_t entry = 0;
	enum fault kind;

	if (own && !p->shared)
		return file ? FAULT_FILE : FAULT_ZERO;
	read_entries(m, tid, number, &entry, 1);
	if (own || (file && entry & ENTRY_THERE && !(entry & ENTRY_FILE)))
		kind = FAULT_COW;
	else if (file)
		kind = FAULT_FILE;
	else
		kind = entry & ENTRY_THERE && is_zero_page(entry) ? FAULT_ZERO
								  : FAULT_ANON;
	page_put(m, (struct page) { number + 1, kind, false });
	return kind;
}

uint64_t memory_present(struct memory *m, pid_t tid, uint64_t from, uint64_t to)
{
	static uint64_t entry[4096];
	uint64_t page = from / PAGE_SIZE, n = 0;
	const uint64_t end = (to + PAGE_SIZE - 1) / PAGE_SIZE;
	size_t got = 1;

	for (uint64_t left = end > page ? end - page : 0,
		      looked = left < MEMORY_LOOK ? left : MEMORY_LOOK;
	     looked && got; looked -= got, page += got) {
		const size_t most = sizeof(entry) / sizeof(*entry);

		got = read_entries(m, tid, page, entry,
				   looked < most ? (size_t)looked : most);
		for (size_t i = 0; i < got; i++)
			n += entry[i] >> 63;
	}
	return n;
}

bool memory_resident(pid_t tid, uint64_t *file, uint64_t *anonymous,
		     uint64_t *mappings)
{
	char *text = sysfile_text("/proc/%d/smaps_rollup", (int)tid);
	char *maps = sysfile_text("/proc/%d/maps", (int)tid);
	const char *at = text;
	int64_t rss = 0, own = 0;

	for (; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		long long kb;

		if (sscanf(at, "Rss: %lld kB", &kb) == 1)
			rss = kb;
		else if (sscanf(at, "Anonymous: %lld kB", &kb) == 1)
			own = kb;
	}
	*file = (uint64_t)(rss - own) * 1024 / PAGE_SIZE;
	*anonymous = (uint64_t)own * 1024 / PAGE_SIZE;
	*mappings = 0;
	for (const char *c = maps; c && *c; c++)
		*mappings += *c == '\n';
	free(text);
	free(maps);
	return rss > 0;
}

ssize_t memory_read(pid_t tid, uint64_t at, void *to, size_t len)
{
	const struct iovec own = { to, len };
	struct iovec its = { .iov_len = len };

	memcpy(&its.iov_base, &at, sizeof(its.iov_base));
	return process_vm_readv(tid, &own, 1, &its, 1, 0);
}
