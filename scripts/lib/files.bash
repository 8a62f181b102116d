# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The directory of the test files: made for the run, used again by its later
# rounds, removed when it ends.

declare -a files_option=() # for the programs
files_dir=

# files_up: make it below DIR, else in the run's own directory, by a name that
# nobody can know before, for DIR may be everybody's.  Programs know by the mark
# in it that files may stay there (bench_files()).
files_up() {
	local base=${conf[dir]:-$out}

	# --resume finds what a crash left, if it is still what we made; unless
	# that is noted: then it goes when the programs of that run have ended.
	if [[ -z ${conf[files]:-} ]] ||
		grep -qsxF "dir $base/${conf[files]}" "$(records_place)"/* ||
		! files_take "$base/${conf[files]}"; then
		conf[files]=$(mktemp -u .oscost-files-XXXXXXXXXX)
		files_take "$base/${conf[files]}" || conf[files]=
	fi 2>/dev/null
	record_settings
	if [[ -z $files_dir ]] || ! files_mark; then
		files_dir=
		log "warning: no directory for test files in $base:" \
			"each program makes its own where it can"
		return 0
	fi 2>/dev/null
	files_option=(--dir "$files_dir")
}

# files_take DIR: make it, or take it if it is ours.  We may be killed at once.
files_take() {
	records_add dir "$1"
	mkdir -m 700 "$1" || place_ours "$1" || return
	files_dir=$1
}

# files_mark: by a file that is new, or was made so.
files_mark() {
	local mark=$files_dir/.oscost-run

	[[ -f $mark && ! -L $mark && -O $mark ]] || (set -o noclobber && : >"$mark")
}

# files_down: remove what we have made.
files_down() {
	[[ -z $files_dir ]] || ! place_ours "$files_dir" || rm -rf "$files_dir"
	records_end
	files_dir=
}

# files_check: stop unless the user's directory can hold any.
files_check() {
	[[ -n ${conf[dir]:=} ]] || return 0
	[[ -d ${conf[dir]} && -w ${conf[dir]} ]] ||
		die 2 "DIR: ${conf[dir]} is no directory that we may write in"
	place_check DIR "${conf[dir]}" sticky
	conf[dir]=$(cd -P "${conf[dir]}" && pwd -P)
}
