/* SPDX-License-Identifier: MIT */
/* What a client sends to net_server. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "../../bench/net/lib/net_addr.h"
#include "../../bench/net/lib/net_serve.h"

static struct net_addr server = { .len = sizeof(server.sa) };
static volatile sig_atomic_t stop;
static int listener;

static void *serve(void *arg)
{
	static const struct net_limits limits = NET_LIMITS_DEFAULT;

	if (net_serve(listener, &limits, &stop))
		abort();
	return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct sockaddr_in *here = (struct sockaddr_in *)&server.sa;
	pthread_t id;

	*here = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	listener =
		socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener < 0 ||
	    bind(listener, (struct sockaddr *)here, sizeof(*here)) ||
	    listen(listener, 64) ||
	    getsockname(listener, (struct sockaddr *)&server.sa, &server.len) ||
	    pthread_create(&id, NULL, serve, NULL))
		abort();
	return 0;
}

/* Until the server hangs up; a session with datagrams stays open, and one may
 * echo more than fits on the way. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct timeval patience = { .tv_usec = 5000 };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char answer[4096];

	if (fd < 0 || connect(fd, (struct sockaddr *)&server.sa, server.len))
		abort();
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	while (recv(fd, answer, sizeof(answer), 0) > 0)
		;
	close(fd);
	return 0;
}
