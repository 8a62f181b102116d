/* SPDX-License-Identifier: MIT */
#include "topo.h"

#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "caches.h"
#include "program.h"
#include "sysfile.h"

/* As many as any kernel is built for: it refuses to write to a mask of less
 * CPUs than it may have. */
#define MOST_CPUS  8192
#define MOST_KINDS 8
#define RANKED	   16 /* bytes of "kind7" */
typedef cpu_set_t cpu_mask[MOST_CPUS / CPU_SETSIZE];

struct topo {
	hwloc_topology_t hw; /* of what this process may use */
	/* By the kernel's number; NULL: not ours. */
	hwloc_obj_t *pu;
	const char **kind; /* NULL where all are of one */
	int numbers;
	unsigned int cpus;
	const char *kinds[MOST_KINDS + 1]; /* the fastest first; then NULL */
	char ranked[MOST_KINDS][RANKED];   /* names of those that have none */
	int node[BENCH_MAX_NODES];	   /* with memory that we may use */
	unsigned int nodes;
};

#define EACH_CPU(topo, cpu)                             \
	for (int cpu = 0; cpu < (topo)->numbers; cpu++) \
		if ((topo)->pu[cpu])

int topo_last_cpu(void)
{
	cpu_mask mask = { 0 };
	int cpu = MOST_CPUS - 1;

	if (sched_getaffinity(0, sizeof(mask), mask))
		return -1;
	while (cpu >= 0 && !CPU_ISSET_S((size_t)cpu, sizeof(mask), mask))
		cpu--;
	return cpu;
}

const char *topo_confine(const char *list)
{
	cpu_mask ours = { 0 }, mask = { 0 };
	int64_t first, last;

	if (sched_getaffinity(0, sizeof(ours), ours))
		return "CPUs cannot be chosen here";
	while (field_range(&list, &first, &last))
		for (int64_t cpu = first; cpu <= last; cpu++)
			if (cpu < MOST_CPUS &&
			    CPU_ISSET_S((size_t)cpu, sizeof(ours), ours))
				CPU_SET_S((size_t)cpu, sizeof(mask), mask);
			else
				return text_format("CPU %ld may not be used",
						   (long)cpu);
	return !*list && !sched_setaffinity(0, sizeof(mask), mask)
		       ? NULL
		       : "not a list of CPUs such as 0-3,7";
}

/* Files that hwloc reads may be missing (/sys in gVisor): the CPUs then have no
 * known cores, packages and caches.  Without affinity there is one of them. */
static int load(struct topo *topo)
{
	const int last = topo_last_cpu();
	char flat[32];

	setenv("HWLOC_HIDE_ERRORS", "2", 0); /* that it is missing */
	if (last >= 0 && !hwloc_topology_load(topo->hw))
		return 0;
	hwloc_topology_destroy(topo->hw);
	if (hwloc_topology_init(&topo->hw))
		return -errno;
	snprintf(flat, sizeof(flat), "pu:%d", last < 0 ? 1 : last + 1);
	if (hwloc_topology_set_synthetic(topo->hw, flat) ||
	    hwloc_topology_set_flags(topo->hw,
				     HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM) ||
	    hwloc_topology_load(topo->hw))
		return errno ? -errno : -EIO;
	return 0;
}

/* hwloc may allow more CPUs than taskset left us. */
static int list_cpus(struct topo *topo)
{
	const hwloc_const_cpuset_t all =
		hwloc_topology_get_topology_cpuset(topo->hw);
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();
	hwloc_obj_t o = NULL;
	int err = 0;

	if (topo_is_real(topo) &&
	    !hwloc_get_cpubind(topo->hw, bound, HWLOC_CPUBIND_THREAD) &&
	    !hwloc_bitmap_isincluded(all, bound))
		err = hwloc_topology_restrict(topo->hw, bound, 0) ? -errno : 0;
	hwloc_bitmap_free(bound);
	topo->numbers = hwloc_bitmap_last(
				hwloc_topology_get_topology_cpuset(topo->hw)) +
			1;
	topo->pu = text_alloc((size_t)topo->numbers, sizeof(hwloc_obj_t));
	topo->kind = text_alloc((size_t)topo->numbers, sizeof(*topo->kind));
	while ((o = hwloc_get_next_obj_by_type(topo->hw, HWLOC_OBJ_PU, o))) {
		topo->pu[o->os_index] = o;
		topo->cpus++;
	}
	return err;
}

static void list_nodes(struct topo *topo)
{
	const hwloc_const_nodeset_t allowed =
		hwloc_topology_get_allowed_nodeset(topo->hw);
	hwloc_obj_t o = NULL;

	while ((o = hwloc_get_next_obj_by_type(topo->hw, HWLOC_OBJ_NUMANODE,
					       o)) &&
	       topo->nodes < BENCH_MAX_NODES)
		if (o->attr->numanode.local_memory &&
		    hwloc_bitmap_isset(allowed, o->os_index))
			topo->node[topo->nodes++] = (int)o->os_index;
}

/* The name of the @nth kind by hwloc, whose @cpus are set, or else @ranked;
 * NULL: it has no rank: it differs, but it is not known in what. */
static const char *kind_name(const struct topo *topo, unsigned int nth,
			     hwloc_bitmap_t cpus, char ranked[RANKED])
{
	struct hwloc_info_s *info;
	unsigned int n;
	int rank;

	if (hwloc_cpukinds_get_info(topo->hw, nth, cpus, &rank, &n, &info, 0) ||
	    rank < 0)
		return NULL;
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(info[i].name, "CoreType"))
			return info[i].value;
	snprintf(ranked, RANKED, "kind%d", rank);
	return ranked;
}

/* Where there are several. */
static void list_kinds(struct topo *topo)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int left = cpus ? hwloc_cpukinds_get_nr(topo->hw, 0) : 0;
	size_t known = 0;

	/* hwloc has the fastest last; those of one name lie beside each other.
	 */
	while (left-- > 0 && known < MOST_KINDS) {
		const char *name = kind_name(topo, (unsigned int)left, cpus,
					     topo->ranked[known]);

		if (!name)
			continue;
		if (!known || strcmp(topo->kinds[known - 1], name) != 0)
			topo->kinds[known++] = name;
		EACH_CPU (topo, cpu)
			if (hwloc_bitmap_isset(cpus, (unsigned int)cpu))
				topo->kind[cpu] = topo->kinds[known - 1];
	}
	hwloc_bitmap_free(cpus);
	if (known > 1)
		return;
	topo->kinds[0] = NULL;
	EACH_CPU (topo, cpu)
		topo->kind[cpu] = NULL;
}

int topo_open(struct topo **out)
{
	struct topo *topo = text_alloc(1, sizeof(*topo));
	int err;

	if (hwloc_topology_init(&topo->hw)) {
		err = -errno;
		free(topo);
		return err;
	}
	err = load(topo);
	if (!err)
		err = list_cpus(topo);
	if (err) {
		topo_close(topo);
		return err;
	}
	list_kinds(topo);
	list_nodes(topo);
	*out = topo;
	return 0;
}

void topo_close(struct topo *topo)
{
	if (!topo)
		return;
	hwloc_topology_destroy(topo->hw);
	free(topo->pu);
	free(topo->kind);
	free(topo);
}

bool topo_is_real(const struct topo *topo)
{
	return hwloc_topology_is_thissystem(topo->hw);
}

unsigned int bench_cpus(const struct bench *b)
{
	return b->topo->cpus;
}

int bench_nth_cpu(const struct bench *b, unsigned int nth)
{
	if (nth == 0)
		return b->cpu;
	EACH_CPU (b->topo, cpu)
		if (cpu != b->cpu && --nth == 0)
			return cpu;
	return -ERANGE;
}

static hwloc_obj_t pu_of(const struct topo *topo, int cpu)
{
	return cpu < 0 || cpu >= topo->numbers ? NULL : topo->pu[cpu];
}

bool topo_has(const struct topo *topo, int cpu)
{
	return pu_of(topo, cpu);
}

const char *topo_kind(const struct topo *topo, int cpu)
{
	return topo_has(topo, cpu) ? topo->kind[cpu] : NULL;
}

int topo_default_cpu(const struct topo *topo, size_t nth)
{
	const char *kind = topo->kinds[nth];
	int last = -ENOENT;

	/* Where all are of one kind it has no name. */
	EACH_CPU (topo, cpu)
		if (kind ? topo->kind[cpu] && !strcmp(topo->kind[cpu], kind)
			 : !nth)
			last = cpu;
	return last;
}

/* Whether @a and @b are below the same object of @type; false if unknown. */
static bool share(const struct topo *topo, hwloc_obj_t a, hwloc_obj_t b,
		  hwloc_obj_type_t type)
{
	hwloc_obj_t x = hwloc_get_ancestor_obj_by_type(topo->hw, type, a);
	hwloc_obj_t y = hwloc_get_ancestor_obj_by_type(topo->hw, type, b);

	return x && x == y;
}

static enum bench_distance distance_of(const struct topo *topo, hwloc_obj_t x,
				       hwloc_obj_t y)
{
	static const hwloc_obj_type_t shared[] = {
		[BENCH_BY_CORE] = HWLOC_OBJ_CORE,
		[BENCH_BY_L2] = HWLOC_OBJ_L2CACHE,
		[BENCH_BY_L3] = HWLOC_OBJ_L3CACHE,
	};

	for (int by = BENCH_BY_CORE; by <= BENCH_BY_L3; by++)
		if (share(topo, x, y, shared[by]))
			return (enum bench_distance)by;
	/* A machine without packages (some containers) counts as one. */
	if (hwloc_get_ancestor_obj_by_type(topo->hw, HWLOC_OBJ_PACKAGE, x) &&
	    !share(topo, x, y, HWLOC_OBJ_PACKAGE))
		return BENCH_BY_MEMORY;
	/* Nodes are no ancestors in hwloc's tree. */
	return hwloc_bitmap_intersects(x->nodeset, y->nodeset)
		       ? BENCH_BY_NODE
		       : BENCH_BY_SOCKET;
}

enum bench_distance bench_distance(const struct bench *b, int a, int c)
{
	const hwloc_obj_t x = pu_of(b->topo, a), y = pu_of(b->topo, c);

	return x && y ? distance_of(b->topo, x, y) : BENCH_BY_MEMORY;
}

static enum bench_place place_of(const struct topo *topo, hwloc_obj_t from,
				 hwloc_obj_t to)
{
	const enum bench_distance by = distance_of(topo, from, to);

	return from == to	       ? BENCH_SAME_CPU
	       : by == BENCH_BY_CORE   ? BENCH_SAME_CORE
	       : by == BENCH_BY_MEMORY ? BENCH_OTHER_PACKAGE
				       : BENCH_SAME_PACKAGE;
}

int bench_partner(const struct bench *b, enum bench_place place)
{
	const bool any = place == BENCH_ANY_OTHER;
	const enum bench_place last = any ? BENCH_OTHER_PACKAGE : place;
	const hwloc_obj_t from = pu_of(b->topo, b->cpu);

	for (int at = (int)(any ? BENCH_SAME_CORE : place);
	     from && at <= (int)last; at++)
		EACH_CPU (b->topo, to)
			if ((int)place_of(b->topo, from, b->topo->pu[to]) == at)
				return to;
	return -ENOENT;
}

/* When @cpu gets its turn: topo_spread(). */
static int turn_of(const struct topo *topo, int first, int cpu)
{
	const hwloc_obj_t from = topo->pu[first], pu = topo->pu[cpu];
	const hwloc_obj_t core =
		hwloc_get_ancestor_obj_by_type(topo->hw, HWLOC_OBJ_CORE, pu);

	if (pu == from)
		return 0;
	if (core && (hwloc_bitmap_isset(core->cpuset, from->os_index) ||
		     hwloc_bitmap_first(core->cpuset) != cpu))
		return 3;
	return place_of(topo, from, pu) == BENCH_OTHER_PACKAGE ||
			       topo->kind[cpu] != topo->kind[first]
		       ? 2
		       : 1;
}

int *topo_spread(const struct topo *topo, int first)
{
	int *cpus = text_alloc(topo->cpus, sizeof(*cpus));
	size_t n = 0;

	for (int turn = 0; turn < 4; turn++)
		EACH_CPU (topo, cpu)
			if (turn_of(topo, first, cpu) == turn)
				cpus[n++] = cpu;
	return cpus;
}

/* NULL: unknown. */
static hwloc_obj_t cache_of(const struct topo *topo, int cpu,
			    unsigned int level)
{
	for (hwloc_obj_t o = pu_of(topo, cpu); o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type) &&
		    o->attr->cache.depth == level)
			return o;
	return NULL;
}

uint64_t bench_cache_bytes(const struct bench *b, unsigned int level)
{
	return cache_bytes(cache_of(b->topo, b->cpu, level));
}

bool bench_cache_hidden(const struct bench *b, unsigned int level)
{
	const hwloc_obj_t cache = cache_of(b->topo, b->cpu, level);

	return cache && cache_size_is_hidden(cache);
}

uint64_t bench_caches_bytes(const struct bench *b, const int *cpus, size_t n,
			    unsigned int level, uint64_t *share)
{
	uint64_t all = 0;

	*share = n ? UINT64_MAX : 0;
	for (size_t i = 0; i < n; i++) {
		const hwloc_obj_t cache = cache_of(b->topo, cpus[i], level);
		const uint64_t bytes = cache_bytes(cache);
		size_t users = 0, before = 0;

		if (!bytes)
			return *share = 0;
		for (size_t k = 0; k < n; k++)
			if (hwloc_bitmap_isset(cache->cpuset,
					       (unsigned int)cpus[k])) {
				users++;
				before += k < i;
			}
		all += before ? 0 : bytes;
		if (users && bytes / users < *share)
			*share = bytes / users;
	}
	return all;
}

unsigned int bench_nodes(const struct bench *b)
{
	return b->topo->nodes ? b->topo->nodes : 1;
}

int bench_nth_node(const struct bench *b, unsigned int nth)
{
	return nth < b->topo->nodes ? b->topo->node[nth] : -ERANGE;
}

int bench_node_of_cpu(const struct bench *b, int cpu)
{
	hwloc_obj_t pu = pu_of(b->topo, cpu);
	const int node = pu ? hwloc_bitmap_first(pu->nodeset) : -1;

	return node < 0 ? -ENOENT : node;
}

static hwloc_obj_t node_of(const struct topo *topo, int node)
{
	return node < 0
		       ? NULL
		       : hwloc_get_numanode_obj_by_os_index(topo->hw,
							    (unsigned int)node);
}

int bench_cpu_of_node(const struct bench *b, int node)
{
	const hwloc_obj_t o = node_of(b->topo, node);
	const int last = o ? hwloc_bitmap_last(o->cpuset) : -1;

	if (o && hwloc_bitmap_isset(o->cpuset, (unsigned int)b->cpu))
		return b->cpu;
	return last < 0 ? -ENOENT : last;
}

int bench_bind_memory(const struct bench *b, void *base, size_t bytes, int node)
{
	hwloc_obj_t o = node_of(b->topo, node);

	if (bench_nodes(b) < 2)
		return 0; /* there is nothing to choose */
	if (!o)
		return -ENOENT;
	if (!topo_is_real(b->topo))
		return -EXDEV;
	return hwloc_set_area_membind(b->topo->hw, base, bytes, o->nodeset,
				      HWLOC_MEMBIND_BIND,
				      HWLOC_MEMBIND_STRICT |
					      HWLOC_MEMBIND_BYNODESET)
		       ? -errno
		       : 0;
}

int bench_bind(pid_t tid, const int *cpus, size_t n)
{
	cpu_mask mask = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (cpus[i] < 0 || cpus[i] >= MOST_CPUS)
			return -ERANGE;
		CPU_SET_S((size_t)cpus[i], sizeof(mask), mask);
	}
	return sched_setaffinity(tid, sizeof(mask), mask) ? -errno : 0;
}

int bench_unbind(const struct bench *b)
{
	return hwloc_set_cpubind(b->topo->hw,
				 hwloc_topology_get_topology_cpuset(
					 b->topo->hw),
				 HWLOC_CPUBIND_THREAD)
		       ? -errno
		       : 0;
}

void bench_keep_off(int cpu)
{
	static cpu_mask allowed;
	static bool known;
	cpu_mask mask;

	if (!known)
		known = !sched_getaffinity(0, sizeof(allowed), allowed);
	memcpy(mask, allowed, sizeof(mask));
	CPU_CLR_S((size_t)cpu, sizeof(mask), mask);
	/* The kernel refuses a mask of none. */
	if (sched_setaffinity(0, sizeof(mask), mask))
		sched_setaffinity(0, sizeof(allowed), allowed);
}

int bench_pin(int cpu)
{
	const int err = bench_bind(0, &cpu, 1);

	return err ? err : sched_getcpu() == cpu ? 0 : -EIO;
}
