# SPDX-License-Identifier: MIT
# The loops of benchmarks, to be counted by callgrind, by this machine's counters
# and by those of an emulated machine.

# Files that the counters need without the harness.
COUNTERS_PARTS := $(wildcard counters/*.c) base/sysfile.c base/io.c
COUNTED_LOOPS  := $(BUILD)/fixtures/counted_loops
CROSS_ARM64    ?= aarch64-linux-gnu-gcc
COUNTERS_TEST  := $(BUILD)/counters-test
COUNTERS_GUEST := $(COUNTERS_TEST)/loops
counted_srcs    = tests/lab/loops.c bench/memory/lib/chase.c \
	bench/memory/lib/$(1)/chase_many.c clock/reference.c arch/$(1)/arch.c $(COUNTERS_PARTS)

# As they are measured, so without SAN, which would count itself; and without -g,
# for valgrind cannot read what every compiler writes then.  The linker leaves out
# parts that a loop does not need, and that need the harness.
counted_build = $(1) -D_GNU_SOURCE -Iarch -Iarch/$(2) -Iclock -Ibase -Icounters $(HARNESS:%=-I%) \
	-Ibench/memory/lib -std=gnu11 $(WARN) -O2 \
	-ffunction-sections -fdata-sections -Wl,--gc-sections -o $@ $(call counted_srcs,$(2)) -lm

$(COUNTED_LOOPS) $(COUNTERS_GUEST): $(call counted_srcs,$(ARCH)) bench/cpu/loop.c \
		$(wildcard clock/*.h base/*.h counters/*.h $(HARNESS:%=%/*.h)) mk/counters.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(if $(filter $(COUNTERS_GUEST),$@),$(call counted_build,$(CROSS_ARM64),aarch64) -static,\
		$(call counted_build,$(CC),$(ARCH)))

test-programs: $(COUNTED_LOOPS)

.PHONY: counters-test
counters-test: ## count loops of known length on an emulated aarch64 machine: KERNEL=Image
	$(Q)scripts/setup counters
	$(Q)if ! command -v '$(CROSS_ARM64)' >/dev/null; then \
		echo 'counters-test: skipped: no $(CROSS_ARM64) here' >&2; \
	else \
		$(MAKE) --no-print-directory '$(COUNTERS_GUEST)' '$(BUILD)/cross/aarch64/init' ARCH=aarch64 && \
		{ tests/lab/counters '$(COUNTERS_TEST)' '$(BUILD)/cross/aarch64/init' '$(BUILD)/kernels/aarch64' \
			$(if $(KERNEL),'$(KERNEL)') || [ $$? = 77 ]; }; \
	fi
