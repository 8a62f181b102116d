#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# under: each layer is in force or skipped, and nothing is left of it.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	under=("$ROOT/scripts/under" --bin "$BIN")
	nap=301.$$
}

teardown() {
	local pid

	for pid in $(napping); do kill -KILL "$pid" || :; done
	"$BIN/machine" clean-up
}

napping() { pgrep -f "^sleep $nap" || :; }

nobody_naps() { [[ -z $(napping) ]]; }

somebody_naps() { ! nobody_naps; }

groups() { find /sys/fs/cgroup -type d -name "oscost-under-$pid" 2>/dev/null; } # of this under alone

# layers: all of the table, with a value.
layers() { "${under[@]}" --list | sed -E 's/ .*//; s/^(nice|fifo|rr|cgroup)=N/\1=3/; s/=N/=50/'; }

@test "each layer is proven in force for the command, or skipped with a reason" {
	local layer

	[[ $(layers | wc -l) -ge 20 ]]
	for layer in $(layers); do
		try '0|77' "${under[@]}" --prove "$layer" -- echo ran
		if [[ $status == 0 ]]; then
			[[ ${lines[0]} == "$layer: "* || $layer == allns ]]
			[[ ${#lines[@]} -eq $([[ $layer == allns ]] && echo 7 || echo 2) ]]
			[[ ${lines[-1]} == ran ]]
		else
			says "under: skipped: $layer: *; needs *"
			[[ -z $output ]]
		fi
	done
}

@test "a probe is proven by the calls made here, not by those of other processes" {
	# It ends with us, also if the test fails.
	local layer calls=(perl -e '1 while getppid() == $ARGV[0]' "$BASHPID") pid

	for layer in tracepoint kprobe; do
		"${calls[@]}" 3>&- &
		pid=$!
		try '0|77' "${under[@]}" --prove "$layer"
		kill "$pid"
		[[ $status == 77 || $output == "$layer: of 100 calls of getppid() it counted 100" ]]
	done
}

@test "what the command sees is the layer" {
	try 0 "${under[@]}" nnp,seccomp=5 -- grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status
	[[ $output == $'NoNewPrivs:\t1\nSeccomp:\t2' ]]
	try 0 "${under[@]}" seccomp=docker -- sh -c 'unshare -U true 2>/dev/null || echo refused'
	[[ $output == refused ]]
	try 0 "${under[@]}" nice=7 -- nice
	[[ $output == 7 ]]
	try '0|77' "${under[@]}" userns,pidns,netns -- sh -c 'echo $$; cut -d: -f1 /proc/net/dev | tail -n +3'
	[[ $status == 77 || $output == 2$'\n'*lo ]]
	try '0|77' "${under[@]}" ptrace -- grep TracerPid /proc/self/status
	[[ $status == 77 || $output != *$'\t0' ]]
}

@test "layers that follow one another hold together" {
	try '0|77' "${under[@]}" --prove seccomp=docker,landlock,sud,userns,allns,ptrace,noaslr -- echo ran
	[[ $status == 77 || ${lines[-1]} == ran ]]
	[[ $status == 77 || ${#lines[@]} -eq 13 ]]
}

@test "a command of the system is proven inside a layer of the program" {
	local layer

	for layer in cgroup=1 cgroup=2,cpu-max ptrace pidns; do
		try '0|77' "${under[@]}" "$layer" -- true
		((status == 0)) || continue
		try 0 "${under[@]}" --prove "$layer,nice=7" -- nice
		[[ $output == *'nice=7: nice gives 7'* && $output == *"${layer#*,}: "* && ${lines[-1]} == 7 ]]
	done
	# Its command goes well, and there is no layer.
	printf '#!/bin/sh\n' >./renice
	chmod +x ./renice
	PATH=$PWD:$PATH try 1 "${under[@]}" nice=7 -- true
	says 'under: nice=7 is not in force: *'
}

@test "the status is the command's" {
	local layer

	for layer in nnp ptrace userns,pidns; do
		try '7|77' "${under[@]}" "$layer" -- sh -c 'exit 7'
		try '137|77' "${under[@]}" "$layer" -- sh -c 'kill -KILL $$'
	done
	run -127 --separate-stderr "${under[@]}" seccomp=5 -- ./none
	says 'under: ./none: *'
	try 126 "${under[@]}" seccomp=5 -- "$PWD"
	says "under: $PWD: *"
}

@test "misuse is told in one line" {
	local bad

	for bad in nnp=1 nnp= nice nice=x nice=99 seccomp=0 thp=always nnp,nnp; do
		try 2 "${under[@]}" "$bad" -- true
		says 'under: *see --list'
	done
	for bad in nosuch '.*' ''; do
		try 2 "${under[@]}" "$bad" -- true
		says 'under: *layer*see under --help'
	done
	try 2 "${under[@]}" seccmp=5 -- true
	says "under: unknown layer 'seccmp'; did you mean seccomp?"
	try 2 "${under[@]}" nnp
	says 'under: no command*'
	try 2 "${under[@]}"
	says 'under: no layer*'
	try 2 "${under[@]}" --none
}

@test "a layer that needs root is skipped without" {
	[[ $EUID -eq 0 ]] || skip 'needs root'
	setpriv --reuid=65534 --regid=65534 --clear-groups "${under[@]}" nnp,thp=never -- true ||
		skip 'nobody may not execute what was built'
	for layer in netns cgroup=1 nice=-5; do
		try 77 setpriv --reuid=65534 --regid=65534 --clear-groups "${under[@]}" "$layer" -- true
		says "under: skipped: $layer: *; needs *"
	done
}

@test "nothing is left, however it ends" {
	local layer signal pid mounts

	# One that is not private would be seen here.
	mounts=$(grep -c ' /proc ' /proc/self/mounts)
	for layer in nnp cgroup=3 cpu-max ptrace tracepoint userns,pidns; do
		"${under[@]}" "$layer" -- true || continue
		for signal in TERM KILL; do
			"${under[@]}" "$layer" -- sleep "$nap" &
			pid=$!
			until_true somebody_naps
			[[ $layer != c* || $(groups) ]]
			kill -"$signal" "$pid"
			wait "$pid" || :
			until_true nobody_naps
			# The next program does what under could not do any more.
			[[ $signal != KILL ]] || "$BIN/machine" clean-up
			[[ -z $(groups) ]]
		done
	done
	[[ $(grep -c ' /proc ' /proc/self/mounts) -eq $mounts ]]
	[[ ! -e $OSCOST_RECORDS ]]
}
