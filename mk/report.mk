# SPDX-License-Identifier: MIT
# What the report does beside reading a run.

# Never over a file that somebody has filled in.
.PHONY: predictions
predictions: $(BUILD)/bin/report ## write predictions.ini, to fill in before you measure
	$(Q)if [ -e predictions.ini ]; then \
		$(BUILD)/bin/report predictions predictions.ini; \
	else \
		$(BUILD)/bin/report predictions >predictions.ini.new && \
		mv predictions.ini.new predictions.ini && \
		echo 'predictions.ini: fill it in, then make run-all'; \
	fi

# The suite against itself: what it calls different is a false alarm.
.PHONY: aa
aa: all ## measure the same build against itself, in turn; share of false alarms: ONLY= ROUNDS= EFFORT= OUT=
	$(Q)scripts/ab --same --a '$(BUILD)/bin' --b '$(BUILD)/bin' \
		$(foreach name,ROUNDS EFFORT ONLY SEED OUT,\
		$(if $($(name)),--$(shell echo $(name) | tr A-Z a-z) '$($(name))'))
