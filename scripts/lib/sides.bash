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
