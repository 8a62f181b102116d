#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The programs of each round: the driver with stub programs, and the report of
# unequal rounds.

load driver

setup() {
	driver_setup
	stub_due
	report=${BIN:-${BUILD:-$ROOT/build}/bin}/report
}

# stub_due: the n-th look says what is in the file due.n, if there is one.
stub_due() {
	sed -i '/^make)/i\
due)\
	echo "$*" >>looks\
	cat "due.$(grep -c . looks)" 2>/dev/null || :\
	;;' "$bin/report"
	# shellcheck disable=SC2016 # expands in the stub
	echo '[[ $1 != noise ]] || echo "{\"noise\": \"$5\", \"round\": $7}"' >>"$bin/machine"
}

# rounds_of ID [DIR]: the rounds that it had.
rounds_of() { jq -c "[.programs[] | select(.id == \"$1\").round]" "${2:-out}/run.json"; }

# options FILE: those of the looks that do not say how much time is left.
options() { sed -E 's/ --left [0-9]+//' "$1" | sort -u; }

@test "who asks for rounds gets these, and nobody looks" {
	run -0 --separate-stderr drive --out out --rounds 7
	[[ $output == "rows: 14" && ! -e looks ]]
	jq -e '.precision_pct == null and .goal_pct == null and .due == []' out/run.json
}

@test "each profile has a goal and a time of its own, publish only the goal" {
	local begin=${EPOCHREALTIME/./} took_ms

	run -0 --separate-stderr drive --out out --profile quick
	took_ms=$(((${EPOCHREALTIME/./} - begin) / 1000))
	[[ $output == "rows: 12" && $(options looks) == "due --goal 1.5 --first 6 --least 12 --most 30 --all $PWD/out" ]]
	[[ $(<looks) =~ --left\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 40500 - took_ms - 1 && BASH_REMATCH[1] <= 40500))
	jq -e '.profile == "quick" and .goal_pct == 1.5 and .precision_pct == null and .seconds == 45 and
		.due == [{round: 7, programs: ""}]' out/run.json
	rm looks
	run -0 --separate-stderr drive --out publish --profile publish --only good
	[[ $output == "rows: 20" && $(<looks) == "due --goal 1.5 --first 20 --least 40 --most 100 --all $PWD/publish" ]]
}

@test "who is due gets more rounds, by the same seeds" {
	echo good | tee due.1 due.2 due.4 >due.5
	printf 'good\nother\n' >due.3
	run -0 --separate-stderr drive --out out --seed 5 --precision 2 --rounds 3
	[[ $output == "rows: 12" && $(rounds_of good) == '[1,2,3,4,5,6,7,8]' ]]
	[[ $(rounds_of other) == '[1,2,3,6]' ]]
	[[ $(sort -u looks) == "due --goal 2 --first 3 --least 6 --most 100 --all $PWD/out" && $(wc -l <looks) -eq 6 ]]
	[[ $stderr == *"round 6 took"*"round 8 took"*", the last one"* ]]
	jq -e '.rounds == 3 and .precision_pct == 2 and .goal_pct == 2 and .seconds == null and
		[.due[].programs] == ["good,", "good,", "good,other,", "good,", "good,", ""]' out/run.json
	# Nothing changes for the others: the seeds are those of a plain run.
	drive --out plain --seed 5 --rounds 8
	grep -v other plain/invocations.jsonl | cmp - <(grep -v other out/invocations.jsonl)
	# And somebody watches the noise all the while, to the end.
	jq -se 'map(.round) == [range(9)] and .[7].noise == "between" and
		.[8].noise == "after"' out/noise.jsonl
}

@test "core rows have a round of their own after each round of everything" {
	plan 'good good - 9' 'syscall syscall --size=2 9' 'syscall_cpus syscall --copies=all 9'
	# shellcheck disable=SC2016 # expands in the stub
	stub syscall 'echo "$args" >>args; '"$row"
	printf 'syscall\ngood\n' >due.1
	run -0 --separate-stderr drive --out out --rounds 2 --precision 2
	[[ $(rounds_of good) == '[1,3]' && $(rounds_of syscall_cpus) == '[1,3]' ]]
	[[ $(rounds_of syscall) == '[1,2,3,4,5]' ]]
	[[ $(options looks) == "due --goal 2 --first 4 --least 4 --most 100 $PWD/out" ]]
	[[ $(grep -c -- '--size=2 --core$' args) -eq 3 && $(grep -c -- '--size=2$' args) -eq 2 ]]
	[[ $(grep -c -- '--copies=all$' args) -eq 2 && $(grep -c . args) -eq 7 ]]
	# With a number of rounds and no goal there is none of these.
	rm args
	run -0 --separate-stderr drive --out plain --rounds 2
	run ! grep -- --core args
}

@test "a program with two rows of the suite gets rounds for both" {
	plan 'a.1 good - 9' 'a.2 good - 9' 'b other - 9'
	echo good >due.1
	run -0 drive --out out --precision 2 --rounds 1
	[[ $(rounds_of a.1) == '[1,2]' && $(rounds_of a.2) == '[1,2]' && $(rounds_of b) == '[1]' ]]
}

@test "--precision is refused where it is none" {
	for no in 0 -1 2% two 02 1e3 .5; do
		run -2 --separate-stderr drive --out out --precision "$no"
		[[ $stderr == *"--precision takes a percentage such as 2 or 0.5, not '$no'"* ]]
		[[ $(grep -c . <<<"$stderr") -eq 1 && ! -e out ]]
	done
}

@test "make hands PRECISION on, from its command line only" {
	[[ $(make -n -C "$ROOT" run-all PRECISION=2) == *"run-all "*" --precision '2' "* ]]
	[[ $(PRECISION=2 make -n -C "$ROOT" run-all) != *--precision* ]]
	[[ $(make -n -C "$ROOT" run-all OUT="a'b") == *" --out 'a'\\''b'"* ]]
	[[ $(make -n -C "$ROOT" run-all RESUME=a RESUME_FAILED=1) == *" --resume 'a'"*" --resume-failed"* ]]
}

@test "a look that fails adds nothing, and the run fails" {
	# shellcheck disable=SC2016 # expands in the stub
	sed -i 's/^due)/&\necho "report: no" >\&2; exit 1/' "$bin/report"
	run -1 --separate-stderr drive --out out --precision 2 --rounds 1
	[[ $output == "rows: 2" && $stderr == *"no more rounds: report: no"* ]]
}

@test "Ctrl-C in a later round keeps what there is, --resume completes it" {
	echo good | tee due.1 due.2 due.3 >due.4
	interrupted INT 5 --precision 2 --rounds 2
	[[ $status -eq 130 ]]
	grep -q '^rows: 6$' said
	jq -e '.interrupted and .precision_pct == 2 and (.due | length) == 3' out/run.json
	touch go-on
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $output == "rows: 8" && $(rounds_of good) == '[1,2,3,4,5,6]' ]]
	# Nobody looked again at what had been decided.
	[[ $(wc -l <looks) -eq 5 ]]
	drive --out plain --rounds 6 --seed 3
	grep -v other plain/invocations.jsonl | cmp - <(grep -v other out/invocations.jsonl)
	# All is done: once more is nothing more.
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $(wc -l <out/run/journal.tsv) -eq 8 && $(wc -l <looks) -eq 5 ]]
}

@test "a plan that says what was never decided is refused" {
	run -0 drive --out out --rounds 1
	sed -i 's/^@due\t.*/@due\t7:good;id/' out/run/plan.tsv
	answers 2 "@due: '7:good;id' is no list of rounds" "$ROOT/scripts/run-all" --bin "$bin" --resume out
}

# results DIR ROUNDS...: made-up results; the n-th program has that many rounds
# of a row that costs $COST ns, and every value differs by 1 % from the next.
results() {
	local dir=$1 n i=0

	mkdir "$dir"
	for n in "${@:2}"; do
		jq -nc --arg name "p$((++i))" --argjson n "$n" --argjson cost "${COST:-100}" '
			range(1; $n + 1) as $round | {schema: 1, benchmark: $name,
			case: "x=1", status: "ok", unit: "ns", better: "lower", n: 1,
			samples: 9, iters: 1, estimator: "median", round: $round,
			value: ($cost * (pow(1.01; $round * 3 % 10) + 1e-6 * $round))}' >>"$dir/invocations.jsonl"
	done
	printf '{"schema": 1, "precision_pct": 2, "started_at": "%s", "rounds": 10}' \
		"$dir" >"$dir/run.json"
	printf '{"schema": 1}' >"$dir/machine.json"
	printf '[]' >"$dir/about.json"
}

@test "report due names the programs that need a round" {
	results few 10 5
	# 1 % from value to value: more rounds than these. 5 values have no interval: all
	# rounds for both, and the one that has had more of them waits.
	[[ $("$report" due --all --first 5 few) == p2 ]]
	[[ $("$report" due --all few) == p1 ]]
	[[ $("$report" due --all --goal 20 --least 10 few) == '' ]]
	[[ $("$report" due --all --left 0 few) == '' ]]
	[[ $("$report" due few) == '' ]] # no core row
	sed -i 's/"benchmark":"p1"/&,"tier":"core"/' few/invocations.jsonl
	[[ $("$report" due few) == p1 ]]
	answers 2 "--goal: a number of percent" "$report" due --goal much few
	run -1 --separate-stderr "$report" due nowhere
}

@test "the report says who had how many rounds, and what still misses" {
	results uneven 30 10 20
	run -0 --separate-stderr "$report" make --root "$ROOT" --no-plots uneven
	grep -q '2 of 3 rows are not within the ±2 % that were asked for, after 10 to 30 rounds (p2 1 of 1, p3 1 of 1)' uneven/report.md
	run ! grep 'PROFILE=publish' uneven/report.md
	grep -q 'as a fresh process in each of 10 to 30 rounds[.;]' uneven/report.md
	grep -q 'run again only as often as .* needed to come within ±2 %' uneven/report.md
	grep -q 'p1: .*, 30 rounds' uneven/report.md
	grep -q 'p2: .*, 10 rounds' uneven/report.md
	# Each row has the interval of its own number.
	jq -e '.rows | map([.n] + (.ci95 | map(floor))) ==
		[[30, 103, 106], [10, 101, 108], [20, 102, 107]]' uneven/report.json
	results even 10 10
	run -0 "$report" make --root "$ROOT" --no-plots even
	grep -q 'as a fresh process in each of 10 rounds[.;]' even/report.md
	run ! grep -E 'p1: .* rounds' even/report.md
}

@test "compare and history take each row with its own number of rounds" {
	results a 10 20
	COST=150 results b 30 20
	run -0 --separate-stderr "$report" compare --all a b
	# All of one side are below all of the other.
	grep -Eq '^p1: x=1 .* slower$' <<<"$output"
	grep -Eq '^p2: x=1 .* slower$' <<<"$output"
	[[ $output == *"up to 6 %, not 5 %, have p under 5 %"* ]]
	run -0 --separate-stderr "$report" history a b
	grep -Eq '^ *1 .* 10 to 20 ' <<<"$output"
	grep -Eq '^ *2 .* 20 to 30 ' <<<"$output"
}

@test "what cannot be had is asked for until there are as many rounds as there may be" {
	ln -sf "$report" "$bin/report"
	# A row whose cost differs by 1 % from round to round.
	# shellcheck disable=SC2016 # expands in the stub
	row='jq -nc --argjson round "$round" "{schema: 1, benchmark: \"good\", case: \"x=1\",
		status: \"ok\", unit: \"ns\", better: \"lower\", n: 1, samples: 9, iters: 1, estimator: \"median\",
		tier: \"core\", round: \$round, value: (100 * pow(1.01; \$round * 3 % 10))}"'
	plan 'good good - 20'
	interrupted INT 4 --rounds 3 --precision 0.0001
	[[ $status -eq 130 ]]
	# 100 take their time.
	sed -i 's/^@most\t100$/@most\t9/' out/run/plan.tsv
	touch go-on
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	grep -q 'asked for, after 9 rounds (good 1 of 1)' out/report.md
	jq -e '.rows | map(.n) == [9]' out/report.json
	[[ $(rounds_of good) == "$(jq -nc '[range(1; 10)]')" ]]
	jq -se 'map(.round) | max == 9' out/noise.jsonl
}
