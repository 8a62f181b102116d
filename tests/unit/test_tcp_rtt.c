/* SPDX-License-Identifier: MIT */
/* Which acknowledgement is whose, from made-up packets, and that the evidence
 * holds for as many answers as came, on a connection to ourselves. */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../bench/net/tcp_rtt.c"
#include "program.h"
#include "tap.h"

/* Whose acknowledgement it was, and of which of two sendings. */
static void check_ack(void)
{
	const struct net_packet sent = { 100, true, 0x18, 1, 5, 9, 1 },
				again = { 140, true, 0x18, 1, 5, 9, 1 },
				old = { 105, false, 0x10, 1, 9, 5, 0 },
				other = { 106, false, 0x10, 2, 9, 6, 0 },
				ack = { 110, false, 0x10, 1, 9, 6, 0 },
				answer = { 190, false, 0x18, 1, 9, 6, 1 };
	struct acked_trip a = { .port = 1 };

	OK(!see_ack(&a, &ack), "nothing was sent yet");
	OK(!see_ack(&a, &sent) && !see_ack(&a, &old) && !see_ack(&a, &other),
	   "an older acknowledgement, one of another connection");
	OK(see_ack(&a, &ack) && a.pure && a.sendings == 1 && a.sent_ns == 100 &&
		   a.at_ns == 110,
	   "the kernel's own");
	a = (struct acked_trip) { .port = 1 };
	OK(!see_ack(&a, &sent) && see_ack(&a, &answer) && !a.pure,
	   "one that waited for the answer of the process");
	a = (struct acked_trip) { .port = 1 };
	OK(!see_ack(&a, &sent) && !see_ack(&a, &again) && see_ack(&a, &ack) &&
		   a.sendings == 2,
	   "one of a segment that was sent twice");
}

/* A client's connection to nobody but us, on which 3 bytes went there and were
 * acknowledged, and 2 came back. */
static int talk_to_self(struct net_client *c)
{
	struct net_addr a = { 0 };
	char got[4];
	int listener, fd;

	net_addr_loopback(&a, AF_INET, 0);
	listener = net_addr_listen(&a);
	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	fd = connect(c->fd, &a.any, a.len) ? -1 : accept(listener, NULL, NULL);
	close(listener);
	if (send(c->fd, "abc", 3, 0) != 3 ||
	    recv(fd, got, 3, MSG_WAITALL) != 3 || send(fd, "de", 2, 0) != 2 ||
	    recv(c->fd, got, 2, MSG_WAITALL) != 2)
		OK(false, "a connection to ourselves");
	return fd;
}

/* Whether @answered answers of a byte are proven @by what the kernel counted.
 */
static bool proven(count_fn *by, uint64_t answered)
{
	struct case_run run = { 0 }, *runs[] = { &run };
	struct bench b = { .runs = runs, .n_runs = 1 };
	const struct bench_case bc = { .id = 0 };
	struct state s = { .hosts.client[0] = { .b = &b },
			   .count = by,
			   .answered = answered,
			   .size = 1 };
	const int fd = talk_to_self(s.hosts.client);
	bool is;

	prove(&b, &s, &bc);
	evidence_settle(&b, &run);
	is = run.verdict.evidences == 1 &&
	     run.verdict.evidence[0].kept[0] == (double)answered &&
	     !evidence_contradicted(&run);
	close(fd);
	close(s.hosts.client->fd);
	free(run.verdict.evidence);
	return is;
}

int main(void)
{
	check_ack();
	OK(proven(count_received, 2), "two bytes came back, two are proven");
	OK(!proven(count_received, 3), "three are not");
	/* The kernel counts the SYN as one more. */
	OK(proven(count_acked, 3), "three bytes were acknowledged");
	OK(!proven(count_acked, 5), "five were not");
	OK(!proven(count_replies, UINT32_MAX), "so many echo replies neither");
	return tap_done();
}
