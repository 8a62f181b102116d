/* SPDX-License-Identifier: MIT */
/*
 * net_server - the far end of tcp_rtt, tcp_bandwidth and tcp_connect on
 * another host.  It counts, sends back and throws away what comes, and does
 * nothing else (docs/benchmarks/net_server.md).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "err.h"
#include "opts.h"

#include "../lib/net_addr.h"
#include "../lib/net_serve.h"

struct settings {
	const char *listen;
	struct opt_list allow;
	uint64_t port, cpu;
	struct net_limits limits;
	bool help;
};

#define CPU_ANY UINT64_MAX

static const struct opt options[] = {
	OPT_STR('l', "listen", settings, listen, "127.0.0.1",
		"where to listen, IP address"),
	OPT_U64('p', "port", settings, port, "26321", 0, 65535,
		"TCP port (0: any free one)"),
	OPT_LIST('a', "allow", settings, allow,
		 "serve this host too (this host itself always is), "
		 "IP address"),
	OPT_U64(0, "cpu", settings, cpu, NULL, 0, 65535,
		"run on this CPU only, the kernel's number"),
	OPT_U64(0, "max-sessions", settings, limits.sessions, "64", 1, 1024,
		"sessions at a time, count"),
	OPT_U64(0, "max-pending", settings, limits.pending, "512", 1, 65536,
		"connections that have not said hello, count"),
	OPT_SIZE(0, "max-bytes", settings, limits.bytes, "1024g", 1,
		 UINT64_MAX / 2, "that one session may send, bytes"),
	OPT_U64(0, "max-seconds", settings, limits.seconds, "600", 1, 86400,
		"that one session may last, s"),
	OPT_U64(0, "idle-exit", settings, limits.idle_s, "3600", 0, 604800,
		"end when nobody came for so long (0: never), s"),
	OPT_FLAG(0, "until-eof", settings, limits.until_eof,
		 "end when standard input does, as when ssh goes, flag"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

static volatile sig_atomic_t stop;

static void ask_to_stop(int sig)
{
	stop = sig;
}

/* Not those that are ignored already: a program that starts its own server
 * also ends it. */
static void catch_signal(int sig)
{
	const struct sigaction action = { .sa_handler = ask_to_stop };
	struct sigaction old;

	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(sig, &action, NULL);
}

static void catch_signals(void)
{
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	signal(SIGPIPE, SIG_IGN);
}

static int allow(struct net_limits *lim, const struct opt_list *hosts)
{
	for (size_t i = 0; i < hosts->n; i++)
		if (net_addr_parse(&lim->allow[lim->n_allow++], hosts->item[i],
				   0)) {
			warn("--allow %s: not an IP address", hosts->item[i]);
			return -EINVAL;
		}
	return 0;
}

static int serve(const struct settings *set, struct net_addr *addr)
{
	int fd, err;

	if (set->cpu != CPU_ANY) {
		err = bench_pin((int)set->cpu);
		if (err) {
			warn("--cpu %d: %s", (int)set->cpu, strerror(-err));
			return EXIT_USAGE;
		}
	}
	fd = net_addr_listen(addr);
	if (fd < 0) {
		warn("listen on %s, port %u: %s", set->listen,
		     (unsigned int)set->port, strerror(-fd));
		return EXIT_FAIL;
	}
	catch_signals();
	/* The port, for whoever asked for any. */
	printf("%u\n", net_addr_port(addr));
	fflush(stdout);
	err = net_serve(fd, &set->limits, &stop);
	close(fd);
	if (err)
		warn("%s", strerror(-err));
	return err ? EXIT_FAIL : EXIT_OK;
}

int main(int argc, char **argv)
{
	struct settings set = { .cpu = CPU_ANY, .limits = NET_LIMITS_DEFAULT };
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
	if (net_addr_parse(&addr, set.listen, (uint16_t)set.port)) {
		warn("--listen %s: not an IP address", set.listen);
		return EXIT_USAGE;
	}
	if (allow(&set.limits, &set.allow))
		return EXIT_USAGE;
	return serve(&set, &addr);
}
