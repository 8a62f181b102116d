# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The settings of a run, in conf: from the command line, or from the plan.tsv
# of a run that is to be resumed.

# Settings that plan.tsv keeps, and the kind of each: an option's own, or another of
# fields.bash.
declare -A saved=([profile]='' [rounds]='' [effort]='' [seed]='' [cpu]=? [prio]=? [timer]=?
	[dir]=? [precision]=? [session]=?
	[host]=word [started_at]=word [version]=word [git_id]=word [command_line]=text
	[goal]='?percentage' [seconds]='?number' [most]=number [due]='list of rounds')

# profile: the settings of the profile, where nothing is given.  A user who asks for rounds
# gets these; one who asks for a precision gets the rounds that it needs.
profile() {
	local rounds=6 effort=5 seconds='' goal=1.5 most=30

	case ${conf[profile]} in
	card) seconds=20 ;;
	quick) seconds=45 ;;
	default) rounds=10 effort=20 seconds=240 goal=1 most=100 ;;
	publish) rounds=20 effort=100 most=100 ;;
	esac
	[[ ! ${conf[rounds]-} ]] || goal=
	[[ ! ${conf[precision]-} ]] || goal=${conf[precision]} seconds='' most=100
	[[ $goal ]] || seconds=
	conf[rounds]=${conf[rounds]:-$rounds}
	conf[effort]=${conf[effort]:-$effort}
	conf[seconds]=$seconds conf[goal]=$goal conf[most]=$most conf[due]=
}

# configure: settings of a new run.
configure() {
	local version
	local -a kinds

	profile
	# Since bash 5.1.
	conf[seed]=${conf[seed]:-${SRANDOM:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}}
	conf[host]=$(host_name)
	utc '%Y-%m-%dT%H:%M:%SZ'
	conf[started_at]=$utc
	version=$("$bin/report" --version 2>/dev/null </dev/null) || :
	version=${version%%$'\n'*} version=${version%)}
	conf[version]=${version##* }
	conf[git_id]=$(git_id)
	[[ ${conf[file-cache]:-machine} == machine ]] ||
		die 2 "--file-cache takes machine, not '${conf[file-cache]}'"
	[[ ${conf[precision]-1} == *[1-9]* ]] ||
		die 2 "--precision takes a percentage such as 2 or 0.5, not '${conf[precision]}'"
	peer_check
	plan_read_suite "${conf[suite]-}" "run${conf[file-cache]:+|once}$(peer_kinds)"
	[[ -z ${conf[only]:-} ]] || plan_select "${conf[only]}"
	[[ ${conf[profile]} != publish || -n ${conf[suite]-} ]] || plan_whole
	[[ ${conf[profile]} != @(card|quick) || -n ${conf[suite]-} ]] ||
		plan_core "${conf[only]:-}" "${conf[profile]#quick}"
	if [[ ${conf[profile]} != card && -z ${conf[suite]-}${conf[cpu]-} ]]; then
		mapfile -t kinds < <("$bin/machine" kinds)
		plan_kinds "${kinds[@]:1}"
	fi
	out=${conf[out]:-$(results_place "${conf[host]}")}
	# The second run of a second has a directory of its own, too.
	[[ -n ${conf[out]-} ]] || while [[ -e $out ]]; do out+=-2; done
}

# The host's name, fit for a file name.
host_name() { uname -n | tr -c 'A-Za-z0-9.\n-' _; }

git_id() {
	if [[ -e $root/.git ]]; then
		GIT_OPTIONAL_LOCKS=0 git -C "$root" describe --always --dirty 2>/dev/null || :
	fi
}

# reconfigure: settings of a run that stopped.
reconfigure() {
	local option

	for option in "${given[@]}"; do
		[[ $option == --@(resume|resume-failed|bin|suite|peer*) ]] ||
			die 2 "$option: --resume takes its settings from the run that stopped"
	done
	out=${conf[resume]}
	[[ ! -d $out ]] || place_check --resume "$out"
	[[ -e $out/run ]] || kept=
	[[ -r $out/${kept}plan.tsv ]] || die 2 "$out is no run that can be resumed (no plan.tsv)"
	peer_check
	plan_read_suite "${conf[suite]-}" "run|once$(peer_kinds)"
	plan_trust
	plan_read "$out/${kept}plan.tsv" "$(remedy)"
	settings_take saved
	[[ ${conf[host]} == "$(host_name)" ]] ||
		die 2 "$out was begun on another machine, ${conf[host]}"
	[[ ${conf[git_id]} == "$(git_id)" ]] ||
		log "warning: the programs have changed since (${conf[git_id]}, now $(git_id))"
}

# remedy: what to do about a file of a run that cannot be as a run left it.
remedy() {
	printf 'it is not as oscost run writes it: begin a new run, or name the %s' \
		'rows or the machine that it was begun with by --suite FILE, --peer HOST'
}

# check_cpu CPU: stop unless this process may run on it.
check_cpu() {
	taskset -c "$1" true 2>/dev/null || die 2 "CPU $1 is none that this process may use" \
		"($(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status))"
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

# validate: whether it can be had here.
validate() {
	if [[ -n ${conf[cpu]:=} ]]; then
		check_cpu "${conf[cpu]}"
		common+=(--cpu "${conf[cpu]}")
	fi
	if [[ -n ${conf[timer]:=} ]]; then
		common+=(--timer "${conf[timer]}")
	fi
	if [[ -n ${conf[prio]:=} ]]; then
		child_prio "${conf[prio]}"
		prefix=(chrt -r "${conf[prio]}")
	fi
	files_check
	((${#plan_ids[@]})) || die 2 "nothing to measure: the plan is empty"
	check_programs
}
