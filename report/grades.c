/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <dirent.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "compare.h"
#include "err.h"
#include "grade.h"
#include "sections.h"
#include "text.h"

#define EARLIER 10  /* runs, the last ones */
#define NEEDED	0.9 /* of the rows that a run's grade speaks for */

/* Rounds make a value surer and no other one; some pages of memory more or less
 * are nothing that differs. */
static bool may_differ(const char *setting)
{
	return !strcmp(setting, "rounds") || !strcmp(setting, "memory") ||
	       !strncmp(setting, "precision", 9);
}

static bool is_earlier(const struct run *run, const struct run *other)
{
	const char *now = run_text(run->meta, "started_at");
	const char *then = run_text(other->meta, "started_at"), *name;
	bool same = now && then && strcmp(then, now) < 0;

	for (size_t i = 0; same && (name = compare_setting_name(i)); i++)
		same = may_differ(name) || !strcmp(compare_setting(run, i),
						   compare_setting(other, i));
	return same;
}

/* Add the value of the same row of an earlier run, if that one has a good grade
 * of its own. */
static void add_value(const struct run *run, const json_t *earlier)
{
	struct result then;
	struct row *row;
	const char *why;

	if (result_from_json(&then, earlier, &why))
		return;
	row = run_find(run, &then);
	grade_set(&then, NAN);
	if (row && then.grade && *then.grade != GRADE_WORST) {
		row->earlier[0] = row->nearlier
					  ? fmin(row->earlier[0], then.value)
					  : then.value;
		row->earlier[1] = fmax(row->earlier[1], then.value);
		row->nearlier++;
	}
	result_free(&then);
}

/* Add the values in the report of the earlier run in @dir.  Return: whether it
 * is one. */
static bool add_run(struct run *run, const char *dir)
{
	struct notes notes = { 0 };
	struct run other = { .dir = dir, .notes = &notes };
	json_t *all = NULL, *row;
	size_t i;

	other.meta = run_read_json(&other, "run.json", JSON_OBJECT);
	other.machine = run_read_json(&other, "machine.json", JSON_OBJECT);
	if (is_earlier(run, &other))
		all = run_read_json(&other, "report.json", JSON_OBJECT);
	json_array_foreach(run_at(all, "rows"), i, row) add_value(run, row);
	json_decref(all); /* as large as the run */
	return all != NULL;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

void grades_earlier(struct run *run)
{
	const char *parent = text_format("%s/..", run->dir);
	struct dirent **entries;
	const int n = scandir(parent, &entries, NULL, alphasort);
	int found = 0;

	/* Their names end with the time. */
	for (int i = n; i-- > 0;) {
		const char *name = entries[i]->d_name;
		const char *dir = text_format("%s/%s", parent, name);

		if (*name != '.' && found < EARLIER && is_directory(dir))
			found += add_run(run, dir);
	}
	for (size_t i = 0; i < run->nrows; i++) {
		struct row *row = &run->rows[i];
		const double value = row->all.value;

		if (row->nearlier)
			grade_set(&row->all, fmax(row->earlier[1] / value - 1,
						  1 - row->earlier[0] / value));
	}
}

/* Count the core rows, or all rows if the programs are older than core rows. */
static size_t count(const struct run *run, bool core, size_t *graded)
{
	size_t n = 0;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct result *r = &run->rows[i].all;

		if ((core && !tables_is_core(&run->rows[i])) ||
		    !grade_applies(r))
			continue;
		n++;
		for (char c = GRADE_WORST; r->grade && c >= *r->grade; c--)
			graded[c - 'A']++;
	}
	return n;
}

char grades_of_run(const struct run *run, const char **text)
{
	/* How many have this grade or a better one. */
	size_t graded[GRADE_WORST - 'A' + 1] = { 0 };
	size_t n = count(run, true, graded);
	const char *core = n ? "core " : "";
	char letter = 'A', shown;

	if (!n)
		n = count(run, false, graded);
	if (!n || (double)graded[GRADE_WORST - 'A'] < NEEDED * (double)n) {
		*text = text_format("no grade: %zu of %zu %srows have a value "
				    "in fewer than 6 rounds",
				    n - graded[GRADE_WORST - 'A'], n, core);
		return 0;
	}
	while (letter < GRADE_WORST &&
	       (double)graded[letter - 'A'] < NEEDED * (double)n)
		letter++;
	shown = letter;
	if (shown == GRADE_WORST)
		shown--;
	*text = text_format("grade %c: %s%zu of %zu %srows would be within "
			    "%.0f %% in another run like this",
			    letter, letter == shown ? "" : "only ",
			    graded[shown - 'A'], n, core,
			    100 * grade_bound(shown));
	return letter;
}
