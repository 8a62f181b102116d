/* SPDX-License-Identifier: MIT */
#include "net_name.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net_addr.h"

/* Shorter than the C library's own with one name server (10 s), after which it
 * says the same as of a host that is not there. */
#define PATIENCE_MS 8000

static _Noreturn void ask(int out, const char *name)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	char address[NET_NAME_ADDRESS] = "";
	struct addrinfo *all;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getaddrinfo(name, NULL, &hints, &all) ||
	    getnameinfo(all->ai_addr, all->ai_addrlen, address, sizeof(address),
			NULL, 0, NI_NUMERICHOST))
		_exit(1);
	_exit(write(out, address, sizeof(address)) != sizeof(address));
}

int net_name_resolve(char *address, const char *name)
{
	struct net_addr a;
	struct pollfd p = { .events = POLLIN };
	int fds[2], n, err = 0;
	pid_t pid;

	if (!net_addr_parse(&a, name, 0)) {
		snprintf(address, NET_NAME_ADDRESS, "%s", name);
		return 0;
	}
	if (pipe(fds))
		return -errno;
	pid = fork();
	if (pid == 0)
		ask(fds[1], name);
	close(fds[1]);
	p.fd = fds[0];
	n = pid < 0 ? -1 : poll(&p, 1, PATIENCE_MS);
	if (n < 0)
		err = errno == EINTR ? -ECANCELED : -errno;
	else if (n == 0)
		err = -ETIMEDOUT;
	else if (read(fds[0], address, NET_NAME_ADDRESS) != NET_NAME_ADDRESS)
		err = -ENOENT;
	close(fds[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return err;
}
