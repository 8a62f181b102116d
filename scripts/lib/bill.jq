# SPDX-License-Identifier: MIT
# What the operating system costs a program: counts of a profile (bill count) times
# the prices of rows.  Input: the profile.  --slurpfile rows: rows of a run or of a
# ledger (benchmark, case, value, evidence).  $ids: {name of an operation: its row}.
# All amounts have the unit of the rows.

# Of a case "op=read,bytes=4K,pages=1": {op: "read", bytes: 4096, pages: 1}.
def size: if test("^[0-9]+[KMG]?$") then
	{"": 1, K: 1024, M: 1048576, G: 1073741824}[sub("^[0-9]+"; "")]
		* (sub("[KMG]$"; "") | tonumber)
	else . end;
def params: [split(",")[] | split("=") | {(.[0]): (.[1] | size)}] | add;

def features: ["components", "bytes", "new pages", "pages", "entries", "descriptors",
	"file pages", "anonymous pages", "mappings"];

# The value of a feature in a row: in its name, or a fact of it.
def feature($row; $name): ($name | gsub(" "; "_")) as $key
	| $row.params[$key] // ($row.evidence // {})[$key] // 0
	# Facts that process runs differ in.
	| if type == "array" then add / length else . end;

# x of A x = b, by elimination with the largest pivot; columns that say nothing
# (a feature that no row changes) give 0.
def solve($a; $b):
	($a | length) as $n
	| [range($n) as $i | $a[$i] + [$b[$i]]]
	| reduce range($n) as $k ({m: ., pivot: [], row: 0};
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
	| [range($n) as $k | .pivot[$k] as $r
		| if $r == null then 0 else $m[$r][$n] / $m[$r][$k] end];

# Price of an operation: {fixed, per: {feature: amount}, range: {feature: [least, most]}}
# by least squares, features scaled so that none is lost in rounding.
def fit($rows):
	[features[] | . as $f | select(([$rows[] | feature(.; $f)] | unique | length) > 1)] as $use
	| [$use[] | . as $f | [$rows[] | feature(.; $f)] | max] as $scale
	| [$rows[] | . as $row | [1] + [range($use | length) as $i
		| feature($row; $use[$i]) / $scale[$i]]] as $x
	| ($use | length + 1) as $n
	| [range($n) as $i | [range($n) as $j | [$x[] | .[$i] * .[$j]] | add]] as $a
	| [range($n) as $i | [range($x | length) as $r | $x[$r][$i] * $rows[$r].value] | add] as $b
	| solve($a; $b) as $c
	| {fixed: $c[0],
		per: ([range($use | length) as $i | {($use[$i]): ($c[$i + 1] / $scale[$i])}] | add // {}),
		range: ([$use[] as $f | [$rows[] | feature(.; $f)] | {($f): [min, max]}] | add // {})};

def at($price; $features):
	$price.fixed + ([$price.per | to_entries[] | .value * ($features[.key] // 0)] | add // 0);

def nothing: {fixed: 0, per: {}, range: {}};
def plus($p; $q): {fixed: ($p.fixed + $q.fixed), per: ($p.per + $q.per), range: ($p.range + $q.range)};
def less($p; $amount): $p | .fixed -= $amount;

# All prices, by row.  What a sleeping call costs more than one that need not is what
# the row of a pipe shows: the sleep, and the wake-up by the other side; the two
# switches in it are a price of their own.
def prices($rows):
	[$rows[] | select(.status == "ok" and .value) | .params = (.case | params)] as $ok
	| (reduce ($ok[] | select(.benchmark == "price")) as $r ({};
		.[$r.params.op] += [$r]) | map_values(fit(.))) as $p
	| ([$ok[] | select(.benchmark == "context_switch" and .params.stat == "switch"
		and .params.between == "process" and .params.by == "pipe") | .value]
		| first // 0) as $switch
	| def fault($kind): [$ok[] | select(.benchmark == "page_fault" and .case == "fault=" + $kind)
		| .value] | if . == [] then null else nothing | .fixed = $x end;
	  def of($name): $p[$name] // nothing;
	  (of("read_pipe_waited").fixed - at(of("read_pipe"); {bytes: 1, pages: 1})
		- at(of("write_pipe"); {bytes: 1, pages: 1}) - 2 * $switch) as $wait
	| (of("wait").fixed + $switch) as $reaped
	| less(of("exit"); $reaped) as $exit
	# oscost-true at its end.
	| (at($exit; {"file pages": 2, "anonymous pages": 3, mappings: 6}) + $reaped) as $ended
	| $p + {
		switch: (nothing | .fixed = $switch),
		exit: $exit,
		exit_shared: less(of("exit_shared"); $switch),
		vfork_op: less(of("vfork_op"); $switch),
		exec_static: less(of("exec_static"); $ended),
		exec_dynamic: less(of("exec_dynamic"); $ended),
		exec_script: less(of("exec_script"); $ended),
		wait_op: of("wait"),
		wait_waited: (of("wait") | .fixed += $wait),
		futex_waited: (of("futex_wait_eagain") | .fixed += $wait),
		futex_wake: of("futex_wake_nothing"),
		futex_wait_etimedout: (of("futex_wait_eagain") | .fixed += $wait),
		sleep: (of("null_call") | .fixed += $wait),
		signal: less(of("signal"); of("kill").fixed),
		sigreturn: nothing}
	| . as $all
	| reduce ($ids[] | select(endswith("_waited")) | select($all[.] | not)) as $w (.;
		.[$w] = ($all[$w | rtrimstr("_waited")] // nothing | .fixed += $wait))
	| . + ({fault_file: "file", fault_cow: "cow", fault_anon: "anonymous", fault_zero: "zero"}
		| map_values([. as $kind | $ok[] | select(.benchmark == "page_fault"
			and .case == "fault=" + $kind) | .value] | first
			| select(.) | {fixed: ., per: {}, range: {}}));

# The bill: one line an operation, the most expensive first.
def bill: prices($rows) as $prices
	| [.classes[] | . as $class | $ids[$class.name] as $id | $prices[$id // ""] as $price
		| {name: $class.name, count: $class.count}
		| if $price then
			.total = $price.fixed * $class.count + ([$price.per | to_entries[]
				| .value * ($class.features[.key].sum // 0)] | add // 0)
			| .price = .total / $class.count
			| .beyond = [$class.features | to_entries[]
				| select($price.range[.key] and .value.max > 2 * $price.range[.key][1]) | .key]
		  else . end]
	| {operations: (map(select(.total)) | sort_by(-.total)),
		unpriced: (map(select(.total | not)) | map({name, count}))}
	| .sum = ([.operations[].total] | add // 0);

def text: "\(.sum | round) in all",
	(.sum as $sum | .operations[]
		| "\(.name)\t\(.count)\t\(.price | round)\t\(.total | round)\t\(.total / $sum * 1000 | round / 10) %\t\(.beyond | join(" "))"),
	(.unpriced[] | "\(.name)\t\(.count)\tno price");
bill | text
