# SPDX-License-Identifier: MIT
# KTAP version 1, a test for each row.  "#" begins what is no name.
include "rows";

def text: plain | gsub("#"; "_");
def said: if .status == "ok" then first(words, why_not)
	elif .status == "below_resolution" then "too small to measure"
	else why_not end;

"KTAP version 1",
"1..\(.rows | length)",
(.rows | to_entries[] | (.key + 1) as $number | .value |
	"\(if .status == "failed" then "not ok" else "ok" end) \($number) \(.benchmark | text) \(.case | text) " +
	"#\(if .status == "skipped" then " SKIP" else "" end) \(said | text)")
