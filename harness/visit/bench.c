/* SPDX-License-Identifier: MIT */
/* The services of bench.h. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "file_place.h"
#include "guard.h"
#include "invocation.h"
#include "mem.h"
#include "random.h"
#include "units.h"

#define CACHE_LINE 64

struct case_run *bench_case_of(const struct bench *b,
			       const struct bench_case *c)
{
	return c && c->id < b->n_runs ? b->runs[c->id] : NULL;
}

/* Append "axis=value" of every param to @run's name and params. */
static int name_case(struct case_run *run)
{
	char name[256] = "";
	size_t len = 0;

	run->params = json_object();
	for (const struct bench_param *p = run->c.params; p->axis; p++) {
		char number[UNITS_MAX];
		const char *text = number;
		json_t *v;

		if (p->kind == BENCH_STR)
			text = p->text;
		else if (p->kind == BENCH_SIZE)
			units_size(number, (uint64_t)p->number);
		else
			snprintf(number, sizeof(number), "%lld",
				 (long long)p->number);
		len += (size_t)snprintf(name + len, sizeof(name) - len,
					"%s%s=%s", len ? "," : "", p->axis,
					text);
		if (len >= sizeof(name))
			return -ENAMETOOLONG;
		v = p->kind == BENCH_STR ? json_string(text)
					 : json_integer(p->number);
		if (json_object_set_new(run->params, p->axis, v))
			return -ENOMEM;
	}
	run->name = strdup(name);
	return run->name ? 0 : -ENOMEM;
}

void bench_fail_cases(struct bench *b, const char *why, const char *name)
{
	if (!b->usage_error)
		snprintf(b->why, sizeof(b->why), "cases(): %s%s", why, name);
	b->usage_error = true;
}

/* Why a case with a partner there cannot be measured here; or NULL. */
static const char *cannot_place(const struct bench *b, enum bench_place place)
{
	static const char *const why[] = {
		[BENCH_SAME_CORE] =
			"no second hardware thread of this core to use",
		[BENCH_SAME_PACKAGE] = "no other core of this package to use",
		[BENCH_OTHER_PACKAGE] = "no CPU of another package to use",
		[BENCH_ANY_OTHER] = "needs a second CPU",
	};

	return place == BENCH_SAME_CPU || bench_partner(b, place) >= 0
		       ? NULL
		       : why[place];
}

void *bench_new_data(struct bench *b)
{
	const size_t size = (b->desc->case_state_size + CACHE_LINE - 1) /
			    CACHE_LINE * CACHE_LINE;
	void *data = size ? aligned_alloc(CACHE_LINE, size) : NULL;

	if (data)
		memset(data, 0, size);
	else if (size)
		bench_fail_cases(b, "no memory", "");
	return data;
}

const struct bench_case *bench_add_point(struct bench *b,
					 const struct bench_case *c)
{
	static const struct bench_case nothing;
	struct case_run *run = calloc(1, sizeof(*run));
	struct case_run **runs =
		realloc(b->runs, (b->n_runs + 1) * sizeof(struct case_run *));
	const char *skip = c->skip ? c->skip : cannot_place(b, c->place);

	if (runs)
		b->runs = runs;
	if (!run || !runs) {
		free(run);
		free(c->data);
		bench_fail_cases(b, "no memory", "");
		return &nothing;
	}
	run->c = *c;
	run->c.switches |= b->desc->switches;
	run->c.id = b->n_runs;
	run->cold = run->derived = run->expected = NAN;
	run->derived_resolution = run->derived_low = run->derived_high = NAN;
	b->runs[b->n_runs++] = run;
	if (!c->params[0].axis || name_case(run)) {
		bench_fail_cases(b, "a case that cannot be named", "");
		run->name = run->name ? run->name : strdup("?");
	}
	run->c.name = run->name;
	for (size_t i = 0; i + 1 < b->n_runs; i++)
		if (!strcmp(b->runs[i]->name, run->name))
			bench_fail_cases(b, "twice the same case ", run->name);
	if (skip) {
		run->state = CASE_SKIPPED;
		snprintf(run->why, sizeof(run->why), "%s", skip);
	}
	return &run->c;
}

const struct bench_case *bench_add(struct bench *b, const struct bench_case *c)
{
	struct bench_case own = *c;

	own.data = bench_new_data(b);
	own.axes = NULL;
	return bench_add_point(b, &own);
}

void bench_derived_from(struct bench *b, const struct bench_case *c,
			const struct bench_case *source)
{
	struct case_run *run = bench_case_of(b, c);
	struct case_run *from = bench_case_of(b, source);
	struct case_run **more;

	if (!run || !from)
		return;
	more = realloc(run->sources,
		       (run->n_sources + 1) * sizeof(struct case_run *));
	if (!more) {
		bench_fail_cases(b, "no memory", "");
		return;
	}
	run->sources = more;
	more[run->n_sources++] = from;
}

/* The first message wins, of the case at hand or of the program. */
__attribute__((format(printf, 4, 0))) static void
say_why(struct bench *b, int err, bool skip, const char *fmt, va_list ap)
{
	char *why = b->current ? b->current->why : b->why;
	const size_t size = sizeof(b->why);
	size_t len;

	if (why[0])
		return;
	vsnprintf(why, size, fmt, ap);
	len = strlen(why);
	if (err)
		snprintf(why + len, size - len, ": %s", strerror(err));
	if (b->current)
		b->current->state = skip ? CASE_SKIPPED : CASE_FAILED;
	else
		b->skip_all = skip;
}

/* What this place does not have or allow is no defect. */
static bool is_limit(const struct bench *b, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
	case ENOSYS:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case ENETDOWN:
	case ENETUNREACH:
	case EADDRNOTAVAIL:
	case EAFNOSUPPORT:
		return true;
	default:
		return err && err == b->unpinned;
	}
}

int bench_fail(struct bench *b, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_why(b, err, is_limit(b, err), fmt, ap);
	va_end(ap);
	return err > 0 ? -err : -EIO;
}

int bench_skip(struct bench *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_why(b, 0, true, fmt, ap);
	va_end(ap);
	return -ENOTSUP;
}

bool bench_stopping(const struct bench *b)
{
	return invocation_stop;
}

/* A disturbance of the event at hand is one of all that it has samples for. */
static void note_fed(struct bench *b, struct case_run *run)
{
	for (unsigned int i = 0; i < b->n_fed; i++)
		if (b->fed[i] == run)
			return;
	if (run == b->current || b->n_fed == MAX_FED)
		return;
	run->kept = run->events.n;
	b->fed[b->n_fed++] = run;
}

static void keep(struct bench *b, struct case_run *run, double x, bool own_unit)
{
	evidence_touch(b, run);
	if (!isfinite(x)) {
		bench_fail(b, 0, "recorded a sample that is not a number");
		return;
	}
	run->own_unit = own_unit;
	if (b->phase == PHASE_COLD && isnan(run->cold))
		run->cold = x;
	if (b->phase != PHASE_SAMPLE)
		return;
	note_fed(b, run);
	if (sample_push(&run->events, x))
		bench_fail(b, ENOMEM, "samples of %s", run->name);
}

void bench_record(struct bench *b, const struct bench_case *c, uint64_t ticks)
{
	struct case_run *run = bench_case_of(b, c);

	if (run)
		keep(b, run, (double)ticks, false);
}

void bench_record_value(struct bench *b, const struct bench_case *c,
			double value)
{
	struct case_run *run = bench_case_of(b, c);

	if (run)
		keep(b, run, value, true);
}

void bench_derive(struct bench *b, const struct bench_case *c, double value)
{
	struct case_run *run = bench_case_of(b, c);

	if (run)
		run->derived = value;
}

void bench_derive_within(struct bench *b, const struct bench_case *c,
			 double value, double resolution)
{
	struct case_run *run = bench_case_of(b, c);

	if (!run)
		return;
	run->derived = value;
	run->derived_resolution = resolution;
}

void bench_derive_between(struct bench *b, const struct bench_case *c,
			  double value, double low, double high)
{
	struct case_run *run = bench_case_of(b, c);

	if (!run)
		return;
	run->derived = value;
	run->derived_low = low;
	run->derived_high = high;
}

void bench_derive_skip(struct bench *b, const struct bench_case *c,
		       const char *fmt, ...)
{
	struct case_run *run = bench_case_of(b, c);
	va_list ap;

	if (!run || run->state != CASE_ASKED)
		return;
	run->state = CASE_SKIPPED;
	run->dropped = true;
	va_start(ap, fmt);
	vsnprintf(run->why, sizeof(run->why), fmt, ap);
	va_end(ap);
}

double bench_value(const struct bench *b, const struct bench_case *c)
{
	const struct case_run *run = bench_case_of(b, c);

	return run ? rows_headline(b, run) : NAN;
}

const struct bench_case *bench_find(const struct bench *b, const char *name,
				    ...)
{
	char text[256];
	va_list ap;

	va_start(ap, name);
	vsnprintf(text, sizeof(text), name, ap);
	va_end(ap);
	for (size_t i = 0; i < b->n_runs; i++)
		if (!strcmp(b->runs[i]->name, text))
			return &b->runs[i]->c;
	return NULL;
}

bool bench_selected(const struct bench *b, const struct bench_case *c)
{
	const struct case_run *run = bench_case_of(b, c);

	/* What --case left out is still run for a derived case that may need
	 * it; but a derived case that was left out is needed by nobody. */
	return run && run->state == CASE_ASKED &&
	       !(run->hidden && run->c.derived);
}

void bench_expect(struct bench *b, const struct bench_case *c, double value)
{
	struct case_run *run = bench_case_of(b, c);

	if (run)
		run->expected = value;
}

static void keep_fact(struct bench *b, const struct bench_case *c,
		      const char *what, double value, const char *text)
{
	struct case_run *run = bench_case_of(b, c);
	struct fact *f = NULL;

	if (!run)
		return;
	for (size_t i = 0; i < run->n_facts && !f; i++)
		if (!strcmp(run->facts[i].what, what))
			f = &run->facts[i];
	if (!f) {
		struct fact *more =
			realloc(run->facts, (run->n_facts + 1) * sizeof(*more));

		if (!more)
			return; /* a fact less, and no number wrong */
		run->facts = more;
		f = &more[run->n_facts++];
		*f = (struct fact) { .what = what };
	}
	free(f->text);
	f->text = text ? strdup(text) : NULL;
	f->value = value;
}

void bench_fact(struct bench *b, const struct bench_case *c, const char *what,
		double value)
{
	keep_fact(b, c, what, value, NULL);
}

void bench_fact_text(struct bench *b, const struct bench_case *c,
		     const char *what, const char *text)
{
	keep_fact(b, c, what, NAN, text);
}

const struct timer *bench_timer(const struct bench *b)
{
	return &b->timer;
}

double bench_ns(const struct bench *b, double ticks)
{
	return timer_ns(&b->timer, ticks - b->timer.overhead_ticks);
}

uint64_t bench_seed(const struct bench *b)
{
	return b->seed;
}

uint64_t bench_random(struct bench *b)
{
	return random_next(&b->rng);
}

bool bench_is_sample(const struct bench *b)
{
	return b->phase == PHASE_SAMPLE;
}

double bench_effort(const struct bench *b)
{
	return b->effort;
}

double bench_time_ns(const struct bench *b)
{
	return b->current ? b->current->time_ns : b->time_ns;
}

void *bench_first(const struct bench *b)
{
	return b->first;
}

int bench_cpu(const struct bench *b)
{
	return b->cpu;
}

int bench_partner(const struct bench *b, enum bench_place place)
{
	return topo_partner(b->topo, b->cpu, place);
}

enum bench_distance bench_distance(const struct bench *b, int a, int c)
{
	return topo_distance(b->topo, a, c);
}

unsigned int bench_cpus(const struct bench *b)
{
	return (unsigned int)topo_cpus(b->topo, NULL, 0);
}

int bench_unbind(const struct bench *b)
{
	const size_t n = bench_cpus(b);
	int *cpus = calloc(n + 1, sizeof(*cpus)), err = -ENOMEM;

	if (cpus)
		err = bench_bind(0, cpus, topo_cpus(b->topo, cpus, n));
	free(cpus);
	return err;
}

int bench_nth_cpu(const struct bench *b, unsigned int nth)
{
	size_t n = bench_cpus(b);
	int *cpus, found = -ERANGE;

	if (nth >= n)
		return -ERANGE;
	if (nth == 0)
		return b->cpu;
	cpus = calloc(n, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	topo_cpus(b->topo, cpus, n);
	for (size_t i = 0; i < n; i++)
		if (cpus[i] != b->cpu && --nth == 0) {
			found = cpus[i];
			break;
		}
	free(cpus);
	return found;
}

uint64_t bench_spare_bytes(const struct bench *b)
{
	static _Atomic uint64_t bytes;

	if (!bytes)
		bytes = mem_spare_bytes();
	return bytes;
}

uint64_t bench_cache_bytes(const struct bench *b, unsigned int level)
{
	return topo_cache_bytes(b->topo, b->cpu, level);
}

uint64_t bench_caches_bytes(const struct bench *b, const int *cpus, size_t n,
			    unsigned int level)
{
	return topo_caches_bytes(b->topo, cpus, n, level);
}

uint64_t bench_cache_share(const struct bench *b, const int *cpus, size_t n,
			   unsigned int level)
{
	return topo_cache_share(b->topo, cpus, n, level);
}

/* Files that lie elsewhere than where the user is: he may not expect it. */
static void tell_where(const struct bench *b)
{
	char here[sizeof(b->scratch)];
	struct file_place p = { 0 };
	int fd;

	if (b->dir || !b->first_process ||
	    (getcwd(here, sizeof(here)) &&
	     !strncmp(b->scratch, here, strlen(here))))
		return;
	fd = open(b->scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_place_find(&p, fd);
	warn("no file can be made in the current directory: test files go to "
	     "%s (%s); --dir says where",
	     b->scratch, p.where);
	if (fd >= 0)
		close(fd);
}

const char *bench_scratch(struct bench *b)
{
	int err;

	if (b->scratch[0])
		return b->scratch;
	err = guard_scratch(b->dir, b->desc->name, b->scratch,
			    sizeof(b->scratch));
	if (err) {
		b->scratch[0] = '\0';
		bench_fail(b, -err, "make a directory for test files in %s",
			   b->dir ? b->dir : ".");
		return NULL;
	}
	guard_add(b->guard_fd, "dir", b->scratch);
	tell_where(b);
	return b->scratch;
}

bool bench_files_stay(const struct bench *b)
{
	return b->dir && guard_marked(b->dir, BENCH_FILES_MARK);
}

const char *bench_files(struct bench *b)
{
	return bench_files_stay(b) ? b->dir : bench_scratch(b);
}

size_t bench_page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

const char *bench_page_name(void)
{
	static char name[UNITS_MAX];

	return units_size(name, bench_page_bytes());
}

void bench_guard(struct bench *b, const char *kind, const char *what)
{
	guard_add(b->guard_fd, kind, what);
}

void bench_say(struct bench *b, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	warn("%s", line);
}
