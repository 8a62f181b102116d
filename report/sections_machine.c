/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "doc.h"
#include "sections.h"
#include "stats.h"
#include "text.h"

#define VALUE_WIDTH 40 /* a kernel's command line is long */

/* Any JSON value for people; "unknown" for null and what is absent. */
static const char *shown(const json_t *v)
{
	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_boolean(v))
		return json_is_true(v) ? "yes" : "no";
	if (json_is_integer(v))
		return text_format("%" JSON_INTEGER_FORMAT,
				   json_integer_value(v));
	if (json_is_real(v))
		return text_format("%.6g", json_real_value(v));
	return "unknown";
}

static void pair(struct table *t, const char *name, const struct run *run,
		 const char *path)
{
	table_pair(t, name, shown(run_at(run->machine, path)));
}

static const char *bytes_at(const json_t *o, const char *path)
{
	double v = run_number(o, path);

	return isfinite(v) ? text_units(v, "B") : "unknown";
}

static void add_caches(struct table *t, const struct run *run)
{
	const json_t *c;
	size_t i;

	json_array_foreach(run_at(run->machine, "caches"), i, c)
	{
		const char *level = shown(run_at(c, "level"));
		const char *type = shown(run_at(c, "type"));
		const char *ways = shown(run_at(c, "ways"));

		table_pair(t, text_format("L%s %s cache", level, type),
			   text_format("%s, %s ways, lines of %s B, shared by "
				       "%s PU(s)",
				       bytes_at(c, "size_bytes"), ways,
				       shown(run_at(c, "line_bytes")),
				       shown(run_at(c, "shared_by_pus"))));
	}
}

/* Memory modules, by what they say of themselves. */
static void add_modules(struct table *t, const struct run *run)
{
	const json_t *one;
	size_t i;

	json_array_foreach(run_at(run->machine, "modules"), i, one)
	{
		const char *type = shown(run_at(one, "type"));
		const char *name = text_format("memory module %s",
					       shown(run_at(one, "name")));

		table_pair(t, name,
			   text_format("%s, %s, %s MT/s, %s bits wide",
				       bytes_at(one, "size_bytes"), type,
				       shown(run_at(one, "mt_s")),
				       shown(run_at(one, "width_bits"))));
	}
}

/* The bus of @one, as the end of a sentence. */
static const char *on_bus(const json_t *one)
{
	const char *bus = run_text(one, "bus");

	return bus ? text_format(", bus %s", bus) : "";
}

/* Disks and network cards, by what they say of themselves. */
static void add_devices(struct table *t, const struct run *run)
{
	const json_t *one;
	size_t i;

	json_array_foreach(run_at(run->machine, "disks"), i, one)
	{
		const char *model = run_text(one, "model");
		const char *rotates = shown(run_at(one, "rotates"));
		const char *id = shown(run_at(one, "name"));
		const char *name = text_format("disk %s", id);
		const char *size = bytes_at(one, "size_bytes"),
			   *bus = on_bus(one);

		table_pair(t, name,
			   text_format("%s%s%s, says it rotates: %s%s",
				       model ? model : "", model ? ", " : "",
				       size, rotates, bus));
	}
	json_array_foreach(run_at(run->machine, "links"), i, one)
	{
		const double mbit = run_number(one, "mbit_s");
		const char *id = shown(run_at(one, "name"));
		const char *name = text_format("network card %s", id);
		const char *bus = on_bus(one);

		table_pair(t, name,
			   mbit > 0 ? text_format("%.0f Mbit/s%s", mbit, bus)
				    : text_format("says no speed%s", bus));
	}
}

static void add_mitigations(struct table *t, const struct run *run)
{
	json_t *all = json_object_get(run->machine, "mitigations");
	const char *name;
	json_t *v;

	json_object_foreach(all, name, v)
	{
		if (!json_is_string(v) ||
		    !strcmp(json_string_value(v), "Not affected"))
			continue;
		table_pair(t, text_format("mitigation: %s", name), shown(v));
	}
	if (!all || json_is_null(all))
		table_pair(t, "mitigations", "unknown");
}

static const char *processor(const struct run *run)
{
	const json_t *cpu = run_at(run->machine, "cpu");
	const char *family = shown(run_at(cpu, "family"));
	const char *model = shown(run_at(cpu, "model_number"));
	const char *stepping = shown(run_at(cpu, "stepping"));

	return text_format("family %s, model %s, stepping %s, microcode %s",
			   family, model, stepping,
			   shown(run_at(cpu, "microcode")));
}

/* The kernel's number in words. */
static const char *aslr(const struct run *run)
{
	static const char *const words[] = { "off (0)", "partial (1)",
					     "full (2)" };
	const json_t *v = run_at(run->machine, "aslr");
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || n > 2)
		return shown(v);
	return words[n];
}

static void fill_machine(struct table *t, const struct run *run)
{
	table_begin(t, "property|value");
	pair(t, "host", run, "hostname");
	pair(t, "machine", run, "board");
	pair(t, "processor", run, "cpu.model");
	table_pair(t, "processor details", processor(run));
	pair(t, "packages", run, "cpu.packages");
	pair(t, "cores", run, "cpu.cores");
	pair(t, "PUs (hardware threads)", run, "cpu.pus");
	pair(t, "SMT active", run, "cpu.smt");
	pair(t, "NUMA nodes", run, "cpu.numa_nodes");
	add_caches(t, run);
	table_pair(t, "memory", bytes_at(run->machine, "memory_bytes"));
	table_pair(t, "base page", bytes_at(run->machine, "page_bytes"));
	add_modules(t, run);
	add_devices(t, run);
	pair(t, "hypervisor", run, "hypervisor");
	pair(t, "operating system", run, "os");
	pair(t, "kernel", run, "kernel.release");
	pair(t, "kernel build", run, "kernel.version");
	pair(t, "kernel command line", run, "kernel.command_line");
	pair(t, "frequency governor", run, "governor");
	pair(t, "turbo", run, "turbo");
	pair(t, "transparent huge pages", run, "thp");
	table_pair(t, "address randomisation (ASLR)", aslr(run));
	pair(t, "clock source", run, "clocksource");
	add_mitigations(t, run);
	pair(t, "compiler", run, "compiler");
	pair(t, "compiler flags", run, "flags");
	pair(t, "C library", run, "libc");
}

/* The checks that run-all kept in machine.json; no rows if it kept none. */
static void fill_checks(struct table *t, const struct run *run)
{
	const json_t *list = run_at(run->machine, "checks"), *c;
	size_t i;

	table_begin(t, "setting|answer|value|command that mends it|read from");
	json_array_foreach(list, i, c)
	{
		const char *answer = run_text(c, "answer");
		const char *value = run_text(c, "value");

		table_line(t, answer && !strcmp(answer, "bad") ? "failed" : "",
			   run_text(c, "name"), answer);
		if (value)
			table_cell(t, 2, text_cut(value, VALUE_WIDTH));
		table_cell(t, 3, run_text(c, "mend"));
		table_cell(t, 4, run_text(c, "file"));
	}
	t->caption = prose("checks", NULL);
}

static void put_checks(struct doc *d, const struct run *run)
{
	struct table t = { 0 };

	fill_checks(&t, run);
	if (t.nrows)
		d->format->table(d, &t);
}

void sections_machine_table(struct table *t, const json_t *machine)
{
	const struct run run = { .machine = (json_t *)machine };

	*t = (struct table) { 0 };
	fill_machine(t, &run);
}

/* What the machine at the other end of the network said of itself. */
static void put_peer(struct doc *d, const struct run *run)
{
	struct table t;

	if (!run->peer)
		return;
	sections_machine_table(&t, run->peer);
	t.caption = "The other machine, to which the rows with net=remote were "
		    "measured";
	d->format->table(d, &t);
}

void sections_machine(struct doc *d, const struct run *run)
{
	const char *path = text_format("%s/topology.svg", run->dir);
	struct table t = { 0 };

	d->format->fold(d, "machine", "The machine");
	if (!run->machine) {
		d->format->warning(d,
				   "machine.json could not be read: the "
				   "machine is unknown",
				   "`build/bin/machine` writes it");
	} else {
		fill_machine(&t, run);
		d->format->table(d, &t);
		put_checks(d, run);
	}
	put_peer(d, run);
	if (!access(path, R_OK))
		d->format->picture(d, "topology",
				   "Packages, caches, cores and PUs, as "
				   "hwloc's lstopo draws them");
	d->format->fold(d, NULL, NULL);
}

static const char *ticks_ns(const struct run *run, const char *path)
{
	double ticks = run_number(run->machine, path);
	double hz = run_number(run->machine, "tsc.hz");

	if (!isfinite(ticks))
		return "unknown";
	if (!(hz > 0))
		return text_format("%s ticks", text_number(ticks));
	return text_format("%s ticks = %s", text_number(ticks),
			   text_units(ticks * 1e9 / hz, "ns"));
}

static const char *hz_at(const struct run *run, const char *path)
{
	double hz = run_number(run->machine, path);

	return hz > 0 ? text_format("%.3f MHz", hz / 1e6) : "unknown";
}

/* What clocks that do not count by the counter say of its rate. */
static void add_rate(struct table *t, const struct run *run)
{
	const json_t *c;
	size_t i;

	pair(t, "its rate is stated by", run, "tsc.rate.stated_by");
	json_array_foreach(run_at(run->machine, "tsc.rate.checks"), i, c)
	{
		const char *clock = run_text(c, "clock");
		const double by = run_number(c, "long_ppm");

		table_pair(
			t,
			text_format("its rate, checked by %s",
				    clock ? clock : "unknown"),
			isfinite(by)
				? text_format("times are %.3g %% too %s (±%.2g "
					      "%%): %s",
					      fabs(by) / 1e4,
					      by > 0 ? "long" : "short",
					      run_number(c, "error_ppm") / 1e4,
					      json_is_true(run_at(c, "agrees"))
						      ? "agrees"
						      : "disagrees")
				: "it could not be read, or stood still");
	}
}

/* Least and greatest resolution that rows of single operations had. */
static const char *resolutions(const struct run *run)
{
	double lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;

		if (!(isfinite(r->resolution) && r->resolution > 0) ||
		    !r->unit || strcmp(r->unit, "ns") != 0)
			continue;
		lo = fmin(lo, r->resolution);
		hi = fmax(hi, r->resolution);
	}
	if (!(lo <= hi))
		return "unknown";
	return text_format("%s to %s, by row", text_units(lo, "ns"),
			   text_units(hi, "ns"));
}

/* A fact in the evidence of a row: a text, or several where they differ. */
static const char *fact(const struct result *r, const char *key)
{
	const json_t *v = json_object_get(r->evidence, key);

	return json_is_string(v) ? json_string_value(v) : NULL;
}

/* What `certify` says of each method and check, before all its figures. */
static void put_verdicts(struct doc *d, const struct run *run,
			 const struct section *certify)
{
	struct table t;

	table_begin(&t, "method or check|verdict|why");
	for (size_t i = 0; i < certify->n; i++) {
		const struct result *r = &run->rows[certify->rows[i]].all;
		const char *name = run_text(r->params, "method");
		const char *verdict = fact(r, "verdict");

		if (!verdict)
			continue;
		table_line(&t, "", name ? name : r->name, verdict,
			   fact(r, "why"));
	}
	t.caption = "certify: the verdict on each timing method";
	table_prune(&t);
	d->format->table(d, &t);
}

/* The clock and its calibration, and what `certify` found out about it. */
void sections_timer(struct doc *d, const struct run *run,
		    const struct figures *figs)
{
	const struct section *certify = run_section(run, "certify");
	struct table t;

	d->format->fold(d, "timer", "Timer certificate");
	if (run->machine) {
		table_begin(&t, "property|value");
		pair(&t, "method", run, "timer.method");
		pair(&t, "why this method", run, "timer.why");
		table_pair(&t, "counter (TSC on x86-64)", hz_at(run, "tsc.hz"));
		add_rate(&t, run);
		pair(&t, "its rate is constant (invariant)", run,
		     "tsc.invariant");
		pair(&t, "reads that wait (RDTSCP on x86-64)", run,
		     "tsc.rdtscp");
		table_pair(&t, "core frequency at calibration",
			   hz_at(run, "timer.core_hz"));
		table_pair(&t, "quantum (step of the clock)",
			   ticks_ns(run, "timer.quantum_ticks"));
		table_pair(&t, "overhead (two reads, nothing between)",
			   ticks_ns(run, "timer.overhead_ticks"));
		table_pair(&t, "time of CPUID",
			   ticks_ns(run, "timer.cpuid_ticks"));
		pair(&t, "LFENCE holds the processor back", run,
		     "timer.fence_holds");
		table_pair(&t, "resolution (least cost told from nothing)",
			   resolutions(run));
		d->format->table(d, &t);
	}
	if (certify && certify->n) {
		doc_text(d, run_text(certify->about, "text"));
		put_verdicts(d, run, certify);
	}
	sections_figures(d, "certify", figs);
	if (certify && certify->n) {
		tables_section(&t, run, certify);
		d->format->table(d, &t);
	}
	d->format->fold(d, NULL, NULL);
}
