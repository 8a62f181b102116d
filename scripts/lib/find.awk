# SPDX-License-Identifier: MIT
# For scripts/oscost, with nearest.awk: the rows that words mean.
#
# usage: awk -v query=WORDS -v commands=NAMES -f nearest.awk -f find.awk SYNONYMS CORE LIST
#
# CORE has the `core` lines of rows.tsv (docs/rows.md), LIST a line "program case" for
# each row.  Prints "class<TAB>number<TAB>program<TAB>case<TAB>words" for each row that
# has all of the words or their synonyms, ignoring case; sorted as text the best match
# is first, and rows of the same class match equally well.  Exit status 1: there is
# none; then it prints the words that no row has, each with the nearest word of a row or
# of NAMES, in a line.

# Letters small, blanks for punctuation, sizes as in the names of rows.
function plain(text) {
	text = " " tolower(text) " "
	gsub(/[][(),;"\047\/\t ]+/, " ", text)
	gsub(/ kib /, "k ", text)
	gsub(/ mib /, "m ", text)
	gsub(/ gib /, "g ", text)
	return text
}

function regex(glob) {
	gsub(/[][.(){}+?^$|\\]/, "\\\\&", glob)
	gsub(/\*/, ".*", glob)
	return "^(" glob ")$"
}

BEGIN { FS = "\t" }

FNR == 1 { file++ }

file == 1 && !/^#/ {
	groups++
	for (i = 1; i <= NF; i++)
		member[groups, i] = plain($i)
	members[groups] = NF
	next
}

file == 2 && $1 == "core" {
	n = split($3, pattern, " ")
	for (i = 1; i <= n; i++) {
		cores[$2]++
		core[$2, cores[$2]] = regex(pattern[i])
		named[$2, cores[$2]] = $4
	}
	next
}

# TEXT with a sign for each group of synonyms in place of its members.
function canonical(text, all,   g, i, n) {
	for (g = 1; g <= groups; g++)
		for (i = 1; i <= members[g]; i++)
			while ((n = index(text, member[g, i]))) {
				text = substr(text, 1, n) "\001" g (all ? "" : "." i) \
					substr(text, n + length(member[g, i]) - 1)
			}
	return text
}

# Whether the row has a word: 2 as it was typed, 1 as a synonym or the begin of a
# word, 0 not at all.
function has(text, signs, word,   part) {
	if (substr(word, 1, 1) != "\001")
		return index(text, " " word " ") ? 2 : index(text, " " word) ? 1 : 0
	split(substr(word, 2), part, ".")
	return !index(signs, " \001" part[1] " ") ? 0 : index(text, member[part[1], part[2]]) ? 2 : 1
}

function read_query() {
	exact = plain(query)
	words = split(canonical(exact), wanted, " ")
}

file == 3 {
	if (!words)
		read_query()
	space = index($0, " ")
	program = substr($0, 1, space - 1)
	name = substr($0, space + 1)
	title = ""
	tier = 2
	for (i = 1; i <= cores[program] && tier == 2; i++)
		if (name ~ core[program, i]) {
			title = named[program, i] == "-" ? "" : named[program, i]
			tier = title == ""
		}
	# A term as it is, its name and value, and their words.
	pairs = name
	gsub(/=/, " ", pairs)
	parts = program " " pairs
	gsub(/_/, " ", parts)
	text = plain(program " " name " " pairs " " parts " " title)
	signs = canonical(text, 1)
	for (i = split(text, part, " "); i > 0; i--)
		vocabulary[part[i]]
	loose = 0
	for (i = 1; i <= words; i++) {
		found = has(text, signs, wanted[i])
		if (found)
			seen[i]
		else
			loose = -1000
		loose += found == 1
	}
	if (loose < 0)
		next
	matches++
	# Rows that are wrong on purpose come last.
	printf "%d%d%02d%d\t%04d%05d\t%s\t%s\t%s\n", program == "mistakes" || name ~ /naive/,
		exact != plain(title) && exact != plain(program " " name), loose, tier,
		length(text), NR, program, name, title
}

END {
	if (!words)
		read_query()
	for (i = split(commands, word, " "); i > 0; i--)
		vocabulary[word[i]]
	for (i = 1; i <= words && !matches; i++)
		if (!(i in seen)) {
			if (split(substr(wanted[i], 2), part, ".") == 2 && wanted[i] ~ /^\001/)
				wanted[i] = substr(member[part[1], part[2]], 2)
			print wanted[i] "\t" nearest(wanted[i], vocabulary)
		}
	exit !matches
}
