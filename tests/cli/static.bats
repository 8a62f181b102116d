#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The static file: it runs where there is nothing else.

setup_file() {
	load ../helpers
	local archive

	for archive in c hwloc jansson; do
		[[ $(gcc -print-file-name=lib$archive.a) == /* ]] ||
			skip "no lib$archive.a here"
	done
	# Beside the programs, where what is built of it stays for the next time.
	export FILE=${BIN%/bin}/oscost-static
	env -u SAN -u CFLAGS make -s -C "$ROOT" -j2 static BUILD="${BIN%/bin}" >&2
}

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir empty
}

# nowhere COMMAND...: in a root directory that has the file, and nothing else.
nowhere() {
	cp "$FILE" empty/oscost-static
	unshare -rm true 2>/dev/null || skip "no user namespaces here"
	try "$1" unshare -rm chroot empty "${@:2}"
}

@test "it is one file without an interpreter, of at most 3 MiB" {
	(($(stat -c %s "$FILE") <= 3 << 20))
	run -0 readelf -lW "$FILE"
	[[ $output != *INTERP* ]]
}

@test "it has each program that the family folders have" {
	run -0 "$FILE" --list
	diff <(benches | sort) <(printf '%s\n' "${lines[@]}" | grep -Fx "$(benches)")
}

@test "a program is its first argument, or the name of a link; others are refused" {
	run -0 "$FILE" loop --list
	ln -s "$FILE" loop
	diff <(./loop --list) <(printf '%s\n' "${lines[@]}")
	answers 2 "nothing: no such program (try --list)" "$FILE" nothing
	run -2 "$FILE"
}

@test "nothing else is needed: rows come out of an empty root directory" {
	local program

	for program in nop syscall tlb; do
		nowhere 0 /oscost-static "$program" "${QUICK[@]}" --json
		jq -es 'any(.[]; .status != "skipped") and all(.[]; .status != "failed")' <<<"$output"
	done
}

@test "without /proc and /sys what cannot be known is skipped, and says why" {
	local program

	unshare -rm true 2>/dev/null || skip "no user namespaces here"
	for program in process mem_latency tcp_rtt context_switch; do
		try 0 unshare -rm bash -c 'mount -t tmpfs none /proc && mount -t tmpfs none /sys &&
			exec "$@"' bash "$FILE" "$program" "${QUICK[@]}" --json
		jq -es 'any(.[]; .status == "ok") and all(.[]; .status != "failed" and
			(.status != "skipped" or (.reason | length > 9)))' <<<"$output"
	done
}

@test "the first process of a container ends as any other: it powers off no machine" {
	unshare -rpf true 2>/dev/null || skip "no user namespaces here"
	run -0 unshare -rpf "$FILE" nop "${QUICK[@]}"
	[[ $output != *"powering off"* ]]
}

@test "run-all.sh measures with a plain shell, and says what could not be measured" {
	local sh=${FILE%/*}/run-all.sh

	calmly # else one of two copies may get no CPU in all of its windows
	try 0 env -i sh "$sh" --rounds 2 --effort 1 --out rows.jsonl nop syscall procedure
	jq -es '[.[] | {benchmark, round}] | unique | length == 6' rows.jsonl
	[[ $output == *"rows measured, "*" skipped, 0 failed; 0 crashes"* ]]
	[[ $output == *"procedure: no liboscost-plt.so"* ]]
	mkdir run
	mv rows.jsonl run/invocations.jsonl
	try 0 "$BIN/report" make --no-plots run
	try 0 env -i sh "$sh" --core --rounds 1 --effort 1 --out core.jsonl nop syscall
	jq -es 'length > 0 and all(.[]; .tier == "core")' < <(jq -c 'select(.status != "skipped")' core.jsonl)
	try 2 sh "$sh" --rounds many
	try 2 sh "$sh" --static /nothing
}

@test "run-all.sh needs no more than one shell, without awk and /dev/null" {
	command -v busybox >/dev/null || skip "no busybox here"
	cp "$(command -v busybox)" empty/sh
	cp "${FILE%/*}/run-all.sh" empty
	nowhere 0 /sh /run-all.sh --rounds 1 --effort 1 nop
	jq -es 'length == 2' empty/invocations.jsonl
}

@test "run-all.sh fails with the rows, and tells which" {
	printf '%s\n' '#!/bin/sh' 'echo '\''{"benchmark":"x","case":"y","status":"failed","reason":"z"}'\' \
		'kill -SEGV $$' >liar
	chmod +x liar
	try 1 sh "${FILE%/*}/run-all.sh" --static ./liar --rounds 1 nop
	[[ $output == *"failed: x y"*"0 rows measured, 0 skipped, 1 failed; 1 crashes"* ]]
}
