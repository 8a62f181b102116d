#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install, uninstall, man and help.

bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
BUILD=${BUILD:-${BIN:+${BIN%/bin}}}
BUILD=${BUILD:-$ROOT/build}

make_it() { make -C "$ROOT" --no-print-directory BUILD="$BUILD" "$@"; }

setup_file() {
	make_it DESTDIR="$BATS_FILE_TMPDIR" PREFIX=/usr install >"$BATS_FILE_TMPDIR/said" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/said"
		return 1
	}
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	usr=$BATS_FILE_TMPDIR/usr
}

# for_each_program COMMAND...: with the name of each program added.
for_each_program() {
	local file
	for file in "$ROOT"/bench/*/*.c cpu_load.c machine.c under.c; do
		"$@" "$(basename "$file" .c)" || {
			echo "failed for $file"
			return 1
		}
	done
}

is_installed() {
	[[ $("$usr/bin/oscost-$1" --version) == "$1 (oscost "* ]] &&
		grep -q "^\.TH \"OSCOST-${1^^}\" 1" "$usr/share/man/man1/oscost-$1.1" &&
		grep -q '^\.SH OPTIONS' "$usr/share/man/man1/oscost-$1.1" &&
		bash -n "$usr/share/bash-completion/completions/oscost-$1"
}

@test "every program is installed with its page and completion" {
	for_each_program is_installed
}

@test "only names of our own go where other commands are" {
	run find "$usr/bin" "$usr/share" "$usr/include" ! -type d ! -name 'oscost-*' \
		! -name oscost ! -name oscost.1
	[[ -z $output ]]
	# No link leads out of the tree.
	run find "$usr" -xtype l
	[[ -z $output ]]
	run find "$usr" -type l -lname '/*'
	[[ -z $output ]]
}

@test "pages are made without a warning" {
	command -v man >/dev/null || skip "no man(1)"
	page_is_clean() {
		local said
		said=$(MANROFFSEQ='' MANWIDTH=80 man --warnings -l \
			"$usr/share/man/man1/oscost-$1.1" 2>&1 >/dev/null) &&
			[[ -z $said ]]
	}
	for_each_program page_is_clean
}

@test "completion offers options, cases and methods" {
	PATH=$usr/bin:$PATH
	# shellcheck source=/dev/null
	source "$usr/share/bash-completion/completions/oscost-loop"
	complete_line() {
		COMP_LINE=$1 COMP_POINT=${#1}
		COMPREPLY=()
		_oscost_loop
	}
	complete_line "oscost-loop --inv"
	[[ ${COMPREPLY[*]} == --invocations ]]
	complete_line "oscost-loop --timer cpuid2"
	[[ ${COMPREPLY[*]} == cpuid2 ]]
	complete_line "oscost-loop --case form=register,iterations=4"
	[[ ${COMPREPLY[*]} == "4 40"* ]]
}

@test "oscost has one page that names the others, and completes their words" {
	local name

	for name in syscall cpu_load under; do
		grep -q "^\.BR oscost-$name (1)" "$usr/share/man/man1/oscost.1"
	done
	[[ $(tail -n 1 "$usr/share/man/man1/oscost.1") == *'(1)' ]]
	PATH=$usr/bin:$PATH
	# shellcheck source=/dev/null
	source "$usr/share/bash-completion/completions/oscost"
	complete_line() {
		COMP_LINE=$1 COMP_POINT=${#1}
		COMPREPLY=()
		_oscost
	}
	complete_line "oscost expl"
	[[ ${COMPREPLY[*]} == explain ]]
	complete_line "oscost explain context_"
	[[ ${COMPREPLY[*]} == context_switch ]]
	complete_line "oscost explain syscall call=getpp"
	[[ ${COMPREPLY[*]} == getppid ]]
	complete_line "oscost loop --inv"
	[[ ${COMPREPLY[*]} == --invocations ]]
	complete_line "oscost loop --case form=register,iterations=4"
	[[ ${COMPREPLY[*]} == "4 40"* ]]
	complete_line "oscost report some-d"
	[[ ${#COMPREPLY[@]} -eq 0 ]]
}

@test "the installed driver finds its rows and programs" {
	run -0 "$usr/bin/oscost-run-all" --only nop --rounds 1 --effort 10 --out out
	[[ -s out/report.md ]]
	jq -e '.plan[0].program == "nop"' out/run.json
	run -0 "$usr/bin/oscost" lmbench --effort 10 lat_syscall null
	[[ $output == "Simple syscall: "*" microseconds"* ]] # a second line says that it was disturbed
}

@test "the example compiles against the installed library, and counts" {
	command -v pkg-config >/dev/null || skip "no pkg-config"
	export PKG_CONFIG_PATH=$usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR
	cp "$usr/lib/oscost/counters-example.c" counters.c
	# shellcheck disable=SC2046 # one word an option
	"${CC:-cc}" ${SAN:+-fsanitize=$SAN} -Wall -Werror -o counters counters.c \
		$(PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
			pkg-config --cflags --libs oscost-counters)
	run -0 ./counters
	# Its time by the kernel is there without counters, too.
	[[ ${lines[2]} =~ ^100000\ lines:\ [1-9][0-9]*\ ns\ of\ a\ CPU,\ (-?nan|[1-9][0-9]*)\ instructions$ ]]
	page_said=$(man --warnings -l "$usr/share/man/man3/oscost-counters.3" 2>&1 >/dev/null || true)
	[[ -z $page_said ]]
}

@test "uninstall leaves nothing" {
	cp -a "$BATS_FILE_TMPDIR/usr" usr
	make_it DESTDIR="$PWD" PREFIX=/usr uninstall
	run find usr ! -type d
	[[ -z $output ]]
}

@test "make help lists the targets that people type" {
	run -0 make_it help
	for target in all run-all truth install uninstall man clean help; do
		[[ $output == *"  $target "* ]]
	done
}

@test "make run-all takes its settings from the command line of make alone" {
	run -0 env DIR=/x CPU=y ONLY=z make -C "$ROOT" --no-print-directory \
		BUILD="$BUILD" -n run-all
	[[ $output != *--dir* && $output != *--cpu* && $output != *--only* ]]
	run -0 make_it -n run-all CPU=1 ONLY='file_*'
	[[ $output == *"--only 'file_*'"* && $output == *"--cpu '1'"* ]]
}

# fetched ONLY...: how often the server is fetched, with a stub in its place.
fetched() {
	mkdir -p scripts
	printf '#!/bin/sh\necho fetched\n' >scripts/nfslab
	chmod +x scripts/nfslab
	make_it -n run-all "$@" | grep -F scripts/nfslab | sh | grep -c fetched
}

@test "the NFS server is fetched if a remote row is wanted" {
	[[ $(fetched) -eq 1 ]]
	[[ $(fetched ONLY='file_* file_remote') -eq 1 ]]
	[[ $(fetched ONLY='loop file_remote') -eq 1 ]]
	[[ $(fetched ONLY='loop tcp_*') -eq 0 ]]
}

@test "uninstall refuses a path with a blank, and removes nothing" {
	mkdir -p 'a/lib/oscost' 'a b/lib/oscost'
	run -2 make_it uninstall PREFIX="$PWD/a b"
	[[ $output == *"must have no blanks"* ]]
	run -2 make_it uninstall DESTDIR="$PWD/a /"
	[[ -d a/lib/oscost && -d 'a b/lib/oscost' ]]
}
