#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a layer adds to core rows: sides in turn, one table, what cannot be had.

load ../helpers

layers() { "$ROOT/scripts/layers" --bin "$BIN" --rounds 4 --effort 1 "$@"; }

@test "one table has each core row under each layer, and what cannot be had is named" {
	run -0 --separate-stderr layers --layers 'nnp seccomp=5,nice=1 core-cookie' --only syscall --out out
	[[ $stderr == *'nnp: grep NoNewPrivs /proc/self/status gives NoNewPrivs:'*1* ]]
	grep -qE '^operation +bare +nnp +seccomp=5\+nice=1' <<<"$output"
	[[ $(grep -c '^syscall: ' <<<"$output") -eq $("$BIN/syscall" --list --core | wc -l) ]]
	[[ $(wc -l <out/bare/invocations.jsonl) -eq $(wc -l <out/nnp/invocations.jsonl) ]]
	jq -e '.command | test("under --bin [^ ]* seccomp=5,nice=1 --$")' out/seccomp=5+nice=1/run.json
	[[ -s out/compare.html ]]
	[[ -e out/core-cookie || $stderr == *'skipped: core-cookie: '* ]]
}

@test "misuse is refused" {
	run -2 --separate-stderr layers --layers seccmp --out out
	[[ $stderr == "layers: unknown layer 'seccmp'; did you mean seccomp?" && ! -e out ]]
	run -2 --separate-stderr layers --layers ' '
	run -2 --separate-stderr layers --sundial 1
	run -2 --separate-stderr layers --layers nnp --only nosuch
	answers 2 "another side" layers --layers 'nnp nnp'
}
