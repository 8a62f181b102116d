# SPDX-License-Identifier: MIT
# For mk/run.mk: of the variables that make was given (names) the first that the
# makefiles have nowhere, and the one of theirs that it is most like.

function least(a, b) { return a < b ? a : b }

# How many letters are to be changed, put in or left out.
function distance(a, b,   i, j, d) {
	for (i = 0; i <= length(a); i++) d[i, 0] = i
	for (j = 0; j <= length(b); j++) d[0, j] = j
	for (i = 1; i <= length(a); i++)
		for (j = 1; j <= length(b); j++)
			d[i, j] = least(least(d[i - 1, j], d[i, j - 1]) + 1,
				d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
	return d[length(a), length(b)]
}

{
	while (match($0, /[A-Za-z_][A-Za-z0-9_]*/)) {
		known[substr($0, RSTART, RLENGTH)]
		$0 = substr($0, RSTART + RLENGTH)
	}
}

END {
	n = split(names, given, " ")
	for (i = 1; i <= n; i++) {
		if (given[i] in known)
			continue
		for (name in known)
			if (name ~ /^[A-Z_]+$/ && (best == "" || distance(name, given[i]) < distance(best, given[i])))
				best = name
		print "nothing takes " given[i] "=; did you mean " best "=?"
		exit
	}
}
