#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# scripts/lib/describe.pl: how a machine is set and its devices, on invented ones.

load ../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p box/proc box/sys
}

describe() { perl "$ROOT/scripts/lib/describe.pl" "${1-}" "$PWD/box"; }

# members: all of it for CPU 1, as an object.
members() { { echo '{' && describe 1 && echo '}'; } | jq -e "$@"; }

# put FILE TEXT: a line in the box.
put() { mkdir -p "box/${1%/*}" && printf '%s\n' "$2" >"box/$1"; }

# says NAME ANSWER: whether the check whose name begins so has it; "" for no check.
says() {
	members --arg name "$1" --arg answer "$2" '[.checks[] | select(.name | startswith($name)) | .answer]
		== if $answer == "" then [] else [$answer] end' || members .checks
}

readonly cpus=sys/devices/system/cpu

@test "what cannot be read is unknown or null" {
	members '.board == null and .modules == [] and .disks == [] and .links == []'
	members '(.checks | length == 12) and all(.checks[]; .answer == "unknown" and .value == null and .fix == null)'
}

@test "each setting, good and bad" {
	put $cpus/cpu1/cpufreq/scaling_governor powersave
	says 'frequency governor' bad
	members '.checks[0] | .value == "powersave" and .fix == "sudo scripts/tune apply" and
		.file == "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"'
	put $cpus/cpu1/cpufreq/scaling_governor performance
	says 'frequency governor' ok
	put $cpus/intel_pstate/no_turbo 0
	says 'turbo off (Intel)' bad
	put $cpus/isolated ''
	says 'measuring CPU isolated' bad
	put $cpus/isolated 0,2-4
	says 'measuring CPU isolated' bad
	put $cpus/isolated 0-1,7
	says 'measuring CPU isolated' ok
	put sys/kernel/mm/transparent_hugepage/enabled '[always] madvise never'
	says 'huge pages' bad
	put sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
	says 'huge pages' ok
	put proc/sys/kernel/randomize_va_space 0
	says 'address randomisation' bad
	put proc/cmdline 'quiet mitigations=off'
	says mitigations bad
	put proc/cmdline quiet
	says mitigations ok
	put proc/loadavg '0.02 0.5 0.9 1/99 7'
	says 'no other load' ok
	put proc/loadavg '0.50 0.5 0.9 1/99 7'
	says 'no other load' bad
	put proc/stat $'cpu 1 1\ncpu0 9 9 9 9 9 9 9 999 0 0\ncpu1 500 0 0 500 0 0 0 0 0 0'
	says 'no steal' ok
	put proc/stat $'cpu 1 1\ncpu1 500 0 0 480 0 0 0 20 0 0'
	says 'no steal' bad
	members '.checks[-1].value == "2.000 %"'
	put proc/stat $'cpu 1 1\ncpu1 500 0 0'
	says 'no steal' unknown
}

@test "the same files on another processor, or in a guest" {
	put $cpus/smt/active 0
	put $cpus/intel_pstate/no_turbo 0
	says 'SMT off' ok
	put proc/cpuinfo $'vendor_id\t: GenuineIntel\nflags\t\t: fpu ht ssse3'
	says 'turbo off (Intel)' bad
	put proc/cpuinfo $'vendor_id\t: AuthenticAMD\nflags\t\t: fpu ht ssse3\nbugs\t: x'
	says 'turbo off (Intel)' ''
	says 'turbo off (others)' unknown
	says 'SMT off' ok
	put proc/cpuinfo $'processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu rdrand hypervisor lahf_lm'
	says 'SMT off' unknown
	put $cpus/smt/active 1
	says 'SMT off' unknown
	members '.checks[] | select(.name == "SMT off").value == "1: the guest'\''s, not the host'\''s"'
	put proc/cpuinfo $'flags\t\t: fpu'
	says 'SMT off' bad
	says 'turbo off (Intel)' bad
}

@test "a board, by the device tree or DMI" {
	put sys/class/dmi/id/sys_vendor 'Amazon EC2'
	members '.board == "Amazon EC2"'
	put sys/class/dmi/id/product_name m6g.metal
	members '.board == "Amazon EC2 m6g.metal"'
	mkdir -p box/proc/device-tree
	printf 'Raspberry Pi 5 Model B Rev 1.0\0' >box/proc/device-tree/model
	members '.board == "Raspberry Pi 5 Model B Rev 1.0"'
}

# bytes N COUNT: a number as the firmware writes it.
bytes() {
	local n=$1 i

	for ((i = 0; i < $2; i++)); do
		# shellcheck disable=SC2059 # made here
		printf "\\x$(printf %02x $((n & 255)))"
		((n >>= 8)) || :
	done
}

# module ENTRY MIB EXTENDED: one in socket "DIMM A1", DDR5, 64 bits, made for 5600
# MT/s and run at 4800, as structure 17 has it; EXTENDED where the field is full.
module() {
	local at=box/sys/firmware/dmi/entries/$1

	mkdir -p "$at"
	{
		bytes 0x2811 2 && bytes 1 6 && bytes 72 2 && bytes 64 2 && bytes "$2" 2
		bytes 0 2 && bytes 2 2 && bytes 0x22 3 && bytes 5600 2 && bytes 0 5
		bytes "$3" 4 && bytes 4800 2 && bytes 0 6
		printf 'BANK 0\0DIMM A1\0\0'
	} >"$at/raw"
}

@test "two memory modules; neither an empty socket nor a broken structure" {
	module 17-0 16384 0
	module 17-1 0 0
	module 17-2 0x7fff 65536
	mkdir -p box/sys/firmware/dmi/entries/{17-3,16-0}
	printf '\x11' >box/sys/firmware/dmi/entries/17-3/raw
	printf '\x10\x17' >box/sys/firmware/dmi/entries/16-0/raw
	members '.modules == [{name: "DIMM A1", size_bytes: 17179869184, type: "DDR5", mt_s: 4800, width_bits: 64},
		{name: "DIMM A1", size_bytes: 68719476736, type: "DDR5", mt_s: 4800, width_bits: 64}]'
	describe | grep -qx '#   module DIMM A1: 64.0 GiB, DDR5, 4800 MT/s'
}

@test "a disk with the link of the device above it; a card that says no speed; no bridge" {
	local disk=sys/block/nvme0n1 card=sys/class/net/eth0

	put $disk/size 2048
	put $disk/queue/rotational 0
	put $disk/device/model 'SSD 1  '
	put $disk/device/device/current_link_speed '8.0 GT/s PCIe'
	put $disk/device/device/current_link_width 4
	ln -s ../../../../class/nvme box/$disk/device/subsystem
	put $card/speed -1
	put $card/device/uevent DRIVER=x
	ln -s ../../../bus/virtio box/$card/device/subsystem
	put sys/class/net/br0/speed 1000
	put sys/block/loop0/size 99
	members '.disks == [{name: "nvme0n1", model: "SSD 1", bus: "nvme, 8.0 GT/s PCIe x4", size_bytes: 1048576,
		rotates: false}] and .links == [{name: "eth0", bus: "virtio", mbit_s: null}]'
	describe >said
	grep -qx '#   disk nvme0n1: 1.00 MiB, bus nvme, 8.0 GT/s PCIe x4, says it does not rotate' said
	grep -qx '#   link eth0: says no speed, bus virtio' said
	put $card/speed 10000
	members '.links[0].mbit_s == 10000'
}

@test "nothing in a name is run or ends a string" {
	put "sys/class/net/'\$(>gone)';\"\\/device/uevent" x
	put sys/block/sda/size 8
	put sys/block/sda/device/model $'a"b\\c\t\x80\x01d'
	members '.links[0].name == "'\''$(>gone)'\'';\"\\" and .disks[0].model == "a\"b\\c???d"'
	[[ ! -e gone ]]
}

@test "the last CPU that may be used is that of the checks" {
	put proc/self/status $'Name:\tawk\nCpus_allowed_list:\t0,2-11'
	put "$cpus/cpu11/cpufreq/scaling_governor" performance
	{ echo '{' && describe last && echo '}'; } | jq -e '.checks[0].answer == "ok"'
}

@test "no text of the machine leaves the comment that it is in" {
	mkdir -p "box/sys/class/net/eth"$'\033'"0/device"
	put "sys/class/net/eth"$'\033'"0/device/uevent" x
	put sys/class/net/-n/device/uevent x
	describe >said
	grep -qx '#   link eth?0: says no speed, bus ' said
	grep -q '^#   link -n: ' said
	[[ $(<said) != *$'\033'* ]]
}

# kept TEXT...: what is kept of what machine and the script have said.
kept() {
	printf '%s\n' "$@" >said
	# shellcheck disable=SC2016 # for the other bash
	bash -c 'source "$1" && record_write() { printf "%s\n" "$2"; } && record_described machine.json said' \
		- "$ROOT/scripts/lib/record.bash"
}

@test "what a script that is stopped has said is left out" {
	kept '{' '  "cpu": 1' '}' "$(describe 1)" | jq -e '.cpu == 1 and (.checks | length == 12)'
	[[ $(kept '{' '  "cpu": 1' '}' $'  "board": null,\n  "modules": [') == $'{\n  "cpu": 1\n}' ]]
	[[ $(kept '{' '  "cpu": 1' '}') == $'{\n  "cpu": 1\n}' ]]
}
