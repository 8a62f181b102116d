#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Root writes only where nobody else can lead it to another file.

load driver

setup() {
	((EUID == 0)) || skip "needs root, who has something to lose"
	driver_setup
	mkdir shared theirs
	chmod 1777 shared
	chown nobody theirs
	echo keep >victim
	chmod 600 victim
}

# refused WHAT WHY COMMAND...: status 2, one line that says whose and what to
# type, and nothing is changed.
refused() {
	local before

	before=$(things)
	run -2 --separate-stderr "${@:3}"
	[[ $stderr == *"$1: $2"*"name a directory that is yours alone"* && $(grep -c . <<<"$stderr") -eq 1 ]]
	[[ $(things) == "$before" ]]
}

things() { find -- */ victim -printf '%p %s %T@ %l\n' | sort; }

@test "a link that waits for the test files leads nowhere" {
	mkdir shared/.oscost-files-out
	ln -s "$PWD/victim" shared/.oscost-files-out/.oscost-run
	chown -hR nobody shared/.oscost-files-out
	run -0 drive --out out --rounds 1 --dir shared
	[[ $(<victim) == keep ]]
	[[ $(ls -A shared) == .oscost-files-out ]]
}

@test "the test files are ours alone, by another name each time" {
	# shellcheck disable=SC2016 # expands in the stub
	stub good 'dir=${args##*--dir }; dir=${dir%% *}
		stat -c "%n %u %a" "$dir" >>dirs; '"$row"
	drive --out a --rounds 1 --only good --dir shared
	rm -r a
	drive --out a --rounds 1 --only good --dir shared
	[[ $(wc -l <dirs) -eq 2 && $(sort -u dirs | wc -l) -eq 2 ]]
	run ! grep -v " 0 700$" dirs
}

@test "a program takes no mark that is not ours, and no link" {
	: "${BIN:=$ROOT/build/bin}"
	[[ -x $BIN/file_read ]] || skip "no programs"
	take() {
		"$BIN/file_read" --dir files --effort 1 --invocations 1 \
			--case 'cache=warm,order=random,size=4M'
	}
	kept() { find files -mindepth 1 ! -name .oscost-run | grep -q .; }

	mkdir -m 700 files
	touch files/.oscost-run
	run -0 take
	kept
	for spoil in 'chown nobody files/.oscost-run' 'ln -sf ../victim files/.oscost-run' \
		'chmod 777 files' 'chown nobody files'; do
		rm -r files
		mkdir -m 700 files
		touch files/.oscost-run
		$spoil
		run -0 take
		run ! kept
	done
	[[ $(<victim) == keep ]]
}

@test "results do not go where another user may write" {
	refused --out "user nobody may write in theirs" drive --out theirs
	refused --out "user nobody may write in theirs" drive --out theirs/a/b
	refused --dir "user nobody may write in theirs" drive --out out --dir theirs
	mkdir -m 777 open
	refused --out "everybody may write in open" drive --out open
	refused --dir "everybody may write in open" drive --out out --dir open
	# In a sticky one the next must be ours.
	mkdir shared/theirs
	chown nobody shared/theirs
	refused --out "user nobody may write in shared/theirs" drive --out shared/theirs/x
	mkdir -m 1777 empty
	refused --out "everybody may write in empty" drive --out empty/
	mkdir -m 770 group
	chgrp nogroup group
	refused --out "group nogroup may write in group" drive --out group
	[[ $(<victim) == keep ]]
}

@test "nor do those of ab and certify, nor the server's files" {
	ln -s good "$bin/certify"
	refused --out "user nobody may write in" "$ROOT/scripts/ab" --a "$bin" \
		--b "$bin" --only good --out theirs/ab
	refused --out "user nobody may write in" "$ROOT/scripts/certify" --bin "$bin" \
		--out theirs
	refused --dir "user nobody may write in" "$ROOT/scripts/netlab" run --nfs \
		--bin "$bin" --dir theirs true
}

@test "a run of another user is not gone on with" {
	drive --out out --rounds 2
	mv out theirs/
	chown nobody theirs/out
	run -2 --separate-stderr drive --resume theirs/out
	[[ $stderr == *"--resume: user nobody may write in"*"(cp -r makes one of a run)" ]]
	cp -r theirs/out copy
	run -0 drive --resume copy
	chown root theirs/out
	run -0 drive --resume theirs/out
	ln -s "$PWD/victim" theirs/out/.machine.json.new
	run -2 --separate-stderr drive --resume theirs/out
	[[ $stderr == *".machine.json.new is no file"* && $(<victim) == keep ]]
}

@test "a new directory in a sticky one is ours, whatever the umask" {
	(umask 0 && drive --out shared/new --rounds 1)
	[[ -s shared/new/invocations.jsonl ]]
	[[ -z $(find shared/new -perm /022) ]]
	# Also one that is there, and who used sudo is trusted.
	mkdir shared/ours
	run -0 drive --out shared/ours --rounds 1
	run -0 env SUDO_UID="$(id -u nobody)" "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --out theirs --rounds 1
}
