#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No file that a script reads can make bash run a command.

load driver

setup_file() {
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR driver_setup
	drive --out out --rounds 2 --seed 3
}

setup() {
	driver_setup
	# shellcheck disable=SC2016 # bash would run it, wherever it is evaluated
	evil='stopping[$(touch '"$PWD"'/PWNED)]'
}

# planted FILE LINE COLUMN: FILE.sound with the command in one of its fields.
planted() {
	awk -F '\t' -v OFS='\t' -v line="$2" -v column="$3" -v evil="$evil" \
		'NR == line { $column = evil } { print }' "$1.sound" >"$1"
}

# refused FILE LINE COMMAND...: nothing is run, and the line is named.
refused() {
	run -2 --separate-stderr "${@:3}"
	[[ ! -e PWNED ]]
	[[ $stderr == *"$1, line $2: "*"; "* && $(grep -c . <<<"$stderr") -eq 1 ]]
}

# kept FILE: a run of two rounds, that could go on, and FILE of it as it is.
kept() {
	cp -r "$BATS_FILE_TMPDIR/out" .
	cp "out/$1" "out/$1.sound"
}

resumed() { "$ROOT/scripts/run-all" --bin "$bin" --resume out; }

@test "a journal runs nothing" {
	kept run/journal.tsv
	for column in 1 2 3 4 5; do
		planted out/run/journal.tsv 2 "$column"
		refused out/run/journal.tsv 2 resumed
	done
	# A reason is text, and stays it.
	planted out/run/journal.tsv 2 6
	run -0 resumed
	[[ ! -e PWNED ]]
	jq -e --arg evil "$evil" '.programs[1].reason == $evil' out/run.json
}

@test "a journal that cannot be of its plan is refused" {
	kept run/journal.tsv
	for change in '1p' '2s/\t[a-z]*\t/\tthird\t/' '3s/\t[0-9]*\t$/\t0\t/'; do
		sed "$change" out/run/journal.tsv.sound >out/run/journal.tsv
		run -2 --separate-stderr resumed
		[[ $stderr == *"out/run/journal.tsv, line "[23]": "* ]]
	done
}

# More of them: tests/fuzz-report --resume with another seed.
@test "no spoilt plan, journal or suite confuses the driver" {
	kept run/plan.tsv
	rm out/run/plan.tsv.sound
	TMPDIR=$BATS_TEST_TMPDIR run -0 "$ROOT/tests/fuzz-report" --resume out \
		"$suite" 20 1 "$ROOT/scripts/run-all" --bin "$bin"
	[[ $output == "20 runs" ]]
}

@test "a plan runs nothing" {
	local line

	kept run/plan.tsv
	line=$(grep -n '^good' out/run/plan.tsv | cut -d : -f 1)
	for column in 1 2 3 4; do
		planted out/run/plan.tsv "$line" "$column"
		refused out/run/plan.tsv "$line" resumed
	done
	# The settings; what is text goes into run.json or names a directory.
	# shellcheck disable=SC2013 # numbers
	for line in $(grep -n '^@' out/run/plan.tsv.sound | cut -d : -f 1); do
		planted out/run/plan.tsv "$line" 2
		case $(sed -n "${line}p" out/run/plan.tsv) in
		@command_line*)
			run -0 resumed
			[[ ! -e PWNED ]]
			;;
		@dir*)
			run -2 --separate-stderr resumed
			[[ ! -e PWNED && $stderr == *"no file can be made in"* ]]
			;;
		*) refused out/run/plan.tsv "$line" resumed ;;
		esac
		planted out/run/plan.tsv "$line" 1
		refused out/run/plan.tsv "$line" resumed
	done
}

@test "a plan names files and hosts for a program only if the suite does" {
	plan 'good good --log=/x/y 20' 'other other --size=1 20'
	drive --out out --rounds 1
	run -2 --separate-stderr resumed
	[[ $stderr == *"plan.tsv, line "*"--log=/x/y"*"--suite FILE"* ]]
	run -0 drive --resume out
}

@test "what else lies in the directory runs nothing" {
	cp -r "$BATS_FILE_TMPDIR/out" .
	for file in run.json machine.json peer.json run/about.json noise.jsonl; do
		[[ -e out/$file ]] || continue
		jq --arg evil "$evil" '(.. | scalars) |= $evil' "out/$file" >new
		mv new "out/$file"
		run resumed
		[[ ! -e PWNED ]]
	done
	# Output of our own programs is checked, too.
	cat >"$bin/report" <<-EOT
		#!/usr/bin/env bash
		echo '{"tsc": {"hz": $evil}, "rows": "$evil"}'
		echo '$evil $evil $evil'
	EOT
	cp "$bin/report" "$bin/machine"
	run drive --out other --rounds 1 --precision 2
	[[ ! -e PWNED ]]
}

@test "a suite runs nothing" {
	cp "$suite" "$suite.sound"
	for column in 1 2 4; do
		planted "$suite" 2 "$column"
		refused suite.tsv 2 drive --out out
	done
	planted "$suite" 2 3
	run drive --out out
	[[ ! -e PWNED ]]
}

@test "a table of packages runs nothing" {
	printf 'run\tmust\tcmd:no-such\ta\tb\tc\td\te\n' >packages.tsv.sound
	for column in 2 3 4 5 6 7 8; do
		planted packages.tsv 1 "$column"
		refused packages.tsv 1 "$ROOT/scripts/setup" --check --table packages.tsv
	done
	# The first one names the sets that there are.
	planted packages.tsv 1 1
	run -2 "$ROOT/scripts/setup" --check --table packages.tsv
	[[ ! -e PWNED && $output == *"unknown set 'run'"* ]]
	# Nor is a name an option of the package manager.
	sed 's/\ta\t/\t--root=x\t/' packages.tsv.sound >packages.tsv
	refused packages.tsv 1 "$ROOT/scripts/setup" --check --table packages.tsv
}

@test "an undo file runs nothing and writes only what tune sets" {
	mkdir -p fake/sys/kernel/mm/ksm
	echo 0 >fake/sys/kernel/mm/ksm/run
	echo keep >fake/sys/kernel/mm/ksm/other
	printf '%s\t1\n' "$PWD/fake/sys/kernel/mm/ksm/run" >undo.sound
	tune=("$ROOT/scripts/tune" --root "$PWD/fake" --state "$PWD/undo")
	for column in 1 2; do
		planted undo 1 "$column"
		run "${tune[@]}" undo
		[[ ! -e PWNED ]]
	done
	sed 's/run\t/other\t/' undo.sound >undo
	run -1 --separate-stderr "${tune[@]}" undo
	[[ $stderr == *"none of our files"* && $(<fake/sys/kernel/mm/ksm/other) == keep ]]
	# Somebody else's, or a link to one.
	mv undo elsewhere
	ln -s elsewhere undo
	answers 2 "not obeyed" "${tune[@]}" undo
}

@test "no script evaluates what it has read without a look at it" {
	mapfile -t scripts < <(find "$ROOT/scripts" -type f ! -name '*.tsv' ! -name '*.awk' ! -name '*.jq')
	((${#scripts[@]} > 30))
	run -0 "$ROOT/tests/lint-fields" "${scripts[@]}"
}

@test "and what does is found, each line of it and no other" {
	planted=$ROOT/tests/fixtures/evaluated/planted.bash
	run -1 "$ROOT/tests/lint-fields" "$planted"
	sed -n 's/.*planted\.bash:\([0-9]*\): .*/\1/p' <<<"$output" | sort -n >found
	grep -n '# bad$' "$planted" | cut -d : -f 1 >marked
	diff marked found
}
