#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# measures: there is one pair of oscost's namespaces on a machine.
#
# scripts/netlab and what runs in it: two network namespaces, and nothing that
# stays behind.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	netlab=$ROOT/scripts/netlab
}

# lab COMMAND...: in the namespaces; skip where they cannot be had.
lab() {
	local why

	why=$("$netlab" run true 2>&1) || skip "$why"
	try "$1" "$netlab" run "${@:2}"
	gone
}

# For a command that runs until the file go is there, or nothing will come.
# shellcheck disable=SC2016 # expands there
until_go='for i in $(seq 1200); do [ ! -e go ] || exit 0; sleep 0.1; done; exit 1'

gone() {
	[[ ! -e /run/netns/oscost-a && ! -e /run/netns/oscost-b &&
		! -e /run/oscost/netlab ]]
}

@test "the namespaces go when the command has ended, however it did" {
	lab 0 test -e /run/netns/oscost-b
	lab 3 sh -c 'exit 3'
	lab 143 sh -c 'kill -TERM $$'
}

@test "the namespaces go when the script is stopped" {
	local pid

	lab 0 true
	"$netlab" run sh -c "echo >started; $until_go" 3>&- &
	pid=$!
	until_true test -e started
	kill -TERM "$pid"
	touch go
	wait "$pid" || true
	gone
}

# A round trip cannot be shorter than both delays: that is no question of speed.
@test "a line with a delay delays, and goes with the namespaces" {
	lab 0 true
	[[ -c /dev/net/tun ]] || skip "no /dev/net/tun"
	try 0 "$netlab" run --bin "$BIN" --delay 5 "$BIN/tcp_rtt" "${QUICK[@]}" \
		--json --netlab --case '*proto=tcp,size=1,wait=block,*'
	gone
	rows 'map(select((.params.stat | IN("send", "receive", "before", "after")
		| not) and .status == "ok")) | length >= 6 and
		all(.params.net == "shaped" and .min >= 10000000)'
	try 2 "$netlab" run --delay 1s true
	[[ $stderr == *"--delay takes 0 to 999, not '1s'" ]]
}

@test "who makes namespaces with a delay leaves no process behind" {
	lab 0 true
	[[ -c /dev/net/tun ]] || skip "no /dev/net/tun"
	# shellcheck disable=SC2016 # expands there
	lab 0 --bin "$BIN" --delay 1 sh -c 'pgrep -f "[n]et_delay 1000" >pid'
	pid=$(<pid)
	# Dead, if perhaps not waited for yet.
	[[ ! -s /proc/$pid/cmdline || -z $(tr '\0' ' ' <"/proc/$pid/cmdline") ]]
}

@test "without the namespaces --netlab is skipped with the reason" {
	[[ ! -e /run/netns/oscost-a ]] || skip "somebody uses them"
	try 77 "$BIN/tcp_rtt" "${QUICK[@]}" --json --netlab
	[[ $stderr == *scripts/netlab* ]]
}

@test "a root who may make no namespaces is told what the kernel says" {
	((EUID == 0)) || skip "needs root"
	setpriv --bounding-set=-sys_admin true 2>/dev/null || skip "no setpriv, or not all of root"
	try 77 setpriv --bounding-set=-sys_admin "$netlab" run true
	says "netlab: no network namespaces can be made here: ip netns add: *"
	[[ $stderr != *"needs root"* ]]
	gone
	answers 77 "made up" env OSCOST_NETLAB_WHY="made up" "$BIN/tcp_rtt" "${QUICK[@]}" --json --netlab
}

@test "who lives keeps the namespaces" {
	lab 0 true
	"$netlab" run sh -c "echo >started; $until_go" 3>&- &
	pid=$!
	until_true test -e started
	answers 75 "process $pid uses" "$netlab" run true
	touch go
	wait "$pid"
	gone
}

one_runs() {
	(($(jobs -rp | wc -l) == 1))
}

@test "of two that come at a time one gets the namespaces" {
	local i pids=() won=0

	lab 0 true
	for ((i = 0; i < 6; i++)); do
		"$netlab" run sh -c "$until_go" >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	# One stays until all others have been turned away.
	until_true one_runs || true
	touch go
	for i in "${pids[@]}"; do
		! wait "$i" || ((++won))
	done
	((won == 1))
	gone
}

@test "every program measures between the namespaces" {
	local program

	for program in tcp_rtt tcp_connect tcp_bandwidth; do
		lab 0 "$BIN/$program" "${QUICK[@]}" --json --netlab
		rows 'all(.params.net == "veth") and any(.status == "ok")'
	done
}

@test "net_server serves another host only if it is told to" {
	cat >ask <<'EOS'
server=$1 port=0
shift
rm -f port # that of the call before
ip netns exec oscost-b "$server" --port 0 --listen 10.78.0.2 >port &
pid=$!
for i in $(seq 1200); do [ ! -s port ] || break; sleep 0.1; done
status=0
ip netns exec oscost-a "$@" --peer 10.78.0.2 --port "$(cat port)" || status=$?
kill "$pid"
exit "$status"
EOS
	set -- bash ask "$BIN/net_server" "$BIN/tcp_rtt" "${QUICK[@]}" --json \
		--case '*proto=tcp,size=1,wait=block,*round_trip'
	lab 1 "$@"
	[[ $stderr == *"hung up"* ]]
	sed -i "s/--listen/--allow 10.78.0.1 --listen/" ask
	lab 0 "$@"
	rows 'length == 1 and .[0].status == "ok"'
}
