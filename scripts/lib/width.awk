# SPDX-License-Identifier: MIT
# Turns monitor/width.tsv into the C table that monitor/cpu_model.h declares.
BEGIN {
	FS = "\t"
	print "#include \"cpu_model.h\"\n"
	print "const struct width_row width_table[] = {"
}
/^#/ { next }
NF != 9 {
	printf "%s:%d: %d columns, not 9\n", FILENAME, FNR, NF >"/dev/stderr"
	failed = 1
	exit 1
}
{
	gsub(/"/, "\\\"")
	printf "\t{ \"%s\", 0x%s, 0x%s, 0x%s, \"%s\", %s, \"%s\", \"%s\", \"%s\" },\n", \
		$1, $2, $3, $4, $5, $6, $7, $8, $9
}
END {
	if (failed)
		exit 1
	print "\t{ 0 },\n};"
}
