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

@test "--resume takes no test files that somebody else has put there" {
	drive --out out --rounds 1 --dir shared
	name=$(sed -n 's/^@files\t//p' out/plan.tsv)
	[[ $name == .oscost-files-* ]]
	mkdir "shared/$name"
	ln -s "$PWD/victim" "shared/$name/.oscost-run"
	chown -hR nobody "shared/$name"
	run -0 drive --resume out
	[[ $(<victim) == keep && -L shared/$name/.oscost-run ]]
	[[ $(ls -A shared) == "$name" ]]
	# Nor a link to what is ours.
	rm -r "shared/$name"
	mkdir ours
	ln -s "$PWD/ours" "shared/$name"
	run -0 drive --resume out
	[[ -z $(ls -A ours) ]]
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
