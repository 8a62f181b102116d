/* SPDX-License-Identifier: MIT */
#include "net_proof.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 1024

/* The value of @column in the two lines "Icmp: names" and "Icmp: values". */
static uint64_t value_of(char *names, char *values, const char *column)
{
	char *name_rest, *value_rest;
	const char *name = strtok_r(names, " \n", &name_rest);
	const char *value = strtok_r(values, " \n", &value_rest);
	uint64_t n = 0;

	while (name && value && strcmp(name, column) != 0) {
		name = strtok_r(NULL, " \n", &name_rest);
		value = strtok_r(NULL, " \n", &value_rest);
	}
	return name && value && sscanf(value, "%" SCNu64, &n) == 1 ? n : 0;
}

/* Echo replies that came to this network namespace; 0 if it is not told. */
static uint64_t echo_replies(void)
{
	char names[LINE_BYTES] = "", values[LINE_BYTES];
	FILE *f = fopen("/proc/thread-self/net/snmp", "re");
	uint64_t n = 0;

	if (!f)
		return 0;
	while (fgets(values, sizeof(values), f)) {
		if (!strncmp(names, "Icmp: ", 6) &&
		    !strncmp(values, "Icmp: ", 6)) {
			n = value_of(names, values, "InEchoReps");
			break;
		}
		memcpy(names, values, sizeof(names));
	}
	fclose(f);
	return n;
}

static uint64_t count(const struct net_proof *p, const struct net_client *c)
{
	struct tcp_info info;

	switch (p->by) {
	case NET_PROOF_SERVER:
		return c->echoed;
	case NET_PROOF_ICMP:
		return echo_replies();
	default:
		net_client_info(c, &info);
		return p->by == NET_PROOF_BYTES ? info.tcpi_bytes_received
						: info.tcpi_bytes_acked;
	}
}

void net_proof_begin(struct net_proof *p, const struct net_client *c,
		     enum net_proof_by by, uint32_t size)
{
	*p = (struct net_proof) { .by = by, .size = size };
	p->before = count(p, c);
}

int net_proof_end(struct net_proof *p, struct net_client *c,
		  const struct bench_case *bc)
{
	double seen;

	if (!p->answered || bench_stopping(c->b))
		return 0;
	if (p->by == NET_PROOF_SERVER) {
		int err;

		net_client_end(c);
		err = net_client_ask(c, c->host);
		if (err || bench_stopping(c->b))
			return err;
	}
	seen = (double)(count(p, c) - p->before);
	switch (p->by) {
	case NET_PROOF_BYTES:
		bench_proof(c->b, bc, "bytes_back",
			    (double)(p->answered * p->size), seen);
		break;
	case NET_PROOF_ACKED:
		bench_proof(c->b, bc, "acknowledged",
			    (double)(p->answered * p->size), seen);
		break;
	case NET_PROOF_SERVER:
		bench_proof(c->b, bc, "echoed_by_server", (double)p->answered,
			    seen);
		break;
	case NET_PROOF_ICMP:
		bench_proof(c->b, bc, "replies_in", (double)p->answered, seen);
		break;
	}
	p->answered = 0; /* it is told once */
	return 0;
}
