/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define NOT_REGULAR ESPIPE /* no error of open() or read() */

const char *input_error(int err)
{
	if (err == NOT_REGULAR)
		return "expected a regular file, no link, FIFO, device or "
		       "directory";
	return err == EFBIG ? "too large for a file of this suite"
			    : strerror(err);
}

/* Return: a descriptor or -errno. */
static int open_regular(const char *path, enum input_links links, off_t most,
			off_t *size)
{
	const bool follow = links == INPUT_LINK;
	struct stat st;
	int fd, err;

	/* Opening alone already does something to some devices. */
	if (fstatat(AT_FDCWD, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -NOT_REGULAR;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
				(follow ? 0 : O_NOFOLLOW));
	if (fd < 0)
		return -errno;
	/* It may have been replaced meanwhile. */
	err = fstat(fd, &st)	     ? -errno
	      : !S_ISREG(st.st_mode) ? -NOT_REGULAR
	      : st.st_size > most    ? -EFBIG
				     : 0;
	*size = st.st_size;
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int open_stream(struct input *in, const char *path,
		       enum input_links links, off_t most)
{
	int fd;

	*in = (struct input) { 0 };
	fd = open_regular(path, links, most, &in->size);
	if (fd < 0)
		return fd;
	in->f = fdopen(fd, "r");
	if (in->f)
		return 0;
	close(fd);
	return -ENOMEM;
}

int input_open(struct input *in, const char *path, enum input_links links)
{
	int err = open_stream(in, path, links, INPUT_FILE_MAX);

	in->line = err ? NULL : text_alloc(INPUT_LINE_MAX + 1, 1);
	return err;
}

bool input_next(struct input *in)
{
	int c = 0;

	in->begin = in->at;
	in->len = 0;
	in->whole = in->too_long = false;
	while (!in->whole && in->at < in->size &&
	       (c = getc_unlocked(in->f)) != EOF) {
		in->at++;
		in->whole = c == '\n';
		if (in->len < INPUT_LINE_MAX)
			in->line[in->len++] = (char)c;
		else
			in->too_long = true;
	}
	in->line[in->len] = '\0';
	in->number++;
	return in->len;
}

void input_seek(struct input *in, off_t begin)
{
	/* Where it fails, so does reading. */
	if (!fseeko(in->f, begin, SEEK_SET))
		in->at = begin;
}

int input_close(struct input *in)
{
	const int err = ferror(in->f) ? -EIO : 0;

	fclose(in->f);
	free(in->line);
	*in = (struct input) { 0 };
	return err;
}

char *input_text(const char *path, enum input_links links, size_t *len)
{
	struct input in;
	int err = open_stream(&in, path, links, INPUT_TEXT_MAX);
	char *text;
	size_t got;

	if (err) {
		errno = -err;
		return NULL;
	}
	text = text_alloc((size_t)in.size + 1, 1);
	got = fread(text, 1, (size_t)in.size, in.f);
	err = input_close(&in);
	if (err) {
		free(text);
		errno = -err;
		return NULL;
	}
	if (len)
		*len = got;
	return text;
}
