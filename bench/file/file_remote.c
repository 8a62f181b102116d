/* SPDX-License-Identifier: MIT */
/*
 * file_remote - what does it cost to read a file that lies on another machine?
 *
 * One block of a file is read at a time, in sequence or at random, through a
 * network file system, and the same file without the network.  The difference
 * of the two is the network's penalty (stat=penalty: both in the same state
 * of the cache; stat=penalty_direct: cold less local with O_DIRECT, as in the
 * CSE 221 report), beside what one would expect of it (stat=estimate): a
 * round trip of TCP (stat=connect: SYN and SYN ACK, which no process has to
 * answer) and the block at the bandwidth of large reads.  null_call is NFS's
 * procedure 0, which does nothing: a round trip with the RPC layers and the
 * wake-ups of both ends.
 *
 * where=server is an nfs:// URL (--url), read through libnfs without a mount
 * or a privilege; libnfs has no cache and sends one request for each read.
 * where=veth is the same to the server of make nfslab, between two network
 * namespaces, on another CPU of this machine.  where=mount is a file on any
 * network file system (--mount --dir DIR), read with O_DIRECT.  where=local is
 * the same file as this machine sees it.
 *
 * file is the part of the file that is used, its end.  cache is where the
 * data was before the read: cold: in the page cache of neither machine
 * (dropped, and looked at); warm: in the server's (or, local, ours); direct:
 * local with O_DIRECT; unknown: a server on another machine does not report
 * it. Reads are timed as file_read times them: cold ones in sequence in
 * stretches, all blocks by all time; all else is the median of single reads.
 * Where the file was made with 1 GiB (--bytes) there is no cold row in sequence
 * of 64 MiB, which would be the same.
 *
 * Measures: ns from before one block is asked for until it is here.
 * Includes: system calls, RPC layers, both network stacks, wake-ups, the
 *           server's file system; cold: its disk.
 * After:    CSE 221 report section 6.3 (NFS mount with rsize=4096, caches of
 *           both machines dropped); fio on a mount measures the same.
 * Needs:    --url, --mount or --nfslab; libnfs for URLs; cold and warm:
 *           --local (the same file on this machine) or --nfslab.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deadline.h"
#include "err.h"
#include "lib/file_reading.h"

#ifdef HAVE_LIBNFS
#include <nfsc/libnfs.h>

/* These need the one above. */
#include <nfsc/libnfs-raw.h>

#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw-nfs4.h>
#endif

#define ANSWER	 28 /* bytes of one of RPC that says nothing, with its mark */
#define LARGE	 ((size_t)64 << 10) /* blocks that come on a busy connection */
#define OWN_NAME "oscost-remote"

/* As in netinet/tcp.h, which linux/tcp.h cannot stand beside. */
#define STATE_ESTABLISHED 1
#define STATE_CLOSE_WAIT  8

/* As scripts/netlab promises.  In the file: CPU of the server, URL, LOCAL. */
#define LAB_STATE "/run/oscost-nfs/lab"
#define LAB_SPACE "/run/netns/oscost-a"
#define LAB_WHY	  "OSCOST_NETLAB_WHY" /* run-all could make none */

static const char *const caches[] = { "cold", "warm", "direct", "unknown" };
#define UNKNOWN 3 /* of them */

/* The report's sizes are 4 MiB to 1 GiB; blocks are swept in the middle one. */
#define POINTS(but)                                                      \
	"where=$where cache=$caches order={sequential,random} "          \
	"file={4M,64M,1G}"                                               \
	" block={4K,64K,1M} stat={read,penalty,penalty_direct};"         \
	"not cache=direct where!=local;"                                 \
	"not block!=4K file!=64M; not block!=4K order=random;"           \
	"not block!=4K cache=direct; not block!=4K stat!=read;"          \
	"not stat!=read where=local; not stat!=read cache=unknown;"      \
	"not stat=penalty_direct cache!=cold;" but                       \
	"is switches; is derived if stat!=read;"                         \
	"is exclusive if cache=cold order=sequential or where!=local "   \
	"block!=4K;"                                                     \
	"penalty := read - [where=local stat=read];"                     \
	"penalty_direct := read - [where=local cache=direct stat=read];" \
	"is mean if stat=read cache=cold order=sequential;"              \
	"is median log if stat=read cache!=cold"                         \
	" or stat=read order=random"

/* Where a larger file shows that as well: cold and in sequence, a block that is
 * read when reading ahead is under way takes as long in 64 MiB as in 1 GiB. */
#define SHOWN "not cache=cold order=sequential file=64M block=4K;"

/* The estimate is, as in the report, a round trip, and the block at the
 * network's bandwidth, which is the slope between two large reads from the
 * server's memory. */
#define LARGE_READ(cache, block)                                           \
	"[cache=" cache " order=sequential file=64M block=" block " stat=" \
	"read]"
#define NETWORK(cache)                                                      \
	"where=$where stat={connect,null_call,estimate}; not where=local;"  \
	"is switches;"                                                      \
	"is median log if stat!=estimate;"                                  \
	"estimate := connect + 4096 * 1000000000 / bandwidth_bytes_per_s:(" \
	"(1M - 64K) * 1000000000 / (" LARGE_READ(                           \
		cache, "1M") " - " LARGE_READ(cache, "64K") "))"

/*
 * A file on an NFS server, read through libnfs: no mount, no privilege, no
 * cache and no read-ahead on this side, one call to the server for one read.
 * Each call is given up after 10 s; after one that failed all others fail at
 * once.
 *
 * All zero: nothing is open.
 */
struct nfs_client {
	struct nfs_context *nfs;
	struct nfsfh *file;
	uint64_t bytes; /* of the file */
	int version;	/* of the protocol: 3 or 4 */
	bool dead;	/* a call failed */
	char why[320];	/* after an error: one sentence */

	/* The call at hand; here, for it may be answered after we gave up. */
	bool done;
	int status;
	void *into, *answer;
	size_t room;
};

__attribute__((format(printf, 3, 4))) static int
give_up(struct nfs_client *c, int err, const char *fmt, ...)
{
	WITH_ARGS(vsnprintf(c->why, sizeof(c->why), fmt, ap));
	c->dead = true;
	return err;
}

#ifdef HAVE_LIBNFS

/* A server that needs longer is not there.  One that has died is noticed at
 * once. */
#define CALL_MS 10000
#define LOOK_MS 250 /* at the clock */

/* The message of libnfs, without the line ends that it may hold. */
static const char *says(struct nfs_client *c)
{
	char *text = nfs_get_error(c->nfs);

	if (!text || !*text)
		return "no reason given";
	for (char *p = text; *p; p++)
		if (*p < ' ')
			*p = ' ';
	return text;
}

/* The socket's errno; libnfs reports only failure.  Return: an errno value or
 * 0. */
static int look_at_socket(const struct pollfd *p)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (!(p->revents & (POLLERR | POLLHUP)))
		return 0;
	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return errno;
	return err ? err : p->revents & POLLIN ? 0 : ECONNRESET;
}

static void answered(int status, struct nfs_context *nfs, void *data,
		     void *private_data)
{
	struct nfs_client *c = private_data;

	c->status = status;
	c->answer = data;
	/* Bytes are counted by the status.  More than was asked for: not from
	 * an honest server. */
	if (status > 0 && (size_t)status > c->room)
		c->status = -EPROTO;
	else if (status > 0)
		memcpy(c->into, data, (size_t)status);
	c->done = true;
}

static void take_size(int status, struct nfs_context *nfs, void *data,
		      void *private_data)
{
	struct nfs_client *c = private_data;

	c->bytes = status < 0 ? 0 : ((struct nfs_stat_64 *)data)->nfs_size;
	answered(status, nfs, data, c);
}

static void null_answered(struct rpc_context *rpc, int status, void *data,
			  void *private_data)
{
	answered(status == RPC_STATUS_SUCCESS ? 0 : -EIO, NULL, data,
		 private_data);
}

/* Wait for the answer of a call, however slowly it drips in; @refused: the call
 * could not be sent. */
static int finish(struct nfs_client *c, int refused, const char *what)
{
	const int64_t deadline = deadline_in(CALL_MS);

	if (refused)
		return give_up(c, -EIO, "%s: %s", what, says(c));
	while (!c->done) {
		struct pollfd p = { nfs_get_fd(c->nfs),
				    (short)nfs_which_events(c->nfs), 0 };
		const int n = poll(&p, 1, LOOK_MS);
		const int err = n > 0			  ? look_at_socket(&p)
				: n < 0 && errno != EINTR ? errno
							  : 0;

		if (err)
			return give_up(c, -err, "%s: %s", what, strerror(err));
		if (n > 0 && nfs_service(c->nfs, p.revents) < 0)
			return give_up(c, -EIO, "%s: %s", what, says(c));
		if (!c->done && deadline_passed(deadline))
			return give_up(c, -ETIMEDOUT, "%s: no answer for %d s",
				       what, CALL_MS / 1000);
	}
	return c->status < 0 ? give_up(c, c->status, "%s: %s", what, says(c))
			     : 0;
}

/* The answer of @call, which answers to @c; it may be bytes for @buffer, of
 * @size. */
#define ASK(c, buffer, size, call, what)                              \
	((c)->done = false, (c)->into = (buffer), (c)->room = (size), \
	 finish(c, call, what))

static int mount_and_open(struct nfs_client *c, const struct nfs_url *url,
			  const char *address)
{
	int err = ASK(c, NULL, 0,
		      nfs_mount_async(c->nfs, address, url->path, answered, c),
		      url->server);

	if (!err)
		err = ASK(c, NULL, 0,
			  nfs_open_async(c->nfs, url->file, 0, answered, c),
			  url->file);
	if (err)
		return err;
	c->file = c->answer;
	return ASK(c, NULL, 0, nfs_fstat64_async(c->nfs, c->file, take_size, c),
		   url->file);
}

/* In a URL an address of IPv6 stands in brackets, and libnfs leaves them. */
static const char *without_brackets(char *host)
{
	const size_t len = strlen(host);

	if (len < 2 || host[0] != '[' || host[len - 1] != ']')
		return host;
	host[len - 1] = '\0';
	return host + 1;
}

/* Connect to the server of @url ("nfs://host/export/file" with libnfs's
 * arguments, as "?version=4&nfsport=20049"), open the file.  No other host is
 * contacted.  Return: 0, or -errno (-ENOSYS: built without libnfs) with c->why.
 */
static int nfs_client_open(struct nfs_client *c, const char *url)
{
	struct nfs_url *parts;
	int err;

	c->version = strstr(url + strcspn(url, "?"), "version=4") ? 4 : 3;
	c->nfs = nfs_init_context();
	if (!c->nfs)
		return give_up(c, -ENOMEM, "no memory for libnfs");
	parts = nfs_parse_url_full(c->nfs, url);
	if (!parts)
		return give_up(c, -EINVAL, "'%s' is no URL of a file: %s", url,
			       says(c));
	/* A lost server is an error here, not something to wait for. */
	nfs_set_autoreconnect(c->nfs, 0);
	nfs_set_tcp_syncnt(c->nfs, 2);
	/* It has no page cache unless a size is set: 0 makes it one page. */
	nfs_set_readahead(c->nfs, 0);
	err = mount_and_open(c, parts, without_brackets(parts->server));
	nfs_destroy_url(parts);
	return err;
}

/* Return: bytes read in one call, fewer than @len only if the server gave
 * fewer; or -errno as above. */
static ssize_t nfs_client_read(struct nfs_client *c, void *buffer, size_t len,
			       uint64_t offset)
{
	const int err = c->dead ? -ENOTCONN
				: ASK(c, buffer, len,
				      nfs_pread_async(c->nfs, c->file, offset,
						      len, answered, c),
				      "read");

	return err ? err : c->status;
}

/* NFS's procedure 0, which does nothing: a round trip through the RPC layers of
 * both ends.  Return: 0 or -errno. */
static int nfs_client_null(struct nfs_client *c)
{
	struct rpc_context *rpc = nfs_get_rpc_context(c->nfs);

	if (c->dead)
		return -ENOTCONN;
	return ASK(c, NULL, 0,
		   c->version == 4 ? rpc_nfs4_null_async(rpc, null_answered, c)
				   : rpc_nfs_null_async(rpc, null_answered, c),
		   "procedure 0");
}

/* The connection, for its counters; or -1. */
static int nfs_client_socket(const struct nfs_client *c)
{
	return c->nfs && !c->dead ? nfs_get_fd(c->nfs) : -1;
}

static void nfs_client_close(struct nfs_client *c)
{
	if (c->file && !c->dead)
		ASK(c, NULL, 0, nfs_close_async(c->nfs, c->file, answered, c),
		    "close");
	if (c->nfs)
		nfs_destroy_context(c->nfs);
	c->file = NULL;
	c->nfs = NULL;
}

#else /* nothing is ever open */

static int nfs_client_open(struct nfs_client *c, const char *url)
{
	return give_up(c, -ENOSYS,
		       "built without libnfs (libnfs-dev), so no URL can be "
		       "read");
}

#define nfs_client_read(c, buffer, len, offset) ((void)(buffer), -ENOSYS)
#define nfs_client_null(c)			((void)(c), -ENOSYS)
#define nfs_client_socket(c)			((void)(c), -1)
#define nfs_client_close(c)			((void)(c))

#endif

struct state {
	struct file_reading reading; /* first; of its files one is read */
	const char *url, *local;
	bool nfslab, mount;
	uint64_t bytes; /* of a file that is made */
	struct nfs_client nfs;
	int server_cpu; /* that the lab's server was put on, or -1 */
	struct tcp_info before;
};

/* The counters of a connection so far; 0 of none. */
static struct tcp_info traffic(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len);
	return info;
}

static int sample_connect(struct bench *b, void *state,
			  const struct bench_case *c)
{
	const struct state *s = state;
	struct sockaddr_storage peer = { 0 };
	socklen_t len = sizeof(peer);
	uint64_t ticks = 0;
	int fd, err, in_state;

	if (getpeername(nfs_client_socket(&s->nfs), (struct sockaddr *)&peer,
			&len))
		return bench_fail(b, ENOTCONN, "connect to the server");
	fd = socket(peer.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = connect(fd, (struct sockaddr *)&peer, len) ? errno
									: 0);
	in_state = traffic(fd).tcpi_state;
	if (fd >= 0)
		close(fd);
	if (err)
		return bench_fail(b, err, "connect to the server");
	bench_record(b, c, ticks);
	/* A server that has hung up already had answered. */
	bench_proof(b, c, "connections", 1,
		    in_state == STATE_ESTABLISHED ||
			    in_state == STATE_CLOSE_WAIT);
	return 0;
}

static int sample_null_call(struct bench *b, void *state,
			    const struct bench_case *c)
{
	struct state *s = state;
	const int fd = nfs_client_socket(&s->nfs);
	const uint64_t before = traffic(fd).tcpi_bytes_received;
	uint64_t ticks;
	int err;

	TIMER_INTERVAL(bench_timer(b)->method, ticks,
		       err = nfs_client_null(&s->nfs));
	if (err)
		return bench_fail(b, 0, "%s", s->nfs.why);
	bench_record(b, c, ticks);
	bench_least(b, c, "answer_bytes", ANSWER,
		    (double)(traffic(fd).tcpi_bytes_received - before));
	return 0;
}

/* One block over the network. */
static ssize_t by_nfs(struct file_reading *r, uint64_t offset)
{
	struct state *s = (struct state *)r;
	const ssize_t n =
		nfs_client_read(&s->nfs, r->buffers, r->point->block, offset);

	if (n >= 0)
		return n;
	r->why = s->nfs.why;
	errno = (int)-n;
	return -1;
}

static const struct file_way nfs_way = { .name = "nfs", .read = by_nfs };

static bool point(struct bench *b, void *state, struct bench_case *c)
{
	const struct state *s = state;
	struct file_point *t = c->data;

	if (case_is(c, "stat", "connect"))
		c->sample = sample_connect;
	if (case_is(c, "stat", "null_call"))
		c->sample = sample_null_call;
	if (!case_has(c, "cache"))
		return true;
	file_reading_point(b, state, c);
	if (t->far && !s->mount)
		t->way = &nfs_way;
	return true;
}

/* The ways that differ here. */
static void cases(struct bench *b, void *state)
{
	struct state *s = state;
	const char *const where[] = { s->nfslab	 ? "veth"
				      : s->mount ? "mount"
						 : "server",
				      "local" };
	const bool local = s->nfslab || s->local;

	bench_set_names(b, "where", where, sizeof(*where), local ? 2 : 1);
	bench_set_names(b, "caches", caches + (local ? 0 : UNKNOWN),
			sizeof(*caches), local ? UNKNOWN : 1);
	bench_points(b, !s->url && s->bytes >= 1 << 30 ? POINTS(SHOWN)
						       : POINTS(""));
	if (!s->mount) /* else the kernel's client: no connection of ours */
		bench_points(b, local ? NETWORK("warm") : NETWORK("unknown"));
}

/*
 * Where the file is.
 */

/* Read the answers of scripts/netlab into s->url, s->local and s->server_cpu;
 * enter its client's namespace. */
static int find_lab(struct bench *b, struct state *s)
{
	static char url[256], local[PATH_MAX];
	const char *why = getenv(LAB_WHY);
	FILE *f = fopen(LAB_STATE, "re");
	int fields, space, err;

	if (!f)
		return bench_skip(b, "no NFS server to measure: %s",
				  why ? why
				      : "make nfslab starts one (as root; "
					"needs nfs-ganesha and "
					"nfs-ganesha-vfs)");
	fields = fscanf(f, "%d %255s %4095[^\n]", &s->server_cpu, url, local);
	fclose(f);
	if (fields != 3)
		return bench_skip(b, LAB_STATE " is broken");
	s->url = url;
	s->local = local;
	space = open(LAB_SPACE, O_RDONLY | O_CLOEXEC);
	err = space < 0 || setns(space, CLONE_NEWNET) ? errno : 0;
	if (space >= 0)
		close(space);
	return err ? bench_skip(b,
				"may not enter the network namespace of "
				"scripts/netlab: %s",
				strerror(err))
		   : 0;
}

/* --local: what is there is only looked at, for it may be the user's. */
static int open_local(struct bench *b, struct state *s, struct file_data *f)
{
	const char *name = strrchr(s->local, '/');
	char dir[PATH_MAX] = ".";
	struct stat st;
	int err;

	if (name)
		snprintf(dir, sizeof(dir), "%.*s", (int)(name - s->local + 1),
			 s->local);
	if (stat(s->local, &st)) {
		err = file_data_open(b, f, dir, name ? name + 1 : s->local,
				     s->bytes);
	} else {
		snprintf(f->path, sizeof(f->path), "%s", s->local);
		f->bytes = (uint64_t)st.st_size;
		f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		err = f->fd < 0 ? -errno : 0;
		f->place = file_place_find(f->fd);
	}
	return err ? bench_fail(b, -err, "%s", f->why) : 0;
}

/* Without --local another program may have written the file. */
static int open_url(struct bench *b, struct state *s, struct file_data *f)
{
	char block[FILE_DATA_BLOCK];
	int err = nfs_client_open(&s->nfs, s->url);
	ssize_t got;

	if (err == -ENOSYS)
		return bench_skip(b, "%s", s->nfs.why);
	if (err)
		return bench_fail(b, 0, "%s", s->nfs.why);
	if (s->local && s->nfs.bytes != f->bytes)
		return bench_fail(b, 0,
				  "--local %s is not the remote file: it has "
				  "%ju bytes, not %ju",
				  s->local, (uintmax_t)f->bytes,
				  (uintmax_t)s->nfs.bytes);
	f->bytes = s->nfs.bytes / FILE_DATA_BLOCK * FILE_DATA_BLOCK;
	got = nfs_client_read(&s->nfs, block, sizeof(block), 0);
	if (got < 0)
		return bench_fail(b, 0, "%s", s->nfs.why);
	s->reading.unchecked =
		!s->local && (got < (ssize_t)sizeof(block) ||
			      !file_data_matches(block, sizeof(block), 0));
	return 0;
}

static int setup(struct bench *b, void *state)
{
	struct state *s = state;
	struct file_data *f = s->reading.file;
	int err = 0;

	if (!s->nfslab && !s->mount && !s->url)
		return bench_skip(b, "no remote file was given: make nfslab "
				     "(as root) starts a server and measures "
				     "it; or give --url or --mount");
	if (s->nfslab + s->mount + !!s->url != 1 || (s->local && !s->url))
		return bench_fail(b, 0,
				  "give one of --url, --mount and --nfslab; "
				  "--local is the file of --url as this "
				  "machine sees it");
	if (s->nfslab)
		err = find_lab(b, s);
	if (!err && s->mount &&
	    (err = file_data_open(b, f, NULL, OWN_NAME, s->bytes)))
		err = bench_fail(b, -err, "%s", f->why);
	if (!err && s->local)
		err = open_local(b, s, f);
	if (!err && s->url)
		err = open_url(b, s, f);
	if (err)
		return err;
	if (f->bytes < 4 << 20)
		return bench_fail(b, 0, "the file has less than 4 MiB");
	snprintf(f->why, sizeof(f->why), "the file has only %ju bytes",
		 (uintmax_t)f->bytes);
	err = file_reading_open(b, &s->reading);
	if (!err && s->mount && f->place.kind != FILE_PLACE_NETWORK)
		return bench_skip(b, "--dir is on no network file system: %s",
				  f->place.where);
	return err;
}

/*
 * A visit.
 */

/* The connection of large blocks that go over it one by one must be as busy as
 * that of cold ones: after a pause the first ones take longer. */
static int enter(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct file_reading *r = &s->reading;
	const struct file_point *t = c->data;
	uint64_t ticks;
	int err;

	if (!case_has(c, "cache"))
		return 0;
	s->before = traffic(nfs_client_socket(&s->nfs));
	err = file_reading_enter(b, state, c);
	if (t->way != &nfs_way || t->n > 1 || t->block < LARGE)
		return err;
	while (!err && r->blocks * t->block < READING_AHEAD) {
		err = file_reading_prepare(b, state, c);
		if (!err)
			err = file_reading_time(b, &s->reading, &ticks);
	}
	return err;
}

static int prepare(struct bench *b, void *state, const struct bench_case *c)
{
	return case_has(c, "cache") ? file_reading_prepare(b, state, c) : 0;
}

/* The bytes that came over the network, as the kernel counted them. */
static void leave(struct bench *b, void *state, const struct bench_case *c)
{
	struct state *s = state;
	const struct file_reading *r = &s->reading;
	const struct file_point *t = c->data;
	const struct tcp_info now = traffic(nfs_client_socket(&s->nfs));

	if (!case_has(c, "cache"))
		return;
	file_reading_leave(b, state, c);
	if (t->way != &nfs_way || !r->blocks)
		return;
	bench_fact(b, c, "nfs_version", s->nfs.version);
	if (s->nfslab && s->server_cpu >= 0)
		bench_fact(b, c, "server_cpu", s->server_cpu);
	bench_least(b, c, "wire_bytes", (double)(r->blocks * t->block),
		    (double)(now.tcpi_bytes_received -
			     s->before.tcpi_bytes_received));
	bench_least(b, c, "requests", (double)r->blocks,
		    now.tcpi_data_segs_out - s->before.tcpi_data_segs_out);
}

static void teardown(struct bench *b, void *state)
{
	struct state *s = state;

	nfs_client_close(&s->nfs);
}

static const struct opt options[] = {
	OPT_STR(0, "url", state, url, NULL,
		"read this file, nfs://HOST/EXPORT/FILE[?version=4], URL"),
	OPT_FLAG(0, "mount", state, mount,
		 "read a file in --dir, which is on a network file system, "
		 "flag"),
	OPT_FLAG(0, "nfslab", state, nfslab,
		 "read from the server of scripts/netlab, flag"),
	OPT_STR(0, "local", state, local, NULL,
		"the file of --url as this machine sees it; made if it is not "
		"there, path"),
	OPT_SIZE(0, "bytes", state, bytes, "64m", 4 << 20, 1 << 30,
		 "size of a file that is made, bytes"),
	OPT_END
};

const struct bench_desc bench_desc = {
	.many_cpus = true,
	.opts = options,
	.state_size = sizeof(struct state),
	.case_state_size = sizeof(struct file_point),
	.point = point,
	.cases = cases,
	.setup = setup,
	.enter = enter,
	.prepare = prepare,
	.sample = file_reading_sample,
	.leave = leave,
	.teardown = teardown,
};
