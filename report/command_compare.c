/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "compare.h"
#include "err.h"
#include "text.h"

#define FLOOR	  0.02 /* METHOD: less does not matter in practice */
#define SIDES_MAX 256

static bool is_run(const char *dir)
{
	return !access(text_format("%s/invocations.jsonl", dir), F_OK);
}

static const char *add_run(struct side *s, const char *dir)
{
	s->runs = text_grow(s->runs, s->n, sizeof(*s->runs));
	return run_load(&s->runs[s->n++], dir, false, &s->notes);
}

/* Add the run in @dir, or each run in a directory there. */
static const char *add_runs(struct side *s, const char *dir)
{
	struct dirent **names = NULL;
	const size_t before = s->n;
	const int n = is_run(dir) ? 0 : scandir(dir, &names, NULL, versionsort);
	const char *why = NULL;

	for (int i = 0; i < n && !why; i++) {
		const char *name = names[i]->d_name;
		const char *path = text_format("%s/%s", dir, name);

		if (*name != '.' && is_run(path))
			why = add_run(s, path);
	}
	return why || s->n > before ? why : add_run(s, dir);
}

/* Read a side: @list is one results directory, or one that holds several, or
 * several of either with commas between.  Return: NULL, or what is wrong. */
static const char *side_load(struct side *s, const char *list)
{
	const char *dir, *why = NULL;

	*s = (struct side) { .name = list };
	while (!why && (dir = text_split(&list, ',')))
		if (*dir)
			why = add_runs(s, dir);
	return why || s->n ? why
			   : "a side of the comparison needs a results "
			     "directory";
}

/* Keep the largest effect that any A/A session showed for a row. */
static void keep_effects(json_t *floors, const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct pair *p = &c->v[i];
		double effect = expm1(fabs(p->cost.shift));
		const char *key;

		if (!p->tested || !isfinite(effect))
			continue;
		key = run_key(&p->a->all);
		effect = fmax(effect,
			      json_number_value(json_object_get(floors, key)));
		json_object_set_new(floors, key, json_real(effect));
	}
}

static const char *add_two(json_t *floors, const char *one, const char *other)
{
	struct side sides[2] = { 0 };
	struct comparison c;
	const char *why = side_load(&sides[0], one);

	if (!why)
		why = side_load(&sides[1], other);
	if (!why) {
		compare_sides(&c, &sides[0], &sides[1], 0, NULL);
		keep_effects(floors, &c);
	}
	return why;
}

/* Read how far the same thing differs from itself: @list names sessions of
 * `make aa` (scripts/ab --same), which have two sides, or runs of the same
 * thing, each of which is set against the one before, with commas between.
 * Return: NULL, or what is wrong. */
static const char *floors_read(json_t *floors, const char *list)
{
	const char *before = NULL, *dir, *why = NULL;

	while (!why && (dir = text_split(&list, ','))) {
		if (*dir && !is_run(dir)) {
			why = add_two(floors, text_format("%s/a", dir),
				      text_format("%s/b", dir));
		} else if (*dir) {
			why = before ? add_two(floors, before, dir) : NULL;
			before = dir;
		}
	}
	return why;
}

double command_share(const char *text, double otherwise)
{
	char *end;
	double x;

	if (!text)
		return otherwise;
	x = strtod(text, &end);
	if (end == text || *end || !isfinite(x) || x < 0)
		return -1;
	return x / 100;
}

/* A user who asks for a smaller threshold cares about smaller differences. */
static double default_floor(double threshold)
{
	return threshold >= 0 ? fmin(FLOOR, threshold) : FLOOR;
}

static int write_pages(const char *dir, struct compare_view v)
{
	if (mkdir(dir, 0777) && errno != EEXIST) {
		warn("%s: %s", dir, strerror(errno));
		return -EIO;
	}
	v.all = true;
	return doc_pages(dir, "compare", compare_write, &v);
}

/* If the sides are the same every alarm is false.  METHOD promises at most
 * 10 % of the rows before the correction and one after it. */
static int judge_same(FILE *f, const struct comparison *c)
{
	double share_raw = c->tested ? (double)c->raw / (double)c->tested : 0;
	bool good = c->tested && share_raw <= 0.1 && c->resolved <= 1;

	fprintf(f,
		"False alarms: %zu of %zu rows (%.1f %%) before the "
		"correction, %zu after it: %s\n",
		c->raw, c->tested, 100 * share_raw, c->resolved,
		good	    ? "as it should be"
		: c->tested ? "too many"
			    : "nothing could be compared");
	return good ? EXIT_OK : EXIT_FAIL;
}

/* The exit status that CI looks at. */
static int judge(const struct compare_view *v)
{
	const struct pair *worst = NULL;
	size_t compared = 0;

	for (const struct comparison *c = v->c; c < v->c + v->n; c++) {
		compared += c->n - c->verdicts[VERDICT_NOT_COMPARABLE];
		for (const struct pair *p = c->v; p < c->v + c->n; p++)
			if (compare_breaks(p, v->threshold) &&
			    (!worst || p->cost.shift > worst->cost.shift))
				worst = p;
	}
	/* A check that could not be made must not look like one that passed. */
	if (v->threshold >= 0 && !compared) {
		warn("no row could be compared: --threshold is not judged");
		return EXIT_FAIL;
	}
	if (!worst)
		return EXIT_OK;
	warn("%s %s is slower by %.3g %%, more than %.3g %%",
	     worst->a->all.benchmark, worst->a->all.name,
	     100 * expm1(worst->cost.shift), 100 * v->threshold);
	return EXIT_SLOWER;
}

static int by_time(const void *a, const void *b)
{
	const struct side *p = a, *q = b;
	const char *s = run_text(p->runs->meta, "started_at");
	const char *t = run_text(q->runs->meta, "started_at");

	return strcmp(s ? s : "", t ? t : "");
}

/* Compare the @n @sides.  Return: an exit status. */
static int compare_all(const struct settings *o, const struct side *sides,
		       size_t n, struct compare_view v, double floor,
		       const json_t *floors)
{
	struct comparison *c = text_alloc(n, sizeof(*c));
	int status = EXIT_OK;

	v.c = c;
	for (v.n = 0; v.n + 1 < n; v.n++)
		compare_sides(&c[v.n], &sides[0], &sides[v.n + 1], floor,
			      floors);
	if (!o->json)
		compare_write(&(struct doc) { .f = stdout,
					      .format = &doc_console },
			      &v);
	else if (compare_json(stdout, &v))
		status = EXIT_FAIL;
	for (size_t i = 0; o->same && i < v.n; i++)
		if (judge_same(o->json ? stderr : stdout, &c[i]))
			status = EXIT_FAIL;
	if (o->out && write_pages(o->out, v))
		status = EXIT_FAIL;
	return status == EXIT_OK ? judge(&v) : status;
}

static int compare(const struct settings *o, char **names, bool in_time)
{
	double threshold = o->threshold ? command_share(o->threshold, 0) : -2;
	double floor = command_share(o->floor, default_floor(threshold));
	json_t *floors = json_object();
	static struct side sides[SIDES_MAX];
	const char *why = o->aa ? floors_read(floors, o->aa) : NULL;
	size_t n = 0;

	if (floor < 0 || (threshold < 0 && o->threshold)) {
		warn("--%s: a number of percent, 0 or more",
		     floor < 0 ? "floor" : "threshold");
		return EXIT_USAGE;
	}
	if (o->threshold && threshold < floor)
		warn("--threshold %s: below --floor %s, so only what is slower "
		     "by more than the floor counts",
		     o->threshold, o->floor);
	if (why)
		why = text_format("--aa: %s", why);
	for (; *names && !why; names++) {
		why = n < SIDES_MAX ? side_load(&sides[n], *names)
				    : strerror(E2BIG);
		if (!why)
			notes_warn(&sides[n++].notes);
	}
	if (why) {
		warn("%s", why);
		return EXIT_FAIL;
	}
	if (in_time)
		qsort(sides, n, sizeof(*sides), by_time);
	/* Counts have no noise that a floor would keep out. */
	if (!o->floor && ledger_is(sides->runs))
		floor = 0;
	return compare_all(o, sides, n,
			   (struct compare_view) { .all = o->all,
						   .in_time = in_time,
						   .threshold = threshold },
			   floor, floors);
}

int command_compare(const struct settings *set, char **names)
{
	return compare(set, names, false);
}

int command_history(const struct settings *set, char **names)
{
	return compare(set, names, true);
}
