# SPDX-License-Identifier: MIT
# cpu_load: the load of each core, by the system and by its counters.

MONITOR_MAIN  := $(BUILD)/obj/monitor/main.o
MONITOR_WIDTH := $(BUILD)/obj/gen/width_table.o
# Objects of programs that have rows load=...
LOAD_OBJS     := $(BUILD)/obj/monitor/load_rows.o $(BUILD)/obj/monitor/cpu_model.o $(MONITOR_WIDTH)
MONITOR_OBJS  := $(filter-out $(MONITOR_MAIN) $(LOAD_OBJS),$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard monitor/*.c)))
CPU_LOAD      := $(BUILD)/bin/cpu_load

OBJS     += $(MONITOR_MAIN) $(MONITOR_OBJS) $(LOAD_OBJS)
LIB_OBJS += $(LOAD_OBJS)

# The table of models is data that the program carries with it.
$(BUILD)/gen/width_table.c: monitor/width.tsv scripts/lib/width.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/lib/width.awk $< >$@

$(MONITOR_WIDTH): ALL_CPPFLAGS += -Imonitor
$(MONITOR_WIDTH): monitor/cpu_model.h

$(CPU_LOAD): $(MONITOR_MAIN) $(MONITOR_OBJS) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(CPU_LOAD)

# `make install` copies these as they lie in $(BUILD), with page, completion
# and a link in $(bindir).
INSTALL_LIBEXEC += $(CPU_LOAD)
TOOLS += cpu_load

# The paper's Figures 9 and 10 of any command.
LOAD_OUT ?= $(BUILD)/load

.PHONY: load
load: all ## draw each core's load while a command runs: COMMAND="..." INTERVAL=100ms
	$(Q)mkdir -p '$(LOAD_OUT)'
	$(Q)$(CPU_LOAD) --interval $(or $(INTERVAL),100ms) \
		--output '$(LOAD_OUT)/cpu_load.csv' -- \
		$(or $(COMMAND),$(BUILD)/bin/mem_latency -n 1 --case '*load=*')
	$(Q)scripts/load-plot '$(LOAD_OUT)/cpu_load.csv'
	@echo 'see $(LOAD_OUT)/plots/cpu_load-system.svg'
