# SPDX-License-Identifier: MIT
# Many machines: scripts/fleet.

.PHONY: fleet-test
fleet-test: ## measure a fleet of three nodes by Slurm and by ssh, on this machine: is the slow one found?
	$(Q)scripts/setup run fleet
	$(Q)$(MAKE) --no-print-directory $(jobs) all static
	$(Q)tests/lab/fleet '$(abspath $(BUILD))' '$(abspath $(BUILD))/fleet-test' || \
		{ status=$$?; [ $$status = 77 ]; }
