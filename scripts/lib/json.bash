# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Writing JSON.  Callers run under LC_ALL=C, so patterns work on bytes.

# json_string TEXT: TEXT as a JSON string.  Bytes that are not printable
# ASCII become "?": text comes from other programs and may be no valid UTF-8,
# which would make the whole file unreadable.
json_string() {
	local text=$1

	text=${text//[$'\t\r\n']/ }
	text=${text//[^ -~]/?}
	text=${text//\\/\\\\}
	text=${text//\"/\\\"}
	printf '"%s"' "$text"
}

# json_string_or_null TEXT
json_string_or_null() {
	if [[ -n $1 ]]; then
		json_string "$1"
	else
		printf 'null'
	fi
}

# json_field FILE OBJECT KEY: the number at OBJECT.KEY, or nothing.  Only for files
# that our programs made, and keys before the first object inside OBJECT.
json_field() {
	tr '\n' ' ' <"$1" |
		sed -n "s/.*\"$2\": *{[^{}]*\"$3\": *\([-+.0-9eE]*\).*/\1/p"
}
