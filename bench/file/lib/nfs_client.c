/* SPDX-License-Identifier: MIT */
#include "nfs_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "deadline.h"
#include "err.h"

__attribute__((format(printf, 3, 4))) static int
give_up(struct nfs_client *c, int err, const char *fmt, ...)
{
	WITH_ARGS(vsnprintf(c->why, sizeof(c->why), fmt, ap));
	c->dead = true;
	return err;
}

#ifdef HAVE_LIBNFS

#include <nfsc/libnfs.h>

/* These need the one above. */
#include <nfsc/libnfs-raw.h>

#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw-nfs4.h>

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

int nfs_client_open(struct nfs_client *c, const char *url)
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

ssize_t nfs_client_read(struct nfs_client *c, void *buffer, size_t len,
			uint64_t offset)
{
	const int err = c->dead ? -ENOTCONN
				: ASK(c, buffer, len,
				      nfs_pread_async(c->nfs, c->file, offset,
						      len, answered, c),
				      "read");

	return err ? err : c->status;
}

int nfs_client_null(struct nfs_client *c)
{
	struct rpc_context *rpc = nfs_get_rpc_context(c->nfs);

	if (c->dead)
		return -ENOTCONN;
	return ASK(c, NULL, 0,
		   c->version == 4 ? rpc_nfs4_null_async(rpc, null_answered, c)
				   : rpc_nfs_null_async(rpc, null_answered, c),
		   "procedure 0");
}

int nfs_client_socket(const struct nfs_client *c)
{
	return c->nfs && !c->dead ? nfs_get_fd(c->nfs) : -1;
}

void nfs_client_close(struct nfs_client *c)
{
	if (c->file && !c->dead)
		ASK(c, NULL, 0, nfs_close_async(c->nfs, c->file, answered, c),
		    "close");
	if (c->nfs)
		nfs_destroy_context(c->nfs);
	c->file = NULL;
	c->nfs = NULL;
}

#else

int nfs_client_open(struct nfs_client *c, const char *url)
{
	return give_up(c, -ENOSYS,
		       "built without libnfs (libnfs-dev), so no URL can be "
		       "read");
}

#endif
