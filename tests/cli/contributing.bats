#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The example of CONTRIBUTING.md does what it says, and passes the tests that
# every benchmark meets.

load ../helpers

BUILD=${BUILD:-${BIN:+${BIN%/bin}}}
BUILD=${BUILD:-$ROOT/build}

# follow: the example in a tree of its own, with what is built already.
follow() {
	cp -a "$ROOT"/{Makefile,README.md,CONTRIBUTING.md,docs,arch,base,bench,clock,counters,fleet,harness,layer,ledger,machine,mk,monitor,scripts,report,plots} .
	mkdir tests
	cp -a "$ROOT"/tests/{arrows,cli,fixtures,helpers.bash,keys.awk,rows.jq,sealed} tests
	mkdir build
	(cd "$ROOT" && cd "$BUILD" && cp -a bin fixtures gen lib libexec obj ./*.a "$BATS_FILE_TMPDIR/build")
	block CONTRIBUTING.md c >bench/cpu/getrandom.c
	block CONTRIBUTING.md tsv >>bench/cpu/rows.tsv
	make BUILD=build build/bin/getrandom
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

# measured PROGRAM EVIDENCE: the row has a value, or beside other tests is too small
# to measure, or other work was in all of it; and what it did was seen.
measured() {
	jq -e --arg program "$1" --arg evidence "$2" '.benchmark == $program and
		({ok: (.value > 0), below_resolution: (.reason > "")}[.status] //
			(.reason | contains("in all of it"))) and .evidence[$evidence].seen > 0'
}

@test "one file and its lines are a benchmark" {
	cd "$BATS_FILE_TMPDIR"
	run -0 build/bin/getrandom --list --core
	[[ $output == op=getrandom,size=256 ]]
	run -0 build/bin/getrandom --list
	[[ ${#lines[@]} == 3 ]]
	run -0 scripts/run-all --bin build/bin --only getrandom --rounds 1 --effort 10 --out out
	jq -e '.status' out/invocations.jsonl
	jq -e '.[0].name == "getrandom" and (.[0].summary | contains("random bytes"))' out/run/about.json
	run -0 build/bin/report export --format csv out
	[[ $output == *getrandom*size=256* ]]
}

@test "a benchmark of two processes takes 45 lines at most" {
	cd "$BATS_FILE_TMPDIR"
	sed "s/two - /echoes - /" tests/fixtures/bench/two.c >bench/task/echoes.c
	printf 'run\techoes\techoes\t\t60\t20\n' >>bench/task/rows.tsv
	calmly
	[[ $(wc -l <bench/task/echoes.c) -le 45 ]]
	make BUILD=build build/bin/echoes
	run "${calm[@]}" build/bin/echoes --effort 50 --invocations 1 --json --case '*same_cpu'
	measured echoes answers <<<"$output"
	rm bench/task/echoes.c build/bin/echoes
	sed -i '$d' bench/task/rows.tsv
}

@test "it passes the tests that every benchmark meets" {
	cd "$BATS_FILE_TMPDIR"
	git init -q . && git add arch bench clock counters fleet harness layer machine monitor report
	run -0 tests/arrows
	# The others meet them elsewhere; nop measures the clock's rate for all.
	find bench/*/*.c | grep -vE '/(getrandom|nop)\.c$' | xargs rm
	tests_pass contract
}

@test "evidence of the table of calls finds out a lie of its call" {
	cd "$BATS_FILE_TMPDIR"
	[[ -z ${SAN:-} ]] || skip "libraries are not put before a sanitizer's"
	printf '%s\n' '#include <sys/random.h>' \
		'ssize_t getrandom(void *to, size_t n, unsigned int flags) { return -1; }' >lie.c
	"${CC:-cc}" -shared -fPIC -o lie.so lie.c
	LD_PRELOAD=$PWD/lie.so run -1 build/bin/getrandom --effort 1 --invocations 1 --json \
		--case '*size=256'
	[[ $output == *'"status":"failed"'*'"calls":{"kind":"proof"'* ]]
}
