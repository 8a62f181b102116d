# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Every script begins with this: an error ends it, nothing of the caller's shell
# changes it, and messages for people go to stderr; stdout belongs to data.

set -euo pipefail
export LC_ALL=C

# The environment does not say how bash, df and others behave.  With -p bash takes
# no options, functions, CDPATH or BASH_ENV from there: begin again with it.
unset POSIXLY_CORRECT BASH_COMPAT FUNCNEST TMOUT GREP_OPTIONS TAR_OPTIONS GIT_DIR GIT_WORK_TREE
[[ $- == *p* || ! ${BASH_SOURCE[1]-} -ef $0 ]] || exec "$BASH" -p "$0" "$@"
export -n SHELLOPTS BASHOPTS
# We can read all files that we make, and other users cannot change them.
umask u+rwx,o-w
((EUID)) || umask g-w
[[ ${TMPDIR-/} == /* && -d ${TMPDIR-/} && -w ${TMPDIR-/} ]] || unset TMPDIR

# shellcheck source=fields.bash source-path=SCRIPTDIR
source "${BASH_SOURCE[0]%/*}/fields.bash"

log_fd=2
# The tree of the sources, or the installed one.
[[ -v root ]] || root=${BASH_SOURCE[0]%/scripts/lib/*}

# The name in messages: the caller's, "oscost ab", or that of the file.
called=${OSCOST_CALLED:-${0##*/}}
# The command that goes on with a run; the card is a run, too.
printf -v typed '%q' "$0"
typed=${OSCOST_CALLED:-$typed}
[[ $typed != oscost ]] || typed='oscost run'
unset OSCOST_CALLED

# The programs of the tree of the sources, or those that are installed.
bin=${BASH_SOURCE[0]%/scripts/lib/*}/build/bin
[[ -d $bin ]] || bin=${bin%/build/bin}/bin

# log MESSAGE...: a closed stderr must not end a run, hence the ||.
log() { printf '%s: %s\n' "$called" "$*" >&"$log_fd" || :; }

# die CODE MESSAGE...: exit codes are those of the programs: 1 failed, 2 usage.
die() {
	local code=$1
	shift
	log "$*"
	exit "$code"
}

# utc FORMAT: set utc to the time of day.
utc() { TZ=UTC0 printf -v utc "%($1)T" -1; }

# need COMMAND...: stop unless every command is on PATH; those of the set need_set of
# packages.tsv, if it is not run.
need() {
	local cmd
	for cmd in "$@"; do
		command -v "$cmd" >/dev/null ||
			die 2 "needs the command '$cmd'; type scripts/setup ${need_set-run}"
	done
}

# need_program DIR NAME...: stop unless they were built.
need_program() {
	local name
	for name in "${@:2}"; do
		[[ -x $1/$name ]] || die 2 "no program $1/$name; run make first"
	done
}

# scratch: set work to a directory that goes when we end.
scratch() {
	work=$(mktemp -d) || die 1 'no scratch directory'
	trap 'rm -rf "$work"' EXIT
}

# results_place NAME: where results go by default: beside the sources, or where we are
# if the suite was installed.
results_place() {
	local dir=$PWD utc

	[[ ! -e $root/Makefile ]] || dir=$root
	utc %Y%m%dT%H%M%SZ
	printf '%s/results/%s-%s' "$dir" "$1" "$utc"
}

# proc_stat PID: set stat to the fields of /proc/PID/stat from the state on: its parent is
# number 1, its session 3.
proc_stat() {
	stat=
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return
	# The name in parentheses may hold anything.
	read -ra stat <<<"${stat##*) }"
}

# need_number NAME VALUE LEAST MOST: stop unless VALUE is such an integer.
need_number() {
	fields_is "$3-$4" "$2" || die 2 "$1 takes $3 to $4, not '$2'"
}

# printed FUNCTION ARGUMENT...: its output, or one line why it cannot be written.  A
# reader that has enough (head) is no failure.
printed() {
	local text status=0

	text=$("$@") || status=$?
	trap 'exit "$status"' PIPE
	[[ -z $text ]] || printf '%s\n' "$text" 2>/dev/null || die 1 "cannot write the output"
	return "$status"
}

# usage: the comment at the top of the script, under the name that it was called by.
usage() {
	local file=${BASH_SOURCE[-1]##*/}

	sed -n '/^# usage: /,/^$/s/^# \{0,1\}//p' "${BASH_SOURCE[-1]}" |
		sed -E "/^(usage:|      ) /s#(scripts/)?${file//./\\.}( |$)#$called\\2#"
}

# meant NAME HINT CANDIDATE...: on stdout "did you mean ...?" if one is like NAME, else
# HINT.
meant() {
	local text

	text=$(printf '%s\n' "${@:3}" | awk -v meant="$1" -f "${BASH_SOURCE[0]%/*}/nearest.awk")
	printf '%s' "${text:-$2}"
}
