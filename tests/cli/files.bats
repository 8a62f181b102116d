#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The run's directory of test files, and the programs on disks that are full,
# read-only or none.

load driver

setup() { driver_setup; }

# A program that keeps a file in the run's directory.
# shellcheck disable=SC2016 # expands in the stub
keeps='dir=${args##*--dir }; dir=${dir%% *}
	[[ -e $dir/.oscost-run ]] || exit 1
	echo "$dir" >>dirs
	[[ -e $dir/data ]] && echo again >>seen || echo made >>seen
	: >"$dir/data"; '"$row"

@test "test files stay for the later rounds and go when the run ends" {
	stub good "$keeps"
	drive --out out --rounds 3 --only good
	[[ $(sort seen | uniq -c | tr -s ' \n' ' ') == " 2 again 1 made " ]]
	[[ $(sort -u dirs) == "$PWD/out/"* ]]
	[[ ! -e $(head -n 1 dirs) ]]
}

@test "test files go where the user wants them" {
	mkdir elsewhere
	stub good "$keeps"
	drive --out out --rounds 2 --only good --dir elsewhere
	[[ $(sort -u dirs) == "$PWD/elsewhere/"* ]]
	[[ -z $(ls -A elsewhere) ]]
	run -2 --separate-stderr drive --out other --dir nowhere
	[[ $stderr == *"--dir: no file can be made in nowhere: No such file or directory"* && ! -e other ]]
}

@test "test files go also after Ctrl-C, and --resume makes them again" {
	mkdir elsewhere
	# shellcheck disable=SC2016 # expands in the stub
	stub good "${keeps%"$row"}"'if [[ ! -e go-on ]]; then
		touch waiting; sleep '"$nap"'; fi; '"$row"
	env --default-signal=INT "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --only good --out out --rounds 2 \
		--dir elsewhere >said 2>&1 &
	until_true test -e waiting
	kill -INT $!
	status=0
	wait $! || status=$?
	[[ $status -eq 130 ]]
	[[ -s dirs && -z $(ls -A elsewhere) ]]
	touch go-on
	run -0 "$ROOT/scripts/run-all" --bin "$bin" --resume out
	run ! grep -v "^$PWD/elsewhere/" dirs
	[[ -z $(ls -A elsewhere) ]]
}
