# SPDX-License-Identifier: MIT
# The table of scripts/certify, from rows of certify and certify_ring0 (slurped); the
# order of lines is the paper's.

def lines: [
	["min",              "min time"],
	["spurious",         "total number of spurious min values"],
	["total_variance",   "total variance"],
	["max_deviation",    "absolute max deviation"],
	["var_of_variances", "variance of variances"],
	["var_of_minima",    "variance of minimum values"],
	["disturbed",        "disturbed samples"],
	["shortest_5pct",    "shortest code for an error of 5 %"],
	["shortest_1pct",    "shortest code for an error of 1 %"],
	["resolution_instructions", "resolution, instructions"],
	["resolution_ticks", "resolution, ticks"],
	["seen_pct",         "of a dependent chain seen, %"]
];

def number:
	if . == null then "-"
	elif type != "number" then tostring
	elif . == floor and fabs < 1e7 then tostring
	elif fabs >= 1e7 then
		(fabs | log10 | floor) as $e
		| "\(. / pow(10; $e) * 100 | round / 100)e\($e)"
	else "\(. * 100 | round / 100)" end;

def cell($rows; $benchmark; $m; $body; $figure):
	first($rows[] | select(.benchmark == $benchmark
		and .params.method == $m and .params.body == $body
		and .params.stat == $figure)) // null;

def title: {
	empty: "empty body", loop: "measured_loop, one store more for each",
	chain: "chain of dependent square roots"
}[.];

def left($n): . + " " * ([$n - length, 0] | max);
def right($n): " " * ([$n - length, 0] | max) + .;
def line: "    " + (.[0] | left(38)) + (.[1:] | map(right(14)) | add // "");

# The figures of both rings and of the paper of method $m, if any ring has it.
def block($rows; $m):
	select(any($rows[]; .params.method == $m and .status != "skipped")) |
	(["", "here", "all samples", "ring 0", "paper"] | line),
	(["empty", "loop", "chain"][] as $body
	| "  " + ($body | title),
	(lines[] as [$figure, $text]
	| cell($rows; "certify"; $m; $body; $figure) as $user
	| cell($rows; "certify_ring0"; $m; $body; $figure) as $ring0
	| select($user or $ring0)
	| ([$text, ($user.value | number), ($user.evidence.all_samples | number),
	   ($ring0.value | number),
	   (($user.evidence.paper // $ring0.evidence.paper) | number)] | line)));

def verdict($rows; $benchmark; $m):
	cell($rows; $benchmark; $m; "all"; "verdict")
	| if . == null then empty
	  elif .status != "ok" then "\(.status): \(.reason)"
	  else "\(.evidence.verdict): \(.evidence.why)" end;

def methods($rows):
	[$rows[].params.method // empty] | unique
	| sort_by(["cpuid2", "cpuid", "cr0", "lfence", "lfence2", "none"] as $o
		| . as $m | $o | index($m));

. as $rows
| "Ticks of the counter. here: samples within 2 x the least + 100 ns; paper: cycles, ring 0, 1000 x 100000.",
  (methods($rows)[] as $m
	| "\nmethod \($m)", block($rows; $m),
	  (verdict($rows; "certify"; $m) | "  here: \(.)"),
	  (verdict($rows; "certify_ring0"; $m) | "  ring 0: \(.)"),
	  (cell($rows; "certify"; $m; "all"; "verdict").evidence.paper
	   // empty | "  paper: \(if . == 2 then "accepted" else "rejected" end)")),
  "\nself-tests of the clock",
  ($rows[] | select(.params.check)
	| "    " + (.params.check | left(10)) +
	  ((if .value == null then .status
		else "\(.value * 1000 | round / 1000) \(if .unit == "1" then "" else .unit end)" end) | right(16)) +
	  "  \(.evidence.verdict // .reason)")
