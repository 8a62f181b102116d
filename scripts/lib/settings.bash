# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The settings of a run, in conf: from the command line, or from the plan.tsv
# of a run that is to be resumed.

readonly saved=(profile rounds effort seed cpu prio timer dir host started_at
	version git_id command_line precision wide_10 wide_20 wide_30)

# configure: settings of a new run.
configure() {
	local rounds effort=100

	case ${conf[profile]} in
	quick) rounds=6 effort=24 ;;
	default) rounds=10 ;;
	publish) rounds=20 ;;
	*) die 2 "PROFILE must be quick, default or publish, not '${conf[profile]}'" ;;
	esac
	conf[rounds]=${conf[rounds]:-$rounds}
	conf[effort]=${conf[effort]:-$effort}
	conf[seed]=${conf[seed]:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
	conf[host]=$(host_name)
	conf[started_at]=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	conf[version]=$("$bin/report" --version 2>/dev/null </dev/null | awk 'NR == 1 { sub(/[)]$/, ""); print $NF }' || :)
	conf[git_id]=$(git_id)
	plan_read "${conf[suite]}"
	[[ -z ${conf[only]:-} ]] || plan_select "${conf[only]}"
	out=${conf[out]:-$(default_out)/${conf[host]}-$(date -u +%Y%m%dT%H%M%SZ)}
}

# The host's name, fit for a file name.
host_name() { uname -n | tr -c 'A-Za-z0-9.\n-' _; }

# Beside the sources, or where we are if the suite was installed.
default_out() {
	if [[ -e $root/Makefile ]]; then
		printf '%s/results' "$root"
	else
		printf '%s/results' "$PWD"
	fi
}

git_id() {
	if [[ -e $root/.git ]]; then
		git -C "$root" describe --always --dirty 2>/dev/null || :
	fi
}

# reconfigure: settings of a run that stopped.
reconfigure() {
	local option

	for option in "${given[@]}"; do
		[[ $option == --resume || $option == --bin ]] ||
			die 2 "$option: --resume takes its settings from the run that stopped"
	done
	out=${conf[resume]}
	[[ -r $out/plan.tsv ]] || die 2 "$out is no run that can be resumed (no plan.tsv)"
	plan_settings "$out/plan.tsv" "${saved[@]}"
	plan_read "$out/plan.tsv"
	[[ ${conf[host]} == "$(host_name)" ]] ||
		die 2 "$out was begun on another machine, ${conf[host]}"
	[[ ${conf[git_id]} == "$(git_id)" ]] ||
		log "warning: the programs have changed since (${conf[git_id]}, now $(git_id))"
}

# validate: whatever comes from the user or from a file.
validate() {
	need_number ROUNDS "${conf[rounds]}" 1 1000
	precision_check
	need_number EFFORT "${conf[effort]}" 1 1000
	need_number SEED "${conf[seed]}" 0 4294967295
	if [[ -n ${conf[cpu]:=} ]]; then
		check_cpu "${conf[cpu]}"
		common+=(--cpu "${conf[cpu]}")
	fi
	if [[ -n ${conf[timer]:=} ]]; then
		common+=(--timer "${conf[timer]}")
	fi
	if [[ -n ${conf[prio]:=} ]]; then
		check_prio "${conf[prio]}"
		prefix=(chrt -r "${conf[prio]}")
	fi
	files_check
	check_programs
}
