/* SPDX-License-Identifier: MIT */
/* Words and terms of the texts of cases, and cases found by them. */
#include "scan.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "program.h"
#include "units.h"

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

bool scan_more(struct scan *s)
{
	struct scan ahead = *s;

	skip_blanks(s);
	return *s->at && !strchr(";]", *s->at) && !scan_is(&ahead, "if");
}

/* The next @len bytes as a string that lives as long as the program. */
static const char *take(struct scan *s, size_t len)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct kept {
		struct kept *next;
		char text[];
	} * all;
	struct kept *k;

	pthread_mutex_lock(&lock);
	for (k = all; k; k = k->next)
		if (strlen(k->text) == len && !memcmp(k->text, s->at, len))
			break;
	if (!k) {
		k = text_alloc(1, sizeof(*k) + len + 1);
		memcpy(k->text, s->at, len);
		k->next = all;
		all = k;
	}
	pthread_mutex_unlock(&lock);
	s->at += len;
	return k->text;
}

/* Letters, digits and @marks, but no two dots. */
static const char *take_word(struct scan *s, const char *marks)
{
	size_t n = 0;

	skip_blanks(s);
	while (isalnum((unsigned char)s->at[n]) ||
	       (s->at[n] && strchr(marks, s->at[n]) &&
		strncmp(s->at + n, "..", 2) != 0))
		n++;
	return take(s, n);
}

const char *scan_name(struct scan *s)
{
	return take_word(s, "_");
}

const char *scan_word(struct scan *s)
{
	const bool quoted = scan_is(s, "'");
	const char *word =
		quoted ? take(s, strcspn(s->at, "'")) : take_word(s, "_-.");

	if (quoted ? !scan_is(s, "'") : !*word)
		scan_wrong(s);
	return word;
}

bool scan_number(struct scan *s, int64_t *n, bool *size)
{
	const struct scan from = *s;
	const char *text = scan_name(s);
	uint64_t value;

	if (parse_size(text, &value)) {
		*s = from;
		return false;
	}
	*n = (int64_t)value;
	if (size)
		*size |= !isdigit((unsigned char)text[strlen(text) - 1]);
	return true;
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

void terms_push(struct term *t, struct bench_param value)
{
	value.axis = t->axis;
	t->value = text_grow(t->value, t->n, sizeof(value));
	t->value[t->n++] = value;
}

/* "8", "8..64", "0..50/10", "4K..1M*4".  Return: whether it is a number. */
static bool read_range(struct scan *s, struct range *r, bool *sizes)
{
	if (!scan_number(s, &r->least, sizes))
		return false;
	r->most = r->least;
	r->step = 1;
	if (scan_is(s, "..") && !scan_number(s, &r->most, sizes))
		scan_wrong(s);
	r->times = scan_is(s, "*");
	/* That would never come to its end. */
	if ((r->times || scan_is(s, "/")) &&
	    (!scan_number(s, &r->step, NULL) || r->step < 1 + r->times ||
	     r->least < r->times)) {
		scan_wrong(s);
		r->most = r->least - 1;
	}
	return true;
}

static void read_value(struct scan *s, struct term *t)
{
	struct range r;

	if (scan_is(s, "?")) {
		if (!read_range(s, &t->open, &t->sizes))
			scan_wrong(s);
	} else if (scan_is(s, "$")) {
		const struct term *set = &points_find(s)->values;

		for (size_t i = 0; i < set->n; i++) {
			terms_push(t, set->value[i]);
			t->sizes |= set->value[i].kind == BENCH_SIZE;
		}
	} else if (read_range(s, &r, &t->sizes)) {
		for (int64_t n = r.least; n <= r.most;
		     n = r.times ? n * r.step : n + r.step)
			terms_push(t, (struct bench_param) { .number = n });
	} else {
		terms_push(t, (struct bench_param) { .kind = BENCH_STR,
						     .text = scan_word(s) });
	}
}

static void read_values(struct scan *s, struct term *t)
{
	if (scan_is(s, "{")) {
		do
			read_value(s, t);
		while (scan_is(s, ","));
		scan_need(s, "}");
	} else {
		read_value(s, t);
	}
	for (size_t i = 0; i < t->n; i++)
		if (t->value[i].kind == BENCH_INT && t->sizes)
			t->value[i].kind = BENCH_SIZE;
}

/* The next character if it is one of @marks, else 0. */
static char take_mark(struct scan *s, const char *marks)
{
	char mark = '\0';

	skip_blanks(s);
	if (*s->at && strchr(marks, *s->at))
		mark = *s->at++;
	return mark;
}

void terms_read(struct scan *s, struct terms *t, bool points)
{
	const size_t most = BENCH_MAX_PARAMS + !points;

	for (t->n = 0; scan_more(s) && t->n < most; t->n++) {
		struct term *to = &t->of[t->n];

		*to = (struct term) { .mark = take_mark(s, "^!") };
		to->axis = scan_name(s);
		/* A '!' alone is the next term's mark. */
		to->op = take_mark(s, "=<>");
		if (!to->op && scan_is(s, "!="))
			to->op = '!';
		if (!*to->axis ||
		    (points && (to->op != '=' || to->mark == '!')))
			scan_wrong(s);
		else if (to->op)
			read_values(s, to);
	}
	if (scan_more(s))
		scan_wrong(s);
}

void terms_free(struct terms *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->of[i].value);
	t->n = 0;
}

static bool is_same(const struct bench_param *p, const struct bench_param *want)
{
	char number[UNITS_MAX];

	if (p->kind != BENCH_STR)
		return want->kind != BENCH_STR && p->number == want->number;
	return !strcmp(p->text,
		       want->kind == BENCH_STR
			       ? want->text
			       : units_size(number, (uint64_t)want->number));
}

static bool is_value(const struct term *t, const struct bench_param *p,
		     const struct bench_param *v)
{
	if (t->op != '<' && t->op != '>')
		return is_same(p, v);
	return p->kind != BENCH_STR && v->kind != BENCH_STR &&
	       (t->op == '<' ? p->number < v->number : p->number > v->number);
}

static bool holds(const struct term *t, const struct bench_case *c)
{
	const struct bench_param *p = case_param(c, t->axis);
	bool found = !t->op && (p || (c->asked && !strcmp(t->axis, "asked")));

	for (size_t i = 0; p && i < t->n; i++)
		found |= is_value(t, p, &t->value[i]);
	return found != (t->mark == '!' || t->op == '!');
}

bool terms_hold(const struct terms *t, const struct bench_case *c)
{
	for (size_t i = 0; i < t->n; i++)
		if (!holds(&t->of[i], c))
			return false;
	return true;
}

/* @p of a case, which has room for what @t may add. */
static void change(struct bench_param *p, const struct term *t)
{
	while (p->axis && strcmp(p->axis, t->axis) != 0)
		p++;
	if (t->n)
		*p = t->value[0];
	else
		for (; p->axis; p++)
			*p = p[1];
}

/* Whether both have the same values, in whatever order. */
static bool are_same(const struct bench_param *a, const struct bench_case *c)
{
	const struct bench_param *p = c->params, *other;

	for (; a->axis && p->axis; a++, p++) {
		other = case_param(c, a->axis);
		if (!other || !is_same(other, a))
			return false;
	}
	return !a->axis && !p->axis;
}

const struct bench_case *terms_beside(const struct bench *b,
				      const struct terms *changes,
				      const struct bench_case *c)
{
	struct bench_param to[2 * (BENCH_MAX_PARAMS + 1)] = { 0 };

	memcpy(to, c->params, sizeof(c->params));
	for (size_t i = 0; i < changes->n; i++)
		change(to, &changes->of[i]);
	EACH_RUN (b, run)
		if (are_same(to, &run->c))
			return &run->c;
	return NULL;
}

const struct bench_case *scan_beside(struct scan *s, const struct bench_case *c)
{
	const struct bench_case *other;
	struct terms changes;

	terms_read(s, &changes, false);
	other = terms_beside(s->b, &changes, c);
	terms_free(&changes);
	return other;
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
	struct scan s = { (struct bench *)b, where };
	size_t i = after ? after->id + 1 : 0;
	struct terms t;

	terms_read(&s, &t, false);
	while (i < b->n_runs && !terms_hold(&t, &b->runs[i]->c))
		i++;
	terms_free(&t);
	return i < b->n_runs ? &b->runs[i]->c : NULL;
}

static struct points_set *new_set(struct bench *b, const char *name)
{
	struct points_set *set = text_alloc(1, sizeof(*set));

	set->name = name;
	set->next = b->sets;
	b->sets = set;
	return set;
}

void bench_set_numbers(struct bench *b, const char *name, int kind,
		       const int64_t *value, size_t n)
{
	struct term *t = &new_set(b, name)->values;

	for (size_t i = 0; i < n; i++)
		terms_push(t, (struct bench_param) { .kind = kind,
						     .number = value[i] });
}

void bench_set_names(struct bench *b, const char *name, const void *names,
		     size_t stride, size_t n)
{
	struct term *t = &new_set(b, name)->values;

	for (const char *at = names; n--; at += stride)
		terms_push(t,
			   (struct bench_param) {
				   .kind = BENCH_STR,
				   .text = *(const char *const *)(const void *)
						   at });
}

void bench_need(struct bench *b, const char *name, const char *why)
{
	new_set(b, name)->lacks = why;
}

const struct points_set *points_find(struct scan *s)
{
	static const struct points_set none;
	const char *name = scan_name(s);
	struct points_set *set = s->b->sets;

	while (set && strcmp(set->name, name) != 0)
		set = set->next;
	if (!set && !strcmp(name, "page")) {
		set = new_set(s->b, name);
		terms_push(&set->values,
			   (struct bench_param) {
				   .kind = BENCH_STR,
				   .text = bench_page_name(),
				   .number = (int64_t)bench_page_bytes() });
	}
	if (!set)
		scan_wrong(s);
	return set ? set : &none;
}

void points_close(struct bench *b)
{
	while (b->sets) {
		struct points_set *set = b->sets;

		b->sets = set->next;
		free(set->values.value);
		free(set);
	}
}
