# SPDX-License-Identifier: MIT
# All programs for another architecture, in one static file, and what they do
# on an emulated machine of it.

# ARCH, where it is not that of the machine that builds.
here           = $(call once,here,$(CC) -dumpmachine | sed 's/-.*//')
foreign        = $(filter-out $(here),$(ARCH))
CROSS         := $(BUILD)/cross/$(ARCH)
CROSS_CC      ?= $(ARCH)-linux-gnu-gcc
CROSS_ROOT    := $(abspath $(BUILD))/cross-root/$(ARCH)
CROSS_FILE    := $(CROSS)/oscost-static
# A libhwloc of a later release asks for a later libc's names of these.
CROSS_NAMES   := $(foreach name,strtol strtoul strtoll strtoull sscanf fscanf,-Wl,--defsym=__isoc23_$(name)=$(name))

ifndef STATIC
.PHONY: cross
cross: ## all programs for ARCH=aarch64 or riscv64: build/cross/ARCH/oscost-static
	$(Q)scripts/setup cross
	$(Q)if ! command -v '$(CROSS_CC)' >/dev/null; then \
		echo 'cross: skipped: no $(CROSS_CC) here' >&2; \
	else \
		scripts/cross-root '$(ARCH)' '$(CROSS_ROOT)' && \
		$(MAKE) --no-print-directory $(jobs) cross-file || [ $$? = 77 ]; \
	fi

.PHONY: cross-file
cross-file: $(CROSS)/init
	$(Q)$(MAKE) --no-print-directory STATIC='$(CROSS_FILE)' BUILD='$(CROSS)' \
		CC='$(CROSS_CC)' \
		LD='$(CROSS_CC:gcc=ld)' AR='$(CROSS_CC:gcc=ar)' OBJCOPY='$(CROSS_CC:gcc=objcopy)' \
		PKG_CFLAGS='$(patsubst %,-isystem $(CROSS_ROOT)/usr/include%,/. /$(ARCH)-linux-gnu)' \
		PKG_LIBS='-L$(CROSS_ROOT)/usr/lib/$(ARCH)-linux-gnu -lhwloc -ljansson' \
		LDFLAGS='$(CROSS_NAMES)' CFLAGS='-O2 -g' '$(CROSS_FILE)'

$(CROSS)/init: tests/lab/init.c mk/cross.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CROSS_CC) -D_GNU_SOURCE -std=gnu11 $(WARN) -O2 -static -o $@ $<

# 77 is "skipped", with the reason on stderr.
.PHONY: arch-test
arch-test: ## count instructions of known work on emulated machines: ARCHS="aarch64 riscv64"
	$(Q)for arch in $(or $(ARCHS),aarch64 riscv64); do \
		$(MAKE) --no-print-directory ARCH=$$arch cross || exit 1; \
		tests/lab/arch $$arch '$(BUILD)/cross/'$$arch/oscost-static \
			'$(BUILD)/arch-test/'$$arch '$(BUILD)/kernels/'$$arch || [ $$? = 77 ] || exit 1; \
	done
	$(Q)$(if $(ARCHS),,[ ! -e '$(BUILD)/arch-test/riscv64/more' ] || $(MAKE) --no-print-directory arch-rows)

# Compare what arch-test has left of the emulated machines.
.PHONY: arch-rows
arch-rows: $(BENCHES) ## rows of each architecture side by side, and why one has not what another has (after arch-test)
	$(Q)for program in $(notdir $(BENCHES)); do \
		echo "@begin $$program"; '$(BUILD)/bin/'$$program --list; done >'$(BUILD)/arch-test/$(here)'
	$(Q)tests/lab/rows '$(here)=$(BUILD)/arch-test/$(here)' \
		$(foreach arch,$(or $(ARCHS),aarch64 riscv64),'$(arch)=$(BUILD)/arch-test/$(arch)/more')
endif
