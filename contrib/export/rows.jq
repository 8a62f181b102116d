# SPDX-License-Identifier: MIT
# What the programs of this directory share.  Each reads what `report export`
# gives it: the document of --format json, in which a row has also "values", one
# for each invocation, "why" it is missing, and "words", its name on the card.

# One line without what a terminal would take for a command.
def plain: gsub("[\u0000-\u001f\u007f]"; "?");

# A number of $n significant digits, as C's %g rounds it.
# The ends of what a double holds are as they are.
def digits($n): (fabs | log10 | floor) as $e | if fabs > 1e-250 and fabs < 1e250 then
	if $n - 1 >= $e then . * pow(10; $n - 1 - $e) | round | . / pow(10; $n - 1 - $e)
	else . / pow(10; $e - $n + 1) | round | . * pow(10; $e - $n + 1) end
	else . end;

# A text of an object that may be something else.
def text_of($key): (objects | .[$key] | strings) // "unknown";

def measured: select(.status == "ok" and .value != null);
def unit_or_1: .unit // "" | if . == "" then "1" else . end;

# "102.5 ns, 95 % interval 100 to 105, grade A"; empty: there is no value.
def words: select(.value != null) | "\(.value | digits(6)) \(unit_or_1)" +
	(if .ci95 then ", 95 % interval \(.ci95[0] | digits(6)) to \(.ci95[1] | digits(6))" else "" end) +
	(if .grade then ", grade \(.grade)" else "" end);

def why_not: .reason // .why // "no reason was given";

# A row as github-action-benchmark takes it.
def point: {name: "\(.benchmark) \(.case)", unit: unit_or_1, value, extra: "n \(.n), grade \(.grade // "none")"} +
	if .ci95 then {range: "± \((.ci95[1] - .ci95[0]) / 2 | digits(6))"} else {} end;
