/* SPDX-License-Identifier: MIT */
/* Input that a client sends to net_server. */
#include "fuzz.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../bench/net/exec/session.h"

static struct net_addr here;
static int listener;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	net_addr_loopback(&here, AF_INET, 0);
	listener = net_addr_listen(&here);
	if (listener < 0)
		abort();
	return 0;
}

/* All that the client says is there, and its end; it reads no answer, so the
 * server shall not wait for that for long. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct timeval patience = { .tv_usec = 5000 };
	static struct net_counts counts;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(listener, SOL_SOCKET, SO_SNDTIMEO, &patience,
		   sizeof(patience)); /* its connections have it, too */
	if (fd < 0 || connect(fd, &here.any, here.len))
		abort();
	send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	if (net_session_accept(listener, &counts))
		abort();
	close(fd);
	return 0;
}
