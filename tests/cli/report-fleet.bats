#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The slow nodes of a fleet, from made-up results.
# shellcheck disable=SC2046,SC2086 # numbers that are to be words

load ../helpers

# results DIR SCALE [MACHINE [HZ]]: six rounds of three rows; the second costs
# SCALE times 100 ns; MACHINE is merged into what is said of the machine.  Nodes
# differ by some tenths of a per cent, by the number in their name.
results() {
	local number=${1//[!0-9]/}

	mkdir -p "$1"
	jq -nc --argjson scale "$2" --argjson hz "${4:-3e9}" --argjson n "$((10#${number:-0} * 7 % 11))" '
		range(1; 7) as $round | (1 + $n * 0.0003 + $round * 7 % 6 * 0.0001) as $noise |
		({schema: 2, status: "ok", n: 1, iters: 1, samples: 10, core_hz: $hz,
		  estimator: "median", timer: "lfence", round: $round, seed: 1} + (
		{benchmark: "work", case: "kind=same", unit: "ns",
		 better: "lower", value: (50 * $noise)},
		{benchmark: "work", case: "kind=changed", unit: "ns",
		 better: "lower", value: (100 * $scale * $noise)},
		{benchmark: "move", case: "to=memory", unit: "B/s",
		 better: "higher", value: (1e9 / $noise)}))' >"$1/invocations.jsonl"
	jq -n --argjson more "${3:-"{}"}" '{schema: 1, cpu: {model: "Alpha", cores: 8},
		memory_bytes: 270e9, kernel: {release: "6.1"}} * $more' >"$1/machine.json"
	printf '{"schema": 1}\n' >"$1/run.json"
	printf '[]\n' >"$1/about.json"
}

# fleet DIR SCALE...: node n01 with the first SCALE, and so on.
fleet() {
	local dir=$1 i=0 scale

	shift
	mkdir -p "$dir"
	printf '# node\tstatus\tseconds\treason\n' >"$dir/fleet.tsv"
	for scale; do
		i=$((i + 1))
		printf 'n%02d\tok\t31\t\n' "$i" >>"$dir/fleet.tsv"
		results "$dir/nodes/n$(printf %02d "$i")" "$scale"
	done
}

ordinary() { yes 1 | head -n "$1"; }

@test "a node whose own interval reaches the median is not slow" {
	fleet f $(ordinary 6) 2 $(ordinary 4)
	# One of many rows is slow: the program is not.
	for rows in f/nodes/*/invocations.jsonl; do
		jq -c '., (select(.case == "kind=same") | .case += "-" + ("abcdefghijkl" / "" | .[]))' "$rows" >with
		mv with "$rows"
	done
	slow=f/nodes/n07/invocations.jsonl
	cp "$slow" kept
	jq -c 'if .case == "kind=changed" and .round == 1 then .value = 99 else . end' kept >"$slow"
	run -0 --separate-stderr "$report" fleet f
	# Far above is as sure as near.
	jq -c 'if .case == "kind=changed" and .round == 1 then .value = 9000 else . end' kept >"$slow"
	run -1 --separate-stderr "$report" fleet f
	grep -Eq '^n07 +A +work: kind=changed ' <<<"$output"
}

# flagged DIR: the nodes that its last report flagged.
flagged() { jq -r '.nodes[] | select(.verdict != "good").node' "$1/fleet.json"; }

@test "a slow node is named, and fails a health check" {
	fleet f $(ordinary 6) 2 $(ordinary 4)
	run -1 --separate-stderr "$report" fleet f
	[[ $output == *"Nodes: 11, measured 11 (classes of hardware: 1), slow 1 "* ]]
	grep -Eq '^n07 +A +work: kind=changed +(99\.[0-9]|100) % ' <<<"$output"
	jq -e '.nodes[6].reason == "oscost: work: kind=changed is 200 ns, the median of 11 like it 100 ns"' f/fleet.json
	[[ $(flagged f) == n07 ]]
	run -2 "$report" fleet f/nodes
}

@test "the same directory gives the same bytes" {
	fleet f 1 1 1 3 1
	run -1 "$report" fleet f
	cp -r f g
	rm g/fleet.*[^v]
	run -1 "$report" fleet g
	diff -r f g
	[[ -s f/fleet.md && -s f/fleet.html && -s f/fleet.json ]]
}

@test "a fleet without a slow node, and one that is too small to tell" {
	fleet f $(ordinary 9)
	run -0 "$report" fleet f
	fleet two 1 5
	run -0 "$report" fleet two
	[[ $output == *"three nodes of a kind are the least"* ]]
	fleet three 1 1.2 1
	run -0 "$report" fleet three
	[[ $output == *"with fewer than 8 nodes of a kind no statement is sure"* ]]
	fleet three 1 1.5 1
	run -1 "$report" fleet three
}

@test "a second run confirms, does not see, or shows it in a control, too" {
	local second word

	fleet f $(ordinary 6) 2 1 1
	for second in "2 1 1:confirmed:1" "1 1 1:not seen again:0" "2 2 1:the controls show it, too:0" "2:none:1"; do
		rm -rf f/confirm
		word=${second#*:}
		fleet f/confirm ${second%%:*}
		# They are n07 and two that were ordinary.
		mv f/confirm/nodes/n01 f/confirm/nodes/n07
		sed -i 's/^n01/n07/' f/confirm/fleet.tsv
		run "-${word#*:}" --separate-stderr "$report" fleet f
		grep -Eq "^n07 .* ${word%:*}( |\$)" <<<"$output"
		[[ $(flagged f) == n07 ]]
	done
}

@test "what is lost or failed is bad, what was down is not" {
	fleet f $(ordinary 9)
	printf 'n20\tdown\t0\tdid not answer\nn21\tskipped\t\t\n' >>f/fleet.tsv
	run -0 "$report" fleet f
	grep -Eq '^n20 +down +0 +did not answer$' <<<"$output"
	printf 'n22\tlost\t12\tgone $(touch planted) "`id`"\n' >>f/fleet.tsv
	run -1 "$report" fleet f
	grep -Eq '^n22 +lost +12 +gone ' <<<"$output"
	printf 'n23\tok\t12\t\n' >>f/fleet.tsv
	answers 1 "f/nodes/n23/invocations.jsonl: " "$report" fleet f
	grep -Eq '^n23 +failed +12 +no results that can be read$' <<<"$output"
}

@test "a name that no scheduler has is refused" {
	local name

	for name in '$(touch planted)' '../up' '-n' 'a b' "a'b" 'a;b' ''; do
		fleet f $(ordinary 3)
		printf '%s\tok\t1\t\n' "$name" >>f/fleet.tsv
		answers 2 "f/fleet.tsv:5: the name of a node has other characters" "$report" fleet f
	done
	fleet f 1 1 1
	printf 'n01\tok\t1\t\n' >>f/fleet.tsv
	run -2 "$report" fleet f
	[[ ! -e planted ]]
}

@test "nodes are set against their own kind, and what differs within it is listed" {
	local i

	fleet f $(ordinary 5) 3 3 3 3
	for i in 6 7 8 9; do
		results f/nodes/n0$i 3 '{"cpu": {"model": "Beta"}}'
	done
	results f/nodes/n02 1 '{"kernel": {"release": "6.9"}, "memory_bytes": 236e9}'
	run -0 "$report" fleet f
	grep -Eq '^A +Alpha, 8 cores, 256 GiB +5 ' <<<"$output"
	grep -Eq '^B +Beta, 8 cores, 256 GiB +4 ' <<<"$output"
	grep -Fq '| A | kernel | 6.1 | 4 | 6.9 (n02) |' f/fleet.md
	grep -Fq '| A | memory | 251 GiB | 4 | 220 GiB (n02) |' f/fleet.md
}

@test "what the core's frequency explains is one row, not all" {
	local i

	# All rows of the sixth take longer, as its core is slower.
	fleet f $(ordinary 9)
	results f/nodes/n06 1 '{}' 2e9
	jq -c 'if .unit == "ns" then .value *= 1.5 else .value /= 1.5 end' \
		f/nodes/n06/invocations.jsonl >slow
	mv slow f/nodes/n06/invocations.jsonl
	run -1 "$report" fleet f
	grep -Eq '^n06 +A +core: frequency +50 % +[0-9.]+ +1 ' <<<"$output"
	jq -e '.nodes[5].reason == "oscost: core: frequency is 2.00 GHz, the median of 9 like it 3.00 GHz"' f/fleet.json
}

@test "a row with two levels flags nobody, but is shown" {
	fleet f $(ordinary 8) 2 2 2 2
	run -0 "$report" fleet f
	grep -Eq '^\| A \| work: kind=changed \| 12 \| .*\| two levels, slower: n09, n10, n11, n12 \|$' f/fleet.md
}

@test "rows that failed are listed with their nodes" {
	fleet f $(ordinary 9)
	sed -i '/kind=same/s/"status":"ok"/"status":"failed","reason":"no luck"/' f/nodes/n03/invocations.jsonl
	run -0 "$report" fleet f
	grep -Eq '^\| A \| work: kind=same \| 8 \| .*\| failed on 1: n03 \|$' f/fleet.md
}

@test "programs can read what was found" {
	fleet f $(ordinary 9) 2
	run -1 "$report" fleet f
	jq -e '.schema == 2 and (.nodes | map(select(.bad).node)) == ["n10"] and
		(.nodes | all(.distance >= 0)) and .nodes[9].distance == (.nodes | map(.distance) | max) and
		.nodes[9].rows[0].case == "kind=changed" and .nodes[9].hardware == "Alpha, 8 cores, 256 GiB"' f/fleet.json
}

# Bad nodes among many of which no two rows are alike (tests/fixtures/fleet.awk): all are
# found, and of the others at most one in a thousand, or one, is called bad.  FLEET: its
# NODES ROWS ROUNDS BAD SEED.
@test "planted nodes are found among many" {
	local node nodes bad

	read -r nodes _ _ bad _ <<<"${FLEET:=200 60 1 5 5}"
	"$ROOT/tests/made-fleet" f $FLEET
	run -1 --separate-stderr "$report" fleet f
	flagged f >named
	while read -r node _; do
		grep -qx "$node" named || { echo "$node was not found" && false; }
	done <f/planted
	(($(wc -l <named) <= bad + (nodes < 2000 ? 1 : nodes / 1000)))
}
