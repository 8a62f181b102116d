# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# PRECISION: more rounds for programs that have a row with a wide interval.
#
# Only after 10, 20 and 30 rounds is looked, and `report wide` decides.  What
# it said is kept with the settings, as "program wide rows program ...": to ask
# again in the middle of added rounds would be another look.

readonly precision_step=10 precision_most=30

# precision_check: stop unless this can be had.
precision_check() {
	[[ -n ${conf[precision]:=} ]] || return 0
	# A number that JSON takes too.
	[[ ${conf[precision]} =~ ^(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?$ &&
		${conf[precision]} == *[1-9]* ]] ||
		die 2 "PRECISION must be a percentage such as 2 or 0.5, not '${conf[precision]}'"
	[[ ${conf[rounds]} =~ ^(10|20|30)$ ]] ||
		die 2 "PRECISION adds rounds after the 10th and the 20th: begin with" \
			"10 (PROFILE=default), 20 (PROFILE=publish) or 30, not ${conf[rounds]}"
}

# precision_more ROUND: after the last round that was planned: who goes on.
# Sets last and round_ids.
precision_more() {
	local wide

	((${#conf[precision]} && $1 == last)) || return 0
	[[ -n ${conf[wide_$1]:-} ]] || precision_ask "$1" || return 0
	wide=$(precision_text "${conf[wide_$1]}")
	progress_clear
	if [[ -z $wide ]]; then
		log "after round $1 no row is wider than ${conf[precision]} %"
	elif (($1 >= precision_most)); then
		log "after round $1 these are still not precise: $wide"
	else
		precision_select "${conf[wide_$1]}"
		((last += precision_step, total += precision_step * ${#round_ids[@]}, 1))
		progress_left "$precision_step"
		log "$precision_step more rounds of: $wide; $left"
	fi
}

# precision_ask ROUND: set conf[wide_ROUND], and keep it for --resume.
precision_ask() {
	local status=0

	child_run 300 "$bin/report" wide --within "${conf[precision]}" "$out" \
		>"$out/.rows" 2>"$out/.talk" || status=$?
	record_talk wide "$1" "$out/.talk"
	((!stopping)) || return 1
	if ((status)); then
		log "no rounds are added: $(tail -n 1 "$out/.talk")"
		failed=1
		return 1
	fi
	conf[wide_$1]=$(tr '\t\n' ' ' <"$out/.rows")
	fields_is 'list of programs' "${conf[wide_$1]}" ||
		die 1 "$bin/report wide says what it never would: run make"
	record_settings
}

# precision_select WORDS: set round_ids to the rows of these programs.
precision_select() {
	local i

	round_ids=()
	for i in "${!plan_ids[@]}"; do
		[[ " $1" != *" ${plan_programs[i]} "[0-9]* || -v plan_once[${plan_ids[i]}] ]] ||
			round_ids+=("${plan_ids[i]}")
	done
}

# precision_text WORDS: "mem_latency (4 of 73 rows wider than 2 %), tlb (2 of 75)".
precision_text() {
	local what=" rows wider than ${conf[precision]} %" comma=''
	local -a words

	read -ra words <<<"$1"
	set -- "${words[@]}"
	while (($# >= 3)); do
		printf '%s%s (%s of %s%s)' "$comma" "$1" "$2" "$3" "$what"
		what='' comma=', '
		shift 3
	done
}

# precision_json: what was asked for, and what was seen after which round.
precision_json() {
	local round comma=''
	local -a words

	printf ' "precision_pct": %s, "wide": [' "${conf[precision]:-null}"
	for round in 10 20 30; do
		read -ra words <<<"${conf[wide_$round]:-}"
		set -- "${words[@]}"
		while (($# >= 3)); do
			printf '%s\n  {"after_round": %d, "program": %s, "rows_wide": %d, "rows": %d}' \
				"$comma" "$round" "$(json_string "$1")" "$2" "$3"
			comma=,
			shift 3
		done
	done
	printf '],\n'
}
