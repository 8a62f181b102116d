# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For tests/faults and tests/kills: a small run of real programs, and what can
# be wrong with one that was disturbed.  The caller sets root, build and work.

# run_small LINE...: set run, the command of a run of two rounds without --out,
# and resume, the one that goes on.  A LINE is an id, a program and arguments.
run_small() {
	local id program args

	suite=$work/suite.tsv
	while read -r id program args; do
		printf '%s\t%s\t%s\t60\n' "$id" "$program" "$args"
	done < <(printf '%s\n' "$@") >"$suite"
	resume=("$root/scripts/run-all" --bin "$build/bin" --suite "$suite" --resume)
	run=("${resume[@]:0:5}" --profile quick --rounds 2 --effort 1 --seed 1)
}

# run_rows OUT: which rows it has.
run_rows() {
	jq -r '[.benchmark, .case, .round, .seed] | @tsv' "$1/invocations.jsonl" | sort
}

# run_halves OUT: print which file has a part of what it should have; one that
# is not there yet is none.
run_halves() {
	local file

	for file in "$1"/{invocations.jsonl,noise.jsonl,run.json,run/about.json,machine.json,report.json}; do
		[[ ! -e $file ]] || jq -es 'all(type == "object" or type == "array")' "$file" >/dev/null ||
			echo "${file##*/} is damaged"
		[[ ! -s $file || -z $(tail -c 1 "$file") ]] || echo "${file##*/} ends in a line"
	done 2>&1
	[[ ! -e $1/run/plan.tsv ]] || diff <(grep -v '^@' "$1/run/plan.tsv") <(grep -v '^@' "$whole/run/plan.tsv")
	[[ ! -e $1/run/journal.tsv ]] || awk -F '\t' 'NF != 6 { print "journal: " $0 }' "$1/run/journal.tsv"
}

# run_over OUT: what is over.  Beside another run a program may skip, for all its
# samples waited for a CPU: that is no matter of who is killed.
run_over() { cut -f 1-3 "$1/run/journal.tsv" | sed 's/\t77$/\t0/' | sort; }

# run_complete OUT: print what differs from $whole, a run that nothing disturbed.
run_complete() {
	run_halves "$1"
	diff <(run_rows "$whole") <(run_rows "$1") | sed -n '2s/^/other rows: /p'
	diff <(run_over "$whole") <(run_over "$1") |
		sed -n '2s/^/another journal: /p'
	jq -e '.interrupted == false' "$1/run.json" >/dev/null || echo "run.json says it is not over"
	[[ -s $1/report.html && -s $1/report.json ]] || echo "no report"
	find "$1" -mindepth 1 -name '.*' -printf '%f is left\n'
}

# run_kept OUT BEFORE: print what of the invocations that had ended well in
# BEFORE, a copy of the directory, OUT has no more.
run_kept() {
	local size

	[[ -s $2/run/journal.tsv ]] || return 0
	size=$(awk -F '\t' 'NF == 6 { size = $5 } END { print size + 0 }' "$2/run/journal.tsv")
	cmp -n "$size" "$2/invocations.jsonl" "$1/invocations.jsonl" || echo "rows were lost"
	awk -F '\t' 'NF == 6 && $3 == 0' "$2/run/journal.tsv" | grep -vxFf "$1/run/journal.tsv" |
		sed 's/^/lost: /'
}

# run_cases TRY: call TRY with the words of each line of $work/cases, as many at
# once as there are CPUs.  It prints "passed KIND" or "failed KIND: WHY".
# Printed are failures, and how many were tried and passed.  Return: 0 if all were.
run_cases() {
	local job cpus tried passed
	local -a words

	cpus=$(nproc)
	for ((job = 0; job < cpus; job++)); do
		awk -v n="$cpus" -v job="$job" 'NR % n == job' "$work/cases" |
			while read -ra words; do
				"$1" "${words[@]}" </dev/null
			done >"$work/verdicts.$job" &
	done
	wait
	cat "$work"/verdicts.* >"$work/verdicts"
	sed -n 's/^failed //p' "$work/verdicts"
	awk '{ sub(/:$/, "", $2); n[$2]++; passed[$2] += $1 == "passed" }
		END { for (kind in n) printf "%-24s tried %3d, passed %3d\n", kind, n[kind], passed[kind] }' \
		"$work/verdicts" | sort
	tried=$(wc -l <"$work/cases")
	passed=$(grep -c '^passed' "$work/verdicts" || :)
	echo "$passed passed, $((tried - passed)) failed"
	((tried > 0 && passed == tried))
}
