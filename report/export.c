/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <errno.h>
#include <glob.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "err.h"
#include "load.h"
#include "opts.h"
#include "out.h"
#include "text.h"

#define PROGRAMS "contrib/export" /* below the root */

int export_csv(FILE *f, const void *what)
{
	const struct run *run = what;
	bool first = true;

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			out_csv_row(f, &s->rows[j]->all, first);
			first = false;
		}
	}
	return 0;
}

static json_t *or_null(json_t *v)
{
	return v ? json_incref(v) : json_null();
}

/* A row; with @more what other formats want of it and --format json has
 * not: the value of each process run, why there is none, the name on the card.
 */
static json_t *row_json(const struct run *run, const struct row *row, bool more)
{
	json_t *json = result_to_json(&row->all), *values = json_array();

	for (size_t i = 0; more && i < row->n; i++)
		json_array_append_new(values,
				      isfinite(row->values[i])
					      ? json_real(row->values[i])
					      : json_null());
	if (more)
		json_object_update_new(
			json, json_pack("{s:O, s:s?, s:s?}", "values", values,
					"why", row->missing, "words",
					tables_words(run, row, false)));
	json_decref(values);
	return json;
}

/* {schema, machine, run, noise, rows}; a new reference. */
static json_t *document(const struct run *run, bool more)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++)
			json_array_append_new(rows,
					      row_json(run, s->rows[j], more));
	}
	return json_pack("{s:i, s:o, s:o, s:o, s:o}", "schema", RESULT_SCHEMA,
			 "machine", or_null(run->machine), "run",
			 or_null(run->meta), "noise", or_null(run->noise),
			 "rows", rows);
}

int export_json(FILE *f, const void *run)
{
	json_t *all = document(run, false);
	int err = 0;

	if (!all || json_dumpf(all, f, JSON_COMPACT | JSON_REAL_PRECISION(15)))
		err = -ENOMEM;
	fputc('\n', f);
	return err;
}

/* Let jq make the format of @all by the program @path, which may include others
 * of its directory @dir: it takes the place of this process.  Return: -1 if it
 * cannot, after the reason was printed. */
static int convert(const char *path, const char *dir, const json_t *all)
{
	FILE *f = tmpfile();

	if (!f || json_dumpf(all, f, JSON_COMPACT | JSON_REAL_PRECISION(15)) ||
	    fflush(f) || dup2(fileno(f), STDIN_FILENO) < 0 ||
	    lseek(STDIN_FILENO, 0, SEEK_SET) < 0) {
		warn("a temporary file for jq: %s", strerror(errno));
		return -1;
	}
	execlp("jq", "jq", "-L", dir, "-r", "-f", path, NULL);
	warn("this format needs jq, which is %s",
	     errno == ENOENT ? "not installed" : strerror(errno));
	return -1;
}

static void refuse(const char *name, const char *dir)
{
	const char *all = "csv, json";
	glob_t found = { 0 };

	if (!glob(text_format("%s/*.jq", dir), 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *file = basename(found.gl_pathv[i]);

			if (strcmp(file, "rows.jq") != 0)
				all = text_format("%s, %.*s", all,
						  (int)strlen(file) - 3, file);
		}
	warn("--format %s: expected %s%s", name, all, opts_meant(name, all));
}

static int print_as(const struct settings *set, struct run *run)
{
	const char *dir = text_format("%s/" PROGRAMS, set->root);

	grades_earlier(run);
	rowtable_read(&run->suite, set->root, run->notes);
	notes_warn(run->notes);
	if (!strcmp(set->format, "csv"))
		return export_csv(stdout, run);
	if (!strcmp(set->format, "json"))
		return export_json(stdout, run);
	return convert(text_format("%s/%s.jq", dir, set->format), dir,
		       document(run, true));
}

int command_export(const struct settings *set, char **names)
{
	const char *name = set->format;
	const char *dir = text_format("%s/" PROGRAMS, set->root);

	if (strcmp(name, "csv") != 0 && strcmp(name, "json") != 0 &&
	    (strchr(name, '/') || !strcmp(name, "rows") ||
	     access(text_format("%s/%s.jq", dir, name), R_OK))) {
		refuse(name, dir);
		return EXIT_USAGE;
	}
	return command_with_run(set, names[0], false, print_as);
}
