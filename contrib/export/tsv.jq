# SPDX-License-Identifier: MIT
# For cut and awk: a line for each row with a value, and what the card calls it.
# No text is what a spreadsheet would take for a formula.
include "rows";

def cell: . // "" | if test("^[-=+@\t\r]") then "'" + . else . end | plain;
def number_or_none: if . then "\(digits(12))" else "" end;

"#benchmark\tcase\tvalue\tlow\thigh\tunit\tbetter\tgrade\twords",
(.rows[] | measured |
	[(.benchmark | cell), (.case | cell), "\(.value | digits(12))", (.ci95[0] | number_or_none), (.ci95[1] | number_or_none),
	(unit_or_1 | cell), (.better | cell), (.grade | cell), (.words | cell)] | join("\t"))
