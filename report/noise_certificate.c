/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc.h"
#include "grade.h"
#include "input.h"
#include "result.h"
#include "stats.h"
#include "text.h"

#define LINES_MAX 100000 /* rounds times CPUs; more is not ours */
#define NAMED	  3	 /* tasks and interrupts that are named */
#define WORTH	  0.0005 /* share of the time that is worth a word */

#define LOOKS  8    /* fewer say nothing */
#define ALONE  0.8  /* of the best rate: below, somebody shares the core */
#define SHARED 0.02 /* of the looks: fewer may have been interrupts */

#define MOST_CPUS 16 /* of hundreds */

/* Keys of causes_us in noise.jsonl. */
static const char *const causes[NOISE_CAUSES] = {
	[NOISE_TASKS] = "tasks",
	[NOISE_THROTTLED] = "throttled",
	[NOISE_INTERRUPTS] = "interrupts",
	[NOISE_UNSEEN] = "unseen",
};

json_t *noise_certificate_read(const char *dir, struct notes *notes)
{
	const char *path = text_format("%s/noise.jsonl", dir);
	struct input in;
	const int err = input_open(&in, path, INPUT_NO_LINK);
	json_t *all = err ? NULL : json_array();
	size_t bad = 0;

	while (all && json_array_size(all) < LINES_MAX && input_next(&in)) {
		json_t *row = json_loadb(in.line, in.len, 0, NULL);

		if (json_is_object(row) && run_number(row, "schema") == 1 &&
		    json_is_integer(run_at(row, "cpu"))) {
			json_array_append_new(all, row);
			continue;
		}
		bad++;
	}
	/* An older run has none. */
	if (err && err != -ENOENT)
		notes_format(notes, NULL, "%s: %s", path, input_error(-err));
	if (bad)
		notes_format(notes, NULL, "%s: %zu line%s cannot be used", path,
			     bad, bad == 1 ? "" : "s");
	if (!err)
		input_close(&in);
	return all;
}

static struct noise_cpu *find_cpu(struct noise_certificate *q, int cpu)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].cpu == cpu)
			return &q->v[i];
	q->v = text_grow(q->v, q->n, sizeof(*q->v));
	q->v[q->n] = (struct noise_cpu) { .cpu = cpu,
					  .tasks = json_object(),
					  .interrupts = json_object() };
	return &q->v[q->n++];
}

/* A text, or a number that no time can be, counts as nothing. */
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

static void add_tasks(struct noise_cpu *c, const json_t *row)
{
	const json_t *task;
	size_t i;

	json_array_foreach(run_at(row, "tasks"), i, task)
	{
		const char *name = run_text(task, "name");

		add_to(c->tasks,
		       text_format("%s (pid %.0f)", name ? name : "?",
				   amount(task, "pid")),
		       amount(task, "ran_us"));
	}
}

static void add_looks(struct noise_cpu *c, const json_t *row)
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

static void add_row(struct noise_certificate *q, const json_t *row)
{
	json_t *irqs = json_object_get(row, "interrupts"), *count;
	struct noise_cpu *c =
		find_cpu(q, (int)json_integer_value(run_at(row, "cpu")));
	const char *name;

	c->measuring |= json_is_true(run_at(row, "measuring"));
	c->hypervisor |= json_is_true(run_at(row, "hypervisor"));
	c->spun_us += amount(row, "spun_us");
	c->lost_us += amount(row, "lost_us");
	c->steal_us += amount(row, "steal_us");
	c->longest_us = fmax(c->longest_us, amount(row, "longest_us"));
	for (int i = 0; i < NOISE_CAUSES; i++)
		c->causes_us[i] +=
			amount(row, text_format("causes_us.%s", causes[i]));
	add_tasks(c, row);
	add_looks(c, row);
	json_object_foreach(irqs, name, count)
		add_to(c->interrupts, name, json_number_value(count));
}

static int worst_first(const void *a, const void *b)
{
	const struct noise_cpu *p = a, *q = b;

	if (p->measuring != q->measuring)
		return q->measuring - p->measuring;
	return (noise_cpu_share(p) < noise_cpu_share(q)) -
	       (noise_cpu_share(p) > noise_cpu_share(q));
}

void noise_certificate_sum(struct noise_certificate *q, const struct run *run)
{
	const json_t *row;
	size_t i;

	*q = (struct noise_certificate) { 0 };
	json_array_foreach(run->noise, i, row) add_row(q, row);
	if (q->n)
		qsort(q->v, q->n, sizeof(*q->v), worst_first);
}

double noise_cpu_share(const struct noise_cpu *c)
{
	return c->spun_us > 0 ? fmin(1, c->lost_us / c->spun_us) : 0;
}

const char *noise_cpu_verdict(const struct noise_cpu *c)
{
	return text_format("CPU %d was %s: other work used %s of the time (%s "
			   "watched; longest gap %s)",
			   c->cpu, noise_word(noise_cpu_share(c)),
			   text_percent(noise_cpu_share(c)),
			   text_units(1e3 * c->spun_us, "ns"),
			   text_units(1e3 * c->longest_us, "ns"));
}

const char *noise_of_run(const struct run *run, const char **word)
{
	struct noise_certificate q;

	noise_certificate_sum(&q, run);
	if (!q.n)
		return NULL;
	*word = noise_word(noise_cpu_share(&q.v[0]));
	return text_format("%s, %s of the time lost", *word,
			   text_percent(noise_cpu_share(&q.v[0])));
}

enum noise_cause noise_cpu_main_cause(const struct noise_cpu *c)
{
	enum noise_cause most = NOISE_TASKS;

	for (int i = 0; i < NOISE_CAUSES; i++)
		if (c->causes_us[i] > c->causes_us[most])
			most = (enum noise_cause)i;
	return most;
}

/* The largest numbers of @o, over @unit, each by @format_one; NULL if there are
 * none. */
static const char *largest(const json_t *o, double unit,
			   const char *(*format_one)(const char *name,
						     double x))
{
	const char *text = NULL;
	double below = INFINITY;

	for (int k = 0; k < NAMED; k++) {
		const char *name, *most = NULL;
		double x = 0;
		json_t *v;

		json_object_foreach((json_t *)o, name, v)
		{
			const double y = json_number_value(v);

			if (y > x && y < below) {
				x = y;
				most = name;
			}
		}
		if (!most)
			break;
		below = x;
		text = text_join(text, ", ", format_one(most, x / unit));
	}
	return text;
}

static const char *task_text(const char *name, double share)
{
	return text_format("%s ran %s", name, text_percent(share));
}

static const char *irq_text(const char *name, double per_s)
{
	return text_format(per_s < 100 ? "%s %.3g/s" : "%s %.0f/s", name,
			   per_s);
}

const char *noise_cpu_cause(const struct noise_cpu *c, enum noise_cause cause)
{
	const char *const ids[NOISE_CAUSES] = {
		[NOISE_TASKS] = "noise-tasks",
		[NOISE_THROTTLED] = "noise-throttled",
		/* The kernel refuses nohz_full= for the CPU it boots on. */
		[NOISE_INTERRUPTS] =
			c->cpu ? "noise-interrupts" : "noise-interrupts-0",
		[NOISE_UNSEEN] =
			c->hypervisor ? "noise-host" : "noise-firmware",
	};
	const char *tasks = largest(c->tasks, c->spun_us, task_text);
	const char *irqs = largest(c->interrupts, 1e-6 * c->spun_us, irq_text);

	if (!(c->causes_us[cause] >= WORTH * c->spun_us) || !(c->spun_us > 0))
		return NULL;
	return prose(ids[cause], "share",
		     text_percent(c->causes_us[cause] / c->spun_us), "tasks",
		     tasks ? text_format(": %s", tasks)
			   : prose("noise-no-tasks", NULL),
		     "interrupts", irqs ? irqs : "not counted here", "steal",
		     text_percent(c->steal_us / c->spun_us), "cpu",
		     text_format("%d", c->cpu), NULL);
}

const char *noise_cpu_shared(const struct noise_cpu *c)
{
	double *x = text_alloc(c->n_adds, sizeof(*x)), then, best;
	size_t shared = 0;

	if (c->n_adds < LOOKS)
		return NULL;
	for (size_t i = 0; i < c->n_adds; i++)
		x[i] = c->adds[i];
	stats_sort(x, c->n_adds);
	while (x[shared] < ALONE * x[c->n_adds - 1])
		shared++;
	if (!shared || (double)shared < SHARED * (double)c->n_adds)
		return NULL;
	then = stats_quantile(x, shared, 0.5);
	best = x[c->n_adds - 1];
	return prose("noise-shared", "share",
		     text_percent((double)shared / (double)c->n_adds), "looks",
		     text_count(c->n_adds), "cpu", text_format("%d", c->cpu),
		     "guest", c->hypervisor ? " (of another guest, maybe)" : "",
		     "then", text_format("%.1f", then), "best",
		     text_format("%.1f", best), "times",
		     text_format("%.1f", best / then), "fix",
		     prose(c->hypervisor ? "noise-shared-guest"
					 : "noise-shared-host",
			   NULL),
		     NULL);
}

/* The causes on @c that are worth a word. */
static void find_causes(struct notes *found, const struct noise_cpu *c)
{
	const char *shared = noise_cpu_shared(c);

	*found = (struct notes) { 0 };
	for (int i = 0; i < NOISE_CAUSES; i++) {
		const char *text = noise_cpu_cause(c, (enum noise_cause)i);

		if (text)
			notes_say(found, text);
	}
	if (shared)
		notes_say(found, shared);
}

void noise_certificate_print(FILE *f, const struct run *run)
{
	struct noise_certificate q;
	struct notes found;

	noise_certificate_sum(&q, run);
	if (!q.n)
		return;
	fputc('\n', f);
	console_text(f, noise_cpu_verdict(&q.v[0]),
		     "noise certificate: ", "  ");
	find_causes(&found, &q.v[0]);
	for (size_t i = 0; i < found.n; i++)
		console_text(f, notes_text(&found.v[i]), "  ", "    ");
}

static const char *percent(double part, double whole)
{
	return whole > 0 ? text_percent(part / whole) : NULL;
}

static void fill(struct table *t, const struct noise_certificate *q)
{
	table_begin(t, "CPU>|noise|lost>|longest gap>|tasks>|throttled>|"
		       "interrupts>|unseen>");
	for (size_t i = 0; i < q->n && i < MOST_CPUS; i++) {
		const struct noise_cpu *c = &q->v[i];

		table_line(t, "",
			   text_format("%d%s", c->cpu,
				       c->measuring ? " (measures)" : ""),
			   noise_word(noise_cpu_share(c)),
			   percent(c->lost_us, c->spun_us),
			   text_units(1e3 * c->longest_us, "ns"));
		for (size_t j = 0; j < NOISE_CAUSES; j++)
			table_cell(t, 4 + j,
				   percent(c->causes_us[j], c->spun_us));
	}
	t->caption =
		text_format("Share of each CPU's time that other work "
			    "used, and which%s",
			    q->n > MOST_CPUS ? "; the quieter CPUs are left out"
					     : "");
}

void sections_noise(struct doc *d, const struct run *run)
{
	struct noise_certificate q;
	struct notes found;
	struct table t;

	noise_certificate_sum(&q, run);
	doc_fold(d, "noise", "Noise certificate");
	if (q.n) {
		doc_para(d, "The certificate: %s.", noise_cpu_verdict(&q.v[0]));
		find_causes(&found, &q.v[0]);
		doc_list(d);
		for (size_t i = 0; i < found.n; i++)
			doc_item(d, NULL, notes_text(&found.v[i]));
		doc_list_end(d);
		fill(&t, &q);
		doc_table(d, &t, NULL);
		doc_prose(d, "noise");
	} else {
		doc_prose(d, "noise-none");
	}
	doc_unfold(d);
}
