# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The jobs of a fleet: one for each node, later one for each pair, so many at a time.
#
# A job is fleet_node.sh on a node, by Slurm, by ssh (ClusterShell) or, for trials,
# on this machine: what it needs goes in by its standard input, as an archive, what
# it found comes out as text.  Nothing is left there, also if we are killed: the
# standard input is held open by us, and ends with us.

readonly fleet_files=(invocations.jsonl machine.json noise.jsonl log.txt)
declare -A state=() result=() # of a node or a pair, and its line of the table
declare -A down=()          # node: why it is not even tried
declare -A at_work=()       # process: node or pair
stopped=                    # signal that asked us to stop
work=                       # scratch
job_name=oscost-fleet-$$-$RANDOM$RANDOM

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

# engine_address NODE: where it listens, as this machine sees it.
engine_address() {
	local address=$1

	[[ ${conf[engine]} != local ]] || address=127.0.0.1
	[[ ${conf[engine]} != slurm ]] ||
		address=$(scontrol -o show node "$1" | sed -n 's/.* NodeAddr=\([A-Za-z0-9.:-]*\) .*/\1/p')
	getent ahosts "$address" | awk '{ print $1; exit }'
}

# measure: all that is missing.  Return: 1 if a node or a pair is not well.
measure() {
	local node start

	now_us
	start=$now
	exec 9<"$out/plan.tsv"
	! command -v flock >/dev/null || flock -n 9 || die 2 "another fleet run is at work in $out"
	rm -rf "$out"/.work-* # of one that was killed
	work=$(mktemp -d "$out/.work-XXXXXXXXXX")
	trap 'progress_clear; rm -rf "$work"' EXIT
	mkfifo -m 600 "$work/hold"
	exec {hold}<>"$work/hold"
	payloads
	trap 'stop 1' HUP
	trap 'stop 2' INT
	trap 'stop 15' TERM
	table_load fleet.tsv
	for node in "${nodes[@]}"; do
		[[ ${state[$node]-} == ok || ! -v down[$node] ]] ||
			over "$node" "${down[$node]%%: *}" 0 "${down[$node]#*: }"
	done
	pool job_node "${nodes[@]}"
	table_write fleet.tsv node "${nodes[@]}"
	if ((${#pairs[@]})) && [[ -z $stopped ]]; then
		table_load pairs.tsv
		pool job_pair "${pairs[@]}"
		table_write pairs.tsv pair "${pairs[@]}"
	fi
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

# payloads: what the nodes get: the static file, run-all.sh with the plan of this
# run, fleet_node.sh.
payloads() {
	static=$(cd "$bin/.." && pwd)/oscost-static
	[[ -x $static && -r $here/run-all.sh ]] || die 2 "there is no $static; type: make static"
	plan_of run
	payload measure
	((${#pairs[@]})) || return 0
	conf[peer]=@address@ conf[peer-port]=@port@
	plan_of peer
	plan_select 'tcp_rtt_remote tcp_bandwidth_remote'
	if [[ ${conf[profile]} != default ]]; then
		plan_args[0]+=' --case *proto=tcp,size=1,wait=block,*figure=round_trip'
		plan_args[1]+=' --case *size=128K,*figure=rate'
	fi
	payload pair
}

# plan_of KIND: the plan, of the lines that need nothing but the static file.
plan_of() {
	local i

	plan_ids=() plan_programs=() plan_args=() plan_limits=() plan_asked=()
	plan_read_suite '' "$1"
	if [[ $1 == run ]]; then
		[[ -z ${conf[only]-} ]] || plan_select "${conf[only]}"
		[[ ${conf[profile]} == default ]] || plan_core "${conf[only]-}" "${conf[profile]#quick}"
	fi
	for i in "${!plan_ids[@]}"; do
		# shellcheck disable=SC2001 # up to the next blank
		plan_args[i]=$(sed 's/--log [^ ]*//' <<<"${plan_args[i]}")
		[[ " ${plan_args[i]}" != *' --'@(net|nfs)lab* ]] || unset "plan_ids[i]"
	done
	((${#plan_ids[@]})) || die 2 "none of ${conf[only]-} needs nothing but the static file"
}

# payload NAME: the archive.
payload() {
	local i dir=$work/$1

	mkdir "$dir"
	cp "$here/lib/fleet_node.sh" "$dir"
	for i in "${!plan_ids[@]}"; do
		printf '%s %s detail %s\n' "${plan_programs[i]}" "${plan_limits[i]}" "${plan_args[i]}"
	done >"$work/$1.plan"
	sed -e "/^@PLAN@\$/{r $work/$1.plan" -e 'd}' "$here/run-all.sh" >"$dir/run-all.sh"
	tar -C "$dir" --owner=0 --group=0 -czf "$dir.tgz" fleet_node.sh run-all.sh \
		-C "${static%/*}" oscost-static || die 1 "cannot make $dir.tgz"
	rm -r "$dir"
}

# pool JOB ITEM...: each that is not over, so many at a time; a node does one thing at
# a time.
pool() {
	local job=$1 item pid i total ended=0
	local -a left=()
	local -A begun=() busy=()
	shift

	for item; do
		[[ -v state[$item] ]] || left+=("$item")
	done
	total=${#left[@]}
	while [[ -z $stopped ]] && ((${#left[@]} + ${#at_work[@]})); do
		for i in "${!left[@]}"; do
			((${#at_work[@]} < conf[fanout])) || break
			item=${left[i]}
			[[ ! -v busy[${item%,*}] && ! -v busy[${item#*,}] ]] || continue
			busy[${item%,*}]=1 busy[${item#*,}]=1
			begun[$item]=$SECONDS
			# Who held it open would keep the nodes from ending with us.
			{ exec {hold}>&- && "$job" "$item"; } 9<&- &
			at_work[$!]=$item
			unset "left[i]"
		done
		show "$ended" "$total"
		pid=
		wait -n -p pid "${!at_work[@]}" 2>/dev/null || :
		# What was cut short is measured again by --resume.
		[[ -z $stopped ]] || break
		fields_is number "${pid:-}" || continue
		item=${at_work[$pid]}
		unset "at_work[$pid]" "busy[${item%,*}]" "busy[${item#*,}]"
		ended=$((ended + 1))
		judge "$item" $((SECONDS - begun[$item]))
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
# behind then. What has not ended after 3 s, or has not begun, is ended.
end_jobs() {
	local tries=0 name

	((${#at_work[@]})) || return 0
	[[ ${conf[engine]} != slurm ]] || scancel -Q -n "$job_name" -t PENDING 2>/dev/null || :
	while kill -0 "${!at_work[@]}" 2>/dev/null; do
		for name in "$work"/*.feeder "$work"/*.engine; do
			[[ $name == *.engine && $tries -lt 30 ]] || end_process "$name"
		done
		tries=$((tries + 1))
		sleep 0.1
	done
	at_work=()
}

# job NAME NODE PAYLOAD WORD...: fleet_node.sh WORD... on NODE; what it says goes
# to NAME.out and NAME.err.
job() {
	local name=$1 node=$2 file=$work/$3.tgz boot
	shift 3

	# At a terminal all get SIGINT: stop() ends us.
	trap '' INT
	trap - HUP TERM
	# Only plain words, no single quotes: shells on both sides read it.
	boot="echo @begin; umask 077; d=\$(mktemp -d ${conf[dir]}/oscost-fleet-XXXXXXXXXX) && cd \"\$d\" &&"
	boot+=" head -c $(stat -c %s "$file") | tar -xzf - && exec sh ./fleet_node.sh ${conf[limit]} $*;"
	boot+=" rm -rf \"\$d\"; echo @end 126"
	exec 3< <(cat "$file" && exec cat "$work/hold")
	echo $! >"$work/$name.feeder"
	(engine_start "$node" "$boot") <&3 3<&- >"$work/$name.out" 2>"$work/$name.err" &
	echo $! >"$work/$name.engine"
	wait $! || :
	end_process "$work/$name.feeder"
}

# end_process FILE: whose number it has.
end_process() {
	local pid=

	{ read -r pid <"$1"; } 2>/dev/null || :
	! fields_is number "$pid" || kill "$pid" 2>/dev/null || :
}

job_node() { job "$1" "$1" measure measure -r "${conf[rounds]}" -e "${conf[effort]}"; }

# job_pair CLIENT,SERVER: the server first; it goes when the client is done.
job_pair() {
	local client=${1%,*} server=${1#*,} from to port='' pid i

	from=$(engine_address "$client") to=$(engine_address "$server")
	[[ $from =~ ^[0-9a-fA-F.:]+$ && $to =~ ^[0-9a-fA-F.:]+$ ]] || {
		printf '@begin\n@end 125\n' >"$work/$1.out"
		echo "no address of ${client} or ${server} is known here" >"$work/$1.err"
		return
	}
	trap '' INT
	trap - HUP TERM
	job "$1.server" "$server" pair serve "$to" "$from" &
	pid=$!
	for ((i = 0; i < 10 * (conf[queue] + 60); i++)); do
		port=$(sed -n 's/^@serving \([0-9]\{1,5\}\)$/\1/p' "$work/$1.server.out" 2>/dev/null || :)
		[[ -z $port ]] || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	if [[ -n $port ]]; then
		(job "$1" "$client" pair pair "$to" "$port" -r "${conf[rounds]}" -e "${conf[effort]}")
	else
		cp "$work/$1.server.out" "$work/$1.out"
		{ echo "no server on $server:" && tail -n 1 "$work/$1.server.err"; } | tr '\n' ' ' >"$work/$1.err"
	fi
	end_process "$work/$1.server.feeder"
	wait "$pid" || :
}

# judge ITEM SECONDS: what became of a job that has ended.
judge() {
	local item=$1 end said place=nodes

	[[ $item != *,* ]] || place=pairs
	end=$(sed -n 's/^@end \([0-9]\{1,3\}\)$/\1/p' "$work/$item.out" | tail -n 1)
	said=$(grep -av '^[[:space:]]*$' "$work/$item.err" | tail -n 1)
	said=${said:-nothing was said}
	if [[ $end == [01] ]] && fetch "$item" "$out/$place/$item"; then
		said=
		[[ $end == 0 ]] || said="a row failed, or a program crashed: $place/$item/log.txt"
		over "$item" ok "$2" "$said"
	elif [[ $end == 124 ]]; then
		over "$item" failed "$2" "slow: not over after ${conf[limit]} s"
	elif [[ -n $end ]]; then
		over "$item" failed "$2" "status $end: $said"
	elif grep -qax @begin "$work/$item.out"; then
		over "$item" lost "$2" "gone while it was measured: $said"
	elif [[ $said == *'Requested nodes are busy'* ]]; then
		over "$item" skipped "$2" "busy for ${conf[queue]} s"
	else
		over "$item" down "$2" "$said"
	fi
	# No pattern: another node's name may go on with a dot.
	rm -f "$work/$item".{out,err,feeder,engine} "$work/$item".server.{out,err,feeder,engine}
}

# fetch ITEM DIR: the results of a job into a new directory.  The node may have
# made the archive as it likes: no name in it becomes one of a file.
fetch() {
	local dir=$work/results file item=$1

	mkdir -p "$dir" "${2%/*}"
	sed -n '/^@results$/,/^@end /{//!p}' "$work/$item.out" | base64 -d >"$work/results.tgz" 2>/dev/null || return
	for file in "${fleet_files[@]}"; do
		{ tar -xzOf "$work/results.tgz" --occurrence=1 "$file" 2>/dev/null || :; } | head -c 1G >"$dir/$file"
		[[ -s $dir/$file ]] || rm "$dir/$file"
	done
	[[ -e $dir/invocations.jsonl ]] || return
	grep '^@' "$out/plan.tsv" | cat - <(printf '@git_id\t%s\n@command_line\tfleet run\n' "$(git_id)") |
		awk -v ended="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -v interrupted=false -f "$here/lib/run.awk" >"$dir/run.json"
	# The other machine, as it was described when it was measured.
	[[ $item != *,* || ! -e $out/nodes/${item#*,}/machine.json ]] ||
		cp "$out/nodes/${item#*,}/machine.json" "$dir/peer.json"
	rm -rf "$2"
	mv "$dir" "$2"
}

# over ITEM STATE SECONDS WHY: into the table; what is not well is said.
over() {
	local table=fleet.tsv why

	[[ $1 != *,* ]] || table=pairs.tsv
	why=$(fields_show "$4")
	state[$1]=$2 result[$1]=$1$'\t'$2$'\t'$3$'\t'$why
	printf '%s\n' "${result[$1]}" >>"$out/$table" || die 1 "cannot write in $out"
	[[ $2 != ok || -n $4 ]] || ! progress_terminal || return 0
	progress_clear
	log "$1: $2 after $3 s${4:+: $why}"
}

# table_load TABLE: what is well already stays.
table_load() {
	[[ ! -e $out/$1 ]] || fields_read "$out/$1" "remove it" table_line text word number text
}

# table_line ITEM STATE SECONDS WHY
# shellcheck disable=SC2317 # fields_read calls it
table_line() {
	[[ $2 != ok ]] || state[$1]=$2 result[$1]=$1$'\t'$2$'\t'$3$'\t'$4
}

# table_write TABLE WHAT ITEM...: each once, in the order of the plan.
table_write() {
	local item

	{
		printf '# %s\tstatus\tseconds\treason\n' "$2"
		for item in "${@:3}"; do
			[[ ! -v result[$item] ]] || printf '%s\n' "${result[$item]}"
		done
	} >"$out/$1.new" && mv "$out/$1.new" "$out/$1"
}

# summary TIME: how many of each. Return: 1 if a node or pair is not well.
summary() {
	local item text='' kind bad=0
	local -A count=()

	for item in "${nodes[@]}" "${pairs[@]}"; do
		count[${state[$item]:-not measured}]=$((${count[${state[$item]:-not measured}]:-0} + 1))
	done
	for kind in ok failed lost down skipped 'not measured'; do
		[[ ! -v count[$kind] ]] || text+=", ${count[$kind]} $kind"
		[[ $kind == ok || ! -v count[$kind] ]] || bad=1
	done
	log "${#nodes[@]} nodes, ${#pairs[@]} pairs:${text#,}; took $1; results: $out"
	return "$bad"
}
