#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/kernels with boots that are made up: a /proc of our own, and a run-all
# that only writes what a run is known by.  tests/lab/kernels boots machines.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p root/proc/sys/kernel/random bin
	cp -r "$ROOT/scripts" .
	mkdir build
	ln -s "$BIN" build/bin
	run_all
	boot 6.1-old
}

stub() { # NAME BODY
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# run_all [BODY]: what it does before its run is over.
run_all() {
	printf '#!/usr/bin/env bash\nprintf "%%s\\n" "$*" >>args
		out=${@: -1}
		mkdir -p "$out/run"
		echo "# plan" >"$out/run/plan.tsv"
		printf "{\\"schema\\": 1, \\"session\\": \\"%%s\\",\\n \\"interrupted\\": true}\\n" "$(sed "s/.*--session //; s/ --out.*//" <<<"$*")" >"$out/run.json"
		echo "[]" >"$out/about.json"
		echo "{}" >"$out/machine.json"
		%s
		value=$((100 + boot)); [[ $(<root/proc/sys/kernel/osrelease) != 6.1-new ]] || value=$((2 * value))
		printf "%%s\\n" "{\\"schema\\": 1, \\"status\\": \\"ok\\", \\"n\\": 1, \\"samples\\": 9, \\"round\\": 1,
			\\"benchmark\\": \\"work\\", \\"case\\": \\"n=1\\", \\"unit\\": \\"ns\\", \\"better\\": \\"lower\\",
			\\"estimator\\": \\"median\\", \\"value\\": $value}" | tr -d "\\n" >"$out/invocations.jsonl"
		sed -i s/true/false/ "$out/run.json"\n' "${1-}" >scripts/run-all
}

# boot RELEASE [WORDS]: another boot of this machine.
boot() {
	export boot=$((${boot:-0} + 1))
	echo "$1" >root/proc/sys/kernel/osrelease
	echo "root=/dev/sda ${2-}" >root/proc/cmdline
	echo "boot-id-$boot" >root/proc/sys/kernel/random/boot_id
	echo '100.00 1.00' >root/proc/uptime
}

kernels() { PATH=$PWD/bin:$PATH scripts/kernels --root root "$@"; }

# plan BOOTS [OPTION...]: of two kernels, in out.
plan() {
	kernels plan 6.1-old 6.1-new --boots "$1" --out out "${@:2}"
}

@test "the plan takes turns: a b b a, with three a b c c b a" {
	run -0 --separate-stderr plan 3
	[[ $(awk 'NR > 1 && NF > 3 { $2 = "" } NR > 1 { print $(NF - 1) }' <<<"$output" | tr -d '\n') == abbaab ]]
	[[ ${lines[1]} == *'1  next     a  6.1-old' && $stderr == *'boot 6.1-old, and type: scripts/kernels resume'* ]]
	run -0 --separate-stderr kernels plan k1 k2 'k2 audit=1' --boots 2 --out three
	[[ $(sed -n 's/.*  \([abc]\)  .*/\1/p' <<<"$output" | tr -d '\n') == abccba ]]
}

@test "each boot is measured once, on its own kernel, and all are compared" {
	local release

	plan 4 -- --profile quick --bin "$BIN" 2>/dev/null
	boot 6.1-other
	for release in old new new old old new new old; do
		run -1 --separate-stderr kernels resume out
		[[ $stderr == *"is to be of 6.1-$release, not of 6.1-other: boot that" ]]
		boot "6.1-$release"
		run -0 --separate-stderr kernels resume out
		[[ -e out/compare.txt ]] || {
			answers 0 'this boot has been measured' kernels resume out
		}
		boot 6.1-other
	done
	[[ $(printf '%s ' out/*/boot-*) == 'out/a/boot-1 out/a/boot-4 out/a/boot-5 out/a/boot-8 out/b/boot-2 out/b/boot-3 out/b/boot-6 out/b/boot-7 ' ]]
	[[ $(wc -l <args) == 8 && $(sort -u args) == "--profile quick --bin $BIN --session "*" --out $PWD/out/now" ]]
	grep -Eq '^b: 6.1-new$' out/compare.txt
	grep -q '^B is slower: 1 of 1 row differs' out/compare.txt
	grep -Eq '^work: n=1 .* slower$' out/compare.txt
	grep -q 'in one session, interleaved' out/compare.md
	[[ -s out/compare.html ]]
}

@test "a boot that was cut short is measured anew, one that was stopped goes on" {
	plan 1 2>/dev/null
	run_all 'exit 130'
	run -130 --separate-stderr kernels resume out
	run_all
	run -0 --separate-stderr kernels resume out
	[[ $(tail -n 1 args) == "--resume $PWD/out/now" && -d out/a/boot-1 ]]
	boot 6.1-new
	run_all 'touch "$out/half"; exit 137'
	run -137 --separate-stderr kernels resume out
	run_all
	boot 6.1-new
	answers 0 'the boot before was cut short: it is measured anew' kernels resume out
	[[ $(tail -n 1 args) == "--session "*" --out $PWD/out/now" && -d out/b/boot-2 && ! -e out/b/boot-2/half ]]
}

@test "of two that fit the one is meant of which more words are known" {
	kernels plan 6.1-old '6.1-old audit=1' --boots 1 --out out 2>/dev/null
	boot 6.1-old audit=1
	run -1 --separate-stderr kernels resume out
	[[ ! -e args && $stderr == *'boot 1 is to be of 6.1-old, not of'* ]]
	boot 6.1-old audit=10
	run -0 --separate-stderr kernels resume out
	boot 6.1-old audit=1
	run -0 --separate-stderr kernels resume out
	[[ -d out/b/boot-2 ]]
}

@test "--boot boots the next kernel after a boot is over, and not before" {
	# shellcheck disable=SC2016 # kernels expands it
	plan 1 --boot 'echo "$KERNEL $SIDE" >>booted' 2>/dev/null
	run_all 'exit 2'
	run -2 --separate-stderr kernels resume out
	[[ ! -e booted ]]
	run_all
	run -0 --separate-stderr kernels resume out
	[[ $(<booted) == '6.1-new b' ]]
	boot 6.1-old
	run -1 --separate-stderr kernels resume out
	[[ $(wc -l <booted) == 1 ]]
}

@test "a boot is measured after it has settled" {
	plan 1 --settle 103 2>/dev/null
	stub sleep 'echo "$*" >slept'
	run -0 --separate-stderr kernels resume out
	[[ $(<slept) == 3 ]]
}

@test "misuse, and a plan that somebody else has written" {
	run -2 --separate-stderr kernels
	run -2 --separate-stderr kernels plan 6.1
	[[ $stderr == *'two kernels at least; this one is 6.1-old' ]]
	run -2 --separate-stderr kernels plan 6.1 6.1
	run -2 --separate-stderr kernels plan 6.1 6.2 --boots 0
	answers 2 'none has no plan.tsv' kernels resume none
	plan 1 2>/dev/null
	answers 2 'out is not empty' plan 1
	run -1 --separate-stderr kernels compare out
	printf 'shell\ttrue\n' >>out/plan.tsv
	answers 2 "'shell' is neither kernel nor argument" kernels show out
	sed -i '$d; s/^@boots.*/@boots\ta[$(touch evil)]/' out/plan.tsv
	run -2 --separate-stderr kernels show out
	[[ ! -e evil ]]
	((EUID == 0)) || return 0
	chown 12345 out/plan.tsv
	run -2 --separate-stderr kernels show out
	[[ $stderr == *'none that '*' has written: not obeyed' ]]
}
