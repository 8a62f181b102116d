# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Nodes of a cluster that Slurm manages: a job of its own for each.

# Sourced by a function: -g.
declare -gA slurm_seen=() down=()

engine_nodes() {
	need srun sinfo scancel scontrol
	[[ -z ${conf[nodelist]-} ]] ||
		[[ ${conf[nodelist]} =~ ^[A-Za-z0-9]([A-Za-z0-9._,-]|\[[0-9,-]+\])*$ ]] ||
		die 2 "--nodelist: '$(fields_show "${conf[nodelist]}")' is no list of nodes, such as node[1-30]"
	engine_state
	mapfile -t nodes < <(printf '%s\n' "${!slurm_seen[@]}" | sort -V)
	# A name that no partition has is no line of sinfo's.
	if [[ -n ${conf[nodelist]-} ]]; then
		mapfile -t nodes < <(scontrol show hostnames "${conf[nodelist]}")
	fi
}

# engine_state: who is down, or kept out by the administrator.
engine_state() {
	local name state reason talk

	need srun sinfo scancel
	talk=$(sinfo -h -N -o '%N|%T|%E' ${conf[partition]:+-p "${conf[partition]}"} \
		${conf[nodelist]:+-n "${conf[nodelist]}"} 2>&1) || die 2 "sinfo: $(fields_show "${talk##*$'\n'}")"
	while IFS='|' read -r name state reason; do
		fields_is node "$name" || continue
		slurm_seen[$name]=1
		case $state in
		down* | fail* | unknown* | power* | *'*') down[$name]="down: ${state:+$state: }$reason" ;;
		drain* | maint* | reserved* | blocked* | future*) down[$name]="skipped: $state: $reason" ;;
		esac
	done <<<"$talk"
}

# engine_start NODE COMMAND: become the command that runs COMMAND there.
engine_start() {
	exec "${within[@]}" srun -Q -N1 -n1 -w "$1" ${conf[partition]:+-p "${conf[partition]}"} --exclusive \
		-J "$job_name" -t "$(((conf[limit] + 120) / 60))" --immediate="${conf[queue]}" --export="PATH=$PATH" \
		-D / --mpi=none sh -c "$2"
}

# engine_address NODE: where it listens, as this machine sees it.
engine_address() {
	local address

	address=$(scontrol -o show node "$1" | sed -n 's/.* NodeAddr=\([A-Za-z0-9.:-]*\) .*/\1/p')
	getent ahosts "$address" | awk '{ print $1; exit }'
}

# engine_cancel: what is queued; what runs ends by itself.
engine_cancel() { scancel -Q -n "$job_name" -t PENDING 2>/dev/null || :; }
