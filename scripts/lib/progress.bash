# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Progress: one line that is rewritten on a terminal, else a line a round.

declare -A progress_sum=() progress_count=() # microseconds, invocations by id
progress_line=0 # whether the terminal shows our line now

# now_us: set now to a time in microseconds that nobody sets back: since the
# machine started, to 10 ms.
now_us() {
	local up=

	{ read -r up _ </proc/uptime; } 2>/dev/null || :
	if [[ $up =~ ^[0-9]+\.[0-9][0-9]$ ]]; then
		now=$((10#${up/./} * 10000))
	else
		now=${EPOCHREALTIME/[.,]/}
	fi
}

# took_us START: set took to the microseconds since then.
took_us() {
	now_us
	took=$((now > $1 ? now - $1 : 0))
}

# format_us MICROSECONDS: "4 min 05 s" or "12 s".
format_us() {
	local s=$((($1 + 500000) / 1000000))
	if ((s >= 60)); then
		printf '%d min %02d s' $((s / 60)) $((s % 60))
	else
		printf '%d s' "$s"
	fi
}

progress_terminal() { [[ -t 2 && ${TERM:-dumb} != dumb ]]; }

progress_clear() {
	if ((progress_line)); then
		printf '\r\033[K' >&"$log_fd" || :
		progress_line=0
	fi
}

# progress_took ID MICROSECONDS: learn how long a row takes.
progress_took() {
	((progress_sum[$1] += $2, progress_count[$1] += 1, 1))
}

# progress_spend: set spent to the microseconds of all invocations.
progress_spend() {
	local id

	spent=0
	for id in "${!progress_sum[@]}"; do
		((spent += progress_sum[$id], 1))
	done
}

# progress_expect ID...: set expected to how long these will take, us; rows
# that have not run yet are taken to be as long as the others, on average.
progress_expect() {
	local id sum=0 count=0

	for id in "${!progress_sum[@]}"; do
		((sum += progress_sum[$id], count += progress_count[$id], 1))
	done
	expected=0
	((count)) || return 0
	for id in "$@"; do
		if [[ -n ${progress_count[$id]:-} ]]; then
			((expected += progress_sum[$id] / progress_count[$id], 1))
		else
			((expected += sum / count, 1))
		fi
	done
}

# progress_left ROUND ID...: set left to the text for the time left, and percent:
# these rows of that round, and the rounds after it that are known.
progress_left() {
	local round=$1 sum rest
	shift

	if [[ ${conf[seconds]} ]] && ((round > 1)); then
		due_left
		sum=$due_left_us
	else
		progress_expect "$@"
		sum=$expected
		progress_expect "${plan_ids[@]}"
		rest=$((round < conf[rounds] ? conf[rounds] - round : 0))
		((sum += rest * expected, 1))
	fi
	progress_spend
	percent=$((spent + sum ? spent * 100 / (spent + sum) : 0))
	if ((sum || (spent && ${#conf[seconds]}))); then
		left="$(format_us "$sum") left"
	else
		left="time left unknown"
	fi
}

# progress_show ROUND ID...: rewrite the line; these rows of the round are to come.
progress_show() {
	progress_left "$@"
	printf '\r\033[K%.79s' "$(printf '[%3d%%] round %d, %s, %s' "$percent" "$1" "$2" "$left")" >&"$log_fd" || :
	progress_line=1
}

# progress_round ROUND MICROSECONDS: a round has ended.
progress_round() {
	progress_terminal && return 0
	progress_left $(($1 + 1)) "${round_ids[@]}"
	((${#round_ids[@]})) || left='the last one'
	log "round $1 took $(format_us "$2"), $left"
}
