#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# scripts/lmbench with the real programs.

load ../helpers

setup() {
	calmly
	cd "$BATS_TEST_TMPDIR" || return
	lmbench=$ROOT/scripts/lmbench
}

@test "the real programs: a line differs from the row by its definition only" {
	local pattern rest measured=0

	while IFS='|' read -r pattern rest; do
		# On a busy machine a cost may be too small to measure, or another task may
		# have the CPU in all samples, which is said.
		# shellcheck disable=SC2086 # words
		try '0|1|77' "$lmbench" --bin "$BIN" --effort 10 $rest
		if ((status)); then
			[[ $stderr == *@(below_resolution|'something else was in all of it')* ]]
			continue
		fi
		grep -qxE "$pattern" <<<"$stderr"
		[[ ${stderr_lines[0]} == *[1-9]* ]]
		measured=$((measured + 1))
	done <<-'END'
		Simple read: [0-9]+\.[0-9]{4} microseconds|lat_syscall -P 1 read
		2 [0-9]+\.[0-9]{2}|lat_ctx -s 0 2
		Pipe latency: [0-9]+\.[0-9]{4} microseconds|lat_pipe
		Signal handler overhead: [0-9]+\.[0-9]{4} microseconds|lat_sig catch
		TCP latency using localhost: [0-9]+\.[0-9]{4} microseconds|lat_tcp localhost
		0\.016384 [0-9]+\.[0-9]{2}|bw_mem 16k frd
		0\.131072 [0-9]+\.[0-9]{2}|bw_mem 128k fcp
		5 [0-9]+\.[0-9]{2}|lat_ctx -s 1 5
		Select on 33 fd's: [0-9]+\.[0-9]{4} microseconds|lat_select -n 33 file
		0\.000777 [0-9]+\.[0-9]{2} MB/sec|bw_tcp -m 777 localhost
		1\.05 [0-9]+\.[0-9]{2}|bw_file_rd 1m open2close f
	END
	((measured > 5))
}
