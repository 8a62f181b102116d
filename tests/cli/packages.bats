#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What other people's pipelines get: the CI action, and the packs of contrib/.
# The packages themselves: make packages-test.

setup_file() {
	load ../helpers
	# A small run, as the suite's commands on PATH give it.
	export RUN=$BATS_FILE_TMPDIR/run PATH=$BATS_FILE_TMPDIR/bin:$PATH
	calmly
	mkdir "$BATS_FILE_TMPDIR/bin"
	cat >"$BATS_FILE_TMPDIR/bin/oscost" <<-END
		#!/usr/bin/env bash
		[[ \$1 == run ]] || exec '$BIN'/"\$@"
		args=("\${@:2}")
		for i in "\${!args[@]}"; do [[ \${args[i]} != card ]] || args[i]=quick; done
		exec '$ROOT/scripts/run-all' --bin '$BIN' ${calm[*]:+--prio 1} --only syscall --effort 100 "\${args[@]}" --rounds 2
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
	action=$ROOT/.github/actions/oscost
}

# workspace: somebody's project, and the tree that the action comes from, whose static
# file is there already; its programs are quick.
workspace() {
	mkdir workspace temp tree
	(cd "$ROOT" && cp -r --parents .github scripts bench/*/rows.tsv monitor/rows.tsv plots report/*.tsv \
		"$BATS_TEST_TMPDIR/tree")
	mv tree/scripts/run-all tree/scripts/run-all.real
	cat >tree/scripts/run-all <<-'END'
		#!/usr/bin/env bash
		exec "$0.real" "${@/#card/quick}" --only syscall --effort 20 --rounds 4
	END
	chmod +x tree/scripts/run-all
	cat >tree/oscost-static <<-END
		#!/bin/sh
		[ "\$1" != --list ] || { cd '$BIN'; ls | grep -v report; exit; }
		exec '$BIN'/"\${0##*/}" "\$@"
	END
	chmod +x tree/oscost-static
	printf '%s\n' 'static: all' 'all:' "	mkdir -p build/bin && cp oscost-static build && cp '$BIN'/report build/bin" >tree/Makefile
	action=$PWD/tree/.github/actions/oscost
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
		OSCOST_MODE=card OSCOST_A='' OSCOST_B='' OSCOST_WRAP_A='' OSCOST_WRAP_B='' OSCOST_BASELINE='' OSCOST_ONLY=syscall OSCOST_ROUNDS=4 \
		OSCOST_THRESHOLD='' "$@" bash -c "$command"
}

@test "action: no expression stands in a command, each input in a variable" {
	[[ $(grep -c '^      run: ' "$action/action.yml") -eq 3 ]]
	run ! grep -E '^ *run:.*\$\{\{' "$action/action.yml"
	# shellcheck disable=SC2016 # an expression of the action
	[[ $(grep -cE '^        [A-Z_]+: \$\{\{ inputs\.[a-z-]+ \}\}$' "$action/action.yml") -eq \
		$(sed -n '/^inputs:/,/^outputs:/p' "$action/action.yml" | grep -c '^  [a-z-]*:$') ]]
	run ! grep -P '\t' "$action/action.yml"
}

@test "action: card, summary and comment" {
	workspace
	act 0 build
	act 0 measure
	grep -qx "result=$PWD/temp/oscost/run.tar.gz" outputs
	printf '%s\n' '#!/bin/sh' "printf '%s\\n' \"\$@\" >>'$PWD/gh-called'" >gh
	chmod +x gh
	act 0 comment GH_TOKEN=
	[[ ! -e gh-called ]]
	act 0 comment GH_TOKEN=secret PATH="$PWD:$PATH"
	[[ $(head -n 5 gh-called | tr '\n' ' ') == "pr comment 17 --repo some/where " ]]
	cmp "$(tail -n 1 gh-called)" temp/oscost/comment.md
	grep -qx "comment=$PWD/temp/oscost/comment.md" outputs
	grep -q '^    Linux .* CPUs\? of ' summary
}

@test "action: two wrappers in turn; a row that is slower by more than the threshold fails it" {
	workspace
	act 0 build
	act 0 measure OSCOST_MODE=ab OSCOST_WRAP_B='nice -n 0'
	grep -qx 'broke=false' outputs
	grep -q '^### A against B' temp/oscost/comment.md
	# Side B claims a cost ten times as high in each round.
	printf '%s\n' '#!/bin/sh' '"$@" | sed "s/\"value\":/&9/"' >slower
	chmod +x slower
	rm -r temp/oscost/ab
	# A test takes four rounds of each side, and up to half may be excluded.
	act 3 measure OSCOST_MODE=ab OSCOST_WRAP_B="$PWD/slower" OSCOST_THRESHOLD=50 OSCOST_ROUNDS=9
	grep -qx 'broke=true' outputs
	act 0 comment
	grep -q 'slower' summary
}

@test "action: two commands of the project in turn, in its directory" {
	workspace
	act 0 build
	printf '%s\n' '#!/bin/sh' "echo \"\$1\" >>'$PWD/ran'" 'sleep "$1"' >workspace/tool
	chmod +x workspace/tool
	act 3 measure OSCOST_MODE=ab OSCOST_A='./tool 0.02' OSCOST_B='./tool 0.2' OSCOST_THRESHOLD=50 OSCOST_ROUNDS=9
	grep -qx 'broke=true' outputs
	[[ $(sort -u ran | tr '\n' ' ') == '0.02 0.2 ' ]]
	grep -q 'command: time=wall' temp/oscost/comment.md
	# The suite itself is not measured.
	[[ $(jq -r .benchmark temp/oscost/ab/[ab]/invocations.jsonl | sort -u) == command ]]
	act 2 measure OSCOST_MODE=ab OSCOST_A=true
	[[ $stderr == *"give two commands, a and b"* ]]
	act 2 measure OSCOST_MODE=ab OSCOST_A=true OSCOST_B=false OSCOST_WRAP_B=nice
}

@test "action: a run is the baseline of the next" {
	workspace
	act 0 build
	act 0 measure OSCOST_MODE=baseline OSCOST_BASELINE=none.tar.gz
	grep -q '^There is no baseline' temp/oscost/comment.md
	cp temp/oscost/run.tar.gz workspace/base.tar.gz
	act 0 build
	act 0 measure OSCOST_MODE=baseline OSCOST_BASELINE=base.tar.gz OSCOST_THRESHOLD=999
	grep -q '^### This runner against the baseline' temp/oscost/comment.md
	grep -q syscall temp/oscost/comment.md
	act 0 build
	echo nonsense >workspace/base.tar.gz
	act 2 measure OSCOST_MODE=baseline OSCOST_BASELINE=base.tar.gz
	# Before anything is measured.
	[[ ! -e temp/oscost/run ]]
}

@test "action: odd inputs are refused, and run nothing" {
	local odd name

	workspace
	mkdir -p temp/oscost/bin
	for odd in '$(touch ran)' '`touch ran`' '; touch ran' '../../../bin/touch' '*' '-x' $'a\nb;c' ''; do
		act 2 measure OSCOST_MODE=ab OSCOST_WRAP_B=nice OSCOST_ONLY="$odd"
		[[ $stderr == *"only: "* || $stderr == *"no program "* ]]
		act 2 measure OSCOST_ROUNDS="$odd"
		[[ $stderr == *"rounds takes 4 to 1000"* ]]
		act 2 measure OSCOST_MODE="$odd" # no word
		[[ -z $odd ]] || act 2 measure OSCOST_THRESHOLD="$odd"
	done
	act 2 measure OSCOST_MODE=ab
	[[ $stderr == *"both sides are the same"* ]]
	[[ -z $(find . -name ran) && ! -e temp/oscost/ab ]]
	echo '{"pull_request": {"number": "1; touch ran"}}' >event.json
	echo text >temp/oscost/comment.md
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
	grep -qE '^syscall\.op=getppid\.by=syscall\.ns: [0-9.]+$' stats
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
	grep -q '^Syscall/' samples
	# A round whose value is too small to measure counts in the row, without a value of its own.
	comm -23 <(jq -r 'select(.case == "op=getppid,by=syscall") | .value // empty' logs/run/invocations.jsonl |
		xargs printf '%.9g\n' | sort) \
		<(awk '$1 == "Syscall/op=getppid/by=syscall" { print $3 }' samples | xargs printf '%.9g\n' | sort) >lost
	[[ ! -s lost ]]
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
