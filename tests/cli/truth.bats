#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: real programs, beside which no others shall
# The verdict of scripts/truth, on rows whose errors are known.

load driver

setup() {
	driver_setup
	stub nop 'echo "{\"benchmark\": \"nop\", \"case\": \"timing=batch\", \"status\": \"below_resolution\", \"value\": null, \"expected\": null}"'
}

# truth_row VALUE LOW HIGH: where 10 ns, 20 cycles, are true.
truth_row() {
	printf 'echo "{\\"benchmark\\": \\"truth\\", \\"case\\": \\"work=add,length=20\\", \\"status\\": \\"ok\\", \\"value\\": %s, \\"ci95\\": [%s, %s], \\"core_hz\\": 2e9, \\"evidence\\": {\\"adds\\": {\\"expected\\": 7, \\"seen\\": 7}}, \\"expected\\": 10.0}"' "$@"
}

judge() { "$ROOT/scripts/truth" --bin "$bin" lfence; }

@test "what is true is ok" {
	stub truth "$(truth_row 10.05 10.0 10.1)"
	run -0 judge
	[[ ${lines[-1]} == "lfence: 1 rows of 8 cycles or more, largest error 0.50 % (work=add,length=20): ok" ]]
}

@test "what is off makes it fail" {
	stub truth "$(truth_row 10.3 10.2 10.4)"
	run -1 judge
	[[ $output == *"+3.00%  off"*"1 not as it should be, first: work=add,length=20 is off" ]]
}

@test "a wide interval is called noisy" {
	stub truth "$(truth_row 10.3 10.0 10.4)"
	run -0 judge
	[[ $output == *"+3.00%  noisy"*"1 noisy, none off" ]]
}

@test "an empty operation that costs something makes it fail" {
	stub truth "$(truth_row 10.0 10.0 10.0)"
	stub nop 'echo "{\"benchmark\": \"nop\", \"case\": \"timing=batch\", \"status\": \"ok\", \"value\": 0.5, \"expected\": null}"'
	run -1 judge
	[[ $output == *"first: nop timing=batch is ok" ]]
}

@test "a method that this machine has not is left out" {
	stub truth 'echo "truth: no rdtscp" >&2; exit 77'
	run -0 judge
	[[ $output == *"timer lfence: not here"* ]]
}
