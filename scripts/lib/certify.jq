# SPDX-License-Identifier: MIT
# The table of scripts/certify, from rows of certify and certify_ring0 (slurped); the
# order of lines is the paper's.

def bodies: {
	empty: "empty body", loop: "measured_loop, one store more for each",
	chain: "chain of dependent square roots"
};
def figures: {
	min: "min time", spurious: "total number of spurious min values",
	total_variance: "total variance", max_deviation: "absolute max deviation",
	var_of_variances: "variance of variances", var_of_minima: "variance of minimum values",
	disturbed: "disturbed samples",
	shortest_5pct: "shortest code for an error of 5 %", shortest_1pct: "shortest code for an error of 1 %",
	resolution_instructions: "resolution, instructions", resolution_ticks: "resolution, ticks",
	seen_pct: "of a dependent chain seen, %"
};

def number:
	if type != "number" then . // "-"
	elif fabs >= 1e7 then
		(fabs | log10 | floor) as $e
		| "\(. / pow(10; $e) * 100 | round / 100)e\($e)"
	elif . == floor then .
	else . * 100 | round / 100 end | tostring;

def pad($n): " " * ([$n - length, 0] | max);
def line: "    " + .[0] + (.[0] | pad(38)) + (.[1:] | map(pad(14) + .) | add);

def verdict:
	if .status != "ok" then "\(.status): \(.reason)"
	else "\(.evidence.verdict): \(.evidence.why)" end;

. as $rows
| INDEX("\(.benchmark) \(.params | "\(.method) \(.body) \(.stat)")") as $at
| "Ticks of the counter. here: samples within 2 x the least + 100 ns; paper: cycles, ring 0, 1000 x 100000.",
  (("cpuid2", "cpuid", "cr0", "lfence", "lfence2", "none") as $method
	| map(select(.params.method == $method)) | select(. != [])
	| def row($ring; $body; $figure): $at["\($ring) \($method) \($body) \($figure)"];
	"\nmethod \($method)",
	(select(any(.status != "skipped"))
		| (["", "here", "all samples", "ring 0", "paper"] | line),
		(bodies | to_entries[] as $body
		| "  " + $body.value,
		(figures | to_entries[] as $figure
		| [row("certify", "certify_ring0"; $body.key; $figure.key)] as [$user, $ring0]
		| select($user or $ring0)
		| [$user.value, $user.evidence.all_samples, $ring0.value, $user.evidence.paper // $ring0.evidence.paper]
		| [$figure.value, (.[] | number)] | line))),
	(row("certify"; "all"; "verdict") // empty
		| "  here: \(verdict)"),
	(row("certify_ring0"; "all"; "verdict") // empty | "  ring 0: \(verdict)"),
	(row("certify"; "all"; "verdict").evidence.paper // empty
		| "  paper: \(if . == 2 then "accepted" else "rejected" end)")),
  "\nself-tests of the clock",
  ($rows[] | select(.params.check)
	| ([.value | numbers * 1000 | round / 1000 | tostring][0] // .status) as $value
	| "    \(.params.check)\(.params.check | pad(10))"
		+ ($value + if .value == null then "" else " \(.unit | sub("^1$"; ""))" end | pad(16) + .)
		+ "  \(.evidence.verdict // .reason)")
