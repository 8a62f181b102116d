# SPDX-License-Identifier: MIT
# The programs that `process` executes, which are embedded in it and others.  They
# take none of CFLAGS and SAN: what is executed and forked must be small, and the
# first has no libc at all.
PROC_TRUE   := $(BUILD)/libexec/oscost-true
PROC_HELLO  := $(BUILD)/libexec/oscost-hello
PROC_LINKED := $(BUILD)/libexec/oscost-linked
PROC_FORKER := $(BUILD)/libexec/oscost-forker
PROC_STRIP  := $(if $(STATIC),-s)

$(PROC_TRUE): bench/task/exec/true.c arch/$(ARCH)/placement.h mk/process.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iarch/$(ARCH) -O2 $(PROC_STRIP) -nostdlib -static -ffreestanding -Wl,--build-id=none \
		-Wl,-z,noexecstack -o $@ $<

# The same with the segments of other programs, and with an interpreter, the file itself.
$(PROC_LINKED): bench/task/exec/true.c arch/$(ARCH)/placement.h mk/process.mk mk/linked.ld
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -Iarch/$(ARCH) -DSEGMENTS -O2 $(PROC_STRIP) -nostdlib -pie -fPIE -ffreestanding -Wl,--build-id=none \
		-Wl,-z,noexecstack,-z,norelro,-T,mk/linked.ld,--dynamic-linker=oscost-linked -o $@ $<

$(PROC_HELLO): bench/task/exec/hello.c bench/task/lib/proc_spawn.h \
		clock/timer.h mk/process.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -std=gnu11 $(WARN) -O2 -o $@ $<

$(PROC_FORKER): bench/task/exec/forker.c bench/task/lib/proc_spawn.c \
		bench/task/lib/proc_spawn.h clock/timer.h mk/process.mk mk/no-unwind.ld
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(PKG_CFLAGS) -std=gnu11 $(WARN) -O2 $(PROC_STRIP) -static \
		-ffunction-sections -Wl,--gc-sections,-z,noseparate-code,-T,mk/no-unwind.ld -o $@ $(filter %.c,$^)

PROC_COPY := $(BUILD)/obj/bench/task/lib/proc_copy.o
$(PROC_COPY): $(PROC_TRUE) $(PROC_LINKED) $(PROC_FORKER) $(if $(STATIC),,$(PROC_HELLO))
$(PROC_COPY): ALL_CPPFLAGS += -Wa,-I$(BUILD)/libexec
