/* SPDX-License-Identifier: MIT */
#ifndef NET_SSH_H
#define NET_SSH_H

#include <sys/types.h>

#include "bench.h"
#include "net_addr.h"

/*
 * A net_server on another host, started there over ssh for the life of this
 * program.  It listens where the ssh connection came in, serves only the host
 * from which that came, and ends when its standard input does, which is when
 * ssh ends, however that happens.
 */
struct net_ssh {
	pid_t pid; /* of ssh, 0 if there is none */
	int in;	   /* the server's standard input */
};

/**
 * net_ssh_start() - start @server (a path there) on @who ("user@host").  The
 * command is ssh, or what the environment variable OSCOST_SSH says; it must
 * not ask questions.
 * @addr: set to where it listens.
 *
 * Return: 0 or bench_fail().
 */
int net_ssh_start(struct net_ssh *s, struct bench *b, const char *who,
		  const char *server, struct net_addr *addr);

/* net_ssh_stop() - end the server; any state that start leaves is fine. */
void net_ssh_stop(struct net_ssh *s);

#endif
