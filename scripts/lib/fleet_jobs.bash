# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The plan of a fleet, and its jobs: one for each node, so many at a time.
#
# A job is fleet_node.sh on a node, by Slurm, by ssh (ClusterShell) or, for trials,
# on this machine: what it needs goes in by its standard input, as an archive, what
# it found comes out as text.  Nothing is left there, also if we are killed: the
# standard input is held open by us, and ends with us.

declare -a nodes=()
declare -A state=() result=() # of a node, and its line of the table
declare -A down=()            # node: why it is not even tried
declare -A at_work=()         # process: node
stopped=                      # signal that asked us to stop
work=                         # scratch
job_name=oscost-fleet-$$-$RANDOM$RANDOM

# Settings that plan.tsv keeps, and the kind of each: an option's own, or another.
declare -A asked=([engine]='slurm|hosts|local' [profile]='card|quick|default' [partition]=?node
	[only]=?text [rounds]='' [effort]='' [limit]='' [queue]='' [fanout]='' [dir]=''
	[started_at]=word)

# fleet_save: on stdout.
fleet_save() {
	printf '# What fleet run --resume goes on with.  Do not edit.\n'
	settings_print asked
	printf 'node\t%s\n' "${nodes[@]}"
}

# fleet_load DIR: it names the nodes that commands are run on: so it must be ours.
fleet_load() {
	[[ -r $1/plan.tsv ]] || die 2 "$(fields_show "$1") is no fleet: it has no plan.tsv"
	place_check DIR "$1"
	out=$(cd "$1" && pwd)
	place_own_file "$out/plan.tsv" "$typed run"
	nodes=()
	fields_read "$out/plan.tsv" "it is not as $typed run writes it: begin a new run" fleet_line word text
	settings_take asked
	((${#nodes[@]})) || die 2 "$fields_file names no node; $fields_remedy"
}

# fleet_line KIND NAME
# shellcheck disable=SC2317 # fields_read calls it
fleet_line() {
	[[ $1 == node ]] || fields_refuse "'$(fields_show "$1")' is no node"
	fields_need node "$2" 'the name'
	nodes+=("$2")
}

# engine_nodes: set nodes to those that were asked for.
engine_nodes() {
	case ${conf[engine]} in
	local) mapfile -t nodes < <(seq -f 'local%.0f' "${conf[local]}") ;;
	hosts)
		# Groups are looked up by shell commands of groups.conf: no other characters,
		# and a / only as the step of a range.
		[[ ${conf[hosts]} =~ ^[A-Za-z0-9@]([A-Za-z0-9@._:,!^\&*-]|\[[0-9,/-]+\])*$ ]] ||
			die 2 "--hosts: '$(fields_show "${conf[hosts]}")' is no node set, such as node[1-30],login or @rack1"
		engine_state
		mapfile -t nodes < <(nodeset -e -S '\n' "${conf[hosts]}" 2>&1)
		wait $! || die 2 "--hosts: ${nodes[*]}"
		;;
	slurm)
		[[ ${conf[nodelist]-node} =~ ^[A-Za-z0-9]([A-Za-z0-9._,-]|\[[0-9,-]+\])*$ ]] ||
			die 2 "--nodelist: '$(fields_show "${conf[nodelist]}")' is no list of nodes, such as node[1-30]"
		engine_state
		# A name that no partition has is no line of sinfo's.
		[[ ! -v conf[nodelist] ]] || mapfile -t nodes < <(scontrol show hostnames "${conf[nodelist]}")
		;;
	esac
}

# engine_state: whether the engine is here; with Slurm who is down, or kept out by the
# administrator, and nodes, unless they are known.
engine_state() {
	local name state reason talk
	local -A seen=()

	case ${conf[engine]} in
	local) return ;;
	hosts)
		need nodeset clush
		return
		;;
	esac
	need srun sinfo scancel scontrol
	talk=$(sinfo -h -N -o '%N|%T|%E' ${conf[partition]:+-p "${conf[partition]}"} \
		${conf[nodelist]:+-n "${conf[nodelist]}"} 2>&1) || die 2 "sinfo: $(fields_show "${talk##*$'\n'}")"
	while IFS='|' read -r name state reason; do
		fields_is node "$name" || continue
		seen[$name]=1
		case $state in
		down* | fail* | unknown* | power* | *'*') down[$name]="down: ${state:+$state: }$reason" ;;
		drain* | maint* | reserved* | blocked* | future*) down[$name]="skipped: $state: $reason" ;;
		esac
	done <<<"$talk"
	((${#nodes[@]})) || mapfile -t nodes < <(printf '%s\n' "${!seen[@]}" | sort -V)
}

# engine_start NODE COMMAND: run COMMAND there.
engine_start() {
	local limit=$((conf[limit] + 90))
	local -a how=(setsid sh -c "$2")

	case ${conf[engine]} in
	# -N: lines as they are; the remote shell reads the quotes. Python would keep
	# what it prints until the end, where it is to go to a file.
	hosts) how=(env PYTHONUNBUFFERED=1 clush -q -N -S -w "$1" "sh -c '$2'") ;;
	slurm)
		limit=$((limit + conf[queue]))
		how=(srun -Q -N1 -n1 -w "$1" ${conf[partition]:+-p "${conf[partition]}"} --exclusive
			-J "$job_name" -t "$(((conf[limit] + 120) / 60))" --immediate="${conf[queue]}"
			--export="PATH=$PATH" -D / --mpi=none sh -c "$2")
		;;
	esac
	exec timeout -k 10 "$limit" "${how[@]}"
}

# measure: all that is missing.  Return: 1 if a node is not well.
measure() {
	local node start

	now_us
	start=$now
	place_lock 'fleet run' "$out"
	rm -rf "$out"/.work-* # of one that was killed
	work=$(mktemp -d "$out/.work-XXXXXXXXXX")
	trap 'progress_clear; rm -rf "$work"' EXIT
	mkfifo -m 600 "$work/hold"
	exec {hold}<>"$work/hold"
	payload
	trap 'stop 1' HUP
	trap 'stop 2' INT
	trap 'stop 15' TERM
	[[ ! -e $out/fleet.tsv ]] || fields_read "$out/fleet.tsv" "remove it" table_line text word number text
	for node in "${nodes[@]}"; do
		[[ ${state[$node]-} == ok || ! -v down[$node] ]] ||
			over "$node" "${down[$node]%%: *}" 0 "${down[$node]#*: }"
	done
	pool
	{
		printf '# node\tstatus\tseconds\treason\n'
		for node in "${nodes[@]}"; do
			[[ ! -v result[$node] ]] || printf '%s\n' "${result[$node]}"
		done
	} >"$out/fleet.tsv.new" && mv "$out/fleet.tsv.new" "$out/fleet.tsv"
	took_us "$start"
	summary "$(format_us "$took")"
}

# stop NUMBER: a signal came; the pool ends its jobs. Ctrl-C once more ends all.
stop() {
	[[ -z $stopped || $1 != 2 ]] || exit $((128 + $1))
	[[ -z $stopped ]] || return 0
	stopped=$1
	progress_clear
	log "stopping ${#at_work[@]} jobs"
}

# payload: what the nodes get, as an archive: the static file, run-all.sh with the
# plan of this run, of the lines that need nothing else, fleet_node.sh.
payload() {
	local i static

	static=$(cd "$bin/.." && pwd)/oscost-static
	[[ -x $static && -r $here/run-all.sh ]] || die 2 "there is no $static; type: make static"
	plan_read_suite '' run
	[[ -z ${conf[only]-} ]] || plan_select "${conf[only]}"
	[[ ${conf[profile]} == default ]] || plan_core "${conf[only]-}" "${conf[profile]#quick}"
	mkdir "$work/measure"
	for i in "${!plan_ids[@]}"; do
		[[ " ${plan_args[i]}" == *' --'@(net|nfs)lab* ]] ||
			printf '%s %s detail %s\n' "${plan_programs[i]}" "${plan_limits[i]}" "${plan_args[i]}"
	done | sed 's/--log [^ ]*//' >"$work/plan"
	[[ -s $work/plan ]] || die 2 "none of ${conf[only]-} needs nothing but the static file"
	sed -e "/^@PLAN@\$/{r $work/plan" -e 'd}' "$here/run-all.sh" >"$work/measure/run-all.sh"
	tar -C "$work/measure" --owner=0 --group=0 -czf "$work/measure.tgz" run-all.sh \
		-C "$here/lib" fleet_node.sh -C "${static%/*}" oscost-static || die 1 "cannot make $work/measure.tgz"
}

# pool: each node that is not over, so many at a time.
pool() {
	local node pid i total status ended=0
	local -a left=()
	local -A begun=()

	for node in "${nodes[@]}"; do
		[[ -v state[$node] ]] || left+=("$node")
	done
	total=${#left[@]}
	while [[ -z $stopped ]] && ((${#left[@]} + ${#at_work[@]})); do
		for i in "${!left[@]}"; do
			((${#at_work[@]} < conf[fanout])) || break
			node=${left[i]}
			begun[$node]=$SECONDS
			# A job that held it open would keep the nodes from ending with us.
			{ exec {hold}>&- && job "$node"; } 9<&- &
			at_work[$!]=$node
			unset "left[i]"
		done
		show "$ended" "$total"
		pid=
		status=0
		wait -n -p pid "${!at_work[@]}" 2>/dev/null || status=$?
		# --resume measures again the nodes that were cut short; without a child no job ends.
		[[ -z $stopped && (${pid:-} || $status != 127) ]] || break
		fields_is number "${pid:-}" || continue
		node=${at_work[$pid]}
		unset "at_work[$pid]"
		ended=$((ended + 1))
		judge "$node" $((SECONDS - begun[$node]))
	done
	end_jobs
	progress_clear
}

# show ENDED ALL: how far we are.
show() {
	local doing=("${at_work[@]}")

	progress_terminal || return 0
	printf '\r\033[K%.79s' "[$(($1 * 100 / $2))%] $1 of $2 over, at work: ${doing[*]:0:6}" >&"$log_fd" || :
	progress_line=1
}

# end_jobs: all that are at work: their standard input ends, and a node leaves nothing
# behind then. Jobs that have not ended after 3 s, or have not begun, are ended.
end_jobs() {
	local tries=0

	((${#at_work[@]})) || return 0
	exec {hold}>&-
	[[ ${conf[engine]} != slurm ]] || scancel -Q -n "$job_name" -t PENDING 2>/dev/null || :
	while kill -0 "${!at_work[@]}" 2>/dev/null; do
		((++tries < 30)) || kill "${!at_work[@]}" 2>/dev/null || :
		sleep 0.1
	done
	at_work=()
}

# job NODE: fleet_node.sh there; what it says goes to NODE.out and NODE.err.
job() {
	local name=$work/$1 boot feeder engine

	# At a terminal all get SIGINT: stop() ends us.
	trap '' INT
	trap - HUP
	# Only plain words, no single quotes: shells on both sides read it.
	boot="echo @begin; umask 077; d=\$(mktemp -d ${conf[dir]}/oscost-fleet-XXXXXXXXXX) && cd \"\$d\" &&"
	boot+=" head -c $(stat -c %s "$work/measure.tgz") | tar -xzf - &&"
	boot+=" exec sh ./fleet_node.sh ${conf[limit]} --rounds ${conf[rounds]} --effort ${conf[effort]};"
	boot+=" rm -rf \"\$d\"; echo @end 126"
	exec 3< <(cat "$work/measure.tgz" && exec cat "$work/hold")
	feeder=$!
	(engine_start "$1" "$boot") <&3 3<&- >"$name.out" 2>"$name.err" &
	engine=$!
	trap 'kill "$engine"' TERM
	wait "$engine" || wait "$engine" || :
	kill "$feeder" 2>/dev/null || :
}

# judge NODE SECONDS: what became of a job that has ended.
judge() {
	local node=$1 end said

	end=$(sed -n 's/^@end \([0-9]\{1,3\}\)$/\1/p' "$work/$node.out" | tail -n 1)
	said=$(grep -av '^[[:space:]]*$' "$work/$node.err" | tail -n 1)
	said=${said:-nothing was said}
	if [[ $end == [01] ]] && fetch "$node"; then
		said=
		[[ $end == 0 ]] || said="a row failed, or a program crashed: nodes/$node/log.txt"
		over "$node" ok "$2" "$said"
	elif [[ $end == 124 ]]; then
		over "$node" failed "$2" "slow: not over after ${conf[limit]} s"
	elif [[ -n $end ]]; then
		over "$node" failed "$2" "status $end: $said"
	elif grep -qax @begin "$work/$node.out"; then
		over "$node" lost "$2" "gone while it was measured: $said"
	elif [[ $said == *'Requested nodes are busy'* ]]; then
		over "$node" skipped "$2" "busy for ${conf[queue]} s"
	else
		over "$node" down "$2" "$said"
	fi
	# No pattern: another node's name may go on with a dot.
	rm -f "$work/$node".{out,err}
}

# fetch NODE: the results of a job into a new directory.  The node may have
# made the archive as it likes: no name in it becomes one of a file.
fetch() {
	local dir=$work/results file

	mkdir -p "$dir" "$out/nodes"
	sed -n '/^@results$/,/^@end /{//!p}' "$work/$1.out" | base64 -d >"$work/results.tgz" 2>/dev/null || return
	for file in invocations.jsonl machine.json noise.jsonl log.txt; do
		{ tar -xzOf "$work/results.tgz" --occurrence=1 "$file" 2>/dev/null || :; } | head -c 1G >"$dir/$file"
		[[ -s $dir/$file ]] || rm "$dir/$file"
	done
	[[ -e $dir/invocations.jsonl ]] || return
	grep '^@' "$out/plan.tsv" | cat - <(printf '@git_id\t%s\n@command_line\tfleet run\n' "$(git_id)") |
		run_json "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >"$dir/run.json"
	rm -rf "$out/nodes/$1"
	mv "$dir" "$out/nodes/$1"
}

# over NODE STATE SECONDS WHY: into the table; what is not well is said.
over() {
	local why

	why=$(fields_show "$4")
	state[$1]=$2 result[$1]=$1$'\t'$2$'\t'$3$'\t'$why
	printf '%s\n' "${result[$1]}" >>"$out/fleet.tsv" || die 1 "cannot write in $out"
	[[ $2 != ok || -n $4 ]] || ! progress_terminal || return 0
	progress_clear
	log "$1: $2 after $3 s${4:+: $why}"
}

# table_line NODE STATE SECONDS WHY: what is well already stays.
# shellcheck disable=SC2317 # fields_read calls it
table_line() {
	[[ $2 != ok ]] || state[$1]=$2 result[$1]=$1$'\t'$2$'\t'$3$'\t'$4
}

# summary TIME: how many of each state. Return: 1 if a node is not well.
summary() {
	local node counts

	counts=$(for node in "${nodes[@]}"; do
		echo "${state[$node]:-not measured}"
	done | sort | uniq -c | sed 's/^ *//' | paste -sd , | sed 's/,/, /g')
	log "${#nodes[@]} nodes: $counts; took $1; results: $out"
	[[ $counts == "${#nodes[@]} ok" ]]
}
