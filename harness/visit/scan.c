/* SPDX-License-Identifier: MIT */
/* Words and conditions of the texts of cases, and cases found by them. */
#include "scan.h"

#include <ctype.h>
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "err.h"
#include "program.h"

static void skip_blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t\n");
}

bool scan_is(struct scan *s, const char *token)
{
	const size_t len = strlen(token);

	skip_blanks(s);
	if (strncmp(s->at, token, len) != 0)
		return false;
	/* "if" is no beginning of "iffy". */
	if (isalnum((unsigned char)token[len - 1]) &&
	    (isalnum((unsigned char)s->at[len]) || s->at[len] == '_'))
		return false;
	s->at += len;
	return true;
}

static struct word take(struct scan *s, const char *marks)
{
	struct word w = { s->at, 0 };

	while (isalnum((unsigned char)w.text[w.len]) ||
	       (w.text[w.len] && strchr(marks, w.text[w.len]) &&
		strncmp(w.text + w.len, "..", 2) != 0))
		w.len++;
	s->at += w.len;
	return w;
}

struct word scan_name(struct scan *s)
{
	skip_blanks(s);
	return take(s, "_");
}

struct word scan_word(struct scan *s)
{
	struct word w;

	if (!scan_is(s, "'")) {
		w = take(s, "_-.");
		if (!w.len)
			scan_wrong(s);
		return w;
	}
	w = (struct word) { s->at, strcspn(s->at, "'") };
	s->at += w.len;
	scan_need(s, "'");
	return w;
}

bool word_number(struct word w, int64_t *n, bool *size)
{
	char text[24];
	uint64_t value;

	if (!w.len || w.len >= sizeof(text) ||
	    !isdigit((unsigned char)w.text[0]))
		return false;
	memcpy(text, w.text, w.len);
	text[w.len] = '\0';
	if (parse_size(text, &value))
		return false;
	*n = (int64_t)value;
	*size = !isdigit((unsigned char)text[w.len - 1]);
	return true;
}

bool scan_number(struct scan *s, int64_t *n, bool *size)
{
	const char *from;

	skip_blanks(s);
	from = s->at;
	if (word_number(take(s, ""), n, size))
		return true;
	s->at = from;
	return false;
}

void scan_wrong(struct scan *s)
{
	bench_fail_cases(s->b, "a text cannot be read at: ", s->at);
	s->at += strlen(s->at);
}

void scan_need(struct scan *s, const char *token)
{
	if (!scan_is(s, token))
		scan_wrong(s);
}

bool word_is(struct word w, const char *text)
{
	return strlen(text) == w.len && !memcmp(text, w.text, w.len);
}

const char *word_keep(struct word w)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct kept {
		struct kept *next;
		char text[];
	} * all;
	struct kept *k;

	pthread_mutex_lock(&lock);
	for (k = all; k && !word_is(w, k->text); k = k->next)
		continue;
	if (!k) {
		k = text_alloc(1, sizeof(*k) + w.len + 1);
		memcpy(k->text, w.text, w.len);
		k->next = all;
		all = k;
	}
	pthread_mutex_unlock(&lock);
	return k->text;
}

static const struct bench_param *param_of(const struct bench_case *c,
					  struct word axis)
{
	for (const struct bench_param *p = c ? c->params : NULL; p && p->axis;
	     p++)
		if (word_is(axis, p->axis))
			return p;
	return NULL;
}

static const struct bench_param *find(const struct bench_case *c,
				      const char *axis)
{
	return param_of(c, word_of(axis));
}

static bool is_value(const struct bench_param *p, struct word w)
{
	int64_t n;
	bool size;

	if (p->kind == BENCH_STR)
		return word_is(w, p->text);
	return word_number(w, &n, &size) && n == p->number;
}

/* Whether @p has the value @want, which may be a number as a word. */
static bool same(const struct bench_param *p, const struct bench_param *want)
{
	if (want->kind == BENCH_STR)
		return is_value(p, word_of(want->text));
	return p->kind != BENCH_STR && p->number == want->number;
}

/* Whether @p is the value, or one of the "$values", that come next. */
static bool match_value(struct scan *s, const struct bench_param *p)
{
	const struct points_set *set;
	struct word w;
	bool found = false;

	if (scan_is(s, "$")) {
		set = points_find(s);
		for (size_t i = 0; set && p && i < set->n; i++)
			found |= same(p, &set->value[i]);
		return found;
	}
	w = scan_word(s);
	return p && is_value(p, w);
}

static bool match_values(struct scan *s, const struct bench_param *p)
{
	bool found = false;

	if (!scan_is(s, "{"))
		return match_value(s, p);
	do
		found |= match_value(s, p);
	while (scan_is(s, ","));
	scan_need(s, "}");
	return found;
}

/* "size>8", "via!={pipe,unix}", "asked". */
static bool term_holds(struct scan *s, const struct bench_case *c)
{
	const bool negated = scan_is(s, "!");
	const struct word axis = scan_name(s);
	const struct bench_param *p = param_of(c, axis);
	int64_t n = 0;
	bool size, less;

	if (!axis.len)
		scan_wrong(s);
	if (scan_is(s, "!="))
		return !match_values(s, p);
	if (scan_is(s, "="))
		return match_values(s, p);
	less = scan_is(s, "<");
	if (less || scan_is(s, ">")) {
		if (!scan_number(s, &n, &size))
			scan_wrong(s);
		return p && p->kind != BENCH_STR &&
		       (less ? p->number < n : p->number > n);
	}
	return negated != (word_is(axis, "asked") ? c && c->asked : p != NULL);
}

bool scan_where(struct scan *s, const struct bench_case *c)
{
	bool all = true;

	do {
		all &= term_holds(s, c);
		skip_blanks(s);
	} while (*s->at && *s->at != ';');
	return all;
}

/* A word, or the first of "$values". */
static struct bench_param read_value(struct scan *s)
{
	const struct points_set *set;

	if (!scan_is(s, "$"))
		return (struct bench_param) { .kind = BENCH_STR,
					      .text = word_keep(scan_word(s)) };
	set = points_find(s);
	return set && set->n ? *set->value : (struct bench_param) { 0 };
}

/* The case @c with the changes at @s, which goes to their end. */
static struct bench_case changed(struct scan *s, const struct bench_case *c)
{
	struct bench_case to = *c;

	for (;;) {
		const bool none = scan_is(s, "!");
		const struct word axis = scan_name(s);
		struct bench_param *p = to.params;

		if (!axis.len)
			return to;
		while (p->axis && !word_is(axis, p->axis))
			p++;
		if (none) {
			for (; p->axis; p++)
				*p = p[1];
		} else if (p == to.params + BENCH_MAX_PARAMS) {
			scan_wrong(s);
		} else {
			scan_need(s, "=");
			*p = read_value(s);
			p->axis = word_keep(axis);
		}
	}
}

const struct bench_case *scan_beside(struct scan *s, const struct bench_case *c)
{
	const struct bench_case to = changed(s, c);

	EACH_RUN (s->b, run) {
		const struct bench_param *p = run->c.params, *want;

		while (p->axis && (want = find(&to, p->axis)) && same(p, want))
			p++;
		if (!p->axis && !to.params[p - run->c.params].axis)
			return &run->c;
	}
	return NULL;
}

const struct bench_case *bench_beside(const struct bench *b,
				      const struct bench_case *c,
				      const char *changes)
{
	struct scan s = { (struct bench *)b, changes };

	return scan_beside(&s, c);
}

const struct bench_case *bench_next(const struct bench *b,
				    const struct bench_case *after,
				    const char *where)
{
	for (size_t i = after ? after->id + 1 : 0; i < b->n_runs; i++) {
		struct scan s = { (struct bench *)b, where };

		if (scan_where(&s, &b->runs[i]->c))
			return &b->runs[i]->c;
	}
	return NULL;
}

static const struct bench_param *need(const struct bench_case *c,
				      const char *axis)
{
	const struct bench_param *p = find(c, axis);

	if (!p)
		die(EXIT_FAIL, "case %s has no %s", c->name, axis);
	return p;
}

int64_t case_int(const struct bench_case *c, const char *axis)
{
	return need(c, axis)->number;
}

const char *case_str(const struct bench_case *c, const char *axis)
{
	const struct bench_param *p = find(c, axis);

	return p ? p->text : NULL;
}

bool case_has(const struct bench_case *c, const char *axis)
{
	return find(c, axis);
}

bool case_is(const struct bench_case *c, const char *axis, const char *value)
{
	const struct bench_param *p = find(c, axis);

	return p && is_value(p, word_of(value));
}

/* Whether @c has @term of a pattern: "via=*", "size=2048" for "size=2K". */
static bool has_term(const struct bench_case *c, const char *term)
{
	const size_t axis = strcspn(term, "=");
	char names[CASE_NAME], *rest = names, *name;

	snprintf(names, sizeof(names), "%s", c->name);
	for (const struct bench_param *p = c->params;
	     p->axis && (name = strsep(&rest, ",")); p++)
		if (!fnmatch(term, name, 0) ||
		    (term[axis] && p->kind != BENCH_STR &&
		     word_is((struct word) { term, axis }, p->axis) &&
		     is_value(p, word_of(term + axis + 1))))
			return true;
	return false;
}

bool case_matches(const struct bench_case *c, const char *glob, bool *whole)
{
	char copy[CASE_NAME], *rest = copy, *term;
	const struct bench_param *p = c->params;
	bool all =
		(size_t)snprintf(copy, sizeof(copy), "%s", glob) < sizeof(copy);

	while (all && (term = strsep(&rest, ","))) {
		all = has_term(c, term);
		p += p->axis != NULL;
	}
	*whole = all && !p->axis && !strpbrk(glob, "*?[");
	return all || !fnmatch(glob, c->name, 0);
}

size_t case_nth(const struct bench_case *c, const char *axis, const void *names,
		size_t stride, size_t n)
{
	const char *text = need(c, axis)->text;

	for (size_t i = 0; i < n; i++) {
		const char *const *name =
			(const void *)((const char *)names + i * stride);

		if (text && *name && !strcmp(*name, text))
			return i;
	}
	die(EXIT_FAIL, "case %s: no such %s", c->name, axis);
}

static struct points_set *new_set(struct bench *b, const char *name, size_t n)
{
	struct points_set *set = text_alloc(1, sizeof(*set));

	*set = (struct points_set) { .name = name,
				     .value =
					     text_alloc(n, sizeof(*set->value)),
				     .n = n,
				     .next = b->sets };
	b->sets = set;
	return set;
}

void bench_set_numbers(struct bench *b, const char *name, int kind,
		       const int64_t *value, size_t n)
{
	struct points_set *set = new_set(b, name, n);

	for (size_t i = 0; i < n; i++)
		set->value[i] = (struct bench_param) { .kind = kind,
						       .number = value[i] };
}

void bench_set_names(struct bench *b, const char *name, const void *names,
		     size_t stride, size_t n)
{
	struct points_set *set = new_set(b, name, n);

	for (size_t i = 0; i < n; i++)
		set->value[i] = (struct bench_param) {
			.kind = BENCH_STR,
			.text = *(const char *const *)((const char *)names +
						       i * stride)
		};
}

void bench_need(struct bench *b, const char *name, const char *why)
{
	new_set(b, name, 0)->lacks = why;
}

const struct points_set *points_find(struct scan *s)
{
	static struct bench_param page_value = { .kind = BENCH_STR };
	static struct points_set page = { .name = "page",
					  .value = &page_value,
					  .n = 1 };
	const struct word w = scan_name(s);
	const struct points_set *set = s->b->sets;

	while (set && !word_is(w, set->name))
		set = set->next;
	if (!set && word_is(w, "page")) {
		page_value.text = bench_page_name();
		page_value.number = (int64_t)bench_page_bytes();
		set = &page;
	}
	if (!set)
		scan_wrong(s);
	return set;
}

void points_close(struct bench *b)
{
	while (b->sets) {
		struct points_set *set = b->sets;

		b->sets = set->next;
		free(set->value);
		free(set);
	}
}
