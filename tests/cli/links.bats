#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is written into a directory that somebody else has made goes through none
# of the links in it.

load ../helpers

setup() {
	report_setup small
	echo keep >victim
}

# spared DIR COMMAND...: run it, then put a link to the victim in the place of each
# file that it has made in DIR, and of each draft that could have, and run it again.
spared() {
	local dir=$1 name before
	shift

	before=$(cd "$dir" && find . -type f | sort)
	run -0 --separate-stderr "$@"
	find "$dir" -mindepth 1 -name '.*' | { ! grep .; }
	made=$(cd "$dir" && find . -type f | sort | comm -13 <(echo "$before") - | sed 's,^\./,,')
	[[ $made ]]
	while read -r name; do
		for name in "$dir/$name" "$dir/$name".{new,tmp,part} "$dir/${name%"${name##*/}"}.${name##*/}".{new,tmp,part}; do
			ln -sfn "$PWD/victim" "$name"
		done
	done <<<"$made"
	# shellcheck disable=SC2154 # bats sets it
	run --separate-stderr "$@"
	[[ $(<victim) == keep ]]
}

# replaced DIR COMMAND...: the same, and what the links were is written.
replaced() {
	local dir=$1 name

	spared "$@"
	[[ $status -eq 0 ]]
	while read -r name; do
		[[ -f $dir/$name && ! -L $dir/$name ]]
	done <<<"$made"
}

needs_gnuplot() { command -v gnuplot >/dev/null || skip "no gnuplot"; }

@test "report make" {
	needs_gnuplot
	replaced small "$report" make --root "$ROOT" small
	[[ $made == *.svg* && $made == *.html* ]]
}

@test "a link in the place of the folder of pictures is not followed" {
	mkdir elsewhere
	ln -s "$PWD/elsewhere" small/plots
	run -0 --separate-stderr "$report" make --root "$ROOT" small
	grep -q 'small/plots: Not a directory' small/report.md
	! command -v gnuplot >/dev/null || run -1 "$ROOT/scripts/plot" small
	[[ -z $(ls -A elsewhere) && -L small/plots ]]
}

@test "report compare and history" {
	cp -r small other
	mkdir out
	replaced out "$report" compare --out out small other
	rm -rf out && mkdir out
	replaced out "$report" history --out out small other
}

@test "plot" {
	needs_gnuplot
	"$report" make --root "$ROOT" small >said 2>&1
	rm small/plots/*.svg small/plots/*.pdf
	replaced small "$ROOT/scripts/plot" small
}

@test "load-plot" {
	needs_gnuplot
	printf '%s\n' time,t_s,interval_s,late,cpu,state,os_load_pct,os_resolution_pct,core_load_pct \
		x,{1,2,3}",1,0,0,ok,50,2,25" >run.csv
	mkdir theirs
	replaced theirs "$ROOT/scripts/load-plot" run.csv theirs
}

@test "pdf" {
	mkdir path
	# shellcheck disable=SC2016 # expands in the script
	printf '#!/bin/bash\nfor a; do [[ $a != --print-to-pdf=* ]] || echo %%PDF-1.4 >"${a#*=}"; done\n' >path/chromium
	chmod +x path/chromium
	echo page >small/report.html
	PATH=$PWD/path:$PATH replaced small "$ROOT/scripts/pdf" small
}

@test "bill" {
	mkdir theirs
	replaced theirs "$ROOT/scripts/bill" --bin "$BIN" --once --counts --out theirs/profile -- true
	run -2 "$ROOT/scripts/bill" --bin "$BIN" --once --counts --out /dev/null -- true
	[[ -c /dev/null ]]
}

@test "ab, certify and run-all --resume refuse a directory with links" {
	rm -rf out && mkdir out
	spared out "$ROOT/scripts/ab" --a "$BIN" --b "$BIN" --only nop --rounds 4 --effort 1 --out out
	[[ $status -eq 2 && $stderr == *"is no file"* ]]
	rm -rf out && mkdir out
	ln -s "$PWD/victim" out/run.json
	run -2 --separate-stderr "$ROOT/scripts/certify" --bin "$BIN" --out out
	[[ $stderr == *"out/run.json is no file"* && $(<victim) == keep ]]
	rm -rf out
	spared . "$ROOT/scripts/run-all" --bin "$BIN" --only nop --rounds 1 --effort 1 --out out
	run -2 --separate-stderr "$ROOT/scripts/run-all" --bin "$BIN" --resume out
	[[ $stderr == *"is no file"* && $(<victim) == keep ]]
}

@test "nor a directory with another user's files" {
	((EUID == 0)) || skip "needs root to make some"
	chmod 777 .
	mkdir out
	echo theirs >out/run.json
	chown -R nobody out
	for command in "ab --a $BIN --b $BIN" "certify --bin $BIN"; do
		# shellcheck disable=SC2086 # words
		answers 2 "user nobody may write in out: " setpriv --reuid=65533 --regid=65533 --clear-groups \
			"$ROOT/scripts/"$command --out out
	done
	[[ $(<out/run.json) == theirs ]]
}
