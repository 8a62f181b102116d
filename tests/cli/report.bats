#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The report, from frozen results.

setup() {
	load ../helpers
	report_setup .
	machine=$BIN/machine
}

make_report() { "$report" make --root "$ROOT" "$@"; }

needs_gnuplot() { command -v gnuplot >/dev/null || skip "no gnuplot"; }

# without_gnuplot: a PATH with what scripts/plot needs, but no gnuplot.
without_gnuplot() {
	mkdir bin
	for tool in bash env dirname readlink basename nproc rm; do
		ln -s "$(command -v "$tool")" bin
	done
}

@test "make writes all files and the summary" {
	run -0 --separate-stderr make_report small
	for file in report.md report.html report.csv report.json; do
		[[ -s small/$file ]]
	done
	[[ -z $(find small -name '.*' -type f) ]]
	[[ $output == *"report: small/report.html"* ]]
}

@test "the summary is as it was" {
	run -0 --separate-stderr "$report" show --root "$ROOT" small
	diff -u "$ROOT/tests/fixtures/results/summary.txt" - <<<"$output"
	[[ -z $(find small -name 'report.*') ]]
}

@test "the report of a made-up run with every warning is as it was" {
	run -0 "$ROOT/tests/golden"
}

@test "rounds whose core was shared are rounds, and each row says what it leaves out" {
	jq -c '.core_share = (if .round <= 2 then 0.5 else 1 end)' small/invocations.jsonl >shared
	cp shared small/invocations.jsonl
	run -0 make_report --no-plots small
	grep -q 'in each of 6 rounds' small/report.md
	grep -Eq '^- [0-9]+ of [0-9]+ values of process runs were excluded, in ' small/report.md
	grep -q '; 2 process runs excluded: another hardware thread worked on the core |$' small/report.md
}

@test "the reason of a row below resolution is its own" {
	sed -i 's/cannot be told from nothing/< 1 ns: too noisy for that/' \
		small/invocations.jsonl
	run -0 make_report --no-plots small
	grep -F '| too small to measure |' small/report.md
	sed -i 's/"unit":"ns","better":"lower","value":null/"unit":"1\/s","better":"higher","value":null/;
		s/"resolution":0.5/"resolution":null/' small/invocations.jsonl
	run -0 make_report --no-plots small
	grep -F '| too noisy for that |' small/report.md
}

@test "the CPU that boots cannot be rid of its ticks" {
	sed -i 's/"cpu":0,/"cpu":1,/; s/"cpu":3,/"cpu":0,/' small/noise.jsonl
	run -0 "$report" show --root "$ROOT" small
	output=$(tr -s '\n ' '  ' <<<"$output") # the lines are folded
	[[ $output == *"measure on another CPU, started with nohz_full="* ]]
	[[ $output != *"nohz_full=0"* ]]
}

@test "a caption stands above its table" {
	run -0 make_report --no-plots small
	grep -A 2 '^\*syscall: ' small/report.md | tail -n 1 | grep '^| case'
}

@test "report.json aggregates the rounds" {
	run -0 make_report --no-plots small
	jq -e '.schema == 2 and .machine.hostname == "examplehost" and
		.run.rounds == 6 and (.rows | length) == 10' small/report.json
	jq -e '.rows[] | select(.case == "op=getpid,by=libc") |
		.value == 102.5 and .ci95 == [100, 105] and .n == 6 and
		.evidence.calls.seen == 6000' small/report.json
	jq -e '.rows[] | select(.benchmark == "files") |
		.status == "failed" and .value == null' small/report.json
	jq -e '.rows[] | select(.benchmark == "nop") |
		.status == "below_resolution"' small/report.json
	jq -e '[.rows[].benchmark] | .[0] == "nop" and .[-1] == "truth"' \
		small/report.json
}

# column PROGRAM NAME: its cells in the section of report.md, one to a line.
column() {
	awk -F ' *[|] *' -v name="$2" '/^#/ { at = 0; here = $0 ~ name_of }
		here && !at && /^[|]/ { for (i = 1; i <= NF; i++) if ($i == name) at = i; if (!at) at = -1; next }
		here && at > 0 && /^[|] *[^-|]/ { print $at }' name_of="$1" small/report.md
}

@test "the first of single events has a column, that of batches none" {
	run -0 make_report --no-plots small
	[[ $(column '^#+ files' cold) == *[0-9]* ]]
	[[ $(column '^#+ procedure' cold) == '' ]]
	[[ $(column '^#+ procedure' min) == *[0-9]* ]]
}

@test "report.csv has a heading and a line for each row" {
	run -0 make_report --no-plots small
	[[ $(wc -l <small/report.csv) -eq 11 ]]
	[[ $(head -1 small/report.csv) == schema,benchmark,case,params,status,* ]]
	grep '^2,syscall,"op=getpid,by=libc","{[^}]*}",ok,,ns,lower,102.5,100.0,105.0,6,60,' \
		small/report.csv
}

@test "a section of files begins with what they lay on" {
	jq -c 'if .benchmark == "files" then .evidence.place =
		"ext4 on mmcblk0, a memory card"
		else . end' small/invocations.jsonl >placed
	cp placed small/invocations.jsonl
	run -0 make_report --no-plots small
	[[ $(grep -c '^Test files were on ext4 on mmcblk0, a memory card. Rows that go to the device' \
		small/report.md) -eq 1 ]]
	# The words of the case that has compared the place with its figures go before.
	jq -c 'if .benchmark == "files" then .evidence.device =
		"tmpfs, which is memory" else . end' placed >small/invocations.jsonl
	run -0 make_report --no-plots small
	grep -q 'Test files were on tmpfs, which is memory. No row describes a disk.' \
		small/report.html
}

@test "n is of the invocations that gave a value, and the others say why not" {
	jq -c 'if .case == "args=0,by=direct" and .round == 2 then
		.status = "skipped" | .reason = "no" | .value = null |
		.samples = 0 else . end' small/invocations.jsonl >one-less
	mv one-less small/invocations.jsonl
	run -0 make_report --no-plots small
	grep -Eq '^\| args=0,by=direct \|.* 5 \|' small/report.md
	run ! grep -E '^\| args=0,by=direct \|.* 6 \|' small/report.md
	grep -Eq '^\| args=0,by=direct \|.*\| no value in 1 of 6 rounds: no \|' \
		small/report.md
	grep -Eq '^1 0 .* "args=0,by=direct: ' small/plots/procedure-curve.dat
}

@test "the pages name what is missing, the machine and the method" {
	run -0 make_report --no-plots small
	for page in small/report.md small/report.html; do
		for words in 'this kernel has no int 0x80 gate' 'short read' \
			'took longer than 30 s' 'needs root' 'Example CPU 3000' \
			'examplehost 2026-01-02'; do
			grep -q "${words/ 2026/,* 2026}" "$page"
		done
		grep -q 'with a probability of 95 % or more' "$page"
		grep -q "oscost run --profile quick" "$page"
		grep -q 'Glossary' "$page"
	done
	grep -q '| op=getpid,by=libc | 102 ns | 100.0 – 105.0 ns' small/report.md
	grep -q 'Second paragraph &amp; more.' small/report.html
}

# images: the pictures inside small/report.html, each in a line, as base64.
images() { grep -o 'base64,[^"]*' small/report.html | sed 's/.*,//'; }

@test "plots are drawn, with their data beside them, and the page shows them" {
	needs_gnuplot
	run -0 --separate-stderr make_report small
	for figure in procedure-curve procedure-incidence syscall-bars; do
		[[ -s small/plots/$figure.svg && -s small/plots/$figure.dat ]]
		[[ $(head -c 5 small/plots/$figure.pdf) == %PDF- ]]
		images | grep -qx "$(base64 -w 0 small/plots/$figure.svg)"
		grep -q "(plots/$figure.svg)" small/report.md
	done
	[[ ! -e small/plots/loop-curve.dat ]]
	# The page is one file, and the top of the directory stays short.
	[[ $(images | head -n 1) == "$(base64 -w 0 small/plots/card.svg)" ]]
	run ! grep -E 'https?://|src="?[^"d]' small/report.html
	[[ -z $(find small -name '*.png') ]]
	(($(find small -mindepth 1 -maxdepth 1 | wc -l) <= 12))
}

@test "a picture with a script is an image, which cannot run it" {
	mkdir small/plots
	printf '<svg onload="x()"><script>x()</script></svg>' >small/plots/topology.svg
	run -0 --separate-stderr make_report --no-plots small
	images | base64 -d | cmp - small/plots/topology.svg
	run ! grep -E '<svg|<script|onload' <(without_images small/report.html)
	echo 'no picture' >small/plots/topology.svg
	run -0 --separate-stderr make_report --no-plots small
	[[ $(images) == '' ]]
	grep -q 'topology.svg cannot be shown here' small/report.html
}

@test "plot draws the figures that it knows, and no other file" {
	needs_gnuplot
	run -0 --separate-stderr make_report small
	rm small/plots/*.svg
	printf 'set print "owned"\nprint 1\n' >small/plots/other.plot
	run -0 "$ROOT/scripts/plot" small
	[[ -s small/plots/syscall-bars.svg && ! -e small/owned ]]
	mkdir bare
	run -1 --separate-stderr "$ROOT/scripts/plot" bare
	[[ $stderr == *'bare/plots: no .plot file here' ]]
}

@test "plot does not do what a figure from elsewhere says" {
	needs_gnuplot
	run -0 --separate-stderr make_report small
	cp small/plots/syscall-bars.plot good
	while read -r line; do
		{
			grep -v '^load' good
			printf '%s\n' "$line"
			grep '^load' good
		} >small/plots/syscall-bars.plot
		run ! "$ROOT/scripts/plot" small syscall-bars
		[[ $output == *"has more than settings"* ]]
		[[ ! -e small/owned && ! -e small/plots/syscall-bars.svg ]]
	done <<-'EOT'
		system('touch owned')
		!touch owned
		set print "owned"; print 1
		x = system('touch owned')
		x_label = 'a' ; set print 'owned'; print 'b'
		x_label = "`touch owned`"
		x_label = '`touch owned`'
		id = '|touch owned; cat >'
		plots = '.'
		data = '<touch owned'
		load plots.'/../owned.gp'
		load plots.'/bars.gp'
	EOT
	# And `report make` writes it anew.
	printf 'system("touch owned")\n' >small/plots/syscall-bars.plot
	run -0 --separate-stderr make_report small
	[[ -s small/plots/syscall-bars.svg && ! -e small/owned ]]
	diff good small/plots/syscall-bars.plot
}

@test "values without an interval are drawn all the same" {
	needs_gnuplot
	jq -c 'select(.round <= 3)' small/invocations.jsonl >few
	mv few small/invocations.jsonl
	run -0 --separate-stderr make_report small
	grep -q '^1 0 2.01 NaN NaN ' small/plots/procedure-curve.dat
	# A marker for each line of data, and one for the key.
	[[ $(grep -c "href='#gpPt[0-9]*' transform='translate" small/plots/procedure-curve.svg) -eq \
		$(($(grep -c '^1 .*: .*"$' small/plots/procedure-curve.dat) + 1)) ]]
	grep -q '<text>101</text>' small/plots/syscall-bars.svg
	grep -q '<text>91.0</text>' small/plots/syscall-bars.svg
}

@test "the page is valid HTML, also from a hostile directory" {
	command -v tidy >/dev/null || skip "no tidy"
	run -0 make_report small
	run -0 make_report hostile
	for dir in small hostile; do
		tidy -quiet -errors "$dir/report.html"
	done
	sed 's/<thead>/<thead><p>/' small/report.html >bad.html
	run ! tidy -quiet -errors bad.html
}

@test "without gnuplot there are tables, and it says so" {
	without_gnuplot
	run -0 --separate-stderr env PATH="$PWD/bin" \
		"$report" make --root "$ROOT" small
	[[ $stderr == *"gnuplot is not installed"*"apt-get install gnuplot-nox"* ]]
	[[ -s small/report.html && ! -e small/plots/syscall-bars.svg ]]
	[[ -s small/plots/syscall-bars.dat ]]
	grep -q 'gnuplot is not installed' small/report.md
}

@test "missing descriptions are warnings" {
	rm small/machine.json small/about.json small/run.json
	run -0 --separate-stderr make_report --no-plots small
	grep -q 'small/machine.json: No such file' small/report.md
}

@test "a directory that is none, or empty, is refused in one line" {
	refuses 1 "nowhere/invocations.jsonl: No such file or directory" "$report" make nowhere
	mkdir empty
	touch empty/invocations.jsonl
	refuses 1 "no usable row" "$report" show empty
}

# Each file that the report reads: the first must be there.
inputs='invocations.jsonl run.json machine.json peer.json about.json noise.jsonl
	predictions.ini plots/topology.svg'

@test "a FIFO, a device, a link or a directory in a file's place is not read" {
	local expected='expected a regular file' file kind status

	mkdir small/plots
	cp "$ROOT/tests/fixtures/results/hostile/plots/topology.svg" good.svg
	for file in $inputs; do
		status=0
		[[ $file != invocations.jsonl ]] || status=1
		for kind in 'mkfifo' 'ln -s /dev/zero' 'ln -s /dev/stdin' mkdir; do
			rm -rf odd
			cp -r small odd
			rm -f "odd/$file"
			$kind "odd/$file"
			run "-$status" --separate-stderr timeout 60 "$report" \
				make --root "$ROOT" --no-plots odd </dev/zero
			if ((status)); then
				[[ ${#stderr_lines[@]} -eq 1 && $stderr == *"odd/$file: $expected"* ]]
			elif [[ $file == plots/topology.svg ]]; then
				grep -q 'topology.svg cannot be shown' odd/report.html
			else
				grep -q "odd/$file: $expected" odd/report.md
			fi
		done
	done
	rm -rf odd
	cp -r small odd
	rm odd/run.json
	ln -s ../small/run.json odd
	run -0 --separate-stderr make_report --no-plots odd
	grep -q "odd/run.json: $expected" odd/report.md
	# Files that are written take their place.
	rm odd/report.md
	mkdir -p odd/plots
	rm -f odd/plots/syscall-bars.dat
	mkfifo odd/report.md odd/.report.html.new odd/plots/syscall-bars.dat
	run -0 --separate-stderr timeout 60 "$report" make --root "$ROOT" --no-plots odd
	[[ -f odd/report.md && -f odd/report.html ]]
}

@test "files and lines that are far too long are left out" {
	truncate -s 300M small/machine.json
	truncate -s 2G small/noise.jsonl
	head -c 3000000 /dev/zero | tr '\0' x >>small/invocations.jsonl
	run -0 --separate-stderr make_report --no-plots small
	grep -q 'machine.json: too large' small/report.md
	grep -q 'noise.jsonl: too large' small/report.md
	grep -q 'invocations.jsonl:61: longer than a row' small/report.md
	truncate -s 2G small/invocations.jsonl
	refuses 1 'invocations.jsonl: too large' make_report --no-plots small
}

@test "misuse is told in one line, exit 2" {
	refuses 2 "expected a command first, such as report make DIR; try report --help" "$report"
	refuses 2 "expected report make DIR; try report make --help" "$report" make
	refuses 2 "--no-such" "$report" make --no-such small
	refuses 2 "unknown command 'expotr'; did you mean export?; try report --help" "$report" expotr small
	refuses 2 "unknown command 'nosuch'; try report --help" "$report" nosuch
	run -0 "$report" --help
	[[ $output == usage:* ]]
}

@test "an option belongs to its command" {
	local command

	refuses 2 "--cpu: unknown option; try report export --help" "$report" export --cpu 3 small
	refuses 2 "--no-plots: unknown option; try report compare --help" "$report" compare --no-plots small small
	refuses 2 "--root: unknown option; try report --help" "$report" --root "$ROOT" make small
	run -0 "$report" --help
	for command in make card show coursework predictions compare \
		history failed export; do
		grep -q "^  report $command" <<<"$output"
		"$report" "$command" --help | grep -q "^usage: report $command "
	done
}

@test "a line that stands twice counts once and is reported" {
	run -0 --separate-stderr make_report --no-plots small
	cp small/report.csv once.csv
	sed -n '1p;4p' small/invocations.jsonl >again
	cat again again >>small/invocations.jsonl
	run -0 --separate-stderr make_report --no-plots small
	cmp once.csv small/report.csv
	grep -q 'invocations.jsonl: 4 lines of a case, round and seed' small/report.md
	jq -c '.round = 99' again >>small/invocations.jsonl
	run -0 --separate-stderr make_report --no-plots small
	run ! cmp -s once.csv small/report.csv
	grep -q 'invocations.jsonl: 4 lines of a case, round and seed' small/report.md
}

@test "what failed and was measured again counts by what it gave then" {
	run -0 --separate-stderr make_report --no-plots small
	cp small/report.csv once.csv
	sed -n 1p small/invocations.jsonl >again
	sed -i '1s/"status": *"ok"/"status":"failed"/' small/invocations.jsonl
	run ! cmp -s <(sed -n 1p small/invocations.jsonl) again
	cat again >>small/invocations.jsonl
	run -0 --separate-stderr make_report --no-plots small
	cmp once.csv small/report.csv
	run ! grep -q 'a case, round and seed' small/report.md
}

@test "rows of format 1 and 2 are read alike" {
	run -0 --separate-stderr make_report --no-plots small
	cp small/report.csv one.csv
	sed -i '1~2s/"schema": *1/"schema":2/' small/invocations.jsonl
	run -0 --separate-stderr make_report --no-plots small
	cmp one.csv small/report.csv
	run ! grep -q 'another schema' small/report.md
}

@test "a hostile directory is drawn as text" {
	run -0 --separate-stderr make_report hostile
	[[ ! -e /tmp/oscost-owned ]]
	# Four blanks make a line of Markdown code.
	run ! grep -iE '^ {0,3}[^ ].*<(script|img|foreignobject|iframe)[ >]' hostile/report.md
	run ! grep -iE '<(script|img|svg|foreignobject|iframe)[ >]' <(without_images hostile/report.html)
	run ! grep -E '<[a-z]([^">]|"[^"]*")* on[a-z]+=' <(without_images hostile/report.html)
	run ! grep -E 'evil\.example' hostile/report.html
	run ! grep -P '\x1b' hostile/report.html hostile/report.md <<<"$output"
	jq -e .rows hostile/report.json >/dev/null
}

# again: what "How to get this again" of small gives to be typed.
again() {
	sed -n '/^### How to get this again/,$s/^    //p' "${1:-small}/report.md"
}

@test "no command of somebody else's is given to be typed" {
	make_report --no-plots small
	[[ $(again | sed -n 1p) == "oscost run --profile quick" ]]
	for evil in 'scripts/run-all; touch owned' 'touch owned' \
		$'scripts/run-all\ntouch owned' 'scripts/run-all --seed $(touch owned)' \
		'scripts/run-all --suite /tmp/owned' 'scripts/run-all --bin /tmp/owned' \
		'/tmp/owned/run-all --cpu 1'; do
		jq --arg c "$evil" '.command_line = $c' small/run.json >new
		mv new small/run.json
		make_report --no-plots small
		[[ -n $(again) && $(again) != *owned* ]]
	done
	[[ $(again | sed -n 1p) == "oscost run --cpu 1" ]]
	# The directory.
	cp -r small 'a $(touch owned)'
	make_report --no-plots 'a $(touch owned)'
	[[ $(again 'a $(touch owned)') == *"oscost report 'a "'$(touch owned)'"'" ]]
}

@test "machine describes this machine" {
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	run -0 --separate-stderr "$machine" --cpu "$cpu"
	jq -e '.schema == 1 and .kernel.release == "'"$(uname -r)"'" and
		(.compiler | test("^(gcc|clang) ")) and (.flags | type) == "string" and
		.timer.method != null and .timer.quantum_ticks >= 1 and
		.tsc.hz > 1e6 and .memory_bytes > 0 and .cpu.pus >= 1 and
		(.caches | type) == "array" and has("governor")' <<<"$output"
	refuses 2 "--cpu 999" "$machine" --cpu 999
	refuses 2 "--timer lfense: not one of" "$machine" --timer lfense
	[[ $stderr == *"did you mean lfence?"* ]]
}

@test "an invented topology is not described" {
	HWLOC_SYNTHETIC='pack:2 core:8 pu:2' run -0 --separate-stderr \
		"$machine"
	[[ $stderr == *"hwloc does not describe this machine"* ]]
	jq -e '.cpu.pus == null and .caches == []' <<<"$output"
}

# drift VALUE...: one case, a round for each value.
drift() {
	local round=0 value row

	row=$(grep '"case": *"op=getpid,by=libc"' small/invocations.jsonl | head -n 1)
	for value; do
		jq -c --argjson value "$value" --argjson round "$((round += 1))" \
			'.value = $value | .estimate = $value | .round = $round' <<<"$row"
	done >rows
	mv rows small/invocations.jsonl
	run -0 make_report --no-plots small
}

@test "a row that changes from round to round says so, and has no interval" {
	drift 6600 6600 8800 11500 14000 16500 18300 20300 21200 22900
	jq -e '.rows[] | .status == "ok" and .ci95 == null and
		.trend.from == 6600 and .trend.to == 22900 and
		.trend.p < 0.001' small/report.json
	grep -q 'trend: 6.60 → 22.9 µs' small/report.md
	grep -q '1 row changed from round to round' small/report.md
}
