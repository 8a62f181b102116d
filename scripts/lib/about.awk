# SPDX-License-Identifier: MIT
# Turns the comment that opens a benchmark (the second comment of the file,
# after the licence line) into `const char bench_about[]`.
function emit(s)
{
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	printf "\t\"%s\\n\"\n", s
}
BEGIN {
	print "/* Made by scripts/lib/about.awk: do not edit. */"
	print "extern const char bench_about[];"
	print "const char bench_about[] ="
}
done { next }
/^\/\*$/ && !open { open = 1; next }
open && /^ \*\/$/ { done = 1; next }
open {
	sub(/^ \*\t/, " *      ") # as wide as in the file
	sub(/^ \* ?/, "")
	emit($0)
	lines++
}
END {
	if (!lines) {
		print "about.awk: " FILENAME ": no opening comment" > "/dev/stderr"
		exit 1
	}
	print "\t\"\";"
}
