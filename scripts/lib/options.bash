# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The command line of a script: the options are those of its usage.  A line "--NAME VALUE
# text, LEAST to MOST [DEFAULT]" there (after two blanks, with more lines of text below)
# says all of an option: the range that N, S, MS or PCT has, the default, and by the word
# in place of VALUE what it is made of; without one it is a flag.  With "..." in VALUE
# each value is kept, a line each.

declare -A conf=() option_kind=()
declare -a given=() words=() rest=() # --options, operands, what stands behind -- or "+ N"

# The kind of a value by the word in place of VALUE; all others are text.
declare -rA value_kinds=([N]=number [S]=number [MS]=number [PCT]=percentage
	[METHOD]=word [RATE]=word [ARCH]=word [MODEL]=processor [P]=node [URL]=address [USER@HOST]=address)

# usage_options: kinds and defaults of the options of the usage.
usage_options() {
	local line text=''

	while IFS= read -r line && [[ $line == \#* ]]; do
		if [[ $line =~ ^#\ +--[a-z] ]]; then
			usage_option "$text"
			text=--${line#*--}
		elif [[ $line == \# ]]; then
			usage_option "$text"
			text=''
		else
			text+=${line#\#}
		fi
	done <"${BASH_SOURCE[-1]}"
}

# usage_option TEXT: of one line, with those below it.
usage_option() {
	local head=${1%%  *} name value range='' default=''

	[[ $1 == --* ]] || return 0
	[[ ! $1 =~ ([0-9]+)\ to\ ([0-9]+) ]] || range=${BASH_REMATCH[1]}-${BASH_REMATCH[2]}
	[[ ! $1 =~ \ \[([^]]*)\]$ ]] || default=${BASH_REMATCH[1]}
	while read -r name value; do
		name=${name#--}
		option_kind[$name]=${value_kinds[${value:-none}]-text}
		[[ $value ]] || option_kind[$name]=flag
		[[ ! $range || $value != @(N|S|MS|PCT) ]] || option_kind[$name]=$range
		[[ $value != *...* ]] || option_kind[$name]+=+
		[[ ! $default ]] || conf[$name]=$default
	done <<<"${head//, --/$'\n'--}"
}

# take_options TABLE ARGUMENT...: into conf, given, words and rest; --bin into bin.
# TABLE has lines "NAME KIND [DEFAULT]" for what the usage does not say: KIND is flag, one
# of fields.bash, LEAST-MOST, or WORD|WORD.  A line "+ N": behind N operands comes a
# command with options of its own; "+ 0": there are no operands.
take_options() {
	local name kind value most=-1

	usage_options
	while read -r name kind value; do
		[[ -n $name ]] || continue
		if [[ $name == + && $kind =~ ^[0-9]+$ ]]; then
			most=$kind
			continue
		fi
		option_kind[$name]=$kind
		[[ -z $value ]] || conf[$name]=$value
	done <<<"$1"
	shift
	while (($#)); do
		name=${1#--}
		case $1 in
		-h | --help) printed usage && exit 0 ;;
		--)
			rest=("${@:2}")
			break
			;;
		-?*)
			[[ $1 == --?* && -v option_kind[$name] ]] || unknown "$1"
			given+=("$1")
			if [[ ${option_kind[$name]} == flag ]]; then
				conf[$name]=1
			else
				(($# > 1)) || die 2 "$1 needs a value"
				option_set "$name" "$2"
				shift
			fi
			;;
		*)
			((most)) || unknown "$1"
			if ((${#words[@]} == most)); then
				rest=("$@")
				break
			fi
			words+=("$1")
			;;
		esac
		shift
	done
	bin=${conf[bin]-$bin}
}

# unknown ARGUMENT: stop: the usage does not name it.
unknown() {
	local -a names=("${!option_kind[@]}")

	die 2 "unknown argument '$1'; $(meant "$1" "see $called --help" "${names[@]/#/--}")"
}

# option_set NAME VALUE: stop unless it is of the option's kind.
option_set() {
	local kind=${option_kind[$1]} hint=''
	local -a choices

	fields_is "${kind%+}" "$2" || {
		IFS='|' read -ra choices <<<"${kind%+}"
		((${#choices[@]} < 2)) || hint=$(meant "$2" '' "${choices[@]}")
		die 2 "--$1 $(fields_take "${kind%+}"), not '$(fields_show "$2")'${hint:+; $hint}"
	}
	if [[ $kind == *+ ]]; then
		conf[$1]+=${conf[$1]:+$'\n'}$2
	else
		conf[$1]=$2
	fi
}

# one_of WHAT WORD CANDIDATE...: stop unless WORD is one of them.
one_of() {
	local candidate

	for candidate in "${@:3}"; do
		[[ $2 != "$candidate" ]] || return 0
	done
	[[ -n $2 ]] || die 2 "which $1? ${*:3}; see $called --help"
	die 2 "unknown $1 '$(fields_show "$2")'; $(meant "$2" "see $called --help" "${@:3}")"
}

# settings_print KINDS: those of conf that the array KINDS names, as fields_read reads them.
settings_print() {
	local -n kinds=$1
	local name

	for name in "${!kinds[@]}"; do
		printf '@%s\t%s\n' "$name" "${conf[$name]-}"
	done
}

# settings_take KINDS: the same, of the file that was read last, into conf.  The array
# has the kind of each: an option's own where it says none, or only ?.
settings_take() {
	local -n kinds=$1
	local name kind

	for name in "${!kinds[@]}"; do
		kind=${kinds[$name]}
		[[ $kind != @(|\?) ]] || kind+=${option_kind[$name]}
		fields_line=${fields_setting_line[$name]:-1}
		fields_need "$kind" "${fields_setting[$name]-}" "@$name:"
		conf[$name]=${fields_setting[$name]-}
	done
}
