# SPDX-License-Identifier: MIT
# The ring 0 module.  Only `make kmod-run` ever loads it here.

KMOD      := $(BUILD)/kmod
KDIR      ?= /lib/modules/$(shell uname -r)/build
KMOD_SRCS := $(wildcard kernel/*) harness/ensemble.c harness/ensemble.h \
	harness/ensemble_body.h harness/certificate.c harness/certificate.h \
	harness/timer_asm.h

# The kernel's build writes beside its sources, so it gets copies.
.PHONY: kmod-sources
kmod-sources:
	@mkdir -p $(KMOD)
	$(Q)cp -pu $(KMOD_SRCS) $(KMOD)

.PHONY: kmod
kmod: kmod-sources ## build the ring 0 module for the running kernel
	$(Q)if [ -d '$(KDIR)' ]; then \
		$(MAKE) -C '$(KDIR)' M='$(abspath $(KMOD))' modules; \
	else \
		echo 'kmod: skipped: no headers of $(shell uname -r) ($(KDIR))'; \
	fi

.PHONY: kmod-run
kmod-run: kmod $(BUILD)/bin/certify ## load it, measure, unload; compare with user space
	$(Q)scripts/kmod-run '$(KMOD)/oscost_cert.ko' '$(BUILD)/bin' || \
		{ status=$$?; [ $$status = 77 ]; }

# 77 is "skipped", with the reason on stderr.
.PHONY: kmod-test
kmod-test: kmod-sources ## build it for the distribution's kernel and test it in QEMU
	$(Q)scripts/setup kmod
	$(Q)scripts/kmod-test '$(abspath $(KMOD))' '$(abspath $(BUILD))/kmod-test' || \
		{ status=$$?; [ $$status = 77 ]; }
