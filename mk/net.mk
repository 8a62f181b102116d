# SPDX-License-Identifier: MIT
# The network programs' server.

NET_PROGRAMS := $(BUILD)/bin/net_server
NET_OBJS     := $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard bench/net/exec/*.c))

OBJS += $(NET_OBJS)

$(NET_PROGRAMS): $(NET_OBJS) $(BUILD)/libnet.a $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

all: $(NET_PROGRAMS)

# It tests the parser of a hello.
$(BUILD)/unit/test_net: $(BUILD)/obj/bench/net/exec/session.o

# A server that lies, for the tests.
LIAR     := $(BUILD)/fixtures/liar
LIAR_OBJ := $(BUILD)/obj/tests/fixtures/net/liar.o

OBJS += $(LIAR_OBJ)

$(LIAR): $(LIAR_OBJ) $(BUILD)/obj/bench/net/exec/session.o $(BUILD)/libnet.a $(LIB)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LDLIBS)

test-programs: $(LIAR)

# `make install` copies these as they lie in $(BUILD).
INSTALL_LIBEXEC += $(NET_PROGRAMS)

# The namespaces are made and removed by run-all itself; here with a limit.
NETLAB_ROWS := tcp_rtt_netlab tcp_connect_netlab tcp_bandwidth_netlab

.PHONY: netlab
netlab: ## measure between two network namespaces (root): RATE=1gbit DELAY=5 (ms)
	$(Q)scripts/setup run
	$(Q)$(MAKE) --no-print-directory $(jobs) all
	$(Q)scripts/netlab run $(call options,RATE DELAY) --bin '$(BUILD)/bin' \
		scripts/run-all $(RUN_ALL_FLAGS) --only '$(NETLAB_ROWS)'

.PHONY: remote
remote: ## these rows of run-all alone: PEER=user@host PEER_SERVER=path (by ssh), or PEER=address PEER_PORT=26321
	$(Q)test -n '$(PEER)' || { echo 'make remote needs PEER=user@host, or PEER=address where net_server runs' >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory run-all ONLY='tcp_*_remote $(if $(PEER_URL),*_peer)'
