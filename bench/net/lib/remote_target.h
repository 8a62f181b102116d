/* SPDX-License-Identifier: MIT */
#ifndef REMOTE_TARGET_H
#define REMOTE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bench.h"
#include "file_data.h"
#include "file_place.h"
#include "nfs_client.h"

/*
 * A file that lies on another machine, and how it is reached: through libnfs
 * from a URL, through a mounted directory, or through the server that
 * scripts/nfslab has started between two network namespaces; and the same file
 * as this machine sees it, where it does.
 */
struct remote_options {
	const char *url;
	const char *dir;
	const char *local;
	bool nfslab;
	uint64_t bytes; /* of the file that is made in @dir or in the lab */
};

struct remote_target {
	struct bench *b;
	const struct remote_options *options;
	struct nfs_client nfs;
	struct file_data made;	 /* the file that we made, there or here */
	uint64_t bytes;		 /* of the remote file */
	bool known;		 /* every word of it follows from its offset */
	int mounted;		 /* O_DIRECT on the mount, or -1 */
	int local, local_direct; /* or -1 */
	int plain; /* the local file, with a read-ahead of its own */
	const char *why_not_direct; /* the local file, or NULL */
	struct file_place place;    /* of the local file, or of the mount */
	int server_cpu; /* that the lab's server was put on, or -1 */
};

/* remote_target_label() - "veth" (the lab), "mount" or "server". */
const char *remote_target_label(const struct remote_options *o);

/* remote_target_init() - nothing open; remote_target_close() accepts it. */
void remote_target_init(struct remote_target *t, struct bench *b,
			const struct remote_options *o);

/* remote_target_open() - reach it.  Return: 0, bench_fail() or
 * bench_skip(). */
int remote_target_open(struct remote_target *t);

/* remote_target_read() - one call for @len bytes at @offset.  Return: bytes
 * or -errno. */
ssize_t remote_target_read(struct remote_target *t, void *buffer, size_t len,
			   uint64_t offset);

/* remote_target_fail() - bench_fail() after a call that returned @err. */
int remote_target_fail(struct remote_target *t, int err, const char *what);

/* What the connection has carried so far; -1 unknown. */
struct remote_traffic {
	int64_t received_bytes, sent_segments;
};

void remote_target_traffic(const struct remote_target *t,
			   struct remote_traffic *now);

/* remote_target_connect() - make and close a TCP connection to the server,
 * with the time of connect() to @ticks and whether there was one, as TCP says,
 * to @established.  Return: 0 or bench_fail(). */
int remote_target_connect(struct remote_target *t, uint64_t *ticks,
			  bool *established);

/* remote_target_close() - any state is fine; a file that was made in a
 * mounted directory is removed. */
void remote_target_close(struct remote_target *t);

#endif
