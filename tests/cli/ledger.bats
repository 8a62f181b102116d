#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/ledger with an emulator that only says what it is told: arguments,
# boots that fail, results.  tests/lab/ledger boots machines.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p bin few/{bin,lib}
	ln -s "$BIN"/{syscall,machine,report} few/bin/ # each is packed for each boot
	stub cpio 'cat >/dev/null'
	stub busybox :
	machine 'row 1 100; row 2 200; printf "@syscall=0\n@machine\n{}\n@end\n"'
	echo kernel >bzImage
}

# stub NAME BODY
stub() {
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

# machine BODY: what it prints is on its console; row N VALUE [MAX] is a row.
machine() {
	stub qemu-system-x86_64 'profile=
	while (($#)); do
		[[ $1 != -serial ]] || console=${2#file:}
		[[ $1 != -append ]] || options=$2
		[[ $1 != -plugin ]] || profile=${2##*,out=}
		[[ $1 != -kernel ]] || kernel=$2
		[[ $1 != -pidfile ]] || echo $$ >"$2"
		shift
	done
	past=$(basename "${console%/*}") boot=${console%.raw} boot=${boot##*.}
	row() {
		printf "{\"schema\":2,\"benchmark\":\"syscall\",\"case\":\"n=$1\",\"unit\":\"ns\","
		printf "\"status\":\"ok\",\"n\":1,\"better\":\"lower\",\"seed\":%d,\"value\":%s," "$past" "$2"
		printf "\"min\":%s,\"max\":%s,\"resolution\":0.5}\n" "$2" "${3-$2}"
	}
	{ '"$1"'
	} >"$console"'
}

ledger() {
	PATH=$PWD/bin:$PATH "$ROOT/scripts/ledger" --bin few/bin --kernels ./bzImage \
		--only syscall --out out "$@"
}

# refused TEXT OPTION...: status 2, one line with TEXT, and nothing was made.
refused() {
	local text=$1

	shift
	run -2 --separate-stderr ledger "$@"
	[[ $stderr == *"$text"* && $stderr != *$'\n'* && ! -e out ]]
}

@test "each kernel with each option becomes a results directory" {
	run -0 --separate-stderr ledger --options 'audit=1; lsm='
	for side in plain audit=1 lsm=; do
		jq -es 'length == 8 and all(.[]; .unit == "instructions" and .timer == "icount")
			and (map(.round) | unique) == [1, 2, 3, 4]' out/bzImage/$side/invocations.jsonl
		jq -e '.clock == "icount" and .rounds == 4' out/bzImage/$side/run.json
		run -0 "$BIN/report" make --root "$ROOT" --no-plots out/bzImage/$side
	done
	[[ $output != *"cannot be used"* ]]
	[[ -z $(find out -name '.work*') ]]
}

@test "the kernel is told the option, and no two boots at once of one job" {
	machine 'row 1 5; printf "told %s\n@machine\n{}\n@end\n" "$options"'
	run -0 --separate-stderr ledger --options 'audit=1 lsm=' --boots 1 --pasts 1 --jobs 1
	grep -q '^told .*nokaslr norandmaps audit=1 lsm=$' out/bzImage/audit=1_lsm=/boot-1.txt
	run ! grep audit out/bzImage/plain/boot-1.txt
}

@test "a row is exact if its samples agree, too; where boots differ the range is said" {
	machine 'row 1 10$((boot == 2)); row 2 $((7 * past)); row 3 7 8; row 4 7 7.5
		printf "@machine\n{}\n@end\n"'
	run -0 --separate-stderr ledger
	[[ ${lines[0]} == 'bzImage plain: 4 rows, 2 exact; 1 of them cost the same whatever ran before; in 1 other ones each boot has the same value, and its samples differ' ]]
	[[ ${lines[1]} == 'not repeated: syscall n=1: 100 to 101 instructions' ]]
	[[ ${#lines[@]} == 2 ]]
	rm -r out
	run -0 --separate-stderr ledger --pasts 1
	[[ ${lines[0]} == 'bzImage plain: 4 rows, 2 exact; in 1 other ones each boot has the same value, and its samples differ' ]]
}

@test "all programs are in the machine, whichever shall run, and a past begins at its part of a tick" {
	mkdir -p build/bin build/lib
	ln -s "$BIN"/* build/bin/
	stub cpio 'cat >/dev/null; cat init; ls suite/bin'
	stub gzip 'cat >>"$packed"'
	packed=$PWD/packed run -0 --separate-stderr ledger --bin build/bin --boots 1 --pasts 2
	# In each past the one that shall run, and of the others their files.
	[[ $(grep -c '^PAD=0* /suite/bin/.* --json' packed) == 2 && $(grep -cx -e loop -e tlb packed) == 4 ]]
	grep -q '^$b usleep 2473$' packed
	grep -q '^$b usleep 4946$' packed
}

@test "rates are turned round" {
	machine 'row 1 4e6 5e6 | sed "s/\"ns\"/\"B\/s\"/; s/lower/higher/"; printf "@machine\n{}\n@end\n"'
	run -0 --separate-stderr ledger --boots 1 --pasts 1
	jq -e '.unit == "instructions/B" and .better == "lower" and .value == 250 and
		.min == 200 and .max == 250' \
		out/bzImage/plain/invocations.jsonl
}

@test "a kernel that panics is named with its words, and the others are kept" {
	machine '[[ $options != *bad* ]] || { echo "[ 1.0] Kernel panic - not syncing: no"; exit; }
		row 1 5; printf "@machine\n{}\n@end\n"'
	run -1 --separate-stderr ledger --options bad --boots 1 --pasts 1
	[[ $stderr == *'bzImage bad, boot 1: Kernel panic - not syncing: no; console: out/bzImage/bad/boot-1.txt'* ]]
	[[ -s out/bzImage/plain/run.json && ! -e out/bzImage/bad/run.json ]]
}

@test "a kernel that hangs, one that stops, one that is none" {
	machine 'sleep 60'
	run -1 --separate-stderr ledger --limit 1 --boots 1 --pasts 1
	[[ $stderr == *'boot 1: it had not ended after 1 s; the last that it said: nothing'* ]]
	rm -r out
	machine 'echo the last word'
	answers 1 'boot 1: the machine stopped; the last that it said: the last word' ledger --boots 1 --pasts 1
	rm -r out
	machine 'echo "qemu: no kernel" >&2; exit 1'
	run -1 --separate-stderr ledger --boots 1 --pasts 1
	[[ $stderr == *'boot 1: qemu: no kernel'* && -z $(find out -name '*.jsonl' -o -name '.work*') ]]
}

@test "a program that failed in the guest is named" {
	machine 'row 1 5; printf "@syscall=1\n@poll=77\n@machine\n{}\n@end\n"'
	run -0 --separate-stderr ledger --boots 1 --pasts 1
	[[ $stderr == *'; syscall ended with 1'* && $stderr != *poll* ]]
}

@test "a ledger that is stopped ends its machines and leaves no scratch" {
	machine 'echo $$ >pid; exec sleep 600'
	PATH=$PWD/bin:$PATH "$ROOT/scripts/ledger" --bin few/bin --kernels ./bzImage \
		--only syscall --out out --jobs 1 3>&- &
	until_true test -s pid
	kill -TERM $!
	status=0
	wait $! || status=$?
	[[ $status == 143 && -z $(find out -name '.work*') ]]
	run ! kill -0 "$(<pid)"
}

@test "options and kernels are compared with the first" {
	machine 'if [[ $options == *audit* ]]; then row 1 150; else row 1 100; fi
		row 2 7; printf "@machine\n{}\n@end\n"'
	cp bzImage other
	run -0 --separate-stderr ledger --boots 1 --pasts 1 --kernels './bzImage ./other' --options 'audit=1'
	[[ $output == *'takes more instructions in 1; '* ]]
	grep -q '| syscall: n=1 | 100 | +50 (+50 %) |' out/other/compare.md
	grep -q '| syscall: n=1 | 100 | = |' out/compare.md
	for pct in 51:0 49:3 none:2; do
		rm -rf out
		run -${pct#*:} --separate-stderr ledger --boots 1 --pasts 1 --options 'audit=1' \
			--threshold "${pct%:*}"
	done
}

# calls PROFILE PROGRAM: what the plugin would have written, from lines "mark", "function
# NUMBER ADDRESS KIND" (called from time_batch), and "batch COUNT..." of the functions.
calls='#!/usr/bin/env perl
		use strict; use warnings; no warnings "portable";
		my ($to, $program) = @ARGV;
		my ($batch, $sign) = map { `nm $program` =~ /^([0-9a-f]+) t $_/m;
			0x555555554000 + 16 + hex $1 } qw(time_batch read_clock);
		my ($site, $own, $end) = map { sprintf "%x", $batch + $_ } 0 .. 2;
		$sign = sprintf "%x", $sign;
		my ($parts, @address) = (0);
		open my $calls, ">", $to or die;
		open my $file, ">:raw", "$to.parts" or die;
		while (<STDIN>) {
			my ($word, @n) = split;
			print $calls "M\nR $sign 9 0 0 0\nR 10 9 0 0 0\nR $sign 9 0 0 0\n" if $word eq "mark";
			if ($word eq "function") {
				$address[$n[0]] = hex $n[1];
				print $calls "N $n[0] 0 $site $n[1] $n[2]\n";
			} elsif ($word eq "batch") {
				my ($sum, $interrupts) = (0, 0);
				print $file pack "LLQ", $_ + 1, $n[$_], $address[$_ + 1] + 4 for 0 .. $#n;
				$sum += $_ for @n;
				print $calls "R $site 7 0 0 0\nR $own 0 0 0 0\nR $end $sum $interrupts $parts ", scalar @n, " $n[0] 0 0 0 0 1 9 7\n";
				$parts += @n;
			}
		}'

# plan BEGIN OTHER [MORE]: a row of so many instructions in these functions.
plan() {
	printf 'function %s\n' '1 ffffffff81000000 1' '2 ffffffff81000100 1' '3 ffffffff81000200 3'
	printf 'mark\n'
	for n in 4 8 8 4; do
		printf 'batch %d %d %d\n' $((n * $1 + 3)) $((n * $2)) $((n * ${3-0}))
	done
}

# explain CASE OPTION...: VALUE and the plan of a kernel are in its file.
explain() {
	rm -rf out
	printf '%s\n' "$calls" >bin/calls
	chmod +x bin/calls
	export of_program=$BIN/syscall estimator
	machine 'read -r value <"$kernel"
		printf "@program syscall\n%s\n{\"benchmark\":\"syscall\",\"case\":\"%s\",\"status\":\"ok\",\"unit\":\"ns\"," \
			"$case" "$case"
		printf "\"value\":%s,\"iters\":4,\"min\":1,\"max\":1,\"estimator\":\"%s\"}\n" "$value" "${estimator:-difference}"
		[[ $profile ]] || printf "@S%b\n" "81000000 begin" "81000100 other\t[module]" \
			"81000200 asm_tick" "81000200 __pfx_none"
		echo @end
		[[ ! $profile ]] || tail -n +2 "$kernel" | calls "$profile" "$of_program"'
	local what=(syscall "$1")

	[[ $1 != all ]] || what=(--only syscall)
	case=${1/#all/$row} PATH=$PWD/bin:$PATH "$ROOT/scripts/ledger" explain "${what[@]}" "${@:2}" \
		--bin few/bin --images images --out out
}

row=op=getppid,by=libc

@test "explain: functions whose instructions add up to the row, interrupts apart" {
	{ echo 6 && plan 3 2 1; } >bzImage
	run -0 --separate-stderr explain "$row" --kernels ./bzImage
	[[ ${lines[1]} == "         6  syscall $row" ]]
	[[ $(awk '$3 == "%" { print $1, $4 }' <<<"$output") == $'3 begin\n2 other\n1 asm_tick' ]]
	[[ ${lines[-1]} == *' 6  the sum' ]]
	[[ $(<out/explain.folded) == "bzImage;syscall $row;interrupts;asm_tick 1
bzImage;syscall $row;time_batch;begin 3
bzImage;syscall $row;time_batch;other 2" ]]
	grep -q $'^bzImage\tsyscall '"$row"$'\t6\t6\t3\t0\t0\t0\t0\t0\t9\t7$' out/rows.tsv
	grep -q '</svg>' out/explain.svg
	[[ -z $(find out -name '.work*') ]]
}

@test "explain: the causes of a change, and two kernels in one flame graph" {
	{ echo 100 && plan 40 60; } >bzImage
	{ echo 70 && plan 70 0; } >new
	run -0 --separate-stderr explain "$row" --kernels './bzImage ./new'
	[[ $output == *'From bzImage to new 1 of 1 rows changed'* ]]
	[[ $output == *'2 causes explain 1 row: other gone (-60), begin more (+30)'* ]]
	[[ $output == *"syscall $row: 100 to 70 (-30.0 %)"* ]]
	grep -q '^ *-60 *other, gone$' out/because.txt
	grep -q 'other: 60 to 0 instructions' out/because.svg
	grep -q "^ *100 *70 *syscall $row (-30.0 %)$" out/explain.txt
	grep -qx $'bzImage\tnew\tsyscall '"$row"$'\t100\t70\t-30.0\tother gone (-60), begin more (+30)' out/causes.tsv
	[[ $(grep -c '</svg>' out/explain.html) == 1 ]]
	grep -q 'other: 60 to 0 instructions' out/explain.html
	grep -q '^2 causes explain 1 row' out/explain.html
}

@test "explain: of all rows the terminal has the causes, and where their trees are" {
	{ echo 100 && plan 40 60; } >bzImage
	{ echo 70 && plan 70 0; } >new
	run -0 --separate-stderr explain all --kernels './bzImage ./new'
	[[ $output == *'2 causes explain 1 row: other gone (-60), begin more (+30)'* ]]
	[[ $output != *"syscall $row: 100 to 70"* && $stderr == *'trees of each cause: out/because*.txt'* ]]
	grep -q "^syscall $row: 100 to 70 (-30.0 %)$" out/because.txt
}

@test "explain: of many small causes the first three" {
	for n in 1 2; do
		printf "p row;f%s $n\n" {a..l} >"$n"
	done
	run -0 perl "$ROOT/scripts/lib/calls.pl" causes old 1 new 2
	[[ ${lines[1]} == $'old\tnew\tp row\t12\t24\t+100.0\tfa more (+1), fb more (+1), fc more (+1)' ]]
}

@test "explain: a function in the place of another is one cause, not two" {
	printf 'p row;%s\n' 'f;old 100' 'g;old;below 50' 'g;once 40' >a
	printf 'p row;%s\n' 'f;new;part 103' 'g;new 60' 'g;first 45' >b
	run -0 perl "$ROOT/scripts/lib/calls.pl" causes old a new b
	[[ ${lines[1]} == $'old\tnew\tp row\t190\t208\t+9.5\tfirst new (+45), once gone (-40), new (for old) more (+13)' ]]
}

# fold ROW...: what calls.pl makes of a record of three events of 40 instructions, 10 of
# them of the sampler, in a visit to case 18, one that takes 90 in another, of which it is not
# certain to which case, for its sign was interrupted, and in one to case 0 of twin, whose events take
# 50 between two reads and two others; the timer takes 7.  ROW: NUMBER VALUE OVERHEAD.
fold() {
	printf '%x %s p\n' 4096 sampler 8192 timer_empty 12288 work 16384 twin 20480 brother 24576 read_clock >symbols
	perl -e 'open my $parts, ">:raw", "record.parts";
		print $parts pack "(LLQ)*", 0, 10, 0x1014, 1, 30, 0x3004;
		print "M\n" . "N 1 0 1010 3000 1\n" . "R 2010 7 0 0 0\n" x 4;
		my ($clock, $other) = map { "R $_ 9 0 0 0\n" } qw(6010 2);
		print $clock x 3, $other, $clock x 2, "R 1010 5 0 0 0\nR 1020 40 0 0 2\n" x 3;
		print $clock x 3, $other, $clock =~ s/9 0/9 1/r, $clock, "R 1010 5 0 0 0\nR 1020 90 0 0 2\n";
		print $clock, $other, $clock;
		print "R $_ 900 0 0 0\nR $_ 50 0 0 2\n" for qw(4010 5010) x 3' >record
	while (($#)); do
		printf '0\tp\t%s\tv=%s\tgrouped_median\tns\t%s\t1\t\t%s\t%s\t%s\n' "$1" "$2" "$2" "$2" "$2" "$3"
		shift 3
	done >rows
	perl "$ROOT/scripts/lib/calls.pl" fold record symbols rows classes
}

@test "explain: each row of events adds up to the instruction, or is refused with the reason" {
	run -0 --separate-stderr fold 18 33 7 18 40 0 7 16.5 3.5
	[[ ! $stderr && $output == 'p v=33;sampler 3
p v=33;sampler;work 30
p v=40;sampler 10
p v=40;sampler;work 30
p v=16.5;sampler 1.5
p v=16.5;sampler;work 15' ]]
	run -0 --separate-stderr fold 18 40 7 0 43 7 18 7 0 18 33 5 18 33 '' 18 83 7
	[[ ! $output && $stderr == 'p v=40: no two reads have its median, least and most between them
p v=43: more than two reads have its median, least and most between them
p v=7: no two reads have its median, least and most between them
p v=33: the timer takes another time in the row
p v=33: does not say what the timer takes
p v=83: no two reads have its median, least and most between them' ]]
}

@test "explain: the functions of two programs at the same addresses have the names of each" {
	run -0 fold 18 33 7
	printf '%x %s q\n' 4096 own 8192 timer_empty 12288 toil 24576 read_clock >>symbols
	cat record record >both
	cp record.parts both.parts
	sed 's/^0\tp/1\tq/' rows | cat rows - >of_both
	run -0 --separate-stderr perl "$ROOT/scripts/lib/calls.pl" fold both symbols of_both classes
	[[ $output == 'p v=33;sampler 3
p v=33;sampler;work 30
q v=33;own 3
q v=33;own;toil 30' ]]
	printf '2\tq\t18\tv=33\n' >>of_both
	run ! perl "$ROOT/scripts/lib/calls.pl" fold both symbols of_both classes
}

@test "residual: one cost for each class, and the row that takes more than its classes" {
	mkdir run of
	printf 'kernel\trow\tvalue\tinstructions\n' >of/rows.tsv
	while read -r name instructions cr3 ns; do
		printf 'k\tp %s\t1\t%s\t0\t%s\t0\t0\t0\t0\t0\t0\n' "$name" "$instructions" "$cr3" >>of/rows.tsv
		printf '{"benchmark":"p","case":"%s","unit":"ns","status":"ok","value":%s}\n' "$name" "$ns" >>run/invocations.jsonl
	done <<<$'a 100 0 50\nb 200 0 100\nc 400 0 200\nd 100 2 250\ne 300 1 250\nf 200 4 500\ntrap 300 0 4150'
	run -0 --separate-stderr "$ROOT/scripts/ledger" residual run of
	[[ ${lines[0]} == '7 rows; ns for each, with all that goes with it: instruction 0.5, cr3 100' ]]
	[[ $(awk '{ print $1, $2, $3, $5 }' <<<"${lines[2]}") == '4150.0 150.0 +4000.0 trap' ]]
	run -2 --separate-stderr "$ROOT/scripts/ledger" residual run none
}

@test "explain --check: only rows that cost more, and why; for git bisect run" {
	{ echo 100 && plan 40 60; } >bzImage
	{ echo 104 && plan 44 60; } >new
	run -0 --separate-stderr explain "$row" --kernels ./bzImage
	mv out/explain.folded base
	run -3 --separate-stderr explain "$row" --kernels ./new --check base
	[[ $output == *'From baseline to new 1 of 1 rows take more by more than 1 %'* ]]
	[[ $output == *'1 cause explains 1 row: begin more (+4)'* ]]
	run -0 --separate-stderr explain "$row" --kernels ./new --check base --threshold 4
	run -0 --separate-stderr explain "$row" --kernels ./bzImage --check base
	run -2 --separate-stderr explain "$row" --kernels ./new --check none
	machine 'echo no'
	PATH=$PWD/bin:$PATH run -125 --separate-stderr "$ROOT/scripts/ledger" explain syscall "$row" \
		--bin few/bin --kernels ./new --check base --images images2 --out out2
}

@test "a kernel that lacks what the machine needs is refused before its boot" {
	for name in BLK_DEV_INITRD RD_GZIP BINFMT_ELF BINFMT_SCRIPT PROC_FS SYSFS DEVTMPFS TMPFS SHMEM \
		FUTEX EPOLL UNIX INET; do
		echo "CONFIG_$name=y"
	done >.config
	refused 'bzImage is built without SERIAL_8250_CONSOLE' --kernels ./bzImage
	echo CONFIG_SERIAL_8250_CONSOLE=y >>.config
	run -0 --separate-stderr ledger --boots 1 --pasts 1
	rm -r out
	{ printf 'kernelIKCFG_ST' && sed '/TMPFS/d' .config | gzip; } >bzImage
	rm .config
	refused 'bzImage is built without DEVTMPFS TMPFS' --kernels ./bzImage
}

@test "explain: what cannot be explained is refused before a boot, or named" {
	printf '5\nmark\n' >bzImage
	run -2 --separate-stderr explain 'op=getpid,by=libv' --kernels ./bzImage
	[[ $stderr == *"no row of syscall that is counted matches 'op=getpid,by=libv'; did you mean op=getpid,by=libc?" && ! -e out ]]
	PATH=$PWD/bin:$PATH run -2 --separate-stderr "$ROOT/scripts/ledger" explain sycall
	[[ $stderr == *"'sycall' is no program of the ledger; did you mean syscall?" ]]
	run -1 --separate-stderr explain "$row" --kernels ./bzImage
	[[ $stderr == *"no row of syscall $row can be explained"* && ! -e out ]]
	PATH=$PWD/bin:$PATH run -2 --separate-stderr "$ROOT/scripts/ledger" explain process \
		op=fork_page,mem=1M,pages=4K,written=once --bin "$BIN" --kernels ./bzImage --out out
	[[ $stderr == *'is computed from other rows'* && ! -e out ]]
}

@test "misuse" {
	refused 'no file ./none' --kernels ./none
	refused "'6.1;0' is neither" --kernels '6.1;0'
	refused "--cpu takes a processor, not '../x'" --cpu '../x'
	refused "is none of: nop loop" --only 'syscall tcp_bandwidth'
	refused "takes 1 to 100, not '0'" --boots 0
	refused 'bzImage is there twice' --kernels './bzImage ./bzImage'
	refused "unknown argument '--none'" --none
	mkdir out
	touch out/mine
	run -2 --separate-stderr ledger
	[[ $stderr == *'out is not empty'* && $(ls -A out) == mine ]]
}

@test "without QEMU it says what installs it" {
	rm bin/qemu-system-x86_64
	for cmd in busybox cpio jq strip bash env readlink dirname awk sed nproc; do
		[[ -e bin/$cmd ]] || ln -s "$(command -v "$cmd")" bin/
	done
	run -2 --separate-stderr env PATH="$PWD/bin" "$ROOT/scripts/ledger" --bin few/bin
	[[ $stderr == *"needs the command 'qemu-system-x86_64'; type scripts/setup ledger" ]]
}

@test "a version that Debian does not have" {
	stub apt-get 'echo "E: Unable to locate package" >&2; exit 100'
	PATH=$PWD/bin:$PATH run -1 --separate-stderr "$ROOT/scripts/ledger" --bin few/bin \
		--only syscall --kernels 9.9.0-1 --images "$PWD/images" --out out
	[[ $stderr == *'cannot download linux-image-9.9.0-1-amd64: E: Unable to locate package'* && ! -e out ]]
}
