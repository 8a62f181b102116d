#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a long run costs the report.  Not with sanitizers, which need terabytes
# of addresses.

setup() {
	load ../helpers
	report_setup .
}

# Kept as JSON, these rows would need 75 MB.
@test "24 000 rows of 2 400 cases are read with 48 MB" {
	[[ -z ${SAN-} ]] || skip 'not with a sanitizer'
	jq -c '. as $r | range(400) as $k |
		$r + {case: "\($r.case),k=\($k)"}' small/invocations.jsonl >many
	mv many small/invocations.jsonl
	(($(wc -l <small/invocations.jsonl) == 24000))
	ulimit -v $((48 << 10))
	try 0 "$report" due --all small
}
