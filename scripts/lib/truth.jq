# SPDX-License-Identifier: MIT
# A table of rows of truth and nop (slurped), with -r and --arg method NAME; it fails if
# something is off.

def pad($n): tostring | . + " " * ([$n - length, 0] | max);
def right($n): tostring | " " * ([$n - length, 0] | max) + .;
def figure: if type != "number" then . // "null" elif . == 0 then 0
	else . as $x | (pow(10; 3 - (fabs | log10 | floor))) as $k | ($x * $k | round) / $k end;
def two: (fabs * 100 | round) as $n | (if . < 0 then "-" else "" end) + "\($n / 100 | floor)." + ("\($n % 100 + 100)"[1:]);
def line($true; $measured; $error; $word):
	("\(pad(26)) \($true | figure | right(12)) \($measured | figure | right(12)) \($error | right(9))  \($word)" | sub(" +$"; ""));

def judged:
	if .benchmark == "nop" then {name: "nop \(.case)", true: "-", measured: (if .status == "ok" then .value else .status end),
		bad: (if .status != "below_resolution" then "nop \(.case) is \(.status)" else null end)}
	elif .expected == null or .value == null then {name: .case, true: .expected,
		measured: (if .status == "ok" then .value else .status end),
		bad: (if .status == "failed" then "\(.case) failed" else null end)}
	else . as $r | (100 * (.value - .expected) / .expected) as $error
		| ($method == "cpuid2" and (.case | startswith("work=wait"))) as $inside
		| {name: .case, true: .expected, measured: .value, $error}
		+ if $inside then {word: "(CPUID in the interval)"}
		  elif .expected * .core_hz / 1e9 < 7.9 then {word: "(under 8 cycles)"}
		  elif ($error | fabs) <= 1 then {judged: true}
		  elif (.ci95 // [1, 0]) | .[0] <= $r.expected * 1.01 and .[1] >= $r.expected * 0.99
		  then {judged: true, word: "noisy"}
		  else {judged: true, word: "off", bad: "\(.case) is off"} end
	end;

[.[] | judged] as $rows
| [$rows[] | select(.judged)] as $judged
| [$rows[].bad // empty] as $bad
| ([$judged[] | select(.word == "noisy")] | length) as $noisy
| ($judged | max_by(.error | fabs) // {error: 0, name: "none"}) as $worst
| "", "timer \($method)", ("case" | line("true, ns"; "measured, ns"; "error"; "")),
  ($rows[] | . as $r | .name | line($r.true; $r.measured;
	if $r.error == null then "" else "\(if $r.error >= 0 then "+" else "" end)\($r.error | two)%" end; $r.word // "")),
  "\($method): \($judged | length) rows of 8 cycles or more, largest error \($worst.error | fabs | two) % (\($worst.name)): "
  + if $bad != [] then "\($bad | length) not as it should be, first: \($bad[0])"
    elif $judged == [] then "nothing to judge"
    elif $noisy > 0 then "\($noisy) noisy, none off" else "ok" end,
  if $bad != [] or $judged == [] then ("" | halt_error(1)) else empty end
