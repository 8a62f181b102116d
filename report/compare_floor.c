/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "text.h"

char *compare_key(const struct result *r)
{
	return text_format("%zu %s%s", strlen(r->benchmark), r->benchmark,
			   r->name);
}

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

static int add_session(json_t *floors, const char *dir, char **why)
{
	char *names[2] = { text_format("%s/a", dir), text_format("%s/b", dir) };
	struct side sides[2] = { 0 };
	struct comparison c;
	int err = side_load(&sides[0], names[0], why);

	if (!err) {
		free(*why);
		err = side_load(&sides[1], names[1], why);
	}
	if (!err) {
		compare_sides(&c, &sides[0], &sides[1], 0, NULL);
		keep_effects(floors, &c);
		compare_free(&c);
	}
	for (int i = 0; i < 2; i++) {
		side_free(&sides[i]);
		free(names[i]);
	}
	return err;
}

int floors_read(json_t **floors, const char *list, char **why)
{
	int err = 0;

	*floors = json_object();
	*why = NULL;
	while (*list && !err) {
		size_t len = strcspn(list, ",");
		char *dir = text_format("%.*s", (int)len, list);

		if (len) {
			free(*why);
			err = add_session(*floors, dir, why);
		}
		free(dir);
		list += len + (list[len] == ',');
	}
	return err;
}

double floors_row(const json_t *floors, const struct result *r)
{
	char *key = compare_key(r);
	double floor = json_number_value(json_object_get(floors, key));

	free(key);
	return floor;
}
