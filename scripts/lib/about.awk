# SPDX-License-Identifier: MIT
# Turns the comment that opens a benchmark (the second comment of the file,
# after the licence line) into `const char bench_about[]`, its question and its
# parts as the end of a JSON object into `bench_question` and `bench_parts`, the
# file's stem into `bench_name`, the core lines of its family's rows.tsv (-v
# rows=FILE -v program=NAME) into the patterns of `const char *const
# bench_core[]`, and the share of the first run line that has the program, or a
# usual one, into `const double bench_share_ms`.
function quoted(s)
{
	gsub(/\\/, "&&", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}
# Line feeds and runs of blanks become one blank; an empty line stays as a break
# between paragraphs.
function unfolded(s)
{
	gsub(/[ \t]*\n[ \t]*/, "\n", s)
	gsub(/\n\n+/, "\f", s)
	gsub(/[ \t\n]+/, " ", s)
	gsub(/^[ \f]+|[ \f]+$/, "", s)
	gsub(/\f/, "\n\n", s)
	return s
}
function as_c(s)
{
	s = quoted(s)
	gsub(/\n/, "\\n", s)
	return s
}
function as_json(s)
{
	s = unfolded(s)
	return s == "" ? "null" : as_c(s)
}
# The question of @text, and what stands behind the labels of its parts.
function say_parts(text,    label, i, line, n, key, part)
{
	i = index(text, " - ")
	question = i ? substr(text, i + 3) : ""
	sub(/\n\n.*/, "", question)
	printf "const char bench_question[] = %s;\n", as_c(question)
	i = index(text, "\n\n")
	n = split(i ? substr(text, i + 2) : "", line, "\n")
	key = "text"
	for (i = 1; i <= n; i++) {
		if (match(line[i], /^(Measures|Includes|After|Needs):/)) {
			key = tolower(substr(line[i], 1, RLENGTH - 1))
			line[i] = substr(line[i], RLENGTH + 1)
		}
		part[key] = part[key] line[i] "\n"
	}
	text = "\"summary\":" as_json(question)
	n = split("text measures includes after needs", label, " ")
	for (i = 1; i <= n; i++)
		text = text ",\"" label[i] "\":" as_json(part[label[i]])
	printf "const char bench_parts[] = %s;\n", as_c(text "}")
}
BEGIN {
	print "/* Made by scripts/lib/about.awk: do not edit. */"
	print "extern const char bench_name[], bench_about[], bench_question[], bench_parts[];"
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
	about = about $0 "\n"
}
END {
	if (!about) {
		print "about.awk: " FILENAME ": no opening comment" > "/dev/stderr"
		exit 1
	}
	print "\t\"\";"
	match(FILENAME, /[^\/]+$/)
	printf "const char bench_name[] = %s;\n", quoted(substr(FILENAME, RSTART, RLENGTH - 2))
	say_parts(about)
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
