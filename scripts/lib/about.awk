# SPDX-License-Identifier: MIT
# Turns the comment that opens a benchmark (the second comment of the file,
# after the licence line) into `const char bench_about[]`, and the core lines of
# its family's rows.tsv (-v rows=FILE -v program=NAME) into the patterns of
# `const char *const bench_core[]`, and the share of the first run line that has
# the program, or a usual one, into `const double bench_share_ms`.
function quoted(s)
{
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}
BEGIN {
	print "/* Made by scripts/lib/about.awk: do not edit. */"
	print "extern const char bench_about[];"
	print "extern const char *const bench_core[];"
	print "extern const double bench_share_ms;"
	print "const char bench_about[] ="
}
done { next }
/^\/\*$/ && !open { open = 1; next }
open && /^ \*\/$/ { done = 1; next }
open {
	sub(/^ \*\t/, " *      ") # as wide as in the file
	sub(/^ \* ?/, "")
	text = quoted($0)
	printf "\t%s\n", substr(text, 1, length(text) - 1) "\\n\""
	lines++
}
END {
	if (!lines) {
		print "about.awk: " FILENAME ": no opening comment" > "/dev/stderr"
		exit 1
	}
	print "\t\"\";"
	print "const char *const bench_core[] = {"
	while (rows && (getline line < rows) > 0) {
		split(line, field, "\t")
		if (field[1] == "run" && field[3] == program && !share)
			share = field[6]
		if (field[1] != "core" || field[2] != program)
			continue
		for (n = split(field[3], pattern, " "); n > 0; n--)
			printf "\t%s,\n", quoted(pattern[n])
	}
	print "\t0,"
	print "};"
	printf "const double bench_share_ms = %d;\n", share ? share : 300
}
