# SPDX-License-Identifier: MIT
# The keys of a row and their types, KEY TAB TYPE, out of the first table of
# docs/results-format.md: what is promised there is what is tested.
/^## / { rows = ($0 == "## Rows") }
!rows || !/^\| `/ { next }
{
	split($0, cell, "|")
	n = split(cell[2], key, " ")
	type = cell[3]
	gsub(/^ +| +$/, "", type)
	# "string, integer" beside two keys is a type for each of them.
	each = type ~ /^\[/ ? 0 : split(type, types, ", ")
	for (i = 1; i <= n; i++) {
		gsub(/`/, "", key[i])
		print key[i] "\t" (each == n ? types[i] : type)
	}
}
