# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The distribution's own kernel in an emulated x86-64 machine.

# Each step of a string instruction counts, so where exact stands behind the processor
# it has none that are fast: foreign_machine() does the same for others.
# shellcheck disable=SC2034 # for boot
emulator='qemu-system-x86_64 -accel tcg' console=ttyS0 debian=amd64 processor=max \
	exact=,erms=off,fsrm=off needs=(SERIAL_8250_CONSOLE)

# The release whose headers are installed, the newest of the plain flavour; else the archive's.
find_release() {
	local release
	release=$(compgen -G '/usr/src/linux-headers-*-amd64' | grep -Ev -- '-(cloud|rt)-amd64$' |
		sort -V | tail -n 1)
	[[ $release ]] || release=$(apt-cache depends linux-image-amd64 2>/dev/null | grep -o 'linux-image-[0-9].*')
	[[ $release ]] || skip 'no kernel headers, and no kernel in the archive of packages'
	printf '%s\n' "${release#*linux-*-}"
}

# A kernel that need not unpack itself in the emulator boots twice as fast.
unpack_kernel() { # VMLINUZ VMLINUX
	local packer at
	for packer in 'xz \xFD7zXZ\x00' 'zstd \x28\xB5\x2F\xFD'; do
		command -v "${packer% *}" >/dev/null || continue
		at=$(LC_ALL=C grep -aboP "${packer#* }" "$1" | head -n 1 | cut -d: -f1)
		[[ -n $at ]] || continue
		# They complain of what stands behind their data.
		tail -c +$((at + 1)) "$1" | "${packer% *}" -dcq >"$2" 2>/dev/null || true
		[[ $(head -c 4 "$2") != $'\x7fELF' ]] || return 0
	done
	return 1
}

# Files of a package, which is never installed.
fetch_package() { # PACKAGE DIR PATTERN...
	(cd "$2" && apt-get -qq download "$1" 2>apt.log) ||
		skip "cannot download $1: $(tail -n 1 "$2/apt.log")"
	dpkg-deb --fsys-tarfile "$2/$1"_*.deb | tar -C "$2" --wildcards -xf - "${@:3}"
	rm -f "$2/$1"_*.deb
}

fetch_image() { # RELEASE DIR
	local kernel=$2/vmlinux-$1 package=linux-image-$1
	local images=("$2/boot/vmlinuz-$1" "$2/usr/lib/modules/$1/vmlinuz")

	# Since Debian 14 a package of its own has the image, and elsewhere.
	[[ -z $(apt-cache pkgnames "linux-binary-$1" 2>/dev/null) ]] || package=linux-binary-$1
	[[ -f ${images[0]} || -f ${images[1]} ]] || fetch_package "$package" "$2" '*/vmlinuz*'
	[[ -f ${images[0]} ]] || images=("${images[1]}")
	if [[ -f $kernel ]] || unpack_kernel "${images[0]}" "$kernel"; then
		printf '%s\n' "$kernel"
	else
		rm -f "$kernel"
		printf '%s\n' "${images[0]}"
	fi
}

# The first steps of every such test: the tools, and a kernel: its release, its image.
prepare_x86() { # WORK KERNELS
	need qemu-system-x86_64 qemu-system-x86
	need busybox busybox-static
	need cpio cpio
	need jq jq
	release=$(find_release)
	mkdir -p "$1" "$2"
	image=$(fetch_image "$release" "$2")
}
