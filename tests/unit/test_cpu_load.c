// SPDX-License-Identifier: MIT
/* cpu_load's readers and arithmetic, on figures whose answers are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_model.h"
#include "grid.h"
#include "os_load.h"
#include "row.h"
#include "tests.h"

#define MS   UINT64_C(1000000)
#define S    UINT64_C(1000000000)
#define TICK (10 * MS)
#define CPUS ((size_t)1024)

TEST(test_stat)
{
	struct cpu_times cpus[CPUS];
	char *text = malloc(CPUS * 64), *at = text;

	at += sprintf(at, "cpu  1 2 3 4 5 6 7 8 9 10\n");
	for (int i = 0; i < 512; i++)
		if (i != 77)
			at += sprintf(at, "cpu%d %d 0 3 %d 5 6 7 8 0 0\n", i, i,
				      1000 + i);
	sprintf(at, "intr 5 0 0\nctxt 9\n");
	OK(cpu_times_parse(text, cpus, CPUS) && cpus[511].online &&
		   cpus[511].idle == 1511 + 5 && !cpus[512].online,
	   "512 CPUs");
	OK(!cpus[77].online && cpus[76].online && cpus[78].online,
	   "one is offline");
	OK(cpu_times_parse(text, cpus, 4) && cpus[3].online,
	   "no more than there is room for");
	free(text);
	OK(cpu_times_parse("cpu0 1 2 3 4\n", cpus, 4) && cpus[0].idle == 4,
	   "an old kernel's four columns");
	OK(!cpu_times_parse("cpu0 1 2 3\n", cpus, 4), "no idle time, no CPU");
	OK(!cpu_times_parse("", cpus, 4), "nothing");
	OK(!cpu_times_parse("cpu0 1 2 3 -4\n", cpus, 4), "a sign");
	OK(cpu_times_parse("cpu7 1 2 3 4 5", cpus, 8) && cpus[7].online &&
		   !cpus[0].online,
	   "the last line without an end");
}

static struct cpu_times idle_of(uint64_t idle, uint64_t iowait)
{
	return (struct cpu_times) { .online = true, .idle = idle + iowait };
}

/* One interval of @ms in which the idle time went on by these steps. */
static struct os_load after(struct os_track *track, uint64_t *now_ns,
			    unsigned int ms, int idle, int iowait)
{
	const struct cpu_times next =
		idle_of(track->last.idle + (uint64_t)(int64_t)idle,
			(uint64_t)(int64_t)iowait);

	*now_ns += ms * MS;
	return os_track_update(track, &next, *now_ns, TICK);
}

TEST(test_load)
{
	struct os_track track = { 0 };
	struct cpu_times times = idle_of(1000, 100);
	struct os_load load;
	uint64_t now = 5 * S;

	load = os_track_update(&track, &times, now, TICK);
	OK(load.state == OS_NEW && isnan(load.load_pct),
	   "the first reading tells nothing");
	load = after(&track, &now, 1000, 0, 0);
	OK(load.state == OS_OK, "then it is known");
	OK_NEAR(load.load_pct, 100, 0, "never idle");
	OK_NEAR(load.resolution_pct, 2, 1e-9, "two steps in a second");
	load = after(&track, &now, 1000, 100, 0);
	OK_NEAR(load.load_pct, 0, 1e-9, "always idle");
	load = after(&track, &now, 1000, 20, 30);
	OK_NEAR(load.load_pct, 50, 1e-9, "waiting for a disk is idle time");
}

/* The tick never sees what runs between two ticks: user and system stand
 * still, the sum of all columns is less than the time. */
TEST(test_hidden_from_tick)
{
	struct os_track track = { 0 };
	struct cpu_times times = idle_of(0, 0);
	uint64_t now = S;

	os_track_update(&track, &times, now, TICK);
	OK_NEAR(after(&track, &now, 1000, 75, 0).load_pct, 25, 1e-9,
		"load that no tick fell into");
}

/* An idle CPU, sampled so that steps fall on either side: no value is below 0,
 * and the mean is not raised by that. */
TEST(test_carry)
{
	static const int steps[] = { 11, 9, 11, 9, 10, 10, 11, 9, 10, 10 };
	struct os_track track = { 0 };
	struct cpu_times times = idle_of(0, 0);
	struct os_load load;
	double sum = 0, least = 100;
	uint64_t now = S;

	os_track_update(&track, &times, now, TICK);
	for (size_t i = 0; i < 10; i++) {
		load = after(&track, &now, 100, steps[i], 0);
		sum += load.load_pct;
		least = fmin(least, load.load_pct);
	}
	OK_NEAR(least, 0, 0, "never below 0");
	OK_NEAR(sum / 10, 0, 1e-9, "and 0 on the average");
}

TEST(test_gaps)
{
	struct os_track track = { 0 };
	struct cpu_times times = idle_of(1000, 1000);
	const struct cpu_times off = { 0 };
	struct os_load load;
	uint64_t now = S;

	os_track_update(&track, &times, now, TICK);
	load = after(&track, &now, 1000, 50, -2);
	OK(load.state == OS_OK, "iowait may fall while idle grows");
	OK_NEAR(load.load_pct, 52, 1e-9, "their sum counts");
	OK(after(&track, &now, 1000, -1, 0).state == OS_OK,
	   "one step back is cut off");
	OK_NEAR(after(&track, &now, 1000, 51, 0).load_pct, 50, 1e-9,
		"and made up for");
	load = after(&track, &now, 1000, -500, 0);
	OK(load.state == OS_BACKWARDS && isnan(load.load_pct),
	   "far backwards is a gap");
	OK_NEAR(after(&track, &now, 1000, 50, 0).load_pct, 50, 1e-9,
		"and a new beginning");
	load = after(&track, &now, 1000, 200, 0);
	OK(load.state == OS_AHEAD && isnan(load.load_pct),
	   "more idle time than time");
	OK_NEAR(after(&track, &now, 1000, 50, 0).load_pct, 50, 1e-9,
		"is forgotten");
	now += S;
	load = os_track_update(&track, &off, now, TICK);
	OK(load.state == OS_OFFLINE && isnan(load.load_pct), "offline");
	now += S;
	times = idle_of(9000, 0);
	OK(os_track_update(&track, &times, now, TICK).state == OS_NEW,
	   "back: nothing to subtract from");
	OK_NEAR(after(&track, &now, 1000, 10, 0).load_pct, 90, 1e-9,
		"then known again");
	OK_NEAR(after(&track, &now, 60000, 3000, 0).load_pct, 50, 1e-9,
		"stopped for a minute: right over the longer interval");
}

TEST(test_grid)
{
	struct grid grid = { .start_ns = 1000, .interval_ns = 100 };

	OK(grid_next(&grid) == 1100, "first deadline");
	OK(grid_serve(&grid, 1103) == 0 && grid_next(&grid) == 1200,
	   "lateness does not add up");
	OK(grid_serve(&grid, 1299) == 0 && grid_next(&grid) == 1300,
	   "late, but before the next");
	OK(grid_serve(&grid, 1300) == 0 && grid_next(&grid) == 1400,
	   "on the point");
	OK(grid_serve(&grid, 1750) == 3 && grid_next(&grid) == 1800,
	   "three missed");
	OK(grid_serve(&grid, 1760) == 0 && grid_next(&grid) == 1800,
	   "one in between misses none");
	grid.end_ns = 1950;
	grid_serve(&grid, 1900);
	OK(grid_next(&grid) == 1950 && !grid_over(&grid, 1949) &&
		   grid_over(&grid, 1950),
	   "the rest at the end");
	OK(grid_serve(&grid, 5000) == 0, "behind the end is nothing to miss");
}

TEST(test_durations)
{
	uint64_t ns = 0;

	OK(!duration_parse("10ms", &ns) && ns == 10 * MS, "10ms");
	OK(!duration_parse("0.5", &ns) && ns == 500 * MS, "0.5");
	OK(!duration_parse("2m", &ns) && ns == 120 * S, "2m");
	OK(duration_parse("-1s", &ns) && duration_parse("s", &ns) &&
		   duration_parse("1 s", &ns) && duration_parse("0x10", &ns) &&
		   duration_parse("inf", &ns) && duration_parse("", &ns) &&
		   duration_parse("1e300", &ns) && duration_parse("1d", &ns),
	   "no durations");
}

static double width_of(const char *vendor, unsigned int family,
		       unsigned int model, const char *pmu)
{
	struct counters_arch arch = { .family = family, .model = model };
	const struct width_row *row;
	bool contradicts;

	snprintf(arch.vendor, sizeof(arch.vendor), "%s", vendor);
	row = width_find(&arch, NULL, pmu, &contradicts);
	return row ? row->width : NAN;
}

TEST(test_width)
{
	const struct counters_arch rocket = { .vendor = "GenuineIntel",
					      .family = 6,
					      .model = 0xA7 };
	bool contradicts;

	OK_NEAR(width_of("GenuineIntel", 6, 0x0F, "cpu"), 4, 0,
		"the paper's Core 2 Duo");
	OK_NEAR(width_of("GenuineIntel", 6, 0x8F, "cpu"), 6, 0,
		"Sapphire Rapids");
	OK_NEAR(width_of("AuthenticAMD", 0x19, 0x11, "cpu"), 6, 0, "Zen 4");
	OK_NEAR(width_of("GenuineIntel", 6, 0x97, "cpu_core"), 6, 0,
		"Alder Lake's P cores");
	OK_NEAR(width_of("GenuineIntel", 6, 0x97, "cpu_atom"), 5, 0,
		"and E cores");
	OK(isnan(width_of("GenuineIntel", 6, 0x97, "cpu")),
	   "a hybrid's core of neither kind");
	OK(isnan(width_of("GenuineIntel", 6, 0xFE, "cpu")), "no such model");
	OK(isnan(width_of("AuthenticAMD", 6, 0x0F, "cpu")), "another maker");
	OK(isnan(width_of("", 0, 0, "cpu")), "no CPUID");
	OK(width_find(&rocket, " sse avx2 ", "cpu", &contradicts) &&
		   !contradicts,
	   "Rocket Lake");
	OK(width_find(&rocket, " sse amx_tile avx2", "cpu", &contradicts) &&
		   contradicts,
	   "Rocket Lake has no AMX: a hypervisor hides the model");
	OK(width_find(&rocket, " sse amx_tiles", "cpu", &contradicts) &&
		   !contradicts,
	   "a longer flag is another");
	for (const struct width_row *row = width_table; row->vendor; row++)
		for (const struct width_row *next = row + 1; next->vendor;
		     next++)
			if (!strcmp(row->vendor, next->vendor) &&
			    row->family == next->family &&
			    !strcmp(row->pmu, next->pmu) &&
			    row->first_model <= next->last_model &&
			    next->first_model <= row->last_model)
				OK(0, row->name);
}

/* A row whose counters say: @instructions in @cycles. */
static struct row make_row(double load_pct, double instructions, double cycles)
{
	struct row row = {
		.at = { 3 * S, 1795306022123456789u },
		.since_ns = 2 * S,
		.interval_ns = 1 * S,
		.late = 1,
		.os = { .state = OS_OK,
			.load_pct = load_pct,
			.resolution_pct = 2 },
		.width = { 4, NAN, NAN, NAN },
	};
	struct counters_count *count = row.counts.count;

	count[COUNTERS_INSTRUCTIONS] = (struct counters_count) {
		.known = true,
		.value = instructions,
		.share = 1,
		.pmu = { instructions },
	};
	count[COUNTERS_CYCLES] = (struct counters_count) {
		.known = true,
		.value = cycles,
		.share = 0.5,
		.pmu = { cycles },
	};
	return row;
}

TEST(test_rows)
{
	struct row row = make_row(100, 1e9, 1e9);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	OK_NEAR(row_figures(&row).core_load_pct, 25, 1e-9,
		"the paper's figures: 100 % by the system, 25 % of the core");
	OK_NEAR(row_figures(&row).counted_pct, 50, 1e-9,
		"half of the time counted");
	row_write(f, false, &row);
	fflush(f);
	OK_STR(text,
	       "2026-11-22T00:07:02.123456Z,2.000000,1.000000,1,0,ok,100.0000,"
	       "2.0000,25.0000,25.0000,1.0000,50.0000,1000000000,"
	       "1000000000,,,,,,,"
	       ",\n",
	       "a line of CSV");
	rewind(f);
	row.os = os_load_unknown(OS_OFFLINE);
	row.cpu = 511;
	memset(&row.counts, 0, sizeof(row.counts));
	row_write(f, false, &row);
	fclose(f);
	OK(strstr(text, ",511,offline,,,,,,,"), "a line of what is unknown");
	free(text);
}

/* A second of which the core ran a quarter. */
TEST(test_core_load)
{
	struct row row = make_row(26, 0.5e9, 0.5e9);
	struct counters_count *count = row.counts.count;

	OK_NEAR(row_figures(&row).while_running_pct, 25, 1e-9, "while it ran");
	OK_NEAR(row_figures(&row).core_load_pct, 6.5, 1e-9,
		"by the system's share");
	count[COUNTERS_REF_CYCLES] = (struct counters_count) {
		.known = true,
		.value = 0.75e9,
	};
	OK_NEAR(row_figures(&row).core_load_pct, 6.5, 1e-9,
		"their rate is not known");
	row.reference_hz = 3e9;
	OK_NEAR(row_figures(&row).core_load_pct, 6.25, 1e-9,
		"by reference cycles");
	row.os = os_load_unknown(OS_LOST);
	OK_NEAR(row_figures(&row).core_load_pct, 6.25, 1e-9,
		"without the system");
	row.reference_hz = 0;
	OK(isnan(row_figures(&row).core_load_pct), "neither is known");
	row = make_row(0, 0, 0);
	OK_NEAR(row_figures(&row).core_load_pct, 0, 0, "halted all the time");
	OK(isnan(row_figures(&row).while_running_pct), "it never ran");
}

TEST(test_summary)
{
	struct summary sum = { 0 };
	struct row row = make_row(100, 2e9, 1e9);

	OK(isnan(summary_figures(&sum).os.load_pct) &&
		   isnan(summary_figures(&sum).while_running_pct) &&
		   isnan(summary_figures(&sum).core_load_pct),
	   "nothing is unknown");
	summary_add(&sum, &row);
	row = make_row(50, 0, 1e9);
	summary_add(&sum, &row);
	row.os = os_load_unknown(OS_BACKWARDS);
	row.counts.count[COUNTERS_CYCLES].known = false;
	summary_add(&sum, &row);
	OK_NEAR(summary_figures(&sum).os.load_pct, 75, 1e-9,
		"load of the system");
	OK_NEAR(summary_figures(&sum).os.resolution_pct, 1, 1e-9,
		"two steps in all of the time");
	OK_NEAR(sum.unknown_s, 1, 1e-9, "the gap is told");
	OK_NEAR(summary_figures(&sum).while_running_pct, 25, 1e-9,
		"while it ran");
	OK_NEAR(summary_figures(&sum).core_load_pct, 25, 1e-9,
		"load of the core");
	OK_NEAR(summary_figures(&sum).ipc, 1, 1e-9, "IPC");
	OK(sum.least == 50 && sum.most == 100, "extremes");
}

#define MANY 512

/* CPU i idles i mod 101 percent of two seconds; of the second one no
 * instructions are known. */
TEST(test_tables)
{
	struct summary sums[MANY] = { 0 };
	const struct summary_run run = {
		.duration_s = 2, .interval_s = 1, .samples = 2, .late = 4
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; i < MANY; i++) {
		struct row row = make_row(100 - i % 101, 1e6, 2e6);

		row.cpu = i;
		summary_add(&sums[i], &row);
		row.counts.count[COUNTERS_INSTRUCTIONS].known = false;
		summary_add(&sums[i], &row);
	}
	summary_print(f, sums, MANY, &run);
	fclose(f);
	OK(strstr(text, "2 samples at 1 s, 4 deadlines missed\n") &&
		   strstr(text, "(the 32 busiest of 512)\n") &&
		   strstr(text, "\n    505     2.000     0.000    100.00") &&
		   !strstr(text, "\n    100 "),
	   "the busiest of many");
	OK(strstr(text, " >1e+06        4e+06      unknown "),
	   "a sum of a part of the time is no sum of all");
	free(text);
}

TEST(test_screen)
{
	struct row rows[MANY];
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (int i = 0; i < MANY; i++) {
		rows[i] = make_row(100 - i % 101, 1e6, 2e6);
		rows[i].cpu = i;
		if (i < 256)
			rows[i].os = os_load_unknown(OS_OFFLINE);
	}
	screen_draw(f, "about\nthis\n", rows, MANY);
	fclose(f);
	OK(strncmp(text, "\033[?7l\033[Habout\033[K\nthis\033[K\n", 24) == 0 &&
		   strstr(text, "interval 1.000 s, late 1") &&
		   strstr(text, "    303        ok     100.0 |################"
				"####|      12.5 |###") &&
		   strstr(text, " busiest of 512)") && !strstr(text, "offline"),
	   "a screen has the busiest");
	free(text);
}
