/* SPDX-License-Identifier: MIT */
/* Made-up calls, and the class that each of them is. */
#include "bill.h"
#include "tests.h"

static const char *class_of(const char *name, int64_t ret, unsigned int kind,
			    unsigned int traits)
{
	const struct call c = { .nr = call_number(name),
				.ret = ret,
				.kind = kind,
				.traits = traits };
	const int class = call_class(&c);

	return class < 0 ? NULL : operations[class].name;
}

#define IS(class, ...)                       \
	OK_STR(class_of(__VA_ARGS__), class, \
	       class ? class : "no class: " #__VA_ARGS__)

TEST(outcomes)
{
	IS("open", "openat", 3, KIND_FILE, 0);
	IS("open new file", "openat", 3, KIND_FILE, NEW);
	IS("open and truncate", "openat", 3, KIND_FILE, REPLACED);
	IS("open directory", "openat", 3, KIND_DIR, 0);
	IS("open ENOENT", "openat", -ENOENT, KIND_FILE, 0);
	IS(NULL, "openat", -EACCES, KIND_FILE, 0);
	IS("open file of proc", "openat", 3, KIND_PROC, 0);
	IS("getxattr ENODATA", "lgetxattr", -ENODATA, KIND_FILE, 0);
	IS("wait ECHILD", "wait4", -ECHILD, KIND_BAD, 0);
	IS(NULL, "wait4", -EINTR, KIND_BAD, 0);
}

TEST(kinds)
{
	IS("read", "read", 10, KIND_FILE, 0);
	IS("read at end of file", "read", 0, KIND_FILE, NOTHING);
	IS("read pipe", "read", 10, KIND_PIPE, 0);
	IS("read pipe, waited", "read", 10, KIND_PIPE, WAITED);
	IS("read pipe at end", "read", 0, KIND_PIPE, NOTHING | WAITED);
	IS("receive tcp", "read", 10, KIND_TCP, 0);
	IS("receive unix, waited", "recvfrom", 10, KIND_UNIX, WAITED);
	IS("read file of proc", "read", 10, KIND_PROC, 0);
	IS("read file of proc at end", "pread64", 0, KIND_PROC, NOTHING);
	IS(NULL, "read", 10, KIND_TTY, 0);
	IS("write /dev/null", "write", 10, KIND_NULL, 0);
	IS("write new pages", "write", 10, KIND_FILE, NEW);
	IS("close, file stays open", "close", 0, KIND_PIPE, SHARED);
	IS("close pipe", "close", 0, KIND_PIPE, 0);
	IS("close EBADF", "close", -EBADF, KIND_BAD, 0);
	IS("close file of proc", "close", 0, KIND_PROC, 0);
}

TEST(traits)
{
	IS("mmap anonymous", "mmap", 4096, KIND_BAD, ANONYMOUS);
	IS("mmap fixed anonymous", "mmap", 4096, KIND_BAD, ANONYMOUS | FIXED);
	IS("mmap fixed file", "mmap", 4096, KIND_FILE, FIXED);
	IS("mmap shared anonymous", "mmap", 4096, KIND_BAD, ANONYMOUS | SHARED);
	IS("mmap file", "mmap", 4096, KIND_FILE, SHARED);
	IS(NULL, "mmap", 4096, KIND_BAD, ANONYMOUS | ODD);
	IS("thread", "clone", 7, KIND_BAD, MEMORY);
	IS("vfork", "clone", 7, KIND_BAD, MEMORY | VFORK);
	IS("fork", "clone", 7, KIND_BAD, 0);
	IS(NULL, "clone", 7, KIND_BAD, ODD);
	IS("exit", "exit_group", 0, KIND_BAD, 0);
	IS("exit, memory stays", "exit", 0, KIND_BAD, MEMORY);
	IS("futex wake, nothing", "futex", 0, KIND_BAD, WAKE | NOTHING);
	IS("futex wait, waited", "futex", 0, KIND_BAD, WAIT | WAITED);
	IS(NULL, "futex", 0, KIND_BAD, 0);
	IS("fcntl F_SETLK", "fcntl", 0, KIND_FILE, LOCK);
	IS(NULL, "fcntl", 0, KIND_FILE, 0);
	IS("null call", "getpid", 7, KIND_BAD, 0);
	IS(NULL, "reboot", -EPERM, KIND_BAD, 0);
}

TEST(table)
{
	const struct call unknown = { .nr = CALL_NUMBERS + 1 };
	bool unique = true, known = true, narrow = true;

	for (int i = 0; i < OPERATIONS_N; i++) {
		char calls[256];

		for (int j = 0; j < i; j++)
			unique = unique && strcmp(operations[i].name,
						  operations[j].name) != 0;
		narrow = narrow && strlen(operations[i].name) <= 24;
		snprintf(calls, sizeof(calls), "%s", operations[i].calls);
		/* Some are missing on newer machines, but not all. */
		for (char *rest = calls, *name = strtok_r(rest, " ", &rest);
		     name; name = strtok_r(NULL, " ", &rest)) {
			known = call_number(name) >= 0;
			if (known)
				break;
		}
		OK(known, operations[i].name);
	}
	OK(unique, "each name stands there once");
	OK(narrow, "each fits into its column");
	OK(call_class(&unknown) < 0, "an unknown number has no class");
}
