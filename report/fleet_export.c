/* SPDX-License-Identifier: MIT */
/* What `report fleet` found, for programs. */
#include "fleet_export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "out.h"
#include "text.h"

#define FLEET_SCHEMA 1

size_t fleet_sample(const struct fleet_node **chosen, const struct fleet *f,
		    size_t most)
{
	size_t rest = 0, n = 0, seen = 0;

	for (size_t i = 0; i < f->n; i++)
		rest += f->nodes[i].cells && f->nodes[i].verdict == FLEET_GOOD;
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];

		if (!node->cells)
			continue;
		/* The k-th of the rest is taken where k * most / rest grows. */
		if (node->verdict == FLEET_GOOD) {
			const size_t k = seen++;

			if (rest > most &&
			    (k + 1) * most / rest == k * most / rest)
				continue;
		}
		chosen[n++] = node;
	}
	return n;
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *beyond(const struct fleet *f, const struct fleet_node *node)
{
	json_t *list = json_array();

	for (size_t i = 0; node->cells && i < f->nrows; i++) {
		const struct fleet_cell *cell = &node->cells[i];
		const struct fleet_level *level =
			&f->classes[node->class].levels[i];
		const struct result *r = &f->rows[i].what;

		if (!cell->beyond || level->state != FLEET_ROW_JUDGED)
			continue;
		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:s*, s:o, s:o, s:o, s:o, "
				  "s:b}",
				  "benchmark", r->benchmark, "case", r->name,
				  "unit", r->unit, "value", number(cell->value),
				  "median", number(level->median), "cost_ratio",
				  number(fleet_ratio(cell)), "z",
				  number(cell->z), "again", cell->again));
	}
	return list;
}

static json_t *nodes_of(const struct fleet *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *node = &f->nodes[i];
		json_t *o =
			json_pack("{s:s, s:s, s:s, s:b}", "node", node->name,
				  "status", fleet_status_name(node->status),
				  "verdict", fleet_verdict_name(node->verdict),
				  "bad", fleet_is_bad(node));

		if (node->reason && *node->reason)
			json_object_set_new(o, "status_reason",
					    json_string(node->reason));
		if (node->cells) {
			json_object_set_new(o, "class",
					    json_integer(
						    (json_int_t)node->class));
			json_object_set_new(o, "noise",
					    node->noise
						    ? json_string(node->noise)
						    : json_null());
		}
		if (node->verdict != FLEET_GOOD) {
			char *words = fleet_words(f, node);

			json_object_set_new(o, "reason", json_string(words));
			json_object_set_new(o, "rows", beyond(f, node));
			free(words);
		}
		json_array_append_new(list, o);
	}
	return list;
}

static const char *const states[] = {
	[FLEET_ROW_NONE] = "no value",
	[FLEET_ROW_FEW] = "too few nodes",
	[FLEET_ROW_SPLIT] = "two levels",
	[FLEET_ROW_JUDGED] = "judged",
};

static json_t *classes_of(const struct fleet *f)
{
	json_t *list = json_array();

	for (size_t k = 0; k < f->nclasses; k++) {
		const struct fleet_class *class = &f->classes[k];
		json_t *rows = json_array(), *thresholds = json_array();

		for (size_t i = 0; i < FLEET_FAMILIES; i++)
			json_array_append_new(thresholds,
					      number(class->threshold[i]));

		for (size_t i = 0; i < f->nrows; i++) {
			const struct fleet_level *level = &class->levels[i];
			const struct result *r = &f->rows[i].what;

			if (level->state == FLEET_ROW_NONE)
				continue;
			json_array_append_new(
				rows,
				json_pack("{s:s, s:s, s:s*, s:I, s:o, s:o, "
					  "s:o, s:o, s:o, s:s}",
					  "benchmark", r->benchmark, "case",
					  r->name, "unit", r->unit, "n",
					  (json_int_t)level->n, "median",
					  number(level->median), "mad",
					  number(level->mad), "min",
					  number(level->min), "max",
					  number(level->max), "scale",
					  number(level->scale), "state",
					  states[level->state]));
		}
		json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:o, s:o, s:o, s:o}", "hardware",
				  class->name, "nodes", (json_int_t) class->n,
				  "z",
				  number(class->bounds ? class->bounds->z
						       : NAN),
				  "share",
				  number(class->bounds ? class->bounds->share
						       : NAN),
				  "threshold", thresholds, "rows", rows));
	}
	return list;
}

static int put_json(FILE *f, const struct fleet *nodes,
		    const struct fleet *links)
{
	json_t *all = json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema",
				FLEET_SCHEMA, "nodes", nodes_of(nodes), "links",
				nodes_of(links), "classes", classes_of(nodes),
				"link_classes", classes_of(links));
	int err = !all ||
		  json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9));

	fputc('\n', f);
	json_decref(all);
	return err;
}

/* A field of CSV in quotes. */
static void put_field(FILE *f, const char *text)
{
	fputs(text && out_is_formula(text) ? "\"'" : "\"", f);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc((unsigned char)*text < ' ' ? '?' : *text, f);
	}
	fputs("\",", f);
}

static void put_lines(FILE *f, const struct fleet *fleet, const char *kind)
{
	for (size_t i = 0; i < fleet->n; i++) {
		const struct fleet_node *node = &fleet->nodes[i];
		const bool flagged = node->cells && node->verdict != FLEET_GOOD;
		char *title =
			flagged ? fleet_title(&fleet->rows[node->worst]) : NULL;

		fprintf(f, "%s,", kind);
		put_field(f, node->name);
		fprintf(f, "%s,", fleet_status_name(node->status));
		put_field(f, node->cells ? fleet->classes[node->class].name
					 : NULL);
		fprintf(f, "\"%s\",", fleet_verdict_name(node->verdict));
		put_field(f, title);
		if (flagged)
			fprintf(f, "%.6g,%.6g,%zu,",
				fleet_ratio(&node->cells[node->worst]),
				node->cells[node->worst].z, node->nbeyond);
		else
			fputs(",,0,", f);
		fprintf(f, "%zu\n", node->nfailed);
		free(title);
	}
}

static int put_csv(FILE *f, const struct fleet *nodes,
		   const struct fleet *links)
{
	fputs("kind,name,status,class,verdict,row,cost_ratio,z,rows_beyond,"
	      "rows_failed\n",
	      f);
	put_lines(f, nodes, "node");
	put_lines(f, links, "link");
	return 0;
}

int fleet_export(const struct fleet *f, const struct fleet *links,
		 const char *dir)
{
	static const struct {
		const char *suffix;
		int (*put)(FILE *f, const struct fleet *nodes,
			   const struct fleet *links);
	} files[] = {
		{ "json", put_json },
		{ "csv", put_csv },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char *path = text_format("%s/fleet.%s", dir, files[i].suffix);
		FILE *out = text_create(path);
		int err = out ? files[i].put(out, f, links) : errno;

		if (out && (ferror(out) | fclose(out)))
			err = EIO;
		if (err) {
			warn("%s: %s", path, strerror(err > 0 ? err : EIO));
			ret = -EIO;
		}
		free(path);
	}
	return ret;
}
