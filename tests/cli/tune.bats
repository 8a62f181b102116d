#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/tune on a made-up /sys and /proc: nothing of this machine is touched.

bats_require_minimum_version 1.5.0

setup() {
	root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
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

tune() { "$root/scripts/tune" --root "$PWD/fake" --state "$PWD/undo" "$@"; }

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
	run -2 --separate-stderr tune apply
	[[ $stderr == *"already tuned"* ]]
	run -0 --separate-stderr tune undo
	diff -r before fake
	[[ ! -e undo ]]
	run -2 --separate-stderr tune undo
}

@test "undo restores after kill -9 at any moment" {
	for pause in 0 0.005 0.01 0.02 0.03 0.05 0.08 0.12; do
		tune apply 2>/dev/null &
		sleep "$pause"
		kill -9 $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		# Without an undo file nothing may have been changed yet.
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
