# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The directory of the test files: made for the run, used again by its later
# rounds, removed when it ends.

declare -a files_option=() # for the programs
files_dir=

# files_up: make it below DIR, else in the run's own directory.  Programs
# know by the mark in it that files may stay there (bench_files()).
files_up() {
	local base=${conf[dir]:-$out}

	# The same name for the same run: --resume finds what a crash left.
	files_dir=$base/.oscost-files-$(basename "$out")
	if ! mkdir -p "$files_dir" || ! : >"$files_dir/.oscost-run"; then
		files_dir=
		log "warning: no directory for test files in $base:" \
			"each program makes its own where it can"
		return 0
	fi 2>/dev/null
	files_option=(--dir "$files_dir")
}

# files_down: remove what we have made.
files_down() {
	[[ -z $files_dir || ! -e $files_dir/.oscost-run ]] || rm -rf "$files_dir"
	files_dir=
}

# files_check: stop unless the user's directory can hold any.
files_check() {
	[[ -n ${conf[dir]:=} ]] || return 0
	[[ -d ${conf[dir]} && -w ${conf[dir]} ]] ||
		die 2 "DIR: ${conf[dir]} is no directory that we may write in"
	conf[dir]=$(cd "${conf[dir]}" && pwd)
}
