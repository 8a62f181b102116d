# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Where root writes, nobody else may: a link that another user puts in the way
# would lead to any file of the machine.  Other users' results go where no link
# is, nor a file of another user.
#
# Trusted are root, who started us by sudo (--bin would run anything for them),
# and the owner of these scripts, which root runs.  In a user namespace that is
# not the whole machine its root is no more than a user, and the true root is
# seen as nobody.

place_trusts() { # UID
	[[ $1 == 0 || $1 == "${SUDO_UID:-0}" || $1 == "$(stat -c %u "${BASH_SOURCE[0]}")" ]] ||
		{ [[ $1 == 65534 ]] && ! grep -qE '^ *0 +0 +4294967295$' /proc/self/uid_map; }
}

# place_check WHAT DIR STICKY: stop if root is to write in DIR, which is there,
# and somebody else could put something else into its place or, unless STICKY,
# into it: a directory or link on the way, by its name or where it really lies, is
# another user's, or one that others may write in and which is not as /tmp.
place_check() {
	local path uid user group mode name=$2 sticky=$3 who
	local -a paths=()

	((EUID == 0)) || return 0
	[[ $name == /* ]] || name=$PWD/$name
	for path in "$(cd -P "$2" && pwd -P)" "${name%/}"; do
		for (( ; ${#path}; )); do
			paths+=("$path")
			path=${path%/*}
		done
	done
	while read -r uid user group mode path; do
		who=
		if ! place_trusts "$uid"; then
			who="user $user"
			[[ $mode != l* ]] || place_refuse "$1" "$2" "the link $path is of user $user"
		elif [[ $mode == l* || ($sticky == 1 && $mode == *[tT]) ]]; then
			:
		elif [[ $mode == ????????w* ]]; then
			who=everybody
		elif [[ $mode == ?????w* && ($group != @(root|"$user") || $group == UNKNOWN) ]]; then
			who="group $group"
		fi
		[[ -z $who ]] || place_refuse "$1" "$2" "$who may write in $path"
		sticky=1
	done < <(stat -c '%u %U %G %A %n' "${paths[@]}" /)
}

# place_refuse WHAT DIR WHY
place_refuse() {
	local equals='=' advice

	[[ $1 != --* ]] || equals=' '
	advice="type $1$equals/root/oscost, or another directory that only root may write in"

	[[ $1 != RESUME ]] || advice="type: cp -r $(printf '%q' "$2") /root/oscost-copy, and RESUME=/root/oscost-copy"
	die 2 "$1: $3 and could lead what root writes in $2 to any other file; $advice"
}

# place_make WHAT DIR: make a directory of ours, where there is none, in parents
# that are ours too. Return: 1 if it cannot be made.
place_make() {
	local parent=$2

	[[ -d $2 ]] && return
	[[ $parent == /* ]] || parent=$PWD/$parent
	parent=${parent%"${parent##*[!/]}"}
	parent=${parent%/*}
	place_make "$1" "${parent:-/}" || return
	place_check "$1" "${parent:-/}" 1
	# Not -p: what somebody else has made meanwhile is not ours.
	mkdir "$2" 2>/dev/null
}

# place_results WHAT DIR: make DIR unless it is there, and stop unless results
# can be kept there.
place_results() {
	place_make "$1" "$2" || die 2 "$1: cannot make the directory $2"
	place_check "$1" "$2" 0
	place_plain "$1" "$2" 1 'remove it, or name a new directory'
}

# place_plain WHAT DIR LEAST REMEDY: stop unless in it are files and directories
# only, and for users who are not root only their own; with LEAST 0 DIR, too.
place_plain() {
	local other

	other=$(find "$2/" -mindepth 1 -maxdepth 1 ! -type f ! -type d -print -quit)
	[[ -z $other ]] || die 2 "$1: $other is no file; a run leaves none such: remove it"
	((EUID)) || return 0
	other=$(find "$2/" -mindepth "$3" -maxdepth 1 ! -user "$EUID" -print -quit)
	[[ -z $other ]] || die 2 "$1: $other is of user $(stat -c %U "$other"): $4"
}

# place_ours PATH: whether this is a directory of ours that nobody else may
# write in, and no link to one.
place_ours() {
	local mode

	[[ -d $1 && ! -L $1 && -O $1 ]] && mode=$(stat -c %a "$1") &&
		[[ $mode =~ ^[0-7]{1,4}$ ]] && ((!(8#$mode & 0022)))
}

# place_own_file FILE WRITER: stop unless it is a file of ours: what it says is done.
place_own_file() {
	[[ -f $1 && ! -L $1 && -O $1 ]] ||
		die 2 "$1 is none that $2 of this user has written: not obeyed"
}

# place_resume: stop unless the run in $out is one that we may go on with: in it
# are files and directories only, and they are ours.
place_resume() {
	local other

	place_check RESUME "$out" 0
	place_plain RESUME "$out" 0 'copy the run with cp -r, and go on with the copy'
	for other in "$out"/{plan.tsv,journal.tsv,invocations.jsonl,log.txt}; do
		[[ ! -d $other ]] || die 2 "RESUME: $other is a directory; a run has a file there: remove it"
	done
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
