# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Tests in an emulated machine share these.

# The environment does not say how bash, df and others behave.
unset POSIXLY_CORRECT

passed=0
failed=0

check() { # WHAT COMMAND...: one test line
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		printf 'ok - %s\n' "$what"
	else
		failed=$((failed + 1))
		printf 'not ok - %s\n' "$what"
	fi
}

skip() {
	printf '%s: skipped: %s\n' "${0##*/}" "$1" >&2
	exit 77
}

need() { # COMMAND PACKAGE
	command -v "$1" >/dev/null || skip "no $1 here (package $2)"
}

# The last line, and the status.
conclude() { # [WORK]
	((!$#)) || printf 'consoles of the guests: %s\n' "$1"
	printf '%d passed, %d failed\n' "$passed" "$failed"
	((failed == 0))
}

# The root of a machine that knows nothing but busybox, the caller's $busybox or
# this machine's; the caller adds make_init.
make_root() { # ROOT
	rm -rf "$1"
	mkdir -p "$1"/{bin,proc,sys,dev,tmp}
	cp "${busybox:-$(command -v busybox)}" "$1/bin/busybox"
	ln -s busybox "$1/bin/sh"
}

# Its first process: a shell that does what standard input says, and switches the
# machine off.  $b is busybox; /tmp, where it is, and /dev/shm are in memory.
make_init() { # ROOT
	{
		cat <<-'EOF'
			#!/bin/sh
			b=/bin/busybox
			$b mount -t proc proc /proc
			$b mount -t sysfs sys /sys
			$b mount -t devtmpfs dev /dev
			$b mkdir -p /dev/shm
			$b mount -t tmpfs tmp /tmp
			$b mount -t tmpfs shm /dev/shm
			$b ip link set lo up
			cd /tmp
		EOF
		cat
		# shellcheck disable=SC2016 # expands there
		echo '$b poweroff -f'
	} >"$1/init"
}

# A program, with its libraries where the loader looks for them.
add_program() { # ROOT PROGRAM DIR
	local library

	mkdir -p "$1$3"
	cp "$2" "$1$3"
	# A static program has none, and says so by its status.
	{ ldd "$2" || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
		mkdir -p "$1${library%/*}"
		cp -Lu "$library" "$1$library"
	done
}

# Pack everything under ROOT; nothing in it tells when.
make_initrd() { # ROOT INITRD
	chmod +x "$1/init"
	(cd "$1" && find . -exec touch -h -d @0 {} + && find . | sort |
		cpio --quiet --reproducible -o -H newc | gzip -n1) >"$2"
}

# The console in WORK/NAME.  The caller says in emulator and console what machine
# it is, in guest_options what its kernel is told besides.
boot() { # NAME KERNEL WORK QEMU-OPTION...
	local name=$1 kernel=$2 work=$3

	shift 3
	# shellcheck disable=SC2154,SC2086 # of the caller; the emulator has options
	timeout 3600 $emulator -m 256 "$@" -nodefaults -no-reboot -display none \
		-serial "file:$work/$name.raw" -kernel "$kernel" -initrd "$work/initrd" \
		-append "console=$console quiet panic=-1 ${guest_options-}" \
		</dev/null 2>"$work/$name.err" || true
	tr -d '\r' <"$work/$name.raw" >"$work/$name"
	rm -f "$work/$name.raw"
}
