#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# alone: its hog takes a CPU from all others.
#
# The noise certificate: a hog is seen and named.

load driver

setup() {
	report=${BIN:-${BUILD:-$ROOT/build}/bin}/report
	machine=${report%/*}/machine
	cpu=$(taskset -cp $$ | sed 's/.*[^0-9]\([0-9]*\)$/\1/')
	driver_setup
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'printf "{\"schema\": 1, \"benchmark\": \"good\", \"case\": \"x=1\", "
printf "\"status\": \"ok\", \"unit\": \"ns\", \"better\": \"lower\", "
printf "\"value\": 5, \"n\": 1, \"samples\": 1, \"iters\": 1, \"round\": %d}\n" "$round"'
	hog=
}

teardown() {
	[[ -z $hog ]] || kill "$hog"
}

# start_hog: one task that wants all of the measuring CPU, before all others
# if we may say so.
start_hog() {
	local -a first=()

	((EUID)) || first=(nice -n -20)
	printf '#!/bin/bash\nwhile :; do :; done\n' >oscost-hog
	chmod +x oscost-hog
	"${first[@]}" taskset -c "$cpu" ./oscost-hog 3>&- &
	hog=$!
	until_true grep -q oscost-hog "/proc/$hog/comm"
}

@test "each CPU has a line that adds up" {
	run -0 --separate-stderr "$machine" noise --cpu "$cpu" --ms 20 --phase between --round 3
	[[ $(wc -l <<<"$output") -eq $(nproc) ]]
	jq -es 'all(.schema == 1 and .phase == "between" and .round == 3 and
		.spun_us >= 20000 and .lost_us <= .spun_us and
		((([.causes_us[]] | add) - .lost_us) | fabs) < 0.01 and
		(.noise | IN("quiet", "nearly quiet", "noisy", "very noisy")))' <<<"$output"
	jq -es "map(select(.measuring)) | length == 1 and .[0].cpu == $cpu" <<<"$output"
	jq -es "map(.cpu) | unique | length == $(nproc)" <<<"$output"
}

@test "a hog is named, and the CPU is called noisy" {
	start_hog
	run -0 --separate-stderr "$machine" noise --cpu "$cpu" --ms 1000
	head -n 1 <<<"$output" | jq -e --argjson hog "$hog" '(.noise | IN("noisy", "very noisy")) and
		.switches > 0 and .causes_us.tasks > .causes_us.interrupts and
		(.tasks | any(.pid == $hog and .name == "oscost-hog"))'
}

@test "a limit of the cgroup is told from other tasks" {
	local group=/sys/fs/cgroup/cpu/oscost-test-$$

	[[ -w /sys/fs/cgroup/cpu/cpu.cfs_period_us ]] || skip "no cpu controller of cgroup v1"
	mkdir "$group" || skip "may not make a cgroup"
	echo 5000 >"$group/cpu.cfs_quota_us"
	# shellcheck disable=SC2016 # expands in the new shell
	run --separate-stderr bash -c 'echo $$ >"$1/cgroup.procs" && "$2" noise --cpu "$3" --ms 2000' \
		bash "$group" "$machine" "$cpu"
	rmdir "$group"
	((status == 0))
	head -n 1 <<<"$output" | jq -e '.causes_us.throttled > 0 and .throttled_us > 0'
}

@test "a comparison says that one side was noisier" {
	run -0 "$report" compare "$ROOT/tests/fixtures/results/small" "$ROOT/tests/fixtures/results/small"
	[[ $output != *"noise certificate"* ]]
	cp -r "$ROOT/tests/fixtures/results/small" other
	sed -i 's/"lost_us":[0-9.]*/"lost_us":90000/' other/noise.jsonl
	run -0 "$report" compare "$ROOT/tests/fixtures/results/small" other
	grep -Eq '^noise certificate +noisy, 2.1 % of the time lost +very noisy, 90 %' <<<"$output"
}

@test "run-all looks before, between and after, and the report says it" {
	ln -sf "$report" "$machine" "$bin"
	run -0 --separate-stderr drive --out out --rounds 3 --only good --cpu "$cpu"
	jq -es 'map(.phase) | unique == ["after", "before", "between"]' out/noise.jsonl
	jq -es 'map(select(.measuring) | .round) == [0, 1, 2, 3]' out/noise.jsonl
	grep -q "The certificate: CPU $cpu was " out/report.md
	grep -q 'id="noise"' out/report.html
	jq -e '.noise | length > 3' out/report.json
}

@test "a run with a hog says who it was, and what to do" {
	start_hog
	ln -sf "$report" "$machine" "$bin"
	run -0 --separate-stderr drive --out out --rounds 1 --only good --cpu "$cpu"
	[[ $(<out/report.md) == *"The certificate: CPU $cpu was "?(very )"noisy"*"other tasks on this CPU: "*"oscost-hog (pid $hog)"*"taskset"* ]]
}

@test "misuse is told in one line" {
	local words

	while IFS='|' read -r status why words; do
		# shellcheck disable=SC2086 # words
		run "-$status" --separate-stderr "$machine" $words
		[[ $stderr == *"$why"* && ${#stderr_lines[@]} -eq 1 ]]
	done <<-'END'
		2|--ms|noise --ms 0
		2||noise more
		2|noisy: no such command|noisy
		1|CPU 999|noise --cpu 999 --ms 5
	END
	HWLOC_SYNTHETIC='pack:2 core:8 pu:2' run -1 --separate-stderr "$machine" noise
	[[ $stderr == *"not describe this machine"* ]]
}

@test "report measures nothing and asks the machine nothing" {
	command -v strace >/dev/null || skip "no strace"
	cp -r "$ROOT/tests/fixtures/results/small" run
	strace -f -qq -e trace=open,openat -o opened "$report" make --no-plots --root "$ROOT" run >/dev/null
	run -1 grep -E '"/(proc|sys)/' opened
}
