# SPDX-License-Identifier: MIT
# cpu_load: the load of each core, by the system and by its counters.

MONITOR_SRCS  := $(sort $(filter-out monitor/load_demo.c,$(wildcard monitor/*.c)))
MONITOR_MAIN  := $(BUILD)/obj/monitor/main.o
MONITOR_WIDTH := $(BUILD)/obj/gen/width_table.o
MONITOR_OBJS  := $(filter-out $(MONITOR_MAIN),$(MONITOR_SRCS:%.c=$(BUILD)/obj/%.o)) \
		 $(MONITOR_WIDTH)
CPU_LOAD      := $(BUILD)/bin/cpu_load

OBJS += $(MONITOR_MAIN) $(MONITOR_OBJS)

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

# Its demonstration is a benchmark and knows the width of the core as it does.
LOAD_DEMO      := $(BUILD)/bin/load_demo
LOAD_DEMO_OBJS := $(BUILD)/obj/monitor/load_demo.o
BENCHES += $(LOAD_DEMO)
OBJS    += $(LOAD_DEMO_OBJS)

$(BUILD)/gen/load_demo.about.c: monitor/load_demo.c scripts/lib/about.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/lib/about.awk $< >$@

$(LOAD_DEMO): $(LOAD_DEMO_OBJS) $(MAIN) $(BUILD)/obj/gen/load_demo.about.o \
		$(addprefix $(BUILD)/obj/,monitor/cpu_model.o gen/width_table.o) \
		$(BUILD)/libmemory.a $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(CPU_LOAD) $(LOAD_DEMO)

# `make install` copies these as they lie in $(BUILD), with page, completion
# and a link in $(bindir).
INSTALL_LIBEXEC += $(CPU_LOAD)
TOOLS += cpu_load

# The paper's Figures 9 and 10 of any command.
LOAD_OUT ?= $(BUILD)/load

.PHONY: load
load: all ## draw each core's load while a command runs: COMMAND="..." INTERVAL=100ms SOURCE=stat|switches
	$(Q)mkdir -p '$(LOAD_OUT)'
	$(Q)$(CPU_LOAD) --interval $(or $(INTERVAL),100ms) --source $(or $(SOURCE),stat) \
		--output '$(LOAD_OUT)/cpu_load.csv' -- \
		$(or $(COMMAND),$(BUILD)/bin/load_demo --invocations 1)
	$(Q)scripts/load-plot '$(LOAD_OUT)/cpu_load.csv'
	@echo 'see $(LOAD_OUT)/cpu_load-system.svg'
