#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# File systems that lie on others, as a container's does: what is written goes
# where the kernel keeps it, whatever the name of the file system.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir low over up
	on none true
	((status == 0)) || skip "no overlay may be mounted here"
}

# on UPPER COMMAND...: run it where over/ is an overlay whose upper layer lies
# on the same disk (disk), in memory (tmpfs), or on a loop device of a file in
# memory (loop); hidden-*: and its path leads to another directory.
on() {
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr unshare -m bash -ec '
		case $1 in
		*tmpfs) mount -t tmpfs none up ;;
		*loop)
			mount -t tmpfs none low
			truncate -s 64M low/image
			mkfs.ext4 -q low/image
			mount -o loop low/image up
			;;
		esac
		mkdir up/upper up/work
		mount -t overlay -o "lowerdir=low,upperdir=$PWD/up/upper,workdir=up/work" none over
		[[ $1 != hidden-* ]] || mount --bind low up
		shift
		"$@"
		[[ -z $(ls -A over) ]]' bash "$@"
	rm -rf up/*
}

@test "what of a file is cached is seen through an overlay" {
	[[ -x ${BIN%/*}/unit/test_file_data ]] || skip "no unit tests there"
	# shellcheck disable=SC2016 # expands in the new shell
	on disk bash -ec 'cd over; "$0"' "${BIN%/*}/unit/test_file_data"
	((status == 0))
}
