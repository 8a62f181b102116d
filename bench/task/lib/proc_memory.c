/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guard.h"
#include "proc_memory.h"
#include "sysfile.h"

#define THP "/sys/kernel/mm/transparent_hugepage/"

size_t proc_huge_page_bytes(void)
{
	char mode[128];

	if (sysfile_line(mode, sizeof(mode), THP "enabled") <= 0 ||
	    strstr(mode, "[never]"))
		return 0;
	return (size_t)sysfile_number(0, NULL, THP "hpage_pmd_size");
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

int proc_memory_size(pid_t pid, uint64_t *resident, unsigned int *mappings)
{
	char statm[128], *maps;
	int64_t pages;

	if (!guard_sees_processes())
		return -ENOENT;
	if (!pid)
		pid = getpid();
	sysfile_line(statm, sizeof(statm), "/proc/%d/statm", (int)pid);
	pages = field_number(field_nth(statm, 1), -1);
	maps = sysfile_text("/proc/%d/maps", (int)pid);
	if (!maps)
		return -errno;
	*resident = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	*mappings = 0;
	for (const char *at = maps; (at = strchr(at, '\n')); at++)
		++*mappings;
	free(maps);
	return pages < 0 ? -EIO : 0;
}

void proc_memory_close(struct proc_memory *m)
{
	if (m->mapping)
		munmap(m->mapping, m->mapped);
	*m = (struct proc_memory) { 0 };
}
