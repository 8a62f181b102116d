# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The two hosts of scripts/netlab, for the rows that want them.  A process holds them
# until its standard input ends, with us, however we end.

lab_pid=

# lab_up: make them if the plan has such a row, with an NFS server kept off the CPU that
# measures if a row wants one.  Where that is not possible the programs say why and are
# skipped.
lab_up() {
	local why=

	[[ " ${plan_args[*]} " == *" --"@(net|nfs)"lab "* ]] || return 0
	if [[ " ${plan_args[*]} " == *" --nfslab "* && -n $files_dir ]]; then
		lab_hold --nfs --dir "$files_dir" ${conf[cpu]:+--cpu "${conf[cpu]}"} && return
		why=$OSCOST_NETLAB_WHY
	fi
	lab_hold || return 0
	[[ -z $why ]] || log "no NFS server: $why"
}

# lab_hold [OPTION]...: begin to.  Return: 1 if they cannot be had; OSCOST_NETLAB_WHY
# tells the programs why.
lab_hold() {
	exec 7> >(exec setsid "$here/netlab" run --bin "$bin" "$@" sh -c 'echo ready; exec cat >/dev/null' \
		>"$out/.lab.new" 2>&1 8>&- 9<&-)
	lab_pid=$!
	while kill -0 "$lab_pid" 2>/dev/null; do
		! grep -qsx ready "$out/.lab.new" || return 0
		sleep 0.05
	done
	lab_down
	OSCOST_NETLAB_WHY=$(tail -n 1 "$out/.lab.new")
	export OSCOST_NETLAB_WHY=${OSCOST_NETLAB_WHY#netlab: }
	return 1
}

# lab_down: let go of them, and wait until they are removed.
lab_down() {
	[[ -n $lab_pid ]] || return 0
	exec 7>&-
	child_wait "$lab_pid" || :
	lab_pid=
}
