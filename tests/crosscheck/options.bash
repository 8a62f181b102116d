# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For all of them: options, and rounds that are kept in a file.

export LC_ALL=C
here=$(readlink -f "${BASH_SOURCE[0]}") here=${here%/*}
readonly here
# shellcheck source-path=SCRIPTDIR/../../scripts source=lib/log.bash
source "$here/../../scripts/lib/log.bash"

bin=${here%/*/*}/build/bin
rounds=10 cpu=0 values=''

# take_options "NAME..." PROGRAM ARGUMENT...: --NAME VALUE sets this variable.
take_options() {
	local taken=" $1 " program=$2

	shift 2
	while (($#)); do
		[[ $1 != -h && $1 != --help ]] || { usage && exit 0; }
		[[ $1 == --* && $taken == *" ${1#--} "* ]] || die 2 "unknown argument '$1'; see $0 --help"
		(($# >= 2)) || die 2 "$1 needs a value"
		printf -v "${1#--}" '%s' "$2"
		shift 2
	done
	need_number rounds "$rounds" "${least_rounds:-1}" 1000
	[[ -z $cpu ]] || need_number cpu "$cpu" 0 65535
	[[ -x $bin/$program ]] || die 2 "no programs in $bin; run make first"
}

# last_round: the greatest number of a round in $values.
last_round() { awk -F'\t' '$1 > n { n = $1 } END { print n + 0 }' "$values" 2>/dev/null || echo 0; }

# last_cpu: the programs' own choice, the last one that may be used.
last_cpu() { taskset -cp $$ | sed 's/.*[ ,-]//'; }

# take_rounds FUNCTION: call it with the number of each round.
take_rounds() {
	local before round

	before=$(last_round)
	for ((round = before + 1; round <= before + rounds; round++)); do
		"$1" "$round"
	done
}

# table: medians over the rounds, and of the ratios.
table() { awk -f "$here/ratios.awk" "$values"; }

# note ROUND WHAT/WHO VALUE: one measured value.
note() { printf '%s\t%s\t%s\n' "$@" >>"$values"; }

has() { command -v "$1" >/dev/null; }
