/* SPDX-License-Identifier: MIT */
#include "net_host.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "multicall.h"
#include "sysfile.h"

/* As scripts/netlab makes them. */
#define NETLAB_HERE	   "oscost-a"
#define NETLAB_THERE	   "/run/netns/oscost-b"
#define NETLAB_FILE	   "/run/oscost/netlab"
#define SERVER		   "net_server"
#define NETLAB_WHY	   "OSCOST_NETLAB_WHY" /* run-all could not */
#define NETLAB_HERE_ADDR_4 "10.78.0.1"
#define NETLAB_HERE_ADDR_6 "fd78::1"
#define NETLAB_ADDR_4	   "10.78.0.2"
#define NETLAB_ADDR_6	   "fd78::2"

/* Until ssh has ended after the server's input was closed. */
#define END_MS	3000
#define STEP_MS 10

/* No character with a meaning for a shell: it goes through two of them. */
#define PLAIN                                                         \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456" \
	"789_./+@:%-"

static bool is_shaped(void)
{
	char line[64];

	sysfile_line(line, sizeof(line), NETLAB_FILE);
	return strstr(line, " shaped");
}

bool net_hosts_is_memory(const struct net_options *o)
{
	return !o->peer && !(o->netlab && is_shaped());
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

/* Why nothing of @family can be measured; NULL: it can. */
static const char *no_family(const struct net_options *o, int family)
{
	struct net_addr a;

	if (!o->peer)
		return family == AF_INET6 && !has_ipv6() ? "needs IPv6" : NULL;
	/* One that cannot be parsed is told by net_hosts_open(). */
	return !net_addr_parse(&a, o->peer, 0) && a.sa.ss_family != family
		       ? "the address of --peer is of the other IP version"
		       : NULL;
}

void net_hosts_set(struct bench *b, const struct net_options *o)
{
	const char *const net = o->netlab ? (is_shaped() ? "shaped" : "veth")
				: o->peer ? "remote"
					  : "loopback";
	const char *const place[] = { o->peer ? "other_host" : "same_cpu",
				      o->peer ? "other_host" : "other_cpu" };

	bench_set_names(b, "net", &net, sizeof(net), 1);
	bench_set_names(b, "place", place, sizeof(*place), o->peer ? 1 : 2);
	bench_set_names(b, "near", place, sizeof(*place), 1);
	bench_set_names(b, "far", place + 1, sizeof(*place), 1);
	bench_need(b, "ipv4", no_family(o, AF_INET));
	bench_need(b, "ipv6", no_family(o, AF_INET6));
}

static int enter_netlab(struct net_hosts *h)
{
	int err;

	h->far = open(NETLAB_THERE, O_RDONLY | O_CLOEXEC);
	err = h->far < 0 ? -ENOENT : net_addr_enter(NETLAB_HERE);
	if (err == -ENOENT)
		return bench_skip(h->b, "%s",
				  getenv(NETLAB_WHY)
					  ? getenv(NETLAB_WHY)
					  : "needs the two network namespaces "
					    "that scripts/netlab makes (as "
					    "root)");
	return err ? bench_skip(h->b, "may not enter a network namespace: %s",
				strerror(-err))
		   : 0;
}

/* What a started process needs to become a server. */
struct start {
	const char *path;
	int in, out,
		space; /* the namespace is -1 where it is not to enter one */
	bool defer;
	const char *const *command;
};

static int become(struct partner *p, void *arg)
{
	const struct start *st = arg;

	if ((!st->defer || !partner_defer()) &&
	    dup2(st->in, STDIN_FILENO) >= 0 &&
	    dup2(st->out, STDOUT_FILENO) >= 0 &&
	    (st->space < 0 || !setns(st->space, CLONE_NEWNET)))
		execv(st->path, (char *const *)st->command);
	_exit(127);
}

/* Run @path as @command on @cpu as @host, in the far namespace if there is one.
 * Return: the descriptor of its output, or as of partner_start(). */
static int start(struct net_hosts *h, struct net_host *host, int cpu,
		 const char *path, const char *const *command)
{
	struct start st = { .path = path,
			    .space = h->far,
			    .defer = h->defer,
			    .command = command };
	int down[2], up[2], err;

	if (pipe2(down, O_CLOEXEC))
		return bench_fail(h->b, errno, "make a pipe");
	if (pipe2(up, O_CLOEXEC)) {
		close(down[0]);
		close(down[1]);
		return bench_fail(h->b, EMFILE, "make a pipe");
	}
	st.in = down[0];
	st.out = up[1];
	err = partner_start(h->b, &host->partner, PARTNER_PROCESS, cpu, become,
			    &st);
	close(down[0]);
	close(up[1]);
	host->in = down[1];
	if (!err)
		return up[0];
	close(up[0]);
	close(down[1]);
	return err;
}

/* The @lines lines that a server says when it listens.  Return: 0, -EIO if its
 * output ends before, -EPROTO if they are too long, or as of
 * partner_check(). */
static int hear(int fd, int lines, char *text, size_t size)
{
	size_t have = 0;

	while (lines) {
		const ssize_t n = read(fd, text + have, 1);
		int err;

		if (n < 0 && errno == EINTR) {
			err = partner_check();
			if (err)
				return err;
			continue;
		}
		if (n <= 0)
			return -EIO;
		if (have + 1 == size)
			return -EPROTO;
		lines -= text[have++] == '\n';
	}
	text[have] = '\0';
	return 0;
}

static bool runs(const struct net_host *host)
{
	const pid_t pid = host->partner.pid;
	siginfo_t info = { 0 };

	return pid &&
	       !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       !info.si_pid;
}

/* Whether it was ended from outside.  Its output has ended, so it is about to
 * end itself if it still runs. */
static bool was_killed(const struct net_host *host)
{
	siginfo_t info = { 0 };
	int err;

	do
		err = waitid(P_PID, (id_t)host->partner.pid, &info,
			     WEXITED | WNOWAIT);
	while (err && errno == EINTR);
	return info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
}

/* End it; in the first @ms by the end of its input, for a killed ssh says
 * nothing over there. */
static void stop(struct net_host *host, int ms)
{
	if (!host->partner.pid)
		return;
	close(host->in);
	for (; ms > 0 && runs(host); ms -= STEP_MS)
		usleep(STEP_MS * 1000);
	partner_stop(&host->partner);
}

/* A shell there, whichever the user's own is, says the address at which ssh
 * came in, and becomes the server.  That listens there, serves the host from
 * which ssh came, and ends when its standard input does, which is when ssh
 * ends, however that happens. */
static int start_peer(struct net_hosts *h)
{
	const char *who = h->options->peer, *server = h->options->peer_server;
	char remote[512], said[128], address[64];
	const char *const command[] = {
		"/bin/sh",
		"-c",
		"exec ${OSCOST_SSH:-ssh} -T -o BatchMode=yes -- \"$1\" \"$2\"",
		"sh",
		who,
		remote,
		NULL,
	};
	uint16_t port = 0;
	int out, err;

	if (*who == '-' || who[strspn(who, PLAIN)] || !*server ||
	    *server == '-' || server[strspn(server, PLAIN)] ||
	    strlen(server) > 256)
		return bench_fail(h->b, 0,
				  "--peer, --peer-server: '%s', '%s' have "
				  "characters that are not taken",
				  who, server);
	snprintf(remote, sizeof(remote),
		 "exec sh -c 'set -- $SSH_CONNECTION; echo $3; exec %s "
		 "--listen $3 --allow $1 --port 0 --idle-exit 60 --until-eof'",
		 server);
	out = start(h, &h->peer, bench_cpu(h->b), command[0], command);
	if (out < 0)
		return out;
	err = hear(out, 2, said, sizeof(said));
	if (!err && (sscanf(said, "%63s %hu", address, &port) != 2 ||
		     net_addr_parse(&h->peer.addr, address, port)))
		err = -EPROTO;
	close(out);
	if (err == -ECANCELED)
		return 0;
	return err ? bench_fail(h->b, -err,
				"--peer %s: ssh has not started %s there", who,
				server)
		   : 0;
}

int net_hosts_open(struct net_hosts *h, struct bench *b,
		   const struct net_options *o)
{
	int err;

	h->options = o;
	h->b = b;
	h->far = -1;
	h->peer.is_peer = true;
	if (o->peer && o->netlab)
		return bench_fail(b, 0, "--peer and --netlab together");
	if (o->netlab)
		return enter_netlab(h);
	if (!o->peer)
		return 0;
	if (strchr(o->peer, '@'))
		return start_peer(h);
	if (net_addr_parse(&h->peer.addr, o->peer, (uint16_t)o->port))
		return bench_fail(
			b, 0, "--peer %s: not an IP address (nor user@host)",
			o->peer);
	err = partner_watch(true);
	h->watching = !err;
	return err ? bench_fail(b, -err, "make a timer") : 0;
}

/* net_server lies beside this program, or in the same file. */
static int find_server(char *path, size_t size)
{
	static const char name[] = SERVER;
	const ssize_t n = readlink("/proc/self/exe", path, size);
	char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;

	if (multicall_find)
		return multicall_find(name, path, size);
	if (!slash || (size_t)(slash + 1 - path) + sizeof(name) > size)
		return -ENOENT;
	memcpy(slash + 1, name, sizeof(name));
	return 0;
}

static int start_here(struct net_hosts *h, struct net_host *host, int cpu,
		      int family)
{
	const bool six = family == AF_INET6;
	const char *at = h->far < 0 ? (six ? "::1" : "127.0.0.1")
				    : (six ? NETLAB_ADDR_6 : NETLAB_ADDR_4);
	char path[4096], number[16], said[16];
	const char *const command[] = {
		SERVER,
		"--listen",
		at,
		"--allow",
		six ? NETLAB_HERE_ADDR_6 : NETLAB_HERE_ADDR_4,
		"--port",
		"0",
		"--cpu",
		number,
		"--idle-exit",
		"0",
		NULL,
	};
	uint16_t port = 0;
	bool killed;
	int out, err;

	if (find_server(path, sizeof(path)))
		return bench_skip(h->b, "net_server is not found beside this "
					"program (needs /proc)");
	snprintf(number, sizeof(number), "%d", cpu);
	out = start(h, host, cpu, path, command);
	if (out < 0)
		return out;
	err = hear(out, 1, said, sizeof(said));
	close(out);
	if (!err && sscanf(said, "%hu", &port) == 1)
		return net_addr_parse(&host->addr, at, port);
	killed = err == -EIO && was_killed(host);
	stop(host, 0);
	if (err == -ECANCELED)
		return err;
	if (killed)
		return bench_fail(h->b, 0,
				  "start the server: our server process has "
				  "ended");
	return bench_skip(h->b,
			  "net_server ended before it listened on %s; it said "
			  "why",
			  at);
}

const struct net_host *net_hosts_need(struct net_hosts *h,
				      const struct bench_case *c)
{
	const bool six =
		case_is(c, "proto", "tcp6") || case_is(c, "proto", "udp6");
	const int family = six ? AF_INET6 : AF_INET;
	struct net_host *host =
		&h->host[2 * (c->place != BENCH_SAME_CPU) + six];
	const int cpu = bench_partner(h->b, c->place);

	if (h->options->peer && h->peer.addr.sa.ss_family != family) {
		bench_skip(h->b, "the peer's address is of the other IP "
				 "version");
		return NULL;
	}
	if (h->options->peer)
		return &h->peer;
	/* A dead one, also of another place, would be taken for this one. */
	for (int i = 0; i < NET_HOSTS; i++)
		if (!runs(&h->host[i]))
			stop(&h->host[i], 0);
	if (host->partner.pid)
		return host;
	return start_here(h, host, cpu, family) ? NULL : host;
}

void net_hosts_close(struct net_hosts *h)
{
	if (!h->options)
		return;
	for (int i = 0; i < NET_HOSTS; i++)
		stop(&h->host[i], 0);
	stop(&h->peer, END_MS);
	if (h->watching)
		partner_watch(false);
	h->watching = false;
	if (h->far >= 0)
		close(h->far);
	h->far = -1;
}
