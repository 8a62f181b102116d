#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# tcp_rtt, tcp_connect, tcp_bandwidth and net_server: what they do when the
# other end vanishes, talks nonsense or is not there.  Nothing leaves this host.

setup() {
	load ../helpers
	calmly
	cd "$BATS_TEST_TMPDIR" || exit
	server=
}

teardown() {
	[[ -z $server ]] || kill -KILL "$server" 2>/dev/null || true
}

# serve [OPTION]...: start a server on loopback; sets server and port.
serve() {
	rm -f port
	"$BIN/net_server" --port 0 "$@" >port 2>said 3>&- &
	server=$!
	until_true test -s port
	port=$(<port)
}

# ends_well: end the server; it must end in good order and without a word.
ends_well() {
	kill -TERM "$server"
	wait "$server"
	server=
	[[ ! -s said ]]
}

# talks: whether the server serves a client.
talks() {
	try 0 "$BIN/tcp_rtt" "${QUICK[@]}" --json --peer 127.0.0.1 --port "$port" \
		--case '*proto=tcp,size=1,wait=block,*round_trip*' || return
	# Beside other work all of its samples may have waited for a CPU.
	rows 'length == 1 and .[0].status != "failed" and .[0].params.net == "remote" and
		.[0].evidence.echoed_by_server.seen > 0'
}

# More trips than a kernel acknowledges at once on one connection.
@test "a packet and what is before and after it make the whole trip" {
	try 0 "$BIN/tcp_rtt" --effort 400 --invocations 1 --json \
		--case '*stat=packet' --case '*stat=before' \
		--case '*stat=after' --case '*stat=spaced'
	rows 'length == 4 and (.[0].status == "skipped" or
		(map({key: .params.stat, value: .}) | from_entries |
			.packet.samples == .spaced.samples and
			(.before.mean + .packet.mean + .after.mean -
				.spaced.mean | fabs) < .spaced.mean / 1e6 and
			(.packet, .before, .after | .evidence.in_order |
				.seen > 0 and .seen == .expected) and
			(.packet, .spaced | .evidence.echoed_by_server |
				.seen > 0 and .seen == .expected)))'
}

@test "a server is where its row says" {
	local ask

	(($(nproc) > 1)) || skip "one CPU only"
	for ask in 'tcp_rtt net=loopback,proto=tcp,size=1,wait=block,*round_trip' \
		'tcp_bandwidth net=loopback,*size=1,streams=1,*'; do
		try 0 "$BIN/${ask%% *}" "${QUICK[@]}" --json --case "${ask#* }"
		rows 'map(.params.place) | unique | length == 2'
		rows 'all((.params.place == "same_cpu") == (.evidence.server_cpu == .cpu))'
	done
}

# batch_served: whether an invocation of this program has a server that preempts
# nobody.
batch_served() {
	local child server

	for child in $(pgrep -P "$1"); do
		for server in $(pgrep -P "$child"); do
			[[ $(chrt -p "$server" 2>&1) != *SCHED_BATCH* ]] || return 0
		done
	done
	return 1
}

@test "the server of a connection does not preempt its client" {
	local pid

	chrt -o 0 "$BIN/tcp_connect" --invocations 1 --effort 10000 \
		--case '*proto=tcp,place=same_cpu,stat=connect' >/dev/null 2>&1 3>&- &
	pid=$!
	until_true batch_served "$pid"
	kill -TERM "$pid"
	wait "$pid" || (($? == 143))
}

@test "a server on this machine keeps off the CPU of its client" {
	(($(nproc) > 1)) || skip "one CPU only"
	serve
	talks
	rows 'all(.evidence.same_machine == 1 and .evidence.server_cpu != .cpu)'
	[[ $(grep Cpus_allowed: "/proc/$server/status") != $(grep Cpus_allowed: /proc/self/status) ]]
	ends_well
}

# Where each row that does not name its IP version is by the wrong one.
@test "bandwidth by IPv6 is a row that can be asked for" {
	[[ -e /proc/net/if_inet6 ]] || skip "no IPv6 here"
	try 0 "$BIN/tcp_bandwidth" "${QUICK[@]}" --json --ipv6 --case '*size=128K,streams=1,*stat=rate'
	rows 'length > 0 and all(.status == "ok" and .params.net == "loopback6")'
}

@test "a host without IPv4 has its rows by IPv6" {
	local ask

	unshare -n ip -4 addr flush lo 2>/dev/null || skip "no network namespaces here"
	while read -r -a ask; do
		try 0 unshare -n sh -c 'ip link set lo up && ip -4 addr flush lo && exec "$@"' \
			sh "$BIN/${ask[0]}" "${QUICK[@]}" --json --case "${ask[1]}" </dev/null
		# All samples of a call to the other CPU may have waited for what runs there.
		rows 'any(.status == "ok") and all(.params.net == "loopback6" and
			(.status == "ok" or (.reason | startswith("excluded: "))))'
	done <<-'EOT'
		tcp_rtt *proto=udp,size=1,wait=block,*
		tcp_connect *proto=tcp,*stat=connect
		tcp_bandwidth *size=128K,streams=1,*stat=rate
	EOT
}

@test "a program without its server is skipped" {
	cp "$BIN/tcp_connect" .
	try 77 ./tcp_connect "${QUICK[@]}" --json --case '*proto=tcp,*stat=connect'
	[[ $stderr == *"needs net_server beside this program"* ]]
}

@test "a row that another case measures can be asked for alone" {
	try 0 "$BIN/tcp_rtt" "${QUICK[@]}" --json --case '*same_cpu,stat=kernel_srtt'
	rows 'length == 1 and .[0].samples > 0 and .[0].evidence.estimates.seen > 0'
}

# killed PROGRAM CASE: measure CASE for long and kill its server whenever
# there is one.  Sets status.
killed() {
	local pid child i

	# The leak check has a child too, and would wait for it for ever.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 \
		"$BIN/$1" --invocations 1 --effort 10000 --json --case "$2" \
		>out.json 2>talk.txt 3>&- &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
		# The program's child is an invocation, whose children the servers.
		for child in $(pgrep -P "$pid"); do
			pkill -KILL -P "$child" || true
		done
	done
	wait "$pid" && status=0 || status=$?
}

@test "all bytes arrive, whichever way they go" {
	try 0 "$BIN/tcp_bandwidth" --effort 5 --invocations 1 --json
	rows 'map(select(.params.stat == "rate" and .status == "ok")) |
		length > 0 and all(.evidence.bytes.expected > 0 and
			.evidence.bytes.seen == .evidence.bytes.expected)'
}

# ask_liar STATUS LIE PROGRAM CASE: measure CASE with a server that lies.
ask_liar() {
	rm -f port # the one before must not be taken for this one
	"$FIXTURES/liar" "$2" >port 3>&- &
	server=$!
	until_true test -s port || return
	try "$1" "$BIN/$3" "${QUICK[@]}" --json --peer 127.0.0.1 \
		--port "$(<port)" --case "$4" || return
	kill -KILL "$server"
}

# lied_to LIE PROGRAM CASE: it must be found out.
lied_to() {
	ask_liar 1 "$@" || return
	rows 'length > 0 and all(.status == "failed" and .value == null)'
}

@test "a server that does not count what it did is found out" {
	local case

	lied_to count tcp_connect '*proto=tcp,*stat=connect'
	rows 'all(.reason | test("closed_by_server"))'
	lied_to count tcp_connect '*proto=tcp,*stat=teardown'
	rows 'all(.reason | test("closed_by_server"))'
	for case in '*proto=udp,size=1,wait=block,*round_trip' \
		'*proto=tcp,size=1,wait=block,*round_trip' '*stat=packet' '*stat=spaced'; do
		[[ $case != \*figure* ]] || ((!EUID)) || continue
		lied_to count tcp_rtt "$case"
		rows 'all(.reason | test("echoed_by_server"))'
	done
}

@test "a server that got less than was sent is found out" {
	lied_to short tcp_bandwidth '*by=send,size=8K,*'
	rows 'all(.reason | test("bytes"))'
	lied_to short tcp_bandwidth '*size=128K,streams=4,*'
	rows 'all(.reason | test("bytes"))'
}

@test "a server whose clock stands still gives no rate" {
	lied_to still tcp_bandwidth '*by=send,size=8K,*'
	rows 'all(.reason | test("no sample"))'
}

@test "a flow waits for no report, and a span counts as often as it is longer" {
	QUICK=(--effort 100 --invocations 1)
	ask_liar 0 uneven tcp_bandwidth '*by=send,size=128K,streams=1,*stat=rate'
	# Half of the spans are at 1 MB/s, and three quarters of the time at 2: any
	# twenty moments in turn or more have their mean within this.
	rows 'length == 1 and all(.samples >= 20 and .value > 1.65e6 and .value < 1.85e6)'
}

@test "an answer that is another message is found out" {
	lied_to twist tcp_rtt '*proto=tcp,size=1,wait=block,*round_trip'
	((EUID)) || lied_to twist tcp_rtt '*stat=packet'
}

@test "a server that sends everything back is not taken for ours" {
	local program case

	while read -r program case; do
		lied_to echo "$program" "$case"
		rows 'all(.reason == "greet the server: that is no net_server")'
	done <<-'EOT'
		tcp_rtt *proto=tcp,size=1,wait=block,*round_trip
		tcp_connect *proto=tcp,*stat=connect
		tcp_bandwidth *by=send,size=8K,*
	EOT
}

@test "a server that dies is told within seconds" {
	local program case

	while read -r program case; do
		killed "$program" "$case"
		echo "$program: status $status"
		cat talk.txt
		[[ $status == 1 ]]
		# Its connection may end before it does.
		grep -Eq 'our server process has ended|the server hung up|the partner died' talk.txt
	done <<-'EOT'
		tcp_rtt *proto=tcp,size=*,wait=block,place=same_cpu,stat=round_trip
		tcp_rtt *proto=udp,size=*,wait=block,place=same_cpu,stat=round_trip
		tcp_connect *proto=tcp,place=same_cpu,stat=connect
		tcp_bandwidth *streams=1,place=same_cpu,stat=rate
	EOT
}

@test "a peer that is not there, or no address" {
	answers 1 "Connection refused" "$BIN/tcp_rtt" "${QUICK[@]}" --json --peer 127.0.0.1 --port 1 \
		--case '*proto=tcp,size=1,wait=block,*round_trip*'
	answers 1 "not an IP address" "$BIN/tcp_rtt" "${QUICK[@]}" --json --peer localhost
	answers 1 "together" "$BIN/tcp_connect" "${QUICK[@]}" --peer 127.0.0.1 --netlab
}

@test "net_server serves, and ends on a signal" {
	serve
	talks
	try 0 "$BIN/tcp_connect" "${QUICK[@]}" --json --peer 127.0.0.1 --port "$port"
	rows 'map(select(.params.proto == "tcp" and .params.stat == "connect"))
		| .[0].status == "ok"'
	ends_well
}

@test "net_server refuses what makes no sense" {
	answers 2 "not an IP address" "$BIN/net_server" --listen localhost
	try 2 "$BIN/net_server" --allow somebody
	try 2 "$BIN/net_server" operand
	try 0 "$BIN/net_server" --help
	[[ $output == *--allow* && $output == *--max-sessions* ]]
}

@test "net_server ends when nobody comes" {
	serve --idle-exit 1
	wait "$server"
	server=
	# shellcheck disable=SC2046
	try 0 "$BIN/net_server" --port 0 --idle-exit 1 \
		$(printf -- '--allow 10.0.0.%d ' {1..200})
}

@test "net_server outlives garbage, half-open connections and resets" {
	local i

	serve --max-pending 16
	for ((i = 0; i < 200; i++)); do
		# Left open without a word, cut off in a hello, nonsense.
		exec {fd}<>"/dev/tcp/127.0.0.1/$port"
		case $((i % 3)) in
		1) printf 'oscn\0\1' >&"$fd" ;;
		2) head -c $((RANDOM % 4000)) /dev/urandom >&"$fd" || true ;;
		esac
		((i % 2)) || exec {fd}>&-
	done
	talks
	kill -0 "$server"
	ends_well
}

@test "net_server keeps to its limits" {
	# One session may send 64 bytes: the client is cut off.
	serve --max-bytes 64
	answers 1 "the server hung up" "$BIN/tcp_rtt" "${QUICK[@]}" --json --peer 127.0.0.1 --port "$port" \
		--case '*proto=tcp,size=8K,wait=block,*round_trip*'
	ends_well
}
