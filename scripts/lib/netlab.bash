# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The network namespaces of scripts/netlab, for the rows that want them.

netlab_made=0

# netlab_up: make them if the plan has such a row.  Where that is not possible
# the programs say why and are skipped.
netlab_up() {
	local why

	[[ " ${plan_args[*]} " == *" --"@(net|nfs)"lab "* ]] || return 0
	if why=$("$here/netlab" up --bin "$bin" --owner "$$" 2>&1 >/dev/null); then
		netlab_made=1
	else
		why=${why##*$'\n'}
		export OSCOST_NETLAB_WHY=${why#netlab: }
	fi
}

# netlab_down: remove what we have made.
netlab_down() {
	((netlab_made)) || return 0
	netlab_made=0
	"$here/netlab" down --owner "$$" || :
}
