#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The measured loops are what the programs claim, in the machine code that
# the compiler and the linker made of them.

load ../helpers

setup_file() { disassembled arith loop mistakes procedure syscall timer truth; }

# lacks PATTERN: no line of stdin matches.
lacks() {
	! grep -Eq "$1"
}

# in_order PATTERN...: stdin has lines in a row that match the patterns.
in_order() {
	awk 'BEGIN { for (n = 1; n < ARGC; n++) want[n] = ARGV[n]; ARGC = 1 }
		{ line[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++) {
				for (k = 1; k < n && line[i + k - 1] ~ want[k]; k++)
					continue
				if (k == n)
					exit 0
			}
			exit 1
		}' "$@"
}

@test "loop: form=memory is the loop of gcc -O0, its counter in memory" {
	local f

	for f in run_each_memory run_curve_memory; do
		code loop "$f" | in_order '^movl \$0x0,.*\(' '^jmp'
		code loop "$f" | in_order '^addl \$0x1,.*\(' '^mov .*\(.*,%eax$' \
			'^cmp .*\(.*,%eax$' '^jle'
	done
}

@test "loop: form=register keeps the counter in a register" {
	local f

	for f in run_each_register run_curve_register; do
		code loop "$f" | in_order '^add \$0x1,%e[a-z0-9]+$|^add \$0x1,%r[0-9]+d$' \
			'^cmp %[a-z0-9]+,%[a-z0-9]+$' '^jle'
	done
}

@test "loop: the curve has one fence in a pass, and so has what is subtracted" {
	local f

	for f in run_curve_memory run_curve_register run_fence; do
		[[ $(code loop "$f" | grep -c '^lfence') -eq 1 ]]
	done
	code loop run_fence | lacks '^jle'
}

# calls_of VIA N: how the caller with N arguments calls.
calls_of() {
	case $1 in
	direct) code procedure "call_direct_$2" | grep -c "^call.*<callee_$2>" ;;
	plt) code procedure "call_plt_$2" | grep -c "^call.*<callee_plt_$2@plt>" ;;
	pointer) code procedure "call_pointer_$2" | grep -c '^call \*' ;;
	esac
}

@test "procedure: eight calls in a pass, of the kind that the case names" {
	local n via

	for via in direct pointer plt; do
		for ((n = 0; n <= 24; n++)); do
			[[ $(calls_of "$via" "$n") -eq 8 ]] || {
				echo "by=$via, args=$n: $(calls_of "$via" "$n")"
				return 1
			}
		done
	done
}

@test "procedure: a call by the linkage table jumps through memory" {
	grep -A3 '<callee_plt_7@plt>:$' "$BATS_FILE_TMPDIR/procedure.s" |
		grep -Eq 'jmp +\*0x[0-9a-f]+\(%rip\)'
	readelf -W --dyn-syms "$BIN/procedure" | grep -q ' WEAK .* UND callee_plt_7$'
	lacks '<callee_plt_7>:' <"$BATS_FILE_TMPDIR/procedure.s"
}

@test "procedure: no argument is left out, no vector registers" {
	code procedure callee_24 | lacks '%xmm'
	code procedure call_direct_24 | lacks '%xmm'
	# 6 in registers; 18 words above the return address, each looked at.
	[[ $(code procedure callee_24 | grep -oE '0x[0-9a-f]+\(%r[sb]p\)' |
		sort -u | wc -l) -ge 18 ]]
}

@test "syscall: by=syscall and by=int80 have the bare instruction" {
	local call

	for call in getpid getppid getcwd read write stat fstat clock_gettime invalid; do
		[[ $(code syscall "run_${call}_syscall" | grep -c '^syscall') -eq 1 ]]
		[[ $(code syscall "run_${call}_int80" | grep -c '^int \$0x80') -eq 1 ]]
	done
	[[ $(code syscall run_open_close_syscall | grep -c '^syscall') -eq 2 ]]
	[[ $(code syscall run_open_close_int80 | grep -c '^int \$0x80') -eq 2 ]]
}

@test "syscall: stat and open_close look up a name in an open directory" {
	code syscall run_stat_libc | grep -q '^call.*fstatat'
	code syscall run_open_close_libc | grep -q '^call.*openat'
	code syscall run_stat_syscall | grep -q '^mov \$0x106,%'
	code syscall run_open_close_syscall | grep -q '^mov \$0x101,%'
}

@test "syscall: by=libc calls libc" {
	code syscall run_getppid_libc | grep -q '^call.*getppid'
	code syscall run_getppid_libc | lacks '^syscall'
}

@test "truth: a chain has as many links as it says" {
	local length

	for ((length = 1; length <= 1024; length *= 2)); do
		[[ $(code truth "chain_add_$length" |
			grep -c '^add %rsi,%rax') -eq $length ]]
		[[ $(code truth "chain_second_$length" |
			grep -c '^lea (%rax,%rsi,1),%rax') -eq $length ]]
		[[ $(code truth "chain_multiply_$length" |
			grep -c '^imul %esi,%eax') -eq $length ]]
	done
}

@test "mistakes: nothing fences the naive reads, and the right operations are there" {
	[[ $(code mistakes unfenced | grep -c '^rdtsc$') -eq 2 ]]
	code mistakes unfenced | lacks '^(lfence|mfence|cpuid|rdtscp)'
	[[ $(code mistakes unfenced | awk '/^rdtsc$/ { n++ } n == 1 && /^imul %esi,%eax/' | wc -l) -eq 32 ]]
	[[ $(code mistakes naive_adds | grep -c '^add %rsi,%rax') -eq 32 ]]
	[[ $(code mistakes naive_short_adds | grep -c '^add %rsi,%rax') -eq 8 ]]
	# The compiler left this one out: that is the mistake.
	code mistakes naive_removed | lacks '^imul'
}

@test "timer: the reads are the instructions that name them" {
	code timer run_rdtsc | grep -q '^rdtsc$'
	code timer run_rdtsc | lacks '^(lfence|cpuid|rdtscp)'
	code timer run_lfence_rdtsc_lfence | in_order '^lfence' '^rdtsc$' '^lfence'
	code timer run_rdtscp_lfence | in_order '^rdtscp' '^lfence'
	code timer run_cpuid_rdtsc | in_order '^cpuid' '^rdtsc$'
	code timer run_pair_cpuid | grep -q '^rdtscp'
}

@test "arith: an iteration is operations of the kind that it claims, on registers" {
	local op pattern n

	while read -r op pattern; do
		while read -r figure ops; do
			n=$(code arith "${figure}_$op" | grep -Ec "^v?($pattern) ")
			echo "${figure}_$op: $n"
			# Set-up and, in clang's division, a short form come on top.
			((n >= ops && (n < ops + 16 || n == 2 * ops)))
		done <<<$'latency 64\nthroughput 192'
		# A chain in memory would be read and written in each of 16 turns.
		[[ $pattern == div[ql]* ]] ||
			(($(code arith "throughput_$op" | grep -c '(%rsp)') < 16))
	done <<-'END'
		int32_and andl?
		int32_xor xorl?
		int32_mul imull?
		int32_div divl?
		int64_or orq?
		int64_mul imulq?
		int64_mod divq?
		float_add addss
		float_sqrt sqrtss
		float_fma fmadd...ss
		double_mul mulsd
		double_div divsd
		double_sqrt sqrtsd
		double_fma fmadd...sd
		float128_add addps
		double128_mul mulpd
		float256_div divps
		double256_add addpd
	END
}

@test "without optimisation the measured loops are the same, and the build is named" {
	run -0 --separate-stderr make -C "$ROOT" BUILD="$BATS_TEST_TMPDIR/build" CFLAGS=-O0 \
		"$BATS_TEST_TMPDIR/build/bin/arith"
	objdump -d --no-show-raw-insn "$BATS_TEST_TMPDIR/build/bin/arith" >"$BATS_FILE_TMPDIR/plain.s"
	# But where its jumps lead to.
	[[ $(code plain throughput_int64_mul | grep -v '^j') == "$(code arith throughput_int64_mul | grep -v '^j')" ]]
	run -0 --separate-stderr "$BATS_TEST_TMPDIR/build/bin/arith" --json --invocations 1 \
		--effort 1 --case type=int64,op=mul,stat=latency
	[[ $(grep -c 'this build is not optimised' <<<"$stderr") -eq 1 ]]
	jq -e '.evidence.build == "not optimised"' <<<"$output"
}

# A forked child that binds _exit itself takes 27 us more.
@test "no program binds a call while it measures, but procedure's table" {
	local lazy

	lazy=$(for program in "$BIN"/*; do
		readelf -d "$program" | grep -q 'BIND_NOW\|FLAGS_1.*NOW' ||
			basename "$program"
	done)
	[[ $lazy == procedure ]]
}
