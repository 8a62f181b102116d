# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The network namespaces of scripts/netlab, for the rows that want them.

netlab_made=0

# netlab_up: make them if the plan has such a row.  Where that is not possible
# the programs say so and are skipped.
netlab_up() {
	[[ " ${plan_args[*]} " == *" --"@(net|nfs)"lab "* ]] || return 0
	if "$here/netlab" up --owner "$$" >/dev/null 2>&1; then
		netlab_made=1
	fi
}

# netlab_down: remove what we have made.
netlab_down() {
	((netlab_made)) || return 0
	netlab_made=0
	"$here/netlab" down --owner "$$" || :
}
