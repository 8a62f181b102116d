# SPDX-License-Identifier: MIT
# JUnit XML, as CI systems read it: one test suite, rows as its tests.
# Source: the schema of Jenkins' xUnit plugin (junit-10.xsd).
include "rows";

# XML has no U+FFFE and no U+FFFF.
def text: plain | gsub("[\ufffe\uffff]"; "???") | @html;
def number_of($status): map(select(.status == $status)) | length;

"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
"<testsuites>",
(.rows | "<testsuite name=\"oscost\" tests=\"\(length)\" failures=\"\(number_of("failed"))\" " +
	"skipped=\"\(number_of("skipped"))\" errors=\"0\">"),
(.rows[] |
	"<testcase classname=\"\(.benchmark | text)\" name=\"\(if .case == "" then .benchmark else .case end | text)\"" +
	(if .duration_s then " time=\"\(.duration_s)\"" else "" end) + ">" +
	(if .status == "failed" then "<failure message=\"\(why_not | text)\"/>"
	elif .status == "skipped" then "<skipped message=\"\(why_not | text)\"/>" else "" end) +
	first((words | "<system-out>\(text)</system-out>"), "") +
	"</testcase>"),
"</testsuite>",
"</testsuites>"
