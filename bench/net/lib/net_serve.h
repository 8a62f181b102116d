/* SPDX-License-Identifier: MIT */
#ifndef NET_SERVE_H
#define NET_SERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net_addr.h"
#include "opts.h"

/*
 * The server of the network programs for another host: one process that hears
 * who comes, and one for each session.  It keeps within these limits whatever
 * comes.
 */
struct net_limits {
	struct net_addr allow[OPT_LIST_MAX]; /* besides loopback */
	size_t n_allow;
	uint64_t sessions; /* at a time */
	uint64_t pending;  /* connections that have not said hello */
	uint64_t bytes;	   /* that one session may send */
	uint64_t seconds;  /* that one session may last */
	uint64_t quiet_s;  /* end a session in which nothing happens */
	uint64_t idle_s;   /* end the server when nobody came; 0: never */
	bool until_eof;	   /* end it when standard input does */
};

#define NET_LIMITS_DEFAULT                                           \
	{                                                            \
		.sessions = 64, .pending = 512, .bytes = 1ull << 40, \
		.seconds = 600, .quiet_s = 20, .idle_s = 0           \
	}

/**
 * net_serve() - serve until *@stop or idle.
 * @listener: of net_addr_listen().
 * @stop: set by a signal handler.
 *
 * Return: 0 or -errno (-EFAULT: a session has crashed).  All are over then.
 */
int net_serve(int listener, const struct net_limits *limits,
	      const volatile sig_atomic_t *stop);

#endif
