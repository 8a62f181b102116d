#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# file_ops, file_cache and file_contention: what they claim, where they may not
# or cannot, and that their control group goes away however they end.

setup_file() {
	load ../helpers
	small=$(mktemp -d)
	export small
	chmod 777 "$small"
	mount -t tmpfs -o size=256k,nr_inodes=64,mode=777 none "$small" 2>/dev/null || :
}

teardown_file() {
	umount "$small" 2>/dev/null || :
	rm -rf "$small"
}

setup() {
	load ../helpers
	calmly
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || exit
}

# group_of PID: the directory of the group that one of its descendants is in,
# if it is one of ours.
group_of() {
	local child found

	for child in $(pgrep -P "$1"); do
		found=$(sed -n 's,^[^/]*\(/.*oscost-[0-9a-f]\{16\}\)$,\1,p' \
			"/proc/$child/cgroup" 2>/dev/null)
		if [[ -n $found ]]; then
			find /sys/fs/cgroup -type d -path "*$found" 2>/dev/null
			return
		fi
		group_of "$child"
	done
}

# cached_in_group: one quick run with its rows in $output, or skip.
cached_in_group() {
	try '0|77' "$BIN/file_cache" "${QUICK[@]}" --json "$@"
	[[ $status == 0 ]] || skip "$(jq -r '.reason // empty' <<<"$output" |
		sed -n 1p)"
}

on_small() {
	[[ $(stat -fc %T "$small") == tmpfs ]] || skip "cannot mount a tmpfs"
	try "$1" "$BIN/$2" "${QUICK[@]}" --dir "$small" --json "${@:3}"
}

@test "file_cache: the group holds what is smaller, and not what is larger" {
	cached_in_group --case 'scope=group,size=16M' --case 'scope=group,size=36M'
	rows 'all(.evidence.limit_bytes == 33554432)'
	rows 'all(.evidence.charged_bytes | .seen >= .share * .expected)'
	rows 'all(.[]; .evidence.bytes_read.seen == .evidence.bytes_read.expected)'
	rows 'any(.[]; .params.size == 16777216 and .evidence.cached_bytes == 16777216)'
	rows 'any(.[]; .params.size == 37748736 and
		.evidence.cached_bytes <= 33554432)'
}

@test "file_cache: another limit, other sizes" {
	cached_in_group --limit 16m --case 'scope=group,size=8M'
	rows 'length == 1 and all(.evidence.limit_bytes == 16777216)'
	try 2 "$BIN/file_cache" --limit 1m
	[[ $stderr == *--limit* ]]
}

@test "file_cache: killed at any moment it leaves no group and no process" {
	local group i n pid

	[[ $EUID -eq 0 ]] || skip "needs root to make groups"
	for i in 1 2 3; do
		group=
		# Else what a script has started in the background ignores SIGINT.
		env --default-signal=INT "$BIN/file_cache" --invocations 3 \
			--effort 20 >/dev/null 2>&1 &
		pid=$!
		for ((n = 0; n < 200; n++)); do
			group=$(group_of "$pid")
			[[ -z $group && -d /proc/$pid ]] || break
			sleep 0.05
		done
		# The measuring process alone: its supervisor cleans up.
		((i > 1)) || pkill -KILL -P "$pid" || :
		((i == 1)) || kill -s INT "$pid" || :
		wait "$pid" || :
		[[ -n $group ]] || skip "no group was made"
		until_true test ! -d "$group"
		[[ -z $(ls -A) ]]
	done
}

@test "file_cache without permission is skipped and says why" {
	[[ $EUID -eq 0 ]] || skip "needs root to become nobody"
	local place

	place=$(mktemp -d)
	chmod 755 "$place"
	cp "$BIN/file_cache" "$place/"
	run --separate-stderr setpriv --reuid nobody --regid nogroup \
		--clear-groups --inh-caps=-all "$place/file_cache" \
		"${QUICK[@]}" --json --dir /tmp
	rm -rf "$place"
	[[ $status -eq 77 ]]
	rows 'all(.status == "skipped")'
	rows 'any(.[]; .reason | test("memory control group"))'
}

@test "file_cache in a directory in memory is skipped and says why" {
	[[ $(stat -fc %T /dev/shm) == tmpfs && -w /dev/shm ]] || skip "no tmpfs"
	try 77 "$BIN/file_cache" "${QUICK[@]}" --json --dir /dev/shm
	rows 'all(.status == "skipped")'
}

@test "file_ops: where a disk is full some rows are skipped, the rest goes on" {
	on_small 0 file_ops
	rows 'any(.[]; (.status | IN("ok", "below_resolution")) and
		.params.op == "stat")'
	rows 'any(.[]; .status == "skipped" and .params.op == "readdir" and
		(.reason | test("No space|has no value")))'
	rows 'all(.status != "failed")'
	[[ -z $(ls -A "$small") ]]
}

@test "file_contention: where there is no room it is skipped" {
	on_small 77 file_contention
	rows 'all(.status == "skipped" and .reason != "")'
	[[ -z $(ls -A "$small") ]]
}

@test "file_ops: every file was there and is gone, every name was read" {
	try 0 "$BIN/file_ops" "${QUICK[@]}" --json
	rows 'all(.status != "failed")'
	rows '[.[] | select(.params.op == "create") | .evidence.effects |
		select(.seen == .expected and .seen >= 16)] | length == 4'
	rows '[.[] | select(.params.op == "delete") | .evidence.effects |
		select(.seen == .expected and .seen >= 16)] | length == 4'
	rows '[.[] | select(.params.op == "readdir") | .evidence.entries |
		select(.seen == .expected and .seen % 10000 == 0)] | length == 2'
	rows '[.[] | select(.params.op == "readdir") | .evidence.links |
		select(. >= 1 and . <= 10000)] | length == 2'
	[[ -z $(ls -A) ]]
}

# Where one is removed, ext4 puts the next one into the same group of inodes,
# with those that were deleted there.
@test "file_contention: what is read is right and comes from where it should" {
	try '0|77' "$BIN/file_contention" "${QUICK[@]}" --json \
		--case '*,procs=1' --case '*,procs=2'
	rows 'all(.status != "failed")'
	rows '[.[] | select(.status == "ok") | .evidence.blocks_as_written |
		select(. and (.seen != .expected or .seen == 0))] | length == 0'
	rows '[.[] | select(.params.mode == "warm" and .params.procs)] |
		length == 4 and all(.status == "ok" and (.evidence.stretches_from_cache |
			.expected > 0 and .seen >= 0.9 * .expected))'
	# A row that the file system or the kernel's counts do not permit is skipped.
	rows '[.[] | select(.params.mode == "direct" and .params.procs)] |
		length == 4 and all((.status == "skipped" and
				(.reason | contains("O_DIRECT"))) or
			(.status == "ok" and (.evidence.bytes_read_by_process |
				.seen >= .expected and .seen > 0)))'
	[[ -z $(ls -A) ]]
}

# By each process its own would be ten times as much.
@test "file_contention: what the device brings is compared with what all have read" {
	try '0|77' "$BIN/file_contention" "${QUICK[@]}" --json \
		--case 'mode=direct,files=one,procs=10'
	rows 'all(.status != "failed") and all(.evidence.bytes_read_from_device |
		. == null or .expected == 0 or .seen < 4 * .expected)'
	[[ -z $(ls -A) ]]
}
