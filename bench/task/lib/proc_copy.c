/* SPDX-License-Identifier: MIT */
#include "proc_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "multicall.h"

/* The path of a helper program.  Return: 0, or -ENOENT if there is none that
 * can be executed. */
static int find(const char *name, char *path, size_t size)
{
	static const char *const places[] = { "/../libexec/", "/" };
	const ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	slash = strrchr(path, '/'); /* the link is absolute */
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const size_t room = size - (size_t)(slash - path);

		if (snprintf(slash, room, "%s%s", places[i], name) >= (int)room)
			continue;
		if (access(path, X_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

static int copy_bytes(const char *from, int to)
{
	const int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	do
		n = sendfile(to, fd, NULL, INT_MAX & ~0xffff);
	while (n > 0);
	if (n < 0)
		n = -errno;
	close(fd);
	return (int)n;
}

static int copy(const char *name, const char *path)
{
	char from[PATH_MAX];
	/* The static file has them inside. */
	int err = multicall_write ? 0 : find(name, from, sizeof(from));
	int fd;

	if (err)
		return err;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return -errno;
	err = multicall_write ? multicall_write(name, fd)
			      : copy_bytes(from, fd);
	close(fd);
	return !err && access(path, X_OK) ? -errno : err;
}

int proc_copy_program(struct bench *b, const char *name, const char *path)
{
	const int err = copy(name, path);

	return err ? bench_skip(b, "%s cannot be put at %s and executed: %s",
				name, path, strerror(-err))
		   : 0;
}
