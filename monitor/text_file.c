// SPDX-License-Identifier: MIT
#include "text_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_ROOM 16384

static int make_room(struct text_file *file, size_t need)
{
	size_t room = file->room ? file->room : FIRST_ROOM;
	char *text;

	while (room < need)
		room *= 2;
	if (room == file->room)
		return 0;
	text = realloc(file->text, room);
	if (!text)
		return -ENOMEM;
	file->text = text;
	file->room = room;
	return 0;
}

static long read_all(struct text_file *file, int fd)
{
	size_t n = 0;

	for (;;) {
		ssize_t got;
		const int err =
			n > TEXT_FILE_MAX ? -EFBIG : make_room(file, n + 2);

		if (err)
			return err;
		got = read(fd, file->text + n, file->room - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		n += (size_t)got;
		if (!got)
			break;
	}
	file->text[n] = '\0';
	return (long)n;
}

long text_file_read(struct text_file *file, const char *path)
{
	/* To open a FIFO would wait for who writes. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	long n;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		n = -errno;
	else
		n = S_ISREG(st.st_mode) ? read_all(file, fd) : -EINVAL;
	close(fd);
	return n;
}

void text_file_free(struct text_file *file)
{
	free(file->text);
	*file = (struct text_file) { 0 };
}

/* Behind "key " at the beginning of a line; NULL if there is none. */
static const char *find_key(const char *text, const char *key)
{
	const size_t n = strlen(key);

	for (const char *at = text; at; at = strchr(at, '\n')) {
		if (at != text)
			at++;
		if (!strncmp(at, key, n) && at[n] == ' ')
			return at + n + 1;
	}
	return NULL;
}

int text_file_number(const struct text_file *file, const char *key,
		     uint64_t *value)
{
	const char *at = key ? find_key(file->text, key) : file->text;

	if (!at || !isdigit((unsigned char)*at))
		return -EINVAL;
	errno = 0;
	*value = strtoull(at, NULL, 10);
	return errno ? -EINVAL : 0;
}
