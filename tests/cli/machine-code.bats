#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The measured loops are what the programs claim, in the machine code that
# the compiler and the linker made of them.

load ../helpers

setup_file() { disassembled arith loop mem_bandwidth mem_latency mistakes procedure syscall timer truth; }

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

# has PROGRAM FUNCTION COUNT PATTERN: so many of its instructions match; + is one at
# least, and # the number at the end of the function's name, also in PATTERN.
has() {
	local number=${2##*[a-z_]} text n

	text=$(code "$1" "$2") && [[ -n $text ]] &&
		n=$(grep -Ec "${4//\#/$number}" <<<"$text" || :) &&
		[[ ($3 == + && $n -ge 1) || $n == "${3//\#/$number}" ]] && return
	printf '%s has %s of these, not %s\n' "$2" "${n-}" "${*:3}"
	return 1
}

@test "so many instructions of each kind" {
	local at='-?0?x?[0-9a-f]*\(%r[a-z0-9]+,%r[a-z0-9]+' program functions count pattern f bad=0

	while read -r program functions count pattern; do
		[[ $program != '#' ]] || continue
		for f in $(eval "echo $functions"); do
			has "$program" "$f" "$count" "${pattern//AT/$at}" || bad=1
		done
	done <<-'END'
		# The curve has one fence in a pass, and so has what is subtracted.
		loop run_{curve_memory,curve_register,fence} 1 ^lfence
		loop run_fence 0 ^jle
		# Eight calls in a pass, of the kind that the case names.
		procedure call_direct_{0..24} 8 ^call.*<callee_#>
		procedure call_plt_{0..24} 8 ^call.*<callee_plt_#@plt>
		procedure call_pointer_{0..24} 8 ^call \*
		procedure {callee,call_direct}_24 0 %xmm
		syscall run_{getpid,getppid,getcwd,read,write,stat,fstat,clock_gettime,invalid}_syscall 1 ^syscall
		syscall run_{getpid,getppid,getcwd,read,write,stat,fstat,clock_gettime,invalid}_int80 1 ^int \$0x80
		syscall run_open_close_syscall 2 ^syscall
		syscall run_open_close_int80 2 ^int \$0x80
		# A name is looked up in an open directory.
		syscall run_stat_libc + ^call.*fstatat
		syscall run_open_close_libc + ^call.*openat
		syscall run_stat_syscall + ^mov \$0x106,%
		syscall run_open_close_syscall + ^mov \$0x101,%
		syscall run_getppid_libc + ^call.*getppid
		syscall run_getppid_libc 0 ^syscall
		# A chain has as many links as it says.
		truth chain_add_{1,2,4,8,16,32,64,128,256,512,1024} # ^add %rsi,%rax
		truth chain_second_{1,2,4,8,16,32,64,128,256,512,1024} # ^lea \(%rax,%rsi,1\),%rax
		truth chain_multiply_{1,2,4,8,16,32,64,128,256,512,1024} # ^imul %esi,%eax
		mistakes unfenced 2 ^rdtsc$
		mistakes unfenced 0 ^(lfence|mfence|cpuid|rdtscp)
		mistakes naive_adds 32 ^add %rsi,%rax
		mistakes naive_short_adds 8 ^add %rsi,%rax
		timer run_rdtsc + ^rdtsc$
		timer run_rdtsc 0 ^(lfence|cpuid|rdtscp)
		timer run_pair_cpuid + ^rdtscp
		# The frequency's chains, and one countdown of a chase.
		mem_latency reference_muls 512 ^imul %r[a-z0-9]+,%r[a-z0-9]+$
		mem_latency reference_adds 512 ^add %r[a-z0-9]+,%r[a-z0-9]+$
		mem_latency chase_run 1 ^dec[ ]
		# Each kernel moves 512 bytes a round with the registers it names.
		mem_bandwidth read_scalar 64 ^mov AT.*\),%r(8|9|1[0-5])$
		mem_bandwidth read_sse2 32 ^movaps AT.*\),%xmm[0-9]+$
		mem_bandwidth read_avx2 16 ^vmovaps AT.*\),%ymm[0-9]+$
		mem_bandwidth read_avx512 8 ^vmovaps AT.*\),%zmm[0-9]+$
		mem_bandwidth read4_avx512 8 ^vmovaps AT.*\),%zmm[0-9]+$
		mem_bandwidth write_scalar 64 ^mov %r(8|9|1[0-5]),AT
		mem_bandwidth write_sse2 32 ^movaps %xmm[0-9]+,AT
		mem_bandwidth write_avx512 8 ^vmovaps %zmm[0-9]+,AT
		mem_bandwidth write_nt_scalar 64 ^movnti %r(8|9|1[0-5]),AT
		mem_bandwidth write_nt_sse2 32 ^movntps %xmm[0-9]+,AT
		mem_bandwidth write_nt_avx2 16 ^vmovntps %ymm[0-9]+,AT
		mem_bandwidth copy_avx2 16 ^vmovaps %ymm[0-9]+,AT
		mem_bandwidth copy_avx2 16 ^vmovaps AT.*\),%ymm[0-9]+$
		mem_bandwidth copy_nt_avx512 8 ^vmovntps %zmm[0-9]+,AT
		mem_bandwidth triad_sse2 32 ^mulpd[ ]
		mem_bandwidth triad_sse2 32 ^addpd[ ]
		mem_bandwidth triad_nt_avx512 8 ^vmovntpd %zmm[0-9]+,AT
		mem_bandwidth scale_sse2 32 ^mulpd[ ]
		mem_bandwidth scale_sse2 0 ^addpd[ ]
		mem_bandwidth scale_avx2 16 ^vmulpd AT
		mem_bandwidth scale_nt_avx512 8 ^vmovntpd %zmm[0-9]+,AT
		mem_bandwidth add_sse2 32 ^addpd[ ]
		mem_bandwidth add_sse2 0 ^mulpd[ ]
		mem_bandwidth add_avx512 8 ^vaddpd AT
		mem_bandwidth add_nt_avx2 16 ^vmovntpd %ymm[0-9]+,AT
		mem_bandwidth read_ints 4 ^mov (0x[0-9a-f]+)?\(%r[a-z0-9]+\),%r8d$
		mem_bandwidth write_ints 4 ^mov %e?r?[a-z0-9]+d?,(0x[0-9a-f]+)?\(%r[a-z0-9]+\)$
		mem_bandwidth copy_nt_pf_avx512 8 ^vmovntps[ ]
		mem_bandwidth triad_pf_avx512 8 ^vmovapd %zmm
		# These ask ahead for each line they load or store.
		mem_bandwidth {write,copy}_pf_{sse2,avx2,avx512} 8 ^prefetchw 0x
		mem_bandwidth {copy,copy_nt}_pf_{sse2,avx2,avx512} 8 ^prefetcht0 0x
		mem_bandwidth {triad,triad_nt}_pf_{sse2,avx2,avx512} 16 ^prefetcht0 0x
		mem_bandwidth triad_pf_{sse2,avx2,avx512} 8 ^prefetchw 0x
		# Non-temporal stores are waited for, wide registers are left clean.
		mem_bandwidth {write,copy,triad}_nt_{scalar,sse2,avx2,avx512} 1 ^sfence
		mem_bandwidth {copy_nt_pf,triad_nt_pf,scale_nt,add_nt}_{sse2,avx2,avx512} 1 ^sfence
		mem_bandwidth {read,read4,write,copy,triad,scale,add}_{avx2,avx512} 1 ^vzeroupper
	END
	((bad == 0))
}

@test "procedure: a call by the linkage table jumps through memory" {
	grep -A3 '<callee_plt_7@plt>:$' "$BATS_FILE_TMPDIR/procedure.s" |
		grep -Eq 'jmp +\*0x[0-9a-f]+\(%rip\)'
	readelf -W --dyn-syms "$BIN/procedure" | grep -q ' WEAK .* UND callee_plt_7$'
	run ! grep '<callee_plt_7>:' "$BATS_FILE_TMPDIR/procedure.s"
}

@test "procedure: no argument is left out" {
	# 6 in registers; 18 words above the return address, each looked at.
	[[ $(code procedure callee_24 | grep -oE '0x[0-9a-f]+\(%r[sb]p\)' |
		sort -u | wc -l) -ge 18 ]]
}

@test "mistakes: 32 multiplications lie between the naive reads, and none where they are removed" {
	[[ $(code mistakes unfenced | awk '/^rdtsc$/ { n++ } n == 1 && /^imul %esi,%eax/' | wc -l) -eq 32 ]]
	# The compiler left the multiplications out, or the function: that is the mistake.
	run ! grep '^imul' <(code mistakes naive_removed)
}

@test "timer: the reads are in the order of their names" {
	code timer run_lfence_rdtsc_lfence | in_order '^lfence' '^rdtsc$' '^lfence'
	code timer run_rdtscp_lfence | in_order '^rdtscp' '^lfence'
	code timer run_cpuid_rdtsc | in_order '^cpuid' '^rdtsc$'
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

@test "a chase is 32 dependent loads and nothing else that touches memory" {
	local loads others

	loads=$(code mem_latency chase_run |
		grep -Ec '^mov \((%r[a-z0-9]+)\),\1$')
	others=$(code mem_latency chase_run | grep -F '(' |
		grep -Evc '^(mov \((%r[a-z0-9]+)\),\2$|nop|data16|cs |lea )' || :)
	# -O0 keeps the two arguments and the result on the stack.
	[[ $loads == 32 && $others -le 12 ]]
}

# rounds OBJECT: for each many_K what is between the target of its jump back and
# that jump: loads that follow a pointer, other uses of memory, instructions.
rounds() {
	objdump -d --no-show-raw-insn "$1" | awk '
		function follows(code, half) {
			if (!sub(/^mov +(0x0)?\(/, "", code))
				return 0
			split(code, half, "),")
			return half[1] == half[2]
		}
		/^[0-9a-f]+ <many_[0-9]+>:$/ { name = $2; n = 0 }
		/^$/ { name = "" }
		name == "" { next }
		{ at[$1] = ++n; sub(/^[^\t]*\t/, ""); code[n] = $0 }
		$1 ~ /^j/ {
			loads = others = 0
			for (i = at[$2 ":"]; i <= n; i++)
				if (follows(code[i]))
					loads++
				else
					others += code[i] ~ /\(|push|pop|call/
			print name, loads, others, n - at[$2 ":"] + 1
		}'
}

@test "chases side by side: loads and a countdown, no pointer in memory" {
	local cc flags k

	for k in {1..14}; do
		echo "<many_$k>: $k 0 $((k + 2))"
	done >expected
	# Two rounds, and six moves of what waits.
	echo '<many_16>: 32 0 40' >>expected
	rounds "$BIN/mem_parallel" | sort -V | diff expected -
	for cc in gcc clang; do
		command -v "$cc" >/dev/null || continue
		for flags in -O0 -O1 -O2 -O3 -fsanitize=address,undefined; do
			"$cc" -std=gnu11 -I"$ROOT"/{arch,arch/x86_64,bench/memory/lib} "$flags" -c -o many.o \
				"$ROOT/bench/memory/lib/x86_64/chase_many.c"
			rounds many.o | sort -V | diff expected -
		done
	done
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
