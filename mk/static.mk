# SPDX-License-Identifier: MIT
# All programs in one static file, for places where there is nothing else.
# Make is called again with STATIC=file, for objects of its own: sections that
# the linker can leave out, no optional library.

OBJCOPY ?= objcopy
STATIC_FILE := $(BUILD)/oscost-static

# Reasons not to try: the compiler names the archive, or only its name.
static_lacks = $(strip $(foreach lib,c hwloc jansson,$(if $(filter \
	/%,$(shell $(CC) -print-file-name=lib$(lib).a)),,lib$(lib).a)))

ifndef STATIC
.PHONY: static
static: $(BUILD)/run-all.sh ## build/oscost-static: all programs in one file that needs no other; run-all.sh to run them
	$(Q)$(tools)$(if $(static_lacks),echo 'static: there is no $(static_lacks) here' >&2; exit 2,\
		$(MAKE) --no-print-directory $(jobs) STATIC='$(STATIC_FILE)' BUILD='$(BUILD)/static' \
		'$(STATIC_FILE)')

# The suite's lines, less those that the driver makes a place for, and its file.
$(BUILD)/run-all.sh: scripts/run-all.sh $(wildcard bench/*/rows.tsv monitor/rows.tsv)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -F '\t' 'FILENAME == "$<" { script[++n] = $$0 } \
		$$1 == "core" { core[$$2] = 1 } \
		$$1 == "run" && !/--(net|nfs)lab/ { sub(/--log [^ ]*/, "", $$4); \
			line[++lines] = $$3 " " $$5 " @ " $$4 } \
		END { for (i = 1; i <= n; i++) if (script[i] != "@PLAN@") print script[i]; else \
			for (j = 1; j <= lines; j++) { split(line[j], part, " "); \
				sub(/@/, core[part[1]] ? "core" : "detail", line[j]); print line[j] } }' \
		$^ >$@ && chmod +x $@
# 77 is "skipped", with the reason on stderr.
places_in = $(Q)scripts/setup run places && $(MAKE) --no-print-directory static && \
	tests/lab/places '$(STATIC_FILE)' '$(BUILD)/$@' '$(abspath $(KERNELS))' $(1) || \
	{ status=$$?; [ $$status = 77 ]; }

.PHONY: places places-test
places: ## run the static file in sandboxes, containers and on other kernels; the table: PLACES="bare crun"
	$(call places_in,$(PLACES))
places-test: export OSCOST_PROGRAMS ?= syscall process page_fault context_switch tcp_rtt ways
places-test: ## the same with a few programs in four places, a minute
	$(call places_in,bare bwrap-user crun uml-alone)

.PHONY: distros-test
distros-test: ## README's commands and each compiler in fresh trees of Debian's releases: PARTS="commands compilers"
	$(Q)scripts/setup distros
	$(Q)tests/lab/distros '$(BUILD)/distros' $(PARTS) || { status=$$?; [ $$status = 77 ]; }
else
# Tables of addresses are read-only where the linker knows the addresses: what
# a fork copies.  Nothing here unwinds a stack.
ALL_CFLAGS += -ffunction-sections -fdata-sections -fno-pie -fno-asynchronous-unwind-tables
# Nothing but system calls is timed there, and the file shall have at most 3 MiB.
$(foreach part,base/% bench/task/calls harness/visit/points harness/rows/% harness/life/% machine/% monitor/% layer/%,$(BUILD)/obj/$(part).o): ALL_CFLAGS += -Os

MULTI         := $(BUILD)/multi
MULTI_OBJS    := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard harness/life/multicall/*.c))
MULTI_PARTS    = $(patsubst $(BUILD)/bin/%,$(MULTI)/%.o,$(BENCHES) $(MACHINE) $(CPU_LOAD) $(UNDER) \
		 $(BUILD)/bin/net_server)
multi_function = main_$(subst -,_,$(1))

OBJS += $(MULTI_OBJS)
$(MULTI_OBJS): ALL_CPPFLAGS += -I$(BUILD)/gen
$(MULTI_OBJS): $(BUILD)/gen/multicall_programs.h

# A program is its own files with a main() of its own name; what it shares with
# others is linked once, at the end.
define multi_family
$(patsubst bench/$(1)/%.c,$(MULTI)/%.o,$(wildcard bench/$(1)/*.c)): \
$(MULTI)/%.o: $(BUILD)/obj/bench/$(1)/%.o $(MAIN) $(BUILD)/obj/gen/%.about.o
endef
$(foreach name,$(FAMILIES),$(eval $(call multi_family,$(name))))
$(MULTI)/machine.o: $(MACHINE_MAIN) $(MACHINE_OBJS)
$(MULTI)/cpu_load.o: $(MONITOR_MAIN) $(MONITOR_OBJS)
$(MULTI)/under.o: $(UNDER_OBJS)
$(MULTI)/net_server.o: $(NET_OBJS)

$(MULTI)/%.o:
	@mkdir -p $(@D)
	$(Q)$(LD) -r -o $@.all $^
	$(Q)$(OBJCOPY) --redefine-sym main=$(call multi_function,$*) \
		--keep-global-symbol=$(call multi_function,$*) $@.all $@ && rm $@.all

$(BUILD)/gen/multicall_programs.h: Makefile $(wildcard mk/*.mk bench/*/*.c)
	@mkdir -p $(@D)
	$(Q)printf '%s\n' $(foreach name,$(sort $(MULTI_PARTS:$(MULTI)/%.o=%)),\
		'PROGRAM($(call multi_function,$(name)), "$(name)")') >$@

$(STATIC): $(MULTI_OBJS) $(MULTI_PARTS) $(FAMILY_LIBS) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -static -s -Wl,--gc-sections,-z,noseparate-code,--build-id=none,-T,mk/no-unwind.ld,-Map=$@.map -o $@ \
		-Wl,--start-group $^ -Wl,--end-group $(ALL_LDLIBS)
endif
