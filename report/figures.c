/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "course.h"
#include "err.h"
#include "rowtable.h"
#include "sections.h"
#include "text.h"
#include "units.h"

#define FIELDS 12

/* An id becomes a file name and part of a link. */
static bool is_id(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_")];
}

static int read_figure(struct figure *fig, const struct rowtable_line *line)
{
	const char **slots[FIELDS] = {
		&fig->id,    &fig->kind,   &fig->benchmark, &fig->globs,
		&fig->x,     &fig->series, &fig->value,	    &fig->flags,
		&fig->title, &fig->xlabel, &fig->ylabel,    &fig->caption
	};

	if (line->n != FIELDS || !is_id(line->field[0]) ||
	    !is_id(line->field[1]))
		return -EINVAL;
	for (size_t i = 0; i < FIELDS; i++)
		*slots[i] = line->field[i];
	return 0;
}

/* Two figures of one name would overwrite each other. */
static bool is_known(const struct figures *figs, const struct figure *fig)
{
	for (size_t i = 0; i < figs->n; i++)
		if (!strcmp(figs->v[i].id, fig->id))
			return true;
	return false;
}

void figures_read(struct run *run)
{
	struct figures *figs = run->figs = text_alloc(1, sizeof(*figs));
	const struct rowtable_line *line = NULL;

	while ((line = rowtable_next(&run->suite, "figure", line))) {
		struct figure fig = { 0 };

		if (read_figure(&fig, line) || is_known(figs, &fig)) {
			notes_format(run->notes, NULL,
				     "%s: needs %d fields parted by tabs "
				     "and an id of its own: figure left out",
				     line->place, FIELDS);
			continue;
		}
		figs->v = text_grow(figs->v, figs->n, sizeof(fig));
		figs->v[figs->n++] = fig;
	}
}

const char *figures_path(const struct run *run, const char *id,
			 const char *suffix)
{
	return text_format("%s/" FIGURES_DIR "/%s.%s", run->dir, id, suffix);
}

/* Make @dir/FIGURES_DIR.  Return: 0 or -errno; -ENOTDIR if something else, such
 * as a link, is in its place. */
static int make_folder(const char *dir)
{
	const char *path = text_format("%s/" FIGURES_DIR, dir);
	struct stat st;

	if (!mkdir(path, 0777))
		return 0;
	if (errno != EEXIST || lstat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

/* Remove the files of @fig that an earlier report made. */
static void remove_old(const struct run *run, const struct figure *fig)
{
	static const char *const suffixes[] = { "svg", "pdf", "png", "dat",
						"plot" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		unlink(figures_path(run, fig->id, suffixes[i]));
}

/* Run @root/scripts/plot DIR.  Return: its exit status, or -errno after the
 * reason was printed. */
static int draw(const char *root, const char *dir)
{
	const char *path = text_format("%s/scripts/plot", root);
	const char *const argv[] = { path, dir, NULL };
	int status, err;
	pid_t pid;

	fflush(NULL);
	err = posix_spawn(&pid, path, NULL, NULL, (char *const *)argv, environ);
	if (err) {
		warn("%s: %s", path, strerror(err));
		return -err;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAIL;
}

/* Print and note why pictures are missing, by the exit status of scripts/plot.
 */
static void explain(struct notes *notes, int status)
{
	const bool none = status == EXIT_SKIP;
	const char *text = none ? "There are no plots: gnuplot is not installed"
				: "Some plots could not be drawn";
	const char *remedy = none ? "apt-get install gnuplot-nox, then the "
				    "same command again"
				  : "see what `scripts/plot DIR` says";

	notes_add(notes, text, remedy);
	warn("%s: %s", text, remedy);
}

/* Keep the figures that have data. */
static void write_data(const struct course *course)
{
	const struct run *run = course->run;
	struct figures *figs = run->figs;
	const int folder = make_folder(run->dir);
	size_t n = 0;

	if (folder)
		notes_format(run->notes,
			     "remove it, then `oscost report DIR` again",
			     "%s/" FIGURES_DIR ": %s: there are no "
			     "plots",
			     run->dir, strerror(-folder));
	for (size_t i = 0; i < figs->n && !folder; i++) {
		struct figure *fig = &figs->v[i];
		int err;

		remove_old(run, fig);
		err = figure_write(fig, course);
		if (!err) {
			figs->v[n++] = *fig;
			continue;
		}
		remove_old(run, fig);
		if (err != -ENODATA)
			notes_format(run->notes, NULL, "%s: %s",
				     figures_path(run, fig->id, "dat"),
				     strerror(-err));
	}
	figs->n = n;
	if (!folder)
		/* Only if it is empty. */
		rmdir(text_format("%s/" FIGURES_DIR, run->dir));
}

void figures_make(const struct course *course, const char *root, bool no_plots)
{
	const struct run *run = course->run;
	struct figures *figs = run->figs;
	int status;

	write_data(course);
	if (!figs->n)
		return;
	if (no_plots) {
		notes_add(run->notes, "Plots were switched off", NULL);
		return;
	}
	status = draw(root, run->dir);
	for (size_t i = 0; i < figs->n; i++) {
		figs->v[i].drawn =
			!access(figures_path(run, figs->v[i].id, "svg"), R_OK);
		if (!figs->v[i].drawn && !status)
			status = EXIT_FAIL;
	}
	if (status)
		explain(run->notes, status);
}

/* The value of @axis in the case @name ("64K"); "" if it has no such axis. */
static const char *axis_text(const char *name, const char *axis)
{
	const size_t len = strlen(axis);
	const char *part;

	while ((part = text_split(&name, ',')))
		if (!strncmp(part, axis, len) && part[len] == '=')
			return part + len + 1;
	return "";
}

/* The coordinates of @row on @axes ("by", or "op+by"), in words. */
static const char *coordinate(const struct run *run, const struct row *row,
			      const char *axes)
{
	const struct result *r = &row->all;
	const char *text = "", *axis;

	while (strcmp(axes ? axes : "-", "-") != 0 && *axes) {
		const char *word;

		axis = text_split(&axes, '+');
		word = words_of(&run->suite, r->benchmark, axis,
				axis_text(r->name, axis));
		text = text_format("%s%s%s", text, *text && *word ? ", " : "",
				   word);
	}
	return text;
}

size_t plotdata_name(const char ***names, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*names)[i], name))
			return i;
	*names = text_grow(*names, *n, sizeof(**names));
	(*names)[*n] = name;
	return (*n)++;
}

static double number_of(const struct result *r, const char *column)
{
	const struct {
		const char *name;
		double value;
	} known[] = {
		{ "value", r->value }, { "cycles", r->cycles },
		{ "ticks", r->ticks }, { "min", r->min },
		{ "mean", r->mean },   { "p50", r->p50 },
		{ "p90", r->p90 },     { "p99", r->p99 },
		{ "p999", r->p999 },   { "max", r->max },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (r->status == RESULT_OK && !strcmp(known[i].name, column))
			return known[i].value;
	return NAN;
}

/* Whether @params are @like, but for @axis, which has @text there. */
static bool is_partner(const json_t *params, const json_t *like,
		       const char *axis, const char *text)
{
	json_t *expected = json_deep_copy(like);
	bool same;

	json_object_set_new(expected, axis, json_string(text));
	same = json_equal(params, expected);
	json_decref(expected);
	return same;
}

/* The x of an axis "stat=bandwidth": the value (in GB/s if it is a rate) of
 * the row that has this figure and is like @row in all else.  Without such a
 * row there was nothing to measure: 0. */
static double partner_value(const struct run *run, const struct section *s,
			    const struct row *row, const char *x)
{
	const char *text = x, *axis = text_split(&text, '=');

	for (size_t i = 0; i < s->n; i++) {
		const struct result *r = &s->rows[i]->all;

		if (is_partner(r->params, row->all.params, axis, text))
			return number_of(r, "value") /
			       (text_same(r->unit, "B/s") ? 1e9 : 1);
	}
	return 0;
}

static double x_of(const struct run *run, const struct section *s,
		   const struct row *row, const char *x)
{
	const json_t *value = json_object_get(row->all.params, x);

	if (strchr(x, '='))
		return partner_value(run, s, row, x);
	return json_is_integer(value) ? json_number_value(value) : NAN;
}

static bool is_curve(const struct figure *fig)
{
	return text_glob("curve stair line knee", fig->kind);
}

static bool has_histogram(const struct figure *fig)
{
	return !strcmp(fig->value, "histogram");
}

static void add_point(struct plotdata *d, const struct figure *fig,
		      const struct run *run, const struct row *row, double x)
{
	const struct result *r = &row->all;
	const double y = number_of(r, fig->value);
	/* The interval is that of the value; other columns have it in the same
	 * proportion only where they are the value converted. */
	const double scale =
		text_glob("value cycles ticks", fig->value) && r->value > 0
			? y / r->value
			: NAN;
	const bool below = r->status == RESULT_BELOW_RESOLUTION;
	struct point p = {
		.row = row,
		.series = plotdata_name(&d->series, &d->nseries,
					coordinate(run, row, fig->series)),
		.x = x,
		.y = y,
		.lo = scale * r->ci95[0],
		.hi = below ? r->resolution : scale * r->ci95[1],
		.label = text_format("%s: %s", r->name, tables_both(r)),
	};

	if (has_histogram(fig) ? !r->histogram
			       : !isfinite(y) && !isfinite(p.hi))
		return;
	if (is_curve(fig) ? !isfinite(x) : below)
		return;
	if (!is_curve(fig))
		p.x = (double)plotdata_name(&d->categories, &d->ncategories,
					    coordinate(run, row, fig->x));
	d->points = text_grow(d->points, d->n, sizeof(p));
	d->points[d->n++] = p;
}

/* The value that the unit must suit: the largest one on a linear axis, the
 * middle of a logarithmic one.  0 if there is none. */
static double typical_value(const struct plotdata *d, const struct figure *fig)
{
	const bool log = has_histogram(fig) || text_glob(fig->flags, "logy");
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct point *p = &d->points[i];
		const double y = has_histogram(fig) ? p->row->all.value : p->y;

		if (!(y > 0) || !isfinite(y))
			continue;
		least = fmin(least, y);
		most = fmax(most, y);
	}
	return log && most > 0 ? sqrt(least) * sqrt(most) : most;
}

/* The unit of the values and the scale that suits them; or the unit that is
 * among the figure's flags, for figures that are compared. */
static void choose_scale(struct plotdata *d, const struct figure *fig)
{
	const char *unit = d->n ? d->points[0].row->all.unit : NULL;
	double typical = typical_value(d, fig);

	d->unit = fig->value;
	if (text_glob("cycles ticks", fig->value))
		return;
	d->unit = unit ? unit : "";
	if (!unit)
		return;
	for (int steps = 0; steps < 5; steps++) {
		const double value = pow(1000, steps);

		units_scale(value, unit, &d->unit);
		if (text_glob(fig->flags, d->unit))
			typical = value;
	}
	d->scale = units_scale(typical, unit, &d->unit);
	if (!strcmp(unit, "1/s") && typical >= 1e4) {
		d->scale = typical >= 1e6 ? 1e6 : 1e3;
		d->unit = typical >= 1e6 ? "millions" : "thousands";
	}
}

/* The rows of @s that @globs match and that have no point yet. */
static void add_rows(struct plotdata *d, const struct figure *fig,
		     const char *glob, const struct run *run,
		     const struct section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = s->rows[i];
		bool known = !text_glob(glob, row->all.name);

		for (size_t k = 0; k < d->n; k++)
			known |= d->points[k].row == row;
		if (!known)
			add_point(d, fig, run, row, x_of(run, s, row, fig->x));
	}
}

/* One point, or a curve of one x, shows nothing that the table does not; one
 * histogram does. */
static bool shows_nothing(const struct plotdata *d, const struct figure *fig)
{
	if (has_histogram(fig))
		return false;
	for (size_t i = 1; i < d->n; i++)
		if (!is_curve(fig) || d->points[i].x < d->points[0].x ||
		    d->points[i].x > d->points[0].x)
			return false;
	return true;
}

void plotdata_collect(struct plotdata *d, const struct figure *fig,
		      const struct run *run)
{
	const char *programs = fig->benchmark, *program;

	*d = (struct plotdata) { .scale = 1, .unit = "" };
	while ((program = text_split(&programs, ' '))) {
		const struct section *s = run_section(run, program);
		const char *globs = fig->globs, *glob;

		while (s && (glob = text_split(&globs, ' ')))
			add_rows(d, fig, glob, run, s);
	}
	if (shows_nothing(d, fig))
		d->n = 0;
	choose_scale(d, fig);
}
