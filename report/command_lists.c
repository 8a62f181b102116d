/* SPDX-License-Identifier: MIT */
/* Lists that run-all asks for about a run, separated by tabs. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "commands.h"
#include "due.h"
#include "err.h"
#include "load.h"
#include "text.h"

struct of_section {
	const struct run *run;
	const struct section *s;
};

static double half_after(const void *arg, unsigned int rounds)
{
	const struct of_section *of = arg;

	return rounds_half(of->run, of->s, rounds);
}

static struct due_rule rule_of(const struct settings *set)
{
	return (struct due_rule) {
		command_share(set->goal, -1),
		set->left < UINT32_MAX ? (double)set->left / 1e3 : INFINITY,
		(unsigned int)set->first,
		(unsigned int)set->least,
		(unsigned int)set->most,
	};
}

/* The programs of the next round, one a line. */
static int list_due(const struct settings *set, struct run *run)
{
	const struct due_rule rule = rule_of(set);
	struct due_program *p = text_alloc(run->nsections, sizeof(*p));
	unsigned int round = 0;

	notes_warn(run->notes);
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		p[i] = (struct due_program) { .rounds = s->rounds,
					      .last = s->last,
					      .seconds = s->seconds };
		due_look(&p[i], &rule, half_after,
			 &(struct of_section) { run, s });
		if (round < s->last)
			round = s->last;
	}
	due_choose(p, run->nsections, &rule, round + 1);
	for (size_t i = 0; i < run->nsections; i++)
		if (p[i].due) {
			text_plain(stdout, run->sections[i].program);
			putchar('\n');
		}
	return EXIT_OK;
}

int command_due(const struct settings *set, char **names)
{
	if (!(rule_of(set).goal > 0)) {
		warn("--goal: a number of percent, more than 0");
		return EXIT_USAGE;
	}
	return command_with_run(set, names[0], !set->all, list_due);
}

static void put_failed(const char *program, const char *name,
		       const char *reason)
{
	text_plain(stdout, program);
	putchar('\t');
	text_plain(stdout, name);
	putchar('\t');
	text_plain(stdout, reason ? reason : "no reason was given");
	putchar('\n');
}

/* Why the program of @s gave nothing. */
static const char *trouble_of(const struct run *run, const struct section *s)
{
	for (size_t i = 0; i < run->ntroubles; i++)
		if (!strcmp(run->troubles[i].program, s->program))
			return run->troubles[i].reason;
	return NULL;
}

/* "program<TAB>case<TAB>reason"; no case of a program that gave nothing. */
static int list_failed(const struct settings *set, struct run *run)
{
	int code = EXIT_OK;

	notes_warn(run->notes);
	for (size_t i = 0; i < run->nsections; i++) {
		const struct section *s = &run->sections[i];

		for (size_t j = 0; j < s->n; j++) {
			const struct result *r = &run->rows[s->rows[j]].all;

			if (r->status != RESULT_FAILED)
				continue;
			put_failed(s->program, r->name, r->reason);
			code = EXIT_FAIL;
		}
		if (rounds_gave_up(run, s)) {
			put_failed(s->program, "", trouble_of(run, s));
			code = EXIT_FAIL;
		}
	}
	return code;
}

int command_failed(const struct settings *set, char **names)
{
	return command_with_run(set, names[0], false, list_failed);
}
