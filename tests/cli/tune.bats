#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/tune on a made-up /sys and /proc: nothing of this machine is touched.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cpu=fake/sys/devices/system/cpu
	mkdir -p "$cpu/cpufreq" fake/proc/sys/kernel fake/sys/kernel/mm/ksm \
		fake/sys/kernel/mm/transparent_hugepage
	for ((i = 0; i < 24; i++)); do
		mkdir -p "$cpu/cpu$i/cpufreq"
		echo powersave >"$cpu/cpu$i/cpufreq/scaling_governor"
	done
	echo 1 >"$cpu/cpufreq/boost"
	echo 1 >fake/sys/kernel/mm/ksm/run
	echo 2 >fake/proc/sys/kernel/randomize_va_space
	echo 'always [madvise] never' >fake/sys/kernel/mm/transparent_hugepage/enabled
	cp -r fake before
}

tune() { "$ROOT/scripts/tune" --root "$PWD/fake" --state "$PWD/undo" "$@"; }

@test "show changes nothing" {
	run -0 --separate-stderr tune show
	[[ $output == *"scaling_governor"*"powersave -> performance"* ]]
	diff -r before fake
	[[ ! -e undo ]]
}

@test "apply sets, undo leaves every byte as it was" {
	run -0 --separate-stderr tune apply
	[[ $(<"$cpu/cpu23/cpufreq/scaling_governor") == performance ]]
	[[ $(<"$cpu/cpufreq/boost") == 0 && $(<fake/sys/kernel/mm/ksm/run) == 0 ]]
	answers 2 "already tuned" tune apply
	run -0 --separate-stderr tune undo
	diff -r before fake
	[[ ! -e undo ]]
	run -2 --separate-stderr tune undo
}

# killed_at N COMMAND: tune dies by SIGKILL before its Nth step.
killed_at() {
	# A script begins again with bash -p, which reads no BASH_ENV: such a one reads it.
	# shellcheck disable=SC2016 # expands in tune
	STEP=$1 bash -pc 'set -T; trap '"'"'((++steps != STEP)) || kill -9 $$'"'"' DEBUG; . "$0"' \
		"$ROOT/scripts/tune" --root "$PWD/fake" --state "$PWD/undo" "$2" 2>/dev/null || true
}

@test "undo restores after kill -9 at any step of apply" {
	local partly=0 whole=0

	for ((step = 1; whole == 0; step += 17)); do
		killed_at "$step" apply
		# Without an undo file nothing may have been changed yet.
		if [[ -e undo ]]; then
			diff -r before fake >changes || true
			changed=$(grep -c '^---' changes || true)
			((changed == 0 || changed == 26)) || ((partly += 1))
			((changed < 26)) || whole=1
			tune undo
		fi
		diff -r before fake
		[[ ! -e undo ]]
	done
	# Some of them were in the middle, or this proves nothing.
	((partly > 2))
}

@test "undo can be killed too, and done again" {
	for ((step = 1; step < 400; step += 57)); do
		tune apply
		killed_at "$step" undo
		[[ ! -e undo ]] || tune undo
		diff -r before fake
	done
}

@test "what cannot be set is named, the rest is done" {
	((EUID)) || chattr +i "$cpu/cpufreq/boost" 2>/dev/null || skip "no chattr"
	((EUID == 0)) || chmod 444 "$cpu/cpufreq/boost"
	run --separate-stderr tune apply
	((EUID)) || chattr -i "$cpu/cpufreq/boost"
	[[ $status -eq 1 && $stderr == *"boost: cannot be set to '0'"* ]]
	[[ $(<fake/sys/kernel/mm/ksm/run) == 0 ]]
}

@test "an undo file with other files in it is not obeyed" {
	echo keep >other
	printf '%s\t%s\n' "$PWD/other" lost >undo
	run -1 --separate-stderr tune undo
	[[ $(<other) == keep && $stderr == *"none of our files"* ]]
}

@test "misuse" {
	run -2 --separate-stderr tune
	run -2 --separate-stderr tune sundial
	run -0 tune --help
	[[ $output == usage:* ]]
}
