#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the caller's shell hands on (options, functions, CDPATH, BASH_ENV, umask and
# what commands read from the environment) changes nothing in what scripts do.

load driver

setup() {
	driver_setup
	cat >bash_env <<-'E'
		IFS=:i
		set -fC
		shopt -s failglob nocasematch expand_aliases
		alias log='false' local='false'
		cd() { builtin cd "$@" && echo elsewhere; }
	E
	# Names exported before a script is started: several at once, where one does not
	# hide what another does.
	states=("CDPATH=$PWD:/usr|TMPDIR=/nonexistent|GREP_OPTIONS=-v|TMOUT=1|FUNCNEST=2|umask 0|POSIXLY_CORRECT=1|SHELLOPTS=noclobber:allexport:posix|BASHOPTS=nullglob:dotglob"
		"BASH_ENV=$PWD/bash_env|GLOBIGNORE=*|BASH_COMPAT=3.1|TMPDIR=.|umask 0777|BASHOPTS=failglob:nocasematch"
		'functions|SHELLOPTS=noglob')
}

# inherit STATE...: have them.
inherit() {
	local name state

	for state; do
		case $state in
		umask*) $state ;;
		functions)
			for name in cd ls grep sed awk mv rm cat pwd date stat printf test read trap local declare mapfile; do
				eval "$name() { command echo hijacked; }"
				export -f "${name?}"
			done
			;;
		*) export "${state?}" ;;
		esac
	done
}

# beside STATES COMMAND...: run it with these, in a shell that has them.
beside() {
	local state
	local -a states options=()

	IFS='|' read -ra states <<<"$1"
	shift
	for state in "${!states[@]}"; do
		# SHELLOPTS and BASHOPTS are read-only in a shell.
		[[ ${states[state]} != [SB]*OPTS=* ]] || {
			options+=("${states[state]}")
			unset "states[state]"
		}
	done
	# shellcheck disable=SC2016 # for that shell
	run --separate-stderr bash -c "$(declare -f inherit)"'; n=$0; inherit "${@:1:n}"; exec env "${@:n + 1}"' \
		"${#states[@]}" "${states[@]}" "${options[@]}" "$@"
}

# told: what a run says, without what differs from one to the next.
told() { sed -E '/hint: other processes/d; s/, time left unknown|, [0-9]+ s left//; s/[0-9]+ s\b/n s/g; s,/clean$,/out,'; }

@test "a run with a relative --out measures all and says nothing new" {
	# The stand-ins for the programs take none of it either.
	sed -i '1s,.*,#!/bin/bash -p,' "$bin"/*
	run -0 --separate-stderr drive --out clean --rounds 2 --seed 7
	said=$stderr
	for state in "${states[@]}"; do
		rm -rf out
		beside "$state" "$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" \
			--out out --rounds 2 --seed 7
		printf '%s: %s\n%s\n%s\n' "$state" "$status" "$output" "$stderr"
		[[ $status -eq 0 && $output == "rows: 4" ]]
		diff <(cut -f 1-3,5,6 clean/run/journal.tsv) <(cut -f 1-3,5,6 out/run/journal.tsv)
		cmp clean/invocations.jsonl out/invocations.jsonl
		diff <(jq -S 'del(.started_at, .ended_at, .command_line, .programs[].duration_s)' clean/run.json) \
			<(jq -S 'del(.started_at, .ended_at, .command_line, .programs[].duration_s)' out/run.json)
		diff <(told <<<"$said") <(told <<<"$stderr")
		# A run in which others may write would not be gone on with.
		[[ -z $(find out -perm /002) && -z $(find out ! -perm -600) ]]
	done
}

@test "every script says the same as without" {
	cd "$ROOT"
	local -a commands=('scripts/setup --check run' 'scripts/oscost list getppid' 'scripts/oscost list nosuch'
		"scripts/man $BIN/syscall"
		"scripts/lmbench --bin $BIN --list" "scripts/tune --root $BATS_TEST_TMPDIR show"
		'contrib/oci/image' 'scripts/cross-root' 'scripts/run-all --only nosuch')
	for script in scripts/*; do
		[[ ! -x $script || -d $script || $script == */@(*.sh|man) ]] || commands+=("$script --help")
	done
	local -a with
	for command in "${commands[@]}"; do
		with=("${states[@]}")
		# They all begin with one text, which has to be there: functions and BASH_ENV show that.
		[[ $command != @(*--help|*nosuch) ]] || with=("${states[@]:1}")
		# Bash's exec makes a whole path of a name; this is one already.
		command=$ROOT/$command
		# shellcheck disable=SC2086 # words
		run --separate-stderr $command
		local clean="$status $output $stderr"
		for state in "${with[@]}"; do
			# shellcheck disable=SC2086 # words
			beside "$state" $command
			[[ "$status $output $stderr" == "$clean" ]] || {
				printf '%s with %s:\n' "$command" "$state"
				diff <(echo "$clean") <(echo "$status $output $stderr")
			}
		done
	done
}

@test "pictures, tables and two builds in turn are as without" {
	report_setup small
	cp -r small clean
	"$report" make --root "$ROOT" clean >said 2>&1
	sed -i '1s,.*,#!/bin/bash -p,' "$bin"/*
	mkdir ab
	n=0
	for state in "${states[@]}"; do
		rm -rf out
		cp -r small out
		beside "$state" "$report" make --root "$ROOT" out
		[[ $status -eq 0 ]]
		diff <(ls clean) <(ls out)
		beside "$state" "$ROOT/scripts/ab" --a "$bin" --b "$bin" --only good --rounds 4 \
			--out "ab/$((++n))"
		printf '%s\n' "$state: $status" "$stderr"
		[[ $status -eq 0 && $(grep -c . "ab/$n/a/invocations.jsonl") -gt 3 ]]
	done
}
