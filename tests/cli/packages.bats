#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What other people's pipelines get: the CI action, and the packs of contrib/.
# The packages themselves: make packages-test.

setup_file() {
	load ../helpers
	# A small run, as the suite's commands on PATH give it.
	export RUN=$BATS_FILE_TMPDIR/run PATH=$BATS_FILE_TMPDIR/bin:$PATH
	mkdir "$BATS_FILE_TMPDIR/bin"
	cat >"$BATS_FILE_TMPDIR/bin/oscost" <<-END
		#!/usr/bin/env bash
		[[ \$1 == run ]] || exec '$BIN'/"\$@"
		args=("\${@:2}")
		for i in "\${!args[@]}"; do [[ \${args[i]} != card ]] || args[i]=quick; done
		exec '$ROOT/scripts/run-all' --bin '$BIN' --only syscall --effort 1 "\${args[@]}" --rounds 2
	END
	chmod +x "$BATS_FILE_TMPDIR/bin/oscost"
	oscost run --out "$RUN" >"$BATS_FILE_TMPDIR/said" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/said"
		return 1
	}
}

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || return
	report=$BIN/report
	action=$ROOT/.github/actions/oscost
}

# workspace: a checkout with two commits, whose programs are there already; they
# are quick.
workspace() {
	mkdir workspace
	(cd "$ROOT" && cp -r --parents scripts bench/*/rows.tsv monitor/rows.tsv plots report/*.tsv \
		"$BATS_TEST_TMPDIR/workspace")
	cp "$BATS_FILE_TMPDIR/bin/oscost-run-all" workspace/scripts/run-all
	printf '%s\n' 'all:' "	mkdir -p build && cp -r '${BIN%/bin}'/bin build" \
		"	! test -d '${BIN%/bin}'/lib || cp -r '${BIN%/bin}'/lib build" >workspace/Makefile
	echo build/ >workspace/.gitignore
	git init -q -b base workspace
	(
		cd workspace || exit
		git config user.name tester
		git config user.email tester@example.invalid
		git add -A && git commit -qm base
		git switch -qc change
		git commit -qm change --allow-empty
	)
	mkdir temp
	echo '{"pull_request": {"number": 17}}' >event.json
	: >summary
	: >outputs
}

# act STATUS ID [NAME=VALUE]...: a step of the action, as a runner runs it.
act() {
	local want=$1 id=$2 command
	shift 2

	command=$(awk -v id="$id" '/^    - id: / { at = $3 == id }
		at && sub(/^      run: \047/, "") && sub(/\047$/, "")' "$action/action.yml")
	[[ -n $command ]] || return
	try "$want" env GITHUB_ACTION_PATH="$action" GITHUB_WORKSPACE="$PWD/workspace" \
		RUNNER_TEMP="$PWD/temp" GITHUB_OUTPUT="$PWD/outputs" GITHUB_STEP_SUMMARY="$PWD/summary" \
		GITHUB_EVENT_PATH="$PWD/event.json" GITHUB_REPOSITORY=some/where \
		OSCOST_BASE=base OSCOST_ONLY=syscall OSCOST_ROUNDS=4 OSCOST_THRESHOLD='' "$@" bash -c "$command"
}

@test "action: no expression stands in a command, each input in a variable" {
	[[ $(grep -c '^      run: ' "$action/action.yml") -eq 3 ]]
	run ! grep -E '^ *run:.*\$\{\{' "$action/action.yml"
	# shellcheck disable=SC2016 # an expression of the action
	[[ $(grep -cE '^        [A-Z_]+: \$\{\{ inputs\.[a-z]+ \}\}$' "$action/action.yml") -eq \
		$(sed -n '/^inputs:/,/^outputs:/p' "$action/action.yml" | grep -c '^  [a-z]*:$') ]]
	run ! grep -P '\t' "$action/action.yml"
}

@test "action: card, comparison with the base, summary and comment" {
	workspace
	act 0 card
	act 0 compare
	grep -qx 'broke=false' outputs
	[[ $(git -C workspace worktree list | wc -l) -eq 1 ]]
	printf '%s\n' '#!/bin/sh' "printf '%s\\n' \"\$@\" >>'$PWD/gh-called'" >gh
	chmod +x gh
	act 0 comment GH_TOKEN=
	[[ ! -e gh-called ]]
	act 0 comment GH_TOKEN=secret PATH="$PWD:$PATH"
	[[ $(head -n 5 gh-called | tr '\n' ' ') == "pr comment 17 --repo some/where " ]]
	cmp "$(tail -n 1 gh-called)" temp/oscost/comment.md
	grep -qx "comment=$PWD/temp/oscost/comment.md" outputs
	grep -q '^    System call (getppid) ' summary
	grep -q "^### This commit against $(git -C workspace rev-parse base)" summary
	grep -q 'syscall' <(sed '1,/^### This/d' summary)
}

@test "action: a row that is slower by more than the threshold fails it, and is told" {
	workspace
	act 0 card
	# The change: each round of it claims a cost ten times as high.
	printf '%s\n' 'all:' "	mkdir -p build/bin && cp '$BIN'/report '$BIN'/machine build/bin" \
		"	printf '%s\\n' '#!/bin/sh' '\"$BIN/syscall\" \"\$\$@\" | sed \"s/\\\"value\\\":/&9/\"' >build/bin/syscall" \
		'	chmod +x build/bin/syscall' >workspace/Makefile
	git -C workspace commit -qam slower
	# A test takes four rounds of each side, and up to half may be set aside.
	act 3 compare OSCOST_THRESHOLD=50 OSCOST_ROUNDS=9
	grep -qx 'broke=true' outputs
	act 0 comment
	grep -q 'slower' summary
}

@test "action: odd inputs are refused, and run nothing" {
	local odd

	workspace
	mkdir -p temp/oscost
	for odd in '$(touch ran)' '`touch ran`' '; touch ran' '../../../bin/touch' '*' '-x' $'a\nb;c' ''; do
		act 2 compare OSCOST_ONLY="$odd"
		[[ $stderr == *"only: "* || $stderr == *"no program "* ]]
		act 2 compare OSCOST_ROUNDS="$odd"
		[[ $stderr == *"rounds must be a number"* ]]
		[[ -z $odd ]] || act 2 compare OSCOST_THRESHOLD="$odd"
		[[ -z $odd ]] || act 2 compare OSCOST_BASE="$odd"
	done
	[[ -z $(find . -name ran) && ! -e temp/oscost/ab ]]
	act 0 compare OSCOST_BASE=
	grep -qx 'There is no base to compare with.' temp/oscost/comment.md
	echo '{"pull_request": {"number": "1; touch ran"}}' >event.json
	act 1 comment GH_TOKEN=secret
	[[ -z $(find . -name ran) ]]
}

@test "phoronix: what the profile looks for is what the test writes" {
	local home=$PWD/home

	mkdir home
	HOME=$home sh "$ROOT/contrib/phoronix/install.sh"
	[[ $(<home/install-exit-status) == 0 ]]
	HOME=$home LOG_FILE=$PWD/log run -0 home/oscost
	[[ $(<home/test-exit-status) == 0 ]]
	"$ROOT/contrib/phoronix/profile" "$report" home/run profile
	cmp "$ROOT/contrib/phoronix/install.sh" profile/install.sh
	# Each row of the card has one value and one rule that finds it.
	[[ $(wc -l <log) -ge 1 && $(grep -cE '^[a-z0-9-]+: [0-9.e+]+$' log) -eq $(wc -l <log) ]]
	diff <(sed 's/ .*/ #_RESULT_#/' log) <(sed -n 's|.*<OutputTemplate>\(.*\)</OutputTemplate>|\1|p' \
		profile/results-definition.xml)
	diff <(sed 's/ .*//' log) <(sed -n 's|.*<LineHint>\(.*\)</LineHint>|\1|p' profile/results-definition.xml)
	PATH=/usr/bin:/bin HOME=$home run -0 sh "$ROOT/contrib/phoronix/install.sh"
	[[ $(<home/install-exit-status) == 2 && $output == *"not installed"* ]]
}

# in_order FILE PATH NAME...: the elements at PATH are some of these, in this order.
in_order() {
	local got

	got=$(xmllint --xpath "$2/*" "$1" | sed -n 's/^ *<\([A-Za-z]*\)[ >/].*/\1/p')
	[[ -n $got ]] && diff <(printf '%s\n' "${@:3}" | grep -xF "$got") <(printf '%s\n' "$got")
}

@test "phoronix: the files are as the Suite's schemas order them" {
	command -v xmllint >/dev/null || skip "no xmllint"
	"$ROOT/contrib/phoronix/profile" "$report" "$ROOT/results/sample" profile
	xmllint --noout profile/*.xml
	in_order profile/test-definition.xml /PhoronixTestSuite/TestInformation Title AppVersion Description \
		ResultScale Proportion ResultQuantifier DisplayFormat SubTitle Executable TimesToRun
	in_order profile/test-definition.xml /PhoronixTestSuite/TestProfile Version SupportedPlatforms SoftwareType \
		TestType License Status SupportedArchitectures ExternalDependencies RequiresRoot EnvironmentSize \
		EnvironmentTestingSize EstimatedTimePerRun ProjectURL InternalTags Maintainer
	in_order profile/results-definition.xml '/PhoronixTestSuite/ResultsParser[last()]' OutputTemplate LineHint \
		DivideResultBy MultiplyResultBy ResultScale ResultProportion ResultPrecision ArgumentsDescription
	[[ $(xmllint --xpath 'count(//ResultsParser)' profile/results-definition.xml) -eq \
		$("$report" export --format tsv "$ROOT/results/sample" | awk -F '\t' 'NR > 1 && $9 != ""' | wc -l) ]]
	[[ $(xmllint --xpath 'count(//ResultsParser[ResultProportion="HIB" and DivideResultBy=1000000])' \
		profile/results-definition.xml) -ge 4 ]]
}

@test "lkp: run prints the rows, and parse gives each a name and its value" {
	mkdir -p lkp/lib result
	printf '%s\n' 'log_cmd() { echo "$@"; "$@"; }' >lkp/lib/reproduce-log.sh
	printf '%s\n' 'die() { echo "$*" >&2; exit 1; }' >lkp/lib/debug.sh
	run -0 --separate-stderr env LKP_SRC="$PWD/lkp" BENCHMARK_ROOT=/nothing TMP_RESULT_ROOT="$PWD/result" \
		profile=quick only=syscall rounds=2 bash "$ROOT/contrib/lkp/programs/oscost/run"
	"$ROOT/contrib/lkp/programs/oscost/parse" <<<"$output" >stats
	diff <("$report" export --format bencher result/oscost-run | jq -r '.[][].value' | xargs -n 1 printf '%.9g\n' | sort) \
		<(sed 's/.*: //' stats | xargs -n 1 printf '%.9g\n' | sort)
	grep -qE '^syscall\.call=getppid\.via=syscall\.ns: [0-9.]+$' stats
	run ! grep -vE '^[A-Za-z0-9_.=+-]+: [0-9.e+-]+$' stats
	printf 'a b,c/d\te:f\t1.5\t\t\tB/s\thigher\tA\t\n#h\tc\tvalue\t\t\t\t\t\t\n' |
		"$ROOT/contrib/lkp/programs/oscost/parse" >odd
	[[ $(<odd) == "a_b.c_per_d.e_f.B_per_s: 1.5" ]]
	run -1 env LKP_SRC="$PWD/lkp" BENCHMARK_ROOT=/nothing TMP_RESULT_ROOT="$PWD/result" PATH=/usr/bin:/bin \
		bash "$ROOT/contrib/lkp/programs/oscost/run"
	[[ $output == "oscost is not installed" ]]
}

@test "mmtests: the shellpack keeps a log, of which each time and round becomes a sample" {
	local pack=$ROOT/contrib/mmtests

	mkdir -p logs lib/MMTests
	run -0 env LOGDIR_RESULTS="$PWD/logs" SHELLPACK_SUCCESS=0 bash "$pack/shellpack_src/src/oscost/oscost-bench"
	cat >lib/MMTests/SummariseMultiops.pm <<-'END'
		package DataTypes;
		use constant LABEL_TIME_NSECONDS => "Time (nsecs)";
		package MMTests::SummariseMultiops;
		sub addData { my ($self, @sample) = @_; print "@sample\n"; }
		1;
	END
	perl -Ilib -I"$pack/bin/lib" -MMMTests::ExtractOscost -e \
		'MMTests::ExtractOscost->new()->extractReport("logs")' >samples
	[[ $(wc -l <samples) -gt 0 && $(wc -l <samples) -eq $(grep -c 'ns/op$' logs/oscost.log) ]]
	# Those of a row are numbered; the values are those of the rows.
	awk '++n[$1] != $2 { exit 1 }' samples
	[[ $(grep -c '^Syscall/call=getppid/via=syscall ' samples) -eq 2 ]]
	diff <(jq -r 'select(.case == "call=getppid,via=syscall") | .value' logs/run/invocations.jsonl |
		xargs printf '%.9g\n' | sort) \
		<(awk '$1 == "Syscall/call=getppid/via=syscall" { print $3 }' samples | xargs printf '%.9g\n' | sort)
	(
		# shellcheck source=/dev/null
		source "$pack/configs/config-workload-oscost"
		# shellcheck source=/dev/null
		source "$pack/drivers/driver-oscost.sh"
		# shellcheck disable=SC2034 # the driver's
		SHELLPACK_INCLUDE=$PWD
		printf '%s\n' '#!/bin/sh' 'echo "$@"' >shellpack-bench-oscost
		chmod +x shellpack-bench-oscost
		[[ $(run_bench) == "--only syscall,process,thread,context_switch,signal,page_fault --rounds 10" ]]
	)
}

@test "the packages have the version of the programs" {
	local version

	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
	[[ $(sed -n '1s/^oscost (\([0-9.]*\)) .*/\1/p' "$ROOT/debian/changelog") == "$version" ]]
	grep -qF "<AppVersion>$version</AppVersion>" "$ROOT/contrib/phoronix/test-definition.xml"
}
