# SPDX-License-Identifier: MIT
# machine: describes the machine and watches its noise.

MACHINE_MAIN := $(BUILD)/obj/machine/main.o
MACHINE_OBJS := $(filter-out $(MACHINE_MAIN),$(patsubst %.c,$(BUILD)/obj/%.o,\
		$(wildcard machine/*.c))) $(BUILD)/obj/gen/machine_names.o
MACHINE      := $(BUILD)/bin/machine

# Names are data that the program carries with it.
$(BUILD)/gen/machine_names.c: machine/names.tsv
	@mkdir -p $(@D)
	$(Q)awk 'BEGIN { print "const char machine_names[] =" } \
		!/^#/ { gsub(/["\\]/, "\\\\&"); print "\t\"" $$0 "\\n\"" } END { print "\t;" }' $< >$@

OBJS += $(MACHINE_MAIN) $(MACHINE_OBJS)

$(MACHINE): $(MACHINE_MAIN) $(MACHINE_OBJS) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(MACHINE)

INSTALL_LIBEXEC += $(MACHINE)
TOOLS += machine
