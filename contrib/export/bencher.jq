# SPDX-License-Identifier: MIT
# Bencher Metric Format.  Bencher has measures of its own: latency is one, in
# ns.  A name longer than it takes would cost it the whole file.
include "rows";

[.rows[] | measured |
	(unit_or_1 | {ns: "latency", "B/s": "bandwidth", B: "size", "1": "ratio"}[.] // .) as $measure |
	"\(.benchmark) \(.case)" as $name |
	select(($measure | utf8bytelength) <= 64 and ($name | utf8bytelength) <= 1024) |
	{($name): {($measure): ({value} + if .ci95 then {lower_value: .ci95[0], upper_value: .ci95[1]} else {} end)}}] |
add // {}
