/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "predictions.h"
#include "sha256.h"
#include "text.h"

#define ISO_LEN 20 /* 2026-11-22T10:20:30Z: order of text is order of time */
#define LIMIT	(1 << 20)

static const char *iso(const char *text)
{
	return text && strlen(text) == ISO_LEN && text[ISO_LEN - 1] == 'Z'
		       ? text
		       : NULL;
}

/* When the file was last changed; a new string or NULL. */
static char *modified(const char *path)
{
	char buf[ISO_LEN + 1];
	struct stat st;
	struct tm tm;

	if (stat(path, &st) || !gmtime_r(&st.st_mtime, &tm) ||
	    strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm) != ISO_LEN)
		return NULL;
	return text_copy(buf);
}

/* Whether the file is byte for byte what it was when the run began. */
static bool unchanged(const char *path, const char *sha256)
{
	char hex[SHA256_HEX];
	char *text = text_file(path, LIMIT);

	if (!text)
		return false;
	sha256_hex(hex, text, strlen(text));
	free(text);
	return !strcmp(hex, sha256);
}

/* By what run-all kept when the run began. */
static void age_from_record(struct predictions *p, const json_t *record,
			    const char *begun)
{
	const char *sha256 = run_text(record, "sha256");
	const char *when = iso(run_text(record, "modified_at"));

	if (unchanged(p->path, sha256)) {
		p->age = text_format(
			"The predictions are older than the run: last changed "
			"%s, the run began %s, and the file has not changed "
			"since (SHA-256 %.12s…).",
			when ? when : "at an unknown time",
			begun ? begun : "at an unknown time", sha256);
		return;
	}
	p->too_new = true;
	p->age = text_copy("The predictions were changed after the run had "
			   "begun: this is not the file that was there then.");
}

static void age_from_time(struct predictions *p, const char *begun)
{
	char *when = modified(p->path);

	if (!when || !begun) {
		p->age = text_copy("Whether the predictions are older than "
				   "the run is not known.");
	} else if (strcmp(when, begun) < 0) {
		p->age = text_format(
			"The predictions are older than the run by the time "
			"of their file (%s, the run began %s); the run kept no "
			"hash of them.",
			when, begun);
	} else {
		p->too_new = true;
		p->age = text_format(
			"The predictions were written after the run had begun "
			"(%s, the run began %s).",
			when, begun);
	}
	free(when);
}

static void find_age(struct predictions *p, const struct run *run, bool in_run)
{
	const char *begun = iso(run_text(run->meta, "started_at"));
	char *path = text_format("%s/predictions.json", run->dir);
	json_error_t err;
	json_t *record = in_run ? json_load_file(path, 0, &err) : NULL;

	if (run_text(record, "sha256"))
		age_from_record(p, record, begun);
	else
		age_from_time(p, begun);
	json_decref(record);
	free(path);
	if (p->too_new)
		notes_add(run->notes, text_copy(p->age),
			  text_copy("predict first, then measure: make "
				    "predictions, fill it in, make run-all"));
}

void predictions_find(struct predictions *p, const struct operations *ops,
		      const struct run *run, const char *root)
{
	char *beside = text_format("%s/predictions.ini", run->dir);
	char *common = text_format("%s/predictions.ini", root);
	bool in_run = !access(beside, F_OK);
	const char *path = in_run ? beside : common;
	int err = predictions_read(p, ops, path, run->notes);

	if (err >= 0)
		find_age(p, run, in_run);
	else if (err != -ENOENT)
		notes_add(run->notes,
			  text_format("%s: %s", path, strerror(-err)), NULL);
	free(beside);
	free(common);
}
