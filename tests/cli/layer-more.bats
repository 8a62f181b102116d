#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# A layer more is a row and two functions, or a row: docs/layers.md, followed
# literally.

load ../helpers

# block LANGUAGE: the code of all blocks in that language.
block() {
	awk -v start="\`\`\`$1" '$0 == "```" { on = 0 } on; $0 == start { on = 1 }' \
		"$ROOT/docs/layers.md"
}

@test "what the page says makes a layer more" {
	cp -a "$ROOT"/{Makefile,README.md,arch,base,bench,clock,counters,fleet,harness,layer,ledger,machine,mk,monitor,scripts,report} .
	mkdir build
	(cd "${BIN%/bin}" && cp -a bin gen lib libexec obj ./*.a "$BATS_TEST_TMPDIR/build")
	block c >functions
	block 'c row' >rows
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

@test "its code is in the house style" {
	command -v clang-format >/dev/null || skip "no clang-format"
	cp "$ROOT/.clang-format" .
	block c >functions.c
	run -0 clang-format --dry-run -Werror functions.c
}
