#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The programs without any privilege, and where they may write nowhere.

setup_file() {
	load ../helpers
	[[ $EUID -eq 0 ]] || skip "needs root to become nobody"
	# The tree may be where nobody may not look.
	place=$(mktemp -d)
	export place
	chmod 755 "$place"
	cp -r "$BIN" "$place/bin"
	[[ ! -d ${BIN%/*}/lib ]] || cp -r "${BIN%/*}/lib" "$place/"
	chmod -R a+rX "$place"
}

teardown_file() {
	[[ -z ${place:-} ]] || rm -rf "$place"
}

setup() {
	load ../helpers
	cd /
}

as_nobody() {
	setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all "$@"
}
export -f as_nobody

measures_or_skips() {
	local pick

	pick=$(first_case "$1")
	run --separate-stderr timeout -k 5 "$PATIENCE_S" bash -c 'as_nobody "$@"' _ \
		"$place/bin/$1" "${QUICK[@]}" --json --case "$pick"
	case $status in
	0) rows 'length >= 1 and all(.status == "ok" or
		.status == "below_resolution")' ;;
	77) [[ $stderr == *skipped* ]] ||
		rows 'all(.status == "skipped" and .reason != "")' ;;
	*)
		printf 'status %s\n%s\n' "$status" "$stderr"
		return 1
		;;
	esac
}

@test "nobody can measure, or is told why not" {
	each_bench measures_or_skips
}

@test "real-time priority is recorded as the kernel says it is" {
	chrt -f 1 true 2>/dev/null || skip "no real-time scheduling here"
	try 0 chrt -f 1 "$BIN/nop" "${QUICK[@]}" --json
	rows 'all(.policy == "fifo" and .priority == 1)'
	try 0 "$BIN/nop" "${QUICK[@]}" --json
	rows 'all(.policy == "other" and .priority == 0)'
}
