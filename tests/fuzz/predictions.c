/* SPDX-License-Identifier: MIT */
/* A file of predictions, as report predictions checks it. */
#include "fuzz.h"

#include "commands.h"
#include "leaks.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_begin();
	/* A few operations are enough. */
	fuzz_copy("bench/cpu/rows.tsv", "bench/cpu/rows.tsv");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_write("predictions.ini", data, size);
	command_predictions(&(struct settings) { .root = fuzz_dir },
			    (char *[]) { (char *)fuzz_path("predictions.ini"),
					 NULL });
	return 0;
}
