# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For all labs: guests of scripts/lib, and what they print.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for lib in guest guest_x86 foreign counted; do
	# shellcheck disable=SC1090 # of the list
	source "$here/../../scripts/lib/$lib.bash"
done
# shellcheck source-path=SCRIPTDIR source=guest_disk.bash
source "$here/guest_disk.bash"

# usage: what a lab says of itself, for misuse.
usage() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0" | sed '/^set /d' >&2 && exit 2; }

# part FILE WHAT: the lines behind @WHAT, to the next such line.
part() { awk -v from="@$2" '/^@/ { on = $0 == from; next } on' "$1"; }

# holds FILE JQ-CONDITION: of the array of its rows.
holds() { jq -es "$2" "$1" >/dev/null; }
