/* SPDX-License-Identifier: MIT */
/* Any bytes may come from the network: the parsers keep within what they were
 * given. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../bench/net/exec/session.h"
#include "../../bench/net/lib/net_capture.h"
#include "../../bench/net/lib/net_host.h"
#include "deadline.h"
#include "program.h"
#include "tests.h"
#include "wall_clock.h"

#define FRAMES	  200000
#define MAX_FRAME 96u

TEST(hello)
{
	static const struct {
		uint32_t magic;
		uint16_t op;
		uint32_t size;
		uint64_t span;
		bool fits;
		const char *what;
	} t[] = {
		{ NET_MAGIC, NET_SINK, 4096, 1, true, "a hello" },
		{ ~0u, NET_SINK, 4096, 1, false, "another byte order" },
		{ NET_MAGIC, NET_ACK + 1, 4096, 1, false, "no operation" },
		{ NET_MAGIC, NET_SINK, NET_MAX_SINK + 1, 1, false,
		  "too large" },
		{ NET_MAGIC, NET_ECHO, NET_MAX_MESSAGE + 1, 1, false,
		  "too large to go back" },
		{ NET_MAGIC, NET_SINK, NET_MAX_MESSAGE + 1, 1, true,
		  "to count" },
		{ NET_MAGIC, NET_SINK, 0, 1, false, "a message of nothing" },
		{ NET_MAGIC, NET_SINK, 4096, 0, false, "reports without end" },
	};
	struct net_hello h = { .machine = "one" }, other = { 0 };
	char machine[NET_MACHINE] = "one";

	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
		h.magic = t[i].magic == NET_MAGIC
				  ? NET_MAGIC
				  : __builtin_bswap32(NET_MAGIC);
		h.version = NET_VERSION;
		h.op = t[i].op;
		h.size = t[i].size;
		h.flags = NET_BUSY;
		h.span_ns = t[i].span << 33;
		OK(net_hello_fits(&h) == t[i].fits, t[i].what);
	}
	OK(net_same_machine(&h, machine), "a client on the same machine");
	machine[0] = 'a';
	OK(!net_same_machine(&h, machine), "on another one");
	OK(!net_same_machine(&other, other.machine), "an unknown one");
}

TEST(addresses)
{
	static const struct {
		const char *text;
		bool loopback, same; /* host as 10.78.0.1 */
	} t[] = {
		{ "10.78.0.1", false, true },
		{ "::ffff:10.78.0.1", false, true },
		{ "::1", true, false },
		{ "127.8.9.1", true, false },
		{ "::7f00:1", false, false }, /* only looks like it */
	};
	struct net_addr a, b;

	OK(net_addr_parse(&a, "localhost", 1) == -EINVAL, "a name is none");
	OK(!net_addr_parse(&a, "10.78.0.1", 7) && net_addr_port(a) == 7,
	   "a port");
	for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++)
		OK(!net_addr_parse(&b, t[i].text, 9) &&
			   net_addr_is_loopback(&b) == t[i].loopback &&
			   net_addr_same_host(&a, &b) == t[i].same,
		   t[i].text);
}

/* A SYN by IPv4 with 4 bytes of options, 192.0.2.1:40000 to port 80. */
static const unsigned char syn[] = {
	0x45, 0,   0,	 44,   0,    0,	   0,	 0, 64, 6, 0, 0, 192, 0, 2,
	1,    192, 0,	 2,    2,    0x9c, 0x40, 0, 80, 0, 0, 0, 5,   0, 0,
	0,    0,   0x60, 0x02, 0xff, 0xff, 0,	 0, 0,	0, 2, 4, 1,   2,
};

TEST(frames)
{
	struct net_packet p;
	unsigned char frame[MAX_FRAME];
	size_t parsed = 0;

	OK(!net_packet_parse(&p, syn, sizeof(syn), 80) && p.to_server &&
		   p.port == 40000 && p.seq == 5 && p.payload == 0,
	   "a SYN is read");
	OK(net_packet_parse(&p, syn, 39, 80) == -EPROTO, "a short one is not");
	OK(net_packet_parse(&p, syn, sizeof(syn), 81) == -EPROTO,
	   "nor one of another port");
	for (int i = 0; i < FRAMES; i++) {
		/* Exactly as long as it says, so that ASan sees beyond. */
		const size_t have = (size_t)random() % MAX_FRAME;
		unsigned char *exact = malloc(have + 1);

		for (size_t k = 0; k < sizeof(frame); k++)
			frame[k] = k < sizeof(syn) && random() % 8
					   ? syn[k]
					   : (unsigned char)random();
		memcpy(exact, frame, have);
		exact = realloc(exact, have ? have : 1);
		parsed += !net_packet_parse(&p, exact, have, 80);
		free(exact);
	}
	OK(parsed < FRAMES, "most of the nonsense is refused, and all read");
}

TEST(watched_clock)
{
	const int watch = wall_clock_watch();
	const int64_t before = clock_now_ns(CLOCK_REALTIME);

	OK(watch >= 0 && !wall_clock_was_set(watch),
	   "nobody has set the clock");
	OK(!wall_clock_was_set(-1), "nor where it is not watched");
	OK(clock_now_ns(CLOCK_REALTIME) >= before, "it goes on");
	if (watch >= 0)
		close(watch);
}

static int dial(const struct net_addr *a)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd >= 0 && connect(fd, &a->any, a->len)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* A queue of one with one in it: the SYN of the next is thrown away, and comes
 * again after a second, when there is a place. */
TEST(lost_syn)
{
	struct bench b = { 0 };
	struct net_client c = { .b = &b };
	int listener, first;
	pid_t pid;

	alarm(600);
	net_addr_loopback(&c.to, AF_INET, 0);
	listener = net_addr_listen(&c.to);
	listen(listener, 0);
	first = dial(&c.to);
	pid = fork();
	if (pid == 0) {
		usleep(700000);
		accept(listener, NULL, NULL);
		accept(listener, NULL, NULL);
		_exit(0);
	}
	OK(first >= 0 && pid > 0 && !net_client_socket(&c) &&
		   !net_client_dial(&c),
	   "a SYN that was lost is waited for");
	net_client_end(&c);
	close(first);
	close(listener);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
