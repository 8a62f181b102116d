#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# Evidence that cannot fail proves nothing: each one of bench/ is shown a
# machine on which the operation did not happen, and must fail its row; or on
# which something else was in it, and must set it aside.

load ../helpers

# A capture that loses packets waits for them for half a minute: all are begun
# here and looked at later.
setup_file() {
	local i=0 program lie case

	((EUID == 0)) || return 0
	while read -r program lie case; do
		((++i))
		{
			told "$lie" "$BIN/$program" --case "$case" >"$BATS_FILE_TMPDIR/lossy-$i" 2>/dev/null || :
			touch "$BATS_FILE_TMPDIR/lossy-$i.over"
		} 3>&- </dev/null &
	done <<-'EOT'
		tcp_rtt deaf *stat=packet
		tcp_connect deaf *proto=tcp,place=same_cpu,stat=packet_setup
		tcp_bandwidth deaf *stat=acked
		tcp_bandwidth backwards *stat=acked
	EOT
}

setup() {
	cd "$BATS_TEST_TMPDIR" || exit
	within=()
	# It wants to be the first library itself, and finds nothing new here.
	[[ -z ${SAN:-} ]] || skip "not with a sanitizer"
}

# told LIE COMMAND...: run it with tests/fixtures/lies between it and libc.  LIE
# is a name, with @CALLS that go well before, and :PATTERN of the files.
told() {
	local what=${1%%:*} files=

	[[ $1 != *:* ]] || files=${1#*:}
	timeout -k 5 "$PATIENCE_S" "${within[@]}" env \
		LD_PRELOAD="$FIXTURES/lies.so" OSCOST_LIE="${what%@*}" \
		OSCOST_LIE_AFTER="$([[ $what != *@* ]] || echo "${what#*@}")" \
		OSCOST_LIE_FILES="$files" \
		"${@:2}" --invocations 1 --effort 3 --json
}

# found_out EVIDENCE PROGRAM LIE CASE [OPTION]...: whether a lie makes it fall
# short: proof fails the row, purity leaves nothing that is not excluded.  If not, it must be that there is none without the
# lie either: what cannot be measured here is left out.
found_out() {
	local name=$1 lie=$3 rows
	local -a command=("$BIN/$2" --case "$4" "${@:5}")

	rows=$(told "$lie" "${command[@]}" 2>said) || true
	jq -es --arg e "$name" 'any(.value == null and
		.set_aside.reasons[$e] > 0 and
		(.evidence[$e] | .seen < .expected * (.share // 1)) and
		if .evidence[$e].kind != "purity"
		then .status == "failed" and
			(.reason | startswith("the operation did not happen as claimed: "))
		else .status == "skipped" and
			(.reason | startswith("excluded: "))
		end)' <<<"$rows" >/dev/null && return
	printf '%s: not found out:\n%s\n%s\n' "$*" "$rows" "$(<said)"
	rows=$("${within[@]}" "${command[@]}" "${QUICK[@]}" --json 2>said) ||
		[[ $? == 77 ]] || return
	jq -es --arg e "$name" 'any(.evidence[$e]) | not' <<<"$rows" \
		>/dev/null || return
	echo "# not here: $*" >&3
}

# The table: EVIDENCE PROGRAM LIE CASE.
net='
acked_by_kernel tcp_rtt late_ack net=loopback,*,stat=packet
estimates tcp_rtt tcp_info *place=same_cpu,stat=kernel_srtt
replies_in tcp_rtt frozen:*/net/snmp *proto=icmp,*
in_order tcp_rtt backwards *stat=packet
in_order tcp_rtt backwards *stat=before
handshakes tcp_connect backwards *proto=tcp,place=same_cpu,stat=packet_setup
closed_by_server tcp_connect no_end *proto=unix,place=same_cpu,stat=connect
handshakes tcp_connect no_syn *proto=tcp,place=same_cpu,stat=packet_setup
handshakes tcp_connect backwards *proto=tcp,place=same_cpu,stat=packet_teardown
'
memory='
lines_visited mem_latency chain pattern=window,pages=4K,size=64K
lines_visited tlb chain layout=page,pages=64
lines_visited cache_line chain memory=L2,at=0,distance=8
lines_in_cycle mem_parallel chain level=L2,chases=1,*
lines_in_cycle mem_loaded chain traffic=read,load=0,*
words_moved mem_bandwidth scramble kernel=copy,isa=libc,level=L2,*,threads=1
words_moved mem_bandwidth scramble kernel=scale,*,threads=1
words_moved mem_bandwidth scramble kernel=add,*,threads=1
minor_faults page_fault getrusage fault=anonymous
major_faults page_fault getrusage fault=major
faults_of_pages page_fault faults_twice fault=anonymous
huge_bytes page_fault frozen:/proc/self/smaps fault=thp
resident_bytes page_fault mincore fault=populate
effects mapping munmap op=munmap,pages=untouched,size=64K
effects mapping munmap op=map_touch_unmap,*size=4M
effects mapping unmapped op=map_touch_unmap,*size=4M
effects mapping madvise op=madvise,pages=touched,size=64K
effects mapping mprotect op=mprotect,pages=untouched,size=64K
effects mapping mprotect op=mprotect,pages=touched,size=64K
effects shootdown munmap op=munmap,threads=none,*
effects shootdown madvise op=madvise,threads=none,*
effects shootdown mprotect op=mprotect,threads=none,*
effects mapping mremap op=mremap,pages=untouched,size=64K
effects mapping mremap op=mremap,pages=touched,size=64K
'
files='
blocks_as_written file_read pread cache=warm,order=random,size=4M
blocks_as_written file_read pread_end cache=direct,order=random,size=4M
blocks_as_written file_read unmapped cache=warm,order=sequential,by=mapped,*
blocks_as_written file_read read cache=warm,order=sequential,by=open_read,block=64K,file=256K
blocks_as_written file_read unmapped cache=warm,order=sequential,by=open_mmap,block=64K,file=256K
bytes_cached file_read cold cache=warm,order=random,size=4M
bytes_without_device file_read cold cache=warm,order=random,size=4M
bytes_read_by_process file_read frozen@1:/proc/self/io cache=direct,order=random,size=4M
bytes_read_from_device file_read frozen@1:*/stat cache=direct,order=random,size=4M
blocks_read_back file_write pwrite@4 durable=yes,by=dsync,order=sequential,block=4K
bytes_written_to_device file_write frozen@1:*/stat durable=yes,by=dsync,order=sequential,block=4K
bytes_written_by_process file_write frozen@1:/proc/self/io durable=no,by=direct,order=sequential
effects file_ops renameat@2 op=rename
effects file_ops fstatat op=create,size=1K
effects file_ops fstatat op=fsync_dir
entries file_ops readdir op=readdir,*
syncs_that_wrote file_ops frozen:*/stat op=fsync_file,*
blocks_as_written file_contention pread mode=warm,files=own,procs=1
stretches_from_cache file_contention cold_again mode=warm,files=own,procs=1
pure_windows file_contention cold_again mode=warm,files=own,procs=2
bytes_read_by_process file_contention frozen@1:/proc/self/io mode=direct,files=own,procs=1
bytes_read_from_device file_contention frozen@1:*/stat mode=direct,files=own,procs=1
bytes_read file_cache pread scope=group,size=16M
charged_bytes file_cache null:*/cgroup.procs scope=group,size=16M
'
processes='
children_reaped process waitpid op=fork,mem=0,*
children_reaped process execve op=fork_exec,parent=suite,program=dynamic
children_reaped process execve op=fork_sh,parent=small,program=dynamic
threads_started thread no_thread stack=64K,memory=reused,stat=create_join
stacks_reused thread new_stack stack=64K,memory=reused,stat=create_join
fresh_stacks_faulted_in thread getrusage stack=64K,memory=fresh,stat=create_join
switches context_switch getrusage between=process,by=eventfd,place=same_cpu,stat=round_trip
messages_without_waiting context_switch waits between=process,by=eventfd,place=same_cpu,stat=mechanism
sleeps wakeup getrusage op=clock_nanosleep,policy=other,slack=default
not_early wakeup early op=clock_nanosleep,policy=other,slack=default
policy_in_force wakeup policy op=clock_nanosleep,policy=fifo,*
effects signal sigaction@1 op=install,*
effects signal unsent op=send_self,*
effects signal other op=send_ignored,*
answers signal misled op=round_trip,place=same_cpu
additions sync mutex op=mutex,partner=other_cpu
calls_right sync wake op=futex_wake,partner=none
woken sync wait op=futex_wake,partner=same_cpu
calls poll poll op=poll,fds=10,ready=last
calls poll select op=select,fds=100,ready=none,on=tcp
calls poll select op=select,fds=100,ready=last,on=tcp
calls poll select op=select,fds=100,ready=all,on=file
calls syscall getppid@10 op=getppid,by=libc
effects syscall getcwd@10 op=getcwd,by=libc
answers mistakes getppid@10 mistake=min_of_differences,stat=naive
minor_faults mistakes getrusage mistake=fault_around,stat=naive
in_effect container sethostname part=hostname
in_effect container sethostname whole=parts
ended_well container waitpid clone=none
calls ways poll@10 op=any_of,by=poll,n=8
'
remote='
connections file_remote tcp_info *stat=connect
answer_bytes file_remote tcp_info *stat=null_call
wire_bytes file_remote tcp_info where=veth,cache=warm,order=random,file=4M,*stat=read
requests file_remote tcp_info where=veth,cache=warm,order=random,file=4M,*stat=read
bytes_cached file_remote cold where=local,cache=warm,order=random,file=4M,*
blocks_as_written file_remote pread where=local,cache=direct,order=random,file=4M,*
bytes_read_by_process file_remote frozen@1:/proc/self/io where=local,cache=cold,order=sequential,file=4M,*
bytes_read_by_process file_remote frozen@1:/proc/self/io where=local,cache=direct,order=random,file=4M,*
bytes_read_from_device file_remote frozen@1:*/stat where=veth,cache=cold,order=sequential,file=4M,*stat=read
bytes_read_from_device file_remote frozen@1:*/stat where=local,cache=direct,order=random,file=4M,*
'

# all_found_out TABLE [OPTION]...
all_found_out() {
	local name program lie case bad=0

	while read -r name program lie case; do
		[[ -z $name ]] || found_out "$name" "$program" "$lie" "$case" \
			"${@:2}" 3>&3 </dev/null || bad=1
	done <<<"$1"
	return "$bad"
}

@test "network: what did not come back, was not captured or is out of order" {
	all_found_out "$net"
}

@test "memory: chains, words, pages and mappings that are not what was claimed" {
	all_found_out "$memory"
}

@test "files: bytes and names that are elsewhere" {
	all_found_out "$files"
}

@test "processes, signals, locks and calls that did not do it" {
	all_found_out "$processes"
}

@test "remote files: what did not come over the network" {
	local why

	"$ROOT/scripts/setup" --bin "$BIN" nfs || true
	why=$("$ROOT/scripts/netlab" run --nfs --bin "$BIN" true 2>&1) || skip "$why"
	within=("$ROOT/scripts/netlab" run --nfs --bin "$BIN")
	all_found_out "$remote" --nfslab --bytes 4m
}

# gives FILTER LIE PROGRAM [OPTION]...: whether it is true of the lied-to rows.
gives() {
	local rows

	rows=$(told "$2" "$BIN/$3" "${@:4}" 2>/dev/null) || [[ $? == @(1|77) ]] ||
		return
	jq -es "length > 0 and all($1)" <<<"$rows" >/dev/null && return
	printf '%s: not so:\n%s\n' "$*" "$rows"
	return 1
}

# A capture without packets has no evidence to fail, and no value either.
@test "a capture that loses packets or their order gives no value" {
	local over

	((EUID == 0)) || skip "captures need root"
	for over in "$BATS_FILE_TMPDIR"/lossy-{1..4}.over; do
		until_true test -e "$over"
		jq -es 'length > 0 and all(.value == null and (.status == "failed" or
			.status == "skipped" and (.reason | test("excluded"))))' "${over%.over}"
	done
}

# Any program does that comes upon a page which the kernel moves.
@test "a mechanism may wait a few times in thousands of messages" {
	local rows

	rows=$(told some_waits "$BIN/context_switch" --case \
		between=process,by=eventfd,place=same_cpu,stat=mechanism)
	jq -es 'length == 1 and (.[0].evidence.messages_without_waiting |
		.expected > 0 and .seen < .expected and
		.seen >= .share * .expected)' <<<"$rows"
}

# A host that is held up makes few of them, and a block has too few by itself.
@test "acknowledgements that come with reports alone are enough for a rate" {
	((EUID == 0)) || skip "captures need root"
	gives '.status == "ok" or .status == "skipped" and
		(.reason | test("excluded"))' no_bare tcp_bandwidth \
		--case '*stat=acked'
}

# A copy that stays where the first one is shares its CPU with it.
@test "copies that are not on CPUs of their own are found out" {
	(($(nproc) >= 2)) || skip "needs two CPUs"
	LD_PRELOAD="$FIXTURES/lies.so" OSCOST_LIE=getcpu OSCOST_LIE_AFTER=12 try 1 "$BIN/syscall" \
		"${QUICK[@]}" --json --copies 2 --case 'copies=processes,op=getppid,by=syscall'
	jq -es 'any(.status == "failed" and
		(.evidence.copies_on_own_cpu | . and .seen < .expected))' <<<"$output"
}
