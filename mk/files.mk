# SPDX-License-Identifier: MIT
# Remote files: libnfs, without which no nfs:// URL can be read, and the
# laboratory that has an NFS server in it.

# Version 6 has other functions of the same names.
ifneq ($(call has,libnfs < 6),)
ALL_CPPFLAGS += -DHAVE_LIBNFS
bench_LIBS_file_remote := $(shell $(PKG_CONFIG) --libs libnfs)
endif

# A server for the remote rows, unless none of them is wanted; ONLY has patterns.
NFSLAB_SETUP = set -f; only='$(call given,ONLY)'; for one in $${only:-file_remote}; do \
	case file_remote in $$one) scripts/setup --bin '$(BUILD)/bin' nfs || exit; break ;; esac; done

# The server is started, and all of it removed, by run-all itself.
.PHONY: nfslab
nfslab: ## read a remote file: an NFS server in a network namespace (root)
	$(Q)scripts/setup run
	$(Q)scripts/setup --bin '$(BUILD)/bin' nfs
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)scripts/run-all $(RUN_ALL_FLAGS) --only file_remote
