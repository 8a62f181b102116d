#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the environment says of all programs changes nothing here.

load ../helpers

@test "POSIXLY_CORRECT changes no command line" {
	export POSIXLY_CORRECT=1
	try 0 "$BIN/machine" --timer clock
	jq -e '.timer.method == "clock"' <<<"$output"
	try 0 "$BIN/report" export "$ROOT/tests/fixtures/results/small" --format json
	jq -e . <<<"$output" >/dev/null
}

@test "a run with POSIXLY_CORRECT has a machine and a report" {
	export POSIXLY_CORRECT=1
	try 0 "$ROOT/scripts/run-all" --bin "$BIN" --only nop --rounds 1 \
		--effort 10 --out out
	[[ -s out/machine.json && -s out/report.md ]]
	[[ $stderr != *"could not"* ]]
}
