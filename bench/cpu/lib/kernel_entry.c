/* SPDX-License-Identifier: MIT */
#include "kernel_entry.h"

#include <elf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"

/* The dynamic section, with addresses of this process. */
struct image {
	const char *names;
	const Elf64_Sym *symbols;
	const uint32_t *hash;
	const uint32_t *gnu_hash;
	uintptr_t bias; /* what to add to an address in the file */
};

static const void *address_at(uintptr_t address)
{
	return (const void *)address; // NOLINT(performance-no-int-to-ptr)
}

/* The program headers give the bias and the dynamic section. */
static bool read_image(struct image *v, uintptr_t base)
{
	const Elf64_Ehdr *e = address_at(base);
	const Elf64_Phdr *p = address_at(base + e->e_phoff);
	const Elf64_Dyn *d = NULL;

	if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
	    e->e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned int i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			v->bias = base + p[i].p_offset - p[i].p_vaddr;
		else if (p[i].p_type == PT_DYNAMIC)
			d = address_at(base + p[i].p_offset);
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = address_at(v->bias + d->d_un.d_ptr);

		if (d->d_tag == DT_STRTAB)
			v->names = at;
		else if (d->d_tag == DT_SYMTAB)
			v->symbols = at;
		else if (d->d_tag == DT_HASH)
			v->hash = at;
		else if (d->d_tag == DT_GNU_HASH)
			v->gnu_hash = at;
	}
	return v->names && v->symbols && (v->hash || v->gnu_hash);
}

/* The GNU table does not say how many symbols there are: the last chain of
 * the bucket with the greatest start ends at the last one (bit 0 set). */
static uint32_t count_gnu(const uint32_t *table)
{
	const uint32_t buckets = table[0], first = table[1], words = table[2];
	const uint32_t *bucket = table + 4 + 2 * (size_t)words;
	const uint32_t *chain = bucket + buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < buckets; i++)
		if (bucket[i] > last)
			last = bucket[i];
	if (last < first)
		return first;
	while (!(chain[last - first] & 1))
		last++;
	return last + 1;
}

void *vdso_find(const char *name)
{
	const uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	struct image v = { 0 };
	uint32_t count;

	if (!base || !read_image(&v, base))
		return NULL;
	count = v.hash ? v.hash[1] : count_gnu(v.gnu_hash);
	for (uint32_t i = 0; i < count; i++) {
		const Elf64_Sym *s = &v.symbols[i];

		if (s->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    strcmp(v.names + s->st_name, name) == 0)
			return (void *)address_at(v.bias + s->st_value);
	}
	return NULL;
}

/* libc's _exit() uses exit_group, which strict mode does not let through. */
static void leave(int status)
{
	for (;;)
		raw_syscall(SYS_exit, status, 0, 0);
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* Strict mode would forbid RDTSC, too, and a sandbox need not have it. */
static int forbid_all(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog all = { sizeof(rules) / sizeof(*rules), rules };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

/* Fork a child that may be killed by what it tries.  Return: its process
 * number; 0 in the child; negative: none could be made. */
static pid_t try_in_child(void)
{
	const pid_t pid = fork();
	const struct rlimit none = { 0, 0 };

	if (pid)
		return pid;
	/* No core file, no handler of a sanitizer. */
	(void)setrlimit(RLIMIT_CORE, &none);
	(void)signal(SIGSEGV, SIG_DFL);
	(void)signal(SIGSYS, SIG_DFL);
	return 0;
}

enum { STAYS_OUT = 1, CANNOT_FORBID };

const char *probe_vdso(probe_fn *fn, void *data)
{
	const pid_t pid = try_in_child();
	int status, sig;

	if (!pid) {
		fn(data);
		if (forbid_all() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
			leave(CANNOT_FORBID);
		fn(data);
		leave(STAYS_OUT);
	}
	status = pid > 0 ? reap(pid) : -1;
	sig = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	/* By SIGKILL in strict mode, by SIGSYS through the filter. */
	if (sig == SIGKILL || sig == SIGSYS)
		return "the vDSO hands this to a system call";
	/* Strict mode forbids RDTSC, too. */
	if (sig == SIGSEGV || (status >= 0 && WIFEXITED(status) &&
			       WEXITSTATUS(status) == STAYS_OUT))
		return NULL;
	return "whether the vDSO makes a system call cannot be told: "
	       "prctl(PR_SET_SECCOMP) is refused";
}

const char *probe_int80(void)
{
	const pid_t pid = try_in_child();
	int status;

	if (pid < 0)
		return "no child could be forked to try int 0x80";
	if (!pid)
		_exit(raw_int80(INT80_GETPID, 0, 0, 0, 0) != getpid());
	status = reap(pid);
	if (status < 0)
		return "the child that tried int 0x80 could not be reaped";
	if (WIFSIGNALED(status))
		return "int 0x80 ends in a signal: this kernel has no IA-32 "
		       "emulation, or it is switched off";
	return WEXITSTATUS(status) ? "int 0x80 does not answer getpid: IA-32 "
				     "system calls are filtered here"
				   : NULL;
}
