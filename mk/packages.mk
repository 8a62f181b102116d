# SPDX-License-Identifier: MIT
# Packages of what was built: docs/packages.md.

PACKAGES := $(BUILD)/packages
EPOCH     = $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct))
# deb and dist pack a commit, not the working tree; and the variables of this make are
# not for the build of the package.
packed_source = rm -rf '$(1)' && mkdir -p '$(1)' && \
	git archive --prefix='oscost-$(VERSION)/' HEAD | tar -C '$(1)' -xf -
unmade = env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u MAKEOVERRIDES

ifndef STATIC
.PHONY: deb
deb: ## Debian packages of the last commit: build/packages/deb
	$(Q)scripts/setup run packages
	$(Q)command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null || \
		{ echo 'deb: needs dpkg-buildpackage and debhelper, which Debian has' >&2; exit 2; }
	$(Q)$(call packed_source,$(PACKAGES)/deb)
	$(Q)cd '$(PACKAGES)/deb/oscost-$(VERSION)' && SOURCE_DATE_EPOCH=$(EPOCH) $(unmade) \
		DEB_BUILD_OPTIONS='nocheck parallel=$(shell nproc)' dpkg-buildpackage -us -uc -b
	$(Q)rm -rf '$(PACKAGES)/deb/oscost-$(VERSION)' && ls '$(PACKAGES)/deb'

.PHONY: dist
dist: ## tarballs of the last commit, source and static, with checksums and SBOM: build/packages/dist
	$(Q)scripts/setup run packages
	$(Q)$(call packed_source,$(PACKAGES)/dist)
	$(Q)$(unmade) $(MAKE) --no-print-directory -C '$(PACKAGES)/dist/oscost-$(VERSION)' -j$(shell nproc) \
		BUILD=build CPPFLAGS='-ffile-prefix-map=$(abspath $(PACKAGES))/dist/oscost-$(VERSION)=.' static
	$(Q)git archive --prefix='oscost-$(VERSION)/' HEAD | gzip -9n >'$(PACKAGES)/dist/oscost-$(VERSION).tar.gz'
	$(Q)scripts/dist '$(VERSION)' '$(EPOCH)' '$(PACKAGES)/dist/oscost-$(VERSION)/build' '$(PACKAGES)/dist'
	$(Q)rm -rf '$(PACKAGES)/dist/oscost-$(VERSION)' && ls '$(PACKAGES)/dist'

.PHONY: oci
oci: static ## an image of the static file alone, as a directory of the OCI's layout: build/packages/oci
	$(Q)scripts/setup packages
	$(Q)contrib/oci/image '$(STATIC_FILE)' '$(VERSION)' '$(EPOCH)' '$(PACKAGES)/oci'

.PHONY: phoronix
phoronix: $(BUILD)/bin/report ## a profile for the Phoronix Test Suite: build/packages/phoronix
	$(Q)contrib/phoronix/profile '$(BUILD)/bin/report' results/sample '$(PACKAGES)/phoronix/oscost-1.0.0'

# 77 is "skipped", with the reason on stderr.
.PHONY: packages-test
packages-test: ## build, look at, install and remove all packages
	$(Q)scripts/setup run packages
	$(Q)$(MAKE) --no-print-directory deb dist oci
	$(Q)tests/lab/packages '$(PACKAGES)' || { status=$$?; [ $$status = 77 ]; }
endif
