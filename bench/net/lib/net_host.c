/* SPDX-License-Identifier: MIT */
#include "net_host.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net_session.h"
#include "sysfile.h"

/* As scripts/netlab makes them. */
#define NETLAB_HERE   "oscost-a"
#define NETLAB_THERE  "oscost-b"
#define NETLAB_FILE   "/run/oscost/netlab"
#define NETLAB_WHY    "OSCOST_NETLAB_WHY" /* run-all could not */
#define NETLAB_ADDR_4 "10.78.0.2"
#define NETLAB_ADDR_6 "fd78::2"

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
	const char *why = getenv(NETLAB_WHY);

	h->far = net_addr_space(NETLAB_THERE);
	h->here = net_addr_space(NETLAB_HERE);
	if (h->far < 0 || h->here < 0)
		return bench_skip(h->b, "%s",
				  why ? why
				      : "needs the two network namespaces that "
					"scripts/netlab makes (as root)");
	return setns(h->here, CLONE_NEWNET)
		       ? bench_skip(h->b,
				    "may not enter a network namespace: %s",
				    strerror(errno))
		       : 0;
}

struct command {
	const char *const *word;
	int line; /* its standard input and output */
};

static int become(struct partner *p, void *arg)
{
	const struct command *c = arg;

	if (dup2(c->line, STDIN_FILENO) >= 0 &&
	    dup2(c->line, STDOUT_FILENO) >= 0)
		execv(c->word[0], (char *const *)c->word);
	_exit(127);
}

struct answer {
	int line;
	char text[128];
};

/* The two lines that come from the other host.  Return: 0, -EIO if the line is
 * cut before, or -EPROTO if they are too long. */
static int hear(void *arg)
{
	struct answer *a = arg;
	size_t have = 0;

	for (int lines = 0; lines < 2; lines += a->text[have++] == '\n') {
		ssize_t n;

		if (have + 1 == sizeof(a->text))
			return -EPROTO;
		do
			n = read(a->line, a->text + have, 1);
		while (n < 0 && errno == EINTR);
		if (n <= 0)
			return -EIO;
	}
	a->text[have] = '\0';
	return 0;
}

/* A shell there, whichever the user's own is, says the address at which ssh
 * came in, and becomes the server.  That listens there, serves the host from
 * which ssh came, and ends when its standard input does, which is when ssh
 * ends, however that happens. */
static int start_peer(struct net_hosts *h)
{
	const char *who = h->options->peer, *server = h->options->peer_server;
	char remote[512], address[64];
	const char *const word[] = {
		"/bin/sh",
		"-c",
		"exec ${OSCOST_SSH:-ssh} -T -o BatchMode=yes -- \"$1\" \"$2\"",
		"sh",
		who,
		remote,
		NULL,
	};
	struct command ssh = { .word = word };
	struct answer said;
	uint16_t port = 0;
	int line[2], err;

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
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
		return bench_fail(h->b, errno, "make a pair of sockets");
	ssh.line = line[1];
	h->line = line[0];
	err = partner_start(h->b, &h->ssh, PARTNER_PROCESS, bench_cpu(h->b),
			    become, &ssh);
	close(line[1]);
	if (err)
		return err;
	said.line = h->line;
	err = partner_guard(hear, &said);
	if (!err && (sscanf(said.text, "%63s %hu", address, &port) != 2 ||
		     net_addr_parse(&h->host.addr, address, port)))
		err = -EPROTO;
	return err && err != -ECANCELED
		       ? bench_fail(h->b, -err,
				    "--peer %s: ssh has not started %s there",
				    who, server)
		       : 0;
}

int net_hosts_open(struct net_hosts *h, struct bench *b,
		   const struct net_options *o)
{
	int err;

	h->options = o;
	h->b = b;
	h->here = h->far = h->line = h->listener = -1;
	h->host.is_peer = o->peer;
	if (o->peer && o->netlab)
		return bench_fail(b, 0, "--peer and --netlab together");
	if (!o->peer) {
		h->counts = partner_share(sizeof(*h->counts));
		if (!h->counts)
			return bench_fail(b, ENOMEM, "memory to share");
		return o->netlab ? enter_netlab(h) : 0;
	}
	if (strchr(o->peer, '@'))
		return start_peer(h);
	if (net_addr_parse(&h->host.addr, o->peer, (uint16_t)o->port))
		return bench_fail(
			b, 0, "--peer %s: not an IP address (nor user@host)",
			o->peer);
	err = partner_watch(true);
	h->watching = !err;
	return err ? bench_fail(b, -err, "make a timer") : 0;
}

/* One session after the other. */
static int serve(struct partner *p, void *arg)
{
	const struct net_hosts *h = arg;
	int err = h->defer ? partner_defer() : 0;

	signal(SIGPIPE, SIG_IGN);
	if (!err && h->far >= 0 && setns(h->far, CLONE_NEWNET))
		err = -errno;
	while (!err)
		err = net_session_accept(h->listener, h->counts);
	return err;
}

static sa_family_t family_of(const struct bench_case *c)
{
	return case_is(c, "proto", "unix") ? AF_UNIX
	       : case_is(c, "proto", "tcp6") || case_is(c, "proto", "udp6")
		       ? AF_INET6
		       : AF_INET;
}

/* Where the server of @c is to be found. */
static void choose_address(struct net_hosts *h, const struct bench_case *c)
{
	const sa_family_t family = family_of(c);
	struct net_addr *a = &h->host.addr;

	if (family == AF_UNIX) /* its name is no file */
		*a = (struct net_addr) { .sa.ss_family = AF_UNIX,
					 .len = sizeof(sa_family_t) };
	else if (h->far < 0)
		net_addr_loopback(a, family, 0);
	else
		net_addr_parse(a,
			       family == AF_INET6 ? NETLAB_ADDR_6
						  : NETLAB_ADDR_4,
			       0);
}

static int listen_there(struct net_hosts *h)
{
	if (h->far >= 0 && setns(h->far, CLONE_NEWNET))
		return -errno;
	h->listener = net_addr_listen(&h->host.addr);
	/* It was entered once: nothing keeps us out. */
	if (h->far >= 0 && setns(h->here, CLONE_NEWNET))
		return -errno;
	return h->listener < 0 ? h->listener : 0;
}

int net_hosts_begin(struct net_hosts *h, const struct bench_case *c,
		    unsigned int sessions)
{
	const int cpu = bench_partner(h->b, c->place);
	int err;

	if (h->host.is_peer) /* an address that ssh has told was not looked at
			      */
		return h->host.addr.sa.ss_family == family_of(c)
			       ? 0
			       : bench_skip(h->b, "the peer's address is of "
						  "the other IP version");
	choose_address(h, c);
	err = listen_there(h);
	if (err)
		return partner_refused(h->b, -err, "a socket that listens");
	for (unsigned int i = 0; i < sessions && !err; i++)
		err = partner_start(h->b, &h->server[i], PARTNER_PROCESS, cpu,
				    serve, h);
	return err;
}

void net_hosts_end(struct net_hosts *h)
{
	for (unsigned int i = 0; i < NET_SERVERS; i++)
		partner_stop(&h->server[i]);
	if (h->listener >= 0)
		close(h->listener);
	h->listener = -1;
}

/* By the end of its input, for a killed ssh says nothing over there. */
static void stop_ssh(struct net_hosts *h)
{
	siginfo_t info = { 0 };

	close(h->line);
	for (int ms = h->ssh.pid ? END_MS : 0; ms > 0 && !info.si_pid;
	     ms -= STEP_MS) {
		usleep(STEP_MS * 1000);
		if (waitid(P_PID, (id_t)h->ssh.pid, &info,
			   WEXITED | WNOHANG | WNOWAIT))
			break;
	}
	partner_stop(&h->ssh);
}

void net_hosts_close(struct net_hosts *h)
{
	if (!h->options)
		return;
	net_hosts_end(h);
	if (h->line >= 0)
		stop_ssh(h);
	if (h->watching)
		partner_watch(false);
	h->watching = false;
	partner_unshare(h->counts, sizeof(*h->counts));
	h->counts = NULL;
	if (h->far >= 0)
		close(h->far);
	if (h->here >= 0)
		close(h->here);
}
