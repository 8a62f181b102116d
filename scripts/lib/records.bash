# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What must go should we be killed: records of it, as harness/life/guard.h keeps
# them, which the next start of anything of ours reads.

records_file=

# records_place: the directory of this user's records.
records_place() {
	local place=/run/oscost

	((EUID == 0)) || place=/dev/shm/oscost-$EUID
	printf '%s\n' "${OSCOST_RECORDS:-$place}"
}

# records_clean BIN: remove what killed processes left; it says what.
records_clean() {
	[[ ! -x $1/machine ]] || "$1/machine" clean-up || :
}

# records_lock FILE: open it, to be locked by us until $records_fd is closed, in 1 s at most.
# The file that was opened may have been removed by the one before, as may its
# directory: then once more.
records_lock() {
	local tries

	for ((tries = 0; tries < 100; tries++)); do
		mkdir -m 700 "${1%/*}" 2>/dev/null || place_ours "${1%/*}" || continue
		{ exec {records_fd}>>"$1"; } 2>/dev/null || continue
		flock -w 1 "$records_fd" || return
		[[ ! $1 -ef /proc/$$/fd/$records_fd ]] || return 0
		exec {records_fd}>&-
	done
	return 1
}

# records_add KIND WHAT: note it in a record that is locked as long as we live,
# or a program that we have started does.
records_add() {
	local file

	if [[ -z $records_file ]]; then
		file=$(records_place)/$$
		records_lock "$file" 2>/dev/null || return 0
		records_file=$file
	fi
	printf '%s %s\n' "$1" "$2" >>"$records_file"
}

# records_end: what was noted is gone, or is to stay.
records_end() {
	[[ -n $records_file ]] || return 0
	rm -f "$records_file"
	rmdir "${records_file%/*}" 2>/dev/null || :
	records_file=
}
