# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What run-all looks at before it starts.

# check_cpu CPU: stop unless this process may run on it.
check_cpu() {
	taskset -c "$1" true 2>/dev/null || die 2 "CPU $1 is none that this process may use" \
		"($(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status))"
}

# check_prio N: stop unless programs can be run with real-time priority N.
check_prio() {
	need chrt
	chrt -r "$1" true 2>/dev/null ||
		die 2 "--prio: this user may not have real-time priority $1; use sudo, or leave it out"
}

# check_programs: stop if a planned program is missing or does not take its
# arguments: better now than in each round.
check_programs() {
	local i why status
	local -a args

	need_program "$bin" report machine "${plan_programs[@]}"
	for i in "${!plan_ids[@]}"; do
		read -ra args <<<"${plan_args[i]}"
		status=0
		why=$("$bin/${plan_programs[i]}" --list "${common[@]}" "${args[@]}" \
			2>&1 >/dev/null </dev/null) || status=$?
		why=${why##*$'\n'}
		((status != 2)) || die 2 "${plan_ids[i]}: ${why#"${plan_programs[i]}: "}"
	done
}

# check_quiet: a hint if other work would make the results noisy.
check_quiet() {
	local busy

	busy=$(check_busy)
	((busy < 10)) ||
		log "hint: other processes use $busy % of the CPU time now; results will be noisy"
}

# check_busy: percent of CPU time used in 0.2 s while we sleep.  The
# load average would tell of the build that has just ended.
check_busy() {
	# The first line is of all CPUs.
	{ head -n 1 /proc/stat && sleep 0.2 && exec head -n 1 /proc/stat; } |
		awk '{
			all = 0
			for (i = 2; i <= 9; i++) all += $i
			idle = $5 + $6
			if (NR == 2 && all > last_all)
				busy = 100 - 100 * (idle - last_idle) / (all - last_all)
			last_all = all; last_idle = idle
		}
		END { printf "%d\n", busy }'
}
