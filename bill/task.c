/* SPDX-License-Identifier: MIT */
/* A task's calls: what their arguments mean. */
#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "alloc.h"
#include "bill.h"
#include "sysfile.h"

#define LINKS 40 /* that the kernel follows */

/* A row of calls.def. */
typedef void step_fn(struct task *t, struct call *c);
struct form {
	const char *name, *args, *more;
	step_fn *enter, *leave;
};

/* ---- Descriptors ------------------------------------------------------- */

/* An open file: dup() and fork() share it. */
struct file {
	unsigned int kind;
	unsigned int refs; /* descriptors, and mappings or other processes */
};

struct files {
	unsigned int refs; /* tasks */
	size_t n;
	struct file **at; /* NULL: not open, or not looked up */
};

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

struct files *files_copy(struct files *from, bool same)
{
	struct files *f = same ? from : text_alloc(1, sizeof(*f));

	f->refs++;
	for (size_t fd = 0; !same && fd < from->n; fd++) {
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

/* From now on they are not shared with other threads. */
static void files_part(struct task *t)
{
	struct files *const f = files_copy(t->files, false);

	files_drop(t->files);
	t->files = f;
}

static unsigned int look_up_kind(const struct task *t, uint64_t fd)
{
	static const char types[] = "?pc?d?b?-???s???"; /* by S_IFMT */
	char path[64], is[64] = "";
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t->tid, (int)fd);
	if (stat(path, &st))
		return KIND_BAD;
	is[0] = types[(st.st_mode & S_IFMT) >> 12];
	if (S_ISCHR(st.st_mode))
		snprintf(is + 1, sizeof(is) - 1, "%u:%u", major(st.st_rdev),
			 minor(st.st_rdev));
	else if (S_ISSOCK(st.st_mode)) /* "TCPv6", "UNIX-STREAM", ... */
		getxattr(path, "system.sockprotoname", is + 1, sizeof(is) - 2);
	else if (readlink(path, is + 1, sizeof(is) - 2) < 0)
		return KIND_BAD;
	return kind_like(is);
}

/* The file that @fd, an argument or result, is; NULL: it is not open. */
static struct file *describe(struct task *t, uint64_t fd)
{
	struct file **file = files_at(t->files, (uint32_t)fd);

	if (file && !*file) {
		const unsigned int kind = look_up_kind(t, fd);

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

struct files *files_new(pid_t tid)
{
	struct task other = { .tid = tid };

	other.files = text_alloc(1, sizeof(*other.files));
	for (size_t fd = 0; fd < 256; fd++)
		describe(&other, fd);
	return files_copy(other.files, false);
}

void task_exec(struct task *t)
{
	files_part(t);
	for (size_t fd = 0; fd < t->files->n; fd++)
		if (t->files->at[fd] && look_up_kind(t, fd) == KIND_BAD)
			file_drop(&t->files->at[fd]);
}

/* ---- Arguments --------------------------------------------------------- */

static bool has(const struct task *t, char letter)
{
	return strchr(t->form->args, letter) || strchr(t->form->more, letter);
}

/* The argument that has @letter; @none: none has. */
static uint64_t argument(const struct task *t, char letter, uint64_t none)
{
	const char *at = strchr(t->form->args, letter);

	return at ? t->call.args[at - t->form->args] : none;
}

/* For a call that has none: as creat(). */
static uint64_t open_flags(const struct task *t)
{
	return argument(t, 'O', O_CREAT | O_TRUNC);
}

static uint64_t in_pages(uint64_t bytes)
{
	return (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
}

/* Pages that hold the contents of a file, which may have holes. */
static uint64_t file_pages(const struct stat *st)
{
	const uint64_t all = in_pages((uint64_t)st->st_size);
	const uint64_t there = in_pages((uint64_t)st->st_blocks * 512);

	return !S_ISREG(st->st_mode) ? 0 : all < there ? all : there;
}

/* ---- Paths ------------------------------------------------------------- */

/* The last path as this process can name it, as far as it was walked. */
static struct {
	char at[PATH_MAX];
	unsigned int names, links;
} walked;

/* Count the names of @path as the kernel looks them up, with those of links,
 * until one is missing.  Return: false: one was. */
static bool walk(const struct task *t, const char *path, bool follow)
{
	char link[PATH_MAX];

	if (*path == '/')
		snprintf(walked.at, PATH_MAX, "/proc/%d/root", (int)t->tid);
	while (*(path += strspn(path, "/"))) {
		const size_t end = strlen(walked.at), len = strcspn(path, "/");
		ssize_t got;

		walked.names += len != 1 || *path != '.';
		snprintf(walked.at + end, PATH_MAX - end, "/%.*s", (int)len,
			 path);
		path += len;
		if (!*path && !follow)
			return true;
		got = readlink(walked.at, link, sizeof(link) - 1);
		if (got < 0 && errno == EINVAL)
			continue;
		if (got < 0 || ++walked.links > LINKS)
			return false;
		link[got] = '\0';
		walked.at[end] = '\0';
		if (!walk(t, link, true))
			return false;
	}
	return true;
}

/* The path at @address of its memory.  It ends there or in the page behind,
 * which need not be there. */
static void read_path(const struct task *t, uint64_t address, char to[PATH_MAX])
{
	const size_t page = PAGE_SIZE - address % PAGE_SIZE;
	const size_t n = page < PATH_MAX ? page : PATH_MAX - 1;

	memset(to, 0, PATH_MAX);
	if (address && memory_read(t->tid, address, to, n) == (ssize_t)n &&
	    strlen(to) == n)
		memory_read(t->tid, address + n, to + n, PATH_MAX - 1 - n);
}

/* The kind of the path that was walked; a relative one began at @dir. */
static unsigned int path_kind(struct task *t, int dir)
{
	char root[64];
	const int n =
		snprintf(root, sizeof(root), "/proc/%d/root", (int)t->tid);

	if (!strncmp(walked.at, root, (size_t)n)) {
		snprintf(root, sizeof(root), "-%.60s", walked.at + n);
		return kind_like(root);
	}
	return dir != AT_FDCWD && kind_of(t, (uint64_t)dir) == KIND_PROC
		       ? KIND_PROC
		       : KIND_FILE;
}

/* The file that was walked to, before the call changes it. */
static void look_before(struct task *t, struct call *c)
{
	if (fstatat(AT_FDCWD, walked.at, &t->before,
		    walked.names ? AT_SYMLINK_NOFOLLOW : 0))
		t->before = (struct stat) { 0 };
	c->feature[PAGES] = file_pages(&t->before);
	c->traits &= ~(unsigned int)(SHARED | REPLACED);
	c->traits |= (t->before.st_nlink > 1 ? SHARED : 0U) |
		     (t->before.st_nlink ? REPLACED : 0U);
}

/* Argument @i is a path; @before the call, which changes what is there. */
static void take_path(struct task *t, struct call *c, int i, bool before)
{
	const char *args = t->form->args;
	const int dir =
		i && args[i - 1] == 'd' ? (int)c->args[i - 1] : AT_FDCWD;
	const bool follow = toupper(args[i]) == 'P' &&
			    !(argument(t, 'A', 0) & AT_SYMLINK_NOFOLLOW) &&
			    !(argument(t, 'O', 0) & O_NOFOLLOW);
	char path[PATH_MAX];

	/* Read here, the task has no fault for it in the call. */
	if (before && c->args[i] &&
	    !memory_present(NULL, t->tid, c->args[i], c->args[i] + 1))
		t->missed = c->args[i];
	read_path(t, c->args[i], path);
	if (!*path && !has(t, 'e'))
		return;
	walked.names = walked.links = 0;
	snprintf(walked.at, PATH_MAX,
		 dir == AT_FDCWD ? "/proc/%d/cwd" : "/proc/%d/fd/%d",
		 (int)t->tid, dir);
	walk(t, path, follow);
	c->feature[COMPONENTS] += walked.names;
	if (before)
		look_before(t, c);
	if (!*path) {
		c->traits |= EMPTY;
		c->kind = kind_of(t, (uint64_t)dir);
	} else if (c->kind == KIND_BAD) {
		c->kind = path_kind(t, dir);
	}
	if (before && c->kind == KIND_FILE && S_ISDIR(t->before.st_mode))
		c->kind = KIND_DIR;
}

/* Before the call those paths that it changes, after it the others. */
static void take_paths(struct task *t, bool before)
{
	const bool changes = open_flags(t) & (O_CREAT | O_TRUNC);

	for (int i = 0; t->form->args[i]; i++)
		if (strchr("pPnN", t->form->args[i]) &&
		    (changes && isupper(t->form->args[i])) == before)
			take_path(t, &t->call, i, before);
}

/* ---- Calls ------------------------------------------------------------- */

static void leave_open(struct task *t, struct call *c)
{
	const uint64_t flags = open_flags(t);

	if (c->ret < 0)
		return;
	if (flags & O_PATH || (flags & O_TMPFILE) == O_TMPFILE)
		c->traits |= ODD;
	else if (flags & O_CREAT && !t->before.st_nlink)
		c->traits |= NEW;
	else if (!(flags & O_TRUNC) || !t->before.st_size)
		c->traits &= ~(unsigned int)REPLACED;
}

static void leave_close(struct task *t, struct call *c)
{
	struct file **file = files_at(t->files, (uint32_t)c->args[0]);

	if (!file || !*file)
		return;
	if ((*file)->refs > 1)
		c->traits |= SHARED;
	if (c->ret != -EBADF)
		file_drop(file);
}

static void leave_close_range(struct task *t, struct call *c)
{
	if (c->ret)
		return;
	if (c->args[2] & CLOSE_RANGE_UNSHARE)
		files_part(t);
	if (c->args[2] & CLOSE_RANGE_CLOEXEC)
		return;
	for (size_t fd = c->args[0]; fd < t->files->n && fd <= c->args[1]; fd++)
		file_drop(&t->files->at[fd]);
}

static void leave_unshare(struct task *t, struct call *c)
{
	if (!c->ret && c->args[0] & CLONE_FILES)
		files_part(t);
}

static void enter_dup(struct task *t, struct call *c)
{
	if (c->args[0] != c->args[1] && describe(t, c->args[1]))
		c->traits |= REPLACED;
}

static void leave_dup(struct task *t, struct call *c)
{
	struct file *file = describe(t, c->args[0]), **to;

	if (c->ret < 0 || !file || c->nr == SYS_fcntl)
		return;
	to = files_at(t->files, (uint64_t)c->ret);
	if (!to || *to == file)
		return;
	file_drop(to);
	*to = file;
	file->refs++;
}

static void leave_pipe(struct task *t, struct call *c)
{
	int fd[2];

	if (c->ret || memory_read(t->tid, argument(t, '2', 0), fd,
				  sizeof(fd)) != sizeof(fd))
		return;
	c->kind = kind_of(t, (uint64_t)fd[0]);
	describe(t, (uint64_t)fd[1]);
}

static void look_at_file(struct task *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)t->tid,
		 (int)t->call.args[0]);
	if (t->call.kind != KIND_FILE || stat(path, &t->before))
		t->before = (struct stat) { 0 };
}

static void leave_write(struct task *t, struct call *c)
{
	const uint64_t n = c->ret > 0 ? (uint64_t)c->ret : 0;
	const off_t size = t->before.st_size;
	uint64_t at = argument(t, '@', 0), more = 0;

	look_at_file(t);
	/* A write that enlarges a file ends at its end. */
	if (t->before.st_size > size) {
		at = (uint64_t)t->before.st_size - n;
		more = in_pages(at + n) - in_pages((uint64_t)size);
		if (more)
			c->traits |= NEW;
	}
	c->feature[PAGES] = in_pages(at % PAGE_SIZE + n);
	c->feature[NEW_PAGES] =
		more < c->feature[PAGES] ? more : c->feature[PAGES];
}

static void leave_truncate(struct task *t, struct call *c)
{
	const uint64_t had = file_pages(&t->before);

	look_at_file(t);
	if (had > file_pages(&t->before))
		c->feature[PAGES] = had - file_pages(&t->before);
}

static void leave_getdents(struct task *t, struct call *c)
{
	const size_t most = c->ret > 0 ? (size_t)c->ret : 0;
	char *bytes = text_alloc(1, most + 18);
	const ssize_t end = memory_read(t->tid, c->args[1], bytes, most);
	uint16_t len = 1;

	/* Two numbers of 64 bits stand before the length. */
	for (ssize_t at = 0; at < end && len; at += len) {
		memcpy(&len, bytes + at + 16, sizeof(len));
		c->feature[ENTRIES]++;
	}
	free(bytes);
}

static void leave_map(struct task *t, struct call *c)
{
	struct file *file = NULL;

	if (c->ret < 0)
		return;
	memory_forget(t->memory, (uint64_t)c->ret,
		      (uint64_t)c->ret + argument(t, 'l', 0));
	if (has(t, 'f') && !(c->traits & ANONYMOUS))
		file = describe(t, c->args[4]);
	if (file)
		file->refs++; /* the mapping's */
}

static void enter_brk(struct task *t, struct call *c)
{
	const uint64_t wanted = c->args[0], now = t->memory->brk;

	if (!wanted) {
		c->traits |= EMPTY;
	} else if (wanted < now) {
		c->traits |= LESS;
		c->feature[PAGES] =
			memory_present(t->memory, t->tid,
				       in_pages(wanted) * PAGE_SIZE, now);
	}
}

static void leave_brk(struct task *t, struct call *c)
{
	if (c->traits & LESS)
		memory_forget(t->memory, (uint64_t)c->ret, t->memory->brk);
	t->memory->brk = (uint64_t)c->ret;
}

static void enter_clone(struct task *t, struct call *c)
{
	const uint64_t odd = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC |
			     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET |
			     CLONE_NEWCGROUP;

	t->makes = true;
	t->flags = has(t, 'v') ? CLONE_VFORK | CLONE_VM : argument(t, 'c', 0);
	if (has(t, '3'))
		memory_read(t->tid, c->args[0], &t->flags, sizeof(t->flags));
	c->traits = (t->flags & CLONE_VFORK ? VFORK : 0U) |
		    (t->flags & CLONE_VM ? MEMORY : 0U) |
		    (t->flags & odd ? ODD : 0U);
	if (!(t->flags & CLONE_VM))
		memory_resident(t->tid, true, c->feature);
}

static void enter_exec(struct task *t, struct call *c)
{
	char line[256];

	if (geteuid() &&
	    (t->before.st_mode & (S_ISUID | S_ISGID) ||
	     getxattr(walked.at, "security.capability", NULL, 0) > 0))
		c->traits |= RIGHTS;
	if (sysfile_line(line, sizeof(line), "%s", walked.at) > 0 &&
	    !strncmp(line, "#!", 2))
		c->traits |= SCRIPT;
	if (t->memory->refs == 1)
		memory_resident(t->tid, false, c->feature);
}

/* Whether an interpreter was loaded with the program. */
static void leave_exec(struct task *t, struct call *c)
{
	void *text =
		c->ret < 0 ? NULL : sysfile_text("/proc/%d/auxv", (int)t->tid);

	c->kind = KIND_FILE;
	for (const uint64_t *pair = text; pair && *pair; pair += 2)
		if (pair[0] == AT_BASE && pair[1])
			c->traits |= DYNAMIC;
	free(text);
}

/* waitid() returns 0 for a child, too. */
static void leave_waitid(struct task *t, struct call *c)
{
	siginfo_t info = { 0 };

	if (c->args[2] &&
	    memory_read(t->tid, c->args[2], &info, sizeof(info)) > 0 &&
	    info.si_pid)
		c->traits &= ~(unsigned int)NOTHING;
}

#define CALL(...) { __VA_ARGS__ },
#define ARGUMENT(...)
static const struct form forms[] = {
#include "calls.def"
	{ "", "", "", NULL, NULL },
};

#define CALL(...)
#define ARGUMENT(...) { __VA_ARGS__ },
static const struct {
	const char *call;
	int n;
	uint64_t mask, value;
	unsigned int traits;
	const char *as;
} arguments[] = {
#include "calls.def"
};

/* Find the call's form, and what its numbers mean. */
static void look_at_arguments(struct task *t, struct call *c)
{
	const char *name = call_name(c->made) ?: "";

	t->form = forms;
	while (*t->form->name && strcmp(t->form->name, name) != 0)
		t->form++;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		if (strcmp(arguments[i].call, name) != 0 ||
		    (c->args[arguments[i].n] & arguments[i].mask) !=
			    arguments[i].value)
			continue;
		c->traits |= arguments[i].traits;
		if (arguments[i].as)
			c->nr = call_number(arguments[i].as);
	}
	if (has(t, 'f'))
		c->kind = kind_of(t, argument(t, 'f', 0));
	if (has(t, 'm') && c->args[0])
		c->feature[PAGES] =
			memory_present(t->memory, t->tid, c->args[0],
				       c->args[0] + c->args[1]);
}

/* Read only where another task can keep this one waiting. */
static int64_t switches(const struct task *t)
{
	return has(t, 'w') && !(t->call.kind &
				(KIND_FILE | KIND_DIR | KIND_PROC | KIND_NULL))
		       ? sysfile_number(-1, "voluntary_ctxt_switches",
					"/proc/%d/status", (int)t->tid)
		       : -1;
}

void task_enter(struct task *t)
{
	struct call *c = &t->call;

	c->nr = c->made;
	c->kind = KIND_BAD;
	c->traits = 0;
	memset(c->feature, 0, sizeof(c->feature));
	t->before = (struct stat) { 0 };
	t->missed = t->flags = 0;
	*walked.at = '\0';
	look_at_arguments(t, c);
	if (has(t, 's'))
		look_at_file(t);
	take_paths(t, true);
	if (t->form->enter)
		t->form->enter(t, c);
	t->switches = switches(t);
}

void task_leave(struct task *t)
{
	struct call *c = &t->call;
	const uint64_t result = c->ret > 0 ? (uint64_t)c->ret : 0;

	take_paths(t, false);
	/* The stop at its begin is a switch, too. */
	if (t->switches >= 0 && switches(t) > t->switches + 1)
		c->traits |= WAITED;
	if (!c->ret)
		c->traits |= NOTHING;
	c->feature[BYTES] = argument(t, 'B', result);
	c->feature[DESCRIPTORS] = argument(t, 'D', result);
	if (has(t, 'r'))
		c->feature[PAGES] = c->feature[NEW_PAGES] = in_pages(result);
	if (has(t, 'o') && c->ret >= 0)
		c->kind = kind_of(t, result);
	if (has(t, 'g') || (has(t, 'm') && !c->ret && c->traits & REMOVE))
		memory_forget(t->memory, c->args[0], c->args[0] + c->args[1]);
	if (t->form->leave)
		t->form->leave(t, c);
}

bool task_catches(const struct task *t, int sig)
{
	char *text = sysfile_text("/proc/%d/status", (int)t->tid);
	const char *at = field_behind(text, "SigCgt");
	const unsigned long long caught = at ? strtoull(at, NULL, 16) : 0;

	free(text);
	return sig > 0 && sig <= 64 && caught >> (sig - 1) & 1;
}
