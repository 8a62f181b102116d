/* SPDX-License-Identifier: MIT */
/* /proc/PID/stat, as monitor/ reads it. */
#include "fuzz.h"

/* Its parser is for itself alone. */
#define process_open fuzz_process_open
#define stamp_now    fuzz_stamp_now
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../monitor/process.c"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	fuzz_begin();
	return chdir(fuzz_dir); /* the path has room for /proc/PID/stat */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct process p;
	uint64_t user, system;

	fuzz_write("stat", data, size);
	snprintf(p.path, sizeof(p.path), "stat");
	read_times(&p, &user, &system);
	return 0;
}
