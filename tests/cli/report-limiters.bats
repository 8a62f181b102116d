#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the coursework table and lmbench's say of a row must hold for that row.

setup() {
	load ../helpers
	report_setup
}

# begin DIR: a results directory without a row.
begin() {
	mkdir "$1"
	cp "$ROOT"/tests/fixtures/results/small/{machine,run}.json "$1"
	printf '[]\n' >"$1/about.json"
}

# measured DIR PROGRAM CASE VALUE UNIT: one more row, of six rounds.
measured() {
	local round

	for round in {1..6}; do
		printf '{"schema": 1, "benchmark": "%s", "case": "%s", "status": "ok", "unit": "%s", "better": "lower", "value": %s, "n": 1, "samples": 9, "iters": 1, "round": %d}\n' \
			"$2" "$3" "$5" "$4" "$round"
	done >>"$1/invocations.jsonl"
}

# limiter DIR LABEL: the cell of that operation.
limiter() {
	"$report" make --root "$ROOT" --no-plots "$1" >/dev/null
	sed -n '/id="coursework"/,/id="comparisons"/p' "$1/report.md" |
		awk -F ' [|] ' -v label="$2" '
			$1 == "| operation" { at = 0
				for (i = 1; i <= NF; i++) if ($i == "limiter") at = i }
			at && index($1, "| " label) == 1 && $at != "" { print $at }'
}

# each_pattern FILE: id, program, unit, place among the patterns and pattern.
each_pattern() {
	awk -F '\t' '!/^#/ && $5 != "-" { n = split($5, p, " ")
		for (i = 1; i <= n; i++) printf "%s\t%s\t%s\t%d\t%s\n", $1, $4, $6, i, p[i] }' "$1"
}

@test "limiters are of operations that have none of their own" {
	awk -F '\t' '!/^#/ && $12 == "-" { print $1 }' <(row_lines course) |
		sort >without
	awk -F '\t' '!/^#/ { print $1 }' <(row_lines limit) | sort -u >with
	[[ -s with ]]
	diff -u without with
	# Five fields; who compares says what, and who does not has nothing to say.
	run ! awk -F '\t' '!/^#/ && (NF != 5 || $4 == "-" || ($3 == "-") != ($5 == "-") ||
		$3 !~ /^(-|[^ ]+( \/ [^ ]+)? [<>] [0-9.]+)$/) { print; bad = 1 }
		END { exit !bad }' <(row_lines limit)
}

@test "every row that may be matched is limited by something" {
	each_pattern <(row_lines course) >patterns
	[[ $(wc -l <patterns) -gt 45 ]]
	for ((i = 1; i <= 3; i++)); do
		begin "run$i"
		while IFS=$'\t' read -r _ program unit place glob; do
			[[ $place != "$i" ]] ||
				measured "run$i" "$program" "${glob//\*/}" 100 "$unit"
		done <patterns
		"$report" make --root "$ROOT" --no-plots "run$i" >/dev/null
		sed -n '/id="coursework"/,/id="comparisons"/p' "run$i/report.md" >table
		n=$(awk -F '\t' -v i="$i" '$4 == i' patterns | wc -l)
		# The fifth cell is what was measured, the ninth the limiter.
		[[ $(grep -Ec '^(\| [^|]+ ){4}\| 100 [^|]+ (\| [^|]+ ){3}\| [^ |][^|]+ \|' table) -eq $n ]]
	done
}

@test "what has no wire is not limited by one" {
	each_pattern <(row_lines course) | grep -E 'net=(veth|loopback)' >here
	each_pattern <(row_lines course) | grep 'net=remote' >far
	[[ $(wc -l <here) -eq 8 && $(wc -l <far) -eq 4 ]]
	for where in here far; do
		begin "at-$where"
		while IFS=$'\t' read -r _ program unit _ glob; do
			measured "at-$where" "$program" "${glob//\*/}" 100 "$unit"
		done <"$where"
		for label in 'Round trip' 'Peak bandwidth' 'Connection'; do
			limiter "at-$where" "$label"
		done >said-"$where"
	done
	[[ $(wc -l <said-here) -eq 8 && $(grep -c . said-here) -eq 8 ]]
	run ! grep -Ewi 'wire|card|link|round trip' said-here
	[[ $(grep -Ewic 'wire|link|round trip' said-far) -eq 4 ]]
	# No process takes part in what the kernels acknowledge.
	run ! grep -i 'wak' <<<"$(limiter at-here 'Round trip')"
}

@test "a disk seeks if the figures say so" {
	for ratio in 1.02 40; do
		begin "disk$ratio"
		measured "disk$ratio" file_read 'cache=direct,order=random,size=1G' 31800 ns
		measured "disk$ratio" file_read 'cache=direct,stat=random_over_sequential' "$ratio" 1
	done
	[[ $(limiter disk1.02 'Local file read') == *'no seeks (1.0 times a sequential read)' ]]
	[[ $(limiter disk40 'Local file read') == 'seeks and rotation (40 times a sequential read)' ]]
}

@test "a read of 4 KiB waits for the disk's rate or for each request" {
	for big in 1168592136 200000000; do
		begin "disk$big"
		measured "disk$big" file_read 'cache=direct,order=sequential,size=1G' 30100 ns
		measured "disk$big" file_read 'cache=direct,order=sequential,block=4K' 127039514 B/s
		measured "disk$big" file_read 'cache=direct,order=sequential,block=1M' "$big" B/s
	done
	[[ $(limiter disk1168592136 'Local file read') == 'the way of each request '*'(9.2 times '* ]]
	[[ $(limiter disk200000000 'Local file read') == 'the transfer rate of the disk (1.6 times '* ]]
}

@test "a counter in memory adds little only where it does" {
	for memory in 0.43 0.9 2.5; do
		begin "loop$memory"
		measured "loop$memory" loop 'form=memory,iterations=each' "$memory" ns
		measured "loop$memory" loop 'form=register,iterations=each' 0.4 ns
	done
	[[ $(limiter loop0.43 'Loop, one') == *'adding little (1.1 times a counter in a register)' ]]
	[[ $(limiter loop0.9 'Loop, one') == "the counter's way through memory (2.2 times a counter in a register)" ]]
	[[ $(limiter loop2.5 'Loop, one') == 'store to load forwarding '*'(6.2 times '* ]]
}

@test "stores past the caches: one core fills the way, or could not" {
	for both in 25.1e9 46e9; do
		begin "nt$both"
		measured "nt$both" mem_bandwidth \
			'kernel=write_nt,isa=best,level=memory,size=256M,threads=1' 24.7e9 B/s
		measured "nt$both" mem_bandwidth \
			'kernel=write_nt,isa=best,level=memory,size=256M,threads=2' "$both" B/s
	done
	label='Memory write bandwidth, stores past the caches'
	[[ $(limiter nt25.1e9 "$label") == 'the way from the cores to memory, '*'(1.0 times as much with two threads)' ]]
	[[ $(limiter nt46e9 "$label") == 'lines that one core can have under way at a time (1.9 times '* ]]
}

@test "lines are read before they are written only if that makes stores slow" {
	for plain in 31e9 40.1e9; do
		begin "w$plain"
		measured "w$plain" mem_bandwidth 'kernel=write,isa=best,level=memory,size=256M,threads=1' "$plain" B/s
		measured "w$plain" mem_bandwidth 'kernel=write_nt,isa=best,level=memory,size=256M,threads=1' 41.8e9 B/s
	done
	label='Memory write bandwidth, ordinary stores'
	[[ $(limiter w31e9 "$label") == 'each line is read before it is written (0.74 times '* ]]
	[[ $(limiter w40.1e9 "$label") == *'not read before they are written (0.96 times '* ]]
}

@test "the server's disk counts where cold differs from warm" {
	for cold in 49600 95500; do
		begin "far$cold"
		for cache in "cold $cold" 'warm 47700'; do
			measured "far$cold" file_remote \
				"where=veth,cache=${cache% *},order=sequential,file=1G,block=4K,stat=read" "${cache#* }" ns
		done
	done
	[[ $(limiter far49600 'Remote file read') != *disk* ]]
	[[ $(limiter far95500 'Remote file read') == *"disk (2.0 times"* ]]
}

@test "the penalty of the network is taken apart" {
	for call in '36600 13300' '36600 30000' '5000 3000'; do
		dir=call${call%% *}-${call#* }
		begin "$dir"
		measured "$dir" file_remote 'where=veth,cache=cold,order=sequential,file=1G,block=4K,stat=penalty_direct' 46800 ns
		measured "$dir" file_remote where=veth,stat=null_call "${call% *}" ns
		measured "$dir" file_remote where=veth,stat=connect "${call#* }" ns
	done
	[[ $(limiter call36600-13300 'Network penalty') == *wake-ups*'(0.78 of it '* ]]
	[[ $(limiter call36600-30000 'Network penalty') == 'the round trip of packets (0.64 '* ]]
	[[ $(limiter call5000-3000 'Network penalty') == 'moving the data'*'(0.11 of it '* ]]
}

@test "an operation that was not measured is limited by nothing" {
	begin none
	measured none nop timing=batch 1 ns
	[[ -z $(limiter none 'Round trip') ]]
	run -0 grep -c '| not measured |' none/report.md
}

@test "the table to predict by names what may limit each operation" {
	run -0 --separate-stderr "$report" predictions --root "$ROOT"
	[[ -z $(awk '/^# usually limited by: / { said = 1 }
		/^\[/ { if (!said && $0 != "[machine]") print; said = 0 }' <<<"$output") ]]
	grep -qF '# usually limited by: the network card, the wire, two kernels (net=remote,*)' <<<"$output"
	run ! grep -E 'times|[(][0-9]' <<<"$(grep 'usually limited' <<<"$output")"
}
