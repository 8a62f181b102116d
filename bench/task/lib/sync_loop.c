/* SPDX-License-Identifier: MIT */
#include "sync_loop.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "placement.h"

/* Beyond the heap of a static program. */
#define AWAY (1ul << 30)

#define LINE 64u

__asm__(".pushsection .text\n"
	".p2align 6\n"
	"sync_loop_code:\n\t" ARCH_CODE_LOCK "sync_loop_end:\n"
	".popsection\n");

extern const char sync_loop_code[], sync_loop_end[];

sync_loop_fn *sync_loop(const struct sync_loops *l, size_t i)
{
	const char *at = l->first + i * l->stride;
	sync_loop_fn *loop;

	/* C has no cast from data to code; the bits are the same. */
	memcpy(&loop, &at, sizeof(at));
	return loop;
}

void sync_loops_open(struct sync_loops *l, size_t n, sync_lock_fn *callee)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = (size_t)(sync_loop_end - sync_loop_code);
	const size_t stride = (bytes / LINE + 1) * LINE;
	const size_t size = n * stride;
	char *near, *p;

	memcpy(&near, &callee, sizeof(near)); /* as above */
	near += AWAY - (uintptr_t)near % page;
	p = mmap(near, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*l = (struct sync_loops) { .first = sync_loop_code };
	if (p == MAP_FAILED)
		return;
	for (size_t i = 0; i < n; i++)
		memcpy(p + i * stride, sync_loop_code, bytes);
	__builtin___clear_cache(p, p + size);
	if (mprotect(p, size, PROT_READ | PROT_EXEC))
		munmap(p, size);
	else
		*l = (struct sync_loops) { p, stride, size };
}

void sync_loops_close(struct sync_loops *l)
{
	if (l->mapped)
		munmap((void *)l->first, l->mapped);
}
