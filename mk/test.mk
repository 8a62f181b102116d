# SPDX-License-Identifier: MIT
# Tests, lint and format.

C_FILES    = $(sort $(shell find arch base bench bill clock counters fleet harness layer ledger machine report monitor kernel tests \
		-name '*.[ch]' ! -name '*.mod.c' 2>/dev/null))
# Files that clang-tidy can compile: the module needs the kernel's own headers, what
# has no libc needs flags of its own, counters/ is for another machine, and the
# static file's table of programs is made when it is built.
TIDY_FILES = $(filter-out $(foreach room,arch bench/memory/lib monitor,\
			$(patsubst %,$(room)/%/%,$(filter-out $(ARCH),$(notdir $(wildcard arch/*))))) \
		kernel/% bench/task/exec/% tests/lab/% harness/life/multicall/main.c,\
		$(filter %.c,$(C_FILES)))
TIDY_FLAGS = $(ALL_CPPFLAGS) -Ibench/memory/lib -Ireport -Ifleet -Imonitor -Imachine -Ibill -I$(BUILD)/gen -std=gnu11 $(WARN) \
	     -DOSCOST_VERSION='"x"' -DOSCOST_CFLAGS='"x"' \
	     $(PKG_CFLAGS)

# The set-up comes before the build, as in run-all.
.PHONY: test
test: ## all tests, with their set-up; ends with 'N passed, N failed': TESTS="contract misbehave"
	$(Q)scripts/setup run test
	$(Q)$(MAKE) --no-print-directory $(jobs) test-programs
	$(Q)tests/run --build '$(BUILD)' $(if $(TESTS),--only '$(TESTS)') $(or $(PARTS),unit cli)

.PHONY: test-programs
test-programs: all $(UNITS) $(FIXTURES)

# Preloaded by tests/cli/evidence.bats; no sanitizer, which would have to come
# first.
LIES := $(BUILD)/fixtures/lies.so

$(LIES): tests/fixtures/lies.c mk/test.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARN) -O2 -g -pthread -fPIC -shared \
		-o $@ $< -ldl

# The filter that restricted.bats runs programs under, the bad disk of tests/faults, and
# known numbers of operations, for bill.bats.
DENY   := $(BUILD)/fixtures/deny
FAULTS := $(BUILD)/fixtures/faults
KNOWN  := $(BUILD)/fixtures/known

$(DENY) $(FAULTS) $(KNOWN): $(BUILD)/fixtures/%: tests/fixtures/%.c mk/test.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=gnu11 $(WARN) -O2 -g -pthread -o $@ $<

test-programs: $(LIES) $(DENY) $(FAULTS) $(KNOWN)

.PHONY: check-unit
check-unit: $(UNITS) ## unit tests only
	$(Q)prove $(UNITS)

# As in `make check-cli BATS="contract driver"`.
.PHONY: check-cli
check-cli: test-programs ## tests of programs and scripts: BATS="contract misbehave"
	$(Q)BIN='$(abspath $(BUILD))/bin' bats \
		$(or $(BATS:%=tests/cli/%.bats),tests/cli)

.PHONY: hostile
hostile: test-programs ## run all programs in places that allow less, as root: AT="no-proc files-8" SHORT=1
	$(Q)tests/hostile --build '$(BUILD)' $(if $(SHORT),--short) $(AT)

.PHONY: faults
faults: all $(FAULTS) ## let each write of a run fail, then go on with it: FILES="run/plan.tsv run/journal.tsv" SHORT=1
	$(Q)tests/faults --build '$(BUILD)' $(if $(SHORT),--short) $(FILES) || \
		{ status=$$?; [ $$status = 77 ]; }

.PHONY: kills
kills: all ## kill a run or its programs at random moments, then go on with it: N=200 SEED=1
	$(Q)tests/kills --build '$(BUILD)' $(if $(SEED),--seed '$(SEED)') '$(or $(N),200)'

.PHONY: mutants
mutants: ## plant faults in what is timed and reported: each must fail a test: SOME=3 of them
	$(Q)tests/mutants $(SOME)

.PHONY: lint lint-layout lint-shell lint-c
lint: lint-layout lint-shell lint-c ## layout, shellcheck, clang-tidy (SINCE=COMMIT: of files that changed); changes nothing
lint-layout:
	$(Q)clang-format --dry-run -Werror $(C_FILES)
lint-shell:
	$(Q)tests/lint-shell
lint-c:
	$(Q)printf '%s\n' $(if $(SINCE),$(filter $(shell git diff --name-only '$(SINCE)'),$(TIDY_FILES)),$(TIDY_FILES)) | \
		xargs -r -P $(shell nproc) -n 3 tests/lint-c $(TIDY_FLAGS) --

.PHONY: format
format: ## rewrite C files in the house style
	clang-format -i $(C_FILES)

# Each reader of what others wrote, with libFuzzer (clang) under sanitizers.
FUZZ_SRCS := $(wildcard tests/fuzz/*.c)
FUZZERS   := $(FUZZ_SRCS:tests/fuzz/%.c=$(BUILD)/fuzz/%)
OBJS      += $(FUZZ_SRCS:%.c=$(BUILD)/obj/%.o)

$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o \
		$(filter-out $(REPORT_MAIN),$(REPORT_OBJS)) $(MONITOR_OBJS) \
		$(MACHINE_OBJS) $(BUILD)/obj/bench/net/exec/session.o $(BUILD)/libnet.a $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(REPORT_LDLIBS) $(ALL_LDLIBS)

.PHONY: fuzzers
fuzzers: $(FUZZERS)

.PHONY: fuzz
fuzz: ## feed each reader with made-up files for a minute: SECONDS=60 FUZZ="results net"; or RUNS=200 of each
	$(Q)scripts/setup run test lint
	$(Q)$(MAKE) --no-print-directory $(jobs) BUILD=build-fuzz CC=clang SAN=fuzzer-no-link,address,undefined \
		CFLAGS='-O1 -g -fno-sanitize-recover=undefined' fuzzers
	$(Q)tests/fuzz/run $(if $(RUNS),--runs '$(RUNS)',--seconds '$(or $(SECONDS),60)') build-fuzz/fuzz $(FUZZ)
