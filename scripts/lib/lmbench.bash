# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For scripts/lmbench: which rows lmbench's arguments mean, and what its results
# file has in which order.
#
# The caller has $work with a file of rows ("there": program, case), and in lines
# the table scripts/lib/lmbench.tsv, its tabs as \x1f.

declare -A range=() # of numbers that a program takes, in words

# size_of BYTES: as our rows are named.
size_of() {
	if (($1 && $1 % 1073741824 == 0)); then
		printf '%dG' $(($1 / 1073741824))
	elif (($1 && $1 % 1048576 == 0)); then
		printf '%dM' $(($1 / 1048576))
	elif (($1 && $1 % 1024 == 0)); then
		printf '%dK' $(($1 / 1024))
	else
		printf '%d' "$1"
	fi
}

# bytes_of TEXT: of 64, 64k, 64m; nothing if it is no size, or a very large one.
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
	local line rows size bytes limit='' arguments=''
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
		((taken)) || [[ ${field[1]} == "$arguments" ]] || return 0
		taken=0 arguments=${field[1]}
		bytes=$(bytes_of "${group[0]-}")
		rows=${field[3]}
		# lat_ctx counts in KiB.
		[[ $1 != lat_ctx ]] || bytes=$((bytes * 1024))
		if [[ $rows == *'\s'* || $rows == *'\d'* ]]; then
			[[ -n $bytes ]] || die 2 "$1: '${group[0]}' is too large a size"
			size=$(size_of "$bytes")
			rows=${rows//'\s'/$size}
			size=$(size_of $((2 * bytes)))
			rows=${rows//'\d'/$size}
		fi
		rows=$(with_groups "$rows" "${group[@]}")
		[[ $1 != lat_mem_rd ]] || limit=$((10#${group[1]} << 20))
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${field[2]}" "$rows" "${field[4]}" "$bytes" \
			"$limit" "$(with_groups "${field[5]}" "${group[@]}")" >>"$work/plan"
	done
	return "$taken"
}

# ask PROGRAM PATTERN...: which rows of it there are goes to "there", and what it
# says of others to range.
ask() {
	local program=$1 pattern
	local -a cases=()

	[[ -x $bin/$program ]] || die 2 "no program $bin/$program; run make first"
	shift
	# One wildcard, and a number that no row has is not asked for.
	for pattern; do
		while [[ $pattern =~ ,[a-z_]+=\*(,|$) ]]; do
			pattern=${pattern/"${BASH_REMATCH[0]}"/"${BASH_REMATCH[1]}"}
		done
		cases+=(--case "$pattern")
	done
	if "$bin/$program" --list "${cases[@]}" </dev/null >"$work/listed" 2>"$work/said"; then
		sed "s/^/$program\t/" "$work/listed" >>"$work/there"
	elif (($# > 1)); then
		for pattern; do ask "$program" "$pattern"; done
	else
		range[$program]=$(sed -n 's/.* it may ask for \(.*\) (try --help)$/\1/p' "$work/said")
	fi
}

# ask_all: what the plan needs.
ask_all() {
	local program
	local -a patterns

	while read -r program; do
		mapfile -t patterns < <(awk -F '\t' -v p="$program" '$1 == p && $2 != "-" {
			gsub(/[& ]/, "\n", $2)
			print $2
		}' "$work/plan" | sort -u)
		((${#patterns[@]} == 0)) || ask "$program" "${patterns[@]}"
	done < <(cut -f 1 "$work/plan" | grep -v '^[][]$' | sort -u)
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

# Sizes that bw_mem is asked for where there is no run to look into.
readonly ARRAYS='4k 8k 16k 32k 64k 128k 256k 512k 1m 2m 4m 8m 16m 32m 64m'

# array_sizes KERNEL ISA: of the rows of one thread, in bytes.
array_sizes() {
	local size

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
	local -a sizes points

	if [[ -s $work/there ]]; then
		mapfile -t sizes < <(array_sizes "$4" "$5")
		mapfile -t points < <(points_of "$2" "$3" "${sizes[@]}")
	else
		# shellcheck disable=SC2206 # words
		sizes=($ARRAYS)
		points=("${sizes[@]/%/ $2}")
	fi
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
	section '"File system latency' lat_fs -s\ {0,1k,4k,10k}
	for name in lat_udp lat_tcp lat_connect; do section '' "$name" localhost; done
	section 'Socket bandwidth using localhost' bw_tcp \
		-m\ {1,64,128,256,512,1k,1437,8k,128k,1m,10m}\ localhost
	section '' bw_unix ''
	section '' bw_pipe ''
	section '"read bandwidth' bw_file_rd '64m io_only /var/tmp/XXX'
	section '"read open2close bandwidth' bw_file_rd '64m open2close /var/tmp/XXX'
	# LKP takes the line after the list above for its end, and nothing else: a
	# title that it looks for must not be that line.
	memory 'Memory bzero bandwidth' bzero 1 clear libc
	section '"Mmap read bandwidth' bw_mmap_rd '64m mmap_only /var/tmp/XXX'
	section '"Mmap read open2close bandwidth' bw_mmap_rd '64m open2close /var/tmp/XXX'
	memory '"libc bcopy unaligned' bcopy 2 copy libc
	memory '"unrolled bcopy unaligned' fcp 2 copy scalar
	memory 'Memory read bandwidth' frd 1 read scalar
	memory 'Memory partial write bandwidth' wr 1 write scalar
	printf '[\tcloses\t\t\t\t\n' >>"$work/plan"
	for size in 0 4 8 16 32 64; do
		for n in ovr 2 4 8 16 24 32 64 96; do take lat_ctx "-s $size $n" || :; done
	done
	printf ']\t\t\t\t\t\n' >>"$work/plan"
	section '' tlb ''
	section 'Memory load parallelism' par_mem ''
	section '' stream ''
	section 'Memory load latency' lat_mem_rd '64 128 head' '64 128 rows'
}
