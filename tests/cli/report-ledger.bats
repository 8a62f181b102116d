#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The comparison of ledgers, from made-up results: counts have no noise.

load ../helpers

# side DIR CASE VALUE...: a value for each boot; more calls add more rows.
side() {
	mkdir -p "$1"
	jq -nc --arg case "$2" '$ARGS.positional | to_entries[] |
		{schema: 2, status: "ok", n: 1, iters: 1, samples: 10, estimator: "difference",
		 timer: "icount", unit: "instructions", better: "lower", benchmark: "syscall",
		 case: $case, round: (.key + 1), seed: .key, value: .value, min: .value, max: .value,
		 evidence: {}, tags: {}}' --jsonargs "${@:3}" >>"$1/invocations.jsonl"
	printf '{"schema": 1, "kernel": {"release": "6.1"}}\n' >"$1/machine.json"
	printf '{"schema": 1, "clock": "icount"}\n' >"$1/run.json"
	printf '[]\n' >"$1/about.json"
}

@test "two instructions are two, in four boots and in one" {
	side one/plain op=getpid 315 315 315 315
	side one/new op=getpid 317 317 317 317
	run -0 --separate-stderr "$report" compare one/plain one/new
	grep -Eq '^operation +plain +new *$' <<<"$output"
	grep -Eq '^syscall: op=getpid +315 +\+2 \(\+0\.63 %\)$' <<<"$output"
	[[ $output == *'takes more instructions in 1; fewer in 0; '* ]]
	[[ $output != *rounds* && $output != *Mann* ]]
	side two/plain op=getpid 317
	side two/new op=getpid 315
	run -0 --separate-stderr "$report" compare two/plain two/new
	grep -Eq '^syscall: op=getpid +317 +-2 \(-0\.63 %\)$' <<<"$output"
}

@test "what ran before moves a row: no difference, unless it is greater" {
	side a op=same 100 100
	side b op=same 100 100
	side a op=overlap 100 110
	side b op=overlap 105 120
	side a op=near 100 110
	side b op=near 111 121
	side a op=far 100 110
	side b op=far 125 130
	run -0 --separate-stderr "$report" compare a b
	[[ $(grep -c '^syscall' <<<"$output") == 1 ]]
	grep -Eq '^syscall: op=far +100 to 110 +\+15 to \+30 \(' <<<"$output"
	[[ $output == *'the same in 1. In 2 the sides'* ]]
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^syscall: op=same +100 += *$' <<<"$output"
	grep -Eq '^syscall: op=near +100 to 110 +~ *$' <<<"$output"
}

@test "two modes in the samples of a boot are no difference; what comes once in a while is none of them" {
	side a op=modes 100 100
	side b op=modes 167 167
	side a op=tick 100 100
	side b op=tick 102 102
	side a op=made 100 100
	side b op=made 200 200
	jq -c '.min = .value | .p90 = .value | .max = 90000 |
		if .case == "op=made" then .min = null | .max = null | .p90 = null else . end' a/invocations.jsonl >rows
	mv rows a/invocations.jsonl
	jq -c '.min = (if .case == "op=modes" then 101 else .value end) | .p90 = .value | .max = 167' \
		b/invocations.jsonl >rows
	mv rows b/invocations.jsonl
	run -0 --separate-stderr "$report" compare --all a b
	grep -Eq '^syscall: op=modes +100 +~ *$' <<<"$output"
	grep -q '^syscall: op=made  *made of other rows *$' <<<"$output"
	grep -Eq '^syscall: op=tick +100 +\+2 \(\+2\.0 %\)$' <<<"$output"
}

@test "several sides are columns, and the greatest effect comes first" {
	side out/plain op=a 100
	side out/plain op=b 100
	side out/audit=1 op=a 101
	side out/audit=1 op=b 100
	side out/lsm= op=a 100
	side out/lsm= op=b 50
	run -0 --separate-stderr "$report" compare --out pages out/plain out/audit=1 out/lsm=
	grep -Eq '^operation +plain +audit=1 +lsm= *$' <<<"$output"
	[[ $(grep '^syscall' <<<"$output" | tr -s ' ') == \
		$'syscall: op=b 100 = -50 (-50 %)\nsyscall: op=a 100 +1 (+1.0 %) =' ]]
	grep -q '| syscall: op=b | 100 | = | -50 (-50 %) |' pages/compare.md
	[[ -s pages/compare.html ]]
}

@test "CI fails on what costs more, however little" {
	side a op=getpid 1000
	side b op=getpid 1001
	run -3 --separate-stderr "$report" compare --threshold 0 a b
	run -0 --separate-stderr "$report" compare --threshold 1 a b
	run -0 --separate-stderr "$report" compare --threshold 0 b a
	run -0 --separate-stderr "$report" compare --floor 1 a b
	[[ $output != *'op=getpid  '* ]]
}

@test "counts are not compared with times" {
	side a op=getpid 315
	side b op=getpid 315
	jq -c '.unit = "ns" | .timer = "lfence"' b/invocations.jsonl >spoilt
	mv spoilt b/invocations.jsonl
	printf '{"schema": 1}\n' >b/run.json
	run -0 --separate-stderr "$report" compare --all a b
	[[ $output == *'not comparable: other unit'* ]]
}

@test "a ledger alone is not warned of noise" {
	side a op=getpid 315 315
	printf '{"schema": 1, "timer": {"method": "clock"}}\n' >a/machine.json
	run -0 --separate-stderr "$report" show a
	[[ $output != *warning* ]]
	printf '{"schema": 1}\n' >a/run.json
	run -0 --separate-stderr "$report" show a
	[[ $output == *'2 rounds: no intervals'*  && $output == *'cannot be trusted here'* ]]
}
