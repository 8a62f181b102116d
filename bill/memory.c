/* SPDX-License-Identifier: MIT */
/* Mappings, and the kinds of page faults. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "alloc.h"
#include "bill.h"
#include "process_pages.h"
#include "sysfile.h"

/* Bits of an entry of /proc/PID/pagemap: there; of a file; which page, or,
 * where users may not know that, whether other processes have it, too. */
#define ENTRY_THERE (1ULL << 63)
#define ENTRY_FILE  (1ULL << 61)
#define ENTRY_WHICH (ENTRY_ALONE | ((1ULL << 55) - 1))
#define ENTRY_ALONE (1ULL << 56)

/* A page after its last fault. */
enum {
	PAGE_UNKNOWN, /* it had none */
	PAGE_READ,    /* one of a file, and other small ones */
	PAGE_ZERO,    /* that of zeros, until it is written */
	PAGE_OWN,     /* the process's own */
	PAGE_HUGE, /* the same, by one fault for its whole region, it seems */
};

#define AREA 4096 /* pages */
struct area {
	uint64_t number;
	uint8_t page[AREA];
	unsigned int *owners[AREA]; /* processes that have it by forks; NULL */
};

struct memory *memory_new(void)
{
	struct memory *m = text_alloc(1, sizeof(*m));

	m->refs = 1;
	return m;
}

static struct area *area_of(struct memory *m, uint64_t number)
{
	size_t i = 0;

	while (i < m->areas && m->area[i].number != number / AREA)
		i++;
	if (i == m->areas) {
		m->area = text_grow(m->area, i, sizeof(*m->area));
		m->area[m->areas++] = (struct area) { .number = number / AREA };
	}
	return &m->area[i];
}

/* One process less has the page. */
static void disown(unsigned int **owners)
{
	if (*owners && !--**owners)
		free(*owners);
	*owners = NULL;
}

/* A child has all of its own pages, too. */
static void share(struct area *a)
{
	for (size_t i = 0; i < AREA; i++) {
		if (a->page[i] < PAGE_OWN)
			continue;
		if (!a->owners[i]) {
			a->owners[i] = text_alloc(1, sizeof(*a->owners[i]));
			*a->owners[i] = 1;
		}
		++*a->owners[i];
	}
}

struct memory *memory_copy(struct memory *from, bool same)
{
	struct memory *m = same ? from : memory_new();

	m->refs += same;
	for (size_t i = 0; !same && i < from->areas; i++) {
		share(&from->area[i]);
		*area_of(m, from->area[i].number * AREA) = from->area[i];
	}
	return m;
}

void memory_drop(struct memory *m)
{
	if (!m || --m->refs)
		return;
	memory_forget(m, 0, UINT64_MAX - PAGE_SIZE);
	free(m->area);
	free(m);
}

void memory_forget(struct memory *m, uint64_t from, uint64_t to)
{
	free(m->maps);
	m->maps = NULL;
	from /= PAGE_SIZE;
	to = (to + PAGE_SIZE - 1) / PAGE_SIZE;
	for (struct area *a = m->area; a < m->area + m->areas; a++) {
		const uint64_t first = a->number * AREA, end = first + AREA;
		const uint64_t begin = from > first ? from : first;

		for (uint64_t i = begin; i < to && i < end; i++) {
			a->page[i - first] = PAGE_UNKNOWN;
			disown(&a->owners[i - first]);
		}
	}
}

/* [heap] and the like have no inode; shared memory has one, as has what is
 * deleted. */
static bool is_file(struct memory *m, pid_t tid, uint64_t address)
{
	if (!m->maps)
		m->maps = sysfile_text("/proc/%d/maps", (int)tid);
	for (const char *line = m->maps; line && *line;
	     line = strchr(line, '\n') + 1) {
		char *end;
		const uint64_t from = strtoul(line, &end, 16);

		if (from <= address && address < strtoul(end + 1, NULL, 16))
			return field_number(field_nth(line, 4), 0) != 0;
	}
	return false;
}

/* Entries of the pagemap from @page on.  Return: how many. */
static size_t read_entries(pid_t tid, uint64_t page, uint64_t *entry, size_t n)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = pread(fd, entry, n * sizeof(*entry),
		    (off_t)(page * sizeof(*entry)));
	close(fd);
	return got < 0 ? 0 : (size_t)got / sizeof(*entry);
}

/* Whether this is the page of zeros: as one that this process has only read,
 * and not as one that it has written. */
static bool is_zero_page(uint64_t entry)
{
	static uint64_t two[2];
	static volatile char *at;

	if (!at) {
		at = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at != MAP_FAILED)
			at[PAGE_SIZE] = at[0];
		read_entries(getpid(), (uintptr_t)at / PAGE_SIZE, two, 2);
	}
	return (two[0] ^ two[1]) & ENTRY_WHICH &&
	       !((two[0] ^ entry) & ENTRY_WHICH);
}

/* Pages that a huge page has; 1: there are no huge ones. */
static uint64_t huge_pages(void)
{
	static int64_t bytes = -1;
	uint64_t n;

	if (bytes < 0)
		bytes = sysfile_number(0, NULL,
				       "/sys/kernel/mm/transparent_hugepage/"
				       "hpage_pmd_size");
	n = (uint64_t)bytes / PAGE_SIZE;
	return n && n <= AREA ? n : 1;
}

/* The class of the first fault in the @n pages of a region, @page is one of
 * them, if it has filled it: with a huge page or, as it is read, with zeros, of
 * which some are not written yet; else @class, that of a small page.  Pages
 * that had a fault each by now look like a huge one, until the next of these
 * faults is read. */
static int first_fault(struct memory *m, pid_t tid, uint64_t page, uint64_t n,
		       uint8_t *region, int class)
{
	static const uint8_t none[AREA];
	static uint64_t entry[AREA];
	const uint64_t from = page / n * n * PAGE_SIZE;
	const uint64_t to = from + n * PAGE_SIZE;
	uint64_t alone = 0;

	if (n == 1 || memcmp(region, none, n) != 0 || is_file(m, tid, from) ||
	    is_file(m, tid, to - 1) || memory_present(NULL, tid, from, to) < n)
		return class;
	read_entries(tid, from / PAGE_SIZE, entry, n);
	for (size_t i = 0; i < n; i++)
		alone += (entry[i] & ENTRY_ALONE) != 0;
	memset(region, alone < n ? PAGE_ZERO : PAGE_HUGE, n);
	return alone < n ? OP_FAULT_ZERO : OP_FAULT_HUGE;
}

/* An earlier fault was counted as @from, and was one of @to. */
static void mistaken(struct profile *p, int from, int to)
{
	const uint64_t one = p->class[from].count > 0;

	p->class[from].count -= one;
	p->class[to].count += one;
}

/* The page is looked at when more faults of it may have followed.  A process
 * has no fault on a page of its own, unless a fork shared it, and the last one
 * that has it need not copy it: else it was read at first, and the fault that
 * is counted now stands for that one. */
static int class_of_fault(struct memory *m, pid_t tid, uint64_t address,
			  struct profile *p)
{
	const uint64_t number = address / PAGE_SIZE, n = huge_pages();
	struct area *a = area_of(m, number);
	uint8_t *page = &a->page[number % AREA];
	uint8_t *region = &a->page[number % AREA / n * n];
	unsigned int **owners = &a->owners[number % AREA];
	const bool file = is_file(m, tid, address);
	int class = file ? OP_FAULT_FILE : OP_FAULT_ZERO;
	uint64_t entry = 0;

	if (*page == PAGE_HUGE && !*owners) { /* it was a fault of one page */
		memset(region, PAGE_READ, n);
		mistaken(p, OP_FAULT_HUGE, OP_FAULT_ANON);
	}
	if (*page >= PAGE_OWN) {
		if (!*owners && !file)
			mistaken(p, OP_FAULT_ANON, OP_FAULT_UNZERO);
		if (*owners)
			class = **owners > 1 ? OP_FAULT_COW : OP_FAULT_REUSE;
		disown(owners);
		return class;
	}
	read_entries(tid, number, &entry, 1);
	if (file && entry & ENTRY_THERE && !(entry & ENTRY_FILE))
		class = OP_FAULT_COW;
	else if (!file && !(entry & ENTRY_THERE && is_zero_page(entry)))
		class = OP_FAULT_ANON;
	if (class == OP_FAULT_ANON && *page == PAGE_ZERO)
		class = OP_FAULT_UNZERO;
	if (class == OP_FAULT_ANON || class == OP_FAULT_ZERO)
		class = first_fault(m, tid, number, n, region, class);
	if (class != OP_FAULT_HUGE)
		*page = class == OP_FAULT_ZERO	 ? PAGE_ZERO
			: class == OP_FAULT_FILE ? PAGE_READ
						 : PAGE_OWN;
	return class;
}

void memory_fault(struct memory *m, pid_t tid, uint64_t address,
		  struct profile *p)
{
	profile_event(p, class_of_fault(m, tid, address, p), NULL);
}

/* Whether faults have shown that a huge page has this one. */
static bool in_huge(const struct memory *m, uint64_t number)
{
	for (size_t i = 0; m && i < m->areas; i++)
		if (m->area[i].number == number / AREA)
			return m->area[i].page[number % AREA] == PAGE_HUGE;
	return false;
}

uint64_t memory_present(const struct memory *small, pid_t tid, uint64_t from,
			uint64_t to)
{
	static uint64_t entry[4096];
	uint64_t page = from / PAGE_SIZE, n = 0;
	uint64_t left = (to + PAGE_SIZE - 1) / PAGE_SIZE - page;
	size_t got;

	if (from >= to || left > MEMORY_LOOK)
		left = from >= to ? 0 : MEMORY_LOOK;
	for (; left; left -= got, page += got) {
		got = read_entries(tid, page, entry, left < 4096 ? left : 4096);
		if (!got)
			break;
		for (size_t i = 0; i < got; i++)
			n += entry[i] & ENTRY_THERE &&
			     !in_huge(small, page + i);
	}
	return n;
}

bool memory_resident(pid_t tid, bool fork, uint64_t feature[FEATURES])
{
	struct process_pages p;
	const bool any = process_pages(tid, &p);
	const double small = p.anonymous - p.huge;
	const double own = fork ? small : p.own > p.huge ? p.own - p.huge : 0;

	feature[FILE_PAGES] = (uint64_t)(p.resident - p.anonymous);
	feature[COMMON_PAGES] = (uint64_t)p.common;
	feature[ANONYMOUS_PAGES] = (uint64_t)own;
	feature[SHARED_PAGES] = (uint64_t)(small - own);
	feature[MAPPINGS] = (uint64_t)p.mappings;
	return any;
}

ssize_t memory_read(pid_t tid, uint64_t at, void *to, size_t len)
{
	const struct iovec own = { to, len };
	struct iovec its = { .iov_len = len };

	memcpy(&its.iov_base, &at, sizeof(its.iov_base));
	return process_vm_readv(tid, &own, 1, &its, 1, 0);
}
