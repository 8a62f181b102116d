# SPDX-License-Identifier: MIT
# bill: counts the operations of the system that a command uses.

BILL       := $(BUILD)/bin/bill
BILL_MAIN  := $(BUILD)/obj/bill/main.o
BILL_OBJS  := $(filter-out $(BILL_MAIN),$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard bill/*.c)))
CALL_NAMES := $(BUILD)/gen/call_names.h

OBJS += $(BILL_MAIN) $(BILL_OBJS)

# The calls that this machine's headers know.
$(CALL_NAMES): mk/bill.mk
	@mkdir -p $(@D)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) $(CPPFLAGS) -dM -E - | awk ' \
		/^#define SYS_[a-z0-9_]+ / { sub(/^SYS_/, "", $$2); name[n++] = $$2 } \
		END { print "#define CALL_NAMES(X) \\"; \
			for (i = 0; i < n; i++) print "X(" name[i] ") \\"; print "" }' >$@

$(BUILD)/obj/bill/profile.o: ALL_CPPFLAGS += -I$(BUILD)/gen
$(BUILD)/obj/bill/profile.o: $(CALL_NAMES)

$(BILL): $(BILL_MAIN) $(BILL_OBJS) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(BILL)

INSTALL_LIBEXEC += $(BILL)
TOOLS           += bill

.PHONY: bill-test
bill-test: $(BUILD)/ledger_plugin.so ## the bill of 28 commands against each instruction of the kernel, in QEMU
	$(Q)scripts/setup run ledger
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)tests/lab/bill '$(abspath $(BUILD))' '$(abspath $(BUILD))/bill-test' '$(abspath $(BUILD))/kernels' || \
		{ status=$$?; [ $$status = 77 ]; }

.PHONY: bill-time-test
bill-time-test: ## the change that layers make to the CPU time of commands, predicted and measured
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)tests/lab/bill_time '$(abspath $(BUILD))' '$(abspath $(BUILD))/bill-time-test'
