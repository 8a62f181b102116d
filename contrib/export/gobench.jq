# SPDX-License-Identifier: MIT
# Go benchmark format, a line for each invocation, so that benchstat can make
# its statistics.  Source: golang.org/design/14313-benchmark-format
include "rows";

def word: gsub("[\u0000- \u007f]"; "_");

"goos: linux",
"goarch: \((.machine | objects // {} | .kernel | text_of("architecture")) | {x86_64: "amd64", aarch64: "arm64"}[.] // . | plain)",
"pkg: oscost",
"cpu: \(.machine | objects // {} | .cpu | text_of("model") | plain)",
(.rows[] | select(.status == "ok") | . as $row |
	(.benchmark | (.[:1] | ascii_upcase) + .[1:] | gsub("/"; "_") | word) as $program |
	(.case | gsub(","; "/") | word) as $case |
	.values[] | numbers |
	"Benchmark\($program)\(if $case == "" then "" else "/" + $case end) " +
	"\([$row.iters, 1] | max) \(digits(12)) " +
	($row | if .unit == "ns" then "ns/op" else unit_or_1 | word end))
