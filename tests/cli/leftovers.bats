#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# measures: there is one pair of oscost's namespaces on a machine.
#
# Leftovers of a killed process go when the next one starts, which names them;
# those of a living process stay.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir files
}

# kill_all PID: it and what it has started; also what that starts meanwhile.
kill_all() {
	until_true none_left "$1"
}

none_left() {
	local pids

	pids=$(pgrep -s "$1" -r R,S,D,T) || return 0
	# shellcheck disable=SC2086 # several
	kill -KILL $pids 2>/dev/null
	return 1
}

# has PATTERN: whether there is such a file, by the path below the test's directory.
has() {
	[[ -n $(find . -path "./$1" -print -quit) ]]
}

# clean WHAT: the next program removes it, says so in one line, and the one
# after that says nothing.
clean() {
	try 0 "$BIN/nop" "${QUICK[@]}" &&
		says "nop: removed what a killed process (*) had left: $1" &&
		[[ ! -e $OSCOST_RECORDS ]] &&
		try 0 "$BIN/nop" "${QUICK[@]}" && [[ -z $stderr ]]
}

@test "test files of a killed program go at the next start" {
	local moment pid

	for moment in 'files/.oscost-file_read-*' 'files/.oscost-file_read-*/*'; do
		setsid "$BIN/file_read" --effort 10000 --dir files >/dev/null 2>&1 3>&- &
		pid=$!
		until_true has "$moment"
		# While it lives nobody takes them away.
		try 0 "$BIN/nop" "${QUICK[@]}"
		[[ -z $stderr ]]
		has 'files/.oscost-file_read-*'
		kill_all "$pid"
		clean "dir $PWD/files/.oscost-file_read-*"
		[[ -z $(ls -A files) ]]
	done
}

@test "a program that has no descriptors left keeps no record" {
	try 1 sh -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 5; exec "$@"' sh \
		"$BIN/nop" "${QUICK[@]}"
	says 'nop: no place for rows: *'
	[[ ! -e $OSCOST_RECORDS ]]
	try 0 "$BIN/nop" "${QUICK[@]}"
	[[ -z $stderr ]]
}

@test "semaphores of a killed program go at the next start" {
	local pid id

	setsid "$BIN/ipc" --effort 10000 --case '*by=sysv_sem*' >/dev/null 2>&1 3>&- &
	pid=$!
	until_true grep -qs '^sem ' "$OSCOST_RECORDS/$pid"
	id=$(sed -n 's/^sem //p' "$OSCOST_RECORDS/$pid" | tail -n 1)
	kill_all "$pid"
	try 0 "$BIN/nop" "${QUICK[@]}"
	[[ ! -e $OSCOST_RECORDS ]]
	[[ $(awk -v id="$id" '$2 == id' /proc/sysvipc/sem) == "" ]]
}

@test "test files of a killed run go at the next start, its programs end" {
	local pid driver

	setsid "$ROOT/scripts/run-all" --bin "$BIN" --only file_read --out out \
		--dir files >/dev/null 2>&1 3>&- &
	pid=$!
	until_true has 'files/.oscost-files-*/data*'
	driver=$(pgrep -P "$pid")
	kill -KILL "$pid"
	# Another session; it has the files open until it has ended.
	until_true flock -n "$OSCOST_RECORDS/$driver" true
	run -0 --separate-stderr env -u MAKEFLAGS -u MAKELEVEL make -s -C "$ROOT" BUILD="${BIN%/bin}" clean-up
	says "machine: removed what a killed process ($driver) had left: dir $PWD/files/.oscost-files-*"
	[[ -z $(ls -A files) ]]
}

@test "namespaces of a killed netlab go at the next start" {
	local pid netlab=$ROOT/scripts/netlab why moment

	unset OSCOST_RECORDS
	why=$("$netlab" run true 2>&1) || skip "$why"
	for moment in /run/oscost/netlab /run/netns/oscost-a started; do
		rm -f started
		setsid "$netlab" run --bin "$BIN" sh -c 'echo >started; exec sleep 300' \
			>/dev/null 2>&1 3>&- &
		pid=$!
		until_true test -e "$moment"
		kill_all "$pid"
		try 0 "$netlab" run --bin "$BIN" true
		[[ ! -e /run/netns/oscost-a && ! -e /run/netns/oscost-b && ! -e /run/oscost/netlab ]]
	done
	says "*removed what a killed process (netlab) had left: netns oscost-a, and more"
}

# containers: control groups, devices and processes of such as container makes.
containers() {
	find /sys/fs/cgroup -type d -name 'oscost-box-*'
	grep -h oscost0 /proc/net/dev /proc/[0-9]*/net/dev 2>/dev/null | sort -u
	grep "$PWD/files" /proc/self/mounts
	ls -A files
}

container_made() { [[ $(containers) == *"/oscost-box-"* ]]; }

@test "of a container nothing is left, whether its program ends or is killed" {
	local pid

	((EUID == 0)) || skip "needs root"
	"$BIN/container" "${QUICK[@]}" --dir files >table 2>&1 || skip "$(<table)"
	run containers
	[[ -z $output ]]
	grep -q '^whole=run .*[0-9] ms' table || skip "$(<table)"
	setsid "$BIN/container" --case whole=run --effort 10000 \
		--dir files >/dev/null 2>&1 3>&- &
	pid=$!
	until_true container_made
	kill_all "$pid"
	try 0 "$BIN/nop" "${QUICK[@]}"
	run containers
	[[ -z $output ]]
}
