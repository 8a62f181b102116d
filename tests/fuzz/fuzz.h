/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_H
#define FUZZ_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions that libFuzzer calls: once, and with each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_dir[PATH_MAX]; /* of the files; made by fuzz_begin() */

static inline void fuzz_remove(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", fuzz_dir);
	if (system(command))
		perror(fuzz_dir);
}

/* An empty directory below TMPDIR, which is removed at the end. */
static inline void fuzz_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(fuzz_dir, sizeof(fuzz_dir), "%s/fuzz-XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(fuzz_dir)) {
		perror(fuzz_dir);
		exit(1);
	}
	atexit(fuzz_remove);
}

/* The path of @name below the directory, with the directories above it; valid
 * until the next call. */
static inline const char *fuzz_path(const char *name)
{
	static char path[PATH_MAX + 256];

	snprintf(path, sizeof(path), "%s/%s", fuzz_dir, name);
	for (char *at = path + strlen(fuzz_dir) + 1; (at = strchr(at, '/'));
	     at++) {
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			abort();
		*at = '/';
	}
	return path;
}

static inline void fuzz_write(const char *name, const void *data, size_t size)
{
	const int fd = open(fuzz_path(name),
			    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* A copy of the file @from, or of its first bytes. */
static inline void fuzz_copy(const char *from, const char *name)
{
	char text[16384];
	FILE *f = fopen(from, "re");
	size_t len;

	if (!f)
		abort();
	len = fread(text, 1, sizeof(text), f);
	fclose(f);
	fuzz_write(name, text, len);
}

/* Write the parts of an input to the files in @names (up to NULL): a part
 * begins with a line "== NAME"; what is in no part has the first name.  Files
 * that have no part are not there. */
static inline void fuzz_unpack(const uint8_t *data, size_t size,
			       const char *const *names)
{
	const char *at = (const char *)data, *end = at + size;
	const char *name = names[0];

	for (size_t i = 0; names[i]; i++)
		unlink(fuzz_path(names[i]));
	while (at < end) {
		const char *part = memmem(at, (size_t)(end - at), "\n== ", 4);
		const char *next = part ? part + 1 : end;

		if (end - at > 3 && !memcmp(at, "== ", 3)) {
			const char *line =
				memchr(at, '\n', (size_t)(next - at));

			for (size_t i = 0; line && names[i]; i++)
				if ((size_t)(line - at - 3) ==
					    strlen(names[i]) &&
				    !memcmp(at + 3, names[i], strlen(names[i])))
					name = names[i];
			at = line ? line + 1 : next;
		}
		fuzz_write(name, at, (size_t)(next - at));
		at = next;
	}
}

#endif
