// SPDX-License-Identifier: MIT
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

int sink_open(struct sink *sink, const char *path)
{
	struct stat st;

	*sink = (struct sink) { .name = path ? path : "standard output",
				.fd = STDOUT_FILENO };
	if (path) {
		sink->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				0666);
		if (sink->fd < 0)
			return -errno;
	}
	sink->regular = !fstat(sink->fd, &st) && S_ISREG(st.st_mode);
	sink->stream = open_memstream(&sink->text, &sink->size);
	return sink->stream ? 0 : -ENOMEM;
}

int sink_flush(struct sink *sink)
{
	off_t whole;
	int err;

	if (fflush(sink->stream))
		return -ENOMEM;
	if (sink->failed) {
		rewind(sink->stream);
		return 0;
	}
	whole = sink->regular ? lseek(sink->fd, 0, SEEK_CUR) : -1;
	err = io_write(sink->fd, sink->text, sink->size, -1);
	rewind(sink->stream);
	if (!err)
		return 0;
	sink->failed = true;
	/* Who appends to the file after us finds it as it was. */
	if (whole >= 0 && !ftruncate(sink->fd, whole))
		lseek(sink->fd, whole, SEEK_SET);
	return err;
}

int sink_close(struct sink *sink)
{
	int err = 0;

	if (sink->stream)
		fclose(sink->stream);
	free(sink->text);
	if (sink->fd > STDOUT_FILENO && close(sink->fd))
		err = -errno;
	sink->stream = NULL;
	return err;
}
