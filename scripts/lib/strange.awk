# SPDX-License-Identifier: MIT
# For mk/run.mk, with nearest.awk: of the variables that make was given (names) the
# first that the makefiles and options have nowhere, and the one of theirs that it is most like.
{
	while (match($0, /[A-Za-z_][A-Za-z0-9_]*/)) {
		known[substr($0, RSTART, RLENGTH)]
		$0 = substr($0, RSTART + RLENGTH)
	}
}

END {
	n = split(options, given, " ")
	for (i = 1; i <= n; i++)
		known[given[i]]
	n = split(names, given, " ")
	for (i = 1; i <= n; i++) {
		if (given[i] in known)
			continue
		for (name in known)
			if (name !~ /^[A-Z_]+$/)
				delete known[name]
		best = nearest(given[i], known)
		print "nothing takes " given[i] "=" (best ? "; did you mean " best "=?" : "; make help lists what there is")
		exit
	}
}
