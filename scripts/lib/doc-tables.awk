# SPDX-License-Identifier: MIT
# Fills the tables of a page of docs/, for make docs:
# awk -v root=DIR -f doc-tables.awk PAGE.  A line <!-- table: NAME --> becomes the
# table of docs/NAME.tsv; lmbench and mistakes have lines of rows.tsv, too.

function heading(title) { print "## " title "\n" }

function table(columns,    n) {
	n = gsub(/\t/, " | ", columns) + 1
	print "| " columns " |"
	printf "|"
	while (n--)
		printf " --- |"
	print ""
}

# lines(FILE, TITLES): each group (the first field) is a table of its own.
function lines(file, titles,    field, group, columns) {
	FS = "\t"
	getline columns <file
	sub(/^[^\t]*\t/, "", columns)
	while ((getline <file) > 0) {
		if ($1 != group) {
			printf "%s", group == "" ? "" : "\n"
			group = $1
			heading(group in title ? title[group] : group)
			table(columns)
		}
		print "| " $2 " | " ($3 == "-" ? "–" : $3) " | " ($4 == "-" ? "" : $4) " |"
	}
	close(file)
}

# summary: lmbench's own groups, in its order.
function summary(    command, group) {
	FS = "\t"
	command = "grep -h '^lmbench\t' " root "/bench/*/rows.tsv | sort -s -t '\t' -k 2,2n"
	while ((command | getline) > 0) {
		sub(/^[0-9]+ /, "", $2)
		if ($2 != group) {
			printf "%s", group == "" ? "" : "\n"
			group = $2
			heading(group)
			table("operation\trow\tdifference to lmbench")
		}
		print "| " $3 " | " ($4 == "-" ? "–" : "`" $4 " " $5 "`") " | " ($6 == "-" ? "" : $6) " |"
	}
	close(command)
	print ""
}

function mistakes(    file) {
	FS = "\t"
	file = root "/bench/cpu/rows.tsv"
	table("mistake\tthe naive program\twhy it is wrong\tthis suite")
	while ((getline <file) > 0)
		if ($1 == "mistake")
			printf "| %s (`%s`) | %s | %s | %s |\n", $3, $2, $10, $11, $12
	close(file)
}

BEGIN {
	title["none"] = "Columns of the summary without a row"
	title["program"] = "Programs that the summary leaves out"
	title["line"] = "How each line is made"
	title["asked"] = "Asked for by known parsers, without a row"
}

!/^<!-- table: [a-z]+ -->$/ { print; next }
{
	name = $3
	if (name == "mistakes")
		mistakes()
	else {
		if (name == "lmbench")
			summary()
		lines(root "/docs/" name ".tsv")
	}
	FS = " "
}
