# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The directory of the test files: made for the run, used again by its later
# rounds, removed when it ends.

declare -a files_option=() # for the programs
files_dir=

# files_up: make it below DIR, else in the run's own directory, by a name that
# nobody can know before, for DIR may be everybody's.  Programs know by the mark
# in it that files may stay there (bench_files()).  The next start removes those that
# a crash leaves, for they are noted.
files_up() {
	local base=${conf[dir]:-$out}

	# They are of a run that was killed, or renamed meanwhile.
	[[ -n ${conf[dir]-} ]] || ! compgen -G "$out/.oscost-files-??????????" >/dev/null ||
		rm -rf "$out"/.oscost-files-??????????
	files_dir=$(mktemp -u "$base/.oscost-files-XXXXXXXXXX")
	records_add dir "$files_dir"
	if mkdir -m 700 "$files_dir" && : >"$files_dir/.oscost-run"; then
		files_option=(--dir "$files_dir")
		return
	fi 2>/dev/null
	files_dir=
	log "warning: no directory for test files in $base:" \
		"each program makes its own where it can"
}

# files_down: remove what we have made.
files_down() {
	[[ -z $files_dir ]] || ! place_ours "$files_dir" || rm -rf "$files_dir"
	records_end
	files_dir=
}

# files_check: stop unless the user's directory can hold any.
files_check() {
	local tried

	[[ -n ${conf[dir]:=} ]] || return 0
	[[ ! -d ${conf[dir]} ]] || place_check --dir "${conf[dir]}" sticky
	tried=$(mktemp -d "${conf[dir]}/.oscost-XXXXXXXXXX" 2>&1) ||
		die 2 "--dir: no file can be made in ${conf[dir]}: ${tried##*: }"
	rmdir "$tried"
	conf[dir]=$(cd -P "${conf[dir]}" && pwd -P)
}
