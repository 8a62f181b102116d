# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The programs of each round.
#
# The first rounds have every line of the plan; if there are rows beside the core
# rows, a round of the core rows alone follows each of these.  Then `report due`
# lists the programs whose core rows need more, until there are none or the time is over.
# Its answer is kept with the settings, so that --resume goes on in the same way.

declare -a round_ids=() # lines of the plan that the round has
declare -A due_args=()  # ids that later rounds may have: what limits them to core rows
declare -a due_all=()   # --all where there are no core rows
round_core=0            # whether the round has core rows alone
due_first=              # so many rounds are certain before the run begins

# due_prepare: what all rounds need to know.
due_prepare() {
	local i id

	for i in "${!plan_ids[@]}"; do
		id=${plan_ids[i]}
		if [[ ${conf[profile]} == card || " ${plan_args[i]} " == *" --core "* ]]; then
			due_args[$id]=
		elif [[ -v plan_quoted[$id] && $id == "${plan_programs[i]}" ]]; then
			due_args[$id]=--core
		fi
	done
	due_first=${conf[rounds]}
	[[ ${due_args[*]} != *--core* || ! ${conf[goal]} ]] || ((due_first *= 2))
	((${#due_args[@]})) || {
		due_all=(--all)
		for id in "${plan_ids[@]}"; do due_args[$id]=; done
	}
	for id in "${!plan_once[@]}"; do unset "due_args[$id]"; done
}

# due_round ROUND: set round_ids and round_core; no ids: the run is over.
due_round() {
	local id i words=

	round_ids=() round_core=0
	if (($1 <= due_first)); then
		((due_first == conf[rounds] || $1 % 2)) || round_core=1
		for id in "${plan_ids[@]}"; do
			[[ ! -v plan_once[$id] || $1 -eq 1 ]] || continue
			((!round_core)) || [[ -v due_args[$id] ]] || continue
			round_ids+=("$id")
		done
		return
	fi
	[[ ${conf[goal]} ]] || return 0
	[[ " ${conf[due]} " =~ " $1:"([a-z0-9_,-]*)" " ]] || due_ask "$1" || return 0
	words=${BASH_REMATCH[1]}
	round_core=1
	for i in "${!plan_ids[@]}"; do
		[[ ",$words," != *",${plan_programs[i]},"* || ! -v due_args[${plan_ids[i]}] ]] ||
			round_ids+=("${plan_ids[i]}")
	done
}

# due_ask ROUND: which programs that round has, into BASH_REMATCH[1], and keep it.
due_ask() {
	local status=0 left=() said

	if [[ ${conf[seconds]} ]]; then
		due_left
		left=(--left $((due_left_us / 1000)))
	fi
	child_run 60 "$bin/report" due --goal "${conf[goal]}" --first "$due_first" \
		--least $((2 * conf[rounds])) --most "${conf[most]}" "${left[@]}" "${due_all[@]}" "$out" \
		>"$out/.rows" 2>"$out/.talk" || status=$?
	((!stopping)) || return 1
	if ((status)); then
		log "no more rounds: $(tail -n 1 "$out/.talk")"
		failed=1
		return 1
	fi
	said=$(tr '\n' , <"$out/.rows")
	conf[due]+="${conf[due]:+ }$1:$said"
	fields_is 'list of rounds' "${conf[due]}" ||
		die 1 "$bin/report due says what it never would: run make"
	record_settings
	[[ " ${conf[due]} " =~ " $1:"([a-z0-9_,-]*)" " ]]
}

# due_left: set due_left_us to the time left for rounds; a tenth of a run's time is
# for the report.
due_left() {
	took_us "$run_start"
	# For a run that goes on, the time that it spent before counts.
	due_left_us=$((conf[seconds] * 900000 - (took > spent ? took : spent)))
	((due_left_us > 0)) || due_left_us=0
}
