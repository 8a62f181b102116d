/* SPDX-License-Identifier: MIT */
#include "quiet.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "text.h"
#include "units.h"

#define LINES_MAX 100000 /* rounds times CPUs; more is not ours */
#define NAMED	  3	 /* tasks and interrupts that are named */
#define WORTH	  0.0005 /* share of the time that is worth a word */

json_t *quiet_read(const char *dir, struct notes *notes)
{
	char *path = text_format("%s/noise.jsonl", dir), *line = NULL;
	FILE *f = fopen(path, "r");
	json_t *all = f ? json_array() : NULL;
	size_t room = 0, bad = 0;
	ssize_t len;

	while (f && json_array_size(all) < LINES_MAX &&
	       (len = getline(&line, &room, f)) > 0) {
		json_t *row = json_loadb(line, (size_t)len, 0, NULL);

		if (json_is_object(row) && run_number(row, "schema") == 1 &&
		    json_is_integer(run_at(row, "cpu"))) {
			json_array_append_new(all, row);
			continue;
		}
		json_decref(row);
		bad++;
	}
	if (bad)
		notes_add(notes,
			  text_format("%s: %zu line%s cannot be used", path,
				      bad, bad == 1 ? "" : "s"),
			  NULL);
	free(line);
	if (f)
		fclose(f);
	free(path);
	return all;
}

static struct quiet_cpu *find_cpu(struct quiet *q, int cpu)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].cpu == cpu)
			return &q->v[i];
	q->v = text_grow(q->v, q->n, sizeof(*q->v));
	q->v[q->n] = (struct quiet_cpu) { .cpu = cpu,
					  .tasks = json_object(),
					  .interrupts = json_object() };
	return &q->v[q->n++];
}

/* What is no number, or none that a time can be, counts as nothing. */
static double amount(const json_t *row, const char *path)
{
	double x = run_number(row, path);

	return x > 0 && x < 1e15 ? x : 0;
}

static void add_to(json_t *o, const char *name, double x)
{
	x += json_number_value(json_object_get(o, name));
	json_object_set_new(o, name, json_real(x));
}

static void add_tasks(struct quiet_cpu *c, const json_t *row)
{
	const json_t *task;
	size_t i;

	json_array_foreach(run_at(row, "tasks"), i, task)
	{
		const char *name = run_text(task, "name");
		char *key = text_format("%s (pid %.0f)", name ? name : "?",
					amount(task, "pid"));

		add_to(c->tasks, key, amount(task, "ran_us"));
		free(key);
	}
}

static enum quiet_phase phase_of(const json_t *row)
{
	const char *name = run_text(row, "phase");

	return !name			 ? QUIET_BETWEEN
	       : !strcmp(name, "before") ? QUIET_BEFORE
	       : !strcmp(name, "after")	 ? QUIET_AFTER
					 : QUIET_BETWEEN;
}

static void add_looks(struct quiet_cpu *c, const json_t *row)
{
	const json_t *rate;
	size_t i;

	json_array_foreach(run_at(row, "adds_per_cycle"), i, rate)
	{
		const double x = json_number_value(rate);

		if (!(x > 0 && x < 1e3))
			continue;
		c->adds = text_grow(c->adds, c->n_adds, sizeof(*c->adds));
		c->adds[c->n_adds++] = x;
	}
}

static void add_row(struct quiet *q, const json_t *row)
{
	json_t *irqs = json_object_get(row, "interrupts"), *count;
	struct quiet_cpu *c =
		find_cpu(q, (int)json_integer_value(run_at(row, "cpu")));
	enum quiet_phase phase = phase_of(row);
	double lost = amount(row, "lost_us");
	const char *name;

	c->measuring |= json_is_true(run_at(row, "measuring"));
	c->hypervisor |= json_is_true(run_at(row, "hypervisor"));
	c->spun_us += amount(row, "spun_us");
	c->lost_us += lost;
	c->steal_us += amount(row, "steal_us");
	c->longest_us = fmax(c->longest_us, amount(row, "longest_us"));
	c->phase_spun_us[phase] += amount(row, "spun_us");
	c->phase_lost_us[phase] += lost;
	for (int i = 0; i < GAP_CAUSES; i++) {
		char *path = text_format("causes_us.%s",
					 gaps_cause_name((enum gap_cause)i));

		c->causes_us[i] += amount(row, path);
		free(path);
	}
	add_tasks(c, row);
	add_looks(c, row);
	json_object_foreach(irqs, name, count)
		add_to(c->interrupts, name, json_number_value(count));
}

static int worst_first(const void *a, const void *b)
{
	const struct quiet_cpu *p = a, *q = b;

	if (p->measuring != q->measuring)
		return q->measuring - p->measuring;
	return (quiet_share(p) < quiet_share(q)) -
	       (quiet_share(p) > quiet_share(q));
}

void quiet_sum(struct quiet *q, const struct run *run)
{
	const json_t *row;
	size_t i;

	*q = (struct quiet) { 0 };
	json_array_foreach(run->noise, i, row) add_row(q, row);
	if (q->n)
		qsort(q->v, q->n, sizeof(*q->v), worst_first);
}

void quiet_free(struct quiet *q)
{
	for (size_t i = 0; i < q->n; i++) {
		json_decref(q->v[i].tasks);
		json_decref(q->v[i].interrupts);
		free(q->v[i].adds);
	}
	free(q->v);
	*q = (struct quiet) { 0 };
}

double quiet_share(const struct quiet_cpu *c)
{
	return c->spun_us > 0 ? fmin(1, c->lost_us / c->spun_us) : 0;
}

char *quiet_verdict(const struct quiet_cpu *c)
{
	char lost[UNITS_MAX], longest[UNITS_MAX], spun[UNITS_MAX];

	return text_format("grade %c on CPU %d: others took %s of the time "
			   "(%s watched; longest gap %s)",
			   noise_grade(quiet_share(c)), c->cpu,
			   units_percent(lost, quiet_share(c)),
			   units_format(spun, 1e3 * c->spun_us, "ns"),
			   units_format(longest, 1e3 * c->longest_us, "ns"));
}

enum gap_cause quiet_main_cause(const struct quiet_cpu *c)
{
	enum gap_cause most = GAP_TASKS;

	for (int i = 0; i < GAP_CAUSES; i++)
		if (c->causes_us[i] > c->causes_us[most])
			most = (enum gap_cause)i;
	return most;
}

/* The largest numbers of @o, each by @format_one; a new string, NULL if there
 * are none. */
static char *largest(const json_t *o, double unit,
		     char *(*format_one)(const char *name, double x))
{
	char *text = NULL;
	double below = INFINITY;

	for (int k = 0; k < NAMED; k++) {
		const char *name, *most = NULL;
		double x = 0;
		json_t *v;
		char *one, *longer;

		json_object_foreach((json_t *)o, name, v)
		{
			double y = json_number_value(v);

			if (y > x && y < below) {
				x = y;
				most = name;
			}
		}
		if (!most)
			break;
		below = x;
		one = format_one(most, x / unit);
		longer = text_format("%s%s%s", text ? text : "",
				     text ? ", " : "", one);
		free(one);
		free(text);
		text = longer;
	}
	return text;
}

static char *task_text(const char *name, double share)
{
	char pct[UNITS_MAX];

	return text_format("%s ran %s", name, units_percent(pct, share));
}

static char *irq_text(const char *name, double per_s)
{
	return text_format(per_s < 100 ? "%s %.3g/s" : "%s %.0f/s", name,
			   per_s);
}

static char *cause_names(const struct quiet_cpu *c, enum gap_cause cause)
{
	char pct[UNITS_MAX], *names, *text;

	switch (cause) {
	case GAP_TASKS:
		names = largest(c->tasks, c->spun_us, task_text);
		text = names ? text_format("other tasks on this CPU: %s", names)
			     : text_copy("other tasks on this CPU, which /proc "
					 "does not show here (in another "
					 "container, too short, or too many "
					 "to look at)");
		free(names);
		return text;
	case GAP_THROTTLED:
		return text_copy("the CPU limit of this process's cgroup");
	case GAP_INTERRUPTS:
		names = largest(c->interrupts, 1e-6 * c->spun_us, irq_text);
		text = text_format("interrupts (%s)",
				   names ? names : "not counted here");
		free(names);
		return text;
	default:
		if (!c->hypervisor)
			return text_copy("something that the kernel does not "
					 "see: firmware (SMI) or hardware");
		return text_format("the hypervisor, which had the CPU itself "
				   "or gave it to others "
				   "(the kernel's count of steal says %s, in "
				   "steps of 10 ms)",
				   units_percent(pct,
						 c->steal_us / c->spun_us));
	}
}

char *quiet_cause(const struct quiet_cpu *c, enum gap_cause cause)
{
	double share = c->spun_us > 0 ? c->causes_us[cause] / c->spun_us : 0;
	char pct[UNITS_MAX], *names, *text;

	if (!(share >= WORTH))
		return NULL;
	names = cause_names(c, cause);
	text = text_format("%s by %s", units_percent(pct, share), names);
	free(names);
	return text;
}

char *quiet_mend(const struct quiet_cpu *c, enum gap_cause cause)
{
	switch (cause) {
	case GAP_TASKS:
		return text_format("stop them, keep them off CPU %d (taskset), "
				   "or outrank them: make run-all PRIO=50",
				   c->cpu);
	case GAP_THROTTLED:
		return text_copy("raise cpu.max (cgroup v1: cpu.cfs_quota_us) "
				 "of the group, or of one above it");
	case GAP_INTERRUPTS:
		/* The kernel refuses nohz_full= for the CPU it boots on. */
		if (c->cpu == 0)
			return text_copy("timer ticks (LOC): measure on "
					 "another CPU, started with "
					 "nohz_full=; devices: set "
					 "/proc/irq/*/smp_affinity");
		return text_format("timer ticks (LOC): start the kernel with "
				   "nohz_full=%d; devices: set "
				   "/proc/irq/*/smp_affinity",
				   c->cpu);
	default:
		return text_copy(
			c->hypervisor
				? "nothing inside helps: ask for a dedicated "
				  "CPU, or measure when the host is quiet"
				: "look at the firmware's settings; the "
				  "kernel's hwlat tracer tells more");
	}
}
