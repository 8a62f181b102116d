/* SPDX-License-Identifier: MIT */
#include "io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read(int fd, void *to, size_t len, off_t at)
{
	size_t done = 0;

	while (done < len) {
		char *const next = (char *)to + done;
		const ssize_t n =
			at < 0 ? read(fd, next, len - done)
			       : pread(fd, next, len - done, at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int io_write(int fd, const void *from, size_t len, off_t at)
{
	for (size_t done = 0; done < len;) {
		const char *const next = (const char *)from + done;
		const ssize_t n =
			at < 0 ? write(fd, next, len - done)
			       : pwrite(fd, next, len - done, at + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}
