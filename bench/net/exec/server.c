/* SPDX-License-Identifier: MIT */
/*
 * net_server - the far end of tcp_rtt, tcp_bandwidth and tcp_connect on
 * another host.  It counts, sends back and throws away what comes, and does
 * nothing else (docs/benchmarks/net.md).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "deadline.h"
#include "err.h"
#include "opts.h"
#include "sysfile.h"

#include "session.h"

#define LOOK_MS 250 /* between two looks at sessions that have ended */
#define AT_ONCE 64  /* connections that are accepted before others speak */

/* A connection without a hello for so long, or a session in which nothing
 * happens, is over. */
#define QUIET_S 20

/* One process accepts clients, and one serves each session.  It keeps within
 * these limits whatever comes. */
struct settings {
	const char *listen;
	struct opt_list allow;
	uint64_t port;
	uint64_t sessions, pending; /* at a time */
	uint64_t bytes, seconds;    /* of a session */
	uint64_t idle_s;
	bool until_eof, inherit, help;
	struct net_addr allowed[OPT_LIST_MAX]; /* allow->n of them */
};

static const struct opt options[] = {
	OPT_STR('l', "listen", settings, listen, "127.0.0.1",
		"where to listen, IP address"),
	OPT_U64('p', "port", settings, port, "26321", 0, 65535,
		"TCP port (0: any free one)"),
	OPT_LIST('a', "allow", settings, allow,
		 "serve this host too (this host itself always is), "
		 "IP address"),
	OPT_U64(0, "max-sessions", settings, sessions, "64", 1, 1024,
		"sessions at a time, count"),
	OPT_U64(0, "max-pending", settings, pending, "512", 1, 65536,
		"connections that have not said hello, count"),
	OPT_SIZE(0, "max-bytes", settings, bytes, "1024g", 1, UINT64_MAX / 2,
		 "that one session may send, bytes"),
	OPT_U64(0, "max-seconds", settings, seconds, "600", 1, 86400,
		"that one session may last, s"),
	OPT_U64(0, "idle-exit", settings, idle_s, "3600", 0, 604800,
		"end if no client came for so long (0: never), s"),
	OPT_FLAG(0, "until-eof", settings, until_eof,
		 "end when standard input does, as when ssh goes, flag"),
	OPT_FLAG(
		0, "inherit", settings, inherit,
		"serve the socket that is standard input, one session after "
		"the other and without limits, as the programs start it, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

enum { LISTENER, INPUT, PENDING };

struct server {
	const struct settings *set;
	/* The listener, standard input or -1, and @n connections that have not
	 * said hello, the oldest first, with when each will be closed. */
	struct pollfd *fd;
	int64_t *until_ms;
	unsigned int n;
	int64_t active_ms; /* when somebody was there last */
	size_t children;   /* sessions */
	struct net_counts *counts;
	bool crashed; /* a session: that is a fault of ours */
};

/* The session of this process, for tick(). */
static struct net_session session;
static const struct settings *limits;

/* Each second: end the session if it is over its limits. */
static void tick(int sig)
{
	static uint64_t seconds, quiet_s, seen;

	quiet_s = session.bytes == seen ? quiet_s + 1 : 0;
	seen = session.bytes;
	if (++seconds > limits->seconds || quiet_s > QUIET_S)
		_exit(0);
}

/* There is nothing to be read from @fd before it has so many @bytes. */
static void read_from(int fd, int bytes)
{
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes));
}

/* A server on another host takes no time from the client's CPU, so one on the
 * same machine keeps off it.  Return: whether it is on the same. */
static bool find_place(const struct net_hello *h)
{
	char machine[NET_MACHINE] = "";
	bool same;

	sysfile_line(machine, sizeof(machine), NET_MACHINE_FILE);
	same = net_same_machine(h, machine);
	bench_keep_off(same ? h->cpu : -1);
	return same;
}

/* That of connection @i, in a process of its own, which has no others. */
static _Noreturn void be_session(struct server *s, unsigned int i,
				 const struct net_hello *hello, pid_t server,
				 bool same)
{
	const struct itimerval each_second = { { 1, 0 }, { 1, 0 } };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != server)
		_exit(1);
	limits = s->set;
	session = (struct net_session) { .fd = s->fd[PENDING + i].fd,
					 .hello = *hello,
					 .same_machine = same,
					 .counts = s->counts,
					 .most = s->set->bytes };
	close(s->fd[LISTENER].fd);
	for (unsigned int k = 0; k < s->n; k++)
		if (k != i)
			close(s->fd[PENDING + k].fd);
	fcntl(session.fd, F_SETFL, 0); /* it blocks */
	read_from(session.fd, 1);
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &each_second, NULL);
	net_session_run(&session);
	_exit(0);
}

/* Forget the sessions that have ended. */
static void reap(struct server *s)
{
	int status;

	while (waitpid(-1, &status, WNOHANG) > 0) {
		s->crashed |= status != 0;
		s->children--;
	}
}

/* Give connection @i to a process of its own.  If there is no room or no
 * process the client gets the reason. */
static void begin_session(struct server *s, unsigned int i,
			  const struct net_hello *hello)
{
	struct net_answer refusal = { .magic = NET_ANSWER, .status = NET_FULL };
	const bool same = find_place(hello);
	const pid_t server = getpid();
	pid_t pid = -1;

	reap(s);
	if (s->children < s->set->sessions) {
		refusal.status = NET_TROUBLE;
		pid = fork();
	}
	if (pid == 0)
		be_session(s, i, hello, server, same);
	if (pid > 0)
		s->children++;
	else
		send(s->fd[PENDING + i].fd, &refusal, sizeof(refusal),
		     MSG_NOSIGNAL);
}

static void drop(struct server *s, unsigned int i)
{
	const size_t behind = --s->n - i;

	close(s->fd[PENDING + i].fd);
	memmove(&s->fd[PENDING + i], &s->fd[PENDING + i + 1],
		behind * sizeof(*s->fd));
	memmove(&s->until_ms[i], &s->until_ms[i + 1],
		behind * sizeof(*s->until_ms));
}

/* Connection @i has said hello, or has ended without one. */
static void receive(struct server *s, unsigned int i)
{
	struct net_hello hello;
	const ssize_t n = recv(s->fd[PENDING + i].fd, &hello, sizeof(hello),
			       MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	/* A client that ended in good order will ask for this. */
	if (n == 0)
		atomic_fetch_add(&s->counts->closed, 1);
	if (n == sizeof(hello) && net_hello_fits(&hello))
		begin_session(s, i, &hello);
	drop(s, i);
}

static bool is_allowed(const struct settings *set, const struct net_addr *a)
{
	for (size_t i = 0; i < set->allow.n; i++)
		if (net_addr_same_host(a, &set->allowed[i]))
			return true;
	return net_addr_is_loopback(a);
}

static void admit(struct server *s, int fd, const struct net_addr *peer)
{
	s->active_ms = deadline_in(0);
	if (!is_allowed(s->set, peer)) {
		close(fd);
		return;
	}
	if (s->n == s->set->pending)
		drop(s, 0); /* it has waited longest */
	read_from(fd, sizeof(struct net_hello));
	s->fd[PENDING + s->n] = (struct pollfd) { fd, POLLIN, 0 };
	s->until_ms[s->n++] = deadline_in(1000L * QUIET_S);
}

/* As many as wait, but not without end: others want to be heard. */
static void accept_some(struct server *s)
{
	for (int i = 0; i < AT_ONCE; i++) {
		struct net_addr peer = { .len = sizeof(peer.six) };
		const int fd = accept4(s->fd[LISTENER].fd, &peer.any, &peer.len,
				       SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			admit(s, fd, &peer);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE) {
			/* It would be reported again at once, and for ever. */
			if (s->n)
				drop(s, 0);
			usleep(10000);
		}
		return;
	}
}

/* The process that started us has gone when there is nothing more to read. */
static bool input_ended(void)
{
	char ignored[64];
	const ssize_t n = read(STDIN_FILENO, ignored, sizeof(ignored));

	return n == 0 || (n < 0 && errno != EINTR);
}

/* Return: whether to go on, or -errno. */
static int turn(struct server *s)
{
	const int n = poll(s->fd, PENDING + s->n, LOOK_MS);

	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	for (unsigned int i = s->n; n > 0 && i-- > 0;)
		if (s->fd[PENDING + i].revents)
			receive(s, i);
	if (n > 0 && s->fd[LISTENER].revents)
		accept_some(s);
	if (n > 0 && s->fd[INPUT].revents && input_ended())
		return 0;
	while (s->n && deadline_passed(s->until_ms[0]))
		drop(s, 0);
	if (n == 0)
		reap(s);
	if (s->n || s->children)
		s->active_ms = deadline_in(0);
	return !s->set->idle_s ||
	       !deadline_passed(s->active_ms + 1000 * (int64_t)s->set->idle_s);
}

static int open_server(struct server *s, int listener)
{
	fcntl(listener, F_SETFL, O_NONBLOCK);
	signal(SIGCHLD, SIG_DFL); /* or its sessions could not be counted */
	s->active_ms = deadline_in(0);
	s->fd = calloc(PENDING + s->set->pending, sizeof(*s->fd));
	s->until_ms = calloc(s->set->pending, sizeof(*s->until_ms));
	s->counts = mmap(NULL, sizeof(*s->counts), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!s->fd || !s->until_ms || s->counts == MAP_FAILED)
		return -ENOMEM;
	s->fd[LISTENER] = (struct pollfd) { listener, POLLIN, 0 };
	s->fd[INPUT] = (struct pollfd) { s->set->until_eof ? STDIN_FILENO : -1,
					 POLLIN, 0 };
	return 0;
}

static volatile sig_atomic_t stop;

static void ask_to_stop(int sig)
{
	stop = sig;
}

/* Not those that are ignored already. */
static void catch_signal(int sig)
{
	const struct sigaction action = { .sa_handler = ask_to_stop };
	struct sigaction old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(sig, &action, NULL);
}

/* Return: 0 or -errno (-EFAULT: a session has crashed).  All end with us. */
static int serve_all(int listener, const struct settings *set)
{
	static struct server s;
	int err, go_on = 1;

	s.set = set;
	err = open_server(&s, listener);
	while (!err && go_on > 0 && !stop)
		go_on = turn(&s);
	reap(&s);
	return err ? err : go_on < 0 ? go_on : s.crashed ? -EFAULT : 0;
}

static int allow(struct settings *set)
{
	for (size_t i = 0; i < set->allow.n; i++)
		if (net_addr_parse(&set->allowed[i], set->allow.item[i], 0)) {
			warn("--allow %s: not an IP address",
			     set->allow.item[i]);
			return -EINVAL;
		}
	return 0;
}

static int serve(const struct settings *set, struct net_addr *addr)
{
	const int fd = net_addr_listen(addr);
	int err;

	if (fd < 0) {
		warn("listen on %s, port %u: %s", set->listen,
		     (unsigned int)set->port, strerror(-fd));
		return EXIT_FAIL;
	}
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	/* The port, for whoever asked for any. */
	printf("%u\n", net_addr_port(*addr));
	fflush(stdout);
	err = serve_all(fd, set);
	close(fd);
	if (err)
		warn("%s", strerror(-err));
	return err ? EXIT_FAIL : EXIT_OK;
}

/* The program has chosen the CPU and the network. */
static int serve_inherited(void)
{
	static struct net_counts counts;
	int err = 0;

	signal(SIGPIPE, SIG_IGN);
	while (!err)
		err = net_session_accept(STDIN_FILENO, &counts);
	warn("accept: %s", strerror(-err));
	return EXIT_FAIL;
}

int main(int argc, char **argv)
{
	static struct settings set;
	const struct opt_set sets[] = {
		{ "Options", options, &set },
		{ NULL, NULL, NULL },
	};
	struct net_addr addr;
	const char *why;
	const int parsed = opts_parse(argc, argv, sets, &why);

	if (parsed >= 0 && set.help) {
		puts("usage: net_server [options]\n\nThe far end of tcp_rtt, "
		     "tcp_bandwidth and tcp_connect.  It prints its port and\n"
		     "serves until it is ended, this host and those of "
		     "--allow.\n");
		opts_help(stdout, sets);
		return EXIT_OK;
	}
	if (parsed < 0 || parsed < argc) {
		warn("%s (try --help)",
		     parsed < 0 ? why : "there are no operands");
		return EXIT_USAGE;
	}
	if (set.inherit)
		return serve_inherited();
	if (net_addr_parse(&addr, set.listen, (uint16_t)set.port)) {
		warn("--listen %s: not an IP address", set.listen);
		return EXIT_USAGE;
	}
	if (allow(&set))
		return EXIT_USAGE;
	return serve(&set, &addr);
}
