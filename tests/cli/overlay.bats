#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# File systems that lie on others, as a container's does: what is written goes
# where the kernel keeps it, whatever the name of the file system.

setup() {
	load ../helpers
	calmly
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir low over up
	on none true
	((status == 0)) || skip "no overlay may be mounted here"
}

# Beside other work all samples of a row may have waited for a CPU.
measured='(.status == "ok" or (.reason | startswith("excluded: ")))'

# on UPPER COMMAND...: run it where over/ is an overlay whose upper layer lies
# on the same disk (disk) or in memory (tmpfs).
on() {
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr "${calm[@]}" unshare -m bash -ec '
		[[ $1 != tmpfs ]] || mount -t tmpfs none up
		mkdir up/upper up/work
		mount -t overlay -o "lowerdir=low,upperdir=$PWD/up/upper,workdir=up/work" none over
		shift
		"$@"
		[[ -z $(ls -A over) ]]' bash "$@"
	rm -rf up/*
}

@test "an overlay on a disk: each row is measured, and what is cached is known" {
	[[ $(stat -fc %T .) != @(tmpfs|ramfs) ]] || skip "the tests run in memory"
	on disk "$BIN/file_read" "${QUICK[@]}" --json --dir over --case 'cache=*,size=4M'
	((status == 0))
	rows 'length == 6 and all('"$measured"' and
		.evidence.place == "overlay, device below not known") and
		(map(select(.params.cache == "warm")) |
			all(.evidence.bytes_cached.seen == 4194304)) and
		(map(select(.params.cache == "cold" and .params.order == "random")) |
			all(.evidence.uncached_before | .seen == .expected))'
	on disk "$BIN/file_write" "${QUICK[@]}" --json --dir over --case 'by=*,order=random'
	((status == 0))
	rows 'all('"$measured"')'
}

@test "what of a file is cached is seen through an overlay" {
	[[ -x ${BIN%/*}/unit/test_file_data ]] || skip "no unit tests there"
	# shellcheck disable=SC2016 # expands in the new shell
	on disk bash -ec 'cd over; "$0"' "${BIN%/*}/unit/test_file_data"
	((status == 0))
}

@test "an overlay in memory is memory, whatever it is called" {
	on tmpfs "$BIN/file_write" "${QUICK[@]}" --json --dir over --case 'by=*,order=random'
	((status == 0))
	rows 'length == 6 and all((.params.by == "cached") == (.status != "skipped")) and
		(map(select(.status == "skipped")) | all(.reason | test("memory")))'
	on tmpfs "$BIN/file_ops" "${QUICK[@]}" --json --dir over --case 'op=fsync*'
	((status == 77))
	rows 'all(.status == "skipped" and (.reason | test("which is memory")))'
	on tmpfs "$BIN/file_cache" "${QUICK[@]}" --json --dir over
	((status == 77))
	on tmpfs "$BIN/page_fault" "${QUICK[@]}" --json --dir over --case fault=major
	((status == 77))
}
