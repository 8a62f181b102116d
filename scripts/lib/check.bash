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

# check_quiet: a hint if other work would make the results noisy, as record_noise() has
# seen it.
check_quiet() {
	local busy

	busy=$(awk -F '"lost":' '{ lost += $2 } END { printf "%d", 100 * lost / NR }' <<<"$lines")
	! fields_is number "$busy" || ((busy < 10)) ||
		log "hint: other processes use $busy % of the CPU time now; results will be noisy"
}
