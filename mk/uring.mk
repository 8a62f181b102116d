# SPDX-License-Identifier: MIT
# liburing, without which the rows of io_uring are skipped.
ifneq ($(call has,liburing),)
ALL_CPPFLAGS += -DHAVE_LIBURING
bench_LIBS_file_read := $(shell $(PKG_CONFIG) --libs liburing)
bench_LIBS_ways := $(bench_LIBS_file_read)
$(BUILD)/unit/test_file_ring: ALL_LDLIBS += $(bench_LIBS_file_read)
endif
