#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# What one architecture has of its own stands in arch/, or in a folder of a room
# that has the architecture's name; nothing else asks which it is.

bats_require_minimum_version 1.5.0
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# asks DIR...: sources that ask which architecture it is, or know its instructions.
asks() {
	grep -rnE --include='*.[chS]' "$@" -e '__(x86_64|i386|aarch64|arm|riscv)(__|_)' \
		-e '<(cpuid|x86intrin|immintrin|arm_neon|asm/hwcap)\.h>' \
		-e '__builtin_(ia32|cpu_supports|aarch64)' -e 'REG_RIP' -e 'AUDIT_ARCH_[A-Z]' \
		-e '"[^"]*%%[er]?[abcds][xi]\b' \
		-e '"[^"]*\b(rdtscp?|cpuid|[lms]fence|clflush|prefetcht0|movnti|cntvct_el0|isb|rdtime|svc|ecall)\b[^"]*(\\n|%[%0-9[])'
}

@test "nothing but arch/ and folders of its names asks for the architecture" {
	cd "$ROOT"
	run -1 asks --exclude-dir={x86_64,aarch64,riscv64} base bench clock counters fleet harness layer machine monitor report arch/*.h
}

@test "and the search finds what it looks for" {
	local dir

	cd "$ROOT"
	for dir in arch/*/; do
		asks "$dir" | grep -q .
	done
}
