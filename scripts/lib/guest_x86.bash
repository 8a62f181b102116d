# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The distribution's own kernel in an emulated x86-64 machine: kmod-test and
# noise-test.

# The newest headers of the plain flavour: the flavour must match the image.
find_headers() {
	local dirs
	mapfile -t dirs < <(compgen -G '/usr/src/linux-headers-*-amd64' |
		grep -Ev -- '-(cloud|rt)-amd64$' | sort -V)
	((${#dirs[@]})) || skip 'no kernel headers (package linux-headers-amd64)'
	printf '%s\n' "${dirs[-1]}"
}

# A kernel that need not unpack itself in the emulator boots twice as fast.
unpack_kernel() { # VMLINUZ VMLINUX
	local at
	command -v xz >/dev/null || return 1
	at=$(LC_ALL=C grep -aboP '\xFD7zXZ\x00' "$1" | head -n 1 | cut -d: -f1)
	[[ -n $at ]] || return 1
	# xz complains of what stands behind its data.
	tail -c +$((at + 1)) "$1" | xz -dcq >"$2" 2>/dev/null || true
	[[ $(head -c 4 "$2") == $'\x7fELF' ]]
}

# The image is only unpacked, never installed.
fetch_image() { # RELEASE DIR
	local image=$2/boot/vmlinuz-$1 kernel=$2/vmlinux-$1
	if [[ ! -f $image ]]; then
		(cd "$2" && apt-get -qq download "linux-image-$1" 2>apt.log) ||
			skip "cannot download linux-image-$1: $(tail -n 1 "$2/apt.log")"
		dpkg-deb --fsys-tarfile "$2"/linux-image-"$1"_*.deb |
			tar -C "$2" -xf - ./boot
		rm -f "$2"/linux-image-"$1"_*.deb
	fi
	if [[ -f $kernel ]] || unpack_kernel "$image" "$kernel"; then
		image=$kernel
	else
		rm -f "$kernel"
	fi
	printf '%s\n' "$image"
}

# boot NAME IMAGE WORK QEMU-OPTION...: the console in WORK/NAME; guest_options go to
# the kernel.
boot() {
	local name=$1 image=$2 work=$3
	shift 3
	timeout 1200 qemu-system-x86_64 -accel tcg -m 256 "$@" -nodefaults \
		-no-reboot -display none -serial file:"$work/$name.raw" -kernel "$image" \
		-initrd "$work/initrd" -append "console=ttyS0 quiet panic=-1 ${guest_options-}" \
		</dev/null 2>"$work/$name.err" || true
	tr -d '\r' <"$work/$name.raw" >"$work/$name" || true
	grep -a '^{' "$work/$name" >"$work/$name.jsonl" || true
}
