#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run-all.sh - measure with oscost-static alone: a plain shell is enough.
#
# usage: run-all.sh [OPTION]... [PROGRAM]...
#   --static FILE  the static file [oscost-static beside this script]
#   --out FILE     the rows are added to it [invocations.jsonl]
#   --rounds N     how often each program measures, in another order each time [6]
#   --effort PCT   how many samples to take, percent of the usual [100]
#   --times N      how many times the usual limit a program may take, where all is slow [1]
#   --core         the core rows only
# Without a PROGRAM all of the suite are measured.  `report make DIR`, where the
# suite is built, makes the report of a directory that has invocations.jsonl.
#
# With awk it ends with the number of rows, and what could not be measured and why.
# Exit: 0 no row failed, 1 one did, or a program crashed, 2 misuse.

set -u
export LC_ALL=C

usage() {
	while read -r line; do
		case $line in
		'# usage: '*) told=1 ;;
		'#' | '') told= ;;
		esac
		[ -z "${told-}" ] || echo "${line#'# '}" || exit 1
	done <"$0"
}

misuse() {
	echo "run-all.sh: $1 (see run-all.sh --help)" >&2
	exit 2
}

# The suite, a line each: program, seconds that it may take, whether it has core
# rows, arguments.  There may be no cat.
plan() {
	while read -r line; do
		echo "$line"
	done <<'END'
@PLAN@
END
}

wanted() { # PROGRAM CORE
	case "${core:+$2} $programs " in
	detail*) return 1 ;;
	*'  ' | *" $1 "*) ;;
	*) return 1 ;;
	esac
}

# shuffle LINE...: the lines in an order that the state of the generator gives.
shuffle() {
	while [ $# -gt 0 ]; do
		state=$(((state * 1103515245 + 12345) % 2147483648))
		at=$((state / 65536 % $#))
		while [ "$at" -gt 0 ]; do
			first=$1
			shift
			set -- "$@" "$first"
			at=$((at - 1))
		done
		echo "$1"
		shift
	done
}

one() { # ROUND PROGRAM SECONDS CORE ARGUMENT...
	round=$1 program=$2 limit=$3
	shift 4
	set -- "$program" --json -n 1 --round "$round" --effort "$effort" \
		${core:+--core} "$@"
	# shellcheck disable=SC2086 # two words, or none
	${timeout:+timeout -k 5 $((limit * times))} "$static" "$@" >>"$out"
	status=$?
	case $status in
	0 | 77) return ;;
	124 | 137 | 143) why="no end after $((limit * times)) s" ;;
	1) why='a row failed' ;;
	*) why="status $status" ;;
	esac
	[ "$status" = 1 ] || crashes=$((crashes + 1))
	echo "run-all.sh: $program in round $round: $why" >&2
}

# The numbers of rows by status, and the reasons of those that are skipped.
summary() {
	# shellcheck disable=SC2016 # awk's
	awk -v crashes="$crashes" '
	function text(key,   at, s) {
		at = index($0, "\"" key "\":\"")
		s = at ? substr($0, at + length(key) + 4) : ""
		sub(/".*/, "", s)
		return s
	}
	{
		gsub(/\\"/, "\047")
		row = text("benchmark") " " text("case")
		status = text("status")
		if (!n[row]++) rows[++all] = row
		if (status == "failed") failed[row]++
		else if (status != "skipped") measured[row]++
		else why[row] = text("reason")
	}
	END {
		for (i = 1; i <= all; i++) {
			row = rows[i]
			if (2 * failed[row] >= n[row]) { bad++; print "failed: " row; continue }
			if (measured[row]) { good++; continue }
			left++
			reason = why[row]
			if (!count[reason]++) reasons[++kinds] = reason
			program = " " substr(row, 1, index(row, " ") - 1)
			if (!index(who[reason] ",", program ","))
				who[reason] = who[reason] (who[reason] ? "," : "") program
		}
		printf "%d rows measured, %d skipped, %d failed; %d crashes\n", good, left, bad, crashes
		if (left) print "What could not be measured here: rows, programs: reason"
		for (i = 1; i <= kinds; i++)
			printf "%5d %s: %s\n", count[reasons[i]], who[reasons[i]], reasons[i]
		exit bad || crashes || !good
	}' "$out"
}

static=${0%/*}/oscost-static out=invocations.jsonl rounds=6 effort=100 times=1 core=
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) usage; exit ;;
	--core) core=1 ;;
	--static | --out | --rounds | --effort | --times)
		[ $# -gt 1 ] || misuse "$1 needs a value"
		eval "${1#--}=\$2"
		shift
		;;
	-*) misuse "unknown argument '$1'" ;;
	*) break ;;
	esac
	shift
done
case $rounds$effort$times in
*[!0-9]*) misuse "rounds, effort and times are numbers" ;;
esac
[ -x "$static" ] || misuse "there is no $static; make static makes it"
: >>"$out" || exit 2

programs=$* crashes=0 state=$$
# A shell may know a name that it cannot start.
case $(timeout -k 5 5 "$static" --list 2>&1) in
*syscall*) timeout=timeout ;;
*) timeout= ;;
esac
trap 'exit 130' INT TERM
newline='
'
set -f
IFS=$newline
round=0
while [ "$((round += 1))" -le "$rounds" ]; do
	# shellcheck disable=SC2046 # lines
	for line in $(shuffle $(plan)); do
		unset IFS
		# shellcheck disable=SC2086 # words
		set -- $line
		if wanted "$1" "$3"; then
			one "$round" "$@"
		fi
		IFS=$newline
	done
done
unset IFS
case $(awk 'BEGIN { print "works" }' 2>&1) in
works) summary ;;
*) exit $((crashes > 0)) ;;
esac
