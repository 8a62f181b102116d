# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Where we write, nobody else may: one stat of the directory says so.  Trusted are
# this user and root; if root writes also who called sudo, and the owner of these
# scripts, which root runs.

# place_check WHAT DIR [sticky|new]: stop unless DIR is a directory of these in which
# nobody else may write, and has no links; sticky: one like /tmp will do; new: it is
# empty.
place_check() {
	local uid user group mode who='' other

	IFS=/ read -r uid user group mode < <(stat -Lc %u/%U/%G/%A "$2")
	[[ ${3-} != sticky || $mode != *[tT] ]] || return 0
	if [[ $uid != @(0|"$EUID") ]] && ! { ((EUID == 0)) &&
		[[ $uid == @("${SUDO_UID-}"|"$(stat -c %u "${BASH_SOURCE[0]}")") ]]; }; then
		who="user $user"
	elif ((EUID == 0)) && [[ $mode == ????????w* ]]; then
		who=everybody
	elif ((EUID == 0)) && [[ $mode == ?????w* && $group != @(root|"$user") ]]; then
		who="group $group"
	fi
	[[ -z $who ]] ||
		die 2 "$1: $who may write in $2: name a directory that is yours alone (cp -r makes one of a run)"
	[[ -z ${3-} ]] || return 0
	other=$(find "$2/" -mindepth 1 -maxdepth 2 -name '.work-*' -prune -o ! -type f ! -type d -print -quit)
	[[ -z $other ]] || die 2 "$1: $other is no file; a run leaves none such: remove it"
}

# place_results WHAT DIR: make DIR unless it is there, and stop unless results
# can be kept there.
place_results() {
	local parent=$2 new why

	until [[ -d ${parent:=/} ]]; do
		[[ $parent == */* ]] || parent=./$parent
		parent=${parent%/*}
	done
	if [[ ! -d $2 ]]; then
		place_check "$1" "$parent" sticky
		why=$(mkdir -p "$2" 2>&1) ||
			die 2 "cannot make the directory $2: ${why##*: }; $1 names another one"
		new=new
	fi
	place_check "$1" "$2" "${new-}"
}

# place_new WHAT DIR [OTHERWISE]: the same, of an empty one.
place_new() {
	[[ ! -e $2 || -d $2 ]] || die 2 "$1: $2 is not a directory"
	[[ -z $(ls -A "$2" 2>/dev/null) ]] || die 2 "$1: $2 is not empty; name another one${3-}"
	place_results "$1" "$2"
	place_writable "$1" "$2"
	(($(place_free "$2") >= 32 * 1024)) ||
		die 2 "$1: only $(($(place_free "$2") / 1024)) MiB free in $2, 32 are needed"
}

# place_writable WHAT DIR: stop unless a file can be made in DIR.
place_writable() {
	[[ -w $2 ]] || die 2 "$1: cannot write in $2; name another directory with --out DIR"
}

# place_lock WHAT DIR [SECONDS]: stop if another WHAT is at work in DIR, and still is after
# so long; from now on others find us there, while our descriptor 9 is open.
place_lock() {
	exec 9<"$2"
	! command -v flock >/dev/null || flock -w "${3-0}" 9 || die 2 "another $1 is at work in $2"
}

# run_json ENDED [INTERRUPTED [PLAN [JOURNAL]]]: run.json of these, or of a plan on stdin.
run_json() {
	awk -v "ended=$1" -v "interrupted=${2-false}" -f "${BASH_SOURCE[0]%/*}/run.awk" "${@:3}"
}

# place_ours PATH: whether this is a directory of ours that nobody else may
# write in, and no link to one.
place_ours() { [[ -d $1 && ! -L $1 && -O $1 && $(stat -c %A "$1") == d????-??-* ]]; }

# place_own_file FILE WRITER: stop unless it is a file of ours: what it says is done.
place_own_file() {
	[[ -f $1 && ! -L $1 && -O $1 ]] ||
		die 2 "$1 is none that $2 of this user has written: not obeyed"
}

# place_free DIR: KiB that are free there.
place_free() {
	local blocks bytes

	# df would show the name of the device, too, which may be anything.
	read -r blocks bytes < <(stat -f -c '%a %S' "$1")
	if ! fields_is number "$blocks" || ! fields_is number "$bytes"; then
		die 1 "cannot tell how much is free in $1"
	fi
	printf '%d\n' $((blocks * bytes / 1024))
}
