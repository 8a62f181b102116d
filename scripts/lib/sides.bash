# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sides in turn: builds, commands, layers, kernels.  A round has each of them once, so
# that what the machine does meanwhile falls on all alike.

declare -a sides=() # their names
declare -a turns=() # "ROUND PROGRAM SIDE", numbers

# sides_turns ROUNDS [PROGRAMS]: set turns: there and back (a b, b a); with so many
# PROGRAMS these shuffled, and the sides of each.
sides_turns() {
	local rounds=$1 programs=${2-} round program side
	local -a order

	turns=()
	for ((round = 1; round <= rounds; round++)); do
		if [[ -z $programs ]]; then
			for side in "${!sides[@]}"; do
				((round % 2)) || side=$((${#sides[@]} - 1 - side))
				turns+=("$round 0 $side")
			done
			continue
		fi
		random_order "$programs"
		order=("${random_permutation[@]}")
		for program in "${order[@]}"; do
			random_order "${#sides[@]}"
			turns+=("${random_permutation[@]/#/"$round $program "}")
		done
	done
}

# sides_run OVER DO: call DO ROUND PROGRAM SIDE NUMBER in each turn for which OVER,
# called so, is false, until sides_end is set.
sides_run() {
	local number
	local -a turn

	sides_end=
	for ((number = 1; number <= ${#turns[@]}; number++)); do
		read -ra turn <<<"${turns[number - 1]}"
		! "$1" "${turn[@]}" "$number" || continue
		"$2" "${turn[@]}" "$number"
		[[ -z $sides_end ]] || return 0
	done
}

# sides_compare REPORT DIR OPTION...: print what `report compare` finds; the tables of
# all rows go into DIR.  Return: the report's status.
sides_compare() {
	local report=$1 dir=$2
	shift 2

	"$report" compare --out "$dir" "$@" "${sides[@]/#/$dir/}"
}
