#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install, uninstall, man and help.

load ../helpers
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

# each_command COMMAND...: with the name of each benchmark and word of oscost help added.
each_command() {
	local name

	for name in $("$usr/bin/oscost" --words); do
		"$@" "$name" || {
			echo "failed for $name"
			return 1
		}
	done
}

has_page() {
	# Its help begins with the words that were typed.
	[[ $("$usr/bin/oscost" "$1" --help | head -n 1) == "usage: oscost"* ]] &&
		grep -q "^\.TH \"OSCOST-${1^^}\" 1" "$usr/share/man/man1/oscost-$1.1" &&
		grep -q "^\.B.*oscost" "$usr/share/man/man1/oscost-$1.1" &&
		[[ -z $(MANROFFSEQ='' MANWIDTH=80 man --warnings -l "$usr/share/man/man1/oscost-$1.1" 2>&1 >/dev/null) ]]
}

@test "one command, with a page for each of its words and benchmarks" {
	command -v man >/dev/null || skip "no man(1)"
	[[ $(ls "$usr/bin") == oscost ]]
	each_command has_page
	[[ $(tail -n 1 "$usr/share/man/man1/oscost.1") == *'(1)' ]]
	grep -qF '.BR oscost-syscall (1)' "$usr/share/man/man1/oscost.1"
	# Options stand in it, as in --help.
	grep -qF '.B \-\-threshold' "$usr/share/man/man1/oscost-compare.1"
}

@test "messages and usage name what was typed" {
	run -2 "$usr/bin/oscost" syscall --nosuch
	[[ $output == "oscost syscall: "* ]]
	run -2 "$usr/bin/oscost" ab --nosuch
	[[ $output == "oscost ab: "*"oscost ab --help"* ]]
	run -2 "$usr/bin/oscost" compare one
	[[ $output == "oscost: expected oscost compare A B"* ]]
	run -2 "$usr/bin/oscost" lmbench nosuch
	[[ $output == "oscost lmbench: "* ]]
}

@test "only names of our own go where other commands are" {
	run find "$usr/bin" "$usr/share" "$usr/include" ! -type d ! -name 'oscost*' ! -name _oscost
	[[ -z $output ]]
	# No link leads out of the tree.
	run find "$usr" -xtype l
	[[ -z $output ]]
	run find "$usr" -type l -lname '/*'
	[[ -z $output ]]
}

# completed LINE: what bash completes the line to.
completed() {
	(
		PATH=$usr/bin:$PATH
		# shellcheck source=/dev/null
		source "$usr/share/bash-completion/completions/oscost"
		# shellcheck disable=SC2034 # the completion reads them
		COMP_WORDS=(oscost) COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
		_oscost
		echo "${COMPREPLY[*]}"
	)
}

@test "completion offers words, options, rows, methods and files" {
	local line want

	while IFS='|' read -r line want; do
		[[ $(completed "$line") == "$want" ]] || {
			echo "'$line': '$(completed "$line")', not '$want'"
			return 1
		}
	done <<-'END'
		oscost expl|explain
		oscost explain context_|context_switch
		oscost explain syscall op=getpp|getppid
		oscost loop --eff|--effort
		oscost loop --timer cpuid2|cpuid2
		oscost loop --case form=register,instance=single,iterations=2|20
		oscost compare --thr|--threshold
		oscost run --profile qu|quick
		oscost run --only context_|context_switch
		oscost help led|ledger
		oscost report some-d|
	END
}

@test "zsh and fish ask the same question" {
	local shell file=$usr/share/zsh/site-functions/_oscost

	grep -qF -- 'oscost --complete' "$file"
	grep -qF -- 'oscost --complete' "$usr/share/fish/vendor_completions.d/oscost.fish"
	for shell in zsh fish; do
		command -v "$shell" >/dev/null || continue
		"$shell" -n "$([[ $shell == zsh ]] && echo "$file" || echo "$usr/share/fish/vendor_completions.d/oscost.fish")"
	done
}

@test "the installed driver finds its rows and programs" {
	run -0 "$usr/bin/oscost" run --only nop --rounds 1 --effort 10 --out out
	[[ -s out/report.md ]]
	jq -e '.plan[0].program == "nop"' out/run.json
	run -0 "$usr/bin/oscost" lmbench lat_syscall null
	[[ $output == "Simple syscall: "*" microseconds"* ]] # a second line says that it was disturbed
}

@test "the example compiles against the installed library, and counts" {
	command -v pkg-config >/dev/null || skip "no pkg-config"
	export PKG_CONFIG_PATH=$usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$BATS_FILE_TMPDIR
	cp "$usr/libexec/oscost/counters-example.c" counters.c
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

@test "make help lists the targets that people type, help-dev all" {
	run -0 make_it help
	for target in all card run-all test install deb lint; do
		[[ $output == *"  $target "* ]]
	done
	((${#lines[@]} <= 10))
	run -0 make_it help-dev
	for target in truth uninstall man clean help; do
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
	printf '#!/bin/sh\necho fetched\n' >scripts/setup
	chmod +x scripts/setup
	make_it -n run-all "$@" | grep 'setup --bin' | sh | grep -c fetched
}

@test "the NFS server is fetched if a remote row is wanted" {
	[[ $(fetched) -eq 1 ]]
	[[ $(fetched ONLY='file_* file_remote') -eq 1 ]]
	[[ $(fetched ONLY='loop file_remote') -eq 1 ]]
	[[ $(fetched ONLY='loop tcp_*') -eq 0 ]]
}

@test "uninstall refuses a path with a blank, and removes nothing" {
	mkdir -p 'a/libexec/oscost' 'a b/libexec/oscost'
	answers 2 "must have no blanks" make_it uninstall PREFIX="$PWD/a b"
	run -2 make_it uninstall DESTDIR="$PWD/a /"
	[[ -d a/libexec/oscost && -d 'a b/libexec/oscost' ]]
}
