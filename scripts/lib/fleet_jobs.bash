# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The jobs of a fleet: one for each node, later one for each pair, so many at a time.
#
# A job is fleet_node.sh at the far end of an engine (fleet_slurm, fleet_hosts,
# fleet_local): what it needs goes in by its standard input, as an archive, what
# it found comes out as text.  Nothing is left there, also if we are killed: the
# standard input is held open by us, and ends with us.

readonly fleet_files=(invocations.jsonl machine.json noise.jsonl log.txt)
declare -A state=() took_s=() why=() # of a node or a pair
declare -A at_work=()                # process: node or pair
stopped=                             # signal that asked us to stop
work=                                # scratch

# engine_load: the functions of the engine.
engine_load() {
	local limit=$((conf[limit] + 90))

	# shellcheck source=/dev/null # one of three
	source "$here/lib/fleet_${conf[engine]}.bash"
	[[ ${conf[engine]} != slurm ]] || limit=$((limit + conf[queue]))
	within=(timeout -k 10 "$limit")
	job_name=oscost-fleet-$$-$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')
}

# measure: all that is missing.  Return: 1 if a node gave nothing.
measure() {
	local node start

	now_us
	start=$now
	exec 9<"$out/plan.tsv"
	! command -v flock >/dev/null || flock -n 9 || die 2 "another fleet run is at work in $out"
	rm -rf "$out"/.work-* # of one that was killed
	work=$(mktemp -d "$out/.work-XXXXXXXXXX")
	trap clean EXIT
	mkfifo -m 600 "$work/hold"
	exec {hold}<>"$work/hold"
	payloads
	trap 'stop 1' HUP
	trap 'stop 2' INT
	trap 'stop 15' TERM
	table_begin fleet.tsv
	for node in "${!down[@]}"; do
		[[ ${state[$node]-} == ok || " ${nodes[*]} " != *" $node "* ]] ||
			over fleet.tsv "$node" "${down[$node]%%: *}" 0 "${down[$node]#*: }"
	done
	pool fleet.tsv job_node "${nodes[@]}"
	table_end fleet.tsv "${nodes[@]}"
	if ((${#pairs[@]})) && [[ -z $stopped ]]; then
		table_begin pairs.tsv
		pool pairs.tsv job_pair "${pairs[@]}"
		table_end pairs.tsv "${pairs[@]}"
	fi
	took_us "$start"
	summary "$(format_us "$took")"
}

# clean: at the end, however we end.
clean() {
	progress_clear
	rm -rf "$work"
}

# stop NUMBER: a signal came; the pool ends its jobs.
stop() {
	[[ -z $stopped ]] || (($1 == 2)) || return 0
	[[ -z $stopped ]] || exit $((128 + $1))
	stopped=$1
	progress_clear
	log "stopping ${#at_work[@]} jobs"
}

# end_jobs: all that are at work, in good order.
end_jobs() {
	local pid feeder='' ended=1

	((!${#at_work[@]})) || kill -TERM "${!at_work[@]}" 2>/dev/null || :
	engine_cancel
	for pid in "${!at_work[@]}"; do
		await "$pid"
	done
	at_work=()
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
		[[ -z ${conf[only]} ]] || plan_select "${conf[only]}"
		[[ ${conf[profile]} == default ]] || plan_core "${conf[only]}" "${conf[profile]#quick}"
	fi
	for i in "${!plan_ids[@]}"; do
		# shellcheck disable=SC2001 # up to the next blank
		plan_args[i]=$(sed 's/--log [^ ]*//' <<<"${plan_args[i]}")
		[[ " ${plan_args[i]}" != *' --'@(net|nfs)lab* ]] || unset "plan_ids[i]"
	done
	((${#plan_ids[@]})) || die 2 "none of ${conf[only]} needs nothing but the static file"
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

# pool TABLE JOB ITEM...: each that is not over, so many at a time; a node does one
# thing at a time.
pool() {
	local table=$1 job=$2 item pid i
	local -a left=()
	local -A begun=() busy=()
	shift 2

	for item; do
		[[ -v state[$item] ]] || left+=("$item")
	done
	local total=${#left[@]} ended=0
	while [[ -z $stopped ]] && ((${#left[@]})) || ((${#at_work[@]})); do
		for i in "${!left[@]}"; do
			((${#at_work[@]} < conf[fanout])) || break
			[[ -z $stopped ]] || break
			item=${left[i]}
			[[ ! -v busy[${item%,*}] && ! -v busy[${item#*,}] ]] || continue
			busy[${item%,*}]=1 busy[${item#*,}]=1
			begun[$item]=$SECONDS
			"$job" "$item" 9<&- &
			at_work[$!]=$item
			unset "left[i]"
		done
		show "$ended" "$total"
		[[ -z $stopped ]] || break
		pid=
		wait -n -p pid "${!at_work[@]}" 2>/dev/null || :
		fields_is number "${pid:-}" || continue
		item=${at_work[$pid]}
		unset "at_work[$pid]" "busy[${item%,*}]" "busy[${item#*,}]"
		# What was cut short is measured again by --resume.
		[[ -z $stopped ]] || break
		ended=$((ended + 1))
		judge "$table" "$item" $((SECONDS - begun[$item]))
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

# await PID [TRIES]: until it has ended. A trapped signal ends wait before that. If
# it is to end, TERM after so many tries: more than one, for a child of bash that has
# just begun loses signals.
await() {
	local tries=${2:-0}

	while kill -0 "$1" 2>/dev/null; do
		if [[ -z $ended ]]; then
			wait "$1" || :
			continue
		fi
		[[ -z ${feeder:-} ]] || kill "$feeder" 2>/dev/null || :
		((tries-- > 0)) || kill -TERM "$1" 2>/dev/null || :
		sleep 0.1
	done
}

# job NAME NODE PAYLOAD WORD...: fleet_node.sh WORD... on NODE; what it says goes
# to NAME.out and NAME.err.
job() {
	local name=$1 node=$2 file=$work/$3.tgz boot feeder engine ended=''
	shift 3

	# At a terminal all get SIGINT: stop() ends us.
	trap '' INT
	trap 'ended=1' TERM
	# Only plain words, no single quotes: shells on both sides read it.
	boot="echo @begin; umask 077; d=\$(mktemp -d ${conf[dir]}/oscost-fleet-XXXXXXXXXX) && cd \"\$d\" &&"
	boot+=" head -c $(stat -c %s "$file") | tar -xzf - && exec sh ./fleet_node.sh ${conf[limit]} $*;"
	boot+=" rm -rf \"\$d\"; echo @end 126"
	exec {hold}>&- 3< <(cat "$file" && exec cat "$work/hold")
	feeder=$!
	(engine_start "$node" "$boot") <&3 3<&- >"$work/$name.out" 2>"$work/$name.err" &
	engine=$!
	# A node that is told to by the end of its input leaves nothing behind.
	await "$engine" 30
	kill "$feeder" 2>/dev/null || :
}

job_node() { job "$1" "$1" measure measure -r "${conf[rounds]}" -e "${conf[effort]}"; }

# job_pair CLIENT,SERVER: the server first; it goes when the client is done.
job_pair() {
	local client=${1%,*} server=${1#*,} from to port='' ended='' pid i

	from=$(engine_address "$client") to=$(engine_address "$server")
	[[ $from =~ ^[0-9a-fA-F.:]+$ && $to =~ ^[0-9a-fA-F.:]+$ ]] || {
		printf '@begin\n@end 125\n' >"$work/$1.out"
		echo "no address of ${client} or ${server} is known here" >"$work/$1.err"
		return
	}
	exec {hold}>&-
	trap '' INT
	trap 'ended=1' TERM
	job "$1.server" "$server" pair serve "$to" "$from" &
	pid=$!
	for ((i = 0; i < 10 * (conf[queue] + 60); i++)); do
		port=$(sed -n 's/^@serving \([0-9]\{1,5\}\)$/\1/p' "$work/$1.server.out" 2>/dev/null || :)
		[[ -z $port$ended ]] || break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	if [[ -n $port && -z $ended ]]; then
		job "$1" "$client" pair pair "$to" "$port" -r "${conf[rounds]}" -e "${conf[effort]}" &
		await $!
	else
		cp "$work/$1.server.out" "$work/$1.out"
		{ echo "no server on $server:" && tail -n 1 "$work/$1.server.err"; } | tr '\n' ' ' >"$work/$1.err"
	fi
	ended=1
	await "$pid"
}

# judge TABLE ITEM SECONDS: what became of a job that has ended.
judge() {
	local table=$1 item=$2 end said place=nodes

	[[ $item != *,* ]] || place=pairs
	end=$(sed -n 's/^@end \([0-9]\{1,3\}\)$/\1/p' "$work/$item.out" | tail -n 1)
	said=$(grep -av '^[[:space:]]*$' "$work/$item.err" | tail -n 1)
	said=${said:-nothing was said}
	if [[ $end == [01] ]] && fetch "$item" "$out/$place/$item"; then
		said=
		[[ $end == 0 ]] || said="a row failed, or a program crashed: $place/$item/log.txt"
		over "$table" "$item" ok "$3" "$said"
	elif [[ $end == 124 ]]; then
		over "$table" "$item" failed "$3" "slow: not over after ${conf[limit]} s"
	elif [[ -n $end ]]; then
		over "$table" "$item" failed "$3" "status $end: $said"
	elif grep -qax @begin "$work/$item.out"; then
		over "$table" "$item" lost "$3" "gone while it was measured: $said"
	elif [[ $said == *'Requested nodes are busy'* ]]; then
		over "$table" "$item" skipped "$3" "busy for ${conf[queue]} s"
	else
		over "$table" "$item" down "$3" "$said"
	fi
	# No pattern: another node's name may go on with a dot.
	rm -f "$work/$item".{out,err} "$work/$item".server.{out,err}
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
	run_text >"$dir/run.json"
	# The other machine, as it was described when it was measured.
	[[ $item != *,* || ! -e $out/nodes/${item#*,}/machine.json ]] ||
		cp "$out/nodes/${item#*,}/machine.json" "$dir/peer.json"
	rm -rf "$2"
	mv "$dir" "$2"
}

# run_text: run.json of a node.
run_text() {
	printf '{"schema": 1, "suite_version": null, "git_id": %s, "command_line": "fleet run",\n' \
		"$(json_string_or_null "$(git_id)")"
	printf ' "profile": "%s", "rounds": %d, "effort": %d, "seed": %d, "started_at": "%s",\n' \
		"${conf[profile]}" "${conf[rounds]}" "${conf[effort]}" "${conf[seed]}" "${conf[started_at]}"
	printf ' "ended_at": "%s", "interrupted": false, "plan": [], "programs": []}\n' \
		"$(date -u +%Y-%m-%dT%H:%M:%SZ)"
}

# over TABLE ITEM STATE SECONDS WHY: a line of the table; what is not well is said.
over() {
	state[$2]=$3 took_s[$2]=$4 why[$2]=$(fields_show "$5")
	table_line "$2" >>"$out/$1" || die 1 "cannot write in $out"
	[[ $3 != ok || -n $5 ]] || ! progress_terminal || return 0
	progress_clear
	log "$2: $3 after $4 s${5:+: ${why[$2]}}"
}

table_line() { printf '%s\t%s\t%s\t%s\n' "$1" "${state[$1]}" "${took_s[$1]}" "${why[$1]}"; }

# table_begin TABLE: what is well already stays.
table_begin() {
	local item

	[[ ! -e $out/$1 ]] || fields_read "$out/$1" "remove it" table_take text word number text
	printf '# %s\tstatus\tseconds\treason\n' "$([[ $1 == fleet.tsv ]] && echo node || echo pair)" >"$out/$1.new"
	for item in "${!state[@]}"; do
		[[ ($1 == pairs.tsv && $item != *,*) || ($1 == fleet.tsv && $item == *,*) ]] ||
			table_line "$item" >>"$out/$1.new"
	done
	mv "$out/$1.new" "$out/$1"
}

# table_take ITEM STATE SECONDS WHY
# shellcheck disable=SC2317 # fields_read calls it
table_take() {
	[[ $2 != ok ]] || state[$1]=$2 took_s[$1]=$3 why[$1]=$4
}

# table_end TABLE ITEM...: in the order of the plan.
table_end() {
	local table=$out/$1 item
	shift

	{
		head -n 1 "$table"
		for item; do
			[[ ! -v state[$item] ]] || table_line "$item"
		done
	} >"$table.new" && mv "$table.new" "$table"
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
