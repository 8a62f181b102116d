/* SPDX-License-Identifier: MIT */
#ifndef COUNTERS_PMU_H
#define COUNTERS_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

/*
 * Which PMUs the cores have, as sysfs says, and why an event is not counted:
 * private to the counters.  Paths and errors come in as arguments, so that
 * tests can make up machines.
 */
#define COUNTERS_DEVICES "/sys/bus/event_source/devices"

struct counters_pmu {
	char *name;
	uint32_t type; /* of perf_event_attr */
	char *cpus;    /* a list such as "0-15,20"; NULL: all */
};

/**
 * counters_pmu_find() - the PMUs of the cores: the one called "cpu", or those
 * that say which CPUs they belong to (not those of the uncore, which say which
 * CPU to ask).
 * @devices: COUNTERS_DEVICES.
 * @pmus: in the order of their types.
 *
 * Return: how many, at most COUNTERS_PMUS; counters_pmu_free() them.
 */
unsigned int counters_pmu_find(const char *devices,
			       struct counters_pmu pmus[COUNTERS_PMUS]);
void counters_pmu_free(struct counters_pmu *pmus, unsigned int n);

/* counters_pmu_has() - whether @cpu is in the list of @pmu. */
bool counters_pmu_has(const struct counters_pmu *pmu, int cpu);

/* counters_pmu_config() - the config of a hardware event on @pmu: where there
 * are several, its type stands in the upper half. */
uint64_t counters_pmu_config(uint64_t event, const struct counters_pmu *pmu,
			     unsigned int pmus);

/* What a refusal of perf_event_open() depends on. */
struct counters_refusal {
	int err; /* positive errno */
	enum counters_event event;
	enum counters_kind kind;
	unsigned int pmus;
	bool hypervisor;
	int paranoid; /* -1: there is no such file */
	bool system_wide;
};

/* counters_explain() - one sentence on @r, with the command that mends it. */
void counters_explain(const struct counters_refusal *r, char *text,
		      size_t size);

#endif
