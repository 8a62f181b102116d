#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# bill: known numbers of operations are what is counted; the command is as
# without it; and what is killed leaves nothing.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	known=$FIXTURES/known
	# Addresses alike, so that what is around a page of a file is.
	alike=(setarch -R)
	"${alike[@]}" true 2>/dev/null || alike=(env)
	bill=$BIN/bill
	nap=302.$$
	mkdir -p d/e many
	head -c 2000 /dev/zero >d/e/file
	head -c 1048576 /dev/zero >big
	touch many/{1..50}
	ln -s d link
	"$bill" --once --out none.json -- true 2>/dev/null || skip "ptrace is not permitted here"
	profile none
}

teardown() {
	local pid

	for pid in $(pgrep -f "^sleep $nap"); do kill -KILL "$pid" || :; done
}

# profile OPERATION: of a known one.
profile() { "${alike[@]}" "$bill" --once --out "$1.json" -- "$known" "$1"; }

# more CLASS OPERATION: how many more calls of it than of none; sums CLASS FEATURE
# OPERATION: the same of a feature.
more() { echo $(($(count_of "$1" "$2") - $(count_of "$1" none))); }
count_of() { jq --arg c "$1" '[.classes[] | select(.name == $c).count] | add // 0' "$2.json"; }
sums() { echo $(($(sum_of "$1" "$2" "$3") - $(sum_of "$1" "$2" none))); }
sum_of() { jq --arg c "$1" --arg f "$2" '[.classes[] | select(.name == $c).features[$f].sum] | add // 0' "$3.json"; }

# expect OPERATION N CLASS [SUM FEATURE]...: of its calls; the last run of profile.
expect() {
	local operation=$1 n=$2 class=$3 got

	shift 3
	got=$(more "$class" "$operation")
	[[ $got == "$n" ]] || { echo "$operation: $got calls of '$class', not $n" && return 1; }
	while (($#)); do
		got=$(sums "$class" "$2" "$operation")
		[[ $got == "$1" ]] || { echo "$operation: '$class' has $got $2, not $1" && return 1; }
		shift 2
	done
}

@test "names: failed opens, new files, links, and the components that are walked" {
	profile open_enoent
	expect open_enoent 7 'open ENOENT' 21 components
	profile create
	expect create 5 'open new file' 5 components
	expect create 5 'close file'
	profile stat_link
	expect stat_link 6 stat 24 components
	profile names
	expect names 1 mkdir 1 components
	expect names 1 'rename directory' 2 components
	expect names 1 rename 2 components
	expect names 2 'rename over file' 4 components
	expect names 1 rmdir 1 components
	expect names 1 link
	expect names 1 'unlink, file stays'
	expect names 1 symlink 1 components
	expect names 1 readlink 1 bytes
	expect names 1 chmod
	expect names 1 fchmod
	expect names 1 chown
	expect names 1 utimens
	expect names 1 futimens
	expect names 1 access
	[[ $(more 'getxattr ENODATA' names) == 4 || $(jq '.unclassed | keys[]' names.json) == *EOPNOTSUPP* ]]
	expect names 1 'fcntl F_SETLK'
	expect names 2 dup
	expect names 1 'close, file stays open'
}

@test "files: reads, new pages, pages of what is unlinked, entries" {
	profile read_small
	expect read_small 100 read 1000 bytes
	profile write_new
	expect write_new 4 'write new pages' 24000 bytes 6 'new pages'
	expect write_new 9 pwrite 900 bytes 18 pages
	expect write_new 1 unlink 6 pages
	profile close_copies
	expect close_copies 2 'close, file stays open'
	expect close_copies 1 'close file'
	expect close_copies 2 dup
	profile close_later
	expect close_later 1 'close, file stays open'
	expect close_later 1 'close file'
	profile getdents_all
	expect getdents_all 1 getdents 52 entries
	expect getdents_all 1 'getdents at end'
}

@test "memory: pages that are unmapped, faults by kind, the break" {
	local zero

	profile munmap_pages
	expect munmap_pages 1 munmap 30 pages
	expect munmap_pages 1 'mmap anonymous'
	profile brk_pages
	expect brk_pages 1 'brk shrink' 15 pages
	[[ $(jq -r .fault_kinds none.json) == perf ]] || skip "$(jq -r .fault_kinds none.json)"
	profile faults
	# Some kernels have no page of zeros for what is only read.
	zero=$(more 'fault zero page' faults)
	[[ $zero == @(0|9) ]]
	((zero == 0)) || expect faults 4 'fault, zero page written'
	[[ $(($(more 'fault anonymous' faults) + zero)) == 3[3-5] ]]
	[[ $(more 'fault copy-on-write' faults) == [4-6] ]]
	[[ $(more 'fault file' faults) == @(9|1[0-3]) ]]
	profile huge
	profile small
	# Or none, where the kernel has none free.
	[[ $(more 'fault huge page' huge) == @(0|4) ]]
	[[ $(more 'fault anonymous' small) == 20[4-5]? ]]
	expect small 0 'fault huge page'
	profile huge_zeros
	expect huge_zeros 0 'fault huge page'
	[[ $(more 'fault, zero page written' huge_zeros) == @([01]|100) ]]
	profile cow
	profile cow_none
	[[ $(($(count_of 'fault copy-on-write' cow) - $(count_of 'fault copy-on-write' cow_none))) == 3[2-4] ]]
	# Beside them a few of the stack and the libraries.
	profile reuse
	[[ $(count_of 'fault, page not copied' reuse) == @(29|3[0-9]) ]]
}

@test "processes: forks, vforks, threads, exits by pages, signals" {
	profile fork_children
	expect fork_children 3 fork
	expect fork_children 3 exit
	expect fork_children 1 'wait ECHILD'
	[[ $(jq .processes fork_children.json) == 4 ]]
	profile exit_pages
	[[ $(sums exit 'anonymous pages' exit_pages) == @(19[89]|20[0-2]) ]]
	profile common
	profile common_none
	[[ $(($(sum_of exit 'common pages' common) - $(sum_of exit 'common pages' common_none))) == 2[4-6]? ]]
	profile threads
	expect threads 5 thread
	expect threads 5 'exit, memory stays'
	[[ $(jq .threads threads.json) == 5 ]]
	profile signals
	expect signals 6 'signal handler'
	expect signals 6 rt_sigreturn
	expect signals 12 kill
	profile spawn
	expect spawn 2 vfork
	expect spawn 2 'execve dynamic'
}

@test "pipes, sockets, events: what waits is a class of its own" {
	profile pipe_waits
	expect pipe_waits 4 'read pipe, waited' 4 bytes
	expect pipe_waits 8 'read pipe' 8 bytes
	expect pipe_waits 12 'write pipe' 12 bytes
	profile sockets
	expect sockets 3 'connect unix ENOENT'
	expect sockets 1 'socketpair unix'
	expect sockets 10 'send unix' 500 bytes
	expect sockets 10 'receive unix' 500 bytes
	expect sockets 1 'close unix'
	profile events
	expect events 5 'write eventfd'
	expect events 5 'read eventfd'
	expect events 5 'read eventfd EAGAIN'
	expect events 5 epoll_wait 5 descriptors
	expect events 1 'epoll_wait, nothing'
	expect events 1 'epoll_ctl add'
}

# strace leaves out calls that do not return; how often a futex is needed, and how
# many children a signal stands for, depends on the speed.
@test "all calls by name are those that strace counts" {
	command -v strace >/dev/null || skip "no strace"
	local command

	# A call of the loader may differ, by what is in the environment.
	for command in "$known names" "$known threads" "ls -l /etc" "sh -c 'ls | sort | wc -l'"; do
		rm -rf new? y z s w n m
		"$bill" --once --out calls.json -- sh -c "exec $command" >/dev/null
		rm -rf new? y z s w n m
		strace -f -c -U calls,name -o strace.txt sh -c "exec $command" >/dev/null || :
		rm -rf new? y z s w n m
		diff <(jq -r '.calls | to_entries[] | "\(.key) \(.value)"' calls.json | grep -v '^restart_syscall\|^futex\|^exit\|^rt_sigreturn\|^wait4' | sort) \
			<(awk '$1 ~ /^[0-9]+$/ && $2 != "total" && $2 !~ /^(restart_syscall|futex|rt_sigreturn|wait4)$/ { print $2, $1 }' strace.txt | sort)
	done
}

@test "output, status, signals and input are those of the command" {
	run --separate-stderr "$bill" --out p.json -- sh -c 'cat; echo err >&2; exit 7' <<<"in"
	[[ $status == 7 && $output == in && $stderr == err ]]
	run "$bill" --once --out p.json -- sh -c 'kill -SEGV $$'
	[[ $status == 139 ]]
	run -127 "$bill" --once --out p.json -- nosuch-command
	[[ $output == *"nosuch-command: No such file"* ]]
	touch plain
	run "$bill" --once --out p.json -- ./plain
	[[ $status == 126 ]]
	[[ $(printf 'a\nb\n' | "$bill" --out p.json -- sh -c 'read x; echo $x' 2>/dev/null) == a ]]
	# The rest of the input is there for who comes next.
	printf 'a\nb\n' >two
	[[ $({ "$bill" --out p.json -- sh -c 'read x; echo $x' 2>/dev/null; cat; } <two) == $'a\nb' ]]
	[[ $("$bill" --out p.json -- "$known" thread_exec 2>/dev/null) == "by a thread" ]]
	run "$bill" --once --out p.json -- "$known" unfinished
	[[ $status == 143 && $(jq '.unclassed["pause interrupted"]' p.json) -ge 1 ]]
}

@test "a stopped command goes on with SIGCONT" {
	"$bill" --once --out p.json -- sh -c 'kill -STOP $$; echo on' >out &
	local pid=$! child

	until_true pgrep -P "$pid"
	child=$(pgrep -P "$pid")
	until_true grep -q '^State:.*[tT] ' "/proc/$child/status"
	sleep 0.3
	[[ ! -s out ]]
	kill -CONT "$child"
	wait "$pid"
	[[ $(<out) == on ]]
}

@test "refused with a reason: a command that traces, a setuid program" {
	local command

	run "$bill" --once --out p.json -- "$known" trace_itself
	[[ $status == 2 && $output == *"traces processes itself"* ]]
	[[ $EUID == 0 ]] || skip "needs root, to be nobody"
	cp "$(type -P true)" suid
	chmod 4755 suid
	chmod a+rx . .. || :
	setpriv --reuid 65534 --clear-groups ./suid || skip "nobody may not come here"
	for command in ./suid "$known exec_fd"; do
		# shellcheck disable=SC2086 # a program and its argument
		run setpriv --reuid 65534 --clear-groups "$bill" --once --out /dev/null -- $command
		[[ $status == 2 && $output == *setuid* ]]
	done
}

@test "more short children than files may be open, and ten thousand calls" {
	(ulimit -n 128; "$bill" --once --out p.json -- sh -c 'i=0; while [ $i -lt 400 ]; do (:); i=$((i + 1)); done')
	[[ $(jq .processes p.json) == 401 ]]
	[[ $(count_of fork p) == 400 && $(count_of exit p) == 401 ]]
	"$bill" --once --out p.json -- dd if=/dev/zero of=/dev/null bs=1 count=10000
	[[ $(count_of 'write /dev/null' p) == 10000 ]]
}

@test "a child whose parent is killed as it makes it is not waited for" {
	timeout -k 1 60 "$bill" --once --out p.json -- "$known" fork_at_end
	[[ $(jq .threads p.json) == 100 && $(jq .processes p.json) -ge 101 ]]
}

@test "killed at any moment nothing is left; Ctrl-C is the command's" {
	local pid i

	for i in 0.01 0.03 0.1 0.3 0.6; do
		"$bill" --out p.json -- sh -c "sleep $nap & sleep $nap" 3>&- &
		pid=$!
		sleep "$i"
		kill -KILL "$pid"
		until_true eval "! pgrep -f '^sleep $nap'"
	done
	# In the run without the tracer.
	"$bill" --out p.json -- sh -c "[ -e second ] || { touch second; exit; }; sleep $nap & sleep $nap" 3>&- &
	pid=$!
	until_true pgrep -f "^sleep $nap"
	kill -KILL "$pid"
	until_true eval "! pgrep -f '^sleep $nap'"
	"$bill" --once --out p.json -- sh -c "trap 'echo caught; exit 5' TERM; sleep $nap & wait" >out 3>&- &
	pid=$!
	until_true pgrep -f "^sleep $nap"
	kill -TERM "$pid"
	until_true grep -q caught out
	# Its last processes are waited for; another signal ends that.
	kill -TERM "$pid"
	wait "$pid" || [[ $? == 5 ]]
	run ! pgrep -f "^sleep $nap"
	# A command that a signal has ended is not run again.
	"$bill" --out p.json -- sh -c "echo >>runs; exec sleep $nap" 3>&- &
	pid=$!
	until_true pgrep -f "^sleep $nap"
	kill -TERM "$pid"
	wait "$pid" || [[ $? == 143 ]]
	[[ $(wc -l <runs) == 1 && $(jq -r .no_untraced p.json) == *interrupted ]]
}

@test "a profile is printed, and has nothing of the command in it" {
	"$bill" --out p.json -- cat d/e/file big >/dev/null
	run grep -c 'd/e\|big\|cat' p.json
	[[ $output == 0 ]]
	[[ $(jq -r .format p.json) == 'oscost-bill-profile 1' ]]
	cost --counts --profile p.json >table
	[[ $(wc -L <table) -le 120 ]]
	grep -q '^execve dynamic  *1 ' table
	grep -q '^without the tracer: ' table
	diff <(cost --counts --json --profile p.json | jq -S .) <(jq -S . p.json)
	echo '{"format": "x"}' >bad
	answers 2 "no profile" cost --profile bad
	run -2 cost --profile nosuch
	run -2 cost --counts --page page.html --profile p.json
	run -2 cost --on a --under landlock --profile p.json
	run -2 cost
	answers 2 "--out FILE" "$bill" --once -- true
}

cost() { "$ROOT/scripts/bill" --bin "$BIN" "$@"; }

# costing FILE VALUE [OPERATION VALUE]: of all that has a cost; that operation has another.
costing() {
	{
		"$BIN/calls" --list | sed 's/^/calls /'
		printf 'page_fault fault=%s\n' file file_common file_single cow unzero reuse anonymous zero thp
		echo context_switch between=process,by=pipe,place=same_cpu,stat=switch
	} | jq -Rc --argjson value "$2" --arg op "${3-}" --argjson other "${4-0}" 'capture("(?<benchmark>[^ ]*) (?<case>.*)")
		| .status = "ok" | .unit = "ns" | .value = (if .case | startswith("op=" + $op) and $op != "" then $other else $value end)
		| .ci95 = [.value * 0.9, .value * 1.1]' >"$1"
}

# bill_of PROFILE HERE [THERE]
bill_of() {
	jq -f "$ROOT/scripts/lib/bill.jq" --slurpfile here "$2" --slurpfile there "${3-/dev/null}" \
		--arg form json --argjson most 0 "$1"
}

@test "each class has a cost" {
	costing here 1000
	"$bill" --classes | jq -Rn '{classes: [inputs / "\t" | {id: .[0], name: .[1], count: 1, features: {}}],
		unclassed: {}, untraced: null, fault_kinds: "", unknown_faults: 0}' >all
	run -0 bill_of all here
	jq -e '.unclassed == [] and (.operations | length > 150)' <<<"$output"
}

@test "a counted cost is a mean of many samples, a page that others map is cheaper" {
	local profile='{"processes": 1, "threads": 0, "calls": {}, "unclassed": {}, "untraced": null, "fault_kinds": "",
		"unknown_faults": 0, "classes": [{"id": "FAULT_FILE", "name": "fault file", "count": 2,
		"features": {"pages": {"sum": 32, "max": 0}, "common pages": {"sum": 16, "max": 0}}}]}'

	costing here 1000
	bill_of <(echo "$profile") <(sed 's/\(fault=file_common.*"value":\)1000/\1600/' here) | jq -e '.sum.value == 1600'
	jq -c '.unit = "instructions" | .mean = 1500 | .max = 2000 | .samples = 10' here >counted
	bill_of <(echo "$profile") counted | jq -e '.sum.value == 3000'
	bill_of <(echo "$profile") <(sed 's/"samples":10/"samples":9/' counted) | jq -e '.sum.value == 2000'
	bill_of <(echo "$profile") <(sed 's/"max":2000/"max":9000/' counted) | jq -e '.sum.value == 2000'
}

@test "a known cost, features between and beyond what was measured, and what changes" {
	costing here 1000
	costing there 1000 fstat 3000
	cat >known <<-'E'
		{"classes": [{"id": "FSTAT", "name": "fstat", "count": 10, "features": {}},
		 {"id": "OPEN", "name": "open", "count": 4, "features": {"components": {"sum": 100, "min": 1, "max": 70}}}],
		 "unclassed": {"nosuch": 3}, "calls": {"fstat": 10, "open": 4, "nosuch": 3}, "processes": 1,
		 "threads": 0, "untraced": null, "no_untraced": "", "fault_kinds": "", "unknown_faults": 0}
	E
	run -0 bill_of known here there
	jq -e '.sum.value == 14000 and (.there.value - 34000 | fabs) < 1e-6
		and (.operations[0] | .name == "fstat" and .total == 10000 and (.half - 1000 | fabs) < 1e-6)
		and (.operations[1] | (.total - 4000 | fabs) < 1e-6 and .beyond == ["components"])
		and .unclassed == [{name: "nosuch", count: 3}]' <<<"$output"
	# The page: a bar of full length for the operation that changes most, and no markup out of names.
	sed 's/nosuch/<i>/' known | jq -rf "$ROOT/scripts/lib/bill.jq" --slurpfile here here --slurpfile there there \
		--arg form page --argjson most 1 >page.html
	grep -q '<tr><td>fstat<td>10<td>.*<td>200 %<td><i style=width:100%></i>' page.html
	grep -q '<p>of unknown cost: 3 &lt;i&gt;;' page.html
	! command -v tidy >/dev/null || tidy -qe --drop-empty-elements no page.html
	# A slope: 1000 at one component, 8000 at eight.
	sed -i 's/\(op=open,components=8",.*"value":\)1000/\18000/' here
	run -0 bill_of known here
	jq -e '.operations[] | select(.name == "open") | (.total - 100000 | fabs) < 1e-6' <<<"$output"
	# A run without the rows of faults: they are named.
	sed -i 's/"classes": \[/&{"id": "FAULT_FILE", "name": "fault file", "count": 7, "features": {}}, /' known
	grep -v page_fault here >without
	run -0 bill_of known without there
	jq -e '.unclassed[0] == {name: "fault file", count: 7}' <<<"$output"
}

@test "a user who may not count in the kernel is told which kinds are unknown" {
	[[ $EUID == 0 ]] || skip "needs root, to be nobody"
	chmod -R a+rwX . && chmod a+x .. 2>/dev/null || :
	run setpriv --reuid 65534 --clear-groups "$bill" --once --out mine.json -- true
	[[ $output == *ermission* ]] || [[ -s mine.json ]]
}
