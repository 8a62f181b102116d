# SPDX-License-Identifier: MIT
#
# Things that the first programs need beyond bench/cpu/*.c: the shared object that
# `procedure` calls through its linkage table, and `make truth`.

# The program opens it from its own place, $ORIGIN: `make install` keeps bin/ and
# lib/ side by side as the build tree does.  The old kind of path, for that one
# serves also where a sanitizer calls dlopen().  Calls are bound when made.
LIBEXEC_NAME := oscost
PLT_SRCS := $(sort $(wildcard bench/cpu/plt/*.c))
PLT_OBJS := $(PLT_SRCS:%.c=$(BUILD)/obj/%.o)
PLT_LIB  := $(BUILD)/lib/$(LIBEXEC_NAME)/liboscost-plt.so

# For the install recipe.
INSTALL_LIBS += $(PLT_LIB)

OBJS += $(PLT_OBJS)

$(PLT_OBJS): ALL_CFLAGS += -fPIC

# Arguments are passed one by one, not two to a vector register.
$(PLT_OBJS) $(BUILD)/obj/bench/cpu/lib/callee.o $(BUILD)/obj/bench/cpu/lib/caller.o: \
	ALL_CFLAGS += $(NO_VECTORS) -DWITHOUT_VECTORS

$(PLT_LIB): $(PLT_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(@F) -o $@ $(PLT_OBJS)

$(BUILD)/bin/procedure: | $(PLT_LIB)
bench_LIBS_procedure := -Wl,-z,lazy,--disable-new-dtags \
	-Wl,-rpath,'$$ORIGIN/../lib/$(LIBEXEC_NAME)'

TRUTH_METHODS ?= cpuid cpuid2 lfence none clock

.PHONY: truth
truth: $(BUILD)/bin/truth $(BUILD)/bin/nop ## ground truth: true and measured cost of known work, for each timing method
	@for method in $(TRUTH_METHODS); do \
		for program in $^; do $$program --timer $$method || [ $$? = 77 ] || exit; done; \
	done
