#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# measures: there is one pair of oscost's namespaces on a machine.
#
# file_remote and the NFS server of scripts/netlab: what is read came over the
# network, what cannot be read is said, and nothing stays behind.

setup_file() {
	load ../helpers
	# A second and a half, where it is not there yet.
	"$ROOT/scripts/setup" --bin "$BIN" nfs || true
	cd "$BATS_FILE_TMPDIR" || exit
	WHY_NOT=$("$ROOT/scripts/netlab" run --nfs --bin "$BIN" true 2>&1) && WHY_NOT=
	WHY_NOT_3=$("$ROOT/scripts/netlab" run --nfs --bin "$BIN" --v3 true 2>&1) && WHY_NOT_3=
	export WHY_NOT WHY_NOT_3
}

setup() {
	load ../helpers
	calmly
	cd "$BATS_TEST_TMPDIR" || exit
	netlab=$ROOT/scripts/netlab
	remote=("$BIN/file_remote" "${QUICK[@]}" --json)
}

teardown() {
	[[ -z ${peer:-} ]] || kill "$peer" 2>/dev/null || true
}

# lab STATUS COMMAND...: with a server; skip where there can be none.
lab() {
	[[ -z $WHY_NOT ]] || skip "$WHY_NOT"
	try "$1" "$netlab" run --nfs --bin "$BIN" "${@:2}" && gone
}

gone() {
	[[ ! -e /run/netns/oscost-b && ! -e /run/oscost/netlab &&
		! -e /run/oscost-nfs ]] || return
	# Nothing is left in this directory but what the test has made.
	[[ -z $(find . -name 'nfslab-*') ]]
}

# server_gone PID: also if it is still to be reaped.
server_gone() {
	until_true has_no_command_line "$1"
}

has_no_command_line() {
	! grep -qz . "/proc/$1/cmdline" 2>/dev/null
}

# peer WHAT: something that listens on a port of loopback, in perl's words.
peer() {
	command -v perl >/dev/null || skip "no perl"
	perl -MIO::Socket::INET -e '
		$SIG{PIPE} = "IGNORE";
		my $s = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1")
			or die;
		open my $f, ">", "port.new"; print $f $s->sockport; close $f;
		rename "port.new", "port";
		while (my $c = $s->accept) { '"$1"' }' 3>&- &
	peer=$!
	until_true test -s port
	url="nfs://127.0.0.1/export/file?version=4&nfsport=$(<port)"
}

@test "without a remote file every row says how to get one" {
	try 77 "${remote[@]}"
	rows 'length >= 8 and all(.status == "skipped" and .value == null and
		(.reason | contains("make nfslab") and contains("--url")))'
	answers 77 "make nfslab" "${remote[@]}" --nfslab
}

@test "what makes no sense is refused" {
	answers 1 "one of" "${remote[@]}" --url nfs://127.0.0.1/x/y --mount
	try 1 "${remote[@]}" --url /x/y
	[[ $stderr == *"no URL"* || $stderr == *libnfs* ]]
	answers 1 "--local is the file of --url" "${remote[@]}" --mount --local x
	try 1 "${remote[@]}" --nfslab --local x
	answers 77 "no network file system" "${remote[@]}" --mount --bytes 4m
}

# needs_libnfs: skip if it was built without.
needs_libnfs() {
	! "${remote[@]}" --url nfs://127.0.0.1/x/y 2>&1 | grep -q 'without libnfs' ||
		skip "built without libnfs"
}

@test "a server that is not there is an error that says so" {
	needs_libnfs
	try 1 "${remote[@]}" --url 'nfs://127.0.0.1/export/file?version=4&nfsport=1'
	[[ $stderr == *"127.0.0.1: Connection refused"* ]]
}

@test "a server that is silent, hangs up or talks nonsense ends nothing but the row" {
	local what

	needs_libnfs
	for what in 'push @kept, $c;' 'close $c;' \
		'print $c join "", map { chr(int(rand(256))) } 1 .. 100000; close $c;' \
		'print $c "\x80\0\0\x18" . "\0" x 24; close $c;' \
		'print $c "\x80\0\0\4ABCD" x 1000; close $c;' \
		'print $c "\xff\xff\xff\xff" x 1000; close $c;'; do
		rm -f port
		peer "$what"
		try 1 "${remote[@]}" --url "$url"
		[[ $stderr == *"127.0.0.1"* && $stderr != *"signal"* ]]
		[[ -z $output ]] || rows 'all(.value == null)'
		kill "$peer"
	done
}

@test "reads come from the server, and are right" {
	lab 0 "${remote[@]}" --nfslab --bytes 4m
	rows '[.[] | select(.params.where == "veth" and .params.file == 4194304 and
			.params.stat == "read")] |
		length == 4 and all(.status == "ok" and
			.evidence.blocks_as_written.seen == .evidence.blocks_as_written.expected and
			.evidence.wire_bytes.seen > .evidence.wire_bytes.expected and
			(.evidence.requests | .seen >= .expected and .expected > 0))'
	rows '[.[] | select(.params.stat == "null_call")] | length == 1 and
		all(.status == "ok" and (.evidence.answer_bytes |
			.seen >= .expected and .expected > 0))'
	rows '[.[] | select(.params.stat == "connect")] | length == 1 and
		all(.status == "ok" and (.evidence.connections |
			.seen == .expected and .expected > 0))'
	# Less the local read with O_DIRECT, not the one in the same state.
	rows 'map({(.case): (.value // .estimate)}) | add | [to_entries[] |
			select(.key | test("(veth,cache=cold|local,cache=direct),order=random,file=4M")) |
			{(.key | sub(".*(?<w>veth|local).*stat="; "\(.w) ")): .value}] | add |
		(.["veth penalty_direct"] - (.["veth read"] - .["local read"])) | fabs < 1'
	# More than the file has.
	rows '[.[] | select(.params.file == 67108864 and .params.stat == "read")] |
		length > 0 and all(.status == "skipped" and (.reason | contains("4194304")))'
}

@test "the server is kept off the CPU that measures" {
	local cpu

	(($(nproc) > 1)) || skip "one CPU"
	cpu=$("${remote[@]}" 2>/dev/null | jq -s '.[0].cpu')
	# shellcheck disable=SC2016 # expands there
	lab 0 sh -c 'taskset -cp "$(cat /run/oscost-nfs/pid)"' </dev/null
	[[ $output =~ :\ [0-9]+$ && ${output##* } != "$cpu" ]]
	lab 0 --cpu "${output##* }" true
	lab 0 "${remote[@]}" --nfslab --bytes 4m --case '*veth*random,file=4M,*read'
	rows 'length > 0 and all(.cpu != .evidence.server_cpu and
		.evidence.server_cpu >= 0)'
}

@test "what is fetched ahead is timed over as much as is fetched at a time" {
	lab 0 "${remote[@]}" --nfslab --bytes 64m \
		--case '*cache=cold,order=sequential,file=64M,block=1M,*' \
		--case '*cache=warm,order=random,file=4M,*'
	rows '[.[] | select(.params.cache == "cold")] | length == 2 and
		all(.status == "ok")'
	# Also what was read to get it under way.
	rows '[.[] | select(.params.cache == "cold" and .params.where == "veth")] |
		length == 1 and all(.evidence.wire_bytes.expected >= 16777216)'
	# Bytes, not times: of what was timed all came from the disk.
	rows '[.[] | select(.params.cache == "cold" and .params.where == "local")] |
		length == 1 and all(.evidence | (.bytes_read_by_process |
			.expected > 33554432 and .seen >= .expected) and
			.bytes_fetched_for_each >= 1)'
	rows '[.[] | select(.params.cache == "warm" and .params.stat == "read")] |
		length == 2 and all(.evidence.bytes_cached | .seen == .expected and
			.expected >= 4194304)'
}

@test "a stretch is read anew, as cold, when the file is at its end" {
	lab 0 "${remote[@]}" --nfslab --bytes 64m --effort 10000 \
		--case 'where=local,cache=cold,order=sequential,file=64M,block=1M,*'
	# Two of 16 MiB, after one to get reading ahead under way, which is
	# compared and counted too.
	rows 'length == 1 and all(.status == "ok" and .samples > 2 and
		(.samples as $n | .evidence.bytes_read_by_process |
			.seen >= .expected and .expected >= $n * 25165824))'
}

@test "large blocks that are not cold are read on a busy connection too" {
	lab 0 "${remote[@]}" --nfslab --bytes 64m \
		--case 'where=veth,cache=warm,order=sequential,file=64M,block=*[KM],stat=read'
	# Blocks that were read before are compared and counted as well.
	rows 'length == 3 and all(.status == "ok" and (.params.block as $block |
		(.evidence.blocks_as_written.seen * $block) as $bytes |
		.evidence.wire_bytes.expected == $bytes and
			($block == 4096 or $bytes >= 8388608 + .samples * $block)))'
}

@test "a file of somebody else is not checked, nor taken for the suite's" {
	head -c 5M /dev/zero | tr '\0' x >data
	remote=(ip netns exec oscost-a "${remote[@]}"
		--url 'nfs://10.78.0.2/oscost/data?version=4&nfsport=20049')
	lab 0 --dir . "${remote[@]}"
	rows '[.[] | select(.params.file == 4194304)] |
		all(.params.cache == "unknown" and .evidence.contents == "not checked")'
	lab 1 --dir . "${remote[@]}" --local data
	rows '[.[] | select(.params.where == "local" and .params.file == 4194304 and .status != "skipped")] |
		length > 0 and all(.status == "failed" and (.reason | test("blocks_as_written")))'
	[[ $(tr -d x <data | wc -c) == 0 ]]
	# Files that the program made in a directory of the user's are removed.
	lab 0 --dir . "$BIN/file_remote" "${QUICK[@]}" --nfslab --bytes 4m \
		--case '*stat=connect'
	[[ ! -e oscost-remote && -s data ]]
	lab 1 --dir . "${remote[@]}" --local mine --bytes 4m
	[[ $stderr == *"is not the remote file"* ]]
}

# reads FILTER...: that all reads of rows which FILTER takes are right; beside other
# work one may have been excluded, because the CPU was another's.
reads() {
	rows "[.[] | select(.params.stat == \"read\" and (.params.file == 4194304))] |
		length == 2 and any(.status == \"ok\") and
		all((.status == \"skipped\" and (.reason | startswith(\"excluded: \"))) or $1 and .status == \"ok\" and
			.evidence.blocks_as_written.seen == .evidence.blocks_as_written.expected and
			.evidence.wire_bytes.seen > .evidence.wire_bytes.expected and
			(.evidence.requests | .seen >= .expected and .expected > 0))"
}

@test "an address of IPv6 stands in brackets" {
	lab 0 sh -c 'ip -n oscost-a -6 addr >addresses'
	grep -q fd78::1 addresses || skip "no IPv6 here"
	remote=(nsenter --net=/run/netns/oscost-a "${remote[@]}" --local data --bytes 5m
		--case 'where=server,cache=warm,*file=4M,*stat=read')
	lab 0 --dir . "${remote[@]}" \
		--url 'nfs://[fd78::2]/oscost/data?version=4&nfsport=20049'
	reads '.evidence.nfs_version == 4'
	lab 1 --dir . "${remote[@]}" --url 'nfs://[fd78::2/oscost/data?version=4'
	[[ $stderr == *"[fd78::2"* ]]
}

@test "NFS version 3 is read too, its ports found by rpcbind in the namespace" {
	[[ -z $WHY_NOT_3 ]] || skip "$WHY_NOT_3"
	remote=(nsenter --net=/run/netns/oscost-a "${remote[@]}" --local data --bytes 5m
		--url nfs://10.78.0.2/oscost/data)
	lab 0 --dir . --v3 "${remote[@]}" \
		--case 'where=server,cache=warm,*file=4M,*stat=read'
	reads '.evidence.nfs_version == 3'
	# libnfs keeps no page that is read twice: one in 1024 is.
	lab 0 --dir . --v3 "${remote[@]}" --effort 4000 \
		--case 'where=server,cache=warm,order=random,file=4M,*stat=read'
	rows 'length == 1 and all(.evidence.requests |
		.seen >= .expected and .expected > 0)'
	# Neither is there without being asked for.
	lab 1 --dir . "${remote[@]}"
	[[ $stderr == *"Connection refused"* ]]
}

@test "the server tells no rpcbind of this machine of itself" {
	local mine

	[[ $EUID -eq 0 ]] || skip "needs root"
	[[ ! -e /run/rpcbind.sock ]] || skip "there is one"
	command -v perl >/dev/null || skip "no perl"
	# In a /run that nobody else sees.
	mine='mount -t tmpfs none /run && mkdir /run/netns || exit
		perl -MIO::Socket::UNIX -e "
			\$s = IO::Socket::UNIX->new(Listen => 5,
				Local => q(/run/rpcbind.sock)) or die;
			while (\$c = \$s->accept) { open F, q(>), q(told); close F }" &
		while [ ! -S /run/rpcbind.sock ]; do sleep 0.1; done
		"$@"; status=$?
		kill $!
		exit $status'
	[[ -z $WHY_NOT ]] || skip "$WHY_NOT"
	try 0 unshare --mount --propagation private sh -c "$mine" sh \
		"$netlab" run --nfs --bin "$BIN" true
	[[ ! -e told ]]
}

@test "the server and all it had go, however it ends" {
	local pid server signal

	lab 3 sh -c 'exit 3'
	for signal in INT TERM KILL; do
		rm -f started
		setsid env --default-signal=INT "$netlab" run --nfs --bin "$BIN" \
			sh -c 'cat /run/oscost-nfs/pid >new; mv new started; exec sleep 300' 3>&- &
		pid=$!
		until_true test -e started
		server=$(<started)
		grep -qz /run/oscost-nfs "/proc/$server/cmdline"
		kill -s "$signal" "$pid"
		wait "$pid" || true
		server_gone "$server"
		if [[ $signal == KILL ]]; then
			# The next one removes what could not be removed.
			pkill -s "$pid" sleep || true
			rm -rf nfslab-*
			lab 0 true
		else
			gone
		fi
	done
}

@test "without privilege the reason is given" {
	[[ $EUID -eq 0 ]] || skip "needs root to become nobody"
	try 77 setpriv --reuid nobody --clear-groups "$netlab" run --nfs true
	[[ $stderr == *root* ]]
}
