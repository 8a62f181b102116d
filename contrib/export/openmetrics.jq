# SPDX-License-Identifier: MIT
# Gauges in base units, for the textfile collector of Prometheus' node_exporter.
# Source: the OpenMetrics specification 1.0.  A grade as a escaped would begin
# another series whenever it changes.
include "rows";

def escaped: gsub("(?<c>[\\\\\"])"; "\\\(.c)") | plain;
def family($name; $unit; $help; number):
	"# TYPE \($name) gauge",
	(select($unit) | "# UNIT \($name) \($unit)"),
	"# HELP \($name) \($help)",
	(.rows[] | select(.status == "ok") | (number | numbers) as $x |
		"\($name){benchmark=\"\(.benchmark | escaped)\",case=\"\(.case | escaped)\"} \($x | digits(12))");
def of($unit; number): if .unit == $unit then number else null end;
def seconds(number): of("ns"; number | numbers * 1e-9);

family("oscost_cost_seconds"; "seconds"; "cost of the operation"; seconds(.value)),
family("oscost_cost_low_seconds"; "seconds"; "low end of its interval"; seconds(.ci95[0])),
family("oscost_cost_high_seconds"; "seconds"; "high end of its interval"; seconds(.ci95[1])),
family("oscost_rate_bytes_per_second"; "bytes_per_second"; "bytes moved in a second"; of("B/s"; .value)),
family("oscost_rate_low_bytes_per_second"; "bytes_per_second"; "low end of its interval"; of("B/s"; .ci95[0])),
family("oscost_rate_high_bytes_per_second"; "bytes_per_second"; "high end of its interval"; of("B/s"; .ci95[1])),
family("oscost_size_bytes"; "bytes"; "a size"; of("B"; .value)),
family("oscost_ratio"; null; "a ratio"; of("1"; .value)),
family("oscost_grade"; null; "how far another run may lie: 1 is A, 4 is D"; .grade // "" | {A: 1, B: 2, C: 3, D: 4}[.]),
"# EOF"
