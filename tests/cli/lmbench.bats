#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/lmbench: lmbench's lines, from programs that say what they are told.  The
# formats and the command lines are those of lmbench's readers: PerfKitBenchmarker's
# samples, Asterinas's search patterns.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	lmbench=$ROOT/scripts/lmbench
	mkdir fake
	cat >fake/program <<-'END'
		#!/usr/bin/env bash
		# A program with the rows of the real one, whose values are known: VALUE,
		# or what the last line of values that is a part of the row's name says.
		name=${0##*/}
		[[ ${1-} != --list ]] || exec "$REAL/$name" "$@"
		echo "$name $*" >>"${ASKED:-/dev/null}"
		while (($#)); do
			if [[ $1 == --case ]]; then
				shift
				value=${VALUE-1000} status=${STATUS-ok}
				while read -r part number; do
					[[ $1 != *$part* ]] || value=$number
				done <"${VALUES:-/dev/null}"
				size=${1##*size=}
				size=${size%%,*}
				case $size in
				*K) size=$((${size%K} << 10)) ;;
				*M) size=$((${size%M} << 20)) ;;
				*[!0-9]*) size=0 ;;
				esac
				printf '{"schema":2,"benchmark":"%s","case":"%s","params":{"size":%s},"status":"%s","reason":"told, so","unit":"ns","value":%s,"ci95":[%s.5,%s.75],"grade":"%s","pages_brought":16,"samples":10,"iters":4,"core_hz":3000000000}\n' \
					"$name" "$1" "$size" "$status" "$value" "$value" "$value" "${GRADE-A}"
			fi
			shift
		done
	END
	chmod +x fake/program
	local name
	for name in $(benches); do
		ln -s program "fake/$name"
	done
	export REAL=$BIN
}

prints() { # ARGUMENT...: what lmbench would, alone on stderr
	try 0 "$lmbench" --bin fake "$@" && [[ -z $output ]]
}

# refused TEXT ARGUMENT...: status 2, one line that has the text, and no figure.
refused() {
	run --separate-stderr timeout 20 "$lmbench" --bin fake "${@:2}"
	[[ $status -eq 2 && -z $output && ${#stderr_lines[@]} -eq 1 && $stderr == *"$1"* ]]
}

# shown VALUES COMMAND LINE...: what the command prints where the rows have VALUES: one
# for all, or "PART NUMBER" for those with a part of a name, with commas between them.
shown() {
	: >values
	[[ $1 == *' '* ]] || local -x VALUE=$1
	[[ $1 != *' '* ]] || tr , '\n' <<<"$1" >values
	# shellcheck disable=SC2086 # words
	VALUES=values prints $2 || return
	[[ $stderr == "$3" ]] || { printf '%s: not %s:\n%s\n' "$2" "$3" "$stderr" && return 1; }
}

@test "each line is the row's value in lmbench's units" {
	local VALUES=values values command line
	local -x VALUE
	export VALUES

	while IFS='|' read -r values command line; do
		shown "$values" "$command" "${line//\\t/$'\t'}"
	done <<-'END'
		102.5|lat_syscall null|Simple syscall: 0.1025 microseconds
		66640|lat_proc -P 1 -W 10 -N 20 fork|Process fork+exit: 66.6400 microseconds
		op=fault 1834,op=send_self 1764,op=send_ignored 558|lat_sig prot lat_sig|Protection fault: 0.6280 microseconds
		op=fault 1834,op=send_self 1764,op=send_ignored 558|lat_sig catch|Signal handler overhead: 1.2060 microseconds
		1000|lat_syscall -P 1 stat /tmp/f|Simple stat: 1.0000 microseconds
		1000|lat_sem -P 1 -N 21|Semaphore latency: 0.5000 microseconds
		1000|lat_fifo -P 1|Fifo latency: 1.0000 microseconds
		1000|lat_proc -P 1 exec|Process fork+execve: 1.0000 microseconds
		1000|lat_select -P 1 file|Select on 200 fd's: 1.0000 microseconds
		1000|lat_select -P 1 tcp|Select on 200 tcp fd's: 1.0000 microseconds
		2.5e9|bw_pipe|Pipe bandwidth: 2500.00 MB/sec
		2.5e9|bw_mem 64m bcopy|67.11 1250.00
		2.5e9|bw_mem 4k frd|0.004096 2500.00
		40123|lat_mmap 4m /var/tmp/XXX|4.194304 40
		4012.3|lat_mmap 4m /var/tmp/XXX|4.194304 4.012
		1600|lat_pagefault /var/tmp/XXX|Pagefaults on /var/tmp/XXX: 0.1000 microseconds
		op=create 20000,op=delete 10000|lat_fs -s 10k .|10k\t40\t50000\t100000
		op=create 20000,op=delete 10000|lat_fs -s 20k|20k\t40\t50000\t100000
		2.5e9|bw_tcp -m 10M localhost|10.485760 2500.00 MB/sec
		2.5e9|bw_tcp -m 64 localhost|0.000064 2500.00 MB/sec
		2.5e9|bw_tcp -m 65536 -P 1 localhost|0.065536 2500.00 MB/sec
		2.5e9|bw_mem -P 1 -N 50 512m fcp|536.87 1250.00
		2.5e9|bw_file_rd -P 1 -W 30 -N 300 512m io_only f|536.87 2500.00
		2.5e9|bw_mmap_rd -W 30 -N 300 256m mmap_only f|268.44 2500.00
		20000|lat_unix_connect -P 1|UNIX connection cost: 20.0000 microseconds
	END
	printf '%s\n' 'op=create 20000' 'op=delete 10000' >values
	prints lat_fs
	[[ ${#stderr_lines[@]} -eq 4 && ${stderr_lines[1]} == $'1k\t40\t'* ]]
	VALUE=2.5e9 prints stream
	[[ ${stderr_lines[0]} == "STREAM copy latency: 6.40 nanoseconds" &&
		${stderr_lines[7]} == "STREAM triad bandwidth: 2500.00 MB/sec" ]]
	VALUE=2.5e9 prints stream -v 1
	[[ ${#stderr_lines[@]} -eq 8 ]]
	printf '%s\n' stat=latency\ 900 stat=throughput\ 300 >values
	prints par_ops
	[[ ${#stderr_lines[@]} -eq 16 && ${stderr_lines[1]} == "integer add parallelism: 3.00" ]]
	VALUE=64 try 0 "$lmbench" --bin fake line
	[[ $output == 64 && -z $stderr ]]
}

@test "lists: a head, and a line for each place; what has no row is told" {
	local VALUES=values
	export VALUES

	printf '%s\n' 'procs= 1500' 'stat=mechanism 443' >values
	prints lat_ctx -P 1 18
	[[ $stderr == *$'"size=0k ovr=0.44\n18 1.50' ]]
	prints lat_ctx -s 16 2 96
	[[ $stderr == *$'"size=16k ovr=0.44\n2 1.50\n96 1.50' ]]
	# The rows that lmbench's own script asks for are in no table of ours.
	prints lat_ctx -s 8 2 24 32
	[[ $stderr == *$'"size=8k ovr=0.44\n2 1.50\n24 1.50\n32 1.50' ]]
	# The others are measured nevertheless.
	run -2 --separate-stderr "$lmbench" --bin fake lat_ctx -s 0 2 97 96
	[[ $stderr == *": no row for it; context_switch has no procs=97,"*"; it takes "*"procs from 2 to 96"*$'\n'\
$'\n"size=0k ovr=0.44\n2 1.50\n96 1.50' ]]
	VALUE=5 prints lat_mem_rd 8 128
	[[ ${stderr_lines[0]} == '"stride=128' && ${stderr_lines[1]} == '0.00049 5.000' &&
		${stderr_lines[2]} == '0.00098 5.000' ]]
	[[ ${stderr_lines[-1]} == "8.00000 5.000" ]]
	grep -qx '0.12500 5.000' <<<"$stderr"
	VALUE=5 prints lat_mem_rd -t 1 64 128
	[[ $(grep -c stride= <<<"$stderr") -eq 2 ]]
	prints lat_ops
	[[ ${#stderr_lines[@]} -eq 18 && ${stderr_lines[12]} == 'float div: '* &&
		${stderr_lines[15]} == 'double div: '* && ${stderr_lines[16]} == 'float bogomflops: '* ]]
	printf '%s\n' stat=latency\ 400 stat=throughput\ 100 >values
	prints lat_ops
	[[ ${stderr_lines[15]} == 'double div: 400.00 '* && ${stderr_lines[17]} == 'double bogomflops: 100.00 '* ]]
	prints par_mem -L 64 -M 64M
	grep -qE '^[0-9]+\.[0-9]{6} 1000\.00$' <<<"$stderr"
	prints lat_tcp -s
	[[ -z $stderr ]]
}

@test "a disturbed figure has one line more, which says so" {
	GRADE=D VALUE=2e8 prints bw_unix
	[[ ${#stderr_lines[@]} -eq 2 && ${stderr_lines[0]} == "AF_UNIX sock stream bandwidth: 200.00 MB/sec" &&
		${stderr_lines[1]} == "lmbench: disturbed, measure it again: AF_UNIX "*", grade D" ]]
	VALUE=1 prints lat_pipe # 1.5 to 1.75
	[[ ${#stderr_lines[@]} -eq 2 && ${stderr_lines[1]} == "lmbench: disturbed,"*" 0.0015 to 0.00175" ]]
	VALUE=100 prints lat_pipe
	[[ ${#stderr_lines[@]} -eq 1 ]]
}

@test "test files lie where lmbench's would" {
	local ASKED=asked

	export ASKED
	mkdir there
	prints lat_fs -s 10K -P 1 there
	grep -q '^file_ops .*--dir there ' asked
	prints lat_mmap 4m there/file
	grep -q '^mapping .*--dir there/ ' asked
	prints lat_fs -s 10k
	prints lat_pipe
	[[ $(grep -c -e --dir asked) -eq 2 ]]
}

@test "a difference is least where its first row is least and the second greatest" {
	local -x VALUES=values

	printf '%s\n' 'op=send_self 10' 'op=send_ignored 5' 'op=fault 12' >values
	prints lat_sig catch
	[[ $stderr == *"95 % interval 0.00475 to 0.00525" ]]
	prints lat_sig prot lat_sig
	[[ $stderr == *"95 % interval 0.00725 to 0.008" ]]
}

@test "bad arguments, and what has no row: status 2, one line, no figure" {
	while IFS='|' read -r text words; do
		# shellcheck disable=SC2086 # words
		refused "$text" $words
	done <<-'END'
		it takes fds from 1 to 1000|lat_select -n 1001 file
		it takes size from 1 to 64M|bw_tcp -m 65m localhost
		no row for lmbench's 'lat_fcntl'|lat_fcntl -P 1
		file from 256K to 1024G in steps of 256K|bw_file_rd 100k io_only f
		it takes size from 4K to 1G|lat_mmap 0 f
		it takes size from 0 to 64K|lat_fs -s 65k
		is too large a size|bw_mem 9999999999999m rd
		SIZE wr, SIZE bzero|bw_mem 8m rdwr
		arguments are: -v 1|stream -v 3
		for lmbench's 'lmdd'|lmdd -P 1
		for lmbench's 'lat_http'|lat_http localhost
		arguments are: localhost|lat_tcp 192.0.2.1
		null, read, write, stat|lat_syscall frobnicate
		null, read, write|lat_syscall
		arguments are: none|lat_pipe somewhere
		SIZE FILE|lat_mmap -r 4m /f
		it takes size from 2K|bw_mem 0 rd
		the nearest is -P 1|lat_pipe -P 4
		64, a line|lat_mem_rd 64 16
		SIZE wr, SIZE bzero|bw_mem 8m fwr
		no row for lmbench's 'lat_nothing'; did you mean|lat_nothing
		called so|../../bin/sh
		needs a number|lat_pipe -P
		needs a number, not 'x'|lat_pipe -N x
		kilobytes|lat_ctx -s many 2
		how many processes|lat_ctx -s 0
		megabytes|lat_mem_rd
		no directory /nowhere|lat_fs /nowhere
		no directory /nowhere/|lat_mmap 4m /nowhere/file
	END
	refused "cannot hold" lat_pagefault $'a\tb{4}'
	run -2 --separate-stderr "$lmbench"
	run -2 --separate-stderr "$lmbench" --bin
	run -2 --separate-stderr "$lmbench" --effort much lat_pipe
	STATUS=skipped run -77 --separate-stderr "$lmbench" --bin fake lat_pipe
	[[ -z $output && $stderr == *"skipped: told, so" ]]
	STATUS=failed run -1 --separate-stderr "$lmbench" --bin fake lat_pipe
	[[ $stderr == *"failed: told, so" ]]
}

# line_forms: an extended regular expression for each line that the table prints.
line_forms() {
	awk -F '\t' '/^[^#]/ && $3 != "-" {
		gsub(/[][().*+?|^$"]/, "\\\\&", $6)
		gsub(/\{[a-zA-Z0-9]+\}/, "[0-9]+(\\.[0-9]+)?", $6)
		gsub(/\\[123]|<>/, ".+", $6)
		gsub(/\\t/, "\t", $6)
		gsub(/\\n/, "", $6)
		print "^" $6 "$"
	}' "$ROOT/scripts/lib/lmbench.tsv" | sort -u
}

# told ARGUMENT...: status 0 with nothing but lines of lmbench's, or status 2 with
# nothing but messages; soon.
told() {
	run --separate-stderr timeout 20 "$lmbench" --bin fake "$@"
	[[ -n $output ]] && [[ $1 != line ]] && status=99
	case $status in
	0) ! grep -vE -f forms <<<"$stderr" | grep . ;;
	2) [[ -n $stderr ]] && ! grep -v '^lmbench: ' <<<"$stderr" ;;
	*) false ;;
	esac && return
	printf 'status %s of:' "$status"
	printf ' %q' "$@"
	printf '\n%s\n' "$output" "$stderr"
	return 1
}

@test "bad arguments of each line: a message or the line, never a hang, never words for numbers" {
	local name form n=0 bad=0
	local -a words=('' 'many words' '-z 1' 99999999999999999999 '$(id) * [x]') \
		values=(many -1 1.5 99999999999999999999 '' 3)

	line_forms >forms
	[[ $(wc -l <forms) -gt 50 ]]
	# Each name with two of the words, each form with two of the values, by turns.
	while read -r name; do
		# shellcheck disable=SC2086 # words, also patterns
		(set -f && told "$name" ${words[n % 5]} && told "$name" ${words[(n + 2) % 5]}) || bad=1
		((++n))
	done < <(cut -f 1 "$ROOT/scripts/lib/lmbench.tsv" | grep -v '^#' | tr -d '()' |
		sed 's/^lat_tcp|udp$/lat_tcp/' | tr '|' '\n' | sort -u)
	while read -r form; do
		# shellcheck disable=SC2086 # words
		told ${form//@/${values[n % 6]}} && told ${form//@/${values[(n + 3) % 6]}} || bad=1
		((++n))
	done <<-'END'
		lat_ctx -s @ 2
		lat_ctx -s 0 @
		lat_select -n @ file
		lat_select -n @ tcp
		lat_select @
		lat_tcp -m @ localhost
		lat_udp -m @ localhost
		bw_tcp -m @ localhost
		bw_pipe -m @
		bw_unix -m @
		lat_mmap @ f
		lat_fs -s @
		lat_mem_rd @ 128
		lat_mem_rd 1 @
		bw_file_rd @ io_only f
		bw_file_rd @ open2close f
		bw_mmap_rd @ mmap_only f
		bw_mmap_rd @ open2close f
		bw_mem @ rd
		bw_mem @ bcopy
		stream -v @
		lat_pipe -P @
		lat_pipe -N @
		lat_pipe -M @
	END
	((bad == 0))
}
