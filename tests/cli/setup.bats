#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/setup with package managers that only write down what they are told.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	for cmd in bash env sed grep tail head mktemp rm find dirname readlink cat chmod tee touch; do
		ln -s "$(command -v "$cmd")" "$bin/$cmd"
	done
	user 0
	table 'run must cmd:nosuch a-pkg d-pkg z-pkg p-pkg k-pkg' \
		'run may cmd:extra a-extra - - - -' \
		'test must cmd:tester|bash t t t t t' \
		'lint must cmd:linter a-lint1,a-lint2 l l l l'
}

# stub NAME BODY
stub() {
	printf '#!/usr/bin/env bash\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

user() { stub id "echo $1"; }

table() { printf '%s\n' "$@" | tr ' ' '\t' >table.tsv; }

# manager NAME [BODY]: a package manager; what it installs is there afterwards.
manager() {
	stub "$1" "echo \"$1 \$*\" >>\"$PWD/calls\"
		${2:-printf '#!/bin/sh\n' >\"$bin/nosuch\"; chmod +x \"$bin/nosuch\"}"
}

# try OPTION...: setup with nothing else on PATH.
try() {
	PATH=$bin "$ROOT/scripts/setup" --table table.tsv "$@"
}

@test "setup calls nobody when all is there" {
	manager apt-get
	stub nosuch :
	stub extra :
	run -0 --separate-stderr try
	[[ -z $output$stderr && ! -e calls ]]
	run -0 try test
}

@test "a terminal shows what is being installed, a file does not" {
	local script

	script=$(command -v script) || skip 'no script (bsdutils)'
	manager apt-get 'echo "Unpacking a-pkg"; touch "'"$bin/nosuch"'"; chmod +x "'"$bin/nosuch"'"'
	run -0 env PATH="$bin" "$script" -qec "'$ROOT/scripts/setup' --table table.tsv" /dev/null
	[[ $output == *'Unpacking a-pkg'* ]]
	rm "$bin/nosuch"
	run -0 try
	[[ $output != *Unpacking* ]]
}

@test "card installs only what its figures need" {
	manager apt-get
	printf 'card,run\tmust\tcmd:nosuch\ta-pkg\t-\t-\t-\t-\nrun\tmay\tcmd:extra\ta-extra\t-\t-\t-\t-\n' >table.tsv
	run -0 try card
	grep -q 'a-pkg' calls
	run ! grep -q 'a-extra' calls
	run -0 try
	grep -q 'a-extra' calls
}

@test "setup installs what is missing, in each family" {
	local name
	for name in apt-get:a-pkg dnf:d-pkg zypper:z-pkg pacman:p-pkg apk:k-pkg; do
		manager "${name%:*}"
		run -0 try
		grep -q "^${name%:*} .*${name#*:}" calls
		rm "$bin/${name%:*}" "$bin/nosuch" calls
	done
}

@test "setup fetches package lists only when installing failed" {
	manager apt-get
	run -0 try
	run ! grep -q update calls
	rm calls "$bin/nosuch"
	# shellcheck disable=SC2016 # expands in the stub
	manager apt-get 'case $1 in
		update) touch lists ;;
		*) [[ -e lists ]] && printf "#!/bin/sh\n" >'"$bin"'/nosuch && chmod +x '"$bin"'/nosuch ;;
		esac'
	run -0 try
	[[ $(grep -c install calls) -eq 2 && $(grep -c update calls) -eq 1 ]]
}

@test "setup uses sudo where it asks no password" {
	user 1000
	manager apt-get
	stub sudo 'echo "sudo $*" >>calls; shift; exec "$@"'
	stub true :
	run -0 try
	grep -q '^sudo -n apt-get install -y --no-install-recommends a-pkg a-extra$' calls
}

@test "without root and sudo setup prints one command and exits 2" {
	user 1000
	manager dnf
	run -2 --separate-stderr try run lint
	[[ $stderr == *$'\nsudo dnf install -y d-pkg l' ]]
	[[ ! -e calls ]]
	manager apt-get
	run -2 --separate-stderr try run lint
	[[ $stderr == *"sudo apt-get install -y --no-install-recommends a-pkg a-extra a-lint1 a-lint2" ]]
}

@test "setup goes on without what is not necessary" {
	user 1000
	manager apt-get
	stub nosuch :
	run -0 --separate-stderr try
	[[ $stderr == *a-extra*"going on without"* ]]
}

@test "setup says what it could not install" {
	manager apt-get 'echo "E: broken"; exit 100'
	run -1 --separate-stderr try
	[[ $stderr == *"E: broken"*"could not install"*a-pkg* ]]
	manager apt-get :
	answers 1 "still missing: nosuch" try
}

@test "setup knows when there is no package manager" {
	run -2 --separate-stderr try
	[[ $stderr == *"missing: nosuch extra"*"no package manager"* ]]
}

@test "setup --check installs nothing" {
	manager apt-get
	run -2 --separate-stderr try --check
	[[ $stderr == *"apt-get install -y --no-install-recommends a-pkg a-extra" ]]
	[[ ! -e calls ]]
}

@test "setup refuses sets that it does not know" {
	run -2 try nonsense
	run -2 try --nonsense
}

@test "every row of packages.tsv is whole" {
	# shellcheck disable=SC2016 # for awk
	run -0 awk -F '\t' '/^#/ { next }
		NF != 8 || $2 !~ /^(must|may)$/ || $3 !~ /^(cmd|pc|file):/ { print; bad = 1 }
		END { exit bad }' "$ROOT/scripts/packages.tsv"
}

@test "without a network setup shows the first error and what to do" {
	# As apt-get does: it ends with 0 where no list can be fetched.
	# shellcheck disable=SC2016 # expands in the stub
	manager apt-get 'case $1 in
		update)
			echo "Err:1 http://archive.example stable InRelease"
			echo "W: Failed to fetch http://archive.example  Temporary failure resolving"
			echo "W: Some index files failed to download." ;;
		*) echo "E: Unable to locate package a-pkg"; exit 100 ;;
		esac'
	answers 1 "W: Failed to fetch http://archive.example  Temporary failure resolving" try
	[[ $stderr == *"connect this machine to the network"*"type: scripts/setup" ]]
	[[ $stderr != *Unable* ]]
	# With lists it is what the packages lack.
	# shellcheck disable=SC2016 # expands in the stub
	manager apt-get '[[ $1 == update ]] || { echo "E: no room"; exit 100; }'
	run -1 --separate-stderr try
	[[ $stderr == *"E: no room"* && $stderr != *network* ]]
}

@test "make on a bare machine says what to type, and nothing else" {
	local cmd

	for cmd in sh make mkdir awk uname git nproc printf tr; do
		ln -s "$(command -v "$cmd")" "$bin/$cmd"
	done
	manager apt-get
	PATH=$bin run -2 --separate-stderr env -u MAKEFLAGS -u MAKELEVEL make -C "$ROOT" BUILD="$PWD/build"
	[[ $stderr == "setup: missing: cc "*"install with:"*"type: scripts/setup.  Stop." ]]
	[[ $stderr != *"not found"* && $stderr != *"No such file"* && ! -e calls ]]
}

# made ARGUMENT...: make, as from a shell.
made() { env -u MAKEFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u SAN -u CFLAGS make -C "$ROOT" "$@"; }

@test "make refuses a variable that nothing takes, and names the nearest" {
	for goal in run-all card; do
		answers 2 "nothing takes PROFLE=; did you mean PROFILE=?" made -n "$goal" CPU=1 PROFLE=quick
	done
	run -0 made -n run-all CPU=1 CFLAGS=-O3 'ONLY=a b'
}

@test "make static without a compiler, or without an archive, fails" {
	answers 2 "type: scripts/setup" made static CC=nosuch BUILD="$PWD/build"
	printf '#!/bin/sh\ncase $1 in -print-file-name=*) echo "${1#*=}" ;; *) exec gcc "$@" ;; esac\n' >cc
	chmod +x cc
	run -2 --separate-stderr made static CC="$PWD/cc" BUILD="$PWD/build"
	[[ $stderr == *"static: there is no libc.a libhwloc.a libjansson.a here"* ]]
}
