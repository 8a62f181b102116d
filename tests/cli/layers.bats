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

# A row and two functions, or a row.
@test "docs/layers.md, followed literally, makes a layer more" {
	cp -a "$ROOT"/{Makefile,README.md,arch,base,bench,clock,counters,fleet,harness,layer,ledger,machine,mk,monitor,scripts,report} .
	mkdir build
	(cd "${BIN%/bin}" && cp -a bin gen lib libexec obj ./*.a "$BATS_TEST_TMPDIR/build")
	block docs/layers.md c >functions
	block docs/layers.md 'c row' >rows
	[[ -s functions && -s rows ]]
	# The functions stand before the table, the rows at its begin.
	sed -i -e '/^\/\* clang-format off/e cat functions' \
		-e '/^const struct layer layers/r rows' layer/table.c
	try 0 make BUILD=build build/bin/under
	try 0 build/bin/under --prove timer-slack=70
	[[ $output == 'timer-slack=70: prctl(PR_GET_TIMERSLACK) gives 70000 ns' ]]
	try 2 build/bin/under timer-slack=0 -- true
	try 0 scripts/under --prove timer-slack=70,nice=7 -- nice
	[[ ${lines[1]} == timer-slack=70:* && ${lines[2]} == 7 ]]
	try 0 build/bin/under --list
	[[ $output == *'timer-slack=N '*'N: 1 to 1000000'* ]]
}
