#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The order of the house: who may include what, and that the sample is a run.

load ../helpers

@test "no include against the arrows" {
	cd "$ROOT" || return
	run -0 tests/arrows
	[[ -z $output ]]
}

@test "no room is above its budget, no budget far above its room" {
	cd "$ROOT" || return
	run -0 tests/arrows --sizes
}

@test "arrows finds an include against them" {
	local tree=$BATS_TEST_TMPDIR/tree

	mkdir -p "$tree"
	cp -r "$ROOT"/{base,bench,clock,counters,harness,tests} "$tree"
	cd "$tree"
	git init -q .
	printf '#include "bench.h"\n' >>clock/quantum.c
	printf '#include "program.h"\n#include "../memory/lib/chase.h"\n' >>bench/cpu/nop.c
	printf '#include "life.h"\nputs("");\nrun->verdict.why[0] = 0;\n' >>harness/visit/passes.c
	printf '#include "stats.h"\n' >>clock/quantum.h
	printf '#include "fence.h"\n' >>clock/stats.c
	printf '#include "quantum.h"\n' >>clock/fence.h
	printf 'bench/cpu\t%d\t1\n' 100 30000 >tests/budgets.tsv
	sed -i '2s/cpu/task/' tests/budgets.tsv
	git add .
	run -1 tests/arrows
	[[ $output == *"bench/cpu/nop.c: includes bench/memory/lib/chase.h"* ]]
	[[ $output == *"bench/cpu/nop.c: includes harness/visit/program.h"* ]]
	[[ $output == *"clock/quantum.c: includes harness/visit/bench.h"* ]]
	[[ $output == *"harness/visit/passes.c: includes harness/life/life.h"* ]]
	[[ $output == *"harness/visit/passes.c: prints"* ]]
	[[ $output == *"harness/visit/passes.c: writes verdict.why"* ]]
	[[ $output == *"circle: clock/fence clock/quantum clock/stats"* ]]
	run -1 tests/arrows --sizes
	[[ $output == *"bench/cpu  too many"* && $output == *"bench/task  lower the budget"* ]]
	[[ $output == *" nop"* && $output == *" lines are in no room"* ]]
	run -2 tests/arrows --what
}

@test "the sample can be read again" {
	cp -r "$ROOT/results/sample" "$BATS_TEST_TMPDIR/run"
	run -0 "$BIN/report" make --no-plots --root "$ROOT" "$BATS_TEST_TMPDIR/run"
	[[ $output == *"$(sed -n 2p "$ROOT/results/sample/card.txt")"* ]]
	[[ $(du -sb "$ROOT/results/sample" | cut -f 1) -lt 300000 ]]
}
