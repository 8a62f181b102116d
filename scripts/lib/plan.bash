# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The plan: which rows of suite.tsv to run, and with which settings.
#
# Columns of suite.tsv: id, program, arguments, time limit in seconds;
# separated by tabs; # starts a comment line.  A run's own plan.tsv has the
# same form, and its settings in lines "@name<TAB>value": --resume reads it.

declare -a plan_ids=() plan_programs=() plan_args=() plan_limits=()

# plan_read FILE
plan_read() {
	local file=$1 line id program args limit
	local -a lines

	[[ -r $file ]] || die 2 "cannot read the plan $file"
	mapfile -t lines <"$file"
	for line in "${lines[@]}"; do
		[[ -z $line || $line == [#@]* ]] && continue
		# Tabs are white space to read: make empty columns visible.
		IFS=$'\x1f' read -r id program args limit <<<"${line//$'\t'/$'\x1f'}"
		plan_check "$file" "$id" "$program" "$limit"
		plan_ids+=("$id")
		plan_programs+=("$program")
		plan_args+=("$args")
		plan_limits+=("$limit")
	done
	((${#plan_ids[@]})) || die 2 "$file has no rows"
}

# plan_check FILE ID PROGRAM LIMIT: stop unless this can be a row.
plan_check() {
	local file=$1 id=$2 program=$3 limit=$4 other

	[[ $id =~ ^[a-z0-9_.-]+$ && $program =~ ^[a-z0-9_-]+$ ]] ||
		die 2 "$file: '$id' is not a row of id, program, arguments, limit"
	need_number "$file: limit of $id" "$limit" 1 86400
	for other in "${plan_ids[@]}"; do
		[[ $other != "$id" ]] || die 2 "$file: two rows have the id $id"
	done
}

# plan_select WORDS: keep the rows whose id or program is one of WORDS
# (patterns such as mem_* too); every word must match something.
plan_select() {
	local -a words keep=() ids programs args limits
	local word i n

	read -ra words <<<"$1"
	((${#words[@]})) || die 2 "ONLY names no program; known: ${plan_ids[*]}"
	for word in "${words[@]}"; do
		n=0
		for i in "${!plan_ids[@]}"; do
			# shellcheck disable=SC2053 # a pattern, on purpose
			if [[ ${plan_ids[i]} == $word || ${plan_programs[i]} == $word ]]; then
				keep[i]=1
				n=1
			fi
		done
		((n)) || die 2 "unknown program '$word'; known: ${plan_ids[*]}"
	done
	for i in "${!keep[@]}"; do
		ids+=("${plan_ids[i]}")
		programs+=("${plan_programs[i]}")
		args+=("${plan_args[i]}")
		limits+=("${plan_limits[i]}")
	done
	plan_ids=("${ids[@]}") plan_programs=("${programs[@]}")
	plan_args=("${args[@]}") plan_limits=("${limits[@]}")
}

# plan_write NAME...: the plan on stdout, with the settings conf[NAME].
plan_write() {
	local name i

	printf '# What run-all --resume goes on with.  Do not edit.\n'
	for name in "$@"; do
		printf '@%s\t%s\n' "$name" "${conf[$name]:-}"
	done
	for i in "${!plan_ids[@]}"; do
		printf '%s\t%s\t%s\t%s\n' "${plan_ids[i]}" "${plan_programs[i]}" \
			"${plan_args[i]}" "${plan_limits[i]}"
	done
}

# plan_settings FILE NAME...: read these settings of FILE into conf.
plan_settings() {
	local file=$1 name
	shift
	for name in "$@"; do
		conf["$name"]=$(sed -n "s/^@$name\t//p" "$file")
	done
}
