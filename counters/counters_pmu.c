/* SPDX-License-Identifier: MIT */
#include "counters_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sysfile.h"

static bool read_pmu(const char *devices, const char *name,
		     struct counters_pmu *pmu)
{
	const int64_t type =
		sysfile_number(-1, NULL, "%s/%s/type", devices, name);

	if (name[0] == '.')
		return false;
	pmu->cpus = sysfile_first("%s/%s/cpus", devices, name);
	pmu->name = strdup(name);
	if ((!pmu->cpus && strcmp(name, "cpu") != 0) || type < 0 ||
	    !pmu->name) {
		counters_pmu_free(pmu, 1);
		return false;
	}
	pmu->type = (uint32_t)type;
	return true;
}

static int by_type(const void *a, const void *b)
{
	const struct counters_pmu *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

unsigned int counters_pmu_find(const char *devices,
			       struct counters_pmu pmus[COUNTERS_PMUS])
{
	DIR *dir = opendir(devices);
	const struct dirent *entry;
	unsigned int n = 0;

	if (!dir)
		return 0;
	while (n < COUNTERS_PMUS && (entry = readdir(dir)))
		if (read_pmu(devices, entry->d_name, &pmus[n]))
			n++;
	closedir(dir);
	qsort(pmus, n, sizeof(*pmus), by_type);
	return n;
}

void counters_pmu_free(struct counters_pmu *pmus, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		free(pmus[i].cpus);
		free(pmus[i].name);
	}
}

bool counters_pmu_has(const struct counters_pmu *pmu, int cpu)
{
	return !pmu->cpus || field_list_has(pmu->cpus, cpu);
}

uint64_t counters_pmu_config(uint64_t event, const struct counters_pmu *pmu,
			     unsigned int pmus)
{
	return pmus > 1 ? event | (uint64_t)pmu->type << 32 : event;
}

/* The greatest perf_event_paranoid at which it is permitted to all. */
static int permitted_at(const struct counters_refusal *r)
{
	if (r->kind == COUNTERS_CPU)
		return 0;
	/* They happen in the kernel. */
	return r->event == COUNTERS_CONTEXT_SWITCHES ||
			       r->event == COUNTERS_MIGRATIONS
		       ? 1
		       : 2;
}

static void not_permitted(const struct counters_refusal *r, char *text,
			  size_t size)
{
	const int level = permitted_at(r);

	if (r->paranoid > level)
		snprintf(text, size,
			 "not permitted: perf_event_paranoid is %d; as root: "
			 "sysctl kernel.perf_event_paranoid=%d, or setcap "
			 "cap_perfmon+ep PROGRAM",
			 r->paranoid, level);
	else
		snprintf(text, size,
			 "not permitted, though perf_event_paranoid is %d: a "
			 "container's filter? docker run --cap-add PERFMON "
			 "--security-opt seccomp=unconfined",
			 r->paranoid);
}

static const char *not_there(const struct counters_refusal *r)
{
	if (r->event >= COUNTERS_HARDWARE)
		return "this kernel does not count it";
	if (r->pmus)
		return "this processor's counters have no such event, or the "
		       "kernel does not know it";
	return r->hypervisor
		       ? "the hypervisor gives this virtual machine no "
			 "hardware counters; on its host: qemu -cpu "
			 "host,pmu=on, or the like"
		       : "the kernel knows no counters of this processor (see "
			 "dmesg | grep -i pmu)";
}

void counters_explain(const struct counters_refusal *r, char *text, size_t size)
{
	const char *said = NULL;

	switch (r->err) {
	case EACCES:
	case EPERM:
		not_permitted(r, text, size);
		return;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		said = not_there(r);
		break;
	case EINVAL:
		said = "this processor has no counter for it beside those "
		       "that are in use";
		break;
	case EBUSY:
		said = "another program has the counters for itself";
		break;
	case ENOSYS:
		said = "there is no perf_event_open(): a kernel without "
		       "CONFIG_PERF_EVENTS, or a container's filter";
		break;
	case EMFILE:
	case ENFILE:
		said = "too many open files: ulimit -n 65536 (as root)";
		break;
	}
	snprintf(text, size, "%s%s", said ? "" : "perf_event_open: ",
		 said ? said : strerror(r->err));
}
