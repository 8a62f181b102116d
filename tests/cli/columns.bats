#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a program prints for people.

load ../helpers

@test "a program says on a terminal how far it is, without colours, elsewhere nothing" {
	command -v script >/dev/null || skip "no script(1)"
	SHELL=/bin/sh try 0 script -qec "'$BIN/nop' --invocations 3 --effort 1" /dev/null
	[[ $output == *"nop: process run 3 of 3, "*" s left"* ]]
	run ! grep -E $'\e\\[[0-9;]*m' <<<"$output"
	run -0 --separate-stderr "$BIN/nop" --invocations 3 --effort 1
	[[ -z $stderr ]]
}

@test "one format at a time" {
	try 2 "$BIN/syscall" --wide --json
	[[ $stderr == *"only one of --json, --csv and --wide"* ]]
}

@test "a case that there is not: the nearest that there are" {
	try 2 "$BIN/syscall" --case getppid
	[[ $stderr == *"matches no case of --list; nearest: op=getppid,by=libc, "* ]]
}
