/* SPDX-License-Identifier: MIT */
/* A rows.tsv, as report reads it: for a run that is sound. */
#include "fuzz.h"

#include "commands.h"
#include "leaks.h"

#define SOUND "tests/fixtures/results/small/"

static char run[PATH_MAX + 8];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_begin();
	fuzz_copy(SOUND "invocations.jsonl", "run/invocations.jsonl");
	fuzz_copy(SOUND "run.json", "run/run.json");
	snprintf(run, sizeof(run), "%s/run", fuzz_dir);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "bench/cpu/rows.tsv", NULL };
	const struct settings set = { .root = fuzz_dir, .no_plots = true };
	char *dirs[] = { run, NULL };

	fuzz_unpack(data, size, names);
	command_with_run(&set, dirs[0], false, run_make);
	command_coursework(&set, dirs);
	command_predictions(&set, dirs + 1);
	return 0;
}
