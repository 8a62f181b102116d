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
static int judge(const struct comparison *c, size_t n, double threshold)
{
	const struct pair *worst = NULL;

	for (size_t i = 0; i < n; i++)
		for (const struct pair *p = c[i].v; p < c[i].v + c[i].n; p++)
			if (compare_breaks(p, threshold) &&
			    (!worst || p->cost.shift > worst->cost.shift))
				worst = p;
	if (!worst)
		return EXIT_OK;
	warn("%s %s is slower by %.3g %%, more than %.3g %%",
	     worst->a->all.benchmark, worst->a->all.name,
	     100 * expm1(worst->cost.shift), 100 * threshold);
	return EXIT_SLOWER;
}

struct sides {
	struct side v[SIDES_MAX];
	size_t n;
	bool in_time; /* a history */
};

/* Return: EXIT_OK or EXIT_FAIL. */
static int load_side(struct sides *s, const char *name)
{
	struct side *side = &s->v[s->n];
	const char *why = NULL;
	const int err =
		s->n == SIDES_MAX ? -E2BIG : side_load(side, name, &why);

	if (err) {
		warn("%s", why ? why : strerror(-err));
	} else {
		s->n++;
	}
	if (!err)
		notes_warn(&side->notes);
	return err ? EXIT_FAIL : EXIT_OK;
}

static int by_time(const void *a, const void *b)
{
	const struct side *p = a, *q = b;
	const char *s = run_text(p->runs->meta, "started_at");
	const char *t = run_text(q->runs->meta, "started_at");

	return strcmp(s ? s : "", t ? t : "");
}

static int compare_all(const struct settings *o, const struct sides *s,
		       double floor, double threshold, const json_t *floors)
{
	struct comparison *c = text_alloc(s->n, sizeof(*c));
	struct compare_view v;
	int status = EXIT_OK;
	size_t n = 0;

	for (size_t i = 1; i < s->n; i++)
		compare_sides(&c[n++], &s->v[0], &s->v[i], floor, floors);
	v = (struct compare_view) { c, n, o->all, s->in_time, threshold };
	if (!o->json)
		compare_write(&(struct doc) { .f = stdout,
					      .format = &doc_console },
			      &v);
	else if (compare_json(stdout, &v))
		status = EXIT_FAIL;
	for (size_t i = 0; o->same && i < n; i++)
		if (judge_same(o->json ? stderr : stdout, &c[i]))
			status = EXIT_FAIL;
	if (o->out && write_pages(o->out, v))
		status = EXIT_FAIL;
	if (fflush(stdout) || ferror(stdout))
		status = EXIT_FAIL;
	if (status == EXIT_OK)
		status = judge(c, n, threshold);
	return status;
}

static int compare(const struct settings *o, char **names, bool in_time)
{
	double threshold = o->threshold ? command_share(o->threshold, 0) : -2;
	double floor = command_share(o->floor, default_floor(threshold));
	json_t *floors = NULL;
	static struct sides sides;
	const char *why;
	int status = EXIT_OK;

	if (floor < 0 || (threshold < 0 && o->threshold)) {
		warn("--%s: a number of percent, 0 or more",
		     floor < 0 ? "floor" : "threshold");
		return EXIT_USAGE;
	}
	if (o->threshold && threshold < floor)
		warn("--threshold %s: below --floor %s, so only what is slower "
		     "by more than the floor counts",
		     o->threshold, o->floor);
	if (o->aa) {
		if (floors_read(&floors, o->aa, &why)) {
			warn("--aa: %s", why);
			status = EXIT_FAIL;
		}
	}
	for (; *names && status == EXIT_OK; names++)
		status = load_side(&sides, *names);
	sides.in_time = in_time;
	if (in_time)
		qsort(sides.v, sides.n, sizeof(*sides.v), by_time);
	/* Counts have no noise that a floor would keep out. */
	if (status == EXIT_OK && !o->floor && ledger_is(sides.v[0].runs))
		floor = 0;
	if (status == EXIT_OK)
		status = compare_all(o, &sides, floor, threshold, floors);
	return status;
}

int command_compare(const struct settings *set, char **names)
{
	return compare(set, names, false);
}

int command_history(const struct settings *set, char **names)
{
	return compare(set, names, true);
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
		key = compare_key(&p->a->all);
		effect = fmax(effect,
			      json_number_value(json_object_get(floors, key)));
		json_object_set_new(floors, key, json_real(effect));
	}
}

static int add_two(json_t *floors, const char *one, const char *other,
		   const char **why)
{
	struct side sides[2] = { 0 };
	struct comparison c;
	int err = side_load(&sides[0], one, why);

	if (!err)
		err = side_load(&sides[1], other, why);
	if (!err) {
		compare_sides(&c, &sides[0], &sides[1], 0, NULL);
		keep_effects(floors, &c);
	}
	return err;
}

static bool is_run(const char *dir)
{
	return !access(text_format("%s/invocations.jsonl", dir), F_OK);
}

/* A session has two sides; a run is set against the one named before it. */
static int add_floors(json_t *floors, const char **before, const char *dir,
		      const char **why)
{
	const char *const last = *before;

	if (!is_run(dir))
		return add_two(floors, text_format("%s/a", dir),
			       text_format("%s/b", dir), why);
	*before = dir;
	return last ? add_two(floors, last, dir, why) : 0;
}

int floors_read(json_t **floors, const char *list, const char **why)
{
	const char *before = NULL, *dir;
	int err = 0;

	*floors = json_object();
	*why = NULL;
	while (!err && (dir = text_split(&list, ',')))
		if (*dir)
			err = add_floors(*floors, &before, dir, why);
	return err;
}

double floors_row(const json_t *floors, const struct result *r)
{
	return json_number_value(json_object_get(floors, compare_key(r)));
}

static int add_run(struct side *s, const char *dir, const char **why)
{
	s->runs = text_grow(s->runs, s->n, sizeof(*s->runs));
	return run_load(&s->runs[s->n++], dir, false, &s->notes, why);
}

/* Add the run in @dir, or each run in a directory there. */
static int add_runs(struct side *s, const char *dir, const char **why)
{
	struct dirent **names = NULL;
	const size_t before = s->n;
	int n = is_run(dir) ? 0 : scandir(dir, &names, NULL, versionsort);
	int err = 0;

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		const char *path = text_format("%s/%s", dir, name);

		if (!err && *name != '.' && is_run(path))
			err = add_run(s, path, why);
	}
	return err || s->n > before ? err : add_run(s, dir, why);
}

int side_load(struct side *s, const char *list, const char **why)
{
	const char *dir;
	int err = 0;

	*s = (struct side) { .name = list };
	*why = NULL;
	while (!err && (dir = text_split(&list, ',')))
		if (*dir)
			err = add_runs(s, dir, why);
	if (!err && !s->n) {
		*why = "a side of the comparison needs a results directory";
		err = -1;
	}
	return err;
}
