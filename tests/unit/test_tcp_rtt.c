/* SPDX-License-Identifier: MIT */
/* Which acknowledgement is whose, from made-up packets, and that the evidence
 * of echoes holds for as many as came (that of a server: tests/cli/net.bats).
 */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/net/tcp_rtt.c"
#include "program.h"
#include "tap.h"

/* The packet and the sending (of two) that an acknowledgement belongs to. */
static void check_ack(void)
{
	const struct net_packet sent = { 100, true, 0x18, 1, 5, 9, 1 },
				again = { 140, true, 0x18, 1, 5, 9, 1 },
				old = { 105, false, 0x10, 1, 9, 5, 0 },
				other = { 106, false, 0x10, 2, 9, 6, 0 },
				ack = { 110, false, 0x10, 1, 9, 6, 0 },
				answer = { 190, false, 0x18, 1, 9, 6, 1 };
	struct acked a = { .port = 1 };

	OK(!see_ack(&a, &ack), "nothing was sent yet");
	OK(!see_ack(&a, &sent) && !see_ack(&a, &old) && !see_ack(&a, &other),
	   "an older acknowledgement, one of another connection");
	OK(see_ack(&a, &ack) && a.pure && a.sendings == 1 && a.sent_ns == 100 &&
		   a.at_ns == 110,
	   "the kernel's own");
	a = (struct acked) { .port = 1 };
	OK(!see_ack(&a, &sent) && see_ack(&a, &answer) && !a.pure,
	   "one that waited for the answer of the process");
	a = (struct acked) { .port = 1 };
	OK(!see_ack(&a, &sent) && !see_ack(&a, &again) && see_ack(&a, &ack) &&
		   a.sendings == 2,
	   "one of a segment that was sent twice");
}

/* Whether @answered echoes are proven, of which this host's kernel has seen
 * none. */
static bool proven(unsigned int answered)
{
	static struct state s;
	struct case_run run = { 0 }, *runs[] = { &run };
	struct bench b = { .runs = runs, .n_runs = 1 };
	const struct bench_case bc = { .id = 0 };
	bool is;

	s.proto = ICMP;
	s.answered = answered;
	s.counted = count_replies();
	prove(&b, &s, &bc);
	evidence_settle(&b, &run);
	is = run.verdict.evidences == 1 && !evidence_contradicted(&run);
	free(run.verdict.evidence);
	return is;
}

int main(void)
{
	check_ack();
	OK(proven(0), "no echo came, none is claimed");
	OK(!proven(UINT32_MAX), "so many did not");
	return tap_done();
}
