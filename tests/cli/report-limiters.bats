#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the coursework table and lmbench's say of a row must hold for that row.

load ../helpers

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

# limited LABEL PATTERN ROW...: the limiter of that operation in a run of these rows.
limited() {
	local row dir=run$((++runs)) said

	begin "$dir"
	for row in "${@:3}"; do
		# shellcheck disable=SC2086 # program, case, value and unit
		measured "$dir" $row
	done
	said=$(limiter "$dir" "$1")
	# shellcheck disable=SC2053 # a pattern
	[[ $said == $2 ]] || { echo "$1: $said" && return 1; }
}

@test "a disk seeks, transfers or waits for each request as the figures say" {
	local read='file_read cache=direct,order=random,size=1G 31800 ns' ratio='file_read cache=direct,stat=random_over_sequential'
	local -a blocks=('file_read cache=direct,order=sequential,size=1G 30100 ns'
		'file_read cache=direct,order=sequential,block=4K 127039514 B/s')

	limited 'Local file read' '*no seeks (1.0 times a sequential read)' "$read" "$ratio 1.02 1"
	limited 'Local file read' 'seeks and rotation (40 times a sequential read)' "$read" "$ratio 40 1"
	limited 'Local file read' 'the way of each request * (9.2 times *' "${blocks[@]}" \
		'file_read cache=direct,order=sequential,block=1M 1168592136 B/s'
	limited 'Local file read' 'the transfer rate of the disk (1.6 times *' "${blocks[@]}" \
		'file_read cache=direct,order=sequential,block=1M 200000000 B/s'
}

@test "a counter in memory adds little only where it does" {
	local register='loop form=register,iterations=each 0.4 ns' memory='loop form=memory,iterations=each'

	limited 'Loop, one' '*adding little (1.1 times a counter in a register)' "$register" "$memory 0.43 ns"
	limited 'Loop, one' "the counter's way through memory (2.2 times a counter in a register)" "$register" "$memory 0.9 ns"
	limited 'Loop, one' 'store to load forwarding * (6.2 times *' "$register" "$memory 2.5 ns"
}

@test "stores are limited by the core, the way to memory, or reads before they are written" {
	local label='Memory write bandwidth, stores past the caches' at=isa=best,level=memory,size=256M

	limited "$label" 'the way from the cores to memory, * (1.0 times as much with two threads)' \
		"mem_bandwidth kernel=write_nt,$at,threads=1 24.7e9 B/s" "mem_bandwidth kernel=write_nt,$at,threads=2 25.1e9 B/s"
	limited "$label" 'lines that one core can have under way at a time (1.9 times *' \
		"mem_bandwidth kernel=write_nt,$at,threads=1 24.7e9 B/s" "mem_bandwidth kernel=write_nt,$at,threads=2 46e9 B/s"
	label='Memory write bandwidth, ordinary stores'
	limited "$label" 'each line is read before it is written (0.74 times *' \
		"mem_bandwidth kernel=write,$at,threads=1 31e9 B/s" "mem_bandwidth kernel=write_nt,$at,threads=1 41.8e9 B/s"
	limited "$label" '*not read before they are written (0.96 times *' \
		"mem_bandwidth kernel=write,$at,threads=1 40.1e9 B/s" "mem_bandwidth kernel=write_nt,$at,threads=1 41.8e9 B/s"
}

@test "a remote read: the server's disk where cold differs from warm; the penalty taken apart" {
	local of=order=sequential,file=1G,block=4K calls
	local warm="file_remote where=veth,cache=warm,$of,stat=read 47700 ns"
	local penalty="file_remote where=veth,cache=cold,$of,stat=penalty_direct 46800 ns"

	limited 'Remote file read' '!(*disk*)' "$warm" "file_remote where=veth,cache=cold,$of,stat=read 49600 ns"
	limited 'Remote file read' '*disk (2.0 times*' "$warm" "file_remote where=veth,cache=cold,$of,stat=read 95500 ns"
	while read -r null_call connect calls; do
		limited 'Network penalty' "$calls" "$penalty" "file_remote where=veth,stat=null_call $null_call ns" \
			"file_remote where=veth,stat=connect $connect ns"
	done <<-'END'
		36600 13300 *wake-ups* (0.78 of it *
		36600 30000 the round trip of packets (0.64 *
		5000 3000 moving the data* (0.11 of it *
	END
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
