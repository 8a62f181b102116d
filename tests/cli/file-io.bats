#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# file_read and file_write: what they prove, and directories that are in
# memory, small, full, read-only or gone.

setup_file() {
	load ../helpers
	export memory full
	memory=$(mktemp -d) full=$(mktemp -d)
	mount -t tmpfs -o size=200m,mode=777 none "$memory" 2>/dev/null || :
	mount -t tmpfs -o size=1m,mode=777 none "$full" 2>/dev/null || :
}

teardown_file() {
	umount "$memory" "$full" 2>/dev/null || :
	rm -rf "$memory" "$full"
}

setup() {
	load ../helpers
	calmly
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || exit
}

mounted() {
	[[ $(stat -fc %T "$1") == tmpfs ]] || skip "cannot mount a tmpfs"
}

# rows_of STATUS PROGRAM OPTION...: its rows in $output.
rows_of() {
	try "$1" "$BIN/$2" "${QUICK[@]}" --json "${@:3}"
}

# all FILTER: whether it holds for the array of the rows.
all() {
	jq -se "$1" <<<"$output" >/dev/null || {
		jq -c '[.case, .status, .reason, .evidence]' <<<"$output"
		return 1
	}
}

@test "what file_read claims, the kernel and the contents confirm" {
	rows_of 0 file_read --case 'cache=*,size=4M'
	[[ $(stat -fc %T .) != tmpfs ]] || skip "the tests run in memory"
	all 'map(select(.params.cache == "warm")) | length == 2 and
		all(.status != "skipped" and
			.evidence.bytes_cached.seen == 4194304)'
	all 'map(select(.params.cache != "warm")) | length == 4 and
		all(.status == "skipped" or
			(.evidence.bytes_read_by_process | .seen >= .expected and .expected > 0))'
	all 'map(select(.status == "ok")) | all(.evidence.blocks_as_written |
		.seen == .expected and .expected > 0)'
	all 'map(select(.params.cache == "cold" and .params.order == "random" and
		.status == "ok")) | all(.evidence.uncached_before |
			.seen == .expected and .expected > 0)'
}

@test "what file_write claims is read back" {
	rows_of 0 file_write --case 'by=*,order=random'
	all 'map(select(.status == "ok")) | length > 0 and
		all(.evidence.blocks_read_back | .seen == .expected and .expected > 0)'
	all 'map(select(.status == "ok" and .evidence.bytes_written_to_device)) |
		all(.params.by != "cached")'
}

@test "memory is no disk: direct, cold and durable rows are skipped" {
	mounted "$memory"
	rows_of 0 file_read --dir "$memory" --case 'cache=*,size=4M'
	all 'all(.[]; (.params.cache == "warm") == (.status != "skipped"))'
	all 'map(select(.params.cache == "direct")) |
		length == 2 and all(.reason | test("memory"))'
	all 'map(select(.params.cache == "cold")) |
		length == 2 and all(.reason | test("memory"))'
	rows_of 0 file_write --dir "$memory"
	all 'all(.[]; (.params.by == "cached") == (.status == "ok"))'
	[[ -z $(ls -A "$memory") ]]
}

@test "with little room a smaller file is read, and larger sizes say why not" {
	mounted "$memory"
	rows_of 0 file_read --effort 10 --dir "$memory" --case 'size=*'
	all 'map(select(.params.cache != "warm" and .params.size == 1073741824)) |
		length == 4 and all(.reason |
			test("test file of 1024 MiB .* free .*\\([0-9]+ MiB\\)"))'
}

@test "a larger file is read where it is asked for, and said where there is no room" {
	mounted "$memory"
	rows_of 77 file_read --dir "$memory" --case 'cache=direct,order=random,size=2G'
	all 'length == 1 and all(.status == "skipped" and
		(.reason | test("test file of 2048 MiB .* free .*\\([0-9]+ MiB\\)")))'
	rows_of 77 file_read --dir "$memory" \
		--case 'cache=warm,order=sequential,by=mapped,block=64K,file=2G'
	all 'length == 1 and all(.reason | test("test file of 2048 MiB"))'
	# At random in a power of two.
	"$BIN/file_read" --list --case 'cache=cold,order=sequential,size=3G'
	run ! "$BIN/file_read" --list --case 'cache=cold,order=random,size=3G'
}

@test "a full disk is a reason to skip, with figures" {
	mounted "$full"
	for program in file_read file_write; do
		rows_of 77 "$program" --dir "$full"
		[[ $stderr == *"test file of "*" MiB"*"free in $full"* ]]
		[[ -z $(ls -A "$full") ]]
	done
}

@test "calls leaves out the rows whose files a small disk does not hold" {
	mounted "$full"
	mount -o remount,size=24m "$full"
	rows_of 0 calls --dir "$full" --case 'op=write_new,*,bytes=64K,*' --case 'op=unlink,*' --case op=write_new,bytes=1,*
	all 'map(.status) | index("failed") == null and index("skipped") != null and index("ok") != null'
	[[ -z $(ls -A "$full") ]]
}

@test "a disk on which others leave too little is no failure" {
	mounted "$full"
	mount -o remount,size=40m "$full"
	rows_of 0 file_write --dir "$full" --case 'by=cached,order=random'
	head -c 35m /dev/zero >"$full/other"
	rows_of 77 file_write --dir "$full"
	rm "$full/other"
	[[ -z $(ls -A "$full") ]]
}

@test "a read-only directory is refused or left alone" {
	mounted "$full"
	mount -o remount,ro "$full"
	for program in file_read file_write; do
		answers 2 "--dir $full:" "$BIN/$program" "${QUICK[@]}" --dir "$full"
	done
	mount -o remount,rw "$full"
}

@test "a run's directory that is not ours to write in is a reason to skip" {
	mounted "$full"
	chmod 700 "$full"
	touch "$full/.oscost-run"
	mkdir "$full/written"
	rows_of '1|77' file_write --dir "$full"
	[[ -n $stderr ]]
	rmdir "$full/written"
	rm "$full/.oscost-run"
}

@test "a directory that takes no file is refused in one line" {
	local dir

	: >plain
	for dir in plain /proc nowhere; do
		try 2 "$BIN/file_read" "${QUICK[@]}" --dir "$dir"
		[[ -z $output ]]
		says "*--dir $dir: no file can be made there: *"
	done
}

@test "in a directory that was removed only its path cannot be asked for" {
	mkdir gone
	cd gone || return
	rmdir ../gone
	TMPDIR=$BATS_TEST_TMPDIR try 0 "$BIN/syscall" --effort 1 --invocations 2 --json
	says "*current directory: test files go to $BATS_TEST_TMPDIR/* (* on *); --dir says where"
	rows 'map(select(.params.by != "int80")) | all((.params.op == "getcwd") == (.status == "skipped")) and
		(map(select(.status == "skipped")) | all(.reason | test("no path: it was removed")))'
}

@test "who does not say where is told that it is elsewhere, and if it is memory" {
	mounted "$memory"
	mkdir closed
	chmod 555 closed
	cd closed || return
	# Only root may write in it all the same.
	if [[ -w . ]]; then
		command -v setpriv >/dev/null || skip "no setpriv"
		[[ -r $BIN/file_write ]] || skip "nobody may not come here"
		run --separate-stderr env TMPDIR="$memory" setpriv --reuid 65534 \
			--regid 65534 --clear-groups "$BIN/file_write" \
			"${QUICK[@]}" --case 'by=cached,order=random'
	else
		run --separate-stderr env TMPDIR="$memory" "$BIN/file_write" \
			"${QUICK[@]}" --case 'by=cached,order=random'
	fi
	((status != 126 && status != 127)) || skip "nobody may not come here"
	[[ $status -eq 0 && $stderr == *"test files go to $memory/"*"which is memory"* ]]
}

# The kernel may take pages back meanwhile, so the row may have a reason instead
# of a value; the file is there in any case.
@test "a short file of the run is made again, and another one is no value" {
	warm() {
		rows_of "0|77" file_read --dir . \
			--case 'cache=warm,order=random,size=4M' || return
		all 'length == 1 and all(.status != "skipped" and .status != "failed" or
			(.reason | test("stay in the cache")))'
	}

	chmod 700 .
	touch .oscost-run
	warm
	[[ -e data && -e warm ]]
	cp warm sound
	truncate -s 1m warm
	warm
	cmp warm sound
	truncate -s 0 warm
	truncate -s 64m warm
	rows_of 1 file_read --dir . --case 'cache=warm,order=random,size=4M'
	all 'all(.status == "failed" and (.reason | test("blocks_as_written")))'
	rm -f data warm sound .oscost-run
	[[ -z $(ls -A) ]]
}

@test "crosscheck-file says why it cannot" {
	local check=("$ROOT/tests/crosscheck/file" --bin "$BIN")

	answers 2 "ms takes 10 to 900" "${check[@]}" --ms 901
	mounted "$memory"
	command -v fio >/dev/null || skip "no fio"
	try 77 "${check[@]}" --rounds 1 --ms 10 --dir "$memory"
	says "*has no room for a file of 1 GiB*"
	[[ -z $(ls -A "$memory") ]]
}
