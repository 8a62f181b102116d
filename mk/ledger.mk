# SPDX-License-Identifier: MIT
# The instruction ledger.  Kernels are kept where mk/kernel.mk keeps them: its
# KERNELS is here what the user asks for.

LEDGER_PLUGIN := $(BUILD)/ledger_plugin.so

$(LEDGER_PLUGIN): ledger/ledger_plugin.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -g -std=gnu11 $(WARN) -fPIC -shared -o $@ $<

.PHONY: ledger-plugin
ledger-plugin: $(LEDGER_PLUGIN) ## what `scripts/ledger explain` gives QEMU

test-programs: $(LEDGER_PLUGIN)

.PHONY: ledger
ledger: ## what each operation costs in instructions, in QEMU: ARCH=aarch64 KERNELS="6.1.0-47 file" OPTIONS="audit=1; lsm=" CHECK=before/explain.folded
	$(Q)scripts/setup run ledger
	$(Q)$(MAKE) --no-print-directory $(jobs) $(foreign:%=ARCH='$(here)') all
	$(Q)$(if $(foreign),$(MAKE) --no-print-directory cross)
	$(Q)scripts/ledger $(if $(call given,CHECK),explain --check $(call quoted,$(CHECK))) --arch '$(ARCH)' --bin '$(abspath $(BUILD))/bin' --images '$(abspath $(BUILD))/kernels' \
		$(call options,KERNELS OPTIONS BOOTS PASTS ONLY JOBS LIMIT OUT) \
		$(if $(call given,FAIL_ABOVE),--threshold $(call quoted,$(FAIL_ABOVE)))

.PHONY: ledger-test
ledger-test: $(LEDGER_PLUGIN) $(BUILD)/planted/0/planted $(BUILD)/planted/1/planted ## boot a small ledger in QEMU: is it exact to the instruction?
	$(Q)scripts/setup run ledger
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)$(MAKE) --no-print-directory ARCH=aarch64 cross
	$(Q)tests/lab/ledger '$(abspath $(BUILD))' '$(abspath $(BUILD))/ledger-test' \
		'$(abspath $(BUILD))/kernels'
