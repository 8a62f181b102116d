# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For scripts/lmbench: which rows lmbench's arguments mean, and what its results
# file has in which order.
#
# The caller has $work with a file of all rows ("there": program, case), and in
# lines the table scripts/lib/lmbench.tsv, its tabs as \x1f.

# size_of BYTES: as our rows are named.
size_of() {
	if (($1 && $1 % 1048576 == 0)); then
		printf '%dM' $(($1 / 1048576))
	elif (($1 && $1 % 1024 == 0)); then
		printf '%dK' $(($1 / 1024))
	else
		printf '%d' "$1"
	fi
}

# bytes_of TEXT: of 64, 64k, 64m; nothing if it is no size.
bytes_of() {
	local number=${1%[kKmMG]}

	[[ $1 =~ ^[0-9]{1,12}[kKmMG]?$ ]] || return 0
	number=$((10#$number))
	case $1 in
	*[kK]) number=$((number << 10)) ;;
	*[mM]) number=$((number << 20)) ;;
	*G) number=$((number << 30)) ;;
	esac
	printf '%d' "$number"
}

# level_of BYTES: where mem_bandwidth says that so much lies.
level_of() {
	local name level='' text size best=0 bytes
	local pattern=',level=([A-Za-z0-9]+),size=([0-9]+[KMG]?),threads=1$'

	while IFS=$'\t' read -r name text; do
		[[ $name == mem_bandwidth && $text == kernel=read,* && $text =~ $pattern ]] || continue
		size=${BASH_REMATCH[2]}
		bytes=$(bytes_of "$size")
		# The least that is as large, else the largest.
		if ((best == 0 || (bytes >= $1 && (best < $1 || bytes < best)) || (best < $1 && bytes > best))); then
			best=$bytes level=${BASH_REMATCH[1]}
		fi
	done <"$work/there"
	printf '%s' "$level"
}

# with_groups TEXT GROUP...: \1 to \3 are the groups.
with_groups() {
	local text=$1

	text=${text//'\1'/${2-}}
	text=${text//'\2'/${3-}}
	text=${text//'\3'/${4-}}
	printf '%s' "$text"
}

# take NAME ARGUMENTS: plan the lines of the table that fit; 1 if there are none,
# with the nearest in nearest.
take() {
	local line rows size bytes limit=''
	local -a field group
	local taken=1

	nearest=''
	for line in "${lines[@]}"; do
		IFS=$'\x1f' read -ra field <<<"$line"
		[[ $1 =~ ^(${field[0]})$ && $2 =~ ^(${field[1]})$ ]] || continue
		group=("${BASH_REMATCH[@]:2}")
		if [[ ${field[2]} == - ]]; then
			nearest=${field[5]}
			return "$taken"
		fi
		taken=0
		bytes=$(bytes_of "${group[0]-}")
		rows=${field[3]}
		# lat_ctx counts in KiB.
		[[ $1 != lat_ctx ]] || bytes=$((bytes * 1024))
		if [[ $rows == *'\s'* || $rows == *'\L'* || $rows == *'\C'* ]]; then
			size=$(size_of "${bytes:-0}")
			rows=${rows//'\s'/$size}
			[[ $rows != *'\L'* ]] || rows=${rows//'\L'/$(level_of "$bytes")}
			[[ $rows != *'\C'* ]] || rows=${rows//'\C'/$(level_of $((2 * bytes)))}
		fi
		rows=$(with_groups "$rows" "${group[@]}")
		[[ $1 != lat_mem_rd ]] || limit=$((10#${group[1]} << 20))
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${field[2]}" "$rows" "${field[4]}" "$bytes" \
			"$limit" "$(with_groups "${field[5]}" "${group[@]}")" >>"$work/plan"
	done
	return "$taken"
}

# section TITLE NAME ARGUMENTS...: of the results file; each argument is a point.
section() {
	local name=$2 nearest point

	printf '[\t\t\t\t\t%s\n' "$1" >>"$work/plan"
	for point in "${@:3}"; do
		take "$name" "$point" || :
	done
	printf ']\t\t\t\t\t\n' >>"$work/plan"
}

# array_sizes KERNEL ISA: of the rows of one thread, in bytes.
array_sizes() {
	sed -n "s/^mem_bandwidth\tkernel=$1,isa=$2,level=.*,size=\([0-9]*[KMG]\{0,1\}\),threads=1$/\1/p" \
		"$work/there" | while read -r size; do
		printf '%s\n' "$(bytes_of "$size")"
	done | sort -nu
}

# points_of OPERATION SHARE SIZE...: SIZE / SHARE OPERATION
points_of() {
	local size

	for size in "${@:3}"; do
		printf '%s %s\n' $((size / $2)) "$1"
	done
}

# memory TITLE OPERATION SHARE KERNEL ISA: a section of bw_mem; SHARE arrays.
memory() {
	local -a sizes

	mapfile -t sizes < <(array_sizes "$4" "$5")
	mapfile -t points < <(points_of "$2" "$3" "${sizes[@]}")
	section "$1" bw_mem "${points[@]}"
}

# The order, and the titles, are those of lmbench's results.
plan_summary() {
	local name size n

	for name in null read write stat fstat open; do section '' lat_syscall "$name"; done
	for name in file tcp; do
		for n in 10 100 250 500; do section '' lat_select "-n $n $name"; done
	done
	for name in install catch prot; do section '' lat_sig "$name"; done
	section '' lat_pipe ''
	section '' lat_unix ''
	for name in fork exec shell; do section '' lat_proc "$name"; done
	section '' lat_ops ''
	section '' lat_pagefault /var/tmp/XXX
	section '"mappings' lat_mmap {4,64}m\ /var/tmp/XXX
	section '"File system latency' lat_fs ''
	for name in lat_udp lat_tcp lat_connect; do section '' "$name" localhost; done
	section 'Socket bandwidth using localhost' bw_tcp \
		-m\ {1,64,1k,8k,128k,1m}\ localhost
	section '' bw_unix ''
	section '' bw_pipe ''
	section '"read bandwidth' bw_file_rd '64m io_only /var/tmp/XXX'
	section '"Mmap read bandwidth' bw_mmap_rd '64m mmap_only /var/tmp/XXX'
	memory '"libc bcopy unaligned' bcopy 2 copy libc
	memory 'Memory bzero bandwidth' bzero 1 clear libc
	memory '"unrolled bcopy unaligned' fcp 2 copy scalar
	memory 'Memory read bandwidth' frd 1 read scalar
	memory 'Memory write bandwidth' fwr 1 write scalar
	printf '[\tcloses\t\t\t\t\n' >>"$work/plan"
	for size in 0 4 16 64; do
		for n in ovr 2 4 8 16 24 32 64 96; do take lat_ctx "-s $size $n" || :; done
	done
	printf ']\t\t\t\t\t\n' >>"$work/plan"
	section '' tlb ''
	section 'Memory load parallelism' par_mem ''
	section '' stream ''
	section 'Memory load latency' lat_mem_rd '64 128 head' '64 128 rows'
}
