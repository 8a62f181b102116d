# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# The command line of a script, by a table: a line "NAME KIND [DEFAULT]" for each
# option.  KIND is flag, one of lib/fields.bash's, LEAST-MOST, or WORD|WORD; with a +
# behind it each value is kept, a line each.  A line "+ N": behind N operands comes
# a command with options of its own; "+ 0": there are no operands.

declare -A conf=() option_kind=()
declare -a given=() words=() rest=() # --options, operands, what stands behind -- or "+ N"

# take_options TABLE ARGUMENT...: into conf, given, words and rest.
take_options() {
	local name kind value most=-1

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
		case $1 in
		-h | --help) printed usage && exit 0 ;;
		--)
			rest=("${@:2}")
			return
			;;
		--?*)
			name=${1#--}
			[[ -v option_kind[$name] ]] || unknown "$1"
			given+=("$1")
			if [[ ${option_kind[$name]} == flag ]]; then
				conf[$name]=1
				shift
				continue
			fi
			(($# > 1)) || die 2 "$1 needs a value"
			option_set "$name" "$2"
			shift 2
			;;
		-?*) unknown "$1" ;;
		*)
			((most)) || unknown "$1"
			if ((${#words[@]} == most)); then
				rest=("$@")
				return
			fi
			words+=("$1")
			shift
			;;
		esac
	done
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
