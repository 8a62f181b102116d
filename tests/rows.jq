# SPDX-License-Identifier: MIT
# Whether the rows of one program keep the promises of docs/results-format.md.
# Input: array of rows.  $types: {key: type as in the document}.  $name.
# Output: what is wrong, one line each.

def is_a($allowed):
	. as $v
	| [$allowed / " or " | .[]
	   | if . == "null" then $v == null
	     elif . == "integer" then ($v | type) == "number" and ($v | floor) == $v
	     elif . == "[low, high]" then
		($v | type) == "array" and ($v | length) == 2 and $v[0] <= $v[1]
	     else ($v | type) == . end]
	| any;

# A size as it is written in a name.
def canonical:
	if type == "string" then .
	else
		[., 0] | until(.[0] == 0 or .[0] % 1024 != 0 or .[1] == 3;
			[.[0] / 1024, .[1] + 1])
		| "\(.[0])" + ["", "K", "M", "G"][.[1]]
	end;

# params spell the name; an integer may be a size or a plain number.
def spells($name_of_case):
	to_entries as $e
	| ($name_of_case / ",") as $terms
	| ($e | length) == ($terms | length)
	and ([range($e | length) as $i
	      | ($terms[$i] == "\($e[$i].key)=\($e[$i].value)")
		or ($terms[$i] == "\($e[$i].key)=\($e[$i].value | canonical)")]
	     | all);

# Bytes that are only read, a row beside another one or of its events, the operation
# that the compiler left out, and a loop of no iterations leave nothing to look at.
def leaves_nothing:
	.benchmark as $program | .params
	| ($program == "mem_bandwidth" and (.kernel | test("^read|_ints")))
		or ($program == "mem_loaded" and .stat == "bandwidth")
		or ($program == "file_read" and .stat == "rate")
		or ($program == "mistakes" and .mistake == "removed")
		or ($program == "loop" and .iterations == 0);

def wrong:
	. as $row
	| ($types | to_entries[]
	   | .key as $k | .value as $t
	   | if ($row | has($k) | not) then "no key \($k)"
	     elif ($row[$k] | is_a($t) | not) then "\($k) is \($row[$k]), not \($t)"
	     else empty end),
	  (keys[] | select($types[.] == null) | "key \(.) is not documented"),
	  (select(.schema != 2) | "schema is \(.schema)"),
	  (select(.benchmark != $name) | "benchmark is \(.benchmark)"),
	  (.case as $c | select(.params | spells($c) | not)
	   | "params do not spell the case"),
	  (select([.status] | inside(["ok", "below_resolution", "skipped", "failed"]) | not)
	   | "status is \(.status)"),
	  (select((.status == "ok") != (.value != null))
	   | "status is \(.status) and value is \(.value)"),
	  (select((.status == "ok") != (.reason == null))
	   | "status is \(.status) and reason is \(.reason)"),
	  # The least of differences may be below nothing: that is its lesson.
	  (select(.value != null and .unit == "ns" and .value <= 0 and
		(.benchmark == "mistakes" and .params.stat == "naive" | not))
	   | "takes \(.value) ns"),
	  (select(.value != null and .unit == "ns" and .tsc_hz != null and .ticks == null)
	   | "ns, but no ticks"),
	  (select(.unit != "ns" and (.ticks != null or .cycles != null))
	   | "ticks of \(.unit)"),
	  (select([.better] | inside(["lower", "higher"]) | not) | "better is \(.better)"),
	  (select(([.timer] | inside(["cpuid", "cpuid2", "lfence", "lfence2", "none", "clock"])) or
		(.timer == null and .status == "skipped") | not)
	   | "timer is \(.timer)"),
	  (select(.grade != null and (.grade | test("^[A-D]$") | not)) | "grade is \(.grade)"),
	  (select(.started_at | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$") | not)
	   | "started_at is \(.started_at)"),
	  (select(.p50 != null and ([.min, .p50, .p90, .p99, .p999, .max | values] | . != sort))
	   | "percentiles are not in order"),
	  (select(.status == "ok" and .estimator != "derived" and .samples < 1)
	   | "a value without a sample"),
	  (select(.reason != null and (.reason | length) < 10) | "the reason is \(.reason)"),
	  (select(.status | IN("ok", "below_resolution"))
	   | (.evidence | to_entries[]
	      # 1 of 6 is a share of 0.166666666667: it is written with twelve digits.
	      | select((.value | type) == "object" and (.value.seen < .value.expected * (.value.share // 1) * (1 - 1e-11)
			or (.value.kind == "proof" and .value.seen > .value.expected)))
	      | "measured, but \(.key): \(.value)"),
	     (select(.estimator != "derived" and (leaves_nothing | not) and
			all(.evidence[] | objects; .expected <= 0))
	      | "measured, but proves nothing"));

.[] | .case as $c | wrong | "\($c): \(.)"
