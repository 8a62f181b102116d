#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the report's figures show, from made-up rows.

setup() {
	load ../helpers
	report_setup small
	# One row in six rounds, that all others are made from.
	jq -c 'select(.case == "args=0,by=direct")' small/invocations.jsonl >row
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
picture() { tr -s '\n\t ' ' ' <"small/plots/$1.svg"; }

@test "a distribution goes to its greatest value, over the bins between" {
	add_distribution op=ppoll,policy=fifo,slack=none 1
	draw
	awk '/^[0-9]/ { printf "%.4g %.2g\n", $2, $3 }' small/plots/wakeup-tail.dat | diff - <(
		cat <<-'END'
			1 1
			1.047 0.1
			1.259 0.1
			1.318 0.01
			10 0.01
			10.47 0
		END
	)
}

@test "a distribution is drawn to its greatest value, and ends with a point" {
	needs_gnuplot
	add_distribution op=ppoll,policy=fifo,slack=none 1
	draw
	# The last three corners are as high, the last point is at the end.
	picture wakeup-tail | grep -oE "stroke='rgb\( 0, 114, 178\)' d='[^']*'" |
		tail -n 1 | grep -oE '[0-9.]+,[0-9.]+' | tail -n 3 >corners
	[[ $(cut -d , -f 2 corners | sort -u | wc -l) -eq 1 ]]
	awk -F , 'NR == 1 { x = $1 } END { exit !($1 - x > 300) }' corners
	picture wakeup-tail | grep -q "translate($(tail -n 1 corners))"
	grep -q '<text>ppoll, real-time</text>' small/plots/wakeup-tail.svg
}

@test "nine lines of a distribution look different, in colour and without" {
	needs_gnuplot
	for proto in tcp udp; do
		for wait in block busy; do
			for place in same_cpu other_cpu; do
				add tcp_rtt "net=loopback,proto=$proto,size=1,wait=$wait,place=$place,stat=round_trip" \
					'.histogram = {unit: "ns", bins: [[1000, 90], [1258.92541, 9]]}'
			done
		done
	done
	add tcp_rtt net=loopback,proto=icmp,size=56,wait=block,place=same_cpu,stat=round_trip \
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

@test "a bar's line goes from one end of its interval to the other" {
	add file_ops op=stat '.value = 100 + 10 * (.round * 2 % 7)'
	draw
	# One value alone is in the table.
	[[ ! -e small/plots/file-operations.dat ]]
	add file_ops op=rename '.value = 300'
	draw
	grep '^1 0 135 110 160 "' small/plots/file-operations.dat
}

@test "latency stands over the traffic of its row, in GB/s" {
	for load in 25 50; do
		add mem_loaded "traffic=read,load=$load,stat=latency" '.value = 100'
		add mem_loaded "traffic=read,load=$load,stat=bandwidth" \
			'.unit = "B/s" | .better = "higher" | .value = '"$load"'e8'
	done
	draw
	[[ $(grep -Eo '^1 [0-9.]+ 100 ' small/plots/memory-loaded.dat) == $'1 2.5 100 \n1 5 100 ' ]]
}

@test "bars stand in the middle of those that their category has" {
	for size in 1K 4K; do
		add file_ops "op=create,size=$size"
		add file_ops "op=delete,size=$size"
	done
	add file_ops op=stat
	add file_ops op=fsync_file,size=4K
	draw
	# The order is that of the figure's patterns.
	sed -n 's/^categories\[\([0-9]\)\] = //p' small/plots/file-operations.plot |
		diff - <(printf "'%s'\n" stat create delete 'fsync of a file')
	needs_gnuplot
	# One bar stands beside the name of its category, two above and below it.
	picture file-operations >svg
	for name in stat 'fsync of a file' create delete; do
		grep -oE "translate\([0-9.]+,[0-9.]+\)\"[^>]*> <text>$name</text>" svg | sed 's/translate([0-9.]*,\([0-9.]*\)).*/\1/'
	done >names
	grep -oE "translate\([0-9.]+,[0-9.]+\)\"[^>]*> <text>[0-9.]+</text>" svg | tail -n 6 | sed 's/translate([0-9.]*,\([0-9.]*\)).*/\1/' | sort -n >values
	awk 'NR == FNR { v[NR] = $1; next } { y[FNR] = $1 }
		END { exit !(y[1] - v[1] < 2 && v[1] - y[1] < 2 && v[2] < y[3] && v[3] > y[3] && v[4] < y[4] && v[5] > y[4] &&
			y[2] - v[6] < 2 && v[6] - y[2] < 2) }' values names
}

@test "one connection and four are compared with messages of one size" {
	for net in veth loopback; do
		for case in size=1M,streams=1 size=128K,streams=1 size=128K,streams=4; do
			add tcp_bandwidth "net=$net,by=send,$case,place=other_cpu,stat=rate" \
				'.unit = "B/s" | .value = 4e9'
		done
	done
	draw
	for series in 'veth pair, 128 KiB' 'loopback, 128 KiB'; do
		awk -v series="# $series" '$0 == series { on = 1; next } /^#/ { on = 0 }
			on && NF { print $2 }' small/plots/tcp-ways.dat |
			while read -r category; do
				sed -n "s/^categories\[$((category + 1))\] = '\(.*\)'/\1/p" small/plots/tcp-ways.plot
			done | sort | diff - <(printf 'send, 1 connection\nsend, 4 connections\n')
	done
}

@test "a series without a value has a place in the colours, none in the key" {
	for fds in 1 10 100; do
		add poll "op=select,fds=$fds,ready=none"
		add poll "op=poll,fds=$fds,ready=none" \
			'.status = "skipped" | .reason = "none" | .value = null'
		add poll "op=epoll,fds=$fds,ready=none"
	done
	draw
	grep -qx "series\[1\] = 'select, none ready'" small/plots/poll-fds.plot
	grep -qx "series\[2\] = ''" small/plots/poll-fds.plot
	grep -qx "series\[3\] = 'epoll, none ready'" small/plots/poll-fds.plot
	! command -v gnuplot >/dev/null ||
		[[ $(grep -c '<text>.*, none ready<' small/plots/poll-fds.svg) -eq 2 ]]
}

@test "the key has a line only for series of two values and more" {
	needs_gnuplot
	# A bound, a value and a bound, two values.
	printf '%s\n' '1 10 NaN NaN 5 ""' '' '' '2 1 3 NaN NaN ""' '2 10 NaN NaN 5 ""' '' '' \
		'3 1 3 NaN NaN ""' '3 10 4 NaN NaN ""' >data
	run -0 gnuplot -e "data = 'data'; n_series = 3; load '$ROOT/plots/measured.gp'" \
		-e "print sprintf('%d %d %d', single[1], single[2], single[3])"
	[[ ${lines[-1]} == '1 1 0' ]]
}

@test "a logarithmic axis has the unit of its middle" {
	add poll op=select,fds=1,ready=none '.value = 100'
	add poll op=select,fds=1000,ready=none '.value = 1e6'
	draw
	grep -qx "y_label = 'cost of one call (µs)'" small/plots/poll-fds.plot
	grep -q '^1 1 0.1 ' small/plots/poll-fds.dat
	grep -q '^1 1000 1000 ' small/plots/poll-fds.dat
}

@test "a figure of bounds is left out, one with as many values is drawn" {
	needs_gnuplot
	for fds in 1 10; do
		add poll "op=select,fds=$fds,ready=none" \
			'.status = "below_resolution" | .value = null | .resolution = 1'
	done
	draw
	[[ ! -e small/plots/poll-fds.dat ]]
	add poll "op=select,fds=100,ready=none"
	add poll "op=select,fds=1000,ready=none"
	draw
	[[ -s small/plots/poll-fds.svg && -s small/plots/poll-fds.pdf ]]
	grep -q '>less than<' small/plots/poll-fds.svg
}

@test "a logarithmic axis of about a decade has more numbers than its ends" {
	needs_gnuplot
	for depth in 1 2 4 8; do
		add file_read "cache=direct,order=random,block=4K,depth=$depth,stat=rate" \
			'.unit = "1/s" | .value = 20000'
	done
	draw
	for text in 20 1 2 4 8; do
		grep -q "<text>$text</text>" small/plots/file-depth.svg
	done
	run ! grep -q '<text>10</text>' small/plots/file-depth.svg
}

@test "a wide key has no more columns than fit" {
	needs_gnuplot
	for net in a_long_name b_long_name; do
		for size in 1M 128K; do
			add tcp_bandwidth "net=$net,by=send,size=$size,streams=1,place=other_cpu,stat=rate" \
				'.unit = "B/s" | .value = 4e9'
		done
	done
	draw
	# Two columns: the names of the key begin at two places.
	[[ $(picture tcp-ways | grep -oE 'translate\([0-9.]+,[0-9.]+\)"[^>]*> <text>[a-z_]*long_name, [0-9]+ [MK]iB<' |
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
	mkdir -p small/plots
	ensembles plots/certify.log lfence
	# Where older runs have it.
	ensembles ring0.log cr0
	draw
	for figure in certify-lfence certify-ring0-cr0; do
		[[ $(grep -c '^[12] [0-3] 44 NaN NaN ""$' small/plots/$figure.dat) -eq 8 ]]
		[[ $(grep -c '^[34] [0-3] 2.5 NaN NaN ""$' small/plots/$figure.dat) -eq 8 ]]
	done
	[[ ! -e small/plots/certify-cpuid.dat ]]
	needs_gnuplot
	[[ $(picture certify-ring0-cr0) == *"method cr0, in ring 0"*"growing loop"* ]]
	grep -q 'certify-ring0-cr0' small/report.md
}

@test "a line joins all points of its series, in the order of the axis, at their places" {
	needs_gnuplot
	for fds in 1000 1 100; do
		add poll "op=select,fds=$fds,ready=none" ".value = $fds"
		add poll "op=poll,fds=$fds,ready=none" ".value = 2 * $fds"
	done
	add poll op=epoll,fds=1,ready=none
	draw
	picture poll-fds | grep -oE "stroke='rgb\( 0, 114, 178\)' d='M[^']*'" | head -n 1 | grep -oE '[0-9.]+,[0-9.]+' >corners
	sort -n corners | diff corners -
	[[ $(tail -n +2 corners | wc -l) -ge 2 ]]
	# Both series stand at the same three places of the axis.
	[[ $(picture poll-fds | grep -oE "transform='translate\([0-9.]+,[0-9.]+\) scale[^']*' color='rgb\([^)]*\)'" |
		sed 's/.*translate(\([0-9.]*\),.*/\1/' | sort -n | uniq -c | awk '$1 >= 2' | wc -l) -ge 3 ]]
}

@test "what was predicted is drawn, where the run has it" {
	for i in 0 1 2; do
		add loop "form=memory,iterations=$i"
	done
	draw
	grep -qx 'n_predicted = 1' small/plots/loop-curve.plot
	# From nothing at 0 to twice as much at 2 as at 1, by the rule.
	awk '/^# loop.predicted/ { on = 1; next } on && NF { print $2, $3 }' small/plots/loop-curve.dat >line
	[[ $(sed -n 1p line) == '0 0' && $(tail -n 1 line) == '2 '* ]]
	awk '$1 == 1 { one = $2 } $1 == 2 { two = $2 } END { exit !(one > 0 && two / one > 1.999 && two / one < 2.001) }' line
	needs_gnuplot
	grep -q '<text>predicted: ' small/plots/loop-curve.svg
	# A machine without its clock's rate has no cycles to predict by.
	jq 'del(.timer.core_hz)' small/machine.json >machine && cp machine small/machine.json
	draw
	grep -qx 'n_predicted = 0' small/plots/loop-curve.plot
	run ! grep 'predicted' small/plots/loop-curve.svg
}

@test "the line that fits contention and the limit of the file cache are drawn" {
	for n in 1 2 3 4; do
		add file_contention "mode=direct,files=own,procs=$n" ".value = 100 * $n"
	done
	for size in 16M 36M; do
		add file_cache "scope=group,size=$size" '.evidence.limit_bytes = 33554432'
	done
	draw
	grep -qx 'mark_at\[1\] = 33554432' small/plots/file-cache.plot
	needs_gnuplot
	grep -q '>limit' small/plots/file-cache.svg
	grep -q '100 n, R² 1.000' small/plots/file-contention.svg
}

@test "many lines over two places are bars, by those places" {
	for kernel in read write copy_nt; do
		for threads in 1 2; do
			add mem_bandwidth "kernel=$kernel,isa=best,level=memory,threads=$threads" \
				'.unit = "B/s" | .value = 4e9'
		done
	done
	draw
	grep -qx "load plots.'/bars.gp'" small/plots/memory-bandwidth-threads.plot
	grep -qx "series\[2\] = '2 threads'" small/plots/memory-bandwidth-threads.plot
	grep -qx "categories\[3\] = 'copy past caches'" small/plots/memory-bandwidth-threads.plot
}

@test "the load is drawn only where both kinds of it are known" {
	add arith load=system,type=int64,op=add '.unit = "%"'
	add arith load=core,type=int64,op=add \
		'.unit = "%" | .status = "skipped" | .reason = "no counters" | .value = null'
	draw
	[[ ! -e small/plots/load.dat ]]
	add mem_latency load=core,pattern=random,pages=4K,size=64M '.unit = "%"'
	draw
	[[ -s small/plots/load.dat ]]
}

@test "a pointer over a point shows its row, and nothing runs" {
	needs_gnuplot
	add poll op=select,fds=1,ready=none
	add poll 'op=poll<b>,fds=1,ready=none'
	draw
	# A line of one point is in the table.
	[[ ! -e small/plots/poll-fds.svg ]]
	add poll op=select,fds=10,ready=none
	draw
	grep -q '<title>op=select,fds=1,ready=none: 2.02 ns (.*)</title>' small/plots/poll-fds.svg
	run ! grep -E 'gnuplot_plot_[0-9]*</title>|<script|onmouse|<b>' small/plots/poll-fds.svg
	for svg in small/plots/*.svg; do
		! command -v xmllint >/dev/null || xmllint --noout "$svg"
	done
}

@test "a mark stands where a row says" {
	for pages in 8 64 1024; do
		add tlb "layout=page,pages=$pages"
	done
	add tlb level=1,stat=reach '.unit = "pages" | .value = 72'
	draw
	grep -qx 'mark_at\[1\] = 72' small/plots/tlb-steps.plot
	grep -qx "n_marks = 1" small/plots/tlb-steps.plot
	needs_gnuplot
	grep -q '<text>first TLB *</text>' small/plots/tlb-steps.svg
}

@test "what figures.tsv names is there" {
	local programs term program

	sed -n 's/^\(predicted\|mark\)\t\([^\t]*\).*/\2/p' "$ROOT/report/figures.tsv" | sort -u >named
	row_lines figure | cut -f 1 | sort -u >known
	[[ -s named && -z $(comm -13 known named) ]]
	# Each word fits a case, but those that need another machine or more CPUs.
	row_lines run | cut -f 2 | sort -u | while read -r program; do
		"$BIN/$program" --list </dev/null | tr ',' '\n' | sort -u |
			sed "s/.*/$program &\n&/"
	done >cases
	sed -n 's/^word\t//p' "$ROOT/report/figures.tsv" |
		while IFS=$'\t' read -r programs term _; do
			[[ $term != @(cpus=*|net=veth|net=remote|where=*|cache=*|scope=machine|pages=hugetlb|pages=16K|pages=64K|place=*_package|place=same_core|stat=packet*|stat=before|stat=after|stat=spaced) ]] || continue
			[[ $programs != '*' ]] && term="$programs $term"
			# An empty value stands for no such axis.
			grep -qx -- "${term//\*/.*}.*" cases || echo "$term"
		done >absent
	diff -u /dev/null absent
}

# pair AT NEW OLD: both ways at this point cost so many ns.
pair() {
	add ways "op=nop,by=io_uring,$1" ".value = $2 + .round / 1000"
	add ways "op=nop,by=call,$1" ".value = $3 + .round / 1000"
}

@test "each point of a pair says whether the new way is faster" {
	: >small/invocations.jsonl
	pair n=1 200 100
	pair n=8 100 100
	pair n=64 20 100
	draw
	sed -n '/id="pairs"/,/<a id="machine"/p' small/report.md >pairs
	grep -Eq '^[|] io.*uring, no operation, against getppid [|] n=1 [|].*[|] slower [|]$' pairs
	grep -Eq '^[|] +[|] n=8 [|].*[|] no clear difference [|]$' pairs
	grep -Eq '^[|] +[|] n=64 [|].*[|] faster [|]$' pairs
}
