/* SPDX-License-Identifier: MIT */
#include "net_host.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ipc_watch.h"
#include "net_serve.h"

/* As scripts/netlab makes them. */
#define NETLAB_HERE   "/run/netns/oscost-a"
#define NETLAB_THERE  "/run/netns/oscost-b"
#define NETLAB_FILE   "/run/oscost-netlab"
#define NETLAB_ADDR_4 "10.78.0.2"
#define NETLAB_ADDR_6 "fd78::2"

/* A cable with a limit or a delay is another network than one without. */
static bool is_shaped(void)
{
	char line[64] = "";
	FILE *f = fopen(NETLAB_FILE, "re");

	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	return strstr(line, " shaped");
}

const char *net_hosts_label(const struct net_options *o)
{
	if (o->netlab)
		return is_shaped() ? "shaped" : "veth";
	return o->peer ? "remote" : "loopback";
}

bool net_hosts_is_memory(const struct net_options *o)
{
	return !o->peer && !(o->netlab && is_shaped());
}

unsigned int net_hosts_places(const struct net_options *o)
{
	return o->peer ? 1 : NET_PLACES;
}

const char *net_hosts_place(const struct net_options *o, enum net_place place)
{
	if (o->peer)
		return "other_host";
	return place == NET_SAME_CPU ? "same_cpu" : "other_cpu";
}

static bool has_ipv6(void)
{
	struct net_addr a;
	int fd;

	net_addr_loopback(&a, AF_INET6, 0);
	fd = net_addr_listen(&a);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

const char *net_hosts_why_not(const struct net_options *o,
			      const struct bench *b, enum net_place place,
			      int family)
{
	struct net_addr a;

	if (o->peer) {
		if (net_addr_parse(&a, o->peer, 0))
			return NULL; /* net_hosts_open() says it */
		return a.sa.ss_family == family
			       ? NULL
			       : "the address of --peer is of the other IP "
				 "version";
	}
	if (place != NET_SAME_CPU && bench_partner(b, BENCH_ANY_OTHER) < 0)
		return "needs a second CPU";
	return family == AF_INET6 && !has_ipv6() ? "needs IPv6" : NULL;
}

static int enter_netlab(struct net_hosts *h)
{
	h->home = open(NETLAB_HERE, O_RDONLY | O_CLOEXEC);
	h->far = open(NETLAB_THERE, O_RDONLY | O_CLOEXEC);
	if (h->home < 0 || h->far < 0)
		return bench_skip(h->b, "needs the two network namespaces that "
					"scripts/netlab makes (as root)");
	if (setns(h->home, CLONE_NEWNET))
		return bench_skip(h->b, "may not enter a network namespace: %s",
				  strerror(errno));
	return 0;
}

int net_hosts_open(struct net_hosts *h, struct bench *b,
		   const struct net_options *o)
{
	struct net_addr peer;
	int err = 0;

	h->options = o;
	h->b = b;
	h->home = h->far = h->ssh.in = -1;
	if (o->peer && o->netlab)
		return bench_fail(b, 0, "--peer and --netlab together");
	if (o->netlab)
		return enter_netlab(h);
	if (!o->peer)
		return 0;
	if (strchr(o->peer, '@'))
		err = net_ssh_start(&h->ssh, b, o->peer, o->peer_server, &peer);
	else if (net_addr_parse(&peer, o->peer, (uint16_t)o->port))
		err = bench_fail(b, 0,
				 "--peer %s: not an IP address (nor user@host)",
				 o->peer);
	if (err || bench_stopping(b))
		return err;
	for (int i = 0; i < NET_PLACES; i++)
		h->host[i][0].addr = h->host[i][1].addr = peer;
	return 0;
}

static int listen_far(struct net_hosts *h, struct net_addr *a, int family)
{
	int fd;

	if (h->far < 0) {
		net_addr_loopback(a, family, 0);
		return net_addr_listen(a);
	}
	net_addr_parse(a, family == AF_INET6 ? NETLAB_ADDR_6 : NETLAB_ADDR_4,
		       0);
	/* A socket stays in the namespace in which it was made. */
	if (setns(h->far, CLONE_NEWNET))
		return -errno;
	fd = net_addr_listen(a);
	if (setns(h->home, CLONE_NEWNET)) {
		close(fd);
		return -errno;
	}
	return fd;
}

static _Noreturn void be_server(const struct net_hosts *h, int listener,
				int cpu)
{
	struct net_limits limits = NET_LIMITS_DEFAULT;

	/* Sockets for datagrams are made there later. */
	if (h->far >= 0 && setns(h->far, CLONE_NEWNET))
		_exit(1);
	if (h->far >= 0) {
		net_addr_parse(&limits.allow[0], "10.78.0.1", 0);
		net_addr_parse(&limits.allow[1], "fd78::1", 0);
		limits.n_allow = 2;
	}
	if (ipc_partner_settle(cpu))
		_exit(1);
	_exit(net_serve(listener, &limits, NULL) ? 1 : 0);
}

static int start(struct net_hosts *h, struct net_host *host, int cpu,
		 int family)
{
	const int listener = listen_far(h, &host->addr, family);

	if (listener < 0)
		return bench_fail(h->b, -listener, "listen for the server");
	host->pid = bench_fork(h->b);
	if (host->pid == 0)
		be_server(h, listener, cpu);
	close(listener);
	if (host->pid > 0)
		return 0;
	host->pid = 0;
	return bench_fail(h->b, errno, "fork the server");
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
	       info.si_pid;
}

const char *net_hosts_unfit(const struct net_hosts *h, int family)
{
	const struct net_addr *peer = &h->host[0][0].addr;

	return h->options->peer && peer->sa.ss_family != family
		       ? "the peer's address is of the other IP version"
		       : NULL;
}

bool net_hosts_runs(const struct net_hosts *h, enum net_place place, int family)
{
	const struct net_host *host = &h->host[place][family == AF_INET6];

	return h->options->peer || (host->pid && !has_ended(host->pid));
}

const struct net_host *net_hosts_need(struct net_hosts *h, enum net_place place,
				      int family)
{
	struct net_host *host = &h->host[place][family == AF_INET6];
	const int cpu = place == NET_SAME_CPU
				? bench_cpu(h->b)
				: bench_partner(h->b, BENCH_ANY_OTHER);

	if (net_hosts_unfit(h, family)) {
		bench_skip(h->b, "%s", net_hosts_unfit(h, family));
		return NULL;
	}
	if (net_hosts_runs(h, place, family))
		return host;
	ipc_partner_kill(&host->pid);
	return start(h, host, cpu, family) ? NULL : host;
}

void net_hosts_close(struct net_hosts *h)
{
	if (!h->options)
		return;
	for (int i = 0; i < NET_PLACES; i++)
		for (int k = 0; k < 2; k++)
			ipc_partner_kill(&h->host[i][k].pid);
	net_ssh_stop(&h->ssh);
	if (h->home >= 0)
		close(h->home);
	if (h->far >= 0)
		close(h->far);
	h->home = h->far = -1;
}
