# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What a run keeps in its directory: see docs/results-format.md.
#
# journal.tsv has a line for each invocation that is over: round, id, exit
# status, seconds, size of invocations.jsonl after it, reason.  A line is
# written last, so a run that was killed at any moment can be taken up again.

declare -A journal_done=() # "round id" of what is over
record_size=0              # bytes in invocations.jsonl

# record_journal ROUND ID STATUS SECONDS REASON
record_journal() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$record_size" \
		"${5//[$'\t\r\n']/ }" >>"$out/journal.tsv" || record_full
	journal_done["$1 $2"]=1
}

# record_load: read the journal of a run that stopped, and cut what an
# invocation that is not in it had begun to write.
record_load() {
	local size whole

	touch "$out/journal.tsv" "$out/invocations.jsonl"
	# A last line that is not whole does not count.
	whole=$(grep -c '' "$out/journal.tsv" || :)
	[[ -z $(tail -c 1 "$out/journal.tsv") ]] || whole=$((whole - 1))
	sed -i "$((whole + 1)),\$d" "$out/journal.tsv"
	record_journal_read record_loaded
	size=$(stat -c %s "$out/invocations.jsonl")
	((size >= record_size)) || die 1 "$out/invocations.jsonl has lost rows" \
		"($size bytes, $record_size expected): cannot go on with this run"
	truncate -s "$record_size" "$out/invocations.jsonl"
}

# record_journal_read HANDLER: the journal's lines.
record_journal_read() {
	fields_read "$out/journal.tsv" "$(remedy)" "$1" number 'row id' \
		'exit status' 'time in seconds' number text
}

# record_loaded ROUND ID STATUS SECONDS SIZE REASON: a line of the journal.
record_loaded() {
	[[ " ${plan_ids[*]} " == *" $2 "* ]] || fields_refuse "the plan has no row $2"
	[[ -z ${journal_done["$1 $2"]:-} ]] || fields_refuse "$2 is there twice for round $1"
	(($5 >= record_size)) || fields_refuse "the size $5 is less than before"
	journal_done["$1 $2"]=1
	progress_took "$2" $((10#${4/./}))
	record_size=$5
}

# record_rows FILE: append the whole rows of FILE to invocations.jsonl; rows
# says whether there were any.  All or nothing, if the disk is full.
record_rows() {
	local file=$1 before=$record_size lines

	lines=$(wc -l <"$file")
	awk -v lines="$lines" 'NR <= lines && /^[{].*[}]$/' "$file" 2>/dev/null \
		>>"$out/invocations.jsonl" || {
		truncate -s "$before" "$out/invocations.jsonl"
		record_full
	}
	record_size=$(stat -c %s "$out/invocations.jsonl")
	rows=$((record_size > before))
}

# record_talk ID ROUND FILE: append what a program said to log.txt.
record_talk() {
	[[ -s $3 ]] || return 0
	sed "s/^/$1 round $2: /" "$3" >>"$out/log.txt" || record_full
}

# record_free DIR: KiB that are free there.
record_free() {
	local blocks bytes

	# df would show the name of the device, too, which may be anything.
	read -r blocks bytes < <(stat -f -c '%a %S' "$1")
	if ! fields_is number "$blocks" || ! fields_is number "$bytes"; then
		die 1 "cannot tell how much is free in $1"
	fi
	printf '%d\n' $((blocks * bytes / 1024))
}

record_full() {
	progress_clear
	die 1 "cannot write in $out ($(record_free "$out") KiB free);" \
		"make room, then go on with: $(resume_command)"
}

# record_settings: write plan.tsv, which --resume reads.
record_settings() {
	plan_write "${!saved[@]}" >"$out/.plan.tsv.new" || record_full
	mv "$out/.plan.tsv.new" "$out/plan.tsv" || record_full
}

# record_run INTERRUPTED ENDED_AT: write run.json.
record_run() {
	local interrupted=$1 ended_at=$2

	{
		printf '{"schema": 1, "suite_version": %s, "git_id": %s,\n' \
			"$(json_string_or_null "${conf[version]}")" \
			"$(json_string_or_null "${conf[git_id]}")"
		printf ' "command_line": %s, "profile": %s,\n' \
			"$(json_string "${conf[command_line]}")" \
			"$(json_string "${conf[profile]}")"
		printf ' "rounds": %d, "effort": %d, "seed": %d,\n' \
			"${conf[rounds]}" "${conf[effort]}" "${conf[seed]}"
		printf ' "started_at": %s, "ended_at": %s, "interrupted": %s,\n' \
			"$(json_string "${conf[started_at]}")" \
			"$(json_string_or_null "$ended_at")" "$interrupted"
		precision_json
		record_plan
		record_programs
		printf '}\n'
	} >"$out/.run.json.new" || record_full
	mv "$out/.run.json.new" "$out/run.json" || record_full
}

record_plan() {
	local i comma=''

	printf ' "plan": ['
	for i in "${!plan_ids[@]}"; do
		printf '%s\n  {"id": ' "$comma"
		json_string "${plan_ids[i]}"
		printf ', "program": '
		json_string "${plan_programs[i]}"
		printf ', "args": '
		json_string "${plan_args[i]}"
		printf ', "limit_s": %d}' "${plan_limits[i]}"
		comma=,
	done
	printf '],\n'
}

record_programs() {
	local comma=''

	printf ' "programs": ['
	record_journal_read record_program
	printf ']\n'
}

# record_program ROUND ID STATUS SECONDS SIZE REASON: without a subshell, for
# there are hundreds of lines, in each round.
record_program() {
	printf '%s\n  {"id": ' "$comma"
	json_string "$2"
	printf ', "round": %d, "exit_status": %d, "duration_s": %s, "reason": ' \
		"$1" "$3" "$4"
	json_string_or_null "$6"
	printf '}'
	comma=,
}

# record_about: what each program says of itself.
record_about() {
	local program comma='['

	for program in $(printf '%s\n' "${plan_programs[@]}" | sort -u); do
		printf '%s\n' "$comma"
		"$bin/$program" --describe </dev/null ||
			die 2 "$bin/$program --describe failed; run make"
		comma=,
	done >"$out/.about.json.new"
	printf ']\n' >>"$out/.about.json.new"
	mv "$out/.about.json.new" "$out/about.json"
}

# record_machine: describe the machine and calibrate once for all programs.
record_machine() {
	local hz

	if child_run 60 "$bin/machine" "${common[@]}" >"$out/.machine.json.new" \
		2>"$out/.talk"; then
		mv "$out/.machine.json.new" "$out/machine.json"
		hz=$(json_field "$out/machine.json" tsc hz)
		[[ -z $hz ]] || export OSCOST_TSC_HZ=$hz
	elif ((!stopping)); then
		rm -f "$out/.machine.json.new"
		log "warning: the machine could not be described:" \
			"$(tail -n 1 "$out/.talk")"
	fi
	record_talk machine 0 "$out/.talk"
	if command -v lstopo >/dev/null && [[ ! -e $out/topology.svg ]] &&
		((!stopping)); then
		child_run 20 lstopo --of svg "$out/topology.svg" >/dev/null 2>&1 ||
			rm -f "$out/topology.svg"
	fi
}

# record_noise PHASE ROUND: watch each CPU for a moment, as the programs would
# run, and keep what was seen.  3 s in all for the rounds of a profile.
record_noise() {
	local ms=$((1200 / (conf[rounds] + 1))) cpu=()

	((!stopping)) || return 0
	((ms <= 150)) || ms=150
	((ms >= 20)) || ms=20
	[[ -z ${conf[cpu]} ]] || cpu=(--cpu "${conf[cpu]}")
	child_run 60 "${prefix[@]}" "$bin/machine" noise "${cpu[@]}" --ms "$ms" \
		--phase "$1" --round "$2" >"$out/.rows" 2>"$out/.talk" || :
	record_talk noise "$2" "$out/.talk"
	grep '^{.*}$' "$out/.rows" >>"$out/noise.jsonl" || :
}

# record_predictions FILE: keep what somebody expects of this run, as it is
# before anything is measured.
record_predictions() {
	[[ ! -r $1 ]] || cp -p "$1" "$out/predictions.ini" || record_full
}
