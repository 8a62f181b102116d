# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Directories that are ours alone.

# place_ours PATH: whether this is a directory of ours that nobody else may
# write in, and no link to one.
place_ours() {
	local mode

	[[ -d $1 && ! -L $1 && -O $1 ]] && mode=$(stat -c %a "$1") &&
		[[ $mode =~ ^[0-7]{1,4}$ ]] && ((!(8#$mode & 0022)))
}
