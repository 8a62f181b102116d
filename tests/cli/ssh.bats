#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# measures: there is one pair of oscost's namespaces on a machine.
#
# run-all --peer user@host: net_server is started over ssh, by an sshd of our own
# in the other network namespace, with keys of its own.  ~/.ssh is not touched.

setup() {
	load ../helpers
	local why

	cd "$BATS_TEST_TMPDIR" || exit
	netlab=$ROOT/scripts/netlab
	sshd=$(PATH=$PATH:/usr/sbin command -v sshd) || skip "there is no sshd"
	command -v ssh-keygen >/dev/null || skip "there is no ssh-keygen"
	why=$("$netlab" run true 2>&1) || skip "$why"
	exec {lab}> >(exec "$netlab" run sh -c 'echo >ready; exec cat >/dev/null' 3>&-)
	until_true test -e ready
	serve_ssh
	# All that the ssh of the program may know.
	cat >ssh.conf <<EOS
Port 2222
User $(id -un)
IdentityFile $PWD/user
IdentitiesOnly yes
UserKnownHostsFile $PWD/known
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
EOS
	export OSCOST_SSH="ssh -F $PWD/ssh.conf"
	who=$(id -un)@10.78.0.2
}

# serve_ssh: an sshd that takes one key, on the other host.
serve_ssh() {
	local name

	for name in host user; do
		ssh-keygen -q -t ed25519 -N '' -C test -f "$name"
	done
	printf '[10.78.0.2]:2222 %s\n' "$(<host.pub)" >known
	cat >sshd.conf <<EOS
ListenAddress 10.78.0.2:2222
HostKey $PWD/host
AuthorizedKeysFile $PWD/user.pub
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
PidFile none
EOS
	made_dir=
	[[ -d /run/sshd ]] || { mkdir /run/sshd && made_dir=1; }
	ip netns exec oscost-b "$sshd" -D -e -f "$PWD/sshd.conf" 2>sshd.log 3>&- &
	daemon=$!
	! until_true grep -q 'Server listening' sshd.log || return 0
	cat sshd.log
	return 1
}

teardown() {
	[[ -z ${daemon:-} ]] || kill "$daemon" || true
	[[ -z ${made_dir:-} ]] || rmdir /run/sshd
	[[ -z ${lab:-} ]] || exec {lab}>&-
	until_true test ! -e /run/oscost/netlab
}

# here COMMAND...: on this host of the two.
here() {
	try "$1" ip netns exec oscost-a "${@:2}"
}

# serves: whether a server runs over there.
serves() {
	ip netns pids oscost-b | xargs -r ps -o comm= -p | grep -q net_server
}

serves_no_more() {
	! serves
}

# no_server: what was started over there has ended.
no_server() {
	until_true serves_no_more
}

# run_remote STATUS [OPTION]...: a run over ssh of one row.
run_remote() {
	rm -rf out
	here "$1" "$ROOT/scripts/run-all" --bin "$BIN" --rounds 1 --effort 1 --peer "$who" \
		--peer-server "$BIN/net_server" --only tcp_connect_remote --out out "${@:2}"
}

@test "the server ends too when the run is killed" {
	local pid

	ip netns exec oscost-a "$ROOT/scripts/run-all" --bin "$BIN" --rounds 100 --peer "$who" \
		--peer-server "$BIN/net_server" --only tcp_connect_remote --out out >/dev/null 2>&1 3>&- &
	pid=$!
	until_true serves
	kill -KILL "$pid"
	no_server
}

@test "what cannot be started there is said" {
	run_remote 1 --peer-server /no/such/server
	[[ $stderr == *"ssh has not started /no/such/server at $who"* ]]
	# A key that is not known there.
	ssh-keygen -q -t ed25519 -N '' -C other -f other
	sed -i 's|/user$|/other|' ssh.conf
	run_remote 1
	[[ $stderr == *"Permission denied"*"ssh has not started"* ]]
}

@test "nothing goes to a shell that a shell would read" {
	local who

	for who in 'root@10.78.0.2;true' '-oProxyCommand=true@x' 'root@$(id)'; do
		run_remote 2
		[[ $stderr == *"takes letters, digits and any of _./@:%?=+-, not '"* ]]
	done
	who=root@10.78.0.2
	run_remote 2 --peer-server 'a b'
	[[ $stderr == *"takes letters, digits and any of _./@:%?=+-, not '"* ]]
}

@test "a run measures to another machine and describes it" {
	local rows out=$BATS_TEST_TMPDIR/out

	cd "$ROOT" || return
	here 0 make --no-print-directory BUILD="${BIN%/bin}" remote PEER="$who" \
		PEER_SERVER="$BIN/net_server" ROUNDS=1 EFFORT=1 OUT="$out"
	rows=$(jq -rs 'map(select(.status == "ok" and .params.net == "remote") |
		.benchmark) | unique | join(" ")' "$out/invocations.jsonl")
	[[ $rows == "tcp_bandwidth tcp_connect tcp_rtt" ]]
	jq -es 'any(.evidence.echoed_by_server.seen > 0)' "$out/invocations.jsonl"
	no_server
	jq -e '.cpu.model and .tsc.hz > 0 and (.checks | length > 9) and (.disks + .links | type == "array")' "$out/peer.json"
	grep -q 'The other machine, to which' "$out/report.md"
	grep -q '^| Round trip of packets, remote | [0-9]' "$out/report.md"
}

@test "a run is resumed with the machine that it is told, and with no other" {
	local run=("$ROOT/scripts/run-all" --bin "$BIN") out=$BATS_TEST_TMPDIR/out
	local peer=(--peer "$who" --peer-server "$BIN/net_server")

	here 0 "${run[@]}" "${peer[@]}" --only tcp_connect_remote --rounds 2 \
		--effort 1 --out "$out"
	sed -i '$d' "$out/run/journal.tsv"
	here 2 "${run[@]}" --resume "$out"
	[[ $stderr == *"may name a file or a host; "*"--peer HOST"* ]]
	here 2 "${run[@]}" --resume "$out" --peer root@10.78.0.3
	here 0 "${run[@]}" --resume "$out" "${peer[@]}"
	[[ $(wc -l <"$out/run/journal.tsv") -eq 2 ]]
}
