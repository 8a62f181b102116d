/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "leaks.h"
#include "sections.h"
#include "tap.h"

/* Commands made of recorded command lines; NULL: no command. */
static const struct {
	const char *recorded, *want;
} runs[] = {
	{ "scripts/run-all", "oscost run" },
	{ "scripts/run-all --profile quick", "oscost run --profile quick" },
	{ "/usr/bin/oscost-run-all --seed 7", "oscost run --seed 7" },
	{ "scripts/run-all --bin build/bin --only mem_\\* --out x --cpu 3",
	  "oscost run --only mem_\\* --cpu 3" },
	{ "/tmp/evil/run-all --bin /tmp/evil --resume /root --precision 2.5",
	  "oscost run --precision 2.5" },
	{ "run-all --dir /mnt/a", "oscost run --dir /mnt/a" },
	{ "run-all --dir /mnt/a\\ b", NULL },
	{ "", NULL },
	{ "rm -rf /", NULL },
	{ "rm", NULL },
	{ "scripts/run-all-evil", NULL },
	{ "scripts/run-all; touch owned", NULL },
	{ "scripts/run-all\ntouch owned", NULL },
	{ "scripts/run-all $(touch owned)", NULL },
	{ "scripts/run-all `touch owned`", NULL },
	{ "scripts/run-all --only \\$\\(touch\\ owned\\)", NULL },
	{ "scripts/run-all --only 'a b'", NULL },
	{ "scripts/run-all --seed 1 | sh", NULL },
	{ "scripts/run-all --suite /tmp/evil.tsv", NULL },
	{ "scripts/run-all --prio 5 --evil x", NULL },
	{ "scripts/run-all --prio", NULL },
	{ "scripts/run-all --only --suite --cpu 3", NULL },
	{ "scripts/run-all --dir /mnt\\\n", NULL },
	{ "scripts/run-all --dir \\\x1b[31m", NULL },
};

static void repeats_runs(void)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		const char *got = again_run(runs[i].recorded);

		OK(!got == !runs[i].want &&
			   (!got || !strcmp(got, runs[i].want)),
		   runs[i].want ? runs[i].want : "no command");
	}
}

static void word_is(const char *text, const char *want)
{
	const char *got = again_word(text);

	OK(!got == !want && (!got || !strcmp(got, want)),
	   want ? want : "no word");
}

int main(void)
{
	repeats_runs();
	word_is("results/vm-20261123T022047Z", "results/vm-20261123T022047Z");
	word_is("", "''");
	word_is("a b", "'a b'");
	word_is("it's $(touch owned)", "'it'\\''s $(touch owned)'");
	word_is("a;b", "'a;b'");
	word_is("a\nb", NULL);
	word_is("\x1b[31m", NULL);
	return tap_done();
}
