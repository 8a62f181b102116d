# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The measuring itself: rounds, in each of them every row once.

declare -a prefix=() # command before each program: chrt
declare -A hung=()   # how often each row did not end
declare -A told=()   # last message about each row
reason=              # why the last program failed, or had no row

# rounds_run: all rounds that are not done yet.
rounds_run() {
	local round before done_before fresh phase

	due_prepare
	due_round 1
	for ((round = 1; ${#round_ids[@]}; round++)); do
		now_us
		before=$now
		done_before=${#journal_done[@]}
		rounds_one "$round"
		((!stopping)) || break
		fresh=$((${#journal_done[@]} - done_before))
		# The record decides which programs are due.
		record_run true ''
		due_round $((round + 1))
		((!stopping)) || break
		# Nothing to tell of a round that was over before --resume.
		((fresh)) || continue
		phase=after
		((!${#round_ids[@]})) || phase=between
		record_noise "$phase" "$round"
		record_sync
		took_us "$before"
		progress_round "$round" "$took"
	done
	progress_clear
}

# rounds_one ROUND: every row of round_ids once.  The order depends on the seed
# and the round alone, so a resumed run goes on in the order it would have had.
rounds_one() {
	local round=$1 i at seed

	random_seed "${conf[seed]}" "$round"
	random_order "${#plan_ids[@]}"
	for at in "${!random_permutation[@]}"; do
		i=${random_permutation[at]}
		# Drawn for each row, also for one that is skipped.
		random_next
		seed=$random_value
		[[ -z ${journal_done["$round ${plan_ids[i]}"]:-} ]] || continue
		rounds_has "${plan_ids[i]}" || continue
		rounds_show "$round" "$at"
		rounds_row "$round" "$i" "$seed"
		((!stopping)) || return 0
	done
}

# rounds_has ID: whether this round has it.
rounds_has() { [[ " ${round_ids[*]} " == *" $1 "* ]]; }

# rounds_show ROUND AT: the progress line for the row at that place.
rounds_show() {
	local i
	local -a ids=()

	progress_terminal || return 0
	for i in "${random_permutation[@]:$2}"; do
		! rounds_has "${plan_ids[i]}" || ids+=("${plan_ids[i]}")
	done
	progress_show "$1" "${ids[@]}"
}

# rounds_row ROUND ROW SEED [AGAIN]: one invocation.
rounds_row() {
	local round=$1 i=$2 seed=$3 id=${plan_ids[$2]} status=0 start seconds
	local -a args

	# A program that hung twice would hang in each round, for the whole limit.
	if ((${hung[$id]:-0} >= 2)); then
		record_journal "$round" "$id" 124 0 "not tried again: no end twice"
		return 0
	fi
	read -ra args <<<"${plan_args[i]/"$peer_from"/"$peer_to"}"
	((!round_core)) || [[ ! ${due_args[$id]} ]] || args+=("${due_args[$id]}")
	args=("${args[@]/#%OUT/"$out"}")
	record_ready
	child_ran=0
	now_us
	start=$now
	{ child_run "${plan_limits[i]}" "${prefix[@]}" "$bin/${plan_programs[i]}" \
		--json -n 1 --round "$round" --seed "$seed" \
		--effort "${conf[effort]}" "${common[@]}" "${files_option[@]}" "${args[@]}" \
		>>"$out/.rows" 2>>"$out/.talk" || status=$?; } 2>/dev/null
	((status < 124)) || record_own=0
	record_there
	((child_ran)) || record_stuck ".rows or .talk cannot be opened"
	took_us "$start"
	record_talk "$id" "$round" "$out/.talk"
	# The invocation that ran when the user stopped us is lost, and done again by
	# --resume.
	((!stopping)) || return 0
	if ((status)) && ! rounds_room "$i" "$status" && [[ -z ${4-} ]]; then
		rounds_row "$@" again
		return
	fi
	record_rows "$out/.rows"
	rounds_reason "$i" "$status" "$took"
	printf -v seconds '%d.%06d' $((took / 1000000)) $((took % 1000000))
	record_journal "$round" "$id" "$status" "$seconds" "$reason"
	progress_took "$took"
	if ((status != 0)); then
		rounds_report "$round" "$id" "$status"
	fi
}

# rounds_room ROW STATUS: an invocation whose rows had no place is not over; there
# may have been none for the message either.  Return: 1 if it says nothing, or half
# a row, although there is room now.
rounds_room() {
	local why

	why=$(sed -n "s/^${plan_programs[$1]}: cannot write the output: //p" "$out/.talk")
	[[ -z $why ]] || record_stuck "$why"
	if (($2 < 124)) && [[ $(tail -c 1 "$out/.rows" | tr '\0' x) || (! -s $out/.rows && ! -s $out/.talk) ]]; then
		record_probe
		return 1
	fi
}

# rounds_reason ROW STATUS MICROSECONDS: set reason, and status where the program's
# own does not tell the truth.
rounds_reason() {
	reason=
	if (($2)); then
		child_reason "$2" "$3" "${plan_limits[$1]}" "$out/.talk"
		reason=${reason#"${plan_programs[$1]}: "}
		((status != 124)) || ((hung[${plan_ids[$1]}] += 1, 1))
	elif ((!rows)); then
		status=1
		reason="it printed no row"
	fi
}

# rounds_report ROUND ID STATUS: say it at once, but only once for each reason.
rounds_report() {
	local word=failed

	(($3 != 77)) || word=skipped
	[[ ${told[$2]:-} != "$word: $reason" ]] || return 0
	told[$2]="$word: $reason"
	progress_clear
	log "$2 $word in round $1: $reason"
}
