/* SPDX-License-Identifier: MIT */
/* What comes from the network may be anything: the parsers keep within what
 * they were given, and the server serves its client beside a flood. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../bench/net/exec/session.h"
#include "../../bench/net/lib/net_capture.h"
#include "../../bench/net/lib/net_host.h"
#include "deadline.h"
#include "program.h"
#include "tap.h"
#include "wall_clock.h"

/* What takes so long will never end. */
static unsigned int hangs_s = 600;

#define FRAMES	    200000
#define CONNECTIONS 10000
#define MAX_FRAME   96u

static void check_hello(void)
{
	const struct net_hello good = { .magic = NET_MAGIC,
					.version = NET_VERSION,
					.op = NET_SINK,
					.size = 4096,
					.flags = NET_BUSY,
					.span_ns = 1ull << 33 };
	struct net_hello bad = good;
	char machine[NET_MACHINE] = "one";

	OK(net_hello_fits(&good), "a hello");
	bad.magic = __builtin_bswap32(NET_MAGIC);
	OK(!net_hello_fits(&bad), "one of another byte order");
	bad = good;
	bad.op = NET_ACK + 1;
	OK(!net_hello_fits(&bad), "no such operation");
	bad = good;
	bad.size = NET_MAX_SINK + 1;
	OK(!net_hello_fits(&bad), "too large a message");
	bad.op = NET_ECHO;
	bad.size = NET_MAX_MESSAGE + 1;
	OK(!net_hello_fits(&bad), "too large a message to go back");
	bad.op = NET_SINK;
	OK(net_hello_fits(&bad), "which may be counted");
	bad.size = 0;
	OK(!net_hello_fits(&bad), "a message of nothing");
	bad = good;
	bad.span_ns = 0;
	OK(!net_hello_fits(&bad), "reports without end");
	memcpy(bad.machine, "one", 3);
	OK(net_same_machine(&bad, machine), "a client on the same machine");
	machine[0] = 'a';
	OK(!net_same_machine(&bad, machine), "on another one");
	OK(!net_same_machine(&good, good.machine), "who knows");
}

static void check_addresses(void)
{
	struct net_addr a, b;

	OK(net_addr_parse(&a, "localhost", 1) == -EINVAL, "a name is none");
	OK(!net_addr_parse(&a, "10.78.0.1", 7) && net_addr_port(a) == 7,
	   "an IPv4 address");
	OK(!net_addr_is_loopback(&a), "which is not loopback");
	OK(!net_addr_parse(&b, "::ffff:10.78.0.1", 9) &&
		   net_addr_same_host(&a, &b),
	   "the same within IPv6, another port");
	OK(!net_addr_parse(&b, "::1", 9) && net_addr_is_loopback(&b) &&
		   !net_addr_same_host(&a, &b),
	   "::1 is loopback and another host");
	OK(!net_addr_parse(&b, "127.8.9.1", 9) && net_addr_is_loopback(&b),
	   "so is all of 127");
	OK(!net_addr_parse(&b, "::7f00:1", 9) && !net_addr_is_loopback(&b),
	   "and not what only looks like it");
}

/* A SYN by IPv4 with 4 bytes of options, 192.0.2.1:40000 to port 80. */
static const unsigned char syn[] = {
	0x45, 0,   0,	 44,   0,    0,	   0,	 0, 64, 6, 0, 0, 192, 0, 2,
	1,    192, 0,	 2,    2,    0x9c, 0x40, 0, 80, 0, 0, 0, 5,   0, 0,
	0,    0,   0x60, 0x02, 0xff, 0xff, 0,	 0, 0,	0, 2, 4, 1,   2,
};

static void check_frames(void)
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

static void check_clock(void)
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

/* net_server lies beside the tests. */
static pid_t start_server(struct net_addr *a)
{
	char path[4096], port[16] = "";
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	int said[2] = { -1, -1 };
	char *name;
	pid_t pid;

	path[n < 0 ? 0 : n] = '\0';
	name = strstr(path, "/unit/test_net");
	snprintf(name, sizeof(path) - (size_t)(name - path), "/bin/net_server");
	pid = pipe(said) ? -1 : fork();
	if (pid == 0) {
		alarm(hangs_s);
		dup2(said[1], STDOUT_FILENO);
		execl(path, path, "--port", "0", "--max-sessions", "4",
		      "--max-pending", "64", NULL);
		_exit(127);
	}
	close(said[1]);
	while (!strchr(port, '\n'))
		if (read(said[0], port + strlen(port), 1) <= 0)
			return -1;
	close(said[0]);
	net_addr_loopback(a, AF_INET, (uint16_t)atoi(port));
	return pid;
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

/* Nonsense, a part of a hello, a hello of something odd, or nothing. */
static void babble(int fd, unsigned int kind)
{
	unsigned char bytes[512];
	struct net_hello h = { .magic = NET_MAGIC,
			       .version = NET_VERSION,
			       .op = (uint16_t)(1 + random() % 4),
			       .size = 1 + (uint32_t)random() % 70000,
			       .span_ns = 1 + (uint64_t)random() % 9000,
			       .port = (uint16_t)(1 + random() % 65535) };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)random();
	if (kind % 4 == 1) {
		send(fd, bytes, (size_t)random() % sizeof(bytes), MSG_NOSIGNAL);
	} else if (kind % 4 >= 2) {
		memcpy(bytes, &h, sizeof(h));
		send(fd, bytes,
		     kind % 4 == 2 ? (size_t)random() % sizeof(h)
				   : sizeof(bytes),
		     MSG_NOSIGNAL);
	}
}

static void hang_up(int fd)
{
	const struct linger reset = { 1, 0 };

	/* Half of them in good order. */
	if (random() % 2)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(fd);
}

/* A queue of one with one in it: the SYN of the next is thrown away, and comes
 * again after a second, when there is a place. */
static void check_connect(void)
{
	struct bench b = { 0 };
	struct net_client c = { .b = &b };
	int listener, first;
	pid_t pid;

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

/* Many of them at a time. */
static unsigned int flood(const struct net_addr *a)
{
	enum { AT_A_TIME = 200 };
	int open[AT_A_TIME];
	unsigned int made = 0;

	memset(open, -1, sizeof(open));
	for (unsigned int i = 0; i < CONNECTIONS; i++) {
		int *fd = &open[i % AT_A_TIME];

		if (*fd >= 0)
			hang_up(*fd);
		*fd = dial(a);
		if (*fd < 0)
			continue;
		made++;
		babble(*fd, i);
	}
	for (int i = 0; i < AT_A_TIME; i++)
		if (open[i] >= 0)
			hang_up(open[i]);
	return made;
}

/* An honest client; the places may be taken for a moment. */
static bool served(const struct net_addr *a)
{
	const struct net_hello h = { .magic = NET_MAGIC,
				     .version = NET_VERSION,
				     .op = NET_ECHO,
				     .size = 4 };

	for (int i = 0; i < 100; i++) {
		struct net_answer answer;
		char bytes[4];
		const int fd = dial(a);
		bool good = false;

		if (fd >= 0 && send(fd, &h, sizeof(h), MSG_NOSIGNAL) > 0 &&
		    recv(fd, &answer, sizeof(answer), MSG_WAITALL) ==
			    sizeof(answer) &&
		    answer.magic == NET_ANSWER && answer.status == NET_OK)
			good = send(fd, "ping", 4, MSG_NOSIGNAL) == 4 &&
			       recv(fd, bytes, 4, MSG_WAITALL) == 4 &&
			       !memcmp(bytes, "ping", 4);
		if (fd >= 0)
			close(fd);
		if (good)
			return true;
		usleep(100000);
	}
	return false;
}

/* @until: flood it until then, once at least. */
static void check_server(time_t until)
{
	struct net_addr a = { 0 };
	const pid_t pid = start_server(&a);
	int status = -1;

	OK(pid > 0 && served(&a), "the server serves a client");
	do
		OK(flood(&a) > CONNECTIONS / 2, "a flood comes");
	while (time(NULL) < until);
	OK(served(&a), "after the flood it still does");
	kill(pid, SIGTERM);
	OK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		   WEXITSTATUS(status) == 0,
	   "and ends in good order");
}

/* test_net SECONDS SEED: with other nonsense than usual, for so long. */
int main(int argc, char **argv)
{
	const long seconds = argc > 1 ? atol(argv[1]) : 0;
	const time_t begin = time(NULL);

	hangs_s += (unsigned int)seconds;
	alarm(hangs_s);
	srandom(argc > 2 ? (unsigned int)atol(argv[2]) : 1);
	check_hello();
	check_addresses();
	do
		check_frames();
	while (time(NULL) < begin + seconds / 2);
	check_clock();
	check_connect();
	check_server(begin + seconds);
	return tap_done();
}
