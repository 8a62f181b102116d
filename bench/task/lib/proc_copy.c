/* SPDX-License-Identifier: MIT */
#include "proc_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

/* mk/process.mk makes the files, and says where they are. */
#define EMBED(symbol, file)                                          \
	__asm__(".pushsection .rodata\n" #symbol ": .incbin \"" file \
		"\"\n" #symbol "_end:\n"                             \
		".popsection\n");                                    \
	extern const char symbol[], symbol##_end[];

#define HELPERS(X)                          \
	X(embedded_true, "oscost-true")     \
	X(embedded_linked, "oscost-linked") \
	X(embedded_forker, "oscost-forker") \
	DYNAMIC(X)
#if ALL_IN_ONE /* for places that need have no dynamic linker */
#define DYNAMIC(X)
#else
#define DYNAMIC(X) X(embedded_hello, "oscost-hello")
#endif

HELPERS(EMBED)

static const struct {
	const char *name, *from, *to;
} helpers[] = {
#define HELPER(symbol, name) { name, symbol, symbol##_end },
	HELPERS(HELPER)
};

static int copy(const char *name, const char *path)
{
	size_t i = 0;
	int fd, err;

	while (i < sizeof(helpers) / sizeof(*helpers) &&
	       strcmp(helpers[i].name, name) != 0)
		i++;
	if (i == sizeof(helpers) / sizeof(*helpers))
		return -ENOENT;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return -errno;
	err = io_write(fd, helpers[i].from,
		       (size_t)(helpers[i].to - helpers[i].from), -1);
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
