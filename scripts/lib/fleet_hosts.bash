# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Nodes that ssh reaches, by ClusterShell: its node sets, its clush.conf.

engine_nodes() {
	# Groups are looked up by shell commands of groups.conf: no other characters,
	# and a / only as the step of a range.
	[[ ${conf[hosts]} =~ ^[A-Za-z0-9@]([A-Za-z0-9@._:,!^\&*-]|\[[0-9,/-]+\])*$ ]] ||
		die 2 "--hosts: '$(fields_show "${conf[hosts]}")' is no node set, such as node[1-30],login or @rack1"
	need nodeset clush
	mapfile -t nodes < <(nodeset -e -S '\n' "${conf[hosts]}" 2>&1)
	wait $! || die 2 "--hosts: ${nodes[*]}"
}

engine_state() { need clush; }

# engine_start NODE COMMAND: become the command that runs COMMAND there.
engine_start() {
	# -N: lines as they are; the remote shell reads the quotes. Python would keep
	# what it prints until the end, where it is to go to a file.
	exec "${within[@]}" env PYTHONUNBUFFERED=1 clush -q -N -S -w "$1" "sh -c '$2'"
}

# engine_address NODE: where it listens, as this machine sees it.
engine_address() { getent ahosts "$1" | awk '{ print $1; exit }'; }

engine_cancel() { :; }
