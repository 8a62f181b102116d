# SPDX-License-Identifier: MIT
# bill.jq - what the operating system costs a program: how often it asks for what (a
# profile of `bill count`), times what that costs.
#
# usage: jq -rf bill.jq --slurpfile here ROWS --slurpfile there ROWS
#               --arg form FORM --argjson most N PROFILE
#   ROWS   of a run or a ledger: benchmark, case, status, value, ci95, evidence; there
#          is empty, or another machine's
#   FORM   table, page (HTML), json; without costs: counts, or the profile itself
#   N      of the table's lines, the rest is one
#
# All amounts are sums of rows with weights, so their intervals are known: a map
# "BENCHMARK CASE" to weight is called an amount here; null: a row is missing.

# The parameters of a case "op=read,bytes=4K,pages=1": {op: "read", bytes: 4096, pages: 1}.
def size: if test("^[0-9]+[KMG]?$") then
	{"": 1, K: 1024, M: 1048576, G: 1073741824}[sub("^[0-9]+"; "")]
		* (sub("[KMG]$"; "") | tonumber)
	else . end;
def params: [split(",")[] | split("=") | {(.[0]): (.[1] | size)}] | add;

# A sum of many calls has the mean of them, with the new pages that one in 63 waits for.
# In time only the median is known well; counts of instructions have little noise beside
# interrupts and other tasks, which show where there are few samples.
def measured($rows): [$rows[] | if type == "array" then .[] else . end
	| select(.status == "ok" and .value) | .key = .benchmark + " " + .case
	| if .unit == "instructions" and .mean and .samples >= 10 and .max < 8 * .value then .value = .mean else . end];

def by_operation: map(select(.benchmark == "calls") | .params = (.case | params))
	| group_by(.params.op) | map({(.[0].params.op): .}) | add // {};

def features: ["components", "bytes", "new pages", "pages", "entries", "descriptors",
	"file pages", "common pages", "anonymous pages", "shared pages", "mappings"];

# A feature of a row: in its name, or a fact of it, which process runs can differ in.
def feature($row; $name): ($name | gsub(" "; "_")) as $key
	| $row.params[$key] // ($row.evidence // {})[$key] // 0
	| if type == "array" then add / length else . end;

# x of A x = b, by elimination with the largest pivot; 0 for what nothing decides.
def solve($a; $b):
	($a | length) as $n
	| reduce range($n) as $k ({m: [range($n) | . as $i | $a[$i] + [$b[$i]]], pivot: [], row: 0};
		.row as $r
		| ([range($r; $n) as $i | [(.m[$i][$k] | fabs), $i]] | max) as $best
		| if ($best // [0])[0] < 1e-9 then .pivot += [null] else
			.m[$r] as $swap | .m[$r] = .m[$best[1]] | .m[$best[1]] = $swap
			| .m[$r] as $p
			| reduce (range($n) | select(. != $r)) as $i (.;
				(.m[$i][$k] / $p[$k]) as $f
				| .m[$i] = [range($n + 1) as $j | .m[$i][$j] - $f * $p[$j]])
			| .pivot += [$r] | .row += 1 end)
	| .m as $m
	| [.pivot | to_entries[] | .key as $k | .value
		| if . == null then 0 else $m[.][$n] / $m[.][$k] end];

def plus(amounts): [amounts] | if any(. == null) then null else
	reduce (.[] | to_entries[]) as $e ({}; .[$e.key] += $e.value) end;
def times($k): if . == null then null else map_values(. * $k) end;

# $n calls whose features have the sums $of, by least squares from the rows of an
# operation: how much of each.  Features are scaled so that none is lost in rounding.
def calls($rows; $n; $of): if ($rows // []) == [] then null else
	[features[] | . as $f | select(([$rows[] | feature(.; $f)] | unique | length) > 1)] as $use
	| [1, ($use[] | . as $f | [$rows[] | feature(.; $f)] | max)] as $scale
	| [$rows[] | . as $row | [1, ($use[] | . as $f | feature($row; $f))]
		| [range(length) as $i | .[$i] / $scale[$i]]] as $x
	| [range($scale | length) as $i | [range($scale | length) as $j | [$x[] | .[$i] * .[$j]] | add]] as $a
	| solve($a; [$n, ($use[] | . as $f | $of[$f] // 0)]
		| [range(length) as $i | .[$i] / $scale[$i]]) as $z
	| [range($rows | length) as $r | {($rows[$r].key): ([range($z | length) as $i
		| $x[$r][$i] * $z[$i]] | add)}] | add end;

# The amount of $n calls of a class.  A row's other parts are taken off: where
# one process ends and its parent goes on, a switch and the reaping.
def amount($op; $all; $id; $n; $of):
	def own($name): calls($op[$name]; $n; $of);
	def each($name; $features): calls($op[$name]; 1; $features) | times($n);
	def row($key): if $all[$key] then {($key): $n} else null end;
	def fault($kind): row("page_fault fault=" + $kind);
	# A call that sleeps: its sleep, the wake-up and one switch, as the row says; and
	# a switch alone, by the two that a call answered on the same CPU has.
	def sleep: row("context_switch between=process,by=pipe,place=same_cpu,stat=switch")
		// row("context_switch procs=2,touch=0,stat=switch_high");
	def switch: plus(each("read_pipe_waited"; {}), (each("read_pipe", "write_pipe"; {bytes: 1, pages: 1})
		| times(-1)), (sleep | times(-1)));
	def less($x; $y): plus($x, ($y | times(-1)));
	if $id == "exit" then less(own("exit"); plus(each("wait"; {}), switch))
	elif $id == "exit_shared" or $id == "vfork_op" then less(own($id); switch)
	# Off goes the end of the helper program, with one fault; on comes the end of the old
	# program's memory.
	elif $id | IN("exec_static", "exec_dynamic", "exec_script") then
		({"file pages": 1} + if $id == "exec_dynamic" then {"anonymous pages": 3, mappings: 13}
			else {"anonymous pages": 1, mappings: 7} end) as $helper
		| plus(less(each($id; {}); plus(each("exit"; $helper), fault("file_single"))),
			less(own("exit"); each("exit"; {})))
	elif $id == "wait_op" then own("wait")
	elif $id == "wait_waited" then plus(own("wait"), sleep)
	elif $id | IN("futex_waited", "futex_wait_etimedout") then plus(own("futex_wait_eagain"), sleep)
	elif $id == "futex_wake" then own("futex_wake_nothing")
	elif $id == "waits" then sleep
	elif $id == "sleep" then plus(own("null_call"), sleep)
	elif $id == "signal" then less(own("signal"); own("kill"))
	elif $id == "sigreturn" then {}
	elif $id == "switch" then switch
	# Each maps some pages around its own, from one (file_single) to all there are; a page
	# that other processes map, too, is cheaper (file_common).
	elif $id == "fault_file" and (fault("file") and fault("file_single") | not) then null
	elif $id == "fault_file" then
		((feature($all["page_fault fault=file"]; "pages brought") | if . > 1 then . else 16 end) - 1) as $around
		| ((($of.pages // 0) - $n) / $around | if . < 0 then 0 elif . > $n then $n else . end) as $full
		| (if $all["page_fault fault=file_common"] then ($of["common pages"] // 0) / ($around + 1) else 0 end) as $common
		| {"page_fault fault=file": ($full - $common), "page_fault fault=file_single": ($n - $full)}
		+ if $common > 0 then {"page_fault fault=file_common": $common} else {} end
	elif $id == "fault_cow" then fault("cow")
	elif $id == "fault_reuse" then fault("reuse")
	elif $id == "fault_anon" then fault("anonymous")
	elif $id == "fault_unzero" then fault("unzero")
	elif $id == "fault_huge" then fault("thp")
	elif $id == "fault_zero" then fault("zero")
	elif $id | endswith("_waited") then plus(own($id | rtrimstr("_waited")), sleep)
	else own($id) end;

# Under the tracer others are slower, too, so a call waits more or less often.  The
# kernel counts how often a process gave up the CPU: also at its end and in vfork.
def untraced_waits:
	if .untraced then (.untraced.own_switches - .processes - .threads
		- ([.classes[] | select(.id | test("_WAITED$|^VFORK_OP$|^SLEEP$|_ETIMEDOUT$")).count] | add // 0)) as $n
		| if $n == 0 then [] else [{id: "WAITS", count: $n, features: {},
			name: "\(if $n > 0 then "more" else "fewer" end) waits, untraced"}] end
	else [] end;

def range_of($rows; $name): [$rows[]? | feature(.; $name)] | if . == [] then null else max end;

# The value of an amount, and half of its 95 % interval (rows are independent).
def worth($all): if any(keys[]; $all[.] == null) then null else
	{value: ([to_entries[] | .value * $all[.key].value] | add // 0),
	 half: ([to_entries[] | . as $e | $all[$e.key].ci95 // empty
		| pow($e.value * (.[1] - .[0]) / 2; 2)] | add // 0 | sqrt)} end;

# How far a sum is off: twice the root of the mean square of the misses of 16 commands
# that were not looked at while the classes were made (make bill-test).
def model: 0.1;

# "3.16 µs", "13.9 M": three digits and a unit.
def digits: if . == 0 then "0" else (fabs | log10 | floor) as $e
	| if $e >= 2 then round | tostring
	  else . * pow(10; 2 - $e) | round / pow(10; 2 - $e) | tostring end end;
def shown($unit): . as $x
	| (if $unit == "ns" then [[1e9, " s"], [1e6, " ms"], [1e3, " µs"], [1, " ns"]]
		else [[1e9, " G"], [1e6, " M"], [1e3, " k"], [1, ""]] end) as $steps
	| ($steps | map(select(($x | fabs) >= .[0])) + [$steps[-1]] | first) as $s
	| "\($x / $s[0] | digits)\($s[1])";
def left($n): tostring | .[:$n] + " " * ([0, $n - length] | max);
def right($n): tostring | " " * ([0, $n - length] | max) + .;

def percent: "\(. * 100 | digits) %";

# The lines above and below the table.
def above:
	.unit as $unit | .sum as $sum | .there as $there
	| "the system's part: \($sum.value | shown($unit))\(if $unit == "ns" then "" else " \($unit)" end) ±\($sum.model / $sum.value | percent), by costs known to ±\($sum.half / $sum.value | percent)"
	+ if $unit == "ns" and (.untraced // {}).exact_times == 1 then
		"; measured: \(.untraced.system_us * 1000 | shown($unit))" else "" end,
	if $there then "there: \($there.value | shown($unit)), a change of \($there.change / $there.of | percent) ±\($there.half / $there.of | percent)" else empty end;
def below:
	.unit as $unit
	| if .unclassed == [] then empty else
		"of unknown cost: " + ([.unclassed[] | "\(.count) \(.name)"] | join(", "))
		+ if .null_call then "; at least \(.null_call * ([.unclassed[].count] | add) | shown($unit)), as null calls" else "" end end,
	([.operations[] | select(.beyond != []) | "\(.name) (\(.beyond | join(", ")))"]
		| select(. != []) | "beyond what was measured: " + join(", ")),
	"not in any cost: cold caches, waiting for others, memory that the program itself uses",
	([(.waits | select(. > 0) | "\(.) calls waited"), (.threads | select(. > 0) | "\(.) threads may contend"),
	  ((.untraced // {}).major_faults // 0 | select(. > 0) | "\(.) page faults read a disk")]
		| select(. != []) | "here: " + join(", "));

# Lines of the table: name, count, cost, total, share or change, and the length of its bar.
def lines($most):
	.unit as $unit | .sum as $sum | .there as $there
	| def change: if .there then .there - .total else 0 end;
	  def part: if $there then change / $there.of else .total / $sum.value end;
	(if $there then .operations | sort_by(-(change | fabs)) else .operations end) as $all
	| ($all[:$most][] | [.name, .count, (.cost, .total | shown($unit)),
		if $there | not then part | percent elif .there then .there / .total - 1 | percent else "unknown" end, part]),
	($all[$most:] | select(length > 0) | ["\(length) more", "", "", (map(.total) | add | shown($unit)),
		if $there then "" else map(part) | add | percent end, (map(part) | add)]);
def titles: ["operation", "count", "cost", "total", if .there then "change" else "share" end];

def table($most):
	def line: (.[0] | left(30)) + (.[1] | right(9)) + (.[2] | right(11)) + (.[3] | right(11)) + (.[4] | right(9));
	above, "", (titles | line), (lines($most) | line), "", below;

# The same as one file of HTML.  Bars to the left: it costs less there.
def page($most; more):
	def cells($tag): map("<\($tag)>" + (tostring | @html)) | join("");
	def bar($longest): "<td><i\(if . < 0 then " class=less" else "" end) style=width:\(100 * fabs / $longest | round)%></i>";
	([lines($most)[5] | fabs] | max) as $longest
	| "<!doctype html><html lang=en><meta charset=utf-8><title>oscost bill</title>",
	"<meta name=viewport content='width=device-width'><style>:root{color-scheme:light dark}",
	"body{font:15px/1.5 sans-serif;max-width:60em;margin:1em auto;padding:0 1em}td,th{padding:.1em .6em;text-align:right;white-space:nowrap}",
	"td:first-child,th:first-child{text-align:left}td:last-child{width:100%}i{display:block;height:.8em;background:#47a}",
	"i.less{background:#2a7;margin-left:auto}@media(max-width:500px){td:nth-child(3),th:nth-child(3){display:none}td,th{padding:.1em .2em}td:first-child{white-space:normal}td:last-child{min-width:3em}}</style>",
	"<body><h1>What the system costs a command</h1>", (above | "<p>" + @html),
	"<table><tr>\(titles | cells("th"))<th></tr>", (lines($most) | "<tr>\(.[:5] | cells("td"))\(.[5] | bar($longest))</tr>"),
	"</table>", (if .there then "<p>A bar from the right: it costs less there." else empty end),
	(below, more | select(. != "") | "<p>" + @html);

# The counts alone: means of features, and the least and the most.
def counted:
	("operation" | left(30)) + ("count" | right(9)) + "  features: mean (least-most)",
	(.classes[] | .count as $n | (.name | left(30)) + ($n | right(9)) + "  "
		+ ([.features | to_entries[] | select(.value.sum > 0) | "\(.key) \(.value.sum / $n | digits)"
			+ if .value.min < .value.max then " (\(.value.min)-\(.value.max))" else "" end] | join(", "))),
	(.unclassed | to_entries | sort_by(-.value)[] | (.key | left(30)) + (.value | right(9)) + "  no class");

# Below either table: how sure the counts are.
def certain:
	([.calls[]] | add) as $calls | "",
	"\($calls) calls of \(.processes) process\(if .processes == 1 then "" else "es" end)"
		+ if .threads > 0 then " and \(.threads) more threads" else "" end + ", "
		+ "\(100 * (1 - ([.unclassed[]] | add // 0) / $calls) | digits) % of them with a class",
	"kinds of faults: \(.fault_kinds); of no known kind: \(.unknown_faults)",
	if .untraced then .untraced as $r
		| (($r.wall_ns - 1000 * ($r.user_us + $r.system_us)) | if . < 0 then 0 else . end) as $waiting
		| "without the tracer: \($r.wall_ns | shown("ns")) (user \($r.user_us * 1000 | shown("ns")), "
		+ "system \($r.system_us * 1000 | shown("ns"))\(if $r.exact_times == 1 then "" else " by what ticks met" end), "
		+ "waiting \($waiting | shown("ns"))); "
		+ "with it \(.traced.wall_ns / $r.wall_ns | digits) times as long"
	else "no run without the tracer: \(.no_untraced)" end,
	(if .untraced then [.traced, .untraced] else [] end
		| ["page faults", map(.minor_faults + .major_faults)], ["exit status", map(.status)]
		| .[0] as $of | .[1] | select(length == 2 and .[0] != .[1]) as [$x, $y]
		| select($of == "exit status" or ($x - $y | fabs) > ([20, $y / 50] | max))
		| "the two runs disagree: \($of): \($x) traced, \($y) untraced");

if $form == "counts" then counted, certain elif $form == "profile" then . else
measured($here) as $rows
| ($rows | map({(.key): .}) | add // {}) as $all
| (measured($there) | map({(.key): .}) | add // {}) as $other
| ($rows | by_operation) as $op
| . as $profile
| [(.classes + untraced_waits)[] | . as $c | (.id | ascii_downcase) as $id
	| amount($op; $all; $id; .count; .features | map_values(.sum)) as $amount
	| {name, count}
	  + if $amount == null then {} else
		($amount | worth($all)) as $w
		| {total: $w.value, half: $w.half, cost: ($w.value / .count), amount: $amount,
		   beyond: [$c.features | to_entries[] | .key as $f
			| range_of($op[$id | if startswith("exec_") then "exit" else . end]; $f) as $most
			| select($most and .value.max > 2 * $most) | $f]}
		  + if $there == [] then {} else
			($amount | worth($other)) as $v
			| if $v then {there: $v.value, there_half: $v.half} else {} end end
	    end] as $lines
| def all(f): [$lines[] | f // empty] | add // 0;
  def square(f): [$lines[] | f // empty | . * .] | add // 0 | sqrt;
  {unit: ($rows[0].unit // "ns"),
   sum: {value: all(.total), half: square(.half), model: (pow(model * all(.total); 2) + pow(square(.half); 2) | sqrt)},
   there: (if $there == [] then null else {value: all(.there), of: ([$lines[] | select(.there).total] | add // 0)}
	| .change = .value - .of
	| .half = (pow(square(.half); 2) + pow(square(.there_half); 2) + pow(model * .change; 2) | sqrt) end),
   null_call: $all["calls op=null_call"].value, threads: $profile.threads,
   waits: ([.classes[] | select(.name | endswith("waited")).count] | add // 0),
   operations: [$lines[] | select(.total) | del(.amount)] | sort_by(-.total),
   unclassed: ([$lines[] | select(.total | not) | {name, count}]
	+ [$profile.unclassed | to_entries[] | {name: .key, count: .value}]),
   calls: $profile.calls, untraced: $profile.untraced, faults: $profile.fault_kinds,
   unknown_faults: $profile.unknown_faults}
| if $form == "json" then . elif $form == "page" then page($most; $profile | certain)
  else table($most), ($profile | certain) end end
