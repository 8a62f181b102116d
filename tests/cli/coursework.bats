#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The course's table without a student's predictions, its comparisons, and the
# skeleton of its report.

setup() {
	load ../helpers
	report_setup small
}

# begin DIR TICKS: a results directory without a row, on a machine of 3 GHz
# whose CPUID takes so many ticks of a 2 GHz clock.
begin() {
	mkdir "$1"
	cp "$ROOT"/tests/fixtures/results/small/run.json "$1"
	jq --argjson ticks "$2" '.timer.cpuid_ticks = $ticks | .timer.core_hz = 3e9 | .tsc.hz = 2e9' \
		"$ROOT"/tests/fixtures/results/small/machine.json >"$1/machine.json"
	printf '[]\n' >"$1/about.json"
}

# measured DIR PROGRAM CASE UNIT VALUE...: one more row, an invocation for each
# value.
measured() {
	local value

	for value in "${@:5}"; do
		printf '{"schema": 1, "benchmark": "%s", "case": "%s", "status": "ok", "unit": "%s", "better": "lower", "value": %s, "n": 1, "samples": 9, "iters": 1}\n' \
			"$2" "$3" "$4" "$value" >>"$1/invocations.jsonl"
	done
}

# said DIR: what the coursework command prints.
said() {
	"$report" coursework --root "$ROOT" "$1"
}

@test "every operation has a rule and a chapter" {
	diff -u <(row_lines course | cut -f1 | sort) \
		<(sed -n 's/^estimate\t\([^\t]*\).*/\1/p' "$ROOT/report/estimates.tsv" | sort -u)
	sed '/^#/d' "$ROOT/report/estimates.tsv" >lines
	# The chapters name operations, figures and comparisons that there are.
	{
		row_lines course | cut -f1
		row_lines figure | cut -f1
		sed -n 's/^comparison\t\([^\t]*\).*/\1/p' lines
		printf '%s\n' - all
	} | sort -u >known
	awk -F '\t' '$1 == "chapter" { print $4, $5, $6 }' lines | tr ' ' '\n' | sort -u >named
	[[ -z $(comm -13 known named) ]]
	# Each operation stands in one chapter.
	diff -u <(row_lines course | cut -f1 | sort) \
		<(awk -F '\t' '$1 == "chapter" && $4 !~ /^(-|all)$/ { print $4 }' lines | tr ' ' '\n' | sort)
}

@test "without predictions each column is filled, or a reason stands below" {
	run -0 --separate-stderr "$report" make --no-plots --root "$ROOT" small
	sed -n '/id="coursework"/,/id="comparisons"/p' small/report.md >table
	awk -F ' [|] ' '/^[|] operation [|] base/ { on = 1; next } /^$/ { on = 0 }
		on && !/---/ { print }' table >rows
	# The last so many lines are of the report of 2017.
	head -n "$(row_lines course | wc -l)" rows >ours
	run ! awk -F ' [|] ' '{ for (i = 1; i <= 8; i++) if ($i ~ /^ *$/) { print; bad = 1 } }
		END { exit !bad }' ours
	[[ $(grep -c '| est[.] ' ours) -ge 20 ]]
	# Five cycles at 3 GHz, whatever the clock's rate.
	grep -qF '| L1 cache access | est. 1.67 ns | est. 0 ns | est. 1.67 ns |' ours
	grep -qF '| L1 cache access | est.: 5 cycles' table
	while IFS='|' read -r _ label base _; do
		[[ $base != ' – ' ]] || label=${label%% (through*}
		[[ $base != ' – ' ]] ||
			grep -qF "|$label| no estimate, which needs " table
	done <ours
	# Figures of the report of 2017, and those that it does not have.
	grep -qF '| 10.024 ms | 0.004 ms | 10.03 ms | 8.12 ms | 2.6131 ms |' table
	grep -qF '| N/A | N/A | 7.16 µs | 48.154 µs | 1.096 µs |' table
}

@test "a student's prediction takes the place of the estimate, of its operation only" {
	printf '[syscall]\npredicted = 50 ns\nwhy = a trap\n' >small/predictions.ini
	run -0 --separate-stderr "$report" make --no-plots --root "$ROOT" small
	grep -q '^| System call: getpid, syscall instruction | – | – | 50.0 ns | ' small/report.md
	grep -q '^| System call: getpid, syscall instruction | a trap |' small/report.md
	grep -q '^| L1 cache access | est[.] ' small/report.md
	printf '[syscall]\nbase = soon\n' >small/predictions.ini
	answers 0 "predictions.ini:2: base = soon: expected a number and a unit" said small
	grep -qE '^System call: getpid, syscall instruction +est[.] 333 ns' <<<"$output"
}

@test "an estimate takes the rows that are there, and says which are not" {
	begin disk 100
	measured disk file_read cache=direct,order=sequential,size=1G ns 50000
	run -0 --separate-stderr said disk
	grep -qE '^Contended read, 4 processes +est[.] 200 µs' <<<"$output"
	grep -q 'no estimate, which needs a value of file_read cache=direct,order=sequential,block=1M in this run' <<<"$output"
	measured disk file_read cache=direct,order=sequential,block=1M B/s 409.6e6
	run -0 --separate-stderr said disk
	grep -qE '^Local file read [(]O_DIRECT[)], 4 KiB, random +est[.] 10.0 µs' <<<"$output"
	# 64 KiB in 210 µs, 1 MiB in 2560: a request takes 53.3 beside its bytes.
	measured disk file_read cache=direct,order=sequential,block=64K B/s 312076190.5
	run -0 --separate-stderr said disk
	grep -qE '^Local file read [(]O_DIRECT[)], 4 KiB, sequential +est[.] 10.0 µs +est[.] 53.3 µs +est[.] 63.3 µs' <<<"$output"
	measured disk mem_latency pattern=stride,stride=64,pages=4K,size=64M ns 2
	run -0 --separate-stderr said disk
	grep -qE '^Memory read bandwidth, best kernel +est[.] 32.0 GB/s' <<<"$output"
	grep -qE '^Memory write bandwidth, ordinary stores, best kernel +est[.] 16.0 GB/s' <<<"$output"
	# Half a turn and a seek where reads show them.
	measured disk file_read cache=direct,stat=random_over_sequential 1 40
	run -0 --separate-stderr said disk
	grep -qE '^Local file read [(]O_DIRECT[)], 4 KiB, random +est[.] 13.2 ms' <<<"$output"
	# Times 4096 bytes and 10 000 cycles of the kernel.
	grep -qE '^Page fault that reads from the disk +est[.] 13.2 ms +est[.] 3.33 µs' <<<"$output"
}

@test "int 0x80 is told from a trap to the hypervisor by CPUID's cost" {
	for ticks in 10000 200; do
		begin "gate$ticks" "$ticks"
		measured "gate$ticks" syscall op=getpid,by=syscall ns {100..106}
		measured "gate$ticks" syscall op=getpid,by=int80 ns {5000..5006}
		run -0 --separate-stderr said "gate$ticks"
		grep -qE 'by=int80[)].* 48[.]6 +47[.]6 – 49[.]7|by=int80[)].* 48[.]6 +' <<<"$output"
		printf '%s\n' "${output//$'\n'/ }" >"said$ticks"
	done
	grep -q 'a hypervisor intercepts it; int 0x80 *takes 4.90 µs more' said10000
	grep -q 'no *hypervisor intercepts it: the 14.* cycles' said200
	# Rarely intercepted: CPUID traps, the gate does not.
	begin gate 10000
	measured gate syscall op=getpid,by=syscall ns {100..106}
	measured gate syscall op=getpid,by=int80 ns {300..306}
	said gate | tr '\n' ' ' | grep -q 'so it *does not *trap there'
}

@test "a comparison has its interval, its rows, and the reason that they give" {
	begin pair 100
	measured pair page_fault fault=major,per=byte ns/B 10 10 10 10 10 10 10
	measured pair mem_bandwidth kernel=read,isa=best,level=memory,size=256M,threads=1 B/s \
		10e9 10e9 10e9 10e9 10e9 10e9 10e9
	measured pair tcp_rtt net=veth,proto=tcp,size=1,wait=block,place=same_cpu,stat=packet ns {10..16}
	measured pair tcp_rtt net=loopback,proto=tcp,size=1,wait=block,place=same_cpu,stat=packet ns {10..16}
	run -0 --separate-stderr said pair
	# 10 ns a byte and 10 GB/s.
	grep -qE 'page fault: 10[.]0 ns/B [(]fault=major,per=byte[)] +memory: 10[.]0 GB/s .* 100 +100 – 100' <<<"$output"
	grep -q 'cannot tell from loopback' <<<"${output//$'\n'  / }"
	grep -qE '^System call against procedure call +system call: not measured in this run' <<<"$output"
	run ! grep -q 'unknown' <<<"$output"
}

@test "a rule that cannot be read is named" {
	mkdir here
	cp -r "$ROOT/bench" "$ROOT/monitor" here
	mkdir here/report
	printf 'estimate\tl1\t-\t5 * (cycle\t0\tfive\nterm\tx\tx + x\nestimate\tl2\t-\tx\t0\tround and round\n' \
		>here/report/estimates.tsv
	run -0 --separate-stderr "$report" coursework --root here small
	grep -qF "no estimate, which needs a formula that can be read: '5 * (cycle'" <<<"$output"
	grep -qF "no estimate, which needs a formula that can be read: 'x + x'" <<<"$output"
}

@test "the skeleton has the chapters, the tables and room for the rest" {
	answers 2 "expected latex" "$report" coursework --root "$ROOT" --template word small
	run -0 --separate-stderr "$report" coursework --root "$ROOT" --template latex small
	for heading in 'section{Introduction' 'subsection{CPU' 'subsection{System Call' 'subsection{Page Fault Handling' \
		'subsection{Round Trip Time' 'subsection{Contention' 'subsection{Measurement Results Summary'; do
		grep -qxF "\\$heading}" <<<"$output"
	done
	[[ $(grep -c '^Discussion[.] To be written: ' <<<"$output") -eq 16 ]]
	grep -qF 'Loop,\allowbreak{} one round,\allowbreak{} counter in memory & est. 2.67 ns &' <<<"$output"
	# Facts that the machine gives of its devices, if it gives any.
	run ! grep -E '^(disk|network card) ' <<<"$output"
	jq '.disks = [{name: "sda", model: "HDS|1", size_bytes: 750e9, rotates: true}] |
		.links = [{name: "eth0", mbit_s: 1000}, {name: "eth1", mbit_s: null}]' \
		small/machine.json >more.json
	mv more.json small/machine.json
	run -0 --separate-stderr "$report" coursework --root "$ROOT" --template latex small
	grep -qF 'disk sda & HDS\textbar{}1,\allowbreak{} 698 GiB,\allowbreak{} says it rotates: yes ' <<<"$output"
	grep -qF 'network card eth0 & 1000 Mbit/s ' <<<"$output"
	grep -qF 'network card eth1 & speed unknown ' <<<"$output"
	# As machine.json has them.
	{ echo '{' && perl "$ROOT/scripts/lib/describe.pl" 0 && echo '}'; } |
		jq -e '(.disks + .links | all(has("name"))) and
		(.disks | all(.size_bytes > 0)) and (.links | all(has("mbit_s")))'
}

@test "the LaTeX skeleton is a document" {
	"$report" coursework --root "$ROOT" --template latex small >coursework.tex
	"$report" make --no-plots --root "$ROOT" small
	grep -q '^\\section{CPU Operations}' coursework.tex
	[[ $(tail -n 1 coursework.tex) == '\end{document}' ]]
	command -v pdflatex || skip "no pdflatex"
	run -0 pdflatex -interaction=nonstopmode -halt-on-error coursework.tex
	[[ $output == *"Output written on coursework.pdf"* && $output != *Overfull* ]]
	[[ $output =~ \(([0-9]+)\ pages ]] && ((BASH_REMATCH[1] <= 8))
	# It stands upright.
	grep -q '^.documentclass.a4paper,twocolumn.{article}' coursework.tex
	run ! grep -E 'landscape|longtable' coursework.tex
	# Nor does a hostile name end it.
	cp -r "$ROOT/tests/fixtures/results/hostile" hostile
	"$report" coursework --root "$ROOT" --template latex hostile >hostile.tex
	run ! grep -nP '[^\x00-\x7f]' coursework.tex hostile.tex
	run -0 pdflatex -no-shell-escape -interaction=nonstopmode -halt-on-error hostile.tex
}
