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

# progress_left ROUNDS ID...: set left to the text for the time left: these
# rows and then so many rounds of round_ids.
progress_left() {
	local rounds=$1 sum
	shift

	progress_expect "$@"
	sum=$expected
	progress_expect "${round_ids[@]}"
	((sum += rounds * expected, 1))
	if ((expected)); then
		left="$(format_us "$sum") left"
	else
		left="time left unknown"
	fi
}

# progress_show PERCENT ROUND ROUNDS ID LEFT: rewrite the line.
progress_show() {
	printf '\r\033[K%.79s' "$(printf '[%3d%%] round %d/%d, %s, %s' "$@")" >&"$log_fd" || :
	progress_line=1
}

# progress_round ROUND ROUNDS MICROSECONDS LEFT: a round has ended.
progress_round() {
	progress_terminal && return 0
	log "round $1 of $2 took $(format_us "$3"), $4"
}
