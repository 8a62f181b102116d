# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Random numbers that are the same for a seed in every version of bash.
#
# Source: splitmix64, G. Steele, D. Lea, C. Flood, "Fast splittable
# pseudorandom number generators", OOPSLA 2014.  bash has signed 64-bit
# integers, so each right shift is masked.

random_state=0

# random_seed N...: start over from these numbers.
random_seed() {
	local n
	random_state=0
	for n in "$@"; do
		random_next
		((random_state = random_value ^ n, 1))
	done
	random_next
}

# random_next: set random_value to the next number, 0 to 2^32 - 1.
random_next() {
	local z
	((random_state += 0x9E3779B97F4A7C15, z = random_state, 1))
	((z = (z ^ (z >> 30 & 0x3FFFFFFFF)) * 0xBF58476D1CE4E5B9, 1))
	((z = (z ^ (z >> 27 & 0x1FFFFFFFFF)) * 0x94D049BB133111EB, 1))
	((random_value = z >> 32 & 0xFFFFFFFF, 1))
}

# random_order N: set random_permutation to 0 ... N-1, shuffled.
random_order() {
	local i j swap

	random_permutation=()
	for ((i = 0; i < $1; i++)); do
		random_permutation+=("$i")
	done
	for ((i = $1 - 1; i > 0; i--)); do
		random_next
		((j = random_value % (i + 1), 1))
		swap=${random_permutation[i]}
		random_permutation[i]=${random_permutation[j]}
		random_permutation[j]=$swap
	done
}
