/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "console.h"
#include "doc.h"
#include "err.h"
#include "history.h"
#include "text.h"

static void put_table(struct doc *d, struct table *t)
{
	table_prune(t);
	d->format->table(d, t);
}

static void write_history(struct doc *d, const void *what)
{
	const struct history *h = what;
	const char *summary = history_summary(h);
	struct table t;

	d->format->begin(d, "oscost: history");
	for (size_t i = 0; i < h->notes.n; i++)
		d->format->warning(d, h->notes.v[i].text, h->notes.v[i].remedy);
	d->format->para(d, summary);
	d->format->para(
		d,
		"The value of each run is one point. A change is marked where "
		"the most extreme split of the series by rank sums is told "
		"from random orders of it, corrected for the number of rows, "
		"and the medians of both stretches differ by 2 % or more.");
	d->format->picture(d, "history",
			   "Each row over the runs, from its least to its "
			   "greatest value; rows with changes (dashed) first.");
	history_runs(&t, h);
	put_table(d, &t);
	history_rows(&t, h, true);
	put_table(d, &t);
	d->format->end(d);
}

static int write_pages(const char *dir, const struct history *h)
{
	int err;

	if (mkdir(dir, 0777) && errno != EEXIST) {
		warn("%s: %s", dir, strerror(errno));
		return -EIO;
	}
	err = history_plot(h, dir);
	if (err) {
		warn("%s/history.svg: %s", dir, strerror(-err));
		return err;
	}
	return doc_pages(dir, "history", write_history, h);
}

static void print(const struct history *h, bool all)
{
	const char *summary = history_summary(h);
	struct table t;

	history_runs(&t, h);
	console_table(stdout, &t);
	putchar('\n');
	history_rows(&t, h, all || h->nruns < h->least);
	table_prune(&t);
	if (t.nrows) {
		console_table(stdout, &t);
		putchar('\n');
	}
	puts(summary);
}

int command_history(const char *out, bool all, size_t n, char *const *dirs)
{
	struct history h;
	int status = EXIT_OK;
	size_t good = history_load(&h, n, dirs);

	for (size_t i = 0; i < h.notes.n; i++)
		warn("%s", h.notes.v[i].text);
	if (!good)
		return EXIT_FAIL;
	print(&h, all);
	if (out && write_pages(out, &h))
		status = EXIT_FAIL;
	if (fflush(stdout) || ferror(stdout))
		status = EXIT_FAIL;
	return status;
}
