#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
#
# The example of CONTRIBUTING.md does what it says, and passes the tests that
# every benchmark meets.

bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-${BIN:+${BIN%/bin}}}
BUILD=${BUILD:-$ROOT/build}

# block LANGUAGE: the code of all blocks in that language.
block() {
	awk -v start="\`\`\`$1" '$0 == "```" { on = 0 } on; $0 == start { on = 1 }' \
		"$ROOT/CONTRIBUTING.md"
}

# follow: the example in a tree of its own, with what is built already.
follow() {
	cp -a "$ROOT"/{Makefile,README.md,CONTRIBUTING.md,docs,arch,base,bench,clock,counters,harness,layer,machine,mk,monitor,scripts,report,plots} .
	mkdir tests
	cp -a "$ROOT"/tests/{arrows,cli,fixtures,helpers.bash,keys.awk,rows.jq,sealed} tests
	cp -a "$(cd "$ROOT" && realpath "$BUILD")" build
	block c >bench/task/yield.c
	block tsv >>bench/task/rows.tsv
	block 'c lie' >>tests/fixtures/lies/lies.c
	sed -i "/^processes='$/a $(block liar)" tests/cli/evidence.bats
	make BUILD=build build/bin/yield build/fixtures/lies.so
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	follow >&2
}

# tests_pass FILE [FILTER]: bats on the tests of the tree.
tests_pass() {
	BIN=$PWD/build/bin FIXTURES=$PWD/build/fixtures run bats -f "${2:-.}" "tests/cli/$1.bats"
	echo "$output"
	[[ $status == 0 && $output == *"ok 1 "* ]]
}

@test "one file, its lines and a lie are a benchmark" {
	cd "$BATS_FILE_TMPDIR"
	run -0 build/bin/yield --list --core
	[[ $output == via=syscall ]]
	run -0 build/bin/yield --list
	[[ $output == $'via=libc\nvia=syscall' ]]
	run -0 scripts/run-all --bin build/bin --only yield --rounds 1 --effort 10 --out out
	jq -e '.status' out/invocations.jsonl
	jq -e '.[0].name == "yield" and (.[0].summary | contains("nobody wants it"))' out/about.json
	run -0 build/bin/report export --format csv out
	[[ $output == *yield*via=syscall* ]]
}

@test "it passes the tests that every benchmark meets" {
	cd "$BATS_FILE_TMPDIR"
	git init -q . && git add arch bench clock counters harness layer machine monitor report
	run -0 tests/arrows
	tests_pass evidence 'no evidence is left out'
	# The others meet them elsewhere: of them some that are quick stay.
	find bench/*/*.c | grep -vE '/(yield|nop|loop|procedure|syscall|truth|poll)\.c$' | xargs rm
	rm build/bin/load_demo
	sed -i "/^processes='$/,/^'$/ { / yield \|'$/!d }" tests/cli/evidence.bats
	[[ -n ${SAN:-} ]] || tests_pass evidence 'processes, signals'
	tests_pass columns 'no line of any program'
	tests_pass contract
}

@test "the example is in the house style" {
	command -v clang-format >/dev/null || skip "no clang-format"
	cp "$ROOT/.clang-format" "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR"
	block c >yield.c
	block 'c lie' >lie.c
	run -0 clang-format --dry-run -Werror yield.c lie.c
}
