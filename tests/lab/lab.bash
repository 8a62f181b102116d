# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For all labs: guests of scripts/lib, and what they print.  Their arguments are
#   BIN       the programs
#   BUILD     the build directory
#   WORK      scratch; what guests have printed stays there
#   KERNELS   where kernel images are kept for the next time
# Exit status: 0 passed, 1 failed, 2 misuse, 77 skipped (something is not installed).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for lib in guest guest_x86 foreign counted; do
	# shellcheck disable=SC1090 # of the list
	source "$here/../../scripts/lib/$lib.bash"
done

# usage: what a lab says of itself, for misuse.
usage() { sed -sn '3,/^\(set .*\)\?$/s/^# \{0,1\}//p' "$0" "$here/lab.bash" >&2 && exit 2; }

# part FILE WHAT: the lines behind @WHAT, to the next such line.
part() { awk -v from="@$2" '/^@/ { on = $0 == from; next } on' "$1"; }

# holds FILE JQ-CONDITION: of the array of its rows; of its part WHAT: part_holds.
holds() { jq -es "length > 0 and ($2)" "$1" >/dev/null; }
part_holds() { part "$1" "$2" | grep -a '^{' | holds - "$3"; } # FILE WHAT JQ-CONDITION

# An emulated machine with a disk, on which run-all can measure: what it has
# written is there when it is booted again.

# Modules that a disk with a file system needs, in the order in which they are loaded.
readonly disk_modules=(lib/crc16 crypto/crc32c_generic fs/mbcache fs/jbd2/jbd2 fs/ext4/ext4
	drivers/virtio/virtio_ring drivers/virtio/virtio drivers/virtio/virtio_pci_modern_dev
	drivers/virtio/virtio_pci_legacy_dev drivers/virtio/virtio_pci drivers/block/virtio_blk)

# disk_root BIN ROOT KERNELS PROGRAM...: a root with the scripts and these
# programs of BIN.  The caller adds disk_init.
disk_root() {
	local root=$2 program modules
	local -a paths

	paths=("${disk_modules[@]/#/*/kernel/}")
	modules=$3/lib/modules/$release/kernel
	[[ -e $modules/${disk_modules[0]}.ko ]] ||
		fetch_package "linux-image-$release" "$3" "${paths[@]/%/.ko}"
	make_root "$root"
	mkdir -p "$root"/{disk,modules,run,usr,oscost/build,oscost/monitor}
	# The driver's; busybox has less of some.
	for program in bash awk cat chmod cp cut date df dirname env find flock grep head ls mkdir \
		mktemp mv od readlink rm rmdir sed setpriv setsid sleep sort stat sync tail \
		timeout touch tr truncate uname wc; do
		add_program "$root" "$(command -v "$program")" /bin
	done
	for program in report machine "${@:4}"; do
		add_program "$root" "$1/$program" /oscost/build/bin
	done
	for program in "${disk_modules[@]}"; do
		cp "$modules/$program.ko" "$root/modules"
	done
	ln -s ../bin "$root/usr/bin"
	cp -r "$here/../../scripts" "$root/oscost/scripts"
}

# disk_init ROOT: make_init with the modules and the disk, where it is.
disk_init() {
	{
		cat <<-EOF
			export PATH=/bin
			busybox ln -s /proc/self/fd /dev/fd
			busybox mount -t tmpfs run /run
			for module in $(printf '%s ' "${disk_modules[@]##*/}"); do
				busybox insmod /modules/\$module.ko
			done
			busybox mount -t ext4 /dev/vda /disk
			cd /disk
		EOF
		cat
		printf 'cd /\nbusybox umount /disk\n'
	} | make_init "$1"
}

# disk_make WORK: an empty disk.
disk_make() {
	rm -f "$1/disk"
	truncate -s 128M "$1/disk"
	mkfs.ext4 -q "$1/disk"
}

# disk_boot NAME WORK QEMU-OPTION...: the caller's image, with that disk.
disk_boot() {
	# shellcheck disable=SC2154 # of the caller: prepare_x86 sets it
	boot "$1" "$image" "$2" -m 512 -drive "file=$2/disk,format=raw,if=virtio" "${@:3}"
}
