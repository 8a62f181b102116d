# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The plan: what to run, and with which settings.
#
# A plan has an id, a program, its arguments and a time limit in seconds,
# separated by tabs; # starts a comment line.  The suite's are the `run` lines
# of its rows.tsv (docs/rows.md).  A run's own plan.tsv has its settings, too,
# in lines "@name<TAB>value": --resume reads it.

declare -a plan_ids=() plan_programs=() plan_args=() plan_limits=()
declare -A plan_once=()  # ids of rows that run in the first round alone
declare -A plan_asked=() # ids of rows that are there on request: always whole
declare -A plan_quoted=() # programs that have core rows
declare -A plan_card=()   # --case of each that has rows of the card
declare -A plan_suite=() # arguments of "id program" that are known to be ours
plan_held=               # whether a plan is held to these

# plan_read FILE [REMEDY]: a suite; with REMEDY the plan of a run that stopped,
# where arguments that name files or hosts must be those of a row of the suite.
plan_read() {
	[[ -r $1 ]] || die 2 "cannot read the plan $1"
	plan_held=${2:+1}
	fields_read "$1" "${2:-correct the line}" plan_row \
		'row id' 'program name' text word
	((${#plan_ids[@]})) || die 2 "$1 has no rows"
}

# plan_read_suite FILE KINDS: FILE, or the lines of these kinds of the suite.
plan_read_suite() {
	local kind id cases words

	while IFS=$'\t' read -r kind id cases words _; do
		case $kind in
		core)
			plan_quoted[$id]=1
			[[ $words == - ]] || plan_card[$id]+=" --case ${cases// / --case }"
			;;
		once) plan_asked[$id]=1 plan_once[$id]=1 ;;
		*) plan_asked[$id]=1 ;;
		esac
	done < <(sed -n '/^\(once\|peer\|export\|core\)\t/p' "$root"/{bench/*,monitor}/rows.tsv)
	[[ -z $1 ]] || { plan_read "$1" && return; }
	plan_read <(sed -nE "s/^($2)\t//p" "$root"/{bench/*,monitor}/rows.tsv | cut -f 1-4)
	peer_plan
}

# plan_whole: all rows of a program's own line, not only those that it names.
plan_whole() {
	local i

	for i in "${!plan_ids[@]}"; do
		# shellcheck disable=SC2001 # up to the next blank
		[[ ${plan_ids[i]} != "${plan_programs[i]}" ]] ||
			plan_args[i]=$(sed 's/--case [^ ]* *//g' <<<"${plan_args[i]}")
	done
}

# plan_core WORDS [card]: of programs that have core rows only those (or only
# those of the card), and of others none, unless WORDS name them.
plan_core() {
	local program rows i

	[[ -z ${2-} ]] || plan_whole
	for i in "${!plan_ids[@]}"; do
		program=${plan_programs[i]} rows=
		if [[ -z ${2-} ]]; then
			rows=${plan_quoted[$program]+ --core}
		elif [[ ${plan_ids[i]} == "$program" ]]; then # other lines have other cases
			rows=${plan_card[$program]-}
		fi
		# Copies on several CPUs have no core rows.
		if [[ $rows && ${plan_args[i]} != *--copies* && ! -v plan_asked[${plan_ids[i]}] ]]; then
			plan_args[i]+=$rows
		elif [[ -z $1 && ! -v plan_asked[${plan_ids[i]}] ]]; then
			unset "plan_ids[i]" "plan_programs[i]" "plan_args[i]" "plan_limits[i]"
		fi
	done
	plan_pack
}

# plan_pack: close the gaps.
plan_pack() {
	plan_ids=("${plan_ids[@]}") plan_programs=("${plan_programs[@]}")
	plan_args=("${plan_args[@]}") plan_limits=("${plan_limits[@]}")
}

# plan_kinds 'CPU KIND'...: the core rows once more, on each of these CPUs.
plan_kinds() {
	local kind name i

	for i in "${!plan_ids[@]}"; do
		# Other lines of the program have no core rows, or ask for a network.
		[[ ${plan_ids[i]} == "${plan_programs[i]}" && -v plan_quoted[${plan_ids[i]}] ]] || continue
		for kind; do
			name=${kind#* }
			plan_ids+=("${plan_ids[i]}_${name,,}")
			plan_programs+=("${plan_programs[i]}")
			plan_args+=("${plan_args[i]% --core} --core --cpu ${kind% *}")
			plan_limits+=("${plan_limits[i]}")
		done
	done
}

# plan_row ID PROGRAM ARGUMENTS LIMIT
plan_row() {
	local other

	fields_need 1-86400 "$4" "limit of $1:"
	for other in "${plan_ids[@]}"; do
		[[ $other != "$1" ]] || fields_refuse "two rows have the id $1"
	done
	[[ -z $plan_held || " $3 " == " ${plan_suite[$1 $2]-} " ]] ||
		fields_is 'list of plain arguments' "$3" ||
		fields_refuse "the arguments '$(fields_show "$3")' may name a file or a host"
	plan_ids+=("$1")
	plan_programs+=("$2")
	plan_args+=("$3")
	plan_limits+=("$4")
}

# plan_trust: take the rows that have been read for what a plan may have.
plan_trust() {
	local i

	for i in "${!plan_ids[@]}"; do
		plan_suite["${plan_ids[i]} ${plan_programs[i]}"]=${plan_args[i]}
	done
	plan_ids=() plan_programs=() plan_args=() plan_limits=()
}

# plan_select WORDS: keep the rows whose id or program is one of WORDS
# (patterns such as mem_* too); every word must match something.
plan_select() {
	local -a words keep=()
	local word i n

	read -ra words <<<"$1"
	((${#words[@]})) || die 2 "--only names no program; known: ${plan_ids[*]}"
	for word in "${words[@]}"; do
		n=0
		for i in "${!plan_ids[@]}"; do
			# shellcheck disable=SC2053 # a pattern, on purpose
			if [[ ${plan_ids[i]} == $word || ${plan_programs[i]} == $word ]]; then
				keep[i]=1
				n=1
			fi
		done
		((n)) || die 2 "unknown program '$word'; $(meant "$word" "the plan has ${#plan_ids[@]}, see docs/rows.md" "${plan_ids[@]}" "${plan_programs[@]}")"
	done
	for i in "${!plan_ids[@]}"; do
		[[ -v keep[i] ]] || unset "plan_ids[i]" "plan_programs[i]" "plan_args[i]" "plan_limits[i]"
	done
	plan_pack
}

# plan_write: the plan on stdout, with the settings that are kept.
plan_write() {
	local i

	printf '# For oscost run --resume: do not edit.\n'
	settings_print saved
	for i in "${!plan_ids[@]}"; do
		printf '%s\t%s\t%s\t%s\n' "${plan_ids[i]}" "${plan_programs[i]}" \
			"${plan_args[i]}" "${plan_limits[i]}"
	done
}
