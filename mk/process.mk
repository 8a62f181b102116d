# SPDX-License-Identifier: MIT
# The tiny static program that `process` executes.  It takes none of CFLAGS
# and SAN: it has no libc, so neither -pg nor a sanitizer could link.
PROC_TRUE := $(BUILD)/libexec/oscost-true

$(PROC_TRUE): bench/exec/true.c mk/process.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -O2 -nostdlib -static -ffreestanding -Wl,--build-id=none \
		-Wl,-z,noexecstack -o $@ $<

all: $(PROC_TRUE)
$(BUILD)/bin/process: | $(PROC_TRUE)

# Files that `make install` puts into $(PREFIX)/libexec.
INSTALL_LIBEXEC += $(PROC_TRUE)
