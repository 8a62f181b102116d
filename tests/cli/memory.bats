#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# The memory programs: evidence holds, and little memory is no failure.

load ../helpers

setup() {
	calmly
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	# The shell in the group has ended by now: it can be removed.
	[[ ! -d ${group:-} ]] || rmdir "$group" || :
}

# count PATTERN: lines of stdin that match.
count() {
	grep -Ec "$1" || :
}

# quick PROGRAM [OPTION]...: one short invocation, rows in the file rows.
quick() {
	"${calm[@]}" "$BIN/$1" --invocations 1 --effort 2 --json "${@:2}" >rows
}

# cases FILTER: the names of the rows that jq's FILTER selects.
cases() {
	jq -r "select($1) | .case" rows
}

@test "mem_loaded: others were at work, on a chain that is whole" {
	local status=0

	(($(nproc) > 1)) || skip "one CPU only"
	quick mem_loaded || status=$?
	((status != 77)) || skip "too little memory"
	[[ -z $(cases '.params.stat == "latency" and .params.load > 0 and
		.status == "ok" and
		(.evidence.threads_at_work.expected // 0) < 1') ]]
	[[ -z $(cases '.params.stat == "latency" and .status == "ok" and
		(.evidence.lines_in_cycle.expected // 0) < 1') ]]
	[[ -n $(cases '.params.load > 0 and .status == "ok"') ]] || skip "the second CPU had other work"
}

@test "every pattern of mem_latency visits all the lines it says" {
	quick mem_latency --case 'pattern=*,size=1M'
	# Five batches on a busy machine can be below resolution.
	[[ $(cases '.params.pattern == "window" and (.status | IN("ok", "below_resolution"))
		and .evidence.lines_visited.seen % 16384 == 0' | wc -l) -ge 1 ]]
	[[ -n $(cases '.params.pattern == "random" and .evidence.lines_visited.seen >= 16384') ]]
	[[ -z $(cases '.status == "ok" and .evidence.lines_visited.expected == 0') ]]
}

@test "cache_line: what is meant to come from memory was thrown out" {
	# On a machine where all else hits, only a flush makes these slower.
	quick cache_line --case 'memory=*,at=0,distance=*'
	jq -es '[.[] | select(.status == "ok")] | group_by(.params.memory)
		| map(map(.value) | min) | length < 2 or .[0] > .[1]' rows >/dev/null
}

@test "what a cache can keep is warmed up pass after pass, memory is not" {
	"$BIN/mem_latency" --invocations 1 --effort 24 --json \
		--case 'pattern=window,pages=4K,*' >rows
	# Twelve at least, to tell that six were no faster than six before.
	[[ -n $(cases '.params.size == 16384 and .evidence.passes >= 12') ]]
	[[ -z $(cases '.params.size <= 1048576 and .status == "ok" and
		(.evidence.passes // 0) < 12') ]]
	# Sizes beyond the caches may all be skipped, or their rounds differ too much.
	jq -es 'map(select(.status == "ok" and .params.size)) | group_by(.evidence.passes == null) |
		length < 2 or (.[0] | max_by(.params.size)).params.size < (.[1] | min_by(.params.size)).params.size' \
		rows >/dev/null
	"$BIN/mem_bandwidth" --invocations 1 --effort 24 --json \
		--case 'kernel=read,isa=widest,*' >rows
	[[ -z $(cases '.params.level != "memory" and .status == "ok" and
		(.evidence.passes // 0) < 12') ]]
	[[ -z $(cases '.params.level == "memory" and .evidence.passes') ]]
	"$BIN/tlb" --invocations 1 --effort 24 --json --case '*=64' >rows
	[[ -n $(cases '.evidence.passes >= 12') ]]
	"$BIN/mem_parallel" --invocations 1 --effort 24 --json \
		--case '*chases=2,*' >rows
	[[ -n $(cases '.params.level == "L2" and .evidence.passes >= 12') ]]
	[[ -z $(cases '.params.level == "memory" and .evidence.passes') ]]
	"$BIN/cache_line" --invocations 1 --effort 24 --json \
		--case 'memory=*,at=0,distance=8' >rows
	[[ -n $(cases '.params.memory == "L2" and .evidence.passes >= 12') ]]
	[[ -z $(cases '.params.memory == "DRAM" and .evidence.passes') ]]
}

@test "memory's level is of one size, the least beyond the caches" {
	quick mem_latency --case 'level=memory,*' --case 'pattern=window,pages=4K,*'
	jq -es '([.[] | select(.params.pattern and .status == "ok").params.size]) as $sizes |
		all(.[] | select(.case == "level=memory,stat=latency" and .value).evidence;
			.from_bytes == .to_bytes and (.to_bytes | IN($sizes[])))' rows >/dev/null
}

@test "levels without a curve are skipped with a reason" {
	local status=0

	# On a busy machine no level at all may be found: then all are skipped.
	quick mem_latency --case 'level=*' || status=$?
	[[ $status == 0 || $status == 77 ]]
	[[ -n $(cases 'true') ]]
	[[ -z $(cases '.status == "skipped" and (.reason | length) == 0') ]]
	[[ -z $(cases '.status == "failed"') ]]
}

@test "a batch of k chains has loads of each of them" {
	quick mem_parallel --case 'level=L2,chases=*'
	jq -es 'map(select(.status == "ok")) | length > 0 and
		all(.iters % (32 * .params.chases) == 0)' rows
}

@test "a row isa=best is the best of its ways and names it" {
	quick mem_bandwidth --case '*level=L1,*threads=1'
	jq -es 'map(select(.params.isa == "best")) as $best | . as $all |
		($best | length) > 0 and all($best[]; . as $b |
			[$all[] | select(.case == $b.evidence.by)][0].value == $b.value)' \
		rows >/dev/null
}

@test "a best is taken of the same ways for each number of threads" {
	HWLOC_SYNTHETIC="pack:1 l3:1(size=67108864) core:2 l2:1(size=1048576) l1:1(size=32768) pu:1" \
		HWLOC_THISSYSTEM=1 quick mem_bandwidth --case '*level=L1,*'
	[[ $(cases '.params.isa == "best" and .params.threads == 2') ]] || skip "one CPU"
	# By a kernel and registers that both have.
	jq -es '[.[] | select(.params.threads == 2) | .params | [.kernel, .isa]] as $two |
		map(select(.params.isa == "best" and .status == "ok")) | length > 0 and all(
			.evidence.by | capture("kernel=(?<k>[^,]+),isa=(?<i>[^,]+)") | [.k, .i] |
			IN($two[]))' rows
	for way in libc rep; do
		for threads in 1 2; do
			cases ".params.isa == \"$way\" and .params.threads == $threads" |
				sed 's/,.*//' | sort >"$way$threads"
		done
		diff -u "${way}1" "${way}2"
	done
}

@test "mem_bandwidth where the last cache is the second, or none is known" {
	local caches

	for caches in 'l2:1(size=1048576) l1:1(size=32768)' ''; do
		HWLOC_SYNTHETIC="pack:1 core:2 $caches pu:1" HWLOC_THISSYSTEM=1 \
			quick mem_bandwidth --case 'kernel=*_ints,*' \
			--case 'kernel=write,isa=rep,level=*,threads=1' || (($? == 77))
		[[ $(cases '.params.before' | wc -l) == 3 ]]
		[[ -z $(cases '.status == "failed"') ]]
		[[ -z $(cases '.params.before and .status == "skipped"') ]] ||
			[[ -z $caches ]]
	done
	[[ -z $(cases '.params.before and .status != "skipped"') ]]
}

@test "page_fault counts the faults of each kind by the kernel's counters" {
	quick page_fault
	[[ -z $(cases '.params.fault == "anonymous" and .params.per == null
		and .evidence.minor_faults.seen < 1') ]]
	[[ -z $(cases '.params.fault == "major" and .params.per == null
		and .status == "ok" and .evidence.major_faults.seen < 1') ]]
	# Counts are of each mapping that was used, not of the last one only; but not of
	# the first, whose 8 pages warm up.
	quick page_fault --effort 40 --case 'fault=thp' || (($? == 77))
	[[ -z $(cases '.status == "ok" and (.evidence.minor_faults.expected -
		.evidence.huge_bytes.expected / 2097152 | . != 0 and . != 8)') ]]
}

@test "page_fault in a directory in memory: major is skipped and says why" {
	[[ $(stat -fc %T /dev/shm) == tmpfs && -w /dev/shm ]] || skip 'no tmpfs'
	quick page_fault --dir /dev/shm --case 'fault=major' || (($? == 77))
	[[ $(jq -r 'select(.params.per == null) | .status' rows) == skipped ]]
	[[ $(jq -r '.reason' rows) == *memory* ]]
}

# limited BYTES COMMAND...: with no more memory than that, where we may make
# a group; returns 99 if not.
limited() {
	local bytes=$1 mine
	shift

	mine=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	group=/sys/fs/cgroup/memory$mine/oscost-test-$$
	mkdir "$group" 2>/dev/null || return 99
	echo "$bytes" >"$group/memory.limit_in_bytes" || return 99
	(
		echo "$BASHPID" >"$group/cgroup.procs" || exit 99
		exec "$@"
	)
}

@test "under a limit of 256 MiB the large sizes are skipped, the rest measured" {
	local most peak program status=0

	for program in mem_latency mem_bandwidth mem_parallel tlb cache_line \
		page_fault mapping context_switch; do
		# A sanitizer keeps what was freed for a while.
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=1 \
			limited $((256 << 20)) "$BIN/$program" --invocations 1 --effort 1 \
			--json >rows || status=$?
		peak=$(cat "$group/memory.max_usage_in_bytes" 2>/dev/null || echo 0)
		rmdir "$group" 2>/dev/null || :
		((status != 99)) || skip 'no group can be made'
		# A quarter for the buffers, and what a program has besides; a
		# sanitizer has memory of its own in each of 96 processes.
		most=80
		[[ -z ${SAN:-} ]] || most=110
		[[ -z ${SAN:-} || $program != context_switch ]] || most=220
		# The kernel keeps its file of 64 MiB in memory while there is room.
		[[ $program != page_fault ]] || most=144
		echo "$program took $peak bytes"
		((peak <= most << 20))
		((status == 0))
		[[ -z $(cases '.status == "failed"') ]]
		[[ -n $(cases '.status == "ok"') ]]
	done
}

@test "other sizes may be asked for, up to what the memory allows" {
	quick mem_latency --case 'pattern=window,pages=4K,size=5M' --case 'level=1,*'
	[[ -n $(cases '.params.size == 5242880 and .status == "ok" and
		.evidence.lines_visited.seen % 81920 == 0') ]]
	# A size that was asked for is no point of the curve.
	[[ -z $(cases '.params.level and (.evidence.to_bytes // 0) > 2097152') ]]
	# A number of steps that pieces of 256 KiB do not divide.
	quick mem_bandwidth --case size=5132K
	[[ -n $(cases '.params.size == 5255168 and .params.kernel == "copy" and
		.status == "ok" and .params.isa == "scalar" and
		.evidence.words_moved.seen > 0') ]]
	(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) < 320 << 20)) ||
		skip 'more memory than can be asked for'
	quick mem_latency --case 'pattern=window,pages=4K,size=256G' || (($? == 77))
	[[ $(jq -r .reason rows) == *'more than a quarter (if asked for, three)'* ]]
	quick mem_bandwidth --case size=256G || (($? == 77))
	[[ -n $(cases '.params.kernel == "read" and
		(.reason | contains("more than a quarter"))') ]]
	[[ -z $(cases '.status == "ok"') ]]
}

@test "each pair of NUMA nodes has a row, one node has none" {
	HWLOC_SYNTHETIC="pack:3 [numa(memory=8GB)] core:2 pu:1" \
		"$BIN/mem_latency" --list >cases
	[[ $(count '^from_node=[0-2],to_node=[0-2],' <cases) == 9 ]]
	HWLOC_SYNTHETIC="pack:1 [numa(memory=8GB)] core:2 pu:1" \
		"$BIN/mem_latency" --list >cases
	[[ $(count 'node=' <cases) == 0 ]]
}

@test "the arrays of several threads fit their caches, or none of the last" {
	local caches='l2:1(size=1048576) l1:1(size=32768)'

	# Sixteen threads: two to a core, eight to a last cache.
	HWLOC_SYNTHETIC="pack:1 l3:2(size=134217728) core:4 $caches pu:2" \
		"$BIN/mem_bandwidth" --list >cases
	[[ $(grep -c '^kernel=read,isa=best,.*,threads=16$' cases) == 3 ]]
	grep -qx 'kernel=read,isa=best,level=L1,size=128K,threads=16' cases
	grep -qx 'kernel=read,isa=best,level=L2,size=4M,threads=16' cases
	grep -qx 'kernel=read,isa=best,level=memory,size=512M,threads=1' cases
	grep -qx 'kernel=read,isa=best,level=memory,size=1G,threads=16' cases
}

@test "libc goes over the arrays of the others, in calls that fit no cache" {
	local caches='l2:1(size=1048576) l1:1(size=32768)'

	HWLOC_SYNTHETIC="pack:1 l3:1(size=110100480) core:2 $caches pu:1" \
		"$BIN/mem_bandwidth" --list >cases
	[[ $(grep -c '^kernel=.*,isa=libc,level=memory,size=420M,' cases) == 6 ]]
	[[ $(grep -c '^kernel=.*,isa=libc,level=memory,' cases) == 6 ]]
	HWLOC_SYNTHETIC="pack:1 l3:1(size=67108864) core:2 $caches pu:1" \
		HWLOC_THISSYSTEM=1 quick mem_bandwidth --effort 75 \
		--case 'kernel=c*,isa=libc,*,threads=1'
	jq -es 'all(.[]; .params as $p | .status == "skipped" or
		if $p.level == "memory" then .evidence.call_bytes >= 67108864
		elif $p.kernel == "copy" then .evidence.call_bytes == $p.size / 2
		else .evidence.call_bytes == $p.size end)' rows
}

@test "what is in L3 by its size says how many times memory's rate it has" {
	local caches='l2:1(size=1048576) l1:1(size=32768)'

	HWLOC_SYNTHETIC="pack:1 l3:1(size=8388608) core:2 $caches pu:1" \
		HWLOC_THISSYSTEM=1 quick mem_bandwidth \
		--case 'kernel=read*,isa=*,level=L3,*' \
		--case 'kernel=read*,isa=*,level=memory,size=256M,threads=1'
	[[ -n $(cases '.params.level == "memory" and .status == "ok"') ]] ||
		skip 'no memory for 256 MiB'
	jq -es '. as $all | map(select(.params.level == "L3" and
		.status == "ok")) | length > 2 and all(.[]; . as $row |
		[$all[] | select(.params.level == "memory" and
			.params.kernel == $row.params.kernel and
			.params.isa == $row.params.isa)][0] as $memory |
		($row.value / $memory.value - $row.evidence.times_memory |
			fabs) < 0.006)' rows
	[[ -z $(cases '.params.level != "L3" and .evidence.times_memory') ]]
}

@test "with one CPU there are no rows of two threads, and loaded is skipped" {
	local cpu status=0

	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
	taskset -c "$cpu" "$BIN/mem_bandwidth" --list >cases
	[[ $(count 'threads=2' <cases) == 0 ]]
	taskset -c "$cpu" "$BIN/mem_loaded" --invocations 1 --effort 1 || status=$?
	((status == 77))
}

@test "a call beside running threads says whether they ran while it lasted" {
	local status=0

	quick shootdown --case 'op=munmap,threads=running,others=1' || status=$?
	((status != 77)) || skip "one CPU"
	[[ $(cases '.evidence.threads_running.kind == "purity" and
		.evidence.effects.kind == "proof"') ]]
}
