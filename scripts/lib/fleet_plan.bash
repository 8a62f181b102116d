# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What was asked of a fleet: settings, nodes and pairs, in plan.tsv.

declare -a nodes=() pairs=() # of pairs: client,server
# What plan.tsv keeps, and of which kind each is: an option's own, or another.
declare -A asked=([engine]='slurm|hosts|local' [profile]='card|quick|default' [partition]=?node
	[only]=?text [rounds]='' [effort]='' [pairs]='' [seed]='' [limit]='' [queue]='' [fanout]='' [dir]=''
	[started_at]=word)

# fleet_save: on stdout.
fleet_save() {
	local name

	printf '# What fleet run --resume goes on with.  Do not edit.\n'
	for name in "${!asked[@]}"; do
		printf '@%s\t%s\n' "$name" "${conf[$name]-}"
	done
	printf 'node\t%s\n' "${nodes[@]}"
	((!${#pairs[@]})) || printf 'pair\t%s\n' "${pairs[@]}"
}

# fleet_load DIR: it names the nodes that commands are run on: so it must be ours.
fleet_load() {
	local name fields_line fields_file fields_remedy

	[[ -r $1/plan.tsv ]] || die 2 "$(fields_show "$1") is no fleet: it has no plan.tsv"
	place_check DIR "$1" 0
	out=$(cd "$1" && pwd)
	fields_file=$out/plan.tsv
	place_own_file "$fields_file" "$0 run"
	nodes=() pairs=()
	fields_remedy="it is not as $0 run writes it: begin a new run"
	fields_read "$fields_file" "$fields_remedy" fleet_line word text
	for name in "${!asked[@]}"; do
		plan_setting "$name" "${asked[$name]:-${option_kind[$name]}}"
	done
	((${#nodes[@]})) || die 2 "$fields_file names no node; $fields_remedy"
}

# fleet_line KIND NAME
# shellcheck disable=SC2317 # fields_read calls it
fleet_line() {
	fields_need 'node|pair' "$1" 'column 1:'
	fields_need node "${2%%,*}" 'the name'
	fields_need node "${2#*,}" 'the name'
	if [[ $1 == node ]]; then nodes+=("$2"); else pairs+=("$2"); fi
}

# fleet_pair: who measures with whom, K partners each: all pairs of few; of many
# a random regular graph: nodes in a random ring, random distances on it.
fleet_pair() {
	local k=${conf[pairs]} n=${#nodes[@]} i step a b
	local -a ring steps
	local -A seen=()

	pairs=()
	# An odd number of nodes cannot all have an odd number of partners.
	((k += k % 2 && n % 2, k < n)) || k=$((n - 1))
	((k)) || return 0
	random_seed "${conf[seed]}"
	random_order "$n"
	ring=("${random_permutation[@]}")
	# Each distance below n / 2 gives two partners, n / 2 itself one.
	random_order $(((n - 1) / 2))
	steps=("${random_permutation[@]:0:k/2}")
	((k % 2 == 0)) || steps+=($((n / 2 - 1)))
	for step in "${steps[@]}"; do
		for ((i = 0; i < n; i++)); do
			a=${ring[i]} b=${ring[(i + step + 1) % n]}
			# Once, whoever is named first.
			[[ ! -v seen[$a,$b] ]] || continue
			seen[$a,$b]=1 seen[$b,$a]=1
			pairs+=("${nodes[a < b ? a : b]},${nodes[a < b ? b : a]}")
		done
	done
}
