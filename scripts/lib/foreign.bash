# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Machines of another architecture, emulated, and Debian's packages for them:
# only unpacked, never installed.  The caller has scripts/lib/guest.bash.
#
# A directory WORK keeps what was unpacked for the next time.

# foreign_machine ARCH: what Debian and QEMU call it, for all below and for boot;
# with exact behind the processor its counter tells one instruction from the
# next, where that can be had.  With calm on its kernel's command line system calls
# cost the same: their stack's place takes a random number there, which are made
# 48 at a time (on aarch64 1408 instructions in each 48th call).
foreign_machine() {
	# shellcheck disable=SC2034 # of the caller
	calm=randomize_kstack_offset=off
	# shellcheck disable=SC2034
	case $1 in
	aarch64)
		debian=arm64 suites=('') flavour=arm64
		emulator='qemu-system-aarch64 -M virt' console=ttyAMA0
		processor=neoverse-n1 exact=,cntfrq=1000000000
		;;
	riscv64)
		debian=riscv64 flavour=riscv64
		suites=('' trixie forky sid) # Debian has it since 13
		emulator='qemu-system-riscv64 -M virt' console=ttyS0
		processor=rv64 exact=
		;;
	*) skip "no emulated machine of $1 is known here" ;;
	esac
	command -v "${emulator%% *}" >/dev/null ||
		skip "no ${emulator%% *} here; scripts/setup cross installs it"
	need dpkg-deb dpkg
}

# apt as if on such a machine, with lists and a state of its own in WORK:
# nothing of this machine's is read but its sources and keys, and nothing
# changed.  Where WORK has a sources.list, that one instead.
foreign_apt() { # WORK TOOL ARGUMENT...
	local tool=$2 dir own=()

	if [[ $debian == amd64 ]]; then
		"$tool" -qq "${@:3}"
		return
	fi
	# A relative path apt would look for below /.
	dir=$(cd "$1" && pwd)/apt
	[[ -e $1/sources.list ]] &&
		own=(-o "Dir::Etc::sourcelist=${dir%/*}/sources.list" -o Dir::Etc::sourceparts=-)
	shift 2
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	"$tool" -qq -o "APT::Architecture=$debian" -o "APT::Architectures=$debian" \
		-o "Dir::State=$dir" -o "Dir::State::lists=$dir/lists" \
		-o "Dir::State::status=$dir/status" -o "Dir::Cache=$dir/cache" \
		-o Acquire::Languages=none -o APT::Sandbox::User= "${own[@]}" "$@"
}

# Lists of packages into WORK: of the first of suites that has such a kernel; '' is
# this machine's release.  Whoever asked for them takes them away: WORK/apt.
foreign_update() { # WORK
	local work=$1 suite uri

	[[ $debian != amd64 ]] || return 0
	need apt-get apt
	mkdir -p "$work"
	[[ ! -e $work/apt/there || $(<"$work/apt/there") != "$$" ]] || return 0
	rm -f "$work/sources.list"
	# shellcheck disable=SC2016 # apt's own
	uri=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "main" { print $1; exit }')
	for suite in "${suites[@]}"; do
		[[ -z $suite ]] || echo "deb $uri $suite main" >"$work/sources.list"
		foreign_apt "$work" apt-get update >"$work/apt.log" 2>&1 || continue
		[[ $(foreign_apt "$work" apt-cache policy "linux-image-$flavour") =~ Candidate:\ [0-9] ]] || continue
		echo "$$" >"$work/apt/there"
		return
	done
	skip "no list of $debian packages: $(tail -n 1 "$work/apt.log")"
}

# A package that PACKAGE depends on, with a name that matches PATTERN.
foreign_depends() { # WORK PACKAGE PATTERN
	foreign_apt "$1" apt-cache depends "$2" |
		awk -v pattern="$3" '$1 == "Depends:" && $2 ~ pattern { print $2; exit }'
}

# Unpack PACKAGE's files that match a PATTERN into WORK.
fetch_package() { # PACKAGE WORK PATTERN...
	(cd "$2" && foreign_apt . apt-get download "$1" 2>apt.log) ||
		skip "cannot download $1: $(tail -n 1 "$2/apt.log")"
	dpkg-deb --fsys-tarfile "$2/$1"_*.deb | tar -C "$2" --wildcards -xf - "${@:3}"
	rm -f "$2/$1"_*.deb
}

# The kernel of RELEASE (6.1.0-47-arm64).
fetch_image() { # RELEASE WORK
	local image package=linux-image-$1

	mkdir -p "$2"
	if ! image=$(find "$2" -path "*$1*" -name 'vmlinu[xz]*' | grep .); then
		foreign_update "$2"
		# Since Debian 14 a package of its own has the file, and elsewhere.
		[[ -z $(foreign_apt "$2" apt-cache pkgnames "linux-binary-$1" 2>/dev/null) ]] || package=linux-binary-$1
		fetch_package "$package" "$2" '*/vmlinu[xz]*'
		image=$(find "$2" -path "*$1*" -name 'vmlinu[xz]*' | grep .)
	fi
	if [[ $debian == amd64 ]]; then
		[[ $image == *"/vmlinux-$1"* ]] || unpack_kernel "$image" "$2/vmlinux-$1" || rm -f "$2/vmlinux-$1"
		[[ ! -e $2/vmlinux-$1 ]] || image=$2/vmlinux-$1
	fi
	printf '%s\n' "$image"
}

# The newest kernel below WORK; if there is none yet, the newest of the list.
foreign_kernel() { # WORK
	local package

	find "$1" -path "*[0-9]-$flavour*" -name 'vmlinu[xz]*' 2>/dev/null | sort -V | tail -n 1 |
		grep . && return
	foreign_update "$1"
	package=$(foreign_depends "$1" "linux-image-$flavour" '^linux-image-[0-9]')
	[[ -n $package ]] || skip "the list has no linux-image-$flavour"
	fetch_image "${package#linux-image-}" "$1"
	rm -rf "$1/apt"
}

# A busybox that needs nothing else.
foreign_busybox() { # WORK
	if [[ ! -x $1/busybox ]]; then
		foreign_update "$1"
		# It lies in ./bin, since Debian 13 in ./usr/bin.
		fetch_package busybox-static "$1" '*/bin/busybox'
		mv "$(find "$1" -path '*/bin/busybox')" "$1/busybox"
		rm -rf "$1/apt"
	fi
	printf '%s\n' "$1/busybox"
}

# The headers of RELEASE, with the scripts of a machine like this one.
foreign_headers() { # WORK RELEASE
	local headers=$1/usr/src/linux-headers-$2 package here

	if [[ ! -e $headers/complete ]]; then
		foreign_update "$1"
		fetch_package "linux-headers-$2" "$1" ./usr
		package=$(foreign_depends "$1" "linux-headers-$2" '^linux-headers-.*-common$')
		fetch_package "$package" "$1" ./usr
		package=$(foreign_depends "$1" "linux-headers-$2" ^linux-kbuild-)
		# Programs that run here, of the same release.
		here=$(cd "$1" && pwd)
		(cd "$1" && apt-get -qq download "$package" >apt.log 2>&1) ||
			skip "cannot download $package: $(tail -n 1 "$1/apt.log")"
		dpkg-deb -x "$1/$package"_*.deb "$1"
		rm -f "$1/$package"_*.deb
		sed -i "s,^include /usr,include $here/usr," "$headers/Makefile"
		rm -rf "$1/apt"
		touch "$headers/complete"
	fi
	printf '%s\n' "$headers"
}
