#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is given away of a run, and which machine a run is like.

setup() {
	load ../helpers
	report_setup
	mkdir -p root/results/machines
	run=$ROOT/results/sample
}

like() { "$report" like --root root "$@"; }

@test "a contribution is small, and tells nothing of the owner" {
	run -0 --separate-stderr "$report" contribute "$run"
	((${#output} < 60000))
	jq -e --slurpfile m "$run/machine.json" '(keys == ["cpu", "cpus", "grade", "kernel", "os",
		"rows", "schema", "virtualisation"]) and .cpu == $m[0].cpu.model and
		.kernel == $m[0].kernel.release and (.rows | length > 20) and
		all(.rows[]; .value > 0 and (.case | contains("/") | not))' <<<"$output"
	cp -r "$run" secret
	jq '.hostname = "secret-host"' "$run/machine.json" >secret/machine.json
	sed 's/"name":"[^"]*"/"name":"secret-task"/g' "$run/noise.jsonl" >secret/noise.jsonl
	"$report" contribute secret >given
	run ! grep secret given
}

@test "the nearest machine is named, and where the run departs from it" {
	"$report" contribute "$run" >given
	jq -c '.cpu = "Near" | (.rows[] | select(.benchmark == "process") | .value, .ci95[]) *= 3' \
		given >root/results/machines/near.json
	jq -c '.cpu = "Far" | (.rows[] | .value, .ci95[]) *= 2' given >root/results/machines/far.json
	echo '{"schema": 7}' >root/results/machines/odd.json
	run -0 --separate-stderr like "$run"
	[[ ${lines[1]} == 'Near, '* && ${lines[2]} == 'Far, '*'100 %' ]]
	[[ $stderr == *'odd.json: none that report contribute wrote; left out'* ]]
	grep -Eq '^process: .* 0\.333$' <<<"$output"
	run ! grep -E '^(syscall|ipc): ' <<<"$output"
	rm root/results/machines/*
	run -1 --separate-stderr like "$run"
	[[ $stderr == *'no machine with 5 rows of this run'* ]]
}

@test "the machines that are here can be read" {
	for machine in "$ROOT"/results/machines/*.json; do
		(($(stat -c %s "$machine") < 60000))
	done
	run -0 --separate-stderr "$report" like --root "$ROOT" "$run"
	[[ $stderr != *'left out'* ]]
}
