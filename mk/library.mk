# SPDX-License-Identifier: MIT
# The counters as a library for other people's programs.

# Where archives of this architecture go; a distribution may have a place of its own.
archdir ?= $(PREFIX)/lib

COUNTERS_LIB := $(BUILD)/lib/liboscost-counters.a

$(COUNTERS_LIB): $(patsubst %.c,$(BUILD)/obj/%.o,$(COUNTERS_PARTS) arch/$(ARCH)/arch.c)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

define counters_pc
Name: oscost-counters
Description: what a part of a program does: instructions, cycles, misses, faults, switches
Version: $(VERSION)
Cflags: -I$(PREFIX)/include
Libs: -L$(archdir) -loscost-counters -lm
endef

.PHONY: install-library
install-library: $(COUNTERS_LIB)
	$(Q)install -D -m 644 $(COUNTERS_LIB) $(DESTDIR)$(archdir)/liboscost-counters.a
	$(Q)install -D -m 644 counters/counters.h $(DESTDIR)$(PREFIX)/include/oscost-counters.h
	$(Q)install -D -m 644 docs/examples/counters.c $(INSTALLED)/counters-example.c
	$(Q)install -D -m 644 counters/oscost-counters.3 $(DESTDIR)$(mandir)/man3/oscost-counters.3
	$(Q)install -d $(DESTDIR)$(archdir)/pkgconfig
	$(Q)printf '%s\n' '$(subst $(newline),' ',$(counters_pc))' \
		>$(DESTDIR)$(archdir)/pkgconfig/oscost-counters.pc

INSTALLED_LIBRARY = $(addprefix $(DESTDIR)$(archdir)/,liboscost-counters.a pkgconfig/oscost-counters.pc) \
	$(DESTDIR)$(PREFIX)/include/oscost-counters.h $(DESTDIR)$(mandir)/man3/oscost-counters.3

define newline


endef
