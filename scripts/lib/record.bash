# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The files of a run in its directory: see docs/results-format.md.  The files that are
# for the driver are in $kept below it: run/, or nothing for a run of earlier versions.
#
# journal.tsv has a line for each invocation that is over: round, id, exit
# status, seconds, size of invocations.jsonl after it, reason.  A line is
# written last, so a run that was killed at any moment can be taken up again.
# After each round both are on the disk: a power cut costs a round at most.

declare -A journal_done=() # "round id" of what is over
record_size=0              # bytes in invocations.jsonl
record_own=0               # whether nobody else can write in .rows and .talk
rows=0                     # whether record_rows() found any
lines=                     # of record_lines()

# record_try COMMAND...: stop, with its reason, if it fails.
record_try() {
	local why

	why=$("$@" 2>&1) || record_stuck "$why"
}

# record_write NAME TEXT: the file is TEXT as a whole, or as it was before.
record_write() { record_try record_replace "$out/.${1##*/}.new" "$out/$1" "$2${2:+$'\n'}"; }
record_replace() { printf '%s' "$3" >"$1" && sync "$1" && exec mv "$1" "$2"; }

# record_append NAME TEXT: all of TEXT, or nothing.  A second process, and a second try,
# only where it is needed to learn why not.
record_append() {
	local why

	{ printf '%s\n' "$2" >>"$out/$1"; } 2>/dev/null && return
	record_cut "$1"
	why=$(printf '%s\n' "$2" 2>&1 >>"$out/$1") && return
	record_cut "$1"
	record_stuck "$why"
}

# record_cut NAME: without what was written in part.
record_cut() {
	[[ $1 != invocations.jsonl ]] || truncate -s "$record_size" "$out/$1" || :
	record_whole "$out/$1"
}

# record_there: stop if the directory or its plan was removed or renamed.
record_there() {
	[[ ! -e $out/.rows || ! -e $out/${kept}plan.tsv ]] || return 0
	progress_clear
	die 1 "$out, or a file in it, was removed or renamed"
}

# record_stuck WHY: the last part of WHY is the system's reason.
record_stuck() {
	local why=${1##*: } remedy='then'

	[[ $why != "No space"* && $why != *quota* ]] || remedy='make room, then'
	progress_clear
	why="cannot write in $out: $why ($(place_free "$out") KiB free); $remedy"
	[[ ! -e $out/${kept}plan.tsv ]] || die 1 "$why go on with: $(resume_command)"
	# Without a plan nothing has begun, and the directory is as it was.
	rm -rf "$out/predictions.ini" "$out/run"
	die 2 "$why begin again"
}

# record_probe: whether a file of the size of some rows can be written.
record_probe() {
	record_try record_replace "$out/.probe.new" "$out/.probe" "$(printf '%65536s' x)"
	rm -f "$out/.probe"
}

# record_ready: .rows and .talk are there, and empty: what a program before has
# left must not be taken for the next one's.  They are new files after one that did
# not end by itself, and at first: one of a run that was killed may still write in
# the old ones.
record_ready() {
	if ((record_own)) && { : >"$out/.rows" && : >"$out/.talk"; } 2>/dev/null; then
		return
	fi
	record_try record_renew
	record_own=1
}
record_renew() { rm -f "$out"/.{rows,talk} && : >"$out/.rows" && : >"$out/.talk"; }

# record_sync: what was measured is on the disk, rows before the journal.
record_sync() { record_try sync "$out/invocations.jsonl" "$out/${kept}journal.tsv"; }

# record_journal ROUND ID STATUS SECONDS REASON
record_journal() {
	record_append "${kept}journal.tsv" \
		"$1"$'\t'"$2"$'\t'"$3"$'\t'"$4"$'\t'"$record_size"$'\t'"${5//[$'\t\r\n']/ }"
	journal_done["$1 $2"]=1
}

# record_whole FILE: cut off what is no whole line: a write that was cut short,
# or the zeros that a power cut leaves in place of what was not written yet.
record_whole() {
	local lines size

	[[ -s $1 || ! -r $1 ]] || return 0
	# A file that cannot be read is not cut.
	if ! lines=$(head -zn 1 "$1" | wc -l) || ! size=$(head -n "$lines" "$1" | wc -c) ||
		! truncate -s "$size" "$1"; then
		record_stuck "${1##*/} cannot be read"
	fi
}

# record_keep WHAT RULE: keep the lines of the journal for which awk's RULE is
# true.
record_keep() {
	local lines others

	lines=$(awk -F '\t' "$2" "$out/${kept}journal.tsv")
	others=$(awk -F '\t' "!($2)" "$out/${kept}journal.tsv" | wc -l)
	[[ $others != 0 ]] || return 0
	log "$others process runs $1; they are measured again"
	record_write "${kept}journal.tsv" "$lines"
}

# record_load: read the journal, which is empty unless this run has stopped
# before, and cut what an invocation that is not in it had begun to write.  Invocations
# in the journal that have no rows any more were lost with the power: they are
# measured again; so are those that failed, on request.
record_load() {
	local size

	record_try touch "$out/${kept}"{journal.tsv,log.txt} "$out/invocations.jsonl"
	record_whole "$out/${kept}journal.tsv"
	record_whole "$out/invocations.jsonl"
	size=$(stat -c %s "$out/invocations.jsonl")
	record_keep 'lost their rows' \
		"!(lost = lost || (\$5 ~ /^[0-9]+\$/ && \$5 > $size))"
	[[ -z ${conf[resume-failed]:-} ]] || record_keep failed "\$3 ~ /^(0|77)\$/"
	fields_read "$out/${kept}journal.tsv" "$(remedy)" record_loaded number 'row id' \
		'exit status' 'time in seconds' number text
	[[ ! -s $out/invocations.jsonl ]] || truncate -s "$record_size" "$out/invocations.jsonl"
}

# record_loaded ROUND ID STATUS SECONDS SIZE REASON: a line of the journal.
record_loaded() {
	[[ " ${plan_ids[*]} " == *" $2 "* ]] || fields_refuse "the plan has no row $2"
	[[ -z ${journal_done["$1 $2"]:-} ]] || fields_refuse "$2 is there twice for round $1"
	(($5 >= record_size)) || fields_refuse "the size $5 is less than before"
	journal_done["$1 $2"]=1
	progress_took $((10#${4/./}))
	record_size=$5
}

# record_lines FILE: set lines to those that are whole objects.  Without another
# process: it is done after each program.
record_lines() {
	local line
	local -a read

	lines=''
	mapfile read <"$1"
	for line in "${read[@]}"; do
		[[ $line != '{'*'}'$'\n' ]] || lines+=$line
	done
	lines=${lines%$'\n'}
}

# record_rows FILE: append the rows of FILE to invocations.jsonl; rows says
# whether there were any.
record_rows() {
	rows=0
	record_lines "$1"
	[[ -n $lines ]] || return 0
	rows=1
	record_append invocations.jsonl "$lines"
	((record_size += ${#lines} + 1))
}

# record_talk ID ROUND FILE: append what a program said to log.txt.
record_talk() {
	[[ -s $3 ]] || return 0
	record_append "${kept}log.txt" "$(sed "s/^/$1 round $2: /" "$3")"
}

# record_settings: write plan.tsv, which --resume reads.
record_settings() { record_write "${kept}plan.tsv" "$(plan_write)"; }

# record_run INTERRUPTED ENDED_AT: write run.json.
record_run() {
	local text

	text=$(run_json "$2" "$1" "$out/${kept}"{plan,journal}.tsv) ||
		record_stuck "run.json"
	record_write run.json "$text"
}

# record_about: what each program says of itself.
record_about() {
	local program text=''

	for program in $(printf '%s\n' "${plan_programs[@]}" | sort -u); do
		text+=${text:+$'\n,\n'}$("$bin/$program" --describe </dev/null) ||
			die 2 "$bin/$program --describe failed; run make"
	done
	record_write "${kept}about.json" "[$text]"
}

# record_described NAME FILE: keep what machine and describe.pl have said of a
# machine, one behind the other, as one object.  A script that was stopped on its
# way is left out.
record_described() {
	local text

	text=$(<"$2")
	if [[ $text == *$'}\n  "board"'*']' ]]; then
		text=${text/$'}\n  "board"'/$',\n  "board"'}$'\n}'
	else
		text=${text%%$'\n  "board"'*}
	fi
	record_write "$1" "$text"
}

# record_machine: describe the machine and calibrate once for all programs.
record_machine() {
	local cpu=0 text='' hz

	if child_run 60 "$bin/machine" "${common[@]}" >"$out/.machine.json.new" \
		2>"$out/.talk"; then
		IFS= read -rd '' text <"$out/.machine.json.new" || :
		[[ ! $text =~ \"measuring_cpu\":\ *([0-9]+) ]] || cpu=${BASH_REMATCH[1]}
		child_run 20 perl "$here/lib/describe.pl" "$cpu" >>"$out/.machine.json.new" 2>>"$out/.talk" || :
		record_described machine.json "$out/.machine.json.new"
		hz=$(json_field "$out/machine.json" tsc hz)
		[[ -z $hz ]] || export OSCOST_TSC_HZ=$hz
	elif ((!stopping)); then
		rm -f "$out/.machine.json.new"
		log "warning: the machine could not be described:" \
			"$(tail -n 1 "$out/.talk")"
	fi
	record_talk machine 0 "$out/.talk"
	# For certify's log, too.
	[[ -L $out/plots || -d $out/plots ]] || mkdir "$out/plots" || :
	if command -v lstopo >/dev/null && [[ ! -e $out/plots/topology.svg && ! -L $out/plots ]] &&
		((!stopping)); then
		child_run 20 lstopo --of svg "$out/plots/topology.svg" >/dev/null 2>&1 ||
			rm -f "$out/plots/topology.svg"
	fi
}

# record_noise PHASE ROUND: watch each CPU for a moment, as the programs would
# run, and keep what was seen.  3 s in all for 30 rounds.
record_noise() {
	local ms=$((1200 / (conf[rounds] + 1))) cpu=()

	((!stopping)) || return 0
	[[ ! ${conf[goal]} ]] || ms=$((1200 / (conf[most] + 1)))
	((ms <= 150)) || ms=150
	((ms >= 20)) || ms=20
	[[ -z ${conf[cpu]} ]] || cpu=(--cpu "${conf[cpu]}")
	record_ready
	child_run 60 "${prefix[@]}" "$bin/machine" noise "${cpu[@]}" --ms "$ms" \
		--phase "$1" --round "$2" >>"$out/.rows" 2>>"$out/.talk" || :
	record_talk noise "$2" "$out/.talk"
	record_lines "$out/.rows"
	[[ -z $lines ]] || record_append noise.jsonl "$lines"
}

# record_quiet: a hint if other work would make the results noisy,
# as record_noise() has seen it just before.
record_quiet() {
	local busy

	busy=$(awk -F '"lost":' '{ lost += $2 } END { printf "%d", 100 * lost / NR }' <<<"$lines")
	! fields_is number "$busy" || ((busy < 10)) ||
		log "hint: other processes use $busy % of the CPU time now; results will be noisy"
}

# record_predictions FILE: keep the predictions for this run, as it is
# before anything is measured.
record_predictions() {
	[[ ! -r $1 ]] || cp -p "$1" "$out/predictions.ini" ||
		record_stuck "predictions.ini"
}
