#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The table of a program keeps to 80 columns, with --wide it has all figures.

bats_require_minimum_version 1.5.0
BIN=${BIN:-${BUILD:-$BATS_TEST_DIRNAME/../../build}/bin}

# Lines of more than 80 columns in file @1.
too_long() {
	LC_ALL=C.UTF-8 grep -E '^.{81}' "$1"
}

@test "no line of any program is longer than 80 columns" {
	local program cases long=''

	cd "$BATS_TEST_TMPDIR" || return
	for program in "$BIN"/*; do
		"$program" --list >cases 2>/dev/null || continue
		# The longest names, which leave the least room.
		mapfile -t cases < <(awk '{ print length, $0 }' cases |
			sort -rn | head -n 2 | cut -d ' ' -f 2-)
		timeout 60 "$program" -n 1 -e 1 "${cases[@]/#/--case=}" \
			>out 2>err || :
		! too_long out || long+=" ${program##*/}"
	done
	echo "too long:$long"
	[ -z "$long" ]
}

@test "--wide has the columns that the narrow table leaves out" {
	run -0 --separate-stderr "$BIN/procedure" -c args=3,via=direct -n 1 -e 20
	[[ $output != *"std dev"* ]]
	run -0 --separate-stderr "$BIN/procedure" -c args=3,via=direct -n 1 -e 20 --wide
	[[ $output == *"std dev"*samples* ]]
}
