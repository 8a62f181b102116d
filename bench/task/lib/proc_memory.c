/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guard.h"
#include "proc_memory.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

size_t proc_huge_page_bytes(void)
{
	char mode[128] = "";
	size_t bytes = 0;
	FILE *f = fopen(THP "enabled", "re");

	if (!f)
		return 0;
	if (!fgets(mode, sizeof(mode), f) || strstr(mode, "[never]")) {
		fclose(f);
		return 0;
	}
	fclose(f);
	f = fopen(THP "hpage_pmd_size", "re");
	if (!f)
		return 0;
	if (fscanf(f, "%zu", &bytes) != 1)
		bytes = 0;
	fclose(f);
	return bytes;
}

int proc_memory_open(struct proc_memory *m, size_t bytes, bool huge)
{
	const size_t align = huge ? proc_huge_page_bytes() : 0;
	const size_t mapped = bytes + align;
	uintptr_t start;
	void *p;

	if (huge && !align)
		return -ENOTSUP;
	p = mmap(NULL, mapped, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return -errno;
	start = (uintptr_t)p;
	if (align)
		start = (start + align - 1) / align * align;
	*m = (struct proc_memory) { .start = (char *)p + (start - (uintptr_t)p),
				    .bytes = bytes,
				    .mapping = p,
				    .mapped = mapped };
	/* EINVAL: a kernel without huge pages, which need not be forbidden. */
	if ((madvise(m->start, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
	     (huge || errno != EINVAL)) ||
	    mprotect(m->start, bytes, PROT_READ | PROT_WRITE)) {
		const int err = errno;

		proc_memory_close(m);
		return -err;
	}
	/* A fault for each page takes three times as long as asking for all;
	 * either way the pages are there and written to. */
#ifdef MADV_POPULATE_WRITE
	if (madvise(m->start, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
#endif
	proc_memory_touch(m, (size_t)sysconf(_SC_PAGESIZE));
	return 0;
}

void proc_memory_touch(const struct proc_memory *m, size_t page)
{
	volatile char *p = m->start;

	for (size_t i = 0; i < m->bytes; i += page)
		p[i] = (char)(p[i] + 1);
}

int64_t proc_memory_huge(const struct proc_memory *m)
{
	const unsigned long from = (unsigned long)(uintptr_t)m->start;
	int64_t bytes = 0;
	bool inside = false;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		unsigned long lo, hi, kib;

		if (sscanf(line, "%lx-%lx ", &lo, &hi) == 2)
			inside = lo < from + m->bytes && hi > from;
		else if (inside &&
			 sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
			bytes += (int64_t)kib * 1024;
	}
	fclose(f);
	return bytes;
}

int proc_memory_size(pid_t pid, uint64_t *resident, unsigned int *mappings)
{
	uint64_t pages = 0;
	char path[64];
	int c, got;
	FILE *f;

	if (!guard_sees_processes())
		return -ENOENT;
	if (!pid)
		pid = getpid();
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	got = fscanf(f, "%*u %" SCNu64, &pages);
	fclose(f);
	*resident = pages * (uint64_t)sysconf(_SC_PAGESIZE);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	*mappings = 0;
	while ((c = getc(f)) != EOF)
		*mappings += c == '\n';
	fclose(f);
	return got == 1 ? 0 : -EIO;
}

void proc_memory_close(struct proc_memory *m)
{
	if (m->mapping)
		munmap(m->mapping, m->mapped);
	*m = (struct proc_memory) { 0 };
}
