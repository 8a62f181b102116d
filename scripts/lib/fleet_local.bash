# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# This machine as N nodes, for trials of what is around the measurement.

engine_nodes() {
	local i

	need_number --local "${conf[local]}" 1 1000
	for ((i = 1; i <= conf[local]; i++)); do
		nodes+=("local$i")
	done
}

engine_state() { :; }

# engine_start NODE COMMAND: become the shell that runs COMMAND there.
engine_start() { exec "${within[@]}" setsid sh -c "$2"; }

engine_address() { printf '127.0.0.1'; }

engine_cancel() { :; }
