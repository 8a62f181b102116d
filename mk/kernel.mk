# SPDX-License-Identifier: MIT
# The ring 0 module.  Only `make kmod-run` ever loads it here.

KMOD      := $(BUILD)/kmod
KMOD_TEST := $(BUILD)/kmod-test/$(ARCH)
KERNELS   := $(BUILD)/kernels
KDIR      ?= /lib/modules/$(shell uname -r)/build
KMOD_SRCS  = $(wildcard kernel/*) $(wildcard arch/$(ARCH)/*_asm.h arch/$(ARCH)/ring0.h) clock/ensemble.c clock/ensemble.h \
	clock/ensemble_body.h clock/certificate.c clock/certificate.h \
	clock/quantum.c clock/quantum.h

# The kernel's build writes beside its sources, so it gets copies; those for
# another kernel lie apart, lest they be loaded into this one.
kmod_copy = mkdir -p $(1) && cp -pu $(KMOD_SRCS) $(1)

.PHONY: kmod
kmod: ## build the ring 0 module for the running kernel
	$(Q)$(call kmod_copy,$(KMOD)) && cp '$(or $(FUNCTION),kernel/function.c)' '$(KMOD)/function.c'
	$(Q)if [ -d '$(KDIR)' ]; then \
		$(MAKE) -C '$(KDIR)' M='$(abspath $(KMOD))' modules; \
	else \
		rm -f '$(KMOD)/oscost_cert.ko'; \
		echo 'kmod: skipped: no headers of $(shell uname -r) ($(KDIR))'; \
	fi

# 77 is "skipped", with the reason on stderr.
.PHONY: kmod-run
kmod-run: kmod $(BUILD)/bin/certify ## load it, measure, unload, compare with user space: FUNCTION=mine.c OUT=
	$(Q)scripts/certify --module '$(KMOD)/oscost_cert.ko' --bin '$(BUILD)/bin' $(call options,OUT) || \
		{ status=$$?; [ $$status = 77 ]; }

.PHONY: kmod-test
kmod-test: ## build it for the distribution's kernel and test it in QEMU: ARCH=aarch64
	$(Q)scripts/setup kmod $(foreign:%=cross)
	$(Q)$(call kmod_copy,$(KMOD_TEST)/src)
	$(Q)$(if $(foreign),,$(MAKE) --no-print-directory $(BUILD)/bin/nop)
	$(Q)tests/lab/kmod '$(ARCH)' '$(abspath $(KMOD_TEST))/src' '$(abspath $(KMOD_TEST))' \
		'$(abspath $(KERNELS))$(foreign:%=/%)' $(if $(foreign),,'$(BUILD)/bin/nop') || \
		{ status=$$?; [ $$status = 77 ]; }

# Labs on the same kernel: where nobody outside can take time; with 8 CPUs and two
# nodes; on a machine that loses its power, and on one that reboots.
LABS := noise cpus power kernels
noise-test: ## test the noise certificate on a machine known to be quiet, in QEMU
cpus-test: ## test --copies and shootdown on a machine with 8 CPUs, in QEMU
power-test: ## test that a power cut costs a round at most, in QEMU
kernels-test: ## test scripts/kernels on a machine that reboots, in QEMU
.PHONY: $(LABS:%=%-test)
$(LABS:%=%-test): %-test:
	$(Q)scripts/setup run kmod
	$(Q)$(MAKE) --no-print-directory all
	$(Q)tests/lab/$* '$(BUILD)/bin' '$(BUILD)/$@' '$(abspath $(KERNELS))' || \
		{ status=$$?; [ $$status = 77 ]; }

# A later commit left what is timed alone: the same instructions as BASE.
SAME_BASE = $(BUILD)/base/$(shell git rev-parse -q --verify '$(BASE)^{commit}')

.PHONY: same-counts
same-counts: ## compare the instructions of each operation with those of BASE=commit, in QEMU
	$(Q)test '$(notdir $(SAME_BASE))' || \
		{ echo 'same-counts: BASE=commit, not "$(BASE)"' >&2; exit 2; }
	$(Q)scripts/setup run kmod
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)mkdir -p '$(SAME_BASE)' && git archive '$(BASE)' | tar -C '$(SAME_BASE)' -xf -
	$(Q)$(MAKE) --no-print-directory $(jobs) -C '$(SAME_BASE)' BUILD=build all
	$(Q)tests/lab/same-counts '$(SAME_BASE)/build' '$(BUILD)' '$(BUILD)/same-counts' \
		'$(abspath $(KERNELS))' || { status=$$?; [ $$status = 77 ]; }
