/* SPDX-License-Identifier: MIT */
#include "load.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "grade.h"
#include "input.h"
#include "sections.h"
#include "text.h"

#define MAX_BAD_NOTES 5

/* Where a usable line of the file stands.  Its text is read again when its row
 * is made: all lines of a long run would not fit into memory as JSON. */
struct line {
	size_t row;
	off_t begin;
	const char *program; /* of its section */
	int64_t round;
	bool failed;
};

/* While reading. */
struct reading {
	struct input file;
	const char *path;
	bool core; /* no other rows */
	struct line *lines;
	size_t n;
	json_t *seen; /* row number, round, seed -> number of the line */
	size_t twice; /* lines that had been read before */
};

const json_t *run_at(const json_t *object, const char *path)
{
	while (object && *path) {
		size_t len = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		object = json_object_get(object, key);
		path += len + (path[len] == '.');
	}
	return object;
}

const char *run_text(const json_t *object, const char *path)
{
	return json_string_value(run_at(object, path));
}

const char *run_known(const json_t *object, const char *path,
		      const char *otherwise)
{
	const char *text = run_text(object, path);

	return text ? text : otherwise;
}

const char *run_shown(const json_t *object, const char *path)
{
	const json_t *v = run_at(object, path);

	if (!v || json_is_null(v))
		return "unknown";
	if (json_is_string(v))
		return json_string_value(v);
	if (json_is_boolean(v))
		return json_is_true(v) ? "yes" : "no";
	return json_is_real(v) ? text_format("%.6g", json_real_value(v))
			       : json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY |
						       JSON_SORT_KEYS);
}

double run_number(const json_t *object, const char *path)
{
	const json_t *v = run_at(object, path);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

const struct section *run_section(const struct run *run, const char *program)
{
	for (size_t i = 0; i < run->nsections; i++)
		if (!strcmp(run->sections[i].program, program))
			return &run->sections[i];
	return NULL;
}

const struct trouble *run_trouble(const struct run *run, const char *program)
{
	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, program))
			return &run->troubles[i];
	return NULL;
}

/* Read DIR/@name; complain and return NULL unless it holds a @type. */
const char *run_kept(const struct run *run, const char *name)
{
	const char *kept = text_format("run/%s", name);

	return access(text_format("%s/%s", run->dir, kept), F_OK) ? name : kept;
}

json_t *run_read_json(struct run *run, const char *name, json_type type)
{
	const char *path = text_format("%s/%s", run->dir, run_kept(run, name));
	size_t len;
	char *text = input_text(path, INPUT_NO_LINK, &len);
	json_error_t err;
	json_t *json =
		text ? json_loadb(text, len, JSON_REJECT_DUPLICATES, &err)
		     : NULL;

	if (!text)
		notes_format(run->notes,
			     "the report goes on without it; `oscost run` "
			     "writes it",
			     "%s: %s", path, input_error(errno));
	else if (!json)
		notes_format(run->notes, NULL, "%s:%d: %s", path, err.line,
			     err.text);
	else if (json_typeof(json) != type)
		notes_format(run->notes, NULL, "%s: is not a JSON %s", path,
			     type == JSON_ARRAY ? "array" : "object");
	free(text);
	if (json && json_typeof(json) == type)
		return json;
	json_decref(json);
	return NULL;
}

static struct section *find_section(struct run *run, const char *program)
{
	const struct section *known = run_section(run, program);

	if (known)
		return &run->sections[known - run->sections];
	run->sections = text_grow(run->sections, run->nsections,
				  sizeof(*run->sections));
	run->sections[run->nsections] =
		(struct section) { .program = text_copy(program) };
	return &run->sections[run->nsections++];
}

/* The number of the row that @r belongs to, which is made if it is new. */
static size_t find_row(struct run *run, const struct result *r)
{
	const struct row *known = run_find(run, r);
	const size_t i = run->nrows;

	if (known)
		return (size_t)(known - run->rows);
	json_object_set_new(run->index, run_key(r),
			    json_integer((json_int_t)i));
	run->rows = text_grow(run->rows, i, sizeof(*run->rows));
	run->rows[run->nrows++] = (struct row) { 0 };
	return i;
}

/* The line of row number @row that has this round and seed already, or NULL: a
 * file that was joined to itself, or what failed and was measured again. */
static struct line *known_line(struct reading *in, size_t row,
			       const struct result *r)
{
	char *key = text_format("%zu %lld %llu", row, (long long)r->round,
				(unsigned long long)r->seed);
	const json_t *known =
		r->round >= 0 ? json_object_get(in->seen, key) : NULL;

	if (!known && r->round >= 0)
		json_object_set_new(in->seen, key,
				    json_integer((json_int_t)in->n));
	free(key);
	return known ? &in->lines[json_integer_value(known)] : NULL;
}

static void bad_line(struct run *run, const struct reading *in,
		     const char *what, const char *remedy, bool always)
{
	if (++run->bad_lines <= MAX_BAD_NOTES || always)
		notes_format(run->notes, remedy, "%s:%zu: %s: line left out",
			     in->path, in->file.number, what);
}

/* The line of the file that was read last as a row.  Return: 0, or what
 * result_from_json() does; -EBADMSG if it is no JSON, and *@err says why. */
static int parse_line(const struct reading *in, struct result *r,
		      json_error_t *err, const char **why)
{
	json_t *json = json_loadb(in->file.line, in->file.len, 0, err);
	int ret;

	*why = err->text;
	if (!json)
		return -EBADMSG;
	ret = result_from_json(r, json, why);
	json_decref(json);
	return ret;
}

/* One line of invocations.jsonl. */
static void read_line(struct run *run, struct reading *in)
{
	json_error_t err;
	struct line line = { .begin = in->file.begin }, *known;
	struct result r;
	const char *why = "longer than a row can be", *remedy = NULL;
	int ret = in->file.too_long ? -EFBIG : parse_line(in, &r, &err, &why);
	const bool cut = ret == -EBADMSG && !in->file.whole;

	if (cut) {
		why = "truncated";
		remedy = "the run was cut short; `oscost run --resume "
			 "DIR` goes on";
	} else if (ret == -EPROTO) {
		remedy = "it was written by another version of oscost: use "
			 "that one's report";
	}
	if (ret) {
		bad_line(run, in, why, remedy, cut);
		return;
	}
	line.row = find_row(run, &r);
	line.program = find_section(run, r.benchmark)->program;
	line.round = r.round;
	line.failed = r.status == RESULT_FAILED;
	known = known_line(in, line.row, &r);
	result_free(&r);
	if (known && !known->failed) {
		in->twice++;
	} else if (known) {
		*known = line;
	} else {
		in->lines = text_grow(in->lines, in->n, sizeof(*in->lines));
		in->lines[in->n++] = line;
	}
}

/* Return: NULL, or what is wrong with the file. */
static const char *read_lines(struct run *run, struct reading *in)
{
	const struct input *file = &in->file;
	const int err = input_open(&in->file, in->path, INPUT_NO_LINK);

	if (err)
		return text_format("%s: %s: is this a directory that oscost "
				   "run made?",
				   in->path, input_error(-err));
	while (input_next(&in->file))
		if (strspn(file->line, " \t\r\n") != file->len &&
		    (!in->core || strstr(file->line, "\"tier\":\"core\"")))
			read_line(run, in);
	if (ferror(file->f))
		return text_format("%s: %s", in->path, strerror(EIO));
	if (run->bad_lines > MAX_BAD_NOTES)
		notes_format(run->notes, NULL, "%s: %u more lines left out",
			     in->path, run->bad_lines - MAX_BAD_NOTES);
	if (in->twice)
		notes_format(run->notes,
			     "see whether the file was joined to itself or a "
			     "program runs twice in the plan",
			     "%s: %zu line%s of a case, round and seed "
			     "that the file has already: each counts once",
			     in->path, in->twice, in->twice == 1 ? "" : "s");
	return NULL;
}

/* How far samples lie apart, less the slowest tenth, into which the tick may
 * have come; of rates, which were turned round, only the ends are known. */
static void widen(struct row *row, const struct result *r)
{
	const double most = isfinite(r->p90) ? r->p90 : r->max;

	row->least = fmin(row->least, fmin(r->min, result_headline(r)));
	row->most = fmax(row->most, fmax(most, result_headline(r)));
}

/* The rows of each process run, but for excluded ones. */
static void keep(struct row *row, const struct result *const *of, size_t n)
{
	const double best = result_best_share(of, n);

	for (size_t i = 0; i < n; i++) {
		const struct result *r = of[i];

		if (result_shared(r, best))
			continue;
		row->values[row->n] = result_headline(r);
		row->core_hz[row->n] = r->core_hz;
		widen(row, r);
		if (!isfinite(row->values[row->n]) && !row->missing)
			row->missing = text_copy(r->reason);
		row->failures += r->status == RESULT_FAILED;
		row->n++;
	}
}

/* Make @row from the lines of the file that are its own. */
static int make_row(struct reading *in, struct row *row,
		    const struct line *const *lines)
{
	struct result *all = text_alloc(row->rounds, sizeof(*all));
	const struct result **of =
		text_alloc(row->rounds, sizeof(struct result *));
	size_t n = 0;
	int err = 0;

	row->least = row->most = NAN;
	row->values = text_alloc(row->rounds, sizeof(*row->values));
	row->core_hz = text_alloc(row->rounds, sizeof(*row->core_hz));
	while (n < row->rounds && !err) {
		struct result *r = &all[n];
		json_error_t bad;
		const char *why;

		input_seek(&in->file, lines[n]->begin);
		input_next(&in->file);
		err = parse_line(in, r, &bad, &why);
		if (err)
			break;
		of[n++] = r;
	}
	keep(row, of, n);
	if (!err)
		result_aggregate(&row->all, of, n);
	for (size_t i = 0; i < n; i++)
		result_free(&all[i]);
	free(all);
	free(of);
	return err;
}

/* Make each row from its lines. */
static int aggregate(struct run *run, struct reading *in)
{
	const struct line **of = text_alloc(in->n, sizeof(struct line *));
	size_t *first = text_alloc(run->nrows + 1, sizeof(*first));
	int err = 0;

	/* A counting sort by row keeps the order of the file. */
	for (size_t i = 0; i < in->n; i++)
		first[in->lines[i].row + 1]++;
	for (size_t i = 0; i < run->nrows; i++)
		first[i + 1] += first[i];
	for (size_t i = 0; i < in->n; i++) {
		struct row *row = &run->rows[in->lines[i].row];

		of[first[in->lines[i].row] + row->rounds++] = &in->lines[i];
	}
	for (size_t i = 0; i < run->nrows && !err; i++) {
		struct row *row = &run->rows[i];
		struct section *s = find_section(run, of[first[i]]->program);

		s->rows = text_grow(s->rows, s->n, sizeof(struct row *));
		s->rows[s->n++] = row;
		if (row->rounds > run->rounds)
			run->rounds = (unsigned int)row->rounds;
		err = make_row(in, row, &of[first[i]]);
	}
	free(of);
	free(first);
	return err;
}

static void add_trouble(struct run *run, const char *program, json_int_t status,
			const char *reason)
{
	struct trouble *t;

	for (size_t i = 0; i < run->ntroubles; i++) {
		t = &run->troubles[i];
		if (!strcmp(t->program, program) && t->exit_status == status &&
		    !strcmp(t->reason, reason)) {
			t->rounds++;
			return;
		}
	}
	run->troubles = text_grow(run->troubles, run->ntroubles, sizeof(*t));
	t = &run->troubles[run->ntroubles++];
	*t = (struct trouble) { program, reason, status, 1 };
}

const char *run_planned(const struct run *run, const char *id)
{
	const json_t *plan = run_at(run->meta, "plan"), *p;
	size_t i;

	json_array_foreach(plan, i, p)
	{
		const char *program = run_text(p, "program");
		const char *known = run_text(p, "id");

		if (known && program && !strcmp(known, id))
			return program;
	}
	return id;
}

/* A failure that rows of the round report themselves is no trouble. */
static bool from_rows(const struct reading *in, const char *program,
		      double round)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->lines[i].failed &&
		    (double)in->lines[i].round == round &&
		    !strcmp(in->lines[i].program, program))
			return true;
	return false;
}

static void read_troubles(struct run *run, const struct reading *in)
{
	const json_t *programs = run_at(run->meta, "programs"), *p;
	size_t i;

	json_array_foreach(programs, i, p)
	{
		const json_t *status = run_at(p, "exit_status");
		const char *reason = run_text(p, "reason");
		const char *id = run_text(p, "id");

		if (!id || !json_is_integer(status) ||
		    !json_integer_value(status))
			continue;
		/* The program says that it skips; so does its status. */
		if (reason && json_integer_value(status) == 77 &&
		    !strncmp(reason, "skipped: ", 9))
			reason += 9;
		if (json_integer_value(status) == 1 &&
		    from_rows(in, run_planned(run, id), run_number(p, "round")))
			continue;
		add_trouble(run, run_planned(run, id),
			    json_integer_value(status),
			    reason ? reason : "no reason given; see log.txt");
	}
}

/* Sections in the order of the plan, whatever order the rounds had. */
static void open_planned(struct run *run)
{
	const json_t *plan = run_at(run->meta, "plan"), *p;
	size_t i;

	json_array_foreach(plan, i, p)
	{
		const char *program = run_text(p, "program");

		if (program)
			find_section(run, program);
	}
}

static void describe_sections(struct run *run)
{
	const json_t *about;
	size_t i;

	json_array_foreach(run->about, i, about)
	{
		const char *name = run_text(about, "name");

		for (size_t j = 0; name && j < run->nsections; j++)
			if (!strcmp(run->sections[j].program, name))
				run->sections[j].about = about;
	}
}

const char *run_load(struct run *run, const char *dir, bool core,
		     struct notes *notes)
{
	struct reading in = { .path = text_format("%s/invocations.jsonl", dir),
			      .core = core,
			      .seen = json_object() };
	const char *why;

	*run = (struct run) { .dir = dir,
			      .notes = notes,
			      .index = json_object() };
	run->meta = run_read_json(run, "run.json", JSON_OBJECT);
	open_planned(run);
	why = read_lines(run, &in);
	json_decref(in.seen);
	read_troubles(run, &in);
	for (size_t i = 0; i < run->ntroubles; i++)
		find_section(run, run->troubles[i].program);
	if (!why && !in.n && !run->ntroubles)
		why = text_format("%s: no usable row: nothing was measured",
				  in.path);
	if (!why && aggregate(run, &in))
		why = text_format("%s: it changed while it was read; try again",
				  in.path);
	if (!why) {
		run->machine = run_read_json(run, "machine.json", JSON_OBJECT);
		run->peer =
			access(text_format("%s/peer.json", dir), F_OK)
				? NULL
				: run_read_json(run, "peer.json", JSON_OBJECT);
		run->about = run_read_json(run, "about.json", JSON_ARRAY);
		run->noise = noise_certificate_read(dir, notes);
		describe_sections(run);
		rounds_count(run);
		trend_mark(run);
		for (size_t i = 0; i < run->nrows; i++)
			grade_set(&run->rows[i].all, NAN);
	}
	if (in.file.f)
		input_close(&in.file);
	free(in.lines);
	return why;
}

void run_free(struct run *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		result_free(&run->rows[i].all);
		free(run->rows[i].values);
		free(run->rows[i].core_hz);
	}
	for (size_t i = 0; i < run->nsections; i++)
		free(run->sections[i].rows);
	free(run->rows);
	free(run->sections);
	json_decref(run->machine);
	json_decref(run->peer);
	json_decref(run->about);
	json_decref(run->meta);
	json_decref(run->noise);
	json_decref(run->index);
	*run = (struct run) { 0 };
}

void notes_add(struct notes *notes, const char *text, const char *remedy)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->v[i].text, text)) {
			return;
		}
	}
	notes->v = text_grow(notes->v, notes->n, sizeof(*notes->v));
	notes->v[notes->n++] = (struct note) { text, remedy };
}

const char *notes_text(const struct note *note)
{
	return note->remedy
		       ? text_format("%s. Remedy: %s", note->text, note->remedy)
		       : note->text;
}

void notes_warn(const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		warn("%s", notes->v[i].text);
}

void notes_say(struct notes *notes, const char *both)
{
	const char *end = strstr(both, "\n\n");

	if (end)
		notes_format(notes, end[2] ? end + 2 : NULL, "%.*s",
			     (int)(end - both), both);
	else
		notes_add(notes, both, NULL);
}

char *run_key(const struct result *r)
{
	return text_format("%zu %s%s", strlen(r->benchmark), r->benchmark,
			   r->name);
}

struct row *run_find(const struct run *run, const struct result *r)
{
	char *key = run_key(r);
	const json_t *i = json_object_get(run->index, key);

	free(key);
	return i ? &run->rows[json_integer_value(i)] : NULL;
}

static const struct row *with_case(const struct section *s, const char *glob,
				   bool with_result)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct row *row = s->rows[i];
		bool result = row->all.status == RESULT_OK ||
			      row->all.status == RESULT_BELOW_RESOLUTION;

		if ((result || !with_result) && text_glob(glob, row->all.name))
			return row;
	}
	return NULL;
}

const struct row *run_pick(const struct run *run, const char *program,
			   const char *globs)
{
	const struct section *s = run_section(run, program);
	const struct row *row = NULL;

	for (int with_result = 1; s && !row && with_result >= 0;
	     with_result--) {
		const char *rest = globs, *glob;

		while (!row && (glob = text_split(&rest, ' ')))
			row = with_case(s, glob, with_result);
	}
	return row;
}
