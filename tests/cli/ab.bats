#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The interleaved comparison, with programs that only pretend to measure.

load driver

setup() {
	local report=${BIN:-${BUILD:-$ROOT/build}/bin}/report

	cd "$BATS_TEST_TMPDIR" || return
	trace=$BATS_TEST_TMPDIR/trace
	for side in a b; do
		mkdir "$side"
		ln -s "$report" "${report%/*}/machine" "$side"
	done
	fake a 1
	fake b 1
}

# fake SIDE FACTOR: programs one and two, whose rows cost FACTOR times 100 ns
# and up to 2 % of noise that the seed decides.
fake() {
	for name in one two; do
		cat >"$1/$name" <<EOT
#!/usr/bin/env bash
while ((\$#)); do
	case \$1 in --round) round=\$2 ;; --seed) seed=\$2 ;; esac
	shift
done
echo "$1 $name \$round" >>"$trace"
awk -v seed="\$seed" -v round="\$round" -v factor="$2" 'BEGIN {
	printf "{\"schema\": 1, \"benchmark\": \"$name\", \"case\": \"x=1\", "
	printf "\"status\": \"ok\", \"unit\": \"ns\", \"better\": \"lower\", "
	printf "\"value\": %.6f, ", 100 * factor * (1 + seed % 1000 / 50000)
	printf "\"n\": 1, \"samples\": 9, \"iters\": 1, \"round\": %d}\n", round
}'
EOT
		chmod +x "$1/$name"
	done
}

ab() { "$ROOT/scripts/ab" --a "$PWD/a" --b "$PWD/b" --only "one two" --seed 7 --out out "$@"; }

@test "each round runs both sides, in an order that changes" {
	run -0 --separate-stderr ab --rounds 8
	[[ $(wc -l <trace) -eq 32 ]]
	[[ $(wc -l <out/a/invocations.jsonl) -eq 16 ]]
	[[ $(wc -l <out/b/invocations.jsonl) -eq 16 ]]
	# No round begins before the one before is over.
	cut -d ' ' -f 3 trace | sort -nc
	# Both sides come first at times.
	[[ $(awk 'NR % 2 { print $1 }' trace | sort -u | wc -l) -eq 2 ]]
	grep -q "in one session, interleaved" out/compare.md
	[[ -s out/compare.html && -s out/compare.md ]]
}

@test "--prio is the priority of each program" {
	chrt -r 7 true 2>/dev/null || skip 'may have no real-time priority'
	# shellcheck disable=SC2016 # expands in the program
	sed -i '2i chrt -p $$ >>'"$PWD/policies" a/one b/two
	run -0 --separate-stderr ab --rounds 4 --prio 7
	[[ $(grep -c 'SCHED_RR$' policies) -eq 8 && $(grep -c 'priority: 7$' policies) -eq 8 ]]
	answers 2 "--prio takes 1 to 99, not '100'" ab --prio 100
}

@test "a planted slowdown is found, with its size" {
	fake b 1.05
	run -3 --separate-stderr ab --threshold 3
	[[ ${lines[0]} == 'B is slower: 2 of 2 rows differ by more than 2.0 %.' ]]
	read -r difference low high ratio < <(sed -nE \
		's/^one: x=1 .* \+([0-9.]+) ns \[\+([0-9.]+), \+([0-9.]+)\] +([0-9.]+) \[.* slower$/\1 \2 \3 \4/p' <<<"$output")
	awk -v d="$difference" -v l="$low" -v h="$high" -v r="$ratio" \
		'BEGIN { exit !(l <= 5 && 5 <= h && d > 3 && d < 7 && r > 1.03 && r < 1.07) }'
	run -0 --separate-stderr ab --threshold 30 --out again
}

@test "what the same shows against itself is no difference either" {
	fake b 1.05
	run -0 --separate-stderr ab
	grep -Eq '^one: x=1 .* slower$' <<<"$output"
	# As if the same thing had once come out 20 % apart.
	fake b 1.2
	run -1 --separate-stderr ab --same --out aa
	fake b 1.05
	run -0 --separate-stderr ab --aa aa --out again
	[[ ${lines[0]} == 'B: no difference is large enough to matter (more than 2.0 %) in 2 rows.' ]]
	run -0 "${BIN:-$ROOT/build/bin}/report" compare --all --aa aa out/a out/b
	grep -Eq '^one: x=1 .* too small to matter .* 2[01] %$' <<<"$output"
	run -1 --separate-stderr "${BIN:-$ROOT/build/bin}/report" compare --aa nowhere out/a out/b
	[[ $stderr == *"--aa: nowhere/a/invocations.jsonl"* ]]
}

@test "the same against itself gives no alarm" {
	# A seed with which the noise is no alarm: 1 row in 20 is one.
	run -0 --separate-stderr ab --same --seed 1
	grep -q '^False alarms: 0 of 2 rows' <<<"$output"
	fake b 1.2
	run -1 --separate-stderr ab --same --out again
	grep -q '^False alarms: 2 of 2 rows .* too many' <<<"$output"
}

@test "settings and commands of each side" {
	run -0 --separate-stderr ab --rounds 6 --set-a 'echo set a >>trace' \
		--set-b 'echo set b >>trace' --wrap-b "env MARK=1"
	[[ $(grep -c 'set a' trace) -eq 12 && $(grep -c 'set b' trace) -eq 12 ]]
	# Before each invocation its own side's setting.
	awk '$1 == "set" { side = $2; next } $1 != side { exit 1 }' trace
	jq -e '.setting == "echo set a >>trace"' out/a/run.json
	answers 1 "--set-b failed" ab --set-b false --out again
}

@test "misuse and full directories are refused" {
	run -2 --separate-stderr ab --rounds 3
	[[ $stderr == "ab: --rounds takes 4 to 1000, not '3'" ]]
	answers 2 "no program" ab --only nothing
	run -2 --separate-stderr ab --only thwo
	[[ $stderr == *"no program $PWD/a/thwo; did you mean two?" ]]
	run -2 --separate-stderr ab --ruonds 4
	[[ $stderr == "ab: unknown argument '--ruonds'; did you mean --rounds?" ]]
	run -2 --separate-stderr "$ROOT/scripts/ab"
	[[ $stderr == 'usage: ab [OPTION]...'* ]]
	for word in abc -1 '5 %'; do
		run -2 --separate-stderr ab --threshold "$word"
		[[ $stderr == *"--threshold takes a percentage such as 2 or 0.5, not '$word'" && ! -e out ]]
	done
	run -0 --separate-stderr ab --rounds 4
	answers 2 "a is not empty; name another one" ab --rounds 4
}

@test "a program that fails leaves its rows out and the rest is compared" {
	printf '#!/bin/sh\necho broken >&2; exit 1\n' >b/two
	answers 0 "side b: two failed in round 1" ab --rounds 6
	grep -q broken out/b/log.txt
	run -0 "${BIN:-$ROOT/build/bin}/report" compare --all out/a out/b
	[[ $output == *"B has no such row"* ]]
}

@test "a side that gives no row in the first round ends it, with the reason" {
	printf '#!/bin/sh\necho broken >&2; exit 1\n' | tee b/one >b/two
	run -1 --separate-stderr ab
	[[ ${stderr_lines[-1]} == *"side b gave no row: there is nothing to compare: broken" ]]
	run ! grep -q ' 2$' trace
	run -2 --separate-stderr ab --wrap-b nosuchcommand --out again
	[[ $stderr == "ab: side b: there is no command 'nosuchcommand'" && ! -e again ]]
}

@test "two commands of the shell are compared by their times" {
	rm a/one a/two b/one b/two
	ab=("$ROOT/scripts/ab" --a "$PWD/a" --seed 7)
	run -0 --separate-stderr "${ab[@]}" --rounds 4 --out out 'sleep 0.01' 'i=0; sleep 1; exit $i'
	[[ ${lines[0]} == 'B is slower: '* ]]
	grep -Eq '^command: time=wall  +.* \+.* m?s \[.*\] .* slower' <<<"$output"
	jq -e '.command == "sleep 0.01"' out/a/run.json
	run -1 --separate-stderr "${ab[@]}" --rounds 4 --out bad true 'echo no >&2; exit 3'
	[[ ${stderr_lines[-1]} == *'side b gave no row: '*': no' ]]
	run -2 --separate-stderr "${ab[@]}" true
	[[ $stderr == 'ab: two commands are compared'* ]]
	run -2 --separate-stderr "${ab[@]}" true 'nosuchcommand 1'
	[[ $stderr == "ab: side b: there is no command 'nosuchcommand'" ]]
}
