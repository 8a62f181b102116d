# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Running a program with a time limit, and stopping when the user asks.

child_pid=    # session that runs now
stopping=0    # signal number that asked us to stop, 0 if none
stopped_us=0  # when
child_ran=0   # whether child_run began: what it was redirected to was opened
child_final=0  # whether to run this child although we are stopping
declare -a child_ends=()
! command -v setpriv >/dev/null || child_ends=(setpriv --pdeathsig TERM)
child_grace=10 # seconds between TERM and KILL: time to clean up

# child_run LIMIT COMMAND...: run COMMAND in a session of its own, so that
# Ctrl-C reaches only us and that all it started can be found.  We sleep in
# wait meanwhile: the driver must not disturb what it measures.
# If we are killed it gets TERM, and cleans up.
# Return: COMMAND's status; 124 or 137 if it took longer than LIMIT seconds.
child_run() {
	local limit=$1 status=0
	shift

	child_ran=1
	"${child_ends[@]}" setsid timeout -k "$child_grace" "$limit" "$@" </dev/null 7>&- 8>&- 9<&- &
	child_pid=$!
	if ((stopping && !child_final)); then
		kill -TERM "$child_pid" 2>/dev/null || :
	fi
	child_wait "$child_pid" || status=$?
	if ((status != 0 && status != 77)); then
		child_sweep "$child_pid"
	fi
	child_pid=
	return "$status"
}

# child_prio N: stop unless programs can be run with real-time priority N.
child_prio() {
	need chrt
	chrt -r "$1" true 2>/dev/null ||
		die 2 "--prio: this user may not have real-time priority $1; use sudo, or leave it out"
}

# child_reason STATUS MICROSECONDS LIMIT FILE: set reason, out of how a command ended and
# what it has said in FILE, and status where its own does not tell the truth.
child_reason() {
	reason=$(grep -v '^[[:space:]]*$' "$4" | tail -n 1 || :)
	if (($1 == 124 || ($1 == 137 && $2 >= $3 * 1000000))); then
		status=124
		reason="no end after $3 s: terminated"
	elif (($1 > 128)); then
		reason="killed by signal $(($1 - 128))"
	elif [[ -z $reason ]]; then
		reason="exit status $1 without a message"
	fi
}

# child_wait PID: wait for our child, whatever signals come meanwhile.  They end
# bash's wait, also one that came just before it and whose trap has run, with a
# status above 128: then we look whether the number is still that of our child.
# Bash's own message about a child that was killed is not for the user; those of a
# handler are, meanwhile, through log_fd.
# Return: its status.
child_wait() {
	local status=0 last=0 stat

	while :; do
		status=0
		wait "$1" 2>/dev/null || status=$?
		((status > 128)) || break
		proc_stat "$1" || break
		[[ ${stat[1]} == "$BASHPID" ]] || break
	done
	# It may have ended in between; then its status is still to be had.
	if ((status > 128)); then
		wait "$1" 2>/dev/null || last=$?
		((last == 127)) || status=$last
	fi
	return "$status"
}

# child_sweep SESSION: kill what a program left behind in its session.
child_sweep() {
	local process stat

	for process in /proc/[0-9]*; do
		! proc_stat "${process#/proc/}" || [[ ${stat[3]} != "$1" ]] ||
			kill -KILL "${process#/proc/}" 2>/dev/null || :
	done
}

# child_stop NUMBER: a signal came.  The first ends the child and the run, in
# good order; one that comes a second later or more ends everything at once.  One
# before that has the same cause: make and timeout signal us and then the group.
child_stop() {
	local now

	now_us # which nobody sets back
	if ((stopping)); then
		((now - stopped_us >= 1000000)) || return 0
		progress_clear
		# More signals would begin this again and again.
		trap '' HUP INT TERM
		log "stopped at once"
		if [[ -n $child_pid ]]; then
			child_sweep "$child_pid"
		fi
		exit $((128 + $1))
	fi
	stopping=$1 stopped_us=$now
	progress_clear
	log "stopping; Ctrl-C to quit without a report"
	if [[ -n $child_pid ]]; then
		kill -TERM "$child_pid" 2>/dev/null || :
	fi
}

# child_pause: Ctrl-Z would stop us, and not what we measure with.
child_pause() {
	progress_clear
	log "Ctrl-Z does not pause a measurement: it goes on; Ctrl-C stops it"
}

# child_pass SIGNAL STATUS: to the driver; before there is one, end.
child_pass() {
	[[ $child_pid ]] || exit "$2"
	kill -s "$1" "$child_pid" 2>/dev/null || :
}

# child_apart ARGUMENT...: begin this script again in a process group of its own,
# and be no more than what hands it our signals.  A signal to the whole group
# (Ctrl-C, timeout, the TERM that make passes on) would else end the commands that
# the driver writes its files with, too.
child_apart() {
	local status=0

	[[ ${OSCOST_APART-} != "$PPID" ]] || return 0
	trap 'child_pass HUP 129' HUP
	trap 'child_pass INT 130' INT
	trap 'child_pass TERM 143' TERM
	trap child_pause TSTP
	set -m
	[[ $called == "${0##*/}" ]] || export OSCOST_CALLED=$called
	OSCOST_APART=$$ "${child_ends[@]/%TERM/KILL}" "$BASH" -p "$0" "$@" &
	child_pid=$!
	set +m
	child_wait "$child_pid" || status=$?
	exit "$status"
}

# child_traps: from now on signals stop the run.
child_traps() {
	exec 8>&2
	log_fd=8
	trap 'child_stop 1' HUP
	trap 'child_stop 2' INT
	trap 'child_stop 15' TERM
	trap child_pause TSTP
	# Ignored signals would be inherited; a handler is not.
	trap : PIPE
	# ulimit -f: a write then fails, and says why.
	trap '' XFSZ
}
