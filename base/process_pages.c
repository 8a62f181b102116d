/* SPDX-License-Identifier: MIT */
#include "process_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sysfile.h"

bool process_pages(pid_t pid, struct process_pages *p)
{
	const double page_kib = (double)sysconf(_SC_PAGESIZE) / 1024;
	char *text =
		sysfile_text("/proc/%d/smaps", (int)(pid ? pid : getpid()));
	char *rest = text, key[32], right;
	double kib, alone = 0, all = 0; /* of one mapping, of files, too */
	const char *line;

	*p = (struct process_pages) { 0 };
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%*x-%*x %c", &right) == 1) {
			p->mappings++;
			alone = 0;
		}
		if (sscanf(line, "%31[A-Za-z_]: %lf", key, &kib) != 2)
			continue;
		kib /= page_kib;
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
	free(text);
	return p->mappings && p->resident;
}
