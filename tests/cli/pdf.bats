#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Printing the report, with browsers that only pretend.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir run path
	echo '<!DOCTYPE html>' >run/report.html
	for tool in bash dirname readlink mktemp rm cat cp mv timeout head grep tail; do
		ln -s "$(command -v "$tool")" path
	done
}

# browser BODY: a chromium; $to is the file it has to print to.
browser() {
	# shellcheck disable=SC2016 # expands in the script
	printf '#!/bin/bash\nfor a; do [[ $a != --print-to-pdf=* ]] || to=${a#*=}; done\n%s\n' \
		"$1" >path/chromium
	chmod +x path/chromium
}

pdf() { PATH=$PWD/path "$ROOT/scripts/pdf" "$@"; }

@test "a browser prints the page" {
	# shellcheck disable=SC2016 # expands in the script
	browser '[[ ${!#} == file://*/run/report.html ]] && echo %PDF-1.4 >"$to"'
	echo old >elsewhere
	ln -s ../elsewhere run/report.pdf
	run -0 --separate-stderr pdf run
	[[ $(<run/report.pdf) == %PDF-1.4 && $(<elsewhere) == old ]]
}

@test "a browser that fails is named, and nothing half made stays" {
	browser 'echo "no display" >&2; echo junk >"$to"; exit 1'
	run -1 --separate-stderr pdf run
	[[ $stderr == *"chromium failed: no display" && ! -e run/report.pdf ]]
}

@test "a browser that crashes is told in one line" {
	# shellcheck disable=SC2016 # expands in the script
	browser 'echo "#0 0x55d1 <unknown>" >&2; kill -TRAP $$'
	run -1 --separate-stderr pdf run
	[[ $stderr == "pdf: no report.pdf: "*"chromium failed: it crashed (SIGTRAP)" ]]
	[[ $stderr != *$'\n'* ]]
}

@test "without one it says so" {
	answers 77 "no chromium" pdf run
	run -2 --separate-stderr pdf
	run -2 --separate-stderr pdf nowhere
	rm run/report.html
	run -2 --separate-stderr pdf run
}
