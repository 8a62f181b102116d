# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The other machine of a run: who it is, its rows, and what it says of itself.
# A plan.tsv that names one is not believed: --resume must be told again.

# peer_check: stop unless these go together.
peer_check() {
	[[ ! -v conf[peer-url] || -v conf[peer] ]] || die 2 "--peer-url goes with --peer"
	[[ ! -v conf[peer] || ! -v conf[suite] ]] ||
		die 2 "--peer goes with the rows of the suite, not with --suite"
}

# peer_kinds: the kinds of lines in rows.tsv that are wanted.
peer_kinds() {
	printf '%s' "${conf[peer]:+|peer}${conf[peer-url]:+|export}"
}

# peer_plan: tell the rows that want it.
peer_plan() {
	local i

	for i in "${!plan_ids[@]}"; do
		case ${plan_ids[i]} in
		file_remote_peer) plan_args[i]="--url ${conf[peer-url]}" ;;
		tcp_*_remote)
			plan_args[i]="--peer ${conf[peer]} --port ${conf[peer-port]}"
			;;
		esac
	done
}

peer_from='' # what a row has as its arguments, and what they are in this run
peer_to=

# peer_up: start net_server there, at the address at which ssh comes in and for
# the host from which it comes.  Its standard input ends with us, however we end,
# and it with that.
peer_up() {
	local address='' port=''

	[[ ${conf[peer]:-} == *@* ]] || return 0
	# A shell there, whichever the user's own is.
	# shellcheck disable=SC2016 # expands there; OSCOST_SSH may have options
	coproc peer_ssh { exec setsid sh -c 'exec ${OSCOST_SSH:-ssh} -T -o BatchMode=yes -- "$1" "$2"' \
		sh "${conf[peer]}" "exec sh -c 'set -- \$SSH_CONNECTION; echo \$3; exec ${conf[peer-server]} --listen \$3 --allow \$1 --port 0 --until-eof'" 8>&- 9<&-; }
	{ read -r address && read -r port; } <&"${peer_ssh[0]-}" || :
	[[ $port ]] || die 1 "ssh has not started ${conf[peer-server]} at ${conf[peer]}"
	peer_from="--peer ${conf[peer]} --port ${conf[peer-port]}"
	peer_to="--peer $address --port $port"
}

# peer_down: end it.
peer_down() {
	local i pid=${peer_ssh_PID-} line=${peer_ssh[1]-}

	[[ $pid && $line ]] || return 0
	exec {line}>&-
	for ((i = 0; i < 30; i++)); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.1
	done
	kill "$pid" || :
}

# peer_describe: keep what the other machine says of itself, in peer.json.
peer_describe() {
	local server=${conf[peer-server]} machine=oscost-machine

	[[ ${conf[peer]:-} == *@* && ! -e $out/peer.json ]] && ((!stopping)) || return 0
	[[ $server != */* ]] || machine=${server%/*}/machine
	record_ready
	# shellcheck disable=SC2016 # OSCOST_SSH may have options
	if child_run 60 sh -c 'exec ${OSCOST_SSH:-ssh} -T -o BatchMode=yes -- "$1" "$2" <"$3"' \
		sh "${conf[peer]}" "$machine </dev/null; perl - last || true" \
		"$here/lib/describe.pl" >"$out/.rows" 2>"$out/.talk" &&
		[[ $(json_field "$out/.rows" tsc hz) ]]; then
		record_described peer.json "$out/.rows"
	else
		log "warning: the other machine is not described: $machine there:" \
			"$(tail -n 1 "$out/.talk")"
	fi
}
