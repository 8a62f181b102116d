#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The script that scripts/fleet runs on a node, in a directory of its own that has the static
# file and run-all.sh; a plain shell is enough.
#
# usage: fleet_node.sh SECONDS [run-all.sh's OPTION]...
#
# It ends when standard input does, for then the machine that asked has gone, and
# after SECONDS.  The results come as lines between "@results" and "@end STATUS";
# STATUS 124: it took longer than SECONDS.

set -u
export LC_ALL=C PATH="${PATH:-/usr/bin:/bin}:/usr/sbin:/sbin"

# all_of SESSION SIGNAL: to each process of it: timeout(1) makes groups of its own.
all_of() {
	for stat in /proc/[0-9]*/stat; do
		{ read -r line <"$stat"; } 2>/dev/null || continue
		pid=${line%% *}
		# The name in parentheses may hold anything.
		set -f
		# shellcheck disable=SC2086 # words
		set -- "$1" "$2" ${line##*) }
		set +f
		[ "$6" != "$1" ] || kill -s "$2" "$pid" 2>/dev/null
	done
}

# finish STATUS: end what runs, hand over what there is, leave nothing.
finish() {
	trap '' HUP INT TERM ALRM PIPE
	if [ -n "$job" ]; then
		all_of "$job" TERM
		tries=0
		while kill -0 "$job" 2>/dev/null && [ "$((tries += 1))" -le 50 ]; do
			sleep 0.1
		done
		all_of "$job" KILL
	fi
	kill "$watch" 2>/dev/null
	echo @results
	[ ! -s invocations.jsonl ] || tar -cf - invocations.jsonl machine.json noise.jsonl log.txt | gzip | base64
	echo "@end $1"
	cd / && rm -rf "$here"
	exit 0
}

here=$(pwd) job='' watch='' limit=$1
shift
: >log.txt
: >noise.jsonl
trap 'finish 124' ALRM
trap 'finish 130' HUP INT TERM
exec 3<&0
(
	timeout "$limit" cat <&3 >/dev/null
	[ $? = 124 ] && kill -s ALRM $$
	kill -s TERM $$
) >/dev/null 2>&1 &
watch=$!
./oscost-static machine >machine.json 2>>log.txt ||
	{ tail -n 1 log.txt >&2 && finish 126; }
# Each program would take a quarter of a second to know it.
hz=$(tr '\n' ' ' <machine.json | sed -n 's/.*"tsc": *{[^{}]*"hz": *\([0-9.]*\).*/\1/p')
[ -z "$hz" ] || export OSCOST_TSC_HZ="$hz"
./oscost-static machine noise --ms 150 --phase before --round 0 >>noise.jsonl 2>>log.txt
# In a session of its own, so that all of it can be ended.
setsid sh ./run-all.sh "$@" </dev/null 3<&- >>log.txt 2>&1 &
job=$!
wait "$job"
status=$?
job=
./oscost-static machine noise --ms 150 --phase after --round 0 >>noise.jsonl 2>>log.txt
finish "$status"
