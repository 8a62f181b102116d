/* SPDX-License-Identifier: MIT */
/* A task's calls: what their arguments mean. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "alloc.h"
#include "sysfile.h"
#include "task.h"

#define LINKS 40 /* that the kernel follows */

/* ---- Descriptors ------------------------------------------------------- */

/* The place of @fd; NULL: no descriptor has this number. */
static struct file **files_at(struct files *f, uint64_t fd)
{
	if (fd >= 1U << 20)
		return NULL;
	while (fd >= f->n) {
		f->at = text_grow(f->at, f->n, sizeof(struct file *));
		f->at[f->n++] = NULL;
	}
	return &f->at[fd];
}

static void file_drop(struct file **file)
{
	if (*file && !--(*file)->refs)
		free(*file);
	*file = NULL;
}

struct files *files_copy(const struct files *from)
{
	struct files *f = text_alloc(1, sizeof(*f));

	f->refs = 1;
	for (size_t fd = 0; fd < from->n; fd++) {
		*files_at(f, fd) = from->at[fd];
		if (from->at[fd])
			from->at[fd]->refs++;
	}
	return f;
}

void files_drop(struct files *f)
{
	if (!f || --f->refs)
		return;
	for (size_t fd = 0; fd < f->n; fd++)
		file_drop(&f->at[fd]);
	free(f->at);
	free(f);
}

static bool is_made_up(const char *path)
{
	static const unsigned int types[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC,	 CGROUP_SUPER_MAGIC,
		TRACEFS_MAGIC,	  DEBUGFS_MAGIC, CGROUP2_SUPER_MAGIC,
	};
	struct statfs fs;

	for (size_t i = 0;
	     !statfs(path, &fs) && i < sizeof(types) / sizeof(*types); i++)
		if ((unsigned int)fs.f_type == types[i])
			return true;
	return false;
}

static int socket_option(int fd, int option)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) ? -1 : value;
}

static unsigned int socket_kind(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	const int copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	const int domain = socket_option(copy, SO_DOMAIN);
	const int type = socket_option(copy, SO_TYPE);
	const bool ip = domain == AF_INET || domain == AF_INET6;

	close(process);
	close(copy);
	return domain == AF_UNIX	   ? KIND_UNIX
	       : ip && type == SOCK_STREAM ? KIND_TCP
	       : ip && type == SOCK_DGRAM  ? KIND_UDP
					   : KIND_SOCKET;
}

static unsigned int look_up_kind(const struct task *t, int fd)
{
	char path[64], link[64] = "";
	unsigned int number;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t->tid, fd);
	if (stat(path, &st))
		return KIND_BAD;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return is_made_up(path) ? KIND_PROC : KIND_FILE;
	case S_IFDIR:
		return is_made_up(path) ? KIND_PROC : KIND_DIR;
	case S_IFIFO:
		return KIND_PIPE;
	case S_IFSOCK:
		return socket_kind(t->pid, fd);
	case S_IFCHR:
		number = major(st.st_rdev);
		return st.st_rdev == makedev(1, 3) ? KIND_NULL
		       : number == 4 || number == 5 ||
				       (number >= 136 && number <= 143)
			       ? KIND_TTY
			       : KIND_OTHER;
	default:
		break;
	}
	if (readlink(path, link, sizeof(link) - 1) < 0)
		return KIND_BAD;
	return !strcmp(link, "anon_inode:[eventfd]")	 ? KIND_EVENTFD
	       : !strcmp(link, "anon_inode:[eventpoll]") ? KIND_EPOLL
	       : !strcmp(link, "anon_inode:[timerfd]")	 ? KIND_TIMERFD
							 : KIND_OTHER;
}

/* The file that @fd, an argument or result, is; NULL: it is not open. */
static struct file *describe(struct task *t, uint64_t fd)
{
	struct file **file = files_at(t->files, (uint32_t)fd);

	if (file && !*file) {
		const unsigned int kind = look_up_kind(t, (int)fd);

		if (kind == KIND_BAD)
			return NULL;
		*file = text_alloc(1, sizeof(struct file));
		**file = (struct file) { kind, 1 };
	}
	return file ? *file : NULL;
}

static unsigned int kind_of(struct task *t, uint64_t fd)
{
	const struct file *file = describe(t, fd);

	return file ? file->kind : KIND_BAD;
}

static bool is_open(pid_t tid, size_t fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%zu", (int)tid, fd);
	return !lstat(path, &st);
}

struct files *files_new(pid_t tid)
{
	struct task t = { .tid = tid, .pid = tid };
	struct file *file;

	t.files = text_alloc(1, sizeof(*t.files));
	t.files->refs = 1;
	for (size_t fd = 0; fd < 256; fd++)
		if (is_open(tid, fd) && (file = describe(&t, fd)))
			file->refs++;
	return t.files;
}

void task_exec(struct task *t)
{
	if (t->files->refs > 1) {
		struct files *f = files_copy(t->files);

		files_drop(t->files);
		t->files = f;
	}
	for (size_t fd = 0; fd < t->files->n; fd++)
		if (t->files->at[fd] && !is_open(t->tid, fd))
			file_drop(&t->files->at[fd]);
}

/* ---- Paths ------------------------------------------------------------- */

/* Where @t finds @path, for this process; relative to its directory @dir. */
static void place(char to[PATH_MAX], const struct task *t, int dir,
		  const char *path)
{
	char base[32] = "cwd";

	if (*path == '/')
		snprintf(base, sizeof(base), "root");
	else if (dir != AT_FDCWD)
		snprintf(base, sizeof(base), "fd/%d", dir);
	snprintf(to, PATH_MAX, "/proc/%d/%s/%s", (int)t->tid, base, path);
}

/* The names of @path as the kernel looks them up, with those of links, until
 * one is missing. */
static unsigned int walk(const struct task *t, int dir, const char *path,
			 bool follow)
{
	char at[PATH_MAX], link[PATH_MAX], rest[PATH_MAX];
	unsigned int n = 0, links = 0;
	size_t end;

	place(at, t, dir, "");
	if (*path == '/')
		place(at, t, dir, "/");
	snprintf(rest, sizeof(rest), "%s", path);
	for (;;) {
		const size_t begin = strspn(rest, "/");
		const size_t len = strcspn(rest + begin, "/");
		ssize_t got;

		if (!len)
			return n;
		n += len != 1 || rest[begin] != '.';
		end = strlen(at);
		snprintf(at + end, sizeof(at) - end, "/%.*s", (int)len,
			 rest + begin);
		memmove(rest, rest + begin + len,
			strlen(rest + begin + len) + 1);
		if (!*rest && !follow)
			return n;
		got = readlink(at, link, sizeof(link) - 1);
		if (got < 0 && errno == EINVAL)
			continue;
		if (got < 0 || ++links > LINKS)
			return n;
		link[got] = '\0';
		at[end] = '\0';
		if (*link == '/')
			place(at, t, dir, "/");
		snprintf(link + got, sizeof(link) - (size_t)got, "%s", rest);
		memcpy(rest, link, sizeof(rest));
	}
}

/* The path at @address of its memory, which is path @which of its call. */
static const char *read_path(struct task *t, int which, uint64_t address,
			     bool early)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *to = t->path[which];
	size_t n = 0;

	if (!to)
		to = t->path[which] = text_alloc(1, PATH_MAX);
	if (t->known[which])
		return to;
	t->known[which] = true;
	/* Read here, the task has no fault for it in the call. */
	if (early && address &&
	    !memory_present(t->memory, t->tid, address, address + 1))
		t->missed = address;
	memset(to, 0, PATH_MAX);
	while (address && n < PATH_MAX - 1) {
		size_t most = page - (address + n) % page;
		ssize_t got;

		if (most > PATH_MAX - 1 - n)
			most = PATH_MAX - 1 - n;
		got = memory_read(t->tid, address + n, to + n, most);
		if (got <= 0 || memchr(to + n, '\0', (size_t)got))
			break;
		n += (size_t)got;
	}
	return to;
}

/* ---- Calls ------------------------------------------------------------- */

struct form {
	const char *name, *args;
	bool waits;
	void (*enter)(struct task *t), (*leave)(struct task *t);
};

static uint64_t in_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page;
}

/* Pages that hold the contents of a file, which may have holes. */
static uint64_t file_pages(const struct stat *st)
{
	const uint64_t all = in_pages((uint64_t)st->st_size);
	const uint64_t there = in_pages((uint64_t)st->st_blocks * 512);

	return !S_ISREG(st->st_mode) ? 0 : all < there ? all : there;
}

/* A path among the arguments. */
struct argument {
	uint64_t address;
	int dir;
	bool follow;
};

/* The argument that has @letter; 0: none has. */
static uint64_t argument(const struct task *t, char letter)
{
	const char *at = strchr(t->form->args, letter);

	return at ? t->call.args[at - t->form->args] : 0;
}

static bool find_path(const struct task *t, int which, struct argument *a)
{
	a->dir = AT_FDCWD;
	for (int i = 0; t->form->args[i]; i++) {
		const char letter = t->form->args[i];

		if ((letter == 'p' || letter == 'n') && !which--) {
			a->address = t->call.args[i];
			a->follow = letter == 'p' &&
				    !(argument(t, 'F') & AT_SYMLINK_NOFOLLOW) &&
				    !(argument(t, 'O') & O_NOFOLLOW);
			return true;
		}
		a->dir = letter == 'd' ? (int)t->call.args[i] : AT_FDCWD;
	}
	return false;
}

/* What is at a path before the call changes it; st_nlink 0: nothing. */
static void look_before(struct task *t, int which)
{
	struct argument a;
	char path[PATH_MAX];

	if (!find_path(t, which, &a))
		return;
	place(path, t, a.dir, read_path(t, which, a.address, true));
	if (fstatat(AT_FDCWD, path, &t->before,
		    AT_NO_AUTOMOUNT | (a.follow ? 0 : AT_SYMLINK_NOFOLLOW)))
		t->before = (struct stat) { 0 };
	t->call.feature[PAGES] = file_pages(&t->before);
}

static uint64_t open_flags(const struct task *t)
{
	return strcmp(t->form->name, "creat") != 0 ? argument(t, 'O')
						   : O_CREAT | O_TRUNC;
}

static void enter_open(struct task *t)
{
	if (open_flags(t) & (O_CREAT | O_TRUNC))
		look_before(t, 0);
}

static void leave_open(struct task *t)
{
	const uint64_t flags = open_flags(t);
	struct call *c = &t->call;

	if (c->ret < 0)
		return;
	c->kind = kind_of(t, (uint64_t)c->ret);
	if (flags & O_PATH || (flags & O_TMPFILE) == O_TMPFILE)
		c->traits |= ODD;
	else if (flags & O_CREAT && !t->before.st_nlink)
		c->traits |= NEW;
	else if (flags & O_TRUNC && t->before.st_size > 0)
		c->traits |= REPLACED;
}

/* fstat() as libc makes it. */
static void leave_stat(struct task *t)
{
	if (*t->path[0])
		return;
	t->call.nr = SYS_fstat;
	t->call.kind = kind_of(t, t->call.args[0]);
}

static void leave_utimensat(struct task *t)
{
	if (t->call.args[1])
		return;
	t->call.traits |= EMPTY;
	t->call.kind = kind_of(t, t->call.args[0]);
}

static void enter_unlink(struct task *t)
{
	look_before(t, 0);
	if (t->before.st_nlink > 1)
		t->call.traits |= SHARED;
}

static void enter_rename(struct task *t)
{
	look_before(t, 0);
	if (S_ISDIR(t->before.st_mode))
		t->call.kind = KIND_DIR;
	look_before(t, 1);
	if (t->before.st_nlink)
		t->call.traits |= REPLACED;
}

static void enter_close(struct task *t)
{
	const struct file *file = describe(t, t->call.args[0]);

	if (file && file->refs > 1)
		t->call.traits |= SHARED;
}

static void leave_close(struct task *t)
{
	struct file **file = files_at(t->files, (uint32_t)t->call.args[0]);

	if (file && t->call.ret != -EBADF)
		file_drop(file);
}

static void leave_close_range(struct task *t)
{
	for (size_t fd = t->call.args[0];
	     !t->call.ret && fd < t->files->n && fd <= t->call.args[1]; fd++)
		file_drop(&t->files->at[fd]);
}

static void enter_dup(struct task *t)
{
	if (t->call.args[0] != t->call.args[1] && describe(t, t->call.args[1]))
		t->call.traits |= REPLACED;
}

static void leave_dup(struct task *t)
{
	struct file *file = describe(t, t->call.args[0]), **to;

	if (t->call.ret < 0 || !file)
		return;
	to = files_at(t->files, (uint64_t)t->call.ret);
	if (!to || *to == file)
		return;
	file_drop(to);
	*to = file;
	file->refs++;
}

static void leave_fcntl(struct task *t)
{
	if (t->call.nr == SYS_dup)
		leave_dup(t);
}

static void leave_unshare(struct task *t)
{
	if (!t->call.ret && t->call.args[0] & CLONE_FILES) {
		struct files *f = files_copy(t->files);

		files_drop(t->files);
		t->files = f;
	}
}

/* pipe() has a pair at its first argument, socketpair() at its last. */
static void leave_pipe(struct task *t)
{
	const int which = *t->form->name == 's' ? 3 : 0;
	int fd[2];

	if (t->call.ret || memory_read(t->tid, t->call.args[which], fd,
				       sizeof(fd)) != sizeof(fd))
		return;
	t->call.kind = kind_of(t, (uint64_t)fd[0]);
	describe(t, (uint64_t)fd[1]);
}

static void leave_socket(struct task *t)
{
	if (t->call.ret >= 0)
		t->call.kind = kind_of(t, (uint64_t)t->call.ret);
}

static void look_at_file(struct task *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t->tid,
		 (int)t->call.args[0]);
	if (t->call.kind != KIND_FILE || stat(path, &t->before))
		t->before = (struct stat) { 0 };
}

static void enter_write(struct task *t)
{
	look_at_file(t);
}

static void leave_write(struct task *t)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct call *c = &t->call;
	const uint64_t n = c->ret > 0 ? (uint64_t)c->ret : 0;
	const off_t size = t->before.st_size;
	const uint64_t had = in_pages((uint64_t)size);
	uint64_t at = 0;

	look_at_file(t);
	/* write() that enlarges a file ends at its end. */
	if (!strcmp(t->form->name, "pwrite64"))
		at = c->args[3];
	else if (t->before.st_size > size && (uint64_t)t->before.st_size >= n)
		at = (uint64_t)t->before.st_size - n;
	c->feature[PAGES] = in_pages(at % page + n);
	if (t->before.st_size > size && in_pages(at + n) > had) {
		const uint64_t more = in_pages(at + n) - had;

		c->feature[NEW_PAGES] =
			more < c->feature[PAGES] ? more : c->feature[PAGES];
		c->traits |= NEW;
	}
}

/* As if it began at a page. */
static void leave_read(struct task *t)
{
	if (t->call.ret > 0)
		t->call.feature[PAGES] = in_pages((uint64_t)t->call.ret);
}

/* Into a new file, as programs do. */
static void leave_copy(struct task *t)
{
	leave_read(t);
	t->call.feature[NEW_PAGES] = t->call.feature[PAGES];
}

static void leave_truncate(struct task *t)
{
	const uint64_t had = file_pages(&t->before);

	look_at_file(t);
	if (had > file_pages(&t->before))
		t->call.feature[PAGES] = had - file_pages(&t->before);
}

static void leave_getdents(struct task *t)
{
	static char bytes[1 << 16];
	const uint64_t end = t->call.ret > 0 ? (uint64_t)t->call.ret : 0;
	uint64_t done = 0;
	size_t at = 1;

	while (at && done < end) {
		const ssize_t got =
			memory_read(t->tid, t->call.args[1] + done, bytes,
				    end - done < sizeof(bytes)
					    ? (size_t)(end - done)
					    : sizeof(bytes));
		uint16_t len;

		/* Two numbers of 64 bits stand before the length. */
		for (at = 0; got > 0 && at + 18 <= (size_t)got; at += len) {
			memcpy(&len, bytes + at + 16, sizeof(len));
			if (!len || at + len > (size_t)got)
				break;
			t->call.feature[ENTRIES]++;
		}
		done += at;
	}
}

static void enter_mmap(struct task *t)
{
	const struct call *c = &t->call;

	if (c->traits & FIXED)
		t->call.feature[PAGES] =
			memory_present(t->memory, t->tid, c->args[0],
				       c->args[0] + c->args[1]);
}

static void leave_mmap(struct task *t)
{
	const struct call *c = &t->call;
	struct file *file;

	if (c->ret < 0)
		return;
	memory_forget(t->memory, (uint64_t)c->ret,
		      (uint64_t)c->ret + c->args[1]);
	file = c->traits & ANONYMOUS ? NULL : describe(t, c->args[4]);
	if (file)
		file->refs++; /* the mapping's */
}

static void leave_range(struct task *t)
{
	const struct call *c = &t->call;

	/* Other advice leaves the pages. */
	if (!c->ret && (c->traits & REMOVE || t->form->name[1] == 'u'))
		memory_forget(t->memory, c->args[0], c->args[0] + c->args[1]);
}

static void leave_mremap(struct task *t)
{
	const struct call *c = &t->call;

	memory_forget(t->memory, c->args[0], c->args[0] + c->args[1]);
	if (c->ret > 0)
		memory_forget(t->memory, (uint64_t)c->ret,
			      (uint64_t)c->ret + c->args[2]);
}

static void enter_brk(struct task *t)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t wanted = t->call.args[0], now = t->memory->brk;

	if (!wanted)
		t->call.traits |= EMPTY;
	if (wanted && wanted < now) {
		t->call.traits |= LESS;
		t->call.feature[PAGES] =
			memory_present(t->memory, t->tid,
				       in_pages(wanted) * page, now);
	}
}

static void leave_brk(struct task *t)
{
	const uint64_t now = (uint64_t)t->call.ret;

	if (t->call.traits & LESS)
		memory_forget(t->memory, now, t->memory->brk);
	t->memory->brk = now;
}

static void resident(struct task *t)
{
	memory_resident(t->tid, &t->call.feature[FILE_PAGES],
			&t->call.feature[ANONYMOUS_PAGES],
			&t->call.feature[MAPPINGS]);
}

static void enter_clone(struct task *t)
{
	const uint64_t odd = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
			     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
			     CLONE_NEWCGROUP;
	const char *name = t->form->name;

	t->flags = 0;
	if (!strcmp(name, "vfork"))
		t->flags = CLONE_VFORK | CLONE_VM;
	else if (!strcmp(name, "clone"))
		t->flags = t->call.args[0];
	else if (!strcmp(name, "clone3"))
		memory_read(t->tid, t->call.args[0], &t->flags,
			    sizeof(t->flags));
	t->call.traits = (t->flags & CLONE_VFORK ? VFORK : 0U) |
			 (t->flags & CLONE_VM ? MEMORY : 0U) |
			 (t->flags & odd ? ODD : 0U);
	if (!(t->flags & CLONE_VM))
		resident(t);
}

static void enter_exec(struct task *t)
{
	char path[PATH_MAX], two[2] = "";
	struct argument a;
	int fd;

	look_before(t, 0);
	if (!find_path(t, 0, &a))
		return;
	/* Its path is gone when it has succeeded. */
	t->call.feature[COMPONENTS] = walk(t, a.dir, t->path[0], true);
	place(path, t, a.dir, t->path[0]);
	t->rights = geteuid() &&
		    (t->before.st_mode & (S_ISUID | S_ISGID) ||
		     getxattr(path, "security.capability", NULL, 0) > 0);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && read(fd, two, 2) == 2 && !memcmp(two, "#!", 2))
		t->call.traits |= SCRIPT;
	close(fd);
	if (t->memory->refs == 1)
		resident(t);
}

/* Whether an interpreter was loaded with the program: AT_BASE. */
static void leave_exec(struct task *t)
{
	const uint64_t at_base = 7;
	uint64_t pair[64][2];
	char path[64];
	ssize_t got;
	int fd;

	t->call.kind = KIND_FILE;
	if (t->call.ret < 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)t->tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = read(fd, pair, sizeof(pair));
	close(fd);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*pair); i++)
		if (pair[i][0] == at_base && pair[i][1])
			t->call.traits |= DYNAMIC;
}

/* waitid() returns 0 for a child, too. */
static void leave_waitid(struct task *t)
{
	siginfo_t info = { 0 };

	if (t->call.args[2] &&
	    memory_read(t->tid, t->call.args[2], &info, sizeof(info)) > 0 &&
	    info.si_pid)
		t->call.traits &= ~(unsigned int)NOTHING;
}

#define CALL(name, args, waits, enter, leave) \
	{ name, args, waits, enter, leave },
#define ARGUMENT(call, n, mask, value, traits, as)
static const struct form forms[] = {
#include "calls.def"
};
#undef CALL
#undef ARGUMENT

#define CALL(name, args, waits, enter, leave)
#define ARGUMENT(call, n, mask, value, traits, as) \
	{ call, n, mask, value, traits, as },
static const struct {
	const char *call;
	int n;
	uint64_t mask, value;
	unsigned int traits;
	const char *as;
} arguments[] = {
#include "calls.def"
};

static const struct form *form_of(long nr)
{
	static const struct form *form[CALL_NUMBERS];
	static const struct form none = { "", "", false, NULL, NULL };
	static bool known;

	for (size_t i = 0; !known && i < sizeof(forms) / sizeof(*forms); i++) {
		const long number = call_number(forms[i].name);

		if (number >= 0)
			form[number] = &forms[i];
	}
	known = true;
	return nr >= 0 && nr < CALL_NUMBERS && form[nr] ? form[nr] : &none;
}

static void look_at_arguments(struct task *t)
{
	struct call *c = &t->call;

	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		if (strcmp(arguments[i].call, t->form->name) != 0 ||
		    (c->args[arguments[i].n] & arguments[i].mask) !=
			    arguments[i].value)
			continue;
		c->traits |= arguments[i].traits;
		if (arguments[i].as)
			c->nr = call_number(arguments[i].as);
	}
}

static int64_t switches(const struct task *t)
{
	return sysfile_number(0, "voluntary_ctxt_switches", "/proc/%d/status",
			      (int)t->tid);
}

/* Only what another task can keep waiting. */
static bool may_wait(const struct task *t)
{
	return t->form->waits &&
	       (*t->form->args != 'f' ||
		!(t->call.kind &
		  (KIND_FILE | KIND_DIR | KIND_PROC | KIND_NULL | KIND_BAD)));
}

void task_enter(struct task *t)
{
	struct call *c = &t->call;

	t->form = form_of(c->nr);
	t->known[0] = t->known[1] = false;
	t->before = (struct stat) { 0 };
	t->missed = 0;
	t->rights = false;
	c->traits = 0;
	c->kind = strchr(t->form->args, 'f') ? kind_of(t, argument(t, 'f'))
					     : KIND_BAD;
	memset(c->feature, 0, sizeof(c->feature));
	look_at_arguments(t);
	if (*t->form->args == 'm')
		c->feature[PAGES] =
			memory_present(t->memory, t->tid, c->args[0],
				       c->args[0] + c->args[1]);
	if (t->form->enter)
		t->form->enter(t);
	if (may_wait(t))
		t->switches = switches(t);
}

/* Files of proc and sysfs are made up when they are read. */
static unsigned int path_kind(struct task *t, const struct argument *a,
			      const char *path)
{
	const bool made_up =
		*path == '/'
			? !strncmp(path, "/proc/", 6) ||
				  !strncmp(path, "/sys/", 5)
			: a->dir != AT_FDCWD &&
				  kind_of(t, (uint64_t)a->dir) == KIND_PROC;

	return made_up ? KIND_PROC : KIND_FILE;
}

void task_leave(struct task *t)
{
	struct call *c = &t->call;
	struct argument a;

	for (int i = 0;
	     t->form->leave != leave_exec && i < 2 && find_path(t, i, &a);
	     i++) {
		const char *path = read_path(t, i, a.address, false);

		if (!*path)
			continue;
		c->feature[COMPONENTS] += walk(t, a.dir, path, a.follow);
		if (c->kind == KIND_BAD)
			c->kind = path_kind(t, &a, path);
	}
	/* The stop at its begin is a switch, too. */
	if (may_wait(t) && switches(t) > t->switches + 1)
		c->traits |= WAITED;
	if (!c->ret)
		c->traits |= NOTHING;
	c->feature[BYTES] = strchr(t->form->args, 'B') ? argument(t, 'B')
			    : c->ret > 0	       ? (uint64_t)c->ret
						       : 0;
	c->feature[DESCRIPTORS] = strchr(t->form->args, 'N') ? argument(t, 'N')
				  : c->ret > 0		     ? (uint64_t)c->ret
							     : 0;
	if (t->form->leave)
		t->form->leave(t);
}

bool task_catches(const struct task *t, int sig)
{
	char *text = sysfile_text("/proc/%d/status", (int)t->tid);
	const char *at = text ? strstr(text, "\nSigCgt:") : NULL;
	const unsigned long long caught = at ? strtoull(at + 8, NULL, 16) : 0;

	free(text);
	return sig > 0 && sig <= 64 && caught >> (sig - 1) & 1;
}
