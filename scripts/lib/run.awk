# SPDX-License-Identifier: MIT
# run.json, out of plan.tsv and, behind it, journal.tsv: the only place that writes it.
# With -v ended=TIME (empty: not yet) and -v interrupted=true|false.
#
# A line "@NAME<TAB>VALUE" of the plan is a setting; the others are its rows, as those
# of the journal are invocations (docs/results-format.md).

BEGIN {
	FS = "\t"
	n = split("session suite_version git_id command_line profile programs_of command clock setting started_at", texts, " ")
	m = split("rounds effort seed precision_pct goal_pct seconds", numbers, " ")
	name["version"] = "suite_version"
	name["precision"] = "precision_pct"
	name["goal"] = "goal_pct"
}

# Text comes from other programs and may be no valid UTF-8.
function json(text) {
	gsub(/[\t\r\n]/, " ", text)
	gsub(/[^ -~]/, "?", text)
	gsub(/\\/, "&&", text)
	gsub(/"/, "\\\\&", text)
	return text == "" ? "null" : "\"" text "\""
}

function begin(key) { printf ",\n \"%s\": [", key; comma = "" }

function item(text) {
	printf "%s\n  {%s}", comma, text
	comma = ","
}

FNR == 1 { file++ }

/^#/ || /^$/ { next }

file == 1 && /^@/ {
	key = substr($1, 2)
	value[key in name ? name[key] : key] = $2
	next
}

file == 1 { plan[++rows] = sprintf("\"id\": %s, \"program\": %s, \"args\": \"%s\", \"limit_s\": %d", \
	json($1), json($2), $3 == "" ? "" : substr(json($3), 2, length(json($3)) - 2), $4) }

file == 2 { ran[++runs] = sprintf("\"id\": %s, \"round\": %d, \"exit_status\": %d, \"duration_s\": %s, \"reason\": %s", \
	json($2), $1, $3, $4, json($6)) }

END {
	printf "{\"schema\": 1"
	for (i = 1; i <= n; i++)
		if (texts[i] in value)
			printf ",\n \"%s\": %s", texts[i], json(value[texts[i]])
	for (i = 1; i <= m; i++)
		if (numbers[i] in value)
			printf ",\n \"%s\": %s", numbers[i], value[numbers[i]] == "" ? "null" : value[numbers[i]]
	printf ",\n \"ended_at\": %s, \"interrupted\": %s", json(ended), interrupted
	begin("due")
	rounds = split(value["due"], due, " ")
	for (i = 1; i <= rounds; i++) {
		at = index(due[i], ":")
		item("\"round\": " substr(due[i], 1, at - 1) ", \"programs\": \"" substr(due[i], at + 1) "\"")
	}
	printf "]"
	begin("plan")
	for (i = 1; i <= rows; i++)
		item(plan[i])
	printf "]"
	begin("programs")
	for (i = 1; i <= runs; i++)
		item(ran[i])
	print "]}"
}
