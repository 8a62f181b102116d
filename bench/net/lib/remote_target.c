/* SPDX-License-Identifier: MIT */
#include "remote_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard.h"
#include "net_addr.h"
#include "sysfile.h"

#define CONNECT_MS 10000

/* As in netinet/tcp.h, which linux/tcp.h cannot stand beside. */
#define STATE_ESTABLISHED 1
#define STATE_CLOSE_WAIT  8

#define OWN_NAME "oscost-remote"

/* As scripts/nfslab promises.  In the file: PID DIRECTORY, or 0 REASON. */
#define LAB_STATE "/run/oscost-nfs/lab"
#define LAB_SPACE "oscost-a"
#define LAB_WHY	  "OSCOST_NETLAB_WHY" /* run-all could make no namespaces */
#define LAB_URL	  "nfs://10.78.0.2/oscost/%s?version=4&nfsport=20049"

const char *remote_target_label(const struct remote_options *o)
{
	return o->nfslab ? "veth" : o->dir ? "mount" : "server";
}

void remote_target_init(struct remote_target *t, struct bench *b,
			const struct remote_options *o)
{
	memset(t, 0, sizeof(*t));
	t->b = b;
	t->options = o;
	t->mounted = t->local = t->local_direct = t->plain = -1;
	t->server_cpu = -1;
	t->why_not_direct = "the local file is not known (--local)";
	nfs_client_init(&t->nfs, b);
	file_data_init(&t->made);
}

int remote_target_fail(struct remote_target *t, int err, const char *what)
{
	if (bench_stopping(t->b) || err == -ECANCELED)
		return 0;
	if (t->mounted < 0)
		return bench_fail(t->b, 0, "%s", t->nfs.why);
	return bench_fail(t->b, -err, "%s", what);
}

/* The file as it is seen without a network. */
static int open_local(struct remote_target *t, const char *path)
{
	struct bench *b = t->b;
	struct stat st;

	t->local = open(path, O_RDONLY | O_CLOEXEC);
	t->plain = open(path, O_RDONLY | O_CLOEXEC);
	if (t->local < 0 || t->plain < 0 || fstat(t->local, &st))
		return bench_fail(b, errno, "open %s", path);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != t->bytes)
		return bench_fail(b, 0,
				  "--local %s is not the remote file: it has "
				  "%jd bytes, not %ju",
				  path, (intmax_t)st.st_size,
				  (uintmax_t)t->bytes);
	if (file_place_find(&t->place, t->local))
		return bench_fail(b, errno, "find the mount of %s", path);
	t->why_not_direct = NULL;
	t->local_direct = file_direct_open(path, O_RDONLY, &t->why_not_direct);
	return t->local_direct >= 0 || t->why_not_direct /* those rows say it */
		       ? 0
		       : bench_fail(b, -t->local_direct,
				    "open %s with O_DIRECT", path);
}

static int open_url(struct remote_target *t, const char *url)
{
	const int err = nfs_client_open(&t->nfs, url);

	t->bytes = t->nfs.bytes;
	return !err		? 0
	       : err == -ENOSYS ? bench_skip(t->b, "%s", t->nfs.why)
				: bench_fail(t->b, 0, "%s", t->nfs.why);
}

/* In a run's directory the data of the other file programs, if it is of that
 * size. */
static const char *name_in(const struct remote_target *t, const char *dir)
{
	return t->options->bytes == FILE_DATA_BYTES &&
			       guard_marked(dir, BENCH_FILES_MARK)
		       ? FILE_DATA_NAME
		       : OWN_NAME;
}

/* The server that scripts/nfslab has started, and the directory @dir that it
 * exports.  Return: 0, or bench_skip(): there is none. */
static int find_lab(struct bench *b, char dir[4096], pid_t *server)
{
	const char *why = getenv(LAB_WHY);
	FILE *f = fopen(LAB_STATE, "re");
	int n;

	if (!f)
		return bench_skip(b, "no NFS server to measure: %s",
				  why ? why
				      : "make nfslab starts one (as root; "
					"needs nfs-ganesha and "
					"nfs-ganesha-vfs)");
	n = fscanf(f, "%d %4095[^\n]", server, dir);
	fclose(f);
	if (n == 2 && *server == 0) /* it says why */
		return bench_skip(b, "%s", dir);
	if (n != 2 || *server <= 1 || (kill(*server, 0) && errno == ESRCH))
		return bench_skip(b, "the server of scripts/nfslab has gone");
	return 0;
}

/* Put all threads of the server on the nearest CPU that does not measure, as
 * if it were another machine.  Return: that CPU, or -1: it runs where it
 * likes. */
static int place_lab(const struct bench *b, pid_t server)
{
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	size_t n = 0;
	pid_t *tids =
		cpu < 0 ? NULL : sysfile_pids(&n, "/proc/%d/task", (int)server);
	int placed = 0, refused = 0;

	/* Threads that begin later inherit it from one of these. */
	for (size_t i = 0; i < n; i++) {
		const int err = bench_bind(tids[i], &cpu, 1);

		refused += err && err != -ESRCH;
		placed += !err;
	}
	free(tids);
	return placed && !refused ? cpu : -1;
}

static int open_lab(struct remote_target *t)
{
	struct bench *b = t->b;
	char url[256], dir[4096];
	pid_t server = 0;
	int err = find_lab(b, dir, &server);

	if (err)
		return err;
	err = file_data_open(&t->made, dir, name_in(t, dir), t->options->bytes);
	if (err)
		return bench_skip(b, "%s: %s", t->made.why, strerror(-err));
	err = net_addr_enter(LAB_SPACE);
	if (err)
		return bench_skip(b,
				  "may not enter the network namespace of "
				  "scripts/nfslab: %s",
				  strerror(-err));
	t->server_cpu = place_lab(b, server);
	snprintf(url, sizeof(url), LAB_URL, strrchr(t->made.path, '/') + 1);
	t->known = true;
	err = open_url(t, url);
	return err ? err : open_local(t, t->made.path);
}

/* The file that is made in --remote-dir must not outlive us, nor what it is
 * called until it is whole. */
static int guard(struct bench *b, const char *dir, const char *name)
{
	char path[PATH_MAX], part[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >=
		    sizeof(path) ||
	    (size_t)snprintf(part, sizeof(part), FILE_DATA_PART, path,
			     (int)getpid()) >= sizeof(part))
		return bench_fail(b, ENAMETOOLONG, "--remote-dir %s", dir);
	bench_guard(b, "file", part);
	bench_guard(b, "file", path);
	return 0;
}

static int open_mount(struct remote_target *t)
{
	struct bench *b = t->b;
	const char *dir = t->options->dir, *why = NULL;
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[64];
	int err = fd < 0 ? -errno : file_place_find(&t->place, fd);

	if (fd >= 0)
		close(fd);
	if (err)
		return bench_fail(b, -err, "--remote-dir %s", dir);
	if (t->place.kind != FILE_PLACE_NETWORK)
		return bench_skip(b, "%s is no network file system: %s", dir,
				  t->place.where);
	snprintf(name, sizeof(name), OWN_NAME "-%d", (int)getpid());
	err = guard(b, dir, name);
	if (err)
		return err;
	err = file_data_open(&t->made, dir, name, t->options->bytes);
	if (err)
		return bench_skip(b, "%s: %s", t->made.why, strerror(-err));
	t->known = true;
	t->bytes = t->made.bytes;
	t->mounted = file_direct_open(t->made.path, O_RDONLY, &why);
	if (t->mounted < 0)
		return bench_skip(b, "%s: %s", dir,
				  why ? why : strerror(-t->mounted));
	return 0;
}

/* Also whether a file that somebody else made is one of ours. */
static int open_server(struct remote_target *t)
{
	_Alignas(FILE_DATA_ALIGN) static char block[FILE_DATA_BLOCK];
	const int err = open_url(t, t->options->url);
	ssize_t got;

	if (err)
		return err;
	got = remote_target_read(t, block, sizeof(block), 0);
	if (got < 0)
		return remote_target_fail(t, (int)got, "read");
	t->known = got == sizeof(block) &&
		   file_data_matches(block, sizeof(block), 0);
	return t->options->local ? open_local(t, t->options->local) : 0;
}

int remote_target_open(struct remote_target *t)
{
	const struct remote_options *o = t->options;

	if (!o->nfslab && !o->dir && !o->url)
		return bench_skip(t->b, "no remote file was given: make nfslab "
					"(as root) starts a server and "
					"measures it; or give --url or "
					"--remote-dir");
	if (o->nfslab + !!o->dir + !!o->url != 1)
		return bench_fail(t->b, 0,
				  "give one of --url, --remote-dir and "
				  "--nfslab");
	if (o->local && !o->url)
		return bench_fail(t->b, 0,
				  "--local is the file of --url as this "
				  "machine sees it");
	return o->nfslab ? open_lab(t)
	       : o->dir	 ? open_mount(t)
			 : open_server(t);
}

ssize_t remote_target_read(struct remote_target *t, void *buffer, size_t len,
			   uint64_t offset)
{
	ssize_t n;

	if (t->mounted < 0)
		return nfs_client_read(&t->nfs, buffer, len, offset);
	n = pread(t->mounted, buffer, len, (off_t)offset);
	return n < 0 ? -errno : n;
}

void remote_target_traffic(const struct remote_target *t,
			   struct remote_traffic *now)
{
	const int fd = nfs_client_socket(&t->nfs);
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	*now = (struct remote_traffic) { -1, -1 };
	if (fd < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return;
	if (len > offsetof(struct tcp_info, tcpi_data_segs_out)) {
		now->received_bytes = (int64_t)info.tcpi_bytes_received;
		now->sent_segments = info.tcpi_data_segs_out;
	}
}

/* connect() itself would wait for minutes: @fd does not block.  Return: 0 or
 * -errno. */
static int connect_to(int fd, const struct sockaddr_storage *peer,
		      socklen_t len)
{
	struct pollfd p = { fd, POLLOUT, 0 };
	socklen_t size = sizeof(int);
	int err = 0, n;

	if (!connect(fd, (const struct sockaddr *)peer, len))
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	n = poll(&p, 1, CONNECT_MS);
	if (n < 0 || (n && getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size)))
		return -errno;
	return n ? -err : -ETIMEDOUT;
}

int remote_target_connect(struct remote_target *t, uint64_t *ticks,
			  bool *established)
{
	const enum timer_method method = bench_timer(t->b)->method;
	const int nfs = nfs_client_socket(&t->nfs);
	struct sockaddr_storage peer = { 0 };
	socklen_t len = sizeof(peer), size = sizeof(struct tcp_info);
	struct tcp_info info = { 0 };
	int fd = -1, err = 0;

	if (nfs >= 0 && !getpeername(nfs, (struct sockaddr *)&peer, &len))
		fd = socket(peer.ss_family,
			    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return bench_fail(t->b, nfs < 0 ? ENOTCONN : errno,
				  "connect to the server");
	TIMER_INTERVAL(method, *ticks, err = connect_to(fd, &peer, len));
	/* A server that has hung up already had answered. */
	*established = !err &&
		       !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) &&
		       (info.tcpi_state == STATE_ESTABLISHED ||
			info.tcpi_state == STATE_CLOSE_WAIT);
	close(fd);
	if (!err || bench_stopping(t->b))
		return 0;
	return bench_fail(t->b, -err, "connect to the server");
}

void remote_target_close(struct remote_target *t)
{
	const int fds[] = { t->mounted, t->local, t->local_direct, t->plain };

	if (!t->b)
		return; /* setup() did not come so far */
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	nfs_client_close(&t->nfs);
	if (t->options->dir && t->made.fd >= 0)
		file_data_remove(&t->made);
	file_data_close(&t->made);
}
