/* SPDX-License-Identifier: MIT */
#include "net_wire.h"

#include <errno.h>
#include <string.h>

static void put(unsigned char **to, uint64_t value, unsigned int bytes)
{
	for (unsigned int i = bytes; i-- > 0;)
		*(*to)++ = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char **from, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | *(*from)++;
	return value;
}

void net_hello_pack(unsigned char *to, const struct net_hello *h)
{
	memset(to, 0, NET_HELLO_BYTES);
	put(&to, NET_MAGIC, 4);
	put(&to, NET_VERSION, 2);
	put(&to, h->op, 2);
	put(&to, h->size, 4);
	put(&to, h->flags, 4);
	put(&to, h->block, 8);
	put(&to, h->port, 2);
}

int net_hello_unpack(struct net_hello *h, const unsigned char *from)
{
	if (get(&from, 4) != NET_MAGIC || get(&from, 2) != NET_VERSION)
		return -EPROTO;
	h->op = (uint16_t)get(&from, 2);
	h->size = (uint32_t)get(&from, 4);
	h->flags = (uint32_t)get(&from, 4);
	h->block = get(&from, 8);
	h->port = (uint16_t)get(&from, 2);
	if (h->op < NET_ECHO || h->op > NET_ACK || h->flags & ~NET_BUSY ||
	    h->size < 1 || h->size > NET_MAX_MESSAGE ||
	    h->block > NET_MAX_BLOCK || (h->op == NET_SINK && !h->block) ||
	    (h->op == NET_ECHO_UDP && !h->port))
		return -EPROTO;
	return 0;
}

void net_answer_pack(unsigned char *to, const struct net_answer *a)
{
	memset(to, 0, NET_ANSWER_BYTES);
	put(&to, NET_MAGIC, 4);
	put(&to, a->status, 2);
	put(&to, a->port, 2);
	put(&to, (uint32_t)a->cpu, 4);
	put(&to, a->closed, 4);
	put(&to, a->echoed, 8);
}

int net_answer_unpack(struct net_answer *a, const unsigned char *from)
{
	if (get(&from, 4) != NET_MAGIC)
		return -EPROTO;
	a->status = (uint16_t)get(&from, 2);
	a->port = (uint16_t)get(&from, 2);
	a->cpu = (int32_t)get(&from, 4);
	a->closed = (uint32_t)get(&from, 4);
	a->echoed = get(&from, 8);
	return a->status > NET_TROUBLE ? -EPROTO : 0;
}

void net_report_pack(unsigned char *to, const struct net_report *r)
{
	put(&to, r->bytes, 8);
	put(&to, r->ns, 8);
}

void net_report_unpack(struct net_report *r, const unsigned char *from)
{
	r->bytes = get(&from, 8);
	r->ns = get(&from, 8);
}
