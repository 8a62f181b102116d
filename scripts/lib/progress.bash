# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Progress: one line that is rewritten on a terminal, else a line a round.

spent=0 ran=0   # microseconds of all invocations, and their number
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

# progress_took MICROSECONDS: of an invocation.
progress_took() { ((spent += $1, ran += 1, 1)); }

# progress_left ROUND NUMBER: set left to the text for the time left, and percent: so
# many invocations of that round, and the rounds after it that are known.
progress_left() {
	local sum

	if [[ ${conf[seconds]} ]] && (($1 > 1)); then
		due_left
		sum=$due_left_us
	else
		sum=$(($2 + ($1 < conf[rounds] ? (conf[rounds] - $1) * ${#plan_ids[@]} : 0)))
		sum=$((ran ? sum * (spent / ran) : 0))
	fi
	percent=$((spent + sum ? spent * 100 / (spent + sum) : 0))
	left="time left unknown"
	((!ran)) || left="$(format_us "$sum") left"
}

# progress_show ROUND ID...: rewrite the line; these rows of the round are to come.
progress_show() {
	progress_left "$1" $(($# - 1))
	printf '\r\033[K%.79s' "$(printf '[%3d%%] round %d, %s, %s' "$percent" "$1" "$2" "$left")" >&"$log_fd" || :
	progress_line=1
}

# progress_round ROUND MICROSECONDS: a round has ended.
progress_round() {
	progress_terminal && return 0
	progress_left $(($1 + 1)) "${#round_ids[@]}"
	((${#round_ids[@]})) || left='the last one'
	log "round $1 took $(format_us "$2"), $left"
}
