# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Packages of another architecture: only unpacked, never installed.  The caller
# has scripts/lib/guest.bash (need, skip).

# apt as if on a machine of ARCH (Debian's name), with lists and a state of its
# own in WORK: nothing of this machine's is read but its sources and keys, and
# nothing changed.  Where WORK has a sources.list, that one instead.
foreign_apt() { # ARCH WORK TOOL ARGUMENT...
	local arch=$1 tool=$3 dir own=()

	# A relative path apt would look for below /.
	dir=$(cd "$2" && pwd)/apt
	[[ -e $2/sources.list ]] &&
		own=(-o "Dir::Etc::sourcelist=${dir%/*}/sources.list" -o Dir::Etc::sourceparts=-)
	shift 3
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	"$tool" -qq -o "APT::Architecture=$arch" -o "APT::Architectures=$arch" \
		-o "Dir::State=$dir" -o "Dir::State::lists=$dir/lists" \
		-o "Dir::State::status=$dir/status" -o "Dir::Cache=$dir/cache" \
		-o Acquire::Languages=none -o APT::Sandbox::User= "${own[@]}" "$@"
}

# Lists of ARCH's packages into WORK: of this machine's release, or of a later
# one that has the architecture, and the package that the caller sought.
foreign_update() { # ARCH WORK [SUITE...]
	local arch=$1 work=$2 suite uri

	need apt-get apt
	need dpkg-deb dpkg
	mkdir -p "$work"
	rm -f "$work/sources.list"
	shift 2
	# shellcheck disable=SC2016 # apt's own
	uri=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "main" { print $1; exit }')
	for suite in '' "$@"; do
		[[ -z $suite ]] || echo "deb $uri $suite main" >"$work/sources.list"
		foreign_apt "$arch" "$work" apt-get update >"$work/apt.log" 2>&1 || continue
		[[ $(foreign_apt "$arch" "$work" apt-cache policy "${sought-libc6-dev}") =~ Candidate:\ [0-9] ]] &&
			return
	done
	skip "no list of $arch packages: $(tail -n 1 "$work/apt.log")"
}

# The kernel that META stands for: the package that has its version in its name.
foreign_depends() { # ARCH WORK META
	foreign_apt "$1" "$2" apt-cache depends "$3" |
		awk '$1 == "Depends:" && $2 ~ /^linux-image-[0-9]/ { print $2; exit }'
}

# Unpack PACKAGE's files below WHAT (./boot, ./usr) into WORK.
foreign_unpack() { # ARCH WORK PACKAGE WHAT
	(cd "$2" && foreign_apt "$1" . apt-get download "$3" >apt.log 2>&1) ||
		skip "cannot download $3: $(tail -n 1 "$2/apt.log")"
	dpkg-deb --fsys-tarfile "$2/$3_"*.deb | tar -C "$2" -xf - "$4"
	rm -f "$2/$3_"*.deb
}

# The kernel below WORK, fetched by META's name if it is not there yet.
foreign_kernel() { # ARCH WORK META [SUITE...]
	local arch=$1 work=$2 meta=$3 sought=$3 package

	shift 3
	find "$work" -name 'vmlinu[xz]*' | sort -V | tail -n 1 | grep . && return
	foreign_update "$arch" "$work" "$@"
	package=$(foreign_depends "$arch" "$work" "$meta") || true
	[[ -n $package ]] || skip "the list has no $meta"
	# Since Debian 14 a package of its own has the file, and elsewhere.
	if [[ -n $(foreign_apt "$arch" "$work" apt-cache pkgnames "${package/image/binary}") ]]; then
		foreign_unpack "$arch" "$work" "${package/image/binary}" ./usr/lib/modules
	else
		foreign_unpack "$arch" "$work" "$package" ./boot
	fi
	rm -rf "$work/apt"
	find "$work" -name 'vmlinu[xz]*' | sort -V | tail -n 1 | grep .
}
