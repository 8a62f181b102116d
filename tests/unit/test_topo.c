/* SPDX-License-Identifier: MIT */
/*
 * Where a partner runs is decided on invented machines, which hwloc builds
 * from HWLOC_SYNTHETIC: this machine may have neither two packages nor two
 * threads in a core.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "tests.h"
#include "topo.h"

static struct topo *topo; /* of the last machine that was opened */

/* Open what is there now; without it the program ends without a plan, which is
 * a failure. */
static void reopen(void)
{
	topo_close(topo);
	topo = NULL;
	if (topo_open(&topo))
		exit(1);
}

/* Open the machine that @variable of hwloc has as @value. */
static void opened(const char *variable, const char *value)
{
	setenv(variable, value, 1);
	reopen();
	unsetenv(variable);
}

static void invent(const char *text)
{
	opened("HWLOC_SYNTHETIC", text);
}

/* A program that measures on @cpu of it. */
static struct bench *on(int cpu)
{
	static struct bench b;

	b.topo = topo;
	b.cpu = cpu;
	return &b;
}

TEST(two_packages)
{
	static const struct {
		int cpu;
		enum bench_place where;
		int is;
	} t[] = {
		{ 2, BENCH_SAME_CPU, 2 },     { 2, BENCH_SAME_CORE, 3 },
		{ 2, BENCH_SAME_PACKAGE, 0 }, { 2, BENCH_OTHER_PACKAGE, 4 },
		{ 2, BENCH_ANY_OTHER, 3 },    { 99, BENCH_ANY_OTHER, -ENOENT }
	};

	invent("pack:2 [numa(memory=1GB)] l3:1(size=8388608) "
	       "core:2 l1:1(size=32768) pu:2");
	OK(!topo_is_real(topo), "an invented machine is known to be");
	OK(bench_cpus(on(3)) == 8 && bench_nth_cpu(on(3), 0) == 3 &&
		   bench_nth_cpu(on(3), 1) == 0 &&
		   bench_nth_cpu(on(3), 8) == -ERANGE,
	   "eight CPUs, the measuring one first");
	OK(topo_default_cpu(topo, 0) == 7, "the last one is the default");
	OK(bench_nodes(on(0)) == 2, "two NUMA nodes");

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK(bench_partner(on(t[i].cpu), t[i].where) == t[i].is,
		   "a partner's place");
	OK(bench_cache_bytes(on(0), 1) == 32 << 10 &&
		   bench_cache_bytes(on(0), 3) == 8 << 20 &&
		   bench_cache_bytes(on(0), 2) == 0,
	   "caches of levels 1 and 3");
}

TEST(one_thread_cores)
{
	invent("pack:1 core:2 pu:1");
	OK(bench_partner(on(0), BENCH_SAME_CORE) == -ENOENT &&
		   bench_partner(on(0), BENCH_OTHER_PACKAGE) == -ENOENT,
	   "no such places on a small machine");
	OK(bench_partner(on(0), BENCH_ANY_OTHER) == 1,
	   "the nearest other CPU is the other core");
	invent("pack:1 core:1 pu:1");
	OK(bench_partner(on(0), BENCH_ANY_OTHER) == -ENOENT,
	   "one CPU has no partner");
	OK(bench_nodes(on(0)) == 1, "but a NUMA node");
}

TEST(three_nodes)
{
	char page;

	invent("pack:3 [numa(memory=1GB)] core:2 pu:1");
	OK(bench_nodes(on(0)) == 3 && bench_nth_node(on(0), 1) == 1 &&
		   bench_nth_node(on(0), 3) == -ERANGE,
	   "three nodes, of which one was asked for");
	OK(bench_node_of_cpu(on(0), 3) == 1 && bench_node_of_cpu(on(0), 4) == 2,
	   "the nodes of CPUs");
	OK(bench_node_of_cpu(on(0), 6) == -ENOENT, "a CPU that is not there");
	OK(bench_cpu_of_node(on(0), 1) == 3, "the last CPU of a node");
	OK(bench_cpu_of_node(on(2), 1) == 2, "or the preferred one");
	OK(bench_cpu_of_node(on(0), 3) == -ENOENT &&
		   bench_cpu_of_node(on(0), -1) == -ENOENT,
	   "a node that is not there");
	OK(bench_bind_memory(on(0), &page, 1, 1) == -EXDEV &&
		   bench_bind_memory(on(0), &page, 1, 9) == -ENOENT,
	   "memory is not bound on an invented machine");
	invent("pack:1 [numa(memory=1GB)] [numa(memory=4GB)] core:2 pu:1");
	OK(bench_nodes(on(0)) == 2 && bench_node_of_cpu(on(0), 1) == 0 &&
		   bench_cpu_of_node(on(0), 0) == 0 &&
		   bench_cpu_of_node(on(1), 1) == 1,
	   "two kinds of memory at the same CPUs");
}

static uint64_t share;

static uint64_t caches_of(const int *cpus, size_t n, unsigned int level)
{
	return bench_caches_bytes(on(0), cpus, n, level, &share);
}

static uint64_t share_of(const int *cpus, size_t n, unsigned int level)
{
	caches_of(cpus, n, level);
	return share;
}

/* Two dies of two cores with two threads: numbers 0 to 7 in that order. */
TEST(shared_caches)
{
	static const int each_core[] = { 0, 2, 4, 6 }, three[] = { 0, 1, 2 };
	static const int all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const uint64_t mib = 1 << 20;

	invent("pack:1 l3:2(size=33554432) core:2 l2:1(size=1048576) "
	       "l1:1(size=32768) pu:2");
	OK(caches_of(all, 2, 3) == 32 * mib && caches_of(all, 4, 3) == 32 * mib,
	   "one last cache, however many of its CPUs");
	OK(caches_of(all, 5, 3) == 64 * mib &&
		   caches_of(all, 8, 3) == 64 * mib &&
		   caches_of(each_core, 4, 3) == 64 * mib,
	   "both of them");
	OK(share_of(all, 1, 2) == mib && share_of(each_core, 4, 2) == mib,
	   "a second cache for each core");
	OK(share_of(all, 2, 2) == mib / 2 && share_of(three, 3, 2) == mib / 2 &&
		   share_of(all, 8, 1) == 16 << 10,
	   "which its threads share");
	OK(caches_of(all, 8, 4) == 0 && share_of(all, 8, 4) == 0 &&
		   share_of(all, 0, 1) == 0,
	   "a cache that is not there, or used by nobody");
}

/* Eight cores of two threads in each last cache, of which a socket has 16. */
TEST(five_hundred)
{
	int *cpus;

	invent("pack:2 [numa(memory=1GB)] l3:16 core:8 l2:1 l1:1 pu:2");
	OK(bench_cpus(on(0)) == 512, "512 CPUs");
	cpus = topo_spread(topo, 511);
	OK(cpus[0] == 511 && cpus[1] == 256 && cpus[127] == 508,
	   "the first one, then a thread of each other core of its socket");
	OK(cpus[128] == 0 && cpus[255] == 254, "then those of the other");
	OK(cpus[256] == 1 && cpus[511] == 510, "then their second threads");
	free(cpus);
	OK(bench_distance(on(0), 0, 1) == BENCH_BY_CORE &&
		   bench_distance(on(0), 0, 2) == BENCH_BY_L3 &&
		   bench_distance(on(0), 0, 16) == BENCH_BY_NODE &&
		   bench_distance(on(0), 0, 256) == BENCH_BY_MEMORY,
	   "how far apart they are");
	OK(!topo_kind(topo, 0) && topo_default_cpu(topo, 0) == 511 &&
		   topo_default_cpu(topo, 1) == -ENOENT,
	   "all are of one kind");
}

/* A recorded one: four cores of two threads (0, 1, 8, 9, ... 25), and four
 * slower ones of one thread with one L2 cache (32, 34, 36, 38). */
TEST(hybrid)
{
	int *cpus;

	opened("HWLOC_XMLFILE", "tests/fixtures/hybrid.xml");
	OK(!strcmp(topo_kind(topo, 25), "IntelCore") &&
		   !strcmp(topo_kind(topo, 32), "IntelAtom"),
	   "the kind of a CPU");
	OK(topo_default_cpu(topo, 0) == 25 && topo_default_cpu(topo, 1) == 38 &&
		   topo_default_cpu(topo, 2) == -ENOENT,
	   "the default is the last of the fastest");
	cpus = topo_spread(topo, 25);
	OK(cpus[0] == 25 && cpus[1] == 0 && cpus[3] == 16 && cpus[4] == 32 &&
		   cpus[8] == 1,
	   "its own kind first");
	free(cpus);
	OK(bench_distance(on(0), 0, 1) == BENCH_BY_CORE &&
		   bench_distance(on(0), 32, 34) == BENCH_BY_L2 &&
		   bench_distance(on(0), 0, 32) == BENCH_BY_L3,
	   "what they share");
}

/* A guest whose hypervisor hides CPUID 8000_001Dh: what is left states the
 * third caches of the package as one of 508 MiB. */
TEST(hidden_cache)
{
	static const int both[] = { 0, 1 };
	struct bench *b;

	opened("HWLOC_XMLFILE", "tests/fixtures/amd-guest.xml");
	b = on(0);
	OK(bench_cache_bytes(b, 1) == 48 << 10 &&
		   bench_cache_bytes(b, 2) == 1 << 20 &&
		   !bench_cache_hidden(b, 2),
	   "the first caches are known");
	OK(!bench_cache_bytes(b, 3) && bench_cache_hidden(b, 3) &&
		   !caches_of(both, 2, 3),
	   "the size of the third is not");
	OK(!bench_cache_hidden(b, 4), "there is no fourth");
}

/* The first two CPUs that this thread may use now.  Return: how many of them
 * there are. */
static unsigned int usable(int *cpus)
{
	unsigned int n = 0;

	reopen();
	while (n < 2 && (cpus[n] = bench_nth_cpu(on(-1), n + 1)) >= 0)
		n++;
	return n;
}

TEST(this_machine)
{
	int cpu, all[2] = { -1, -1 }, left[2] = { -1, -1 };
	const unsigned int n = usable(all);

	OK(n && topo_is_real(topo), "it is real");
	if (!n)
		return;
	bench_keep_off(all[0]);
	OK(usable(left) && (left[0] == all[0]) == (n == 1),
	   "kept off a CPU, if there is another");
	bench_keep_off(all[n - 1]);
	OK(usable(left) && left[0] == all[0], "off another, and back on it");
	bench_keep_off(-1);
	OK(usable(left) == n && left[0] == all[0], "on all again");
	cpu = topo_default_cpu(topo, 0);
	OK(cpu >= 0 && !bench_pin(cpu) && sched_getcpu() == cpu,
	   "pinned to its default CPU, and it runs there");

	/* Now bound to one CPU: the others are not ours any more. */
	reopen();
	OK(bench_cpus(on(cpu)) == 1 && topo_has(topo, cpu),
	   "only the CPUs that we are bound to count");
	topo_close(topo);
	topo_close(NULL);
}
