/* SPDX-License-Identifier: MIT */
/*
 * The sides of a comparison, and floors, from lists of directories.
 */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
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
		char *key;

		if (!p->tested || !isfinite(effect))
			continue;
		key = compare_key(&p->a->all);
		effect = fmax(effect,
			      json_number_value(json_object_get(floors, key)));
		json_object_set_new(floors, key, json_real(effect));
		free(key);
	}
}

static int add_two(json_t *floors, const char *one, const char *other,
		   char **why)
{
	struct side sides[2] = { 0 };
	struct comparison c;
	int err = side_load(&sides[0], one, why);

	if (!err) {
		free(*why);
		err = side_load(&sides[1], other, why);
	}
	if (!err) {
		compare_sides(&c, &sides[0], &sides[1], 0, NULL);
		keep_effects(floors, &c);
		compare_free(&c);
	}
	for (int i = 0; i < 2; i++)
		side_free(&sides[i]);
	return err;
}

static bool is_run(const char *dir)
{
	char *path = text_format("%s/invocations.jsonl", dir);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

/* A session has two sides; a run is set against the one named before it. */
static int add_floors(json_t *floors, char **before, const char *dir,
		      char **why)
{
	char *one, *other;
	int err;

	if (is_run(dir)) {
		one = *before;
		other = text_copy(dir);
		*before = text_copy(dir);
	} else {
		one = text_format("%s/a", dir);
		other = text_format("%s/b", dir);
	}
	err = one ? add_two(floors, one, other, why) : 0;
	free(one);
	free(other);
	return err;
}

int floors_read(json_t **floors, const char *list, char **why)
{
	char *before = NULL;
	int err = 0;

	*floors = json_object();
	*why = NULL;
	while (*list && !err) {
		size_t len = strcspn(list, ",");
		char *dir = text_format("%.*s", (int)len, list);

		if (len) {
			free(*why);
			err = add_floors(*floors, &before, dir, why);
		}
		free(dir);
		list += len + (list[len] == ',');
	}
	free(before);
	return err;
}

double floors_row(const json_t *floors, const struct result *r)
{
	char *key = compare_key(r);
	double floor = json_number_value(json_object_get(floors, key));

	free(key);
	return floor;
}

static int add_run(struct side *s, const char *dir, char **why)
{
	s->runs = text_grow(s->runs, s->n, sizeof(*s->runs));
	free(*why);
	return run_load(&s->runs[s->n++], dir, &s->notes, why);
}

/* Add the run in @dir, or each run in a directory there. */
static int add_runs(struct side *s, const char *dir, char **why)
{
	struct dirent **names = NULL;
	const size_t before = s->n;
	int n = is_run(dir) ? 0 : scandir(dir, &names, NULL, versionsort);
	int err = 0;

	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;
		char *path = text_format("%s/%s", dir, name);

		if (!err && *name != '.' && is_run(path))
			err = add_run(s, path, why);
		free(path);
		free(names[i]);
	}
	free(names);
	return err || s->n > before ? err : add_run(s, dir, why);
}

int side_load(struct side *s, const char *list, char **why)
{
	int err = 0;

	*s = (struct side) { .name = text_copy(list) };
	*why = NULL;
	while (*list && !err) {
		size_t len = strcspn(list, ",");
		char *dir = text_format("%.*s", (int)len, list);

		if (len)
			err = add_runs(s, dir, why);
		free(dir);
		list += len + (list[len] == ',');
	}
	if (!err && !s->n) {
		*why = text_copy("a side of the comparison needs a results "
				 "directory");
		err = -1;
	}
	return err;
}

void side_free(struct side *s)
{
	for (size_t i = 0; i < s->n; i++)
		run_free(&s->runs[i]);
	free(s->runs);
	free(s->name);
	notes_free(&s->notes);
	*s = (struct side) { 0 };
}
