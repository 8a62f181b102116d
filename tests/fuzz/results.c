/* SPDX-License-Identifier: MIT */
/* A results directory, as report make and summary read it, with a few rows.tsv.
 */
#include "fuzz.h"

#include "commands.h"
#include "leaks.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_begin();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"invocations.jsonl",  "run.json",
		"machine.json",	      "about.json",
		"noise.jsonl",	      "predictions.ini",
		"plots/topology.svg", "bench/cpu/rows.tsv",
		"peer.json",	      NULL,
	};

	const struct settings set = { .root = fuzz_dir, .no_plots = true };

	fuzz_unpack(data, size, names);
	command_with_run(&set, fuzz_dir, false, run_make);
	command_with_run(&set, fuzz_dir, false, run_show);
	return 0;
}
