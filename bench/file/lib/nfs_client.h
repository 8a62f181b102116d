/* SPDX-License-Identifier: MIT */
#ifndef NFS_CLIENT_H
#define NFS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

/* nfs_client_open() - connect to the server of @url ("nfs://host/export/file"
 * with libnfs's arguments, as "?version=4&nfsport=20049"), open the file.
 * No other host is contacted.  Return: 0, or -errno (-ENOSYS: built without
 * libnfs) with c->why. */
int nfs_client_open(struct nfs_client *c, const char *url);

/* nfs_client_read() - Return: bytes read in one call, fewer than @len only if
 * the server gave fewer; or -errno as above.  nfs_client_null() - NFS's
 * procedure 0, which does nothing: a round trip through the RPC layers of both
 * ends.  Return: 0 or -errno. */
ssize_t nfs_client_read(struct nfs_client *c, void *buffer, size_t len,
			uint64_t offset);
int nfs_client_null(struct nfs_client *c);

/* nfs_client_socket() - the connection, for its counters; or -1. */
int nfs_client_socket(const struct nfs_client *c);

/* nfs_client_close() - any state is fine. */
void nfs_client_close(struct nfs_client *c);

#ifndef HAVE_LIBNFS /* nothing is ever open */
#define nfs_client_read(c, buffer, len, offset) ((void)(buffer), -ENOSYS)
#define nfs_client_null(c)			((void)(c), -ENOSYS)
#define nfs_client_socket(c)			((void)(c), -1)
#define nfs_client_close(c)			((void)(c))
#endif

#endif
