/* SPDX-License-Identifier: MIT */
#ifndef NFS_CLIENT_H
#define NFS_CLIENT_H

/*
 * A file on an NFS server, read through libnfs: no mount, no privilege, no
 * cache and no read-ahead on this side, one call to the server for one read.
 * Built without libnfs (HAVE_LIBNFS) it opens nothing and says so.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "bench.h"
#include "deadline.h"

#define NFS_CLIENT_WHY 320

struct nfs_context;
struct nfsfh;

/* All zero: nothing is open. */
struct nfs_client {
	const struct bench *b; /* asked whether the user wants to stop */
	struct nfs_context *nfs;
	struct nfsfh *file;
	uint64_t bytes;		  /* of the file */
	int version;		  /* of the protocol: 3 or 4 */
	bool dead;		  /* a call failed: all others fail at once */
	char why[NFS_CLIENT_WHY]; /* after an error: one sentence */

	/* The call at hand; here, for it may be answered after we gave up. */
	bool done;
	int status;
	void *into, *answer;
	size_t room;
};

__attribute__((format(printf, 3, 4))) static int
give_up(struct nfs_client *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
	c->dead = true;
	return err;
}

#ifdef HAVE_LIBNFS

#include <nfsc/libnfs.h>

/* These need the one above. */
#include <nfsc/libnfs-raw.h>

#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw-nfs4.h>

/* For the connection and the opening, and for one call: a server that needs
 * longer is not there.  One that has died is noticed at once. */
#define OPEN_MS 10000
#define CALL_MS 10000
#define LOOK_MS 250 /* at the clock, and whether to stop */

/* What libnfs says, without the line ends that it may hold. */
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

/* What the socket has against it, for libnfs only says that it failed.
 * Return: an errno value or 0. */
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

static void told_size(int status, struct nfs_context *nfs, void *data,
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
static int finish(struct nfs_client *c, int refused, int limit_ms,
		  const char *what)
{
	const int64_t deadline = deadline_in(limit_ms);

	if (refused)
		return give_up(c, -EIO, "%s: %s", what, says(c));
	while (!c->done) {
		struct pollfd p = { nfs_get_fd(c->nfs),
				    (short)nfs_which_events(c->nfs), 0 };
		const int n = poll(&p, 1, LOOK_MS);
		int err;

		if (bench_stopping(c->b))
			return give_up(c, -ECANCELED, "stopped");
		err = n > 0			? look_at_socket(&p)
		      : n < 0 && errno != EINTR ? errno
						: 0;
		if (err)
			return give_up(c, -err, "%s: %s", what, strerror(err));
		if (n > 0 && nfs_service(c->nfs, p.revents) < 0)
			return give_up(c, -EIO, "%s: %s", what, says(c));
		if (!c->done && deadline_passed(deadline))
			return give_up(c, -ETIMEDOUT, "%s: no answer for %d s",
				       what, limit_ms / 1000);
	}
	return c->status < 0 ? give_up(c, c->status, "%s: %s", what, says(c))
			     : 0;
}

/* The answer of @call, which answers to @c, no longer than @limit_ms; it may be
 * bytes for @into, of @size. */
#define ASK_FOR(c, buffer, size, call, limit_ms, what)                \
	((c)->done = false, (c)->into = (buffer), (c)->room = (size), \
	 finish(c, call, limit_ms, what))
#define ASK(c, call, limit_ms, what) ASK_FOR(c, NULL, 0, call, limit_ms, what)

static int mount_and_open(struct nfs_client *c, const struct nfs_url *url,
			  const char *address)
{
	struct nfs_context *nfs = c->nfs;
	int err = ASK(c, nfs_mount_async(nfs, address, url->path, answered, c),
		      OPEN_MS, url->server);

	if (!err)
		err = ASK(c, nfs_open_async(nfs, url->file, 0, answered, c),
			  CALL_MS, url->file);
	if (err)
		return err;
	c->file = c->answer;
	return ASK(c, nfs_fstat64_async(nfs, c->file, told_size, c), CALL_MS,
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

/* nfs_client_open() - connect to the server of @url ("nfs://host/export/file"
 * with libnfs's arguments, as "?version=4&nfsport=20049"), open the file.
 * Nobody else is contacted.  Takes some seconds at most.
 *
 * Return: 0; -EINVAL: no such URL; -ENOSYS: built without libnfs; -ECANCELED:
 * the user stopped us; another -errno.  The reason is in @c->why.
 */
static int nfs_client_open(struct nfs_client *c, const struct bench *b,
			   const char *url)
{
	struct nfs_url *parts;
	int err;

	c->b = b;
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

/* nfs_client_read() - Return: bytes read in one call, fewer than @len only if
 * the server gave fewer; or -errno as above. */
static ssize_t nfs_client_read(struct nfs_client *c, void *buffer, size_t len,
			       uint64_t offset)
{
	const int err =
		c->dead ? -ENOTCONN
			: ASK_FOR(c, buffer, len,
				  nfs_pread_async(c->nfs, c->file, offset, len,
						  answered, c),
				  CALL_MS, "read");

	return err ? err : c->status;
}

/* nfs_client_null() - NFS's procedure 0, which does nothing: a round trip
 * through the RPC layers of both ends.  Return: 0 or -errno. */
static int nfs_client_null(struct nfs_client *c)
{
	struct rpc_context *rpc = nfs_get_rpc_context(c->nfs);

	return c->dead ? -ENOTCONN
		       : ASK(c,
			     c->version == 4
				     ? rpc_nfs4_null_async(rpc, null_answered,
							   c)
				     : rpc_nfs_null_async(rpc, null_answered,
							  c),
			     CALL_MS, "procedure 0");
}

/* nfs_client_socket() - the connection, for its counters; or -1. */
static int nfs_client_socket(const struct nfs_client *c)
{
	return c->nfs && !c->dead ? nfs_get_fd(c->nfs) : -1;
}

/* nfs_client_close() - any state is fine. */
static void nfs_client_close(struct nfs_client *c)
{
	if (!c->nfs)
		return;
	if (c->file && !c->dead)
		ASK(c, nfs_close_async(c->nfs, c->file, answered, c), CALL_MS,
		    "close");
	c->file = NULL;
	nfs_destroy_context(c->nfs);
	c->nfs = NULL;
}

#else

static int nfs_client_open(struct nfs_client *c, const struct bench *b,
			   const char *url)
{
	return give_up(c, -ENOSYS,
		       "built without libnfs (libnfs-dev), so no URL can be "
		       "read");
}

/* Nothing is open. */
#define nfs_client_read(c, buffer, len, offset) ((ssize_t)-ENOSYS)
#define nfs_client_null(c)			(-ENOSYS)
#define nfs_client_socket(c)			((void)(c), -1)
#define nfs_client_close(c)			((void)(c))

#endif

#endif
