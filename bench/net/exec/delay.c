/* SPDX-License-Identifier: MIT */
/*
 * net_delay - a line between two network namespaces that takes its time, for
 * scripts/netlab on kernels without netem.  At each end is a TAP device; what
 * goes into one comes out of the other, so much later, in order.  It ends on a
 * signal or with its owner, the devices go with it, and it says how long it
 * has really held the frames.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../lib/net_addr.h"
#include "deadline.h"
#include "err.h"
#include "opts.h"
#include "stats.h"

/* On their way in one direction.  More wait in the device, whose queue drops
 * what is too much, as that of a real line does. */
#define MAX_FRAMES  4096u
#define FRAME_BYTES 1600u

/* How long frames were held: the last of them. */
#define MAX_HELD 65536u

#define OWNER_NS 250000000ull /* between two looks at the owner */

struct frame {
	uint64_t in_ns;
	uint32_t bytes;
	unsigned char data[FRAME_BYTES];
};

struct direction {
	int from, to; /* devices */
	unsigned int head, count;
	uint64_t frames, dropped;
	double held_us[MAX_HELD];
	struct frame ring[MAX_FRAMES];
};

struct settings {
	uint64_t delay_us, owner;
	bool help;
};

static const struct opt options[] = {
	OPT_U64('d', "delay", settings, delay_us, "5000", 0, 1000000,
		"that a frame takes in each direction, us"),
	OPT_U64('o', "owner", settings, owner, NULL, 0, INT32_MAX,
		"end when this process has, PID"),
	OPT_FLAG('h', "help", settings, help, "print this and exit, flag"),
	OPT_END,
};

static volatile sig_atomic_t stop;

static void ask_to_stop(int sig)
{
	stop = sig;
}

/* A TAP device @name in network namespace @space.  Return: descriptor or
 * -errno. */
static int open_end(const char *space, const char *name)
{
	struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = -1, err = net_addr_enter(space);

	if (!err) {
		fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
		err = fd < 0 ? -errno : 0;
	}
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (!err && ioctl(fd, TUNSETIFF, &request))
		err = -errno;
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

/* Take in what has come, as far as there is room. */
static void take_in(struct direction *d)
{
	while (d->count < MAX_FRAMES) {
		struct frame *f = &d->ring[(d->head + d->count) % MAX_FRAMES];
		const ssize_t n = read(d->from, f->data, sizeof(f->data));

		if (n <= 0)
			return;
		f->in_ns = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
		f->bytes = (uint32_t)n;
		d->count++;
	}
}

/* Let out what has been here for long enough. */
static void let_out(struct direction *d, uint64_t delay_ns)
{
	while (d->count) {
		const struct frame *f = &d->ring[d->head];
		const uint64_t held =
			(uint64_t)clock_now_ns(CLOCK_MONOTONIC) - f->in_ns;

		if (held < delay_ns)
			return;
		d->held_us[d->frames++ % MAX_HELD] = (double)held / 1e3;
		if (write(d->to, f->data, f->bytes) < 0)
			d->dropped++; /* the other end is down */
		d->head = (d->head + 1) % MAX_FRAMES;
		d->count--;
	}
}

static struct timespec wait_for(const struct direction *d, uint64_t delay_ns)
{
	const uint64_t now = (uint64_t)clock_now_ns(CLOCK_MONOTONIC);
	uint64_t wait = OWNER_NS;

	for (int i = 0; i < 2; i++) {
		uint64_t due;

		if (!d[i].count)
			continue;
		due = d[i].ring[d[i].head].in_ns + delay_ns;
		due = due > now ? due - now : 0;
		wait = due < wait ? due : wait;
	}
	return (struct timespec) { 0, (long)wait };
}

static void carry(struct direction *d, uint64_t delay_ns, pid_t owner)
{
	while (!stop && (!owner || !kill(owner, 0) || errno == EPERM)) {
		struct pollfd p[2];
		const struct timespec wait = wait_for(d, delay_ns);

		for (int i = 0; i < 2; i++)
			p[i] = (struct pollfd) {
				d[i].from,
				(short)(d[i].count < MAX_FRAMES ? POLLIN : 0), 0
			};
		if (ppoll(p, 2, &wait, NULL) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < 2; i++) {
			take_in(&d[i]);
			let_out(&d[i], delay_ns);
		}
	}
}

static void tell(struct direction *d, const char *which)
{
	struct stats held;

	if (!d->frames)
		return;
	stats_compute(&held, d->held_us,
		      d->frames < MAX_HELD ? d->frames : MAX_HELD);
	warn("%s: %llu frames, %llu dropped; held for us: median %.1f, 90 %% "
	     "%.1f, 99 %% %.1f",
	     which, (unsigned long long)d->frames,
	     (unsigned long long)d->dropped, held.p50, held.p90, held.p99);
}

static int open_ends(struct direction *d, char **ends)
{
	for (int i = 0; i < 2; i++, ends += 2) {
		const int fd = open_end(ends[0], ends[1]);

		if (fd < 0) {
			warn("device %s in %s: %s", ends[1], ends[0],
			     strerror(-fd));
			return fd == -EPERM || fd == -ENOENT ? EXIT_SKIP
							     : EXIT_FAIL;
		}
		d[i].from = d[1 - i].to = fd;
	}
	return EXIT_OK;
}

static int serve(const struct settings *set, char **ends)
{
	const struct sigaction action = { .sa_handler = ask_to_stop };
	struct direction *d = calloc(2, sizeof(*d));
	int code;

	if (!d) {
		warn("no memory");
		return EXIT_FAIL;
	}
	code = open_ends(d, ends);
	if (code == EXIT_OK) {
		sigaction(SIGINT, &action, NULL);
		sigaction(SIGTERM, &action, NULL);
		prctl(PR_SET_TIMERSLACK, 1ul); /* wake up when it is time */
		puts("ready");
		fflush(stdout);
		carry(d, set->delay_us * 1000, (pid_t)set->owner);
		tell(&d[0], "there");
		tell(&d[1], "back");
	}
	free(d);
	return code;
}

int main(int argc, char **argv)
{
	struct settings set = { 0 };
	const struct opt_set sets[] = {
		{ "Options", options, &set },
		{ NULL, NULL, NULL },
	};
	const char *why;
	const int parsed = opts_parse(argc, argv, sets, &why);

	if (parsed >= 0 && set.help) {
		puts("usage: net_delay [options] NETNS DEVICE NETNS DEVICE\n\n"
		     "A line between two network namespaces that takes its "
		     "time (scripts/netlab).\n");
		opts_help(stdout, sets);
		return EXIT_OK;
	}
	if (parsed < 0 || argc - parsed != 4) {
		warn("%s (try --help)",
		     parsed < 0 ? why : "needs two namespaces and devices");
		return EXIT_USAGE;
	}
	return serve(&set, argv + parsed);
}
