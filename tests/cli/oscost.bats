#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The one command: each of its words calls what it says, and says what is wrong.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	# As it is installed, with the programs at hand.
	mkdir tree
	cp -r "$ROOT/scripts" tree/
	ln -s "$BIN" tree/bin
	ln -s "$ROOT/bench" "$ROOT/monitor" "$ROOT/plots" tree/
	ln -s tree/scripts/oscost oscost
}

@test "what is no command is refused in one line, with what was meant" {
	refuses 2 "no row has getpppid in its name; did you mean getppid?" ./oscost getpppid
	refuses 2 "did you mean kernels?" ./oscost kernls
	refuses 2 "no row has " ./oscost ../../bin/sh
	refuses 2 "oscost explain syscall getppid" ./oscost explain
	refuses 2 "unknown option '--fast'" ./oscost --fast
	for word in card report show; do
		refuses 2 "/nonexistent: no such directory" ./oscost "$word" /nonexistent
	done
	refuses 2 "did you mean --json?" ./oscost card --jsn
	refuses 2 "doctor: unknown argument 'now'" ./oscost doctor now
	run -1 --separate-stderr ./oscost list nosuchword
	[[ -z $output && $stderr == *"no row has nosuchword in its name" ]]
	run -1 --separate-stderr ./oscost list getppid int80 vdso
	[[ -z $output && $stderr == *"no row has all of these words"* ]]
}

@test "help names each command, and each has help of its own" {
	local words

	run -0 --separate-stderr ./oscost help
	[[ $output == "usage: oscost "* ]]
	run -0 --separate-stderr ./oscost --version
	[[ $output =~ ^(oscost|report)\ [0-9.]+$ ]]
	mapfile -t words < <(./oscost help | sed -n '/^Measure:/,/^Exit/s/^  \([a-z][a-z]*\) .*/\1/p')
	[[ ${#words[@]} -ge 19 ]]
	for word in "${words[@]}"; do
		run -0 --separate-stderr ./oscost help "$word"
		[[ -n $output ]]
	done
}

@test "before the build each command says so" {
	rm tree/bin
	mkdir tree/bin
	for word in '' card run list syscall 'explain fork' fork report doctor load; do
		# shellcheck disable=SC2086 # words, or none
		run --separate-stderr ./oscost $word
		[[ $status -eq 2 && -z $output && ${stderr_lines[-1]} == "oscost: not built yet: type make" ]]
	done
}

# best WORD...: the first row that these mean.
best() { ./oscost list "$@" | head -n 1; }

@test "each name of the card is the row that it names, and is measured by it" {
	local program words

	# Each fourth, for a list is made of all programs.
	row_lines core | awk -F '\t' '$3 != "-" && n++ % 4 == 0 { print $1 "\t" $3 }' >names
	[[ $(wc -l <names) -ge 5 ]]
	while IFS=$'\t' read -r program words; do
		[[ $(best "$words") == "$words  $program "* ]]
	done <names
	[[ $(best SYSTEM CALL GETPPID) == "System call (getppid)  syscall "* ]]
	run -0 --separate-stderr ./oscost "System call (getppid)" --list
	[[ $output == op=getppid,by=syscall ]]
	run -0 --separate-stderr ./oscost syscall/getppid --list
	[[ $output == op=getppid,by=syscall && $stderr == *"more rows have these words: oscost list syscall/getppid" ]]
	run -0 --separate-stderr ./oscost syscall getppid by=libc --list
	[[ $output == op=getppid,by=libc ]]
}

@test "rows are found by words that mean the same, best match first, wrong ones last" {
	[[ $(best mutex) == "sync op=mutex,"* ]]
	[[ $(best 4k cached) == *" file_read cache=warm,"* && $(best 4 kib not cached) == *" file_read cache=cold,"* ]]
	[[ $(best pipe latency) == *" ipc by=pipe,stat=latency,"* ]]
	[[ $(best round trip pipe) == "$(best pipe latency)" ]]
	[[ $(best fork) == "Fork, exit and wait  "* && $(best page fault) == *"page fault"* ]]
	[[ $(./oscost list unfenced | tail -n 1) == "mistakes "* ]]
	run -0 ./oscost list latency
	[[ $output != *$'\nmistakes '*$'\nsyscall '* ]]
}

@test "rows are listed by their words" {
	local n

	run -0 --separate-stderr ./oscost list getppid by=libc
	[[ $output == "syscall op=getppid,by=libc" ]]
	n=$("$BIN/syscall" --list | wc -l)
	run -0 --separate-stderr ./oscost list
	[[ $(grep -c '^syscall ' <<<"$output") -eq $n ]]
	# A reader that has enough is no failure.
	run -0 --separate-stderr bash -o pipefail -c './oscost list | head -n 1; ./oscost list op | head -n 1'
	[[ ${#lines[@]} == 2 && -z $stderr ]]
}

@test "a row is explained, and how it is said to be measured alone works" {
	local command

	run -0 --separate-stderr ./oscost explain 'syscall getppid'
	[[ $output == "syscall - "* && $output == *"Measures: ns for one call"* &&
		$output == *"bench/cpu/syscall.c, docs/benchmarks/cpu.md"* &&
		$output == *"op=getppid,by=syscall  ("* ]]
	[[ -e $ROOT/bench/cpu/syscall.c && -e $ROOT/docs/benchmarks/cpu.md ]]
	command=$(sed -n 's/^Alone: *\(.*\) (--json.*/\1/p' <<<"$output")
	PATH=$PWD:$PATH run -0 --separate-stderr bash -c "$command --list"
	[[ $output == op=getppid,by=syscall ]]
	run -1 --separate-stderr ./oscost explain no such row
	[[ -z $output && $stderr == *"no row has "* ]]
	# Many rows: the first ones.
	run -0 --separate-stderr ./oscost explain procedure
	[[ $output == *" rows; oscost list procedure: all" ]]
}

@test "doctor names jq if it is missing, and what to type" {
	mkdir without
	ln -sf /usr/bin/* /bin/* /usr/sbin/* without/ 2>/dev/null || :
	rm without/jq
	PATH=$PWD/without run -2 --separate-stderr ./oscost doctor
	[[ $stderr == *"missing: "*jq* ]]
	[[ ${stderr_lines[-1]} == "oscost: needs the command 'jq'; type scripts/setup run" ]]
	[[ -z $output ]]
}

@test "each word calls its program, with its options and its status" {
	cp -r "$ROOT/tests/fixtures/results/small" small
	run -0 --separate-stderr ./oscost report small
	[[ -s small/report.md ]]
	run -0 --separate-stderr ./oscost compare --all small small
	[[ $output == *"no difference"* || $output == *"not comparable"* ]]
	run -1 --separate-stderr ./oscost compare small nowhere
	run -0 --separate-stderr ./oscost card --json small
	jq -e '.[0].name == "Procedure call, no arguments"' <<<"$output"
	run -0 --separate-stderr ./oscost export csv small
	[[ ${lines[0]} == schema,* ]]
	mkdir new
	refuses 2 "new has no report.html; oscost report new writes it" ./oscost export pdf new
	run -0 --separate-stderr ./oscost history small small
	answers 2 "--profile takes card, quick" ./oscost run --profile fast
	run -0 --separate-stderr ./oscost nop --list
	[[ -n $output ]]
	run -3 --separate-stderr ./oscost load sh -c 'exit 3'
	run -127 --separate-stderr ./oscost load nosuch
	[[ $stderr == "oscost: load: no command nosuch" ]]
}

@test "a word whose output cannot be written says so in one line, and fails" {
	local words

	cp -r "$ROOT/tests/fixtures/results/small" small
	for words in list 'explain getppid' help 'help run' 'help syscall' 'syscall --list' 'show small' \
		'compare small small' 'report --help' 'load --help' 'bill --help' 'run --help'; do
		run --separate-stderr bash -c './oscost $0 >/dev/full' "$words"
		[[ $status -eq 1 && ${#stderr_lines[@]} -eq 1 && $stderr == *"cannot write the output"* ]] || {
			printf '%s: %s: %s\n' "$words" "$status" "$stderr"
			return 1
		}
	done
}
