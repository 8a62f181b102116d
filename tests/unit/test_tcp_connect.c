/* SPDX-License-Identifier: MIT */
/* Times of set-up and teardown, from made-up packets. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/net/tcp_connect.c"
#include "tap.h"

/* One connection as the report has it, with a SYN that was sent twice. */
int main(void)
{
	static const struct net_packet packets[] = {
		{ 100, true, 0x02, 1, 5, 0, 0 },
		{ 150, true, 0x02, 1, 5, 0, 0 },
		{ 160, false, 0x12, 1, 9, 6, 0 },
		{ 170, true, 0x10, 1, 6, 10, 0 },
		{ 300, true, 0x11, 1, 6, 10, 0 },
		{ 310, false, 0x10, 1, 10, 7, 0 },
		{ 320, false, 0x11, 1, 10, 7, 0 },
	};
	const struct net_packet last = { 330, true, 0x10, 1, 7, 11, 0 };
	struct handshake h = { .port = 1 };
	bool done = false;

	for (size_t i = 0; i < sizeof(packets) / sizeof(*packets); i++)
		done |= see_handshake(&h, &packets[i]);
	OK(!done && see_handshake(&h, &last), "the last ACK ends it");
	OK(h.syns == 2 && h.fins == 1, "the second SYN is counted");
	OK(h.open_ns - h.syn_ns == 70 && h.closed_ns - h.fin_ns == 30,
	   "the times are those of the packets");
	return tap_done();
}
