# SPDX-License-Identifier: MIT
# The network programs: their server for another host, and libpcap, without
# which the rows from captured packets are skipped.

NET_SERVER     := $(BUILD)/bin/net_server
NET_SERVER_OBJ := $(BUILD)/obj/bench/net/server.o

OBJS += $(NET_SERVER_OBJ)

$(NET_SERVER): $(NET_SERVER_OBJ) $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(NET_SERVER)

# `make install` copies these as they lie in $(BUILD).
INSTALL_LIBEXEC += $(NET_SERVER)

ifneq ($(shell $(PKG_CONFIG) --exists libpcap && echo yes),)
ALL_CPPFLAGS += -DHAVE_PCAP
pcap_libs    := $(shell $(PKG_CONFIG) --libs libpcap)
bench_LIBS_tcp_rtt     := $(pcap_libs)
bench_LIBS_tcp_connect := $(pcap_libs)
bench_LIBS_tcp_bandwidth := $(pcap_libs)
endif
