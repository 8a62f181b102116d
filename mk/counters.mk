# SPDX-License-Identifier: MIT
# The counters of counters/, built for an emulated machine that has some.

CROSS_ARM64    ?= aarch64-linux-gnu-gcc
COUNTERS_TEST  := $(BUILD)/counters-test
COUNTERS_GUEST := $(COUNTERS_TEST)/guest
# Files that the counters need without the harness.
COUNTERS_PARTS := $(wildcard counters/*.c) base/sysfile.c base/io.c
COUNTERS_SRCS  := tests/lab/guest.c arch/aarch64/arch.c $(COUNTERS_PARTS)

# Neither SAN nor CFLAGS: it is for another machine.
$(COUNTERS_GUEST): $(COUNTERS_SRCS) $(wildcard counters/*.h) mk/counters.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CROSS_ARM64) -D_GNU_SOURCE -Iarch -Iarch/aarch64 -Iclock -Ibase -Icounters $(HARNESS:%=-I%) -std=gnu11 $(WARN) -Werror \
		-O2 -g -static -o $@ $(COUNTERS_SRCS) -lm

# The loops of benchmarks, to be counted by callgrind: as they are measured, so
# without SAN, which would count itself; and without -g, for valgrind cannot
# read what every compiler writes then.  The linker leaves out parts that a loop does
# not need, and that need the harness.
COUNTED_LOOPS := $(BUILD)/fixtures/counted_loops
COUNTED_SRCS  := tests/lab/loops.c bench/memory/lib/chase.c \
	bench/memory/lib/$(ARCH)/chase_many.c clock/reference.c arch/$(ARCH)/arch.c $(COUNTERS_PARTS)

$(COUNTED_LOOPS): $(COUNTED_SRCS) bench/cpu/loop.c $(wildcard clock/*.h base/*.h counters/*.h $(HARNESS:%=%/*.h)) mk/counters.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -Iarch -Iarch/$(ARCH) -Iclock -Ibase -Icounters $(HARNESS:%=-I%) \
		-Ibench/memory/lib -std=gnu11 $(WARN) -O2 \
		-ffunction-sections -fdata-sections -Wl,--gc-sections -o $@ $(COUNTED_SRCS) -lm

test-programs: $(COUNTED_LOOPS)

# 77 is "skipped", with the reason on stderr.
.PHONY: counters-test
counters-test: ## count loops of known length on an emulated aarch64 machine: KERNEL=Image
	$(Q)scripts/setup counters
	$(Q)if ! command -v '$(CROSS_ARM64)' >/dev/null; then \
		echo 'counters-test: skipped: no $(CROSS_ARM64) here' >&2; \
	else \
		$(MAKE) --no-print-directory '$(COUNTERS_GUEST)' && \
		{ tests/lab/counters '$(COUNTERS_GUEST)' '$(COUNTERS_TEST)' '$(BUILD)/kernels/aarch64' \
			$(if $(KERNEL),'$(KERNEL)') || [ $$? = 77 ]; }; \
	fi
