# SPDX-License-Identifier: MIT
# lmbench's lines from rows of ours: scripts/lmbench.
#
# mode=resolve: "program<TAB>case" of the rows that there are, then the plan with
# patterns of them; prints the plan with the rows themselves, and what is not
# there as "!<TAB>program<TAB>pattern".
# mode=print: that plan, then rows as JSON, one a line; prints lmbench's lines.
# Exit status 1 or 77 if a row has no value, with a message.
#
# A line of the plan: program, rows, conversion, size in bytes, largest size,
# format.  Program "[": begin of a section, whose title is printed with the first
# line in it; "]": its end, and an empty line if it had a title or "closes".

BEGIN { FS = OFS = "\t" }

function bytes(text) {
	if (text ~ /[kK]$/) return text * 1024
	if (text ~ /[mM]$/) return text * 1048576
	if (text ~ /[gG]$/) return text * 1073741824
	return text + 0
}

function regex(glob) {
	gsub(/[.]/, "[.]", glob)
	gsub(/\*/, ".*", glob)
	return "^" glob "$"
}

# The first row of the program that one of the patterns matches, "" if none does.
function find(program, patterns,   n, list, i, j) {
	n = split(patterns, list, " ")
	for (i = 1; i <= n; i++)
		for (j = 1; j <= count[program]; j++)
			if (there[program, j] ~ regex(list[i]))
				return there[program, j]
	return ""
}

# The first file may be empty.
mode == "resolve" && FILENAME == ARGV[1] {
	there[$1, ++count[$1]] = $2
	next
}

mode == "resolve" && ($2 == "-" || $1 == "[" || $1 == "]") {
	print
	next
}

mode == "resolve" && $6 ~ /\{sizeM\}/ {
	for (i = 1; i <= count[$1]; i++) {
		name = there[$1, i]
		size = name
		sub(/.*,size=/, "", size)
		if (name ~ regex($2) && bytes(size) <= $5)
			print $1, name, $3, bytes(size), "", $6
	}
	next
}

mode == "resolve" {
	n = split($2, operand, "&")
	names = ""
	for (i = 1; i <= n; i++) {
		name = find($1, operand[i])
		if (name == "") {
			sub(/ .*/, "", operand[i])
			print "!", $1, operand[i]
			next
		}
		names = names (i > 1 ? "&" : "") name
	}
	print $1, names, $3, $4, "", $6
	next
}

NR == FNR {
	plan[++plans] = $0
	next
}

# The value of a key of a flat object, as it is written there.
function member(line, key) {
	if (!match(line, "\"" key "\":(\"[^\"]*\"|\\[[^]]*\\]|[^,}]*)"))
		return ""
	line = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	gsub(/^["[]|"$|]$/, "", line)
	return line
}

/^\{"schema":/ {
	id = member($0, "benchmark") "\t" member($0, "case")
	row[id] = $0
	status[id] = member($0, "status")
}

# What lmbench's bandwidth() and micromb() print.
function as_bandwidth(x) { return sprintf(x < 1 ? "%.6f" : "%.2f", x) }
function as_micromb(x) { return sprintf(x >= 10 ? "%.0f" : "%.3f", x) }

function put(text, token, value,   at) {
	at = index(text, token)
	return at ? substr(text, 1, at - 1) value substr(text, at + length(token)) : text
}

# The conversion @how of a value.
function convert(how, v) {
	v += 0
	if (how == "ns" || how == "as-is" || how == "ratio" || how == "-")
		return v
	if (how == "/s")
		return v > 0 ? 1e9 / v : 0
	if (how ~ /^us/)
		return v / 1e3 / (how ~ /\// ? substr(how, 4) : 1)
	if (how ~ /^MB/)
		return v / 1e6 / (how ~ /\// ? substr(how, 4) : 1)
	return v > 0 ? how * 1e9 / v : 0 # N/MB
}

function figures(how, n,   i, range, swap, sum, sum_low, sum_high) {
	for (i = 1; i <= n; i++) {
		value[i] = member(row[$1 "\t" operand[i]], "value")
		range = member(row[$1 "\t" operand[i]], "ci95")
		low[i] = range
		high[i] = range
		sub(/,.*/, "", low[i])
		sub(/.*,/, "", high[i])
		known = (i == 1 || known) && range ~ /^[-+.0-9eE]+,[-+.0-9eE]+$/
	}
	if (how == "ratio") {
		value[1] = value[2] > 0 ? value[1] / value[2] : 0
		low[1] = high[2] > 0 ? low[1] / high[2] : 0
		high[1] = low[2] > 0 ? high[1] / low[2] : 0
	}
	sum = value[1]
	sum_low = low[1]
	sum_high = high[1]
	if (how ~ /-us/) {
		sum -= value[2]
		sum_low -= high[2]
		sum_high -= low[2]
	}
	if (how ~ /\+us/) {
		sum += value[3]
		sum_low += low[3]
		sum_high += high[3]
	}
	x = convert(how, sum)
	x_low = convert(how, sum_low)
	x_high = convert(how, sum_high)
	if (x_low > x_high) {
		swap = x_low
		x_low = x_high
		x_high = swap
	}
}

# The line of @format.  Decimals are "{N}", and "{yN}" of the second row.
function line_of(format, how, size,   digits, text, id) {
	gsub(/\\n/, "\n", format)
	gsub(/\\t/, "\t", format)
	id = $1 "\t" operand[1]
	text = put(format, "{size6}", sprintf("%.6f", size / 1e6))
	text = put(text, "{sizek}", int(size / 1024))
	text = put(text, "{sizeM}", sprintf("%.5f", size / 1048576))
	text = put(text, "{size}", as_bandwidth(size / 1e6))
	text = put(text, "{n}", member(row[id], "samples") * member(row[id], "iters"))
	text = put(text, "{bw}", as_bandwidth(x))
	text = put(text, "{us}", as_micromb(x))
	for (digits = 0; digits <= 4; digits++) {
		text = put(text, "{" digits "}", sprintf("%." digits "f", x))
		if (text ~ /\{y/)
			text = put(text, "{y" digits "}", sprintf("%." digits "f",
				convert(how, value[2])))
	}
	return text
}

# What the line @text is no good for: grade D, or wider than the report's bound.
function tell_disturbed(text, n,   i, grade) {
	for (i = 1; i <= n; i++)
		if (member(row[$1 "\t" operand[i]], "grade") == "D")
			grade = ", grade D"
	if (grade == "" && !(known && x_high - x_low > 2 * 0.05 * x))
		return
	gsub(/\n/, "", text)
	fflush()
	printf "lmbench: disturbed, measure it again: %s: 95 %% interval %s%s\n", text,
		known ? sprintf("%.4g to %.4g", x_low, x_high) : "unknown", grade >"/dev/stderr"
}

# Titles and heads wait for the first line below them.
function say(text) {
	printf "%s%s\n", waiting, text
	waiting = ""
	open = closes
}

function quoted(text) {
	gsub(/[\\"]/, "\\\\&", text)
	gsub(/[\001-\037]/, " ", text)
	return "\"" text "\""
}

function put_json(text, names) {
	sub(/^\n/, "", text)
	printf "%s\n {\"line\": %s, \"program\": \"%s\", \"rows\": \"%s\", \"value\": %.9g, \"ci95\": %s}",
		(jsons++ ? "," : "["), quoted(text), $1, names, x,
		known ? sprintf("[%.9g, %.9g]", x_low, x_high) : "null" >json
}

END {
	if (mode != "print")
		exit
	for (p = 1; p <= plans; p++) {
		$0 = plan[p]
		if ($1 == "[") {
			waiting = $6 == "" ? "" : "\n" $6 "\n"
			closes = $6 != "" || $2 == "closes"
		} else if ($1 == "]") {
			if (open)
				print ""
			open = closes = 0
			waiting = ""
		} else if ($2 == "-") {
			waiting = waiting $6 "\n"
		}
		if ($1 == "[" || $1 == "]" || $2 == "-")
			continue
		n = split($2, operand, "&")
		bad = ""
		for (i = n; i >= 1; i--)
			if (status[$1 "\t" operand[i]] != "ok")
				bad = operand[i]
		if (bad != "") {
			id = $1 "\t" bad
			print "lmbench: " $1 " " bad ": " (id in row ? status[id] ": " \
				member(row[id], "reason") : "it gave no value") >"/dev/stderr"
			code = id in row && status[id] == "skipped" ? 77 : 1
			worst = worst == 1 ? 1 : code
			continue
		}
		if ($3 == "us/pages") {
			pages = member(row[$1 "\t" operand[1]], "pages_brought")
			$3 = "us/" (pages > 0 ? pages : 16) # runs before it was told
		}
		figures($3, n)
		size = $4
		if (size == "" && match(row[$1 "\t" operand[n]], /"params":\{[^}]*\}/))
			size = member(substr(row[$1 "\t" operand[n]], RSTART, RLENGTH), "size")
		text = line_of($6, $3, size)
		say(text)
		tell_disturbed(text, n)
		if (json != "")
			put_json(text, $2)
	}
	if (json != "")
		printf "%s\n", jsons ? "\n]" : "[]" >json
	exit worst
}
