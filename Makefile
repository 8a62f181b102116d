# SPDX-License-Identifier: MIT
#
# make            build everything into $(BUILD)/bin
# make run-all    measure this machine, make tables and plots
# make test       all tests
# make help       list the targets that people type; make help-dev: all
#
# Sources are found by wildcard: a new bench/<family>/*.c, harness/*/*.c,
# report/*.c or tests/unit/test_*.c needs no edit here.
#
# clock/, base/, counters/ and harness/ are linked into everything, bench/<family>/lib
# into the programs of that family alone.

PREFIX  ?= /usr/local
DESTDIR ?=
bindir  := $(PREFIX)/bin
mandir  := $(PREFIX)/share/man

SAN     ?=
BUILD   ?= build$(if $(SAN),-san)
PKGS    := hwloc jansson
REPORT_PKGS := $(PKGS) inih

CC      ?= cc
CFLAGS  ?= -O2 -g
# All callbacks of a kind have one signature, whatever they need of it.
WARN    := -Wall -Wextra -Wno-unused-parameter -Wshadow -Wstrict-prototypes \
	   -Wmissing-prototypes -Wvla -Wformat=2 -Wundef
PKG_CONFIG ?= pkg-config

VERSION := 0.1
GIT_ID  := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# The flags that the code needs to compile at all are kept apart from CFLAGS, so that
# `make CFLAGS=-O3` changes the optimisation and nothing else.
# Asked once, and not before something is compiled: make run-all may have to
# install pkg-config first.
once = $(eval $(1) := $(shell $(2)))$($(1))
# On a bare machine the first command says what to type, not cc or the shell.
bare = $(shell scripts/setup --check card >&2)$(error nothing can be built yet; type: scripts/setup)
tools = $(if $(shell command -v $(firstword $(CC)) >/dev/null && \
	$(PKG_CONFIG) --exists $(REPORT_PKGS) 2>/dev/null && echo yes),,$(bare))
# Whether an optional library is here; the static file has none of them.
has = $(if $(STATIC),,$(shell $(PKG_CONFIG) --exists '$(1)' 2>/dev/null && echo yes))
PKG_CFLAGS  = $(tools)$(call once,PKG_CFLAGS,$(PKG_CONFIG) --cflags $(PKGS))
PKG_LIBS    = $(call once,PKG_LIBS,$(PKG_CONFIG) --libs $(PKGS))
REPORT_LIBS = $(call once,REPORT_LIBS,$(PKG_CONFIG) --libs $(REPORT_PKGS))
# The folder of arch/ is that of the machine that the compiler makes code for.
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))

# Its folders; multicall/ is only in the static file, where ALL_IN_ONE is 1.
HARNESS := harness/visit harness/life harness/rows harness/services
ALL_CPPFLAGS = -D_GNU_SOURCE -DALL_IN_ONE=$(if $(STATIC),1,0) -Iarch -Iarch/$(ARCH) -Iclock -Ibase -Icounters $(HARNESS:%=-I%) $(CPPFLAGS)
ALL_CFLAGS   = -std=gnu11 $(WARN) $(CFLAGS) $(if $(SAN),-fsanitize=$(SAN)) \
	       -ffp-contract=off -fno-math-errno -pthread $(PKG_CFLAGS)
# The measured code and the measuring code are optimised whatever CFLAGS contains: else
# their loops would be the loads and stores of their variables.
LEAST_CFLAGS := $(if $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS)))),,-O2)
# Calls are bound at the start: a child that is the first to make one would look
# it up anew in every fork.
ALL_LDFLAGS  = -Wl,-z,now $(LDFLAGS) $(if $(SAN),-fsanitize=$(SAN)) -pthread
ALL_LDLIBS   = $(PKG_LIBS) -ldl -lrt -lm $(LDLIBS)
REPORT_LDLIBS = $(REPORT_LIBS) -lm $(LDLIBS)

FAMILIES     := $(patsubst bench/%/,%,$(wildcard bench/*/))
BENCH_SRCS   := $(sort $(wildcard bench/*/*.c))
CORE_SRCS    := $(sort $(wildcard arch/$(ARCH)/*.c clock/*.c base/*.c counters/*.c $(HARNESS:%=%/*.c)))
REPORT_SRCS  := $(sort $(wildcard report/*.c fleet/*.c))
UNIT_SRCS    := $(sort $(wildcard tests/unit/test_*.c))
FIXTURE_SRCS := $(sort $(wildcard tests/fixtures/bench/*.c))

BENCHES      := $(addprefix $(BUILD)/bin/,$(notdir $(BENCH_SRCS:.c=)))
FIXTURES     := $(FIXTURE_SRCS:tests/fixtures/bench/%.c=$(BUILD)/fixtures/%)
UNITS        := $(UNIT_SRCS:tests/unit/%.c=$(BUILD)/unit/%)
REPORT       := $(if $(REPORT_SRCS),$(BUILD)/bin/report)
LIB          := $(BUILD)/libharness.a
MAIN         := $(BUILD)/obj/harness/life/main.o
REPORT_MAIN  := $(BUILD)/obj/report/main.o
LIB_OBJS     := $(filter-out $(MAIN),$(CORE_SRCS:%.c=$(BUILD)/obj/%.o))
REPORT_OBJS  := $(REPORT_SRCS:%.c=$(BUILD)/obj/%.o)
BENCH_OBJS   := $(BENCH_SRCS:%.c=$(BUILD)/obj/%.o) \
		$(FIXTURE_SRCS:%.c=$(BUILD)/obj/%.o)
# parts_of FAMILY: its own parts, and those for this architecture.
parts_of      = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard bench/$(1)/lib/*.c bench/$(1)/lib/$(ARCH)/*.c))
FAMILY_OBJS  := $(foreach name,$(FAMILIES),$(call parts_of,$(name)))
FAMILY_LIBS  := $(FAMILIES:%=$(BUILD)/lib%.a)
OBJS         := $(LIB_OBJS) $(MAIN) $(REPORT_OBJS) $(BENCH_OBJS) $(FAMILY_OBJS) \
		$(UNIT_SRCS:%.c=$(BUILD)/obj/%.o)

# Quiet by default; `make V=1` shows the commands.
Q   := $(if $(V),,@)
say  = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# Not to what a recipe calls: it would change how sh, bash, df and others behave.
unexport POSIXLY_CORRECT BASH_COMPAT SHELLOPTS BASHOPTS CDPATH TMOUT GREP_OPTIONS

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:

.PHONY: all
all: $(BENCHES) $(REPORT) $(EXTRA) ## build every program (default)

# Parts with rules of their own (the ring 0 module, tiny helper programs).
-include arch/$(ARCH)/arch.mk $(wildcard mk/*.mk)

# A benchmark's own libraries: bench_LIBS_<name> in mk/*.mk.  The comment that
# opens it is its --help, man page and report text.
define family
$(BUILD)/lib$(1).a: $(call parts_of,$(1))
$(patsubst bench/$(1)/%.c,$(BUILD)/bin/%,$(wildcard bench/$(1)/*.c)): \
$(BUILD)/bin/%: $(BUILD)/obj/bench/$(1)/%.o $(MAIN) $(BUILD)/obj/gen/%.about.o \
		$(BUILD)/lib$(1).a $(uses_$(1):%=$(BUILD)/lib%.a) $(LIB)
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(bench_LIBS_$$*) $$(ALL_LDLIBS)
$(BUILD)/gen/%.about.c: bench/$(1)/%.c bench/$(1)/rows.tsv scripts/lib/about.awk
	@mkdir -p $$(@D)
	$$(Q)awk -f scripts/lib/about.awk -v rows=bench/$(1)/rows.tsv -v program=$$* $$< >$$@
endef
$(foreach name,$(FAMILIES),$(eval $(call family,$(name))))

$(BUILD)/gen/%.about.c: tests/fixtures/bench/%.c scripts/lib/about.awk
	@mkdir -p $(@D)
	$(Q)awk -f scripts/lib/about.awk $< >$@
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

$(FIXTURES): $(BUILD)/fixtures/%: $(BUILD)/obj/tests/fixtures/bench/%.o $(MAIN) $(BUILD)/obj/gen/%.about.o $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

$(BUILD)/bin/report: $(REPORT_OBJS) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(REPORT_LDLIBS) $(ALL_LDLIBS)

# Unit tests may use everything but the two mains.
$(BUILD)/unit/%: $(BUILD)/obj/tests/unit/%.o $(filter-out $(REPORT_MAIN),$(REPORT_OBJS)) $(MONITOR_OBJS) $(MACHINE_OBJS) $(BILL_OBJS) $(FAMILY_LIBS) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ -Wl,--start-group $^ -Wl,--end-group \
		$(REPORT_LDLIBS) $(ALL_LDLIBS)

$(LIB): $(LIB_OBJS)
$(LIB) $(FAMILY_LIBS):
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The Makefile itself is a prerequisite: changed flags rebuild.
$(BUILD)/obj/%.o: %.c Makefile
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(if $(filter report/% fleet/% tests/unit/% tests/fuzz/%,$<),-Ireport -Ifleet) \
		$(if $(filter bench/% tests/unit/% tests/fuzz/%,$<),-Imonitor -Imachine -Ibill) \
		-DOSCOST_VERSION='"$(VERSION)"' -DOSCOST_CFLAGS='"$(CFLAGS)"' \
		$(ALL_CFLAGS) $(if $(filter arch/% bench/% clock/%,$<),$(LEAST_CFLAGS)) -MMD -MP -c -o $@ $<

.PHONY: objects
objects: $(OBJS)

-include $(OBJS:.o=.d)
