#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The example of CONTRIBUTING.md does what it says.

bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-${BIN:+${BIN%/bin}}}
BUILD=${BUILD:-$ROOT/build}

# block LANGUAGE: the code of all blocks in that language.
block() {
	awk -v start="\`\`\`$1" '$0 == "```" { on = 0 } on; $0 == start { on = 1 }' \
		"$ROOT/CONTRIBUTING.md"
}

@test "one file and one row are a benchmark" {
	cd "$BATS_TEST_TMPDIR"
	# With what is built already: only the example is compiled.
	cp -a "$ROOT"/{Makefile,bench,clock,counters,harness,mk,monitor,scripts,report,plots} .
	cp -a "$(cd "$ROOT" && realpath "$BUILD")" build
	block c >bench/task/yield.c
	block tsv >>bench/task/rows.tsv
	make BUILD=build build/bin/yield
	run -0 build/bin/yield --list --core
	[[ $output == via=syscall ]]
	run -0 build/bin/yield --list
	[[ $output == $'via=libc\nvia=syscall' ]]
	run -0 scripts/run-all --bin build/bin --only yield --rounds 1 --effort 10 --out out
	jq -e '.status' out/invocations.jsonl
	jq -e '.[0].name == "yield" and (.[0].summary | contains("nobody wants it"))' out/about.json
}

@test "the example is in the house style" {
	command -v clang-format >/dev/null || skip "no clang-format"
	cp "$ROOT/.clang-format" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	block c >yield.c
	run -0 clang-format --dry-run -Werror yield.c
}
