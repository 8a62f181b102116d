# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What was asked of a fleet: settings, nodes and pairs, in plan.tsv.

declare -a nodes=() pairs=() # of pairs: client,server
declare -A down=()           # node: why it is not even tried
# What plan.tsv keeps, and of which kind each is (fields.bash).
declare -rA asked=([engine]=word [partition]=word [profile]=word [only]=text [rounds]=number
	[effort]=number [pairs]='optional number' [seed]=number [limit]=number [queue]=number
	[fanout]=number [dir]=text [started_at]=word)

# asked_defaults: of a new run.
asked_defaults() {
	local -A limits=([card]=300 [quick]=900 [default]=7200)
	local given=${conf[rounds]-}

	profile
	# All nodes have the same rounds: the most that a row of a short run has.
	[[ $given || ${conf[profile]} == default ]] || conf[rounds]=${conf[most]}
	: "${conf[limit]:=${limits[${conf[profile]}]}}" "${conf[queue]:=3600}" "${conf[pairs]:=0}"
	: "${conf[dir]:=/var/tmp}" "${conf[only]:=}" "${conf[partition]:=}"
	conf[seed]=${conf[seed]:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
	conf[started_at]=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	if [[ ${conf[engine]} == local ]]; then
		: "${conf[fanout]:=1}"
	else
		: "${conf[fanout]:=64}"
	fi
}

# asked_check: whatever comes from the user or from a file.
asked_check() {
	[[ ${conf[engine]} == @(slurm|hosts|local) && ${conf[profile]} == @(card|quick|default) ]] ||
		die 2 "no engine '$(fields_show "${conf[engine]}")', or no profile '$(fields_show "${conf[profile]}")'"
	need_number --rounds "${conf[rounds]}" 1 1000
	need_number --effort "${conf[effort]}" 1 1000
	need_number --pairs "${conf[pairs]}" 0 10000
	need_number --seed "${conf[seed]}" 0 4294967295
	need_number --limit "${conf[limit]}" 1 604800
	need_number --queue "${conf[queue]}" 1 604800
	need_number --fanout "${conf[fanout]}" 1 4096
	# A shell on each node reads it.
	[[ ${conf[dir]} =~ ^(/[A-Za-z0-9_+][A-Za-z0-9._+-]*)+$ ]] ||
		die 2 "--dir: '$(fields_show "${conf[dir]}")' is no absolute path of letters, digits, . _ + -"
	[[ -z ${conf[partition]} ]] || fields_is node "${conf[partition]}" ||
		die 2 "--partition: '$(fields_show "${conf[partition]}")' is no name"
}

# asked_save: on stdout.
asked_save() {
	local name

	printf '# What fleet run --resume goes on with.  Do not edit.\n'
	for name in "${!asked[@]}"; do
		printf '@%s\t%s\n' "$name" "${conf[$name]-}"
	done
	printf 'node\t%s\n' "${nodes[@]}"
	((!${#pairs[@]})) || printf 'pair\t%s\n' "${pairs[@]}"
}

# asked_load DIR: it names the nodes that commands are run on: so it must be ours.
asked_load() {
	local name file fields_line fields_file fields_remedy

	[[ -r $1/plan.tsv ]] || die 2 "$(fields_show "$1") is no fleet: it has no plan.tsv"
	place_check "$command" "$1" 0
	out=$(cd "$1" && pwd)
	file=$out/plan.tsv
	[[ -f $file && ! -L $file && -O $file ]] ||
		die 2 "$file is none that this user's $0 run has written: not obeyed"
	nodes=() pairs=()
	fields_file=$file fields_remedy="it is not as $0 run writes it: begin a new run"
	fields_read "$file" "$fields_remedy" asked_line word text
	for name in "${!asked[@]}"; do
		plan_setting "$name" "${asked[$name]}"
	done
	asked_check
	((${#nodes[@]})) || die 2 "$file names no node; $fields_remedy"
}

# asked_line KIND NAME
# shellcheck disable=SC2317 # fields_read calls it
asked_line() {
	case $1 in
	node)
		fields_need node "$2" 'the name'
		nodes+=("$2")
		;;
	pair)
		fields_need node "${2%%,*}" 'the client'
		fields_need node "${2#*,}" 'the server'
		pairs+=("$2")
		;;
	*) fields_refuse "'$(fields_show "$1")' is neither node nor pair" ;;
	esac
}

# asked_pairs: who measures with whom, K partners each: all pairs of few; of many
# a random regular graph: nodes in a random ring, random distances on it.
asked_pairs() {
	local k=${conf[pairs]} n=${#nodes[@]} i step
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
			asked_pair "${ring[i]}" "${ring[(i + step + 1) % n]}"
		done
	done
}

# asked_pair A B: once, whoever is named first.
asked_pair() {
	local a=$1 b=$2

	((a < b)) || a=$2 b=$1
	[[ ! -v seen[$a,$b] ]] || return 0
	seen[$a,$b]=1
	pairs+=("${nodes[a]},${nodes[b]}")
}
