#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
#
# More rounds for what is not precise: the driver with stub programs, a small
# real run, and the report of unequal rounds.

load driver

setup() {
	driver_setup
	stub_wide
	report=${BIN:-${BUILD:-$ROOT/build}/bin}/report
}

# stub_wide: the n-th look says what is in the file wide.n, if there is one.
stub_wide() {
	sed -i '/^make)/i\
wide)\
	echo "$*" >>looks\
	cat "wide.$(grep -c . looks)" 2>/dev/null || :\
	;;' "$bin/report"
	# shellcheck disable=SC2016 # expands in the stub
	echo '[[ $1 != noise ]] || echo "{\"noise\": \"$5\", \"round\": $7}"' >>"$bin/machine"
}

# rounds_of ID: how many invocations it had.
rounds_of() { jq "[.programs[] | select(.id == \"$1\")] | length" out/run.json; }

@test "without PRECISION nobody looks, and nothing is added" {
	run -0 --separate-stderr drive --out out
	[[ $output == "rows: 20" && ! -e looks ]]
	[[ $stderr != *"more rounds"* ]]
	jq -e '.precision_pct == null and .wide == []' out/run.json
}

@test "PRECISION adds rounds to the programs that need them, twice" {
	printf 'good\t4\t9\n' | tee wide.1 wide.2 >wide.3
	run -0 --separate-stderr drive --out out --seed 5 --precision 2
	[[ $output == "rows: 40" && $(rounds_of good) -eq 30 && $(rounds_of other) -eq 10 ]]
	[[ $(sort -u looks) == "wide --within 2 $PWD/out" && $(wc -l <looks) -eq 3 ]]
	[[ $stderr == *"10 more rounds of: good (4 of 9 rows wider than 2 %); "*" left"* ]]
	[[ $(grep -c 'more rounds of' <<<"$stderr") -eq 2 ]]
	[[ $stderr == *"round 10 of 20 took"*"round 20 of 30 took"*"round 30 of 30 took"* ]]
	[[ $stderr == *"after round 30 these are still not precise: good (4 of 9 rows wider than 2 %)"* ]]
	jq -e '.rounds == 10 and .precision_pct == 2 and
		.wide == [10, 20, 30 | {after_round: ., program: "good",
		rows_wide: 4, rows: 9}]' out/run.json
	# Of the others nothing is changed: the seeds are those of a plain run.
	drive --out plain --seed 5 --rounds 30
	grep -v other plain/invocations.jsonl | cmp - <(grep -v other out/invocations.jsonl)
	# And somebody watches the noise all the while, to the end.
	jq -se 'map(.round) == [range(31)] and .[29].noise == "between" and
		.[30].noise == "after"' out/noise.jsonl
}

@test "PRECISION stops when all are precise" {
	printf 'good\t4\t9\nother\t1\t1\n' >wide.1
	run -0 --separate-stderr drive --out out --precision 0.5
	[[ $(rounds_of good) -eq 20 && $(rounds_of other) -eq 20 ]]
	[[ $stderr == *"of: good (4 of 9 rows wider than 0.5 %), other (1 of 1); "* ]]
	[[ $stderr == *"after round 20 no row is wider than 0.5 %"* ]]
	jq -se '.[-1].round == 20 and .[-1].noise == "after"' out/noise.jsonl
}

@test "a program with two rows of the suite gets rounds for both" {
	plan 'a.1 good - 9' 'a.2 good - 9' 'b other - 9'
	printf 'good\t1\t9\n' >wide.1
	run -0 drive --out out --precision 2
	[[ $(rounds_of a.1) -eq 20 && $(rounds_of a.2) -eq 20 && $(rounds_of b) -eq 10 ]]
}

@test "PRECISION begins where the run does" {
	printf 'good\t1\t9\n' | tee wide.1 >wide.2
	run -0 drive --out out --profile publish --precision 2
	[[ $(rounds_of good) -eq 30 && $(rounds_of other) -eq 20 ]]
	jq -e '[.wide[].after_round] == [20, 30]' out/run.json
}

@test "PRECISION is refused where nobody may look" {
	refuse() {
		run -2 --separate-stderr drive --out out "${@:2}"
		[[ $stderr == *"$1"* && $(grep -c . <<<"$stderr") -eq 1 && ! -e out ]]
	}
	refuse "begin with 10 (PROFILE=default), 20 (PROFILE=publish) or 30, not 7" \
		--profile quick --precision 2
	refuse "or 30, not 15" --rounds 15 --precision 2
	for no in 0 -1 2% two 02 1e3 .5; do
		refuse "PRECISION must be a percentage such as 2 or 0.5, not '$no'" \
			--precision "$no"
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
	sed -i 's/^wide)/&\necho "report: no" >\&2; exit 1/' "$bin/report"
	run -1 --separate-stderr drive --out out --precision 2
	[[ $output == "rows: 20" && $stderr == *"no rounds are added: report: no"* ]]
}

@test "Ctrl-C in an added round keeps what there is, --resume completes it" {
	printf 'good\t4\t9\n' >wide.1
	cp wide.1 wide.2
	interrupted INT 13 --precision 2
	[[ $status -eq 130 ]]
	grep -q '^rows: 22$' said
	jq -e '.interrupted and .precision_pct == 2 and (.wide | length) == 1' out/run.json
	touch go-on
	run -0 --separate-stderr "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $output == "rows: 40" && $(rounds_of good) -eq 30 ]]
	# Nobody looked again in the middle: once after each of 10, 20 and 30.
	[[ $(wc -l <looks) -eq 3 ]]
	drive --out plain --rounds 30 --seed 3
	grep -v other plain/invocations.jsonl | cmp - <(grep -v other out/invocations.jsonl)
	# All is done: once more is nothing more.
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
	[[ $(wc -l <out/journal.tsv) -eq 40 ]]
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

@test "report wide names the programs and counts their rows" {
	results few 10 5
	# The 2nd to the 9th of 10 values; of 5 there is no interval.
	[[ $("$report" wide --within 2 few) == $'p1\t1\t1\np2\t1\t1' ]]
	[[ $("$report" wide --within 10 few) == $'p2\t1\t1' ]]
	[[ $("$report" wide few) == $'p1\t1\t1\np2\t1\t1' ]]
	run -2 --separate-stderr "$report" wide --within much few
	[[ $stderr == *"--within: a number of percent"* ]]
	run -1 --separate-stderr "$report" wide nowhere
}

@test "the report says who had how many rounds, and what still misses" {
	results uneven 30 10 20
	run -0 --separate-stderr "$report" make --root "$ROOT" --no-plots uneven
	grep -q '2 of 3 rows are not within the ±2 % that were asked for, after 10 to 30 rounds (p2 1 of 1, p3 1 of 1)' uneven/report.md
	run ! grep 'PROFILE=publish' uneven/report.md
	grep -q 'in each of 10 to 30 rounds\. A value' uneven/report.md
	grep -q 'from the 2nd to the 9th of the 10 .* Of 20 values it runs from the 6th to the 15th (95\.9.%)\. Of 30 values it runs from the 10th to the 21st (95\.7.%)' uneven/report.md
	grep -q 'got 10 more rounds, .* looked at after 10, 20 and 30 rounds at most' uneven/report.md
	grep -q 'p1: .*, 30 rounds' uneven/report.md
	grep -q 'p2: .*, 10 rounds' uneven/report.md
	# Each row has the interval of its own number.
	jq -e '.rows | map([.n] + (.ci95 | map(floor))) ==
		[[30, 103, 106], [10, 101, 108], [20, 102, 107]]' uneven/report.json
	results even 10 10
	run -0 "$report" make --root "$ROOT" --no-plots even
	grep -q 'in each of 10 rounds\. A value' even/report.md
	run ! grep -E 'p1: .* rounds' even/report.md
}

@test "compare and history take each row with its own number of rounds" {
	results a 10 20
	COST=150 results b 30 20
	run -0 --separate-stderr "$report" compare --all a b
	# All of one side are below all of the other.
	grep -Eq '^p1: x=1 .* slower$' <<<"$output"
	grep -Eq '^p2: x=1 .* slower$' <<<"$output"
	[[ $output == *"up to 8 %, not 5 %, have p under 5 %"* ]]
	run -0 --separate-stderr "$report" history a b
	grep -Eq '^ *1 .* 10 to 20 ' <<<"$output"
	grep -Eq '^ *2 .* 20 to 30 ' <<<"$output"
}

@test "a small real run, with what cannot be had" {
	unset bin
	run -0 --separate-stderr "$ROOT/scripts/run-all" --only signal --effort 1 \
		--bin "${report%/*}" --out never --precision 0.0001
	[[ $stderr == *"10 more rounds of: signal ("*" rows wider than 0.0001 %)"* ]]
	grep -q 'asked for, after 30 rounds (signal ' never/report.md
	# In a short round a row may be below resolution.
	jq -e '.rows | all(.n <= 30) and any(.n > 10)' never/report.json
	jq -e '[.programs[].round] == [range(1; 31)]' never/run.json
	jq -se 'map(.round) | max == 30' never/noise.jsonl
}
