#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
#
# The certificate of the clock, code placement, and what loads the module.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	SMALL=(--invocations 1 --ensembles 5 --samples 100 --effort 100)
	# Some hypervisors hide RDTSCP.
	if "$BIN/machine" | jq -e .tsc.rdtscp >/dev/null; then
		methods=(none cpuid2 cpuid lfence lfence2) waits=lfence
	else
		methods=(none cpuid2 lfence2) waits=lfence2
	fi
}

# figure METHOD BODY FIGURE: its value in the rows of $output.
figure() {
	jq -s --arg m "$1" --arg b "$2" --arg f "$3" '.[] | select(.params ==
		{method: $m, body: $b, stat: $f}) | .value' <<<"$output"
}

@test "every method has every figure, and the paper's beside it; no undisturbed one exceeds that of all samples" {
	try 0 "$BIN/certify" "${SMALL[@]}" --log log --json
	for method in none cpuid2 cpuid lfence lfence2; do
		[[ $(jq -s --arg m "$method" 'map(select(.params.method == $m))
			| length' <<<"$output") == 18 ]]
	done
	jq -es 'any(.[]; .case == "method=cpuid2,body=empty,stat=min"
		and .evidence.paper == 452 and .evidence.all_samples > 0)
		and any(.[]; .case == "method=cpuid,body=loop,stat=resolution_ticks"
		and (.evidence.paper == 4 or (.reason | test("RDTSCP"))))
		and all(.[] | select(.params.stat == "verdict");
			.status == "skipped" or (.value | IN(0, 1, 2)) and .evidence.why)
		and (map(select(.params.stat == "max_deviation")) |
			length == 10 and all(.[]; .value <= .evidence.all_samples))' <<<"$output"
	# A line of the log for each ensemble, as the paper has it.
	line='^loop_size:[0-9]+ >>>> variance\(cycles\): [0-9.]+; '
	line+='max_deviation: [0-9]+ ;min time: [0-9]+'
	[[ $(grep -cE "$line" log) == $((10 * ${#methods[@]})) ]]
	[[ $(grep -c '^# method=' log) == $((2 * ${#methods[@]})) ]]
}

# By default the growing loop covers four steps of this machine's clock, but
# no more than it must; fewer are said to be fewer.
@test "there are as many ensembles as the steps of the clock ask for" {
	try 0 "$BIN/certify" --invocations 1 --least 2 --samples 100 --json \
		--case "method=$waits,*" --case 'check=quantum'
	read -r wanted got < <(jq -rs --arg m "$waits" '
		(.[] | select(.params.check) | 4 * .value * .core_hz / 1e9),
		(.[] | select(.case == "method=\($m),body=empty,stat=min")
			| .evidence.ensembles)' <<<"$output" | paste -s -d ' ')
	awk -v w="$wanted" -v g="$got" 'BEGIN { exit !(g >= 0.7 * w &&
		g <= 1.4 * w + 8) }'
	try 0 "$BIN/certify" --invocations 1 --ensembles 2 --samples 100 --json \
		--case "method=$waits,body=loop,*"
	jq -es '.[] | select(.params.stat == "resolution_instructions") |
		.evidence.ensembles == 2 and (.status == "ok" or
		(.reason | test("^a rise takes about [0-9]+ stores here, "
			+ "and only 1 were tried$|^up to 1 more store")))' \
		<<<"$output"
}

@test "each check says what the results lose, or passes" {
	try 0 "$BIN/certify" --invocations 1 --case 'check=*' --json
	jq -es 'length == 6 and all(.[]; .status == "skipped"
		or (.evidence.verdict | length > 3))' <<<"$output"
}

# Without a fence the processor reads the clock before the chain is done.  A
# disturbed machine gets three chances to show it.
@test "a fence left out is caught" {
	for _ in 1 2 3; do
		try 0 "$BIN/certify" "${SMALL[@]}" --json \
			--case 'method=none,*' --case "method=$waits,body=chain,*"
		(($(figure none chain seen_pct) >= 80)) ||
			(($(figure "$waits" chain seen_pct) < 80)) || {
			[[ $(figure none all verdict) == 0 ]]
			return
		}
	done
	false
}

@test "a log that cannot be written fails with its name" {
	answers 1 '/no/such/dir/log' "$BIN/certify" "${SMALL[@]}" --log /no/such/dir/log --json
}

@test "scripts/certify puts the methods and the paper side by side" {
	try 0 "$ROOT/scripts/certify" --bin "$BIN" --out out --ensembles 5 \
		--samples 100
	words=("${methods[@]/#/method }" 'paper: rejected' 'variance of variances' 'monotonic')
	[[ $waits == lfence2 ]] || words+=('paper: accepted')
	for word in "${words[@]}"; do
		grep -qF "$word" <<<"$output"
	done
}

@test "placement times 64 offsets, 32 pages, six orders and one place" {
	try 0 "$BIN/placement" "${QUICK[@]}" --json
	jq -es '(map(.params.where + "=" + (.evidence.places | tostring))
		| unique) == ["offset=64", "order=6", "page=32", "same=1"]
		and all(.[]; .status != "ok" or .value >= 0)' <<<"$output"
	# No place is better than the best.
	jq -es 'map(select(.params.code == "loop")) | group_by(.params.where) | length == 4 and
		all(.[]; (map({key: .params.stat, value}) | from_entries)
		| .min == null or .min <= .max)' <<<"$output"
}

@test "the statistics need nothing that a kernel lacks" {
	for name in ensemble certificate quantum; do
		${CC:-cc} -O2 -std=gnu11 -ffreestanding -fno-pic -Wall -Werror \
			-I"$ROOT/clock" -c -o $name.o "$ROOT/clock/$name.c"
		nm -u $name.o >undefined
		run ! grep -E "__(u?div|u?mod|mul|u?divmod|float)" undefined
	done
}

# module_stubs: commands that play the kernel with a directory.
module_stubs() {
	mkdir -p stubs debug
	cat >stubs/insmod <<'EOT'
#!/bin/bash
echo "insmod $*" >>calls
[[ ! -f refuse ]] || exit 1
[[ ! -f empty ]] || exit 0
mkdir -p debug/oscost_cert
row='{"benchmark":"certify_ring0","params":{"method":"cr0","body":"empty",'
row+='"stat":"min"},"status":"ok","value":208,"unit":"ticks","evidence":{}}'
echo "$row" >debug/oscost_cert/results
: >debug/oscost_cert/log
EOT
	cat >stubs/rmmod <<'EOT'
#!/bin/bash
echo "rmmod $*" >>calls
rm -rf debug/oscost_cert
EOT
	printf '#!/bin/bash\n' >stubs/mountpoint
	chmod +x stubs/*
	: >oscost_cert.ko
	export CERT_DEBUGFS=debug
	export PATH=$PWD/stubs:$PATH
	ring0=("$ROOT/scripts/certify" --out out --bin "$BIN" --ensembles 5 --samples 100
		--cpu "$(taskset -cp $$ | sed 's/.*[^0-9]//')" --module)
}

@test "certify --module loads, reads, unloads and compares" {
	((EUID == 0)) || skip 'only root may load modules'
	module_stubs
	try 0 "${ring0[@]}" oscost_cert.ko
	[[ $(wc -l <calls) == 2 && $(tail -n 1 calls) == rmmod* ]]
	grep -q 'ensembles=5 samples=100' calls
	grep -qE 'min time +- +- +208 +(-|208)' <<<"$output"
}

@test "certify --module unloads also when what follows fails" {
	((EUID == 0)) || skip 'only root may load modules'
	module_stubs
	: >empty
	try 1 "${ring0[@]}" oscost_cert.ko
	[[ $(tail -n 1 calls) == rmmod* ]]
}

@test "certify --module tells when the kernel refuses, and unloads nothing" {
	((EUID == 0)) || skip 'only root may load modules'
	module_stubs
	: >refuse
	answers 1 'insmod failed' "${ring0[@]}" oscost_cert.ko
	run ! grep -q rmmod calls
}

@test "certify without a module is skipped with the reason" {
	answers 77 'none.ko' "$ROOT/scripts/certify" --bin "$BIN" --module none.ko
}
