# SPDX-License-Identifier: MIT
# under: runs a command under a layer.

UNDER      := $(BUILD)/bin/under
UNDER_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard layer/*.c))
UNDER_LIB  := $(BUILD)/lib/oscost/liboscost-under.so

OBJS += $(UNDER_OBJS)

$(UNDER): $(UNDER_OBJS) $(LIB) | $(UNDER_LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

# Loaded into any program, so none of CFLAGS and SAN.
$(UNDER_LIB): layer/exec/loaded.c mk/layer.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARN) -O2 -fPIC -shared -o $@ $<

all: $(UNDER)

INSTALL_LIBS    += $(UNDER_LIB)
INSTALL_LIBEXEC += $(UNDER)
TOOLS           += under

.PHONY: layers
layers: all ## what a layer adds to each core row: LAYERS="seccomp=docker landlock netns" ONLY="syscall" ROUNDS=10
	$(Q)scripts/layers --bin '$(BUILD)/bin' $(call options,LAYERS ONLY ROUNDS EFFORT SEED OUT)
