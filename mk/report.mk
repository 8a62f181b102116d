# SPDX-License-Identifier: MIT
# What the report does beside reading a run.

# They are inside the program.
$(BUILD)/obj/report/embed.o: report/page.css report/page.js $(wildcard report/words/*)
# An assembler puts them in, which a link-time optimizer does not see.
$(BUILD)/obj/report/embed.o: ALL_CFLAGS += -fno-lto

ifeq ($(filter predictions,$(MAKECMDGOALS)) $(origin OUT),predictions command line)
$(error predictions.ini is written here: there is no OUT=)
endif

# Never over a file that has been filled in.
.PHONY: predictions
predictions: $(BUILD)/bin/report ## write predictions.ini, to fill in before you measure
	$(Q)if [ -e predictions.ini ]; then \
		$(BUILD)/bin/report predictions predictions.ini; \
	else \
		new=$$(mktemp ./predictions.XXXXXXXXXX) && \
		{ perl scripts/lib/describe.pl && $(BUILD)/bin/report predictions; } >"$$new" && \
		chmod 644 "$$new" && mv "$$new" predictions.ini && \
		echo 'predictions.ini: fill it in, then make run-all'; \
	fi

# The suite against itself: what it calls different is a false alarm.
.PHONY: aa
aa: all ## measure the same build against itself, in turn; share of false alarms: ONLY= ROUNDS= EFFORT= OUT=
	$(Q)scripts/ab --same --a '$(BUILD)/bin' --b '$(BUILD)/bin' \
		$(call options,ROUNDS EFFORT ONLY SEED OUT)

# A known slowdown: the same chain, longer by so many thousandths.
$(BUILD)/planted/%/planted: tests/fixtures/bench/planted.c $(MAIN) \
		$(BUILD)/obj/gen/planted.about.o $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DPLANTED=$* $(ALL_CFLAGS) $(ALL_LDFLAGS) \
		-o $@ $^ $(ALL_LDLIBS)

.PHONY: planted
planted: $(BUILD)/bin/report $(BUILD)/bin/machine $(BUILD)/planted/0/planted $(BUILD)/planted/50/planted ## is a slowdown of 5 % found, and none where there is none? SESSIONS=20
	$(Q)tests/planted '$(BUILD)' $(or $(SESSIONS),20)

# 10 000 nodes of 400 rows, 4 GB of made-up results.  The report takes less than a
# minute and 2 GiB on an idle machine.
.PHONY: fleet-scale
fleet-scale: $(BUILD)/bin/report ## find the bad nodes of a large made-up fleet: FLEET="NODES ROWS ROUNDS BAD SEED"
	$(Q)FLEET='$(or $(FLEET),10000 400 1 30 1)' BIN='$(abspath $(BUILD))/bin' \
		bats -f 'among many' tests/cli/report-fleet.bats
