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
