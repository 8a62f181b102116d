#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the report's figures show, from made-up rows.

setup() {
	load ../helpers
	report_setup small
	# One row in six rounds, that all others are made from.
	jq -c 'select(.case == "args=0,via=direct")' small/invocations.jsonl >row
	: >small/invocations.jsonl
}

# add BENCHMARK CASE [FILTER]: six rounds of that case.
add() {
	jq -c --arg benchmark "$1" --arg case "$2" '
		.benchmark = $benchmark | .case = $case | .params = ($case | split(",") |
			map(capture("(?<key>[^=]*)=(?<value>.*)")) | from_entries |
			map_values((capture("^(?<n>[0-9]+)(?<k>[KMG]?)$") |
				(.n | tonumber) * {"": 1, K: 1024, M: 1048576, G: 1073741824}[.k])
				// .)) | .histogram = null | '"${3:-.}" row >>small/invocations.jsonl
}

# draw: data and settings, and pictures if there is gnuplot.
draw() {
	run -0 --separate-stderr "$report" make --root "$ROOT" small
	[[ $output$stderr != *"could not draw"* ]]
}

needs_gnuplot() { command -v gnuplot >/dev/null || skip "no gnuplot"; }

# add_distribution CASE COUNT: 90 wake-ups of about 1 µs and some later ones.
add_distribution() {
	add wakeup "$1" '.value = 1100 | .histogram = {unit: "ns", bins:
		[[1000, 90], [1258.92541, 9], [10000, '"$2"']]}'
}

# picture FIGURE: its SVG in one line.
picture() { tr -s '\n\t ' ' ' <"small/$1.svg"; }

@test "a distribution goes to its greatest value, over the bins between" {
	add_distribution call=ppoll,policy=fifo,slack=none 1
	draw
	grep '^[0-9]' small/wakeup-tail.dat | diff - <(
		cat <<-'END'
			1 0 1
			1.04713 0.9 0.1
			1.25893 0.9 0.1
			1.31826 0.99 0.01
			10 0.99 0.01
			10.4713 1 0
		END
	)
}

@test "a distribution is drawn to its greatest value, and ends with a point" {
	needs_gnuplot
	add_distribution call=ppoll,policy=fifo,slack=none 1
	draw
	# The last three corners are as high, the last point is at the end.
	picture wakeup-tail | grep -oE "stroke='rgb\( 0, 114, 178\)' d='[^']*'" |
		tail -n 1 | grep -oE '[0-9.]+,[0-9.]+' | tail -n 3 >corners
	[[ $(cut -d , -f 2 corners | sort -u | wc -l) -eq 1 ]]
	awk -F , 'NR == 1 { x = $1 } END { exit !($1 - x > 300) }' corners
	picture wakeup-tail | grep -q "translate($(tail -n 1 corners))"
	grep -q '<text>ppoll, fifo, none</text>' small/wakeup-tail.svg
}

@test "nine lines of a distribution look different, in colour and without" {
	needs_gnuplot
	for proto in tcp udp; do
		for wait in block busy; do
			for place in same_cpu other_cpu; do
				add tcp_rtt "net=loopback,proto=$proto,size=1,wait=$wait,place=$place,figure=round_trip" \
					'.histogram = {unit: "ns", bins: [[1000, 90], [1258.92541, 9]]}'
			done
		done
	done
	add tcp_rtt net=loopback,proto=icmp,size=56,wait=block,place=same_cpu,figure=round_trip \
		'.histogram = {unit: "ns", bins: [[2000, 90], [2511.886, 9]]}'
	draw
	# Lines begin with their piece in the key.
	picture rtt-tail |
		grep -oE "<path stroke='rgb[^>]*' d='M[0-9.,]+ L[0-9.,]+ M" >looks
	[[ $(grep -c . looks) -eq 9 ]]
	[[ $(grep -oE "'rgb[^']*'" looks | sort -u | wc -l) -eq 9 ]]
	[[ $(grep -oE "dasharray='[^']*'" looks | sort -u | wc -l) -eq 7 ]]
	[[ $(picture rtt-tail | grep -oE "href='#gpPt[0-9]+' transform" | sort -u | wc -l) -eq 8 ]]
}

@test "bars stand in the middle of those that their category has" {
	for size in 1K 4K; do
		add file_ops "op=create,size=$size"
		add file_ops "op=delete,size=$size"
	done
	add file_ops op=stat
	add file_ops op=fsync_file,size=4K
	draw
	awk '/^[0-9]/ { print $1, $6, $7 }' small/file-operations.dat | sort | diff - <(
		cat <<-'END'
			0 -0.5 "create"
			0 0.5 "create"
			1 -0.5 "delete"
			1 0.5 "delete"
			2 0 "stat"
			3 0 "fsync_file"
		END
	)
	grep -qx 'widest = 2' small/file-operations.plot
}

@test "one connection and four are compared with messages of one size" {
	for net in veth loopback; do
		for case in size=1M,streams=1 size=128K,streams=1 size=128K,streams=4; do
			add tcp_bandwidth "net=$net,via=send,$case,place=other_cpu,figure=rate" \
				'.unit = "B/s" | .value = 4e9'
		done
	done
	draw
	for series in 'veth, 128K' 'loopback, 128K'; do
		awk -v series="# $series" '$0 == series { on = 1; next } /^#/ { on = 0 }
			on && NF { print $7, $8 }' small/tcp-ways.dat |
			diff - <(printf '"send, 1"\n"send, 4"\n')
	done
}

@test "a series without a value has a place in the colours, none in the key" {
	for fds in 1 10; do
		add poll "call=select,fds=$fds,ready=none"
		add poll "call=poll,fds=$fds,ready=none" \
			'.status = "skipped" | .reason = "none" | .value = null'
		add poll "call=epoll,fds=$fds,ready=none"
	done
	draw
	grep -qx "series\[1\] = 'select, none'" small/poll-fds.plot
	grep -qx "series\[2\] = ''" small/poll-fds.plot
	grep -qx "series\[3\] = 'epoll, none'" small/poll-fds.plot
	! command -v gnuplot >/dev/null ||
		[[ $(grep -c '<text>.*, none<' small/poll-fds.svg) -eq 2 ]]
}

@test "a logarithmic axis has the unit of its middle" {
	add poll call=select,fds=1,ready=none '.value = 100'
	add poll call=select,fds=1000,ready=none '.value = 1e6'
	draw
	grep -qx "y_label = 'cost of one call (µs)'" small/poll-fds.plot
	grep -q '^1 0.1 ' small/poll-fds.dat
	grep -q '^1000 1000 ' small/poll-fds.dat
}

@test "a figure of nothing but rows below resolution is drawn" {
	needs_gnuplot
	for fds in 1 10; do
		add poll "call=select,fds=$fds,ready=none" \
			'.status = "below_resolution" | .value = null | .resolution = 1'
	done
	draw
	[[ -s small/poll-fds.svg && -s small/poll-fds.png ]]
	grep -q 'below resolution' small/poll-fds.svg
}

@test "a logarithmic axis of about a decade has more numbers than its ends" {
	needs_gnuplot
	for depth in 1 2 4 8; do
		add file_read "cache=direct,order=random,block=4K,depth=$depth,figure=rate" \
			'.unit = "1/s" | .value = 20000'
	done
	draw
	for text in 20000 1 2 4 8; do
		grep -q "<text>$text</text>" small/file-depth.svg
	done
	run ! grep -q '<text>10</text>' small/file-depth.svg
}

@test "a wide key has no more columns than fit" {
	needs_gnuplot
	for net in one_with_a_long_name another_long_name; do
		for size in 1M 128K; do
			add tcp_bandwidth "net=$net,via=send,size=$size,streams=1,place=other_cpu,figure=rate" \
				'.unit = "B/s" | .value = 4e9'
		done
	done
	draw
	# Two columns: the names of the key begin at two places.
	[[ $(picture tcp-ways | grep -oE 'translate\([0-9.]+,[0-9.]+\)"[^>]*> <text>[a-z_]*long_name, [0-9]+[MK]<' |
		sed 's/translate(//; s/,.*//' | sort -u | wc -l) -eq 2 ]]
}

# ensembles FILE METHOD: a log as certify and the ring 0 module write it.
ensembles() {
	local body

	for body in empty loop; do
		printf '\n\n# method=%s body=%s\n' "$2" "$body"
		seq -f 'loop_size:%g >>>> variance(cycles): 2.500; max_deviation: 9 ;min time: 44' 0 3
		echo 'total number of spurious min values = 0'
	done >>"small/$1"
}

@test "the timer certificate has the paper's graphs, with those that ring 0 left" {
	ensembles certify.log lfence
	ensembles ring0.log cr0
	draw
	[[ $(grep -c '^[0-3] 44 2.5$' small/certify-lfence.dat) -eq 8 ]]
	[[ $(grep -c '^[0-3] 44 2.5$' small/certify-ring0-cr0.dat) -eq 8 ]]
	[[ ! -e small/certify-cpuid.dat ]]
	needs_gnuplot
	[[ $(picture certify-ring0-cr0) == *"method cr0, ring 0"*"growing loop"* ]]
	grep -q 'certify-ring0-cr0' small/report.md
}
