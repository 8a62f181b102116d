# SPDX-License-Identifier: MIT
# Functions for other programs of awk: the name that was probably meant.  Alone, with
# -v meant=NAME: "did you mean LINE?" of the line that is most like it, if any is.

function least(a, b) { return a < b ? a : b }

# How many letters are to be changed, put in, left out, or to change places.
function distance(a, b,   i, j, d) {
	for (i = 0; i <= length(a); i++) d[i, 0] = i
	for (j = 0; j <= length(b); j++) d[0, j] = j
	for (i = 1; i <= length(a); i++)
		for (j = 1; j <= length(b); j++) {
			d[i, j] = least(least(d[i - 1, j], d[i, j - 1]) + 1,
				d[i - 1, j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
			if (i > 1 && j > 1 && substr(a, i - 1, 2) == substr(b, j, 1) substr(b, j - 1, 1))
				d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
		}
	return d[length(a), length(b)]
}

# The index of KNOWN whose name is most like NAME; "" if half of NAME and more, without
# dashes at its begin, would have to change.
function nearest(name, known,   other, far, best, most) {
	match(name, /^-*/)
	most = (length(name) - RLENGTH) / 2
	for (other in known) {
		far = distance(tolower(name), tolower(other))
		if (far < most || (far == most && best != "" && other < best)) {
			most = far
			best = other
		}
	}
	return best
}

meant != "" { lines[$0] }

END {
	if (meant != "" && (meant = nearest(meant, lines)) != "")
		print "did you mean " meant "?"
}
