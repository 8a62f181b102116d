# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# An emulated machine whose clock counts instructions: a nanosecond in it is one
# instruction, nothing outside is in a figure, and a boot repeats to the digit.
# It runs the programs whose rows need one CPU, no disk and no other host.
#
# The cost of a kernel's path also depends on what ran before it: lists of free
# pages, when the tick comes.  So a boot has a past, a number: the seed of the
# programs, the place of their stack, the processes that ran before them, and the
# part of a tick that has passed when they begin.
#
# Needs guest.bash, and guest_x86.bash or foreign.bash for the machine.

# PROGRAM EFFORT CASES: the cheap ones take more samples, because their medians
# shall not depend on how many of them met the tick.
counted_programs="
nop            3
loop           3
procedure      3
timer         10
syscall       50
signal        50
poll          10
sync          30
process       20
calls         20
thread        50
context_switch 5 --case procs=2 --case procs=16
ipc           10 --case place=same_cpu
mapping       50
page_fault    20
file_ops      10
file_read      6 --case cache=warm
file_write     6 --case by=cached
tcp_rtt       10
tcp_connect   20
mem_latency    3
tlb            3
"

# Options that a kernel needs to run them.
readonly counted_needs=(BLK_DEV_INITRD RD_GZIP BINFMT_ELF BINFMT_SCRIPT PROC_FS SYSFS
	DEVTMPFS TMPFS SHMEM FUTEX EPOLL UNIX INET)

counted_names() { # of all of them
	awk '{ printf "%s%s", sep, $1 } NF { sep = " " }' <<<"$counted_programs"
}

# Add PROGRAM: of a build directory, or a name for one static file that has it.
counted_add() { # ROOT PLACE PROGRAM
	mkdir -p "$1/suite/bin"
	if [[ -f $2 ]]; then
		cp -u "$2" "$1/suite/bin/oscost"
		ln -s oscost "$1/suite/bin/$3"
	else
		add_program "$1" "$2/bin/$3" /suite/bin
		strip -s "$1/suite/bin/$3"
	fi
}

counted_command() { # PROGRAM EFFORT PAST [OPTIONS]
	printf 'PAD=%0*d /suite/bin/%s --json -n 1 --effort %d --seed %d --dir /tmp %s 2>/dev/null\n' \
		$((4096 * $3 / 3)) 0 "$1" "$2" "$3" "${4-}"
}

# The initramfs of a past: all programs that PLACE has, a build directory or one
# static file, whichever shall run, for what is in memory moves costs; it runs
# those of PROGRAMS and then the commands of LAST.  2473 us is another part of a
# tick for each past, whether that is 1, 4 or 10 ms.
counted_initrd() { # PLACE ROOT INITRD PAST PROGRAMS [LAST]
	local root=$2 program effort cases

	make_root "$root"
	mkdir -p "$root/suite"
	[[ -f $1 ]] || cp -r "$1/lib" "$root/suite"
	[[ -z ${counted_marks-} ]] || cp "$counted_marks"/* "$root/suite"
	for program in net_server machine; do
		[[ ! -f $1 && ! -x $1/bin/$program ]] || counted_add "$root" "$1" "$program"
	done
	{
		cat <<-'EOF'
			# Until the kernel's own threads have ended their work: nine tenths idle.
			for try in $($b seq 100); do
				read -r cpu user nice system was rest </proc/stat
				$b usleep 200000
				$b awk -v was="$was" '/^cpu / { exit $5 - was < 18 }' /proc/stat && break
			done
		EOF
		while read -r program effort cases; do
			[[ -n $program && (-f $1 || -x $1/bin/$program) ]] || continue
			counted_add "$root" "$1" "$program"
			[[ " $5 " == *" $program "* ]] || continue
			cat <<-EOF
				for past in $(seq -s ' ' $((3 * $4))); do \$b true; done
				\$b usleep $((2473 * $4))
				$(counted_command "$program" "$effort" "$4" "$cases")
				echo "@$program=\$?"
			EOF
		done <<<"$counted_programs"
		printf '%s\necho @end\n' "${6-}"
	} | make_init "$root"
	make_initrd "$root" "$3"
}

# The configuration that an image FILE has in it, if it is not packed, or beside it:
# in the tree that it was built in, or as distributions call it.
counted_config() { # FILE
	local at dir file name=${1##*/}

	at=$(grep -abom1 IKCFG_ST "$1" | cut -d: -f1) || :
	if [[ $at =~ ^[0-9]+$ ]]; then
		tail -c +$((at + 9)) "$1" | gzip -dcq 2>/dev/null || :
		return
	fi
	dir=$(dirname "$(realpath "$1")")
	for file in "$dir/config-${name#*-}" "$dir/.config" "${dir%/arch/*/boot}/.config"; do
		[[ ! -f $file ]] || { cat "$file" && return; }
	done
}

# The options of NEEDED, without CONFIG_, that FILE is known to lack.
counted_lacks() { # FILE NEEDED...
	local config option

	config=$(counted_config "$1")
	[[ $config == *CONFIG_* ]] || return 0
	for option in "${@:2}"; do
		grep -qx "CONFIG_$option=y" <<<"$config" || printf '%s ' "$option"
	done
}

# The clock of the emulator, and all that a boot could take from this machine.
readonly counted_clock=(-icount "shift=0,sleep=off" -seed 1 -rtc "base=2020-01-01T00:00:00,clock=vm")

# The console in WORK/NAME; the machine has WORK/initrd.
counted_boot() { # NAME KERNEL WORK PROCESSOR [OPTIONS]
	local guest_options="nokaslr norandmaps ${calm:+$calm }${5-}"

	boot "$1" "$2" "$3" -cpu "$4${exact-}" -m 512 "${counted_clock[@]}" -pidfile "$3/$1.pid"
}

# Whether that boot came to its end.
counted_ended() { # CONSOLE
	grep -qxaF '@end' "$1"
}

# PROGRAM STATUS of those that ended neither well nor as skipped.
counted_failures() { # CONSOLE
	sed -nE '/=(0|77)$/!s/^@([a-z_]+)=([0-9]+)$/\1 \2/p' "$1"
}
