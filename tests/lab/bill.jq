# SPDX-License-Identifier: MIT
# bill.jq - the table of tests/lab/bill: --slurpfile names (of commands) side ({name,
# exact: {TRY: {WHAT: COUNT}}, bills, own} of each machine, the first is that whose counts
# the bills have; own have those of the machine) --rawfile classes --argjson misses 0|1|2

# Instructions that do not belong to the command.
def beside: ["interrupts", "threads", "idle"];

# A group of names of calls: that of the first class that has the name, by its first one.
($classes | split("\n") | map(select(. != "") | split("\t"))) as $class
| (reduce $class[] as $c ({}; reduce ($c[2] | split(" ")[]) as $name (.;
	.[$name] //= ($c[2] | split(" ")[0])))) as $first
| def group: if IN("fork", "vfork", "clone", "clone3", "child") then "fork" else $first[.] // . end;
  def of_class: . as $id | ($class[] | select(.[1] == $id)) as $c
	| if $c[1] | startswith("fault") then "fault" elif $c[2] == "" then $c[1]
	  else $c[2] | split(" ")[0] | group end;
  def exact($n): .exact[$n | tostring] // {} | with_entries(select(.key | IN(beside[]) | not));
  # The way in and out of a call is the same for each.
  def spread($calls): (.entry // 0) as $all | ([$calls[]] | add // 1) as $n | del(.entry)
	| reduce ($calls | to_entries[]) as $c (.; .[$c.key] += $all * $c.value / $n);
  def sum: [.[]] | add // 0;
  def tidy: . * 1000 | round / 1000;
[range($names | length) as $n
	| ($side[0] | exact($n)) as $true
	| $side[0].bills[$n] as $bill
	| select($bill)
	| ($true | sum) as $exact
	| {name: $names[$n], n: $n, exact: $exact, bill: $bill.sum.value,
	   beside: ([$side[0].exact[$n | tostring][beside[]] // 0] | add),
	   # The share of calls by each name that have a class.
	   covered: (1 - ([$bill.unclassed[] | .count as $k | (.name | split(" ")[0]) as $call
		| ($true[$call] // 0) * $k / ([$k, $bill.calls[$call] // 0] | max)] | add // 0) / $exact),
	   changes: [$side[1:][] | . as $s | ($s.own[$n].sum.value / $bill.sum.value - 1) as $asks
		| {name: $s.name, exact: (($s | exact($n) | sum) / $exact - 1),
		   predicted: ($s.bills[$n].there | .value / .of - 1),
		   asks: (if ($asks | fabs) < 0.01 then 0 else $asks end)}],
	   misses: ([$true | spread($bill.calls) | to_entries[] | {group: (.key | group), exact: .value}]
		+ [$bill.operations[] | {group: (.name | of_class), bill: .total, calls: .count}]
		| group_by(.group) | map({group: .[0].group, exact: ([.[].exact // 0] | add),
			bill: ([.[].bill // 0] | add), calls: ([.[].calls // 0] | add)})
		| sort_by(-((.bill - .exact) | fabs)))}]
| if $misses == 1 then .[] | .name as $name | .exact as $all | .misses[:8][]
	| [$name, .group, .calls, .exact, (.bill | round), ((.bill - .exact) / $all | tidy)] | @tsv
  elif $misses == 2 then
	([.[].changes[] | select(.name == $side[-1].name and ($side | length > 3))] as $kernel
	| ([.[].changes[]] - $kernel) as $options
	| def off: .predicted - .exact | fabs;
	  def wrong: select((.exact | fabs) > 0.01 and .exact * .predicted < 0);
	  ([.[] | .bill / .exact - 1 | fabs]) as $off
	| ([$off[] | select(. <= 0.1)] | length) as $near
	| "\($near) of \($off | length) within 10 %, the worst off by \($off | max * 1000 | round / 10) %",
	  (select($options != []) | "changes by options: the worst off by \([$options[] | off] | max * 1000 | round / 10) points, \([$options[] | wrong] | length) signs wrong"),
	  (select($kernel != []) | "by the kernel: \([$kernel[] | off] | max * 1000 | round / 10) points, \([$kernel[] | wrong] | length) signs wrong"),
	  (.[] | .name as $name | .changes[] | select(.asks != 0)
		| "\($name) itself asks for \(.asks * 100 | tidy) % more with \(.name)"),
	  if ($near >= ($off | length) * 10 / 12 and ($off | max) <= 0.2 and ([$options[] | off] | max // 0) <= 0.01
		and ([$kernel[] | off] | max // 0) <= 0.03 and [($options + $kernel)[] | wrong] == [])
	  then "as promised" else "not as promised" end)
  else (["command", "exact", "bill", "ratio", "covered", "beside"]
	+ [$side[1:][] | .name + " predicted", .name + " exact"] | @tsv),
	(.[] | [.name, .exact, (.bill | round), (.bill / .exact | tidy), (.covered | tidy), .beside,
		(.changes[] | (.predicted, .exact | tidy))] | @tsv) end
