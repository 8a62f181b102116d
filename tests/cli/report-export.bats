#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the report writes for other programs.

setup() {
	load ../helpers
	report_setup .
}

export_as() { "$report" export --format "$1" "$2"; }

@test "gobench: a line for each invocation, name, count, value, unit" {
	run -0 --separate-stderr export_as gobench small
	[[ ${lines[0]} == "goos: linux" ]]
	[[ $(grep -c '^BenchmarkSyscall/op=getpid/by=libc ' <<<"$output") -eq 6 ]]
	run ! grep -vE '^(goos|goarch|pkg|cpu): .|^Benchmark[A-Z][^ ]* [0-9]+ [0-9.e+-]+ [^ ]+$' \
		<<<"$output"
}

@test "openmetrics: families in one piece, base units, an end" {
	run -0 --separate-stderr export_as openmetrics small
	[[ ${lines[-1]} == "# EOF" ]]
	grep -q '^oscost_cost_seconds{benchmark="syscall",case="op=getpid,by=libc"} 1.025e-07$' \
		<<<"$output"
	grep -q '^oscost_grade{benchmark="syscall",case="op=getpid,by=libc"} 2$' <<<"$output"
	grep -q '^oscost_cost_low_seconds{.*op=getpid,by=libc.*} 1e-07$' <<<"$output"
	[[ $(sed 's/^# TYPE //; s/[ {].*//' <<<"$output" | grep '^oscost' | uniq |
		sort | uniq -d) == '' ]]
}

@test "dashboard: smaller and bigger apart" {
	run -0 --separate-stderr export_as dashboard small
	jq -e '.[] | select(.name == "syscall op=getpid,by=libc") |
		.unit == "ns" and .value == 102.5 and .range == "± 2.5"' <<<"$output"
	jq -c 'select(.benchmark == "files") | .case = "size=8K" | .status = "ok" |
		.value = 2.5e9' small/invocations.jsonl >rows
	cat rows >>small/invocations.jsonl
	run -0 --separate-stderr export_as dashboard-bigger small
	jq -e 'map({name, unit, value}) == [{name: "files size=8K", unit: "B/s",
		value: 2.5e9}]' <<<"$output"
	run -0 --separate-stderr export_as dashboard small
	jq -e 'all(.[]; .name | startswith("files") | not)' <<<"$output"
	run -0 --separate-stderr export_as openmetrics small
	grep -q '^oscost_rate_bytes_per_second{benchmark="files",case="size=8K"} 2500000000$' \
		<<<"$output"
}

@test "csv and json are those of make; other names are refused" {
	run -0 --separate-stderr "$report" make --no-plots --root "$ROOT" small
	export_as csv small | cmp - small/report.csv
	"$BIN/nop" --effort 1 --csv >nop.csv
	[[ $(head -1 nop.csv) == "$(head -1 small/report.csv)" ]]
	export_as json small | cmp - small/report.json
	run -2 --separate-stderr export_as sundial small
	[[ $stderr == *"--format sundial: expected csv, "* && $stderr != *"did you mean"* ]]
	run -2 --separate-stderr export_as opnmetrics small
	[[ $stderr == *"; did you mean openmetrics?" ]]
	run -1 --separate-stderr export_as csv nowhere
}

@test "tsv: nine columns, numbers as they are, the words of the card" {
	local sample=$ROOT/results/sample

	run -0 --separate-stderr export_as tsv "$sample"
	[[ ${lines[0]} == "#benchmark	case	value	low	high	unit	better	grade	words" ]]
	[[ $(awk -F '\t' 'NF != 9' <<<"$output") == '' ]]
	[[ $(awk -F '\t' 'NR > 1 && $9 != ""' <<<"$output" | wc -l) -eq $("$report" card "$sample" | grep -c '  [A-D]$') ]]
	run -0 --separate-stderr export_as tsv small
	grep -qx 'syscall	op=getpid,by=libc	102.5	100	105	ns	lower	B	' <<<"$output"
	run -0 --separate-stderr export_as tsv hostile
	[[ $(awk -F '\t' 'NF != 9' <<<"$output") == '' ]]
	run ! grep -P '[^\t\n -~\x80-\xff]' <<<"$output"
}

@test "card: the names of the card, each once, and what they cost" {
	local sample=$ROOT/results/sample

	run -0 --separate-stderr export_as card "$sample"
	jq -e 'length > 20 and (map(.name) | unique | length) == length and
		all(.status and (.status != "ok" or (.value > 0 and .unit)))' <<<"$output"
	run -0 --separate-stderr export_as card small
	jq -e 'map([.name, .status, .value]) == [["Procedure call, no arguments", "ok", 2.025],
		["System call (getpid by int 0x80)", "skipped", null]]' <<<"$output"
}

@test "no cell of text is a formula; numbers stay numbers" {
	jq -c 'if .benchmark == "truth" then .case = "=1+1" | .value = -2 else . end' \
		small/invocations.jsonl >spoilt
	mv spoilt small/invocations.jsonl
	run -0 --separate-stderr export_as csv small
	grep -q "^2,truth,'=1+1,.*,ok,.*,-2.0," <<<"$output"
	run -0 --separate-stderr export_as tsv small
	grep -q $'^truth\t\'=1+1\t-2\t' <<<"$output"
	run -0 --separate-stderr export_as tsv hostile
	run ! grep -P '(^|\t)[=+@]' <<<"$output"
}

@test "hostile names stay values" {
	run -0 --separate-stderr export_as openmetrics hostile
	run ! grep -vE '^# (TYPE|UNIT|HELP|EOF)|^oscost_[a-z_]+\{benchmark="([^"\\]|\\.)*",case="([^"\\]|\\.)*"\} [0-9.e+-]+$' \
		<<<"$output"
	run -0 --separate-stderr export_as gobench hostile
	run ! grep -P '\x1b' <<<"$output"
	run -0 --separate-stderr export_as dashboard hostile
	jq -e . <<<"$output" >/dev/null
}

# The rules of each format, as published.

# is_bmf: bencher.dev/bmf.json: benchmarks of measures of numbers, of which value
# is required; and the longest names that Bencher takes.
is_bmf() {
	jq -e 'type == "object" and all(to_entries[];
		(.key | length >= 1 and length <= 1024) and (.value | type == "object" and
		all(to_entries[]; (.key | length >= 1 and length <= 64) and
		(.value | type == "object" and (.value | type) == "number" and
		all(.lower_value, .upper_value; type == "number" or . == null)
		and (has("lower_value") | not) == (.lower_value == null)
		and (has("upper_value") | not) == (.upper_value == null)))))' >/dev/null
}

# is_google: json_reporter of google-benchmark, json_schema_version 1: which keys,
# of which type, and the repetitions of one name counted from 0.
is_google() {
	jq -e 'def of($kind; $keys): . as $o | all($keys[]; ($o[.] | type) == $kind);
		(.context | of("string"; ["date", "host_name", "executable", "library_build_type"])
		and of("number"; ["num_cpus", "mhz_per_cpu", "json_schema_version"])
		and of("boolean"; ["cpu_scaling_enabled"]) and of("array"; ["caches", "load_avg"]))
		and (.benchmarks | type == "array" and all(.[];
		of("string"; ["name", "run_name", "run_type", "time_unit"]) and
		of("number"; ["family_index", "per_family_instance_index", "repetitions",
		"repetition_index", "threads", "iterations", "real_time", "cpu_time"]) and
		(.run_type | IN("iteration", "aggregate")) and (.time_unit | IN("ns", "us", "ms", "s"))
		and .iterations >= 1 and .threads >= 1 and .repetition_index < .repetitions))
		and (.benchmarks | group_by(.name) | all(.[]; (map(.repetition_index) | unique | length)
		== length and (map(.family_index) | unique | length) == 1))' >/dev/null
}

# is_ktap: docs.kernel.org/dev-tools/ktap.html, version 1: a version line, a plan, then
# results that count from 1 to its end; no "#" in a description.
is_ktap() {
	awk 'NR == 1 { good = $0 == "KTAP version 1"; next }
		NR == 2 { good = good && /^1\.\.[0-9]+$/; plan = substr($0, 4); next }
		/^# / { next }
		{
			n++
			sub(/^not /, "")
			good = good && $1 == "ok" && $2 == n && $0 !~ /^ok [0-9]+ *$/
			# The text behind the hash is a keyword that there is, or plain words.
			if (match($0, /#.*/)) {
				split(substr($0, RSTART + 1), after, " ")
				good = good && substr($0, RSTART - 1, 3) == " # " &&
					(after[1] !~ /^[A-Z][A-Z]+$/ ||
					after[1] ~ /^(SKIP|TODO|XFAIL|TIMEOUT|ERROR)$/)
			}
		}
		END { exit !(good && n == plan) }'
}

# is_junit FILE
is_junit() {
	xmllint --noout --schema "$ROOT/tests/fixtures/junit.xsd" "$1" 2>&1
}

@test "each format keeps to its published rules, also with hostile names" {
	local dir

	for dir in small hostile; do
		export_as bencher "$dir" 2>/dev/null | is_bmf
		export_as google "$dir" 2>/dev/null | is_google
		export_as ktap "$dir" 2>/dev/null | is_ktap
		command -v xmllint >/dev/null || continue
		export_as junit "$dir" 2>/dev/null >out.xml
		is_junit out.xml
	done
	# The rules are rules.
	run ! is_bmf <<<'{"a": {"latency": {"lower_value": 1}}}'
	run ! is_bmf <<<'{"a": {"latency": {"value": "1"}}}'
	run ! is_google <<<'{"context": {}, "benchmarks": []}'
	run ! is_ktap <<<$'KTAP version 1\n1..2\nok 1 a'
	run ! is_ktap <<<$'KTAP version 1\n1..1\nok 2 a'
	run ! is_ktap <<<$'KTAP version 1\n1..1\nok 1 a # SKIPPED why'
	command -v xmllint >/dev/null || skip "no xmllint"
	printf '<testsuites><testsuite name="a" tests="1"/></testsuites>' >out.xml
	run ! is_junit out.xml
}

@test "bencher: a measure with its value and the ends of its interval" {
	run -0 --separate-stderr export_as bencher small
	jq -e '."syscall op=getpid,by=libc" ==
		{latency: {value: 102.5, lower_value: 100, upper_value: 105}}' <<<"$output"
	# No row without a value; nothing but what the format has.
	jq -e 'length == 7 and all(.[][]; (.value | type) == "number" and
		((keys - ["value", "lower_value", "upper_value"]) == []))' <<<"$output"
	jq -c 'select(.benchmark == "files") | .case = "size=8K" | .status = "ok" |
		.value = 2.5e9' small/invocations.jsonl >rows
	cat rows >>small/invocations.jsonl
	export_as bencher small | jq -e '."files size=8K".bandwidth.value == 2.5e9'
}

@test "google: a repetition for each invocation, with all keys of the format" {
	run -0 --separate-stderr export_as google small
	jq -e '.context.json_schema_version == 1 and (["date", "host_name", "num_cpus",
		"mhz_per_cpu", "cpu_scaling_enabled", "caches", "load_avg",
		"library_build_type"] - (.context | keys) == [])' <<<"$output"
	jq -e '[.benchmarks[] | select(.name == "syscall/op=getpid,by=libc")] |
		length == 6 and map(.repetition_index) == [range(6)] and
		all(.[]; .run_type == "iteration" and .repetitions == 6 and
		.time_unit == "ns" and .real_time == .cpu_time and .iterations > 0)' <<<"$output"
	jq -e 'all(.benchmarks[]; .name | startswith("nop") | not)' <<<"$output"
}

@test "ktap: a numbered line for each row, skipped ones say why" {
	local dir

	for dir in small hostile; do
		run -0 --separate-stderr export_as ktap "$dir"
		[[ ${lines[0]} == "KTAP version 1" && ${lines[1]} == "1..$((${#lines[@]} - 2))" ]]
		sed -nE '3,$s/^(not )?ok ([0-9]+) [^#]+ # .+$/\2/p' <<<"$output" |
			cmp - <(seq $((${#lines[@]} - 2)))
	done
	run -0 --separate-stderr export_as ktap small
	grep -q '^ok [0-9]* syscall op=getpid,by=int80 # SKIP this kernel has no' <<<"$output"
	grep -q '^not ok [0-9]* files size=4K # short read$' <<<"$output"
}

@test "junit: a test for each row; the counts are those of the tests" {
	local dir

	command -v xmllint >/dev/null || skip "no xmllint"
	# Characters that XML has not; the last line there is cut off.
	jq -c '.case = "b=\ufffe\uffff"' <(head -n 1 small/invocations.jsonl) |
		sed '1s/^/\n/' >>hostile/invocations.jsonl
	for dir in small hostile; do
		export_as junit "$dir" 2>/dev/null >out.xml
		xmllint --noout out.xml
		[[ $(xmllint --xpath 'count(//testcase) = sum(//testsuite/@tests) and
			count(//failure) = sum(//testsuite/@failures) and
			count(//skipped) = sum(//testsuite/@skipped)' out.xml) == true ]]
		[[ $(xmllint --xpath 'count(//testcase[not(@name) or not(@classname)])' out.xml) == 0 ]]
	done
	export_as junit small 2>/dev/null >out.xml
	[[ $(xmllint --xpath 'string(//testcase[@classname="files"]/failure/@message)' out.xml) == "short read" ]]
}
