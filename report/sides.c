/* SPDX-License-Identifier: MIT */
/*
 * The sides of a comparison, and floors, from lists of directories.
 */
#include <dirent.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "compare.h"
#include "text.h"

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
