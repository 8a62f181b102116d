# SPDX-License-Identifier: MIT
# JUnit XML of a comparison, whose rows are tests: one fails if it broke the
# threshold, without one if it is slower.  Rows that cannot be compared are left
# out.
# usage: report compare --json A B | jq -rf contrib/compare-junit.jq

# XML has no U+FFFE and no U+FFFF.
def text: gsub("[\u0000-\u001f\u007f]"; "?") | gsub("[\ufffe\uffff]"; "???") | @html;

. as {$threshold} |
def failed: if $threshold then .breaks_threshold else .verdict | startswith("slower") end;

"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
"<testsuites>",
(.sides[0] as $a | .rows | map(select(.verdict | startswith("not comparable") | not)) | group_by(.side)[] |
	"<testsuite name=\"\("\(.[0].side) against \($a)" | text)\" tests=\"\(length)\" " +
	"failures=\"\(map(select(failed)) | length)\" skipped=\"0\" errors=\"0\">",
	(.[] | "<testcase classname=\"\(.benchmark | text)\" name=\"\(.case +
		if .level then " [\(.level) level]" else "" end | text)\">" +
	if failed then "<failure message=\"\("\(.verdict): cost B / A \(.ratio)" | text)\"/>"
	else "" end +
	"<system-out>\("cost B / A \(.ratio) \(.ratio_ci95), 95 % interval: \(.verdict)" | text)</system-out></testcase>"),
	"</testsuite>"),
"</testsuites>"
