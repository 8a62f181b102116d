# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Reading files that somebody else may have written.
#
# bash runs the commands in $( ) that it finds in a value when the value is
# used in (( )), [[ -eq ]], the index of an array, or as the name that declare
# or printf -v gets.  So what scripts read from files comes by fields_read,
# which hands on fields only that are made of what they must be made of; and
# what comes otherwise is looked at by fields_is before it is used so.
# tests/lint-fields finds what does neither.

# The form of a field: a whole match of one of these, under LC_ALL=C.  In
# text there is no control character; it is for people and other programs.
declare -rA fields_kinds=(
	[number]='0|[1-9][0-9]{0,14}'
	['exit status']='0|[1-9][0-9]{0,2}'
	['time in seconds']='0|[0-9]{1,9}\.[0-9]{6}'
	['row id']='[a-z0-9_.-]{1,100}'
	['program name']='[a-z0-9_-]{1,100}'
	[word]='[A-Za-z0-9_.:+-]{0,100}'
	# It becomes a file's name and a word of commands.
	[node]='[A-Za-z0-9]([A-Za-z0-9._-]{0,250}[A-Za-z0-9])?'
	['list of rounds']='([0-9]{1,4}:[a-z0-9_,-]*( |$))*'
	[text]='[^[:cntrl:]]*'
	# Arguments that name no file and no host.
	['list of plain arguments']='( *(--[a-z-]+(=[0-9]+[kKmMgG]?)?|[0-9]+[kKmMgG]?|[A-Za-z0-9_.,*?=-]*[*=][A-Za-z0-9_.,*?=-]*)( +|$))*'
	# From the user, or from us.
	[percentage]='(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?'
	[processor]='[A-Za-z0-9_.,=+-]+'
	[check]='(cmd|pc|file):[]A-Za-z0-9/._+|:[-]+'
	# No shell reads it otherwise.
	[path]='(/[A-Za-z0-9_+][A-Za-z0-9._+-]*)+'
	[address]='[A-Za-z0-9_./@:%?=+][A-Za-z0-9_./@:%?=+-]*'
	# When sides in turn began, and numbers.
	[session]='[A-Za-z0-9: -]{0,100}'
	[need]='must|may'
	['list of packages']='-|[A-Za-z0-9][A-Za-z0-9.+_:/@-]*(,[A-Za-z0-9][A-Za-z0-9.+_:/@-]*)*'
)

# fields_is KIND VALUE: whether it is made so; LEAST-MOST is a number of that range,
# A|B one of these words, ?KIND that kind or nothing.
fields_is() {
	if [[ $1 == \?* ]]; then
		[[ -z $2 ]] || fields_is "${1#\?}" "$2"
	elif [[ $1 == *[0-9]-[0-9]* ]]; then
		[[ $2 =~ ^[0-9]{1,15}$ ]] && ((10#$2 >= ${1%-*} && 10#$2 <= ${1#*-}))
	elif [[ $1 == *\|* ]]; then
		[[ -n $2 && $2 != *\|* && "|$1|" == *"|$2|"* ]]
	else
		[[ $2 =~ ^(${fields_kinds[$1]})$ ]]
	fi
}

# fields_take KIND: in words.
fields_take() {
	case $1 in
	*[0-9]-[0-9]*) printf 'takes %s to %s' "${1%-*}" "${1#*-}" ;;
	*\|*) printf 'takes %s' "${1//|/, }" | sed 's/\(.*\), /\1 or /' ;;
	percentage) printf 'takes a percentage such as 2 or 0.5' ;;
	address) printf 'takes letters, digits and any of _./@:%%?=+-' ;;
	*) printf 'takes a %s' "$1" ;;
	esac
}

# fields_refuse WHAT: stop, for the line at hand of the file that is being read.
fields_refuse() {
	die 2 "$fields_file, line $fields_line: $1; $fields_remedy"
}

# fields_need KIND VALUE WHAT: refuse the line unless VALUE is made so.
fields_need() {
	local kind=${1#\?}

	fields_is "$1" "$2" && return
	[[ $kind != *[0-9]-[0-9]* ]] || kind="number from ${kind%-*} to ${kind#*-}"
	fields_refuse "$3 '$(fields_show "$2")' is no $kind"
}

# fields_show VALUE: it, fit for a message.
fields_show() {
	local text=${1//[^ -~]/?}

	((${#text} <= 60)) || text=${text:0:57}...
	printf '%s' "$text"
}

# fields_read FILE REMEDY HANDLER KIND...: call HANDLER with the fields of each
# line, which are separated by tabs and as many as KINDs.  Lines that are empty
# or begin with # are left out.  A line "@NAME<TAB>VALUE" is a setting: its
# text goes to fields_setting[NAME], its line to fields_setting_line[NAME].
# A line that does not fit is refused: the message ends with REMEDY, status 2.
fields_read() {
	local handler=$3 line column
	local -a lines fields

	fields_file=$1 fields_remedy=$2 fields_line=0 fields_setting=() fields_setting_line=()
	shift 3
	mapfile -t lines <"$fields_file"
	for line in "${lines[@]}"; do
		fields_line=$((fields_line + 1))
		[[ -n $line && $line != \#* ]] || continue
		# Tabs are white space to read: make empty columns visible, and
		# an empty last one by one more.
		[[ $line != *$'\x1f'* ]] || fields_refuse "it has a control character"
		IFS=$'\x1f' read -ra fields <<<"${line//$'\t'/$'\x1f'}"$'\x1f'
		if [[ $line == @* ]]; then
			fields_keep "${fields[@]}"
			continue
		fi
		((${#fields[@]} == $#)) ||
			fields_refuse "it has ${#fields[@]} columns, not $#"
		for ((column = 1; column <= $#; column++)); do
			fields_need "${!column}" "${fields[column - 1]}" "column $column:"
		done
		"$handler" "${fields[@]}"
	done
}

declare -A fields_setting=() fields_setting_line=()
fields_file='' fields_remedy='' fields_line=0 # of the file that was read last

# fields_keep @NAME VALUE: a setting of the file that is being read.
fields_keep() {
	[[ $# -eq 2 && $1 =~ ^@[a-z][a-z0-9_]{0,30}$ ]] ||
		fields_refuse "'$(fields_show "$1")' is no setting and its value"
	fields_need text "$2" "the value of $1:"
	[[ ! -v fields_setting[${1#@}] ]] || fields_refuse "$1 is there twice"
	fields_setting[${1#@}]=$2
	fields_setting_line[${1#@}]=$fields_line
}

# json_field FILE OBJECT KEY: the number at OBJECT.KEY, or nothing.  Only for files
# that our programs made, and keys before the first object inside OBJECT.
json_field() {
	local text=''

	IFS= read -rd '' text <"$1" || :
	text=${text//$'\n'/ }
	[[ ! $text =~ .*\"$2\":\ *\{[^{}]*\"$3\":\ *([-+.0-9eE]*) ]] || printf '%s\n' "${BASH_REMATCH[1]}"
}
