# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Tests in an emulated machine: counters-test, kmod-test and noise-test
# share these.

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
conclude() { # WORK
	printf 'consoles of the guests: %s\n' "$1"
	printf '%d passed, %d failed\n' "$passed" "$failed"
	((failed == 0))
}

# Pack everything under ROOT.
make_cpio() { # ROOT INITRD
	(cd "$1" && find . -exec touch -h -d @0 {} + && find . | sort |
		cpio --quiet --reproducible -o -H newc | gzip -n1) >"$2"
}
