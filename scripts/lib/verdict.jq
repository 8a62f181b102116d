# SPDX-License-Identifier: MIT
# What `report compare --json` found: the verdict of each side, the rows that differ
# with B - A, one line for the others; of $several sides the verdicts alone.

def sides: .sides | map(sub(".*/"; ""));
def clear: .verdict | test("^(faster|slower|higher|lower)");
def three: if . == 0 then "0" else . as $x | (pow(10; 2 - (fabs | log10 | floor))) as $k
	| ($x * $k | round) / $k | tostring end;

# [FACTOR, UNIT] in which a difference of so many of UNIT is printed.
def scale($unit): fabs as $x
	| if $unit != "ns" then [1, $unit]
	  elif $x >= 1e9 then [1e9, "s"] elif $x >= 1e6 then [1e6, "ms"]
	  elif $x >= 1e3 then [1e3, "µs"] else [1, "ns"] end;

def difference:
	(.difference_unit // .unit) as $unit | (.difference // 0 | scale($unit)) as [$k, $u]
	| if .difference == null then "unknown" else
	  "\(if .difference > 0 then "+" else "" end)\(.difference / $k | three) \($u) [" +
	  (.difference_ci95 | map(if . == null then "?" else . / $k | three end) | join(", ")) + "]" end;

def rows($n): "\($n) row\(if $n == 1 then "" else "s" end)";
def percent: if .ratio == null then "" else
	"\(if .ratio > 1 then "+" else "" end)\(.ratio - 1 | . * 1000 | round / 10) %" end;
def pad($n): . + " " * ([$n - length, 0] | max);

. as $all | sides as $names
| (if ($names | length) == 2 then {($all.sides[1]): ["A", "B"]} else
	$all.sides[1:] | map({(.): [$names[0], sub(".*/"; "")]}) | add end) as $called
| ($all.sides[1:][] as $side
	| [$all.rows[] | select(.side == $side)] as $mine
	| [$mine[] | select(clear)] as $clear
	| [$mine[] | select(.verdict | test("^not comparable") | not)] as $tested
	| $called[$side] as [$a, $b]
	| (if ($tested | length) == 0 then "\($b) cannot be compared with \($a): no row has enough rounds with a value"
	   elif $clear == [] then "no clear difference between \($a) and \($b) in \(rows($tested | length))"
	   else "\($b) differs from \($a) in \($clear | length) of \(rows($tested | length)): "
		+ ($clear | group_by(.verdict | split(" ")[0]) | map("\(.[0].verdict | split(" ")[0]) in \(length)") | join(", "))
	   end)
	  + (if $tested == [] then "" else " (differences under \($all.floor * 1000 | round / 10) % do not count)" end),
	  (if $several or $clear == [] then empty else
		"  " + ("row" | pad(44)) + "  \($b) - \($a) [95 %]",
		($clear[] | "  " + ("\(.benchmark): \(.case)" | pad(44)) + "  \(difference)  \(percent) \(.verdict)") end),
	  (($tested | length) - ($clear | length)) as $rest
	| (($mine | length) - ($tested | length)) as $left
	| if $several or $rest + $left == 0 then empty else
		"\($rest) other rows: no clear difference, or too small to matter" +
		(if $left == 0 then "" else "; \($left) not comparable" end) end),
(if $all.interleaved then empty else "A and B were not measured in turn: the machine may have changed between them" end),
"tables of all rows: \($dir)/compare.html, compare.md"
