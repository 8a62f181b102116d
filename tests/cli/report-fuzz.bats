#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Spoilt results directories.  More of them: tests/fuzz-report REPORT 2000 SEED

bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	report=${BIN:-${BUILD:-$root/build}/bin}/report
	export TMPDIR=$BATS_TEST_TMPDIR
}

@test "no spoilt directory crashes the report or becomes markup" {
	run -0 "$root/tests/fuzz-report" "$report" 40 1
	[[ $output == "40 directories" ]]
}

@test "the fuzzer notices a crash and a name that became markup" {
	cat >"$TMPDIR/crash" <<-'EOT'
		#!/bin/sh
		kill -SEGV $$
	EOT
	cat >"$TMPDIR/careless" <<-EOT
		#!/bin/bash
		"$report" "\$@" || exit
		[[ \$1 != make ]] || sed -i 's/&lt;/</g' "\${!#}/report.html"
	EOT
	chmod +x "$TMPDIR/crash" "$TMPDIR/careless"
	run -1 "$root/tests/fuzz-report" "$TMPDIR/crash" 3
	[[ $output == *"status 139"* ]]
	run -1 "$root/tests/fuzz-report" "$TMPDIR/careless" 40
	[[ $output == *"a name became markup"* ]]
}
