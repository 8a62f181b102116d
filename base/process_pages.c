/* SPDX-License-Identifier: MIT */
#include "process_pages.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

/* Add up the mappings in @text, an smaps, that overlap @from to @to. */
static void add_up(char *text, uintptr_t from, uintptr_t to,
		   struct process_pages *p)
{
	const double page_kib = (double)sysconf(_SC_PAGESIZE) / 1024;
	double kib, alone = 0, all = 0; /* of one mapping, of files, too */
	double size = 0;		/* of it; 0: it is none of ours */
	uintptr_t begin, end;
	const char *line;
	char key[32];

	while ((line = strsep(&text, "\n"))) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2) {
			const bool ours = begin < to && end > from;

			size = ours ? (double)(end - begin) / 1024 : 0;
			p->mappings += ours;
			alone = 0;
		}
		if (sscanf(line, "%31[A-Za-z_]: %lf", key, &kib) != 2 ||
		    !(size > 0))
			continue;
		kib /= page_kib;
		if (!strcmp(key, "KernelPageSize") && kib > 1)
			p->pool += size / page_kib;
		if (!strcmp(key, "Rss"))
			p->resident += all = kib;
		if (!strncmp(key, "Private_", 8))
			alone += kib;
		if (!strcmp(key, "Anonymous")) {
			const double own = kib < alone ? kib : alone;

			p->anonymous += kib;
			p->own += own;
			p->common += all - kib - (alone - own);
		}
		if (!strcmp(key, "AnonHugePages"))
			p->huge += kib;
	}
}

bool process_pages(pid_t pid, struct process_pages *p)
{
	char *text =
		sysfile_text("/proc/%d/smaps", (int)(pid ? pid : getpid()));

	*p = (struct process_pages) { 0 };
	add_up(text, 0, UINTPTR_MAX, p);
	free(text);
	return p->mappings && p->resident;
}

int process_pages_at(const void *base, size_t bytes, struct process_pages *p)
{
	char *text = sysfile_text("/proc/self/smaps");
	const int err = text ? 0 : -errno;

	*p = (struct process_pages) { 0 };
	add_up(text, (uintptr_t)base, (uintptr_t)base + bytes, p);
	free(text);
	return err;
}
