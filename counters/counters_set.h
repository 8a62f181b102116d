/* SPDX-License-Identifier: MIT */
#ifndef COUNTERS_SET_H
#define COUNTERS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

/* The inside of a set of counters: private to them and to their tests, which
 * make up machines: paths, registers and errors come in as arguments. */
#define COUNTERS_GROUP_MAX 4
#define COUNTERS_WHY_MAX   200

/* ---- Which PMUs the cores have, as sysfs says -------------------------- */

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

/* The reasons for a refusal of perf_event_open(). */
struct counters_refusal {
	int err; /* positive errno */
	enum counters_event event;
	enum counters_kind kind;
	unsigned int pmus;
	bool hypervisor;
	int paranoid; /* -1: there is no such file */
};

/* counters_explain() - one sentence on @r, with the command that fixes it. */
void counters_explain(const struct counters_refusal *r, char *text,
		      size_t size);

/* ---- The model specific registers -------------------------------------- */

/*
 * The architectural events of an Intel processor, as the paper programs them.
 * Only what is needed is touched: the event selects of as many general counters
 * as there are events for, IA32_FIXED_CTR_CTRL and IA32_PERF_GLOBAL_CTRL.  All
 * are put back by counters_msr_close().  The counters themselves are never
 * written; what they hold is where counting begins.
 *
 * Source: Intel SDM volume 3B, chapter 20 (performance monitoring), volume 4.
 */
struct counters_msr_ops {
	/* Both return 0 or -errno. */
	int (*read)(void *arg, uint32_t reg, uint64_t *value);
	int (*write)(void *arg, uint32_t reg, uint64_t value);
};

struct counters_msr {
	const struct counters_msr_ops *ops;
	void *arg;
	struct {
		uint32_t reg; /* that counts the event; 0: none */
		unsigned int bits;
		uint64_t last; /* as read */
		uint64_t sum;  /* since the start, 64 bits */
	} event[COUNTERS_HARDWARE];
	uint64_t read_ns; /* when */
	uint64_t lost_ns; /* how long counts are missing */
	/* Earlier contents, in the order in which they were changed. */
	struct {
		uint32_t reg;
		uint64_t value;
	} saved[COUNTERS_HARDWARE + 2];
	size_t n_saved;
};

/**
 * counters_msr_open() - program and start the counters.
 * @arch: of the processor that the registers are of.
 * @user_only: leave the kernel's part out.
 * @now_ns: any clock.
 * @why: on failure, one sentence (a buffer of COUNTERS_WHY_MAX).
 *
 * Refuses (-EBUSY) if any counter is in use: the kernel's perf, its NMI
 * watchdog, a hypervisor or another tool has it.  Whatever was written is
 * restored on failure.
 *
 * Return: 0, -EOPNOTSUPP (no architectural monitoring), -EBUSY, or the -errno
 * of reading or writing a register.
 */
int counters_msr_open(struct counters_msr *m,
		      const struct counters_msr_ops *ops, void *arg,
		      const struct counters_arch *arch, bool user_only,
		      uint64_t now_ns, char *why);

/**
 * counters_msr_read() - bring sum[] up to now.  A counter wraps, and how often
 * it did cannot be seen: readings must not lie further apart than it takes at
 * the greatest conceivable rate (40 bits: 27 s; 48 bits: two hours).  If they
 * do, nothing is added for that time and lost_ns grows by it.
 *
 * Return: 0 or the -errno of reading a register.
 */
int counters_msr_read(struct counters_msr *m, uint64_t now_ns);

/* counters_msr_close() - restore.  Return: 0 or the first -errno (it goes on
 * all the same). */
int counters_msr_close(struct counters_msr *m);

/* counters_msr_device - the ops of /dev/cpu/N/msr; arg points to the file
 * descriptor (int). */
extern const struct counters_msr_ops counters_msr_device;

/* ---- A set ------------------------------------------------------------- */

/* Events that are scheduled together; one read() gives them all. */
struct counters_group {
	int fd[COUNTERS_GROUP_MAX];
	enum counters_event event[COUNTERS_GROUP_MAX];
	size_t n;
	unsigned int pmu; /* index; 0 for the kernel's events */
};

struct counters {
	struct counters_target target;
	struct counters_arch arch; /* of the processor */
	struct counters_pmu pmu[COUNTERS_PMUS];
	unsigned int pmus;
	unsigned int wanted_pmus; /* bit for each that may count here */
	unsigned int opened[COUNTERS_EVENTS]; /* bit for each PMU */
	unsigned int barred; /* bit for each event that is not to be tried */
	bool user_only;
	unsigned int usage; /* bit for each event taken from getrusage() */
	struct counters_group groups[1 + 4 * COUNTERS_PMUS];
	size_t n_groups;
	struct counters_msr *msr;
	int msr_fd;
	char why[COUNTERS_EVENTS][COUNTERS_WHY_MAX];
	struct counters_reading start;
};

/* counters_perf_open() - open what can be opened for the target: fills groups,
 * opened, wanted_pmus and why.  Return: 0 or -ENODEV.
 * counters_perf_read() - add what the groups hold to @now; 0 or -errno. */
int counters_perf_open(struct counters *c);
int counters_perf_read(const struct counters *c, struct counters_reading *now);
void counters_perf_close(struct counters *c);

#endif
