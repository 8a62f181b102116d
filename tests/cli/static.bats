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
	export FILE=$BATS_FILE_TMPDIR/build/oscost-static
	env -u SAN -u CFLAGS make -s -C "$ROOT" -j2 static BUILD="$BATS_FILE_TMPDIR/build" >&2
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
	run -2 --separate-stderr "$FILE" nothing
	[[ $stderr == *"nothing: no such program (try --list)"* ]]
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
