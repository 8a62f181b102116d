/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "err.h"
#include "rowtable.h"
#include "text.h"

#define FIELDS 12

bool figures_flag(const struct figure *fig, const char *flag)
{
	return text_glob(fig->flags, flag);
}

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

static void add_figure(struct figures *figs, const struct figure *fig)
{
	figs->v = text_grow(figs->v, figs->n, sizeof(*fig));
	figs->v[figs->n++] = *fig;
}

void figures_read(struct figures *figs, const struct rowtable *table,
		  struct notes *notes)
{
	static const struct figure card = {
		.id = "card",
		.kind = "card",
		.benchmark = "",
		.x = "-",
		.series = "",
		.value = "value",
		.flags = "logx",
		.title = "",
		.xlabel = "",
		.ylabel = "",
		.caption = "Times (top) and bandwidths (bottom), on "
			   "logarithmic scales.  The bars show how sure each "
			   "number is (95 % interval).",
	};
	const struct rowtable_line *line = NULL;

	*figs = (struct figures) { 0 };
	while ((line = rowtable_next(table, "figure", line))) {
		struct figure fig = { 0 };

		if (read_figure(&fig, line) || is_known(figs, &fig))
			notes_format(notes, NULL,
				     "%s: needs %d fields parted by tabs "
				     "and an id of its own: figure left out",
				     line->place, FIELDS);
		else
			add_figure(figs, &fig);
	}
	add_figure(figs, &card);
}

static const char *output_of(const struct run *run, const struct figure *fig,
			     const char *suffix)
{
	return text_format("%s/" FIGURES_DIR "/%s.%s", run->dir, fig->id,
			   suffix);
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
		unlink(output_of(run, fig, suffixes[i]));
}

/* Run @root/scripts/plot DIR ID...  Return: its exit status, or -errno after
 * the reason was printed. */
static int draw(const char *root, const char *dir, const char *const *ids,
		size_t count)
{
	const char *path = text_format("%s/scripts/plot", root);
	const char **argv = text_alloc(count + 3, sizeof(*argv));
	size_t n = 0;
	int status, err;
	pid_t pid;

	argv[n++] = path;
	argv[n++] = dir;
	for (size_t i = 0; i < count; i++)
		argv[n++] = ids[i];
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
static void write_data(struct figures *figs, const struct run *run,
		       const struct course *course)
{
	const int folder = make_folder(run->dir);
	size_t n = 0;

	if (folder)
		notes_format(
			run->notes,
			"remove it, then `build/bin/report make DIR` again",
			"%s/" FIGURES_DIR ": %s: there are no "
			"plots",
			run->dir, strerror(-folder));
	for (size_t i = 0; i < figs->n && !folder; i++) {
		struct figure *fig = &figs->v[i];
		int err;

		remove_old(run, fig);
		err = figure_write(fig, run, course);
		if (!err) {
			figs->v[n++] = *fig;
			continue;
		}
		remove_old(run, fig);
		if (err != -ENODATA)
			notes_format(run->notes, NULL, "%s: %s",
				     output_of(run, fig, "dat"),
				     strerror(-err));
	}
	figs->n = n;
	if (!folder)
		/* Only if it is empty. */
		rmdir(text_format("%s/" FIGURES_DIR, run->dir));
}

void figures_make(struct figures *figs, const struct run *run,
		  const struct course *course, const char *root, bool no_plots)
{
	const char **ids;
	int status = 0;

	write_data(figs, run, course);
	if (!figs->n)
		return;
	if (no_plots) {
		notes_add(run->notes, "Plots were switched off", NULL);
		return;
	}
	ids = text_alloc(figs->n, sizeof(*ids));
	for (size_t i = 0; i < figs->n; i++)
		ids[i] = figs->v[i].id;
	status = draw(root, run->dir, ids, figs->n);
	for (size_t i = 0; i < figs->n; i++) {
		figs->v[i].drawn =
			!access(output_of(run, &figs->v[i], "svg"), R_OK);
		if (!figs->v[i].drawn && !status)
			status = EXIT_FAIL;
	}
	if (status)
		explain(run->notes, status);
}
