/* SPDX-License-Identifier: MIT */
#include "remote_lab.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remote_target.h"

int remote_lab_find(struct remote_lab *lab, struct bench *b)
{
	int pid, n;
	FILE *f = fopen(REMOTE_LAB_STATE, "re");

	if (!f)
		return bench_skip(b, "no NFS server to measure: make nfslab "
				     "starts one (as root; needs nfs-ganesha "
				     "and nfs-ganesha-vfs)");
	n = fscanf(f, "%d %4095[^\n]", &pid, lab->dir);
	fclose(f);
	if (n == 2 && pid == 0) /* it says why */
		return bench_skip(b, "%s", lab->dir);
	if (n != 2 || pid <= 1 || (kill(pid, 0) && errno == ESRCH))
		return bench_skip(b, "the server of scripts/nfslab has gone");
	lab->pid = pid;
	return 0;
}

int remote_lab_place(const struct remote_lab *lab, const struct bench *b)
{
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	char path[64];
	struct dirent *e;
	cpu_set_t set;
	int placed = 0, refused = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)lab->pid);
	d = cpu < 0 || cpu >= CPU_SETSIZE ? NULL : opendir(path);
	if (!d)
		return -1;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* Threads that begin later inherit it from one of these. */
	while ((e = readdir(d))) {
		const pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		if (sched_setaffinity(tid, sizeof(set), &set))
			refused += errno != ESRCH;
		else
			placed++;
	}
	closedir(d);
	return placed && !refused ? cpu : -1;
}
