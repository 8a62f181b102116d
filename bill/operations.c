/* SPDX-License-Identifier: MIT */
/* The table of operations, and which row a call belongs to. */
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>

#include "call_names.h"
#include "operations.h"

#define OPERATION(id, name, calls, outcome, kinds, traits, ...) \
	{ #id, name, calls, outcome, kinds, traits, { __VA_ARGS__ } },
const struct operation operations[] = {
#include "operations.def"
};

const char *const feature_names[] = {
	[FEATURE_NONE] = "",
	[COMPONENTS] = "components",
	[BYTES] = "bytes",
	[NEW_PAGES] = "new pages",
	[PAGES] = "pages",
	[ENTRIES] = "entries",
	[DESCRIPTORS] = "descriptors",
	[FILE_PAGES] = "file pages",
	[ANONYMOUS_PAGES] = "anonymous pages",
	[MAPPINGS] = "mappings",
};

#define CALL_ENTRY(name) [SYS_##name] = #name,
static const char *const names[CALL_NUMBERS] = { CALL_NAMES(CALL_ENTRY) };

const char *call_name(long nr)
{
	return nr >= 0 && nr < CALL_NUMBERS ? names[nr] : NULL;
}

long call_number(const char *name)
{
	for (long nr = 0; nr < CALL_NUMBERS; nr++)
		if (names[nr] && !strcmp(names[nr], name))
			return nr;
	return -1;
}

/* Whether the blank-separated @list has the word @word. */
static bool has_word(const char *list, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ' ') &&
		    (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* The rows that have call @nr, a bit each; found at its first use. */
static const uint8_t *rows_of(long nr)
{
	static struct {
		bool known;
		uint8_t n, row[48];
	} rows[CALL_NUMBERS];
	static const uint8_t none[1];

	if (!call_name(nr))
		return none;
	if (!rows[nr].known) {
		for (int i = 0; i < OPERATIONS_N; i++)
			if (has_word(operations[i].calls, names[nr]) &&
			    rows[nr].n < sizeof(rows[nr].row) - 1)
				rows[nr].row[rows[nr].n++] = (uint8_t)(i + 1);
		rows[nr].known = true;
	}
	return rows[nr].row;
}

int operation_of(const struct call *c)
{
	const int64_t outcome = c->ret < 0 ? -c->ret : OK;

	for (const uint8_t *row = rows_of(c->nr); *row; row++) {
		const struct operation *op = &operations[*row - 1];

		if (op->outcome == outcome && !(c->traits & ODD) &&
		    (op->kinds == ANY || op->kinds & c->kind) &&
		    (op->traits & c->traits) == op->traits)
			return *row - 1;
	}
	return -1;
}

int operation_named(const char *name)
{
	for (int i = 0; i < OPERATIONS_N; i++)
		if (!strcmp(operations[i].name, name))
			return i;
	return -1;
}

const char *kind_name(unsigned int kind)
{
	static const char *const kinds[] = {
		"file",	   "directory", "proc",	  "pipe",    "tcp",
		"udp",	   "unix",	"socket", "eventfd", "epoll",
		"timerfd", "tty",	"null",	  "other",   "unknown",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kind == 1U << i)
			return kinds[i];
	return "";
}

unsigned int path_components(const char *path)
{
	unsigned int n = 0;

	while (*(path += strspn(path, "/"))) {
		const size_t len = strcspn(path, "/");

		n += len != 1 || *path != '.';
		path += len;
	}
	return n;
}
