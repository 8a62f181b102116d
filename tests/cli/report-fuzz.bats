#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Spoilt results directories.  More of them: tests/fuzz-report REPORT 2000 SEED

load ../helpers

setup() { export TMPDIR=$BATS_TEST_TMPDIR; }

@test "no spoilt directory crashes the report or becomes markup" {
	run -0 "$ROOT/tests/fuzz-report" "$report" 40 1
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
	run -1 "$ROOT/tests/fuzz-report" "$TMPDIR/crash" 3
	[[ $output == *"status 139"* ]]
	run -1 "$ROOT/tests/fuzz-report" "$TMPDIR/careless" 40
	[[ $output == *"a name became markup"* ]]
}
