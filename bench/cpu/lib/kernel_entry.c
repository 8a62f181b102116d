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

static const void *address_at(uintptr_t address)
{
	return (const void *)address; // NOLINT(performance-no-int-to-ptr)
}

/* The program headers lead to the dynamic section, and that to the symbols,
 * behind which their names lie: the kernel links the vDSO in that order
 * (vdso-layout.lds.S). */
void *vdso_find(const char *name)
{
	const uintptr_t base = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *const e = address_at(base);
	const Elf64_Phdr *const p = base ? address_at(base + e->e_phoff) : NULL;
	const Elf64_Sym *symbols = NULL;
	const Elf64_Dyn *d = NULL;
	const char *names = NULL;
	uintptr_t bias = 0; /* what to add to an address in the file */

	for (unsigned int i = 0; p && i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			bias = base + p[i].p_offset - p[i].p_vaddr;
		else if (p[i].p_type == PT_DYNAMIC)
			d = address_at(base + p[i].p_offset);
	for (; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			names = address_at(bias + d->d_un.d_ptr);
		else if (d->d_tag == DT_SYMTAB)
			symbols = address_at(bias + d->d_un.d_ptr);
	for (const Elf64_Sym *s = symbols;
	     s && s + 1 <= (const Elf64_Sym *)names; s++)
		if (s->st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
		    strcmp(names + s->st_name, name) == 0)
			return (void *)address_at(bias + s->st_value);
	return NULL;
}

/* libc's _exit() uses exit_group, which is forbidden then. */
static void leave(int status)
{
	for (;;)
		raw_syscall(SYS_exit, status, 0, 0);
}

/* Strict mode would forbid RDTSC, too, and a container need not have it. */
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

/* Fork a child that calls @fn(@data), and if @again forbids itself all system
 * calls and calls it once more, which may kill it.  Return: its status as of
 * waitpid(), or negative: there was no child. */
static int in_child(probe_fn *fn, void *data, bool again)
{
	const pid_t pid = fork();
	const struct rlimit none = { 0, 0 };
	int status = -1;

	if (!pid) {
		/* No core file, no handler of a sanitizer. */
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)signal(SIGSEGV, SIG_DFL);
		(void)signal(SIGSYS, SIG_DFL);
		fn(data);
		if (again && forbid_all())
			leave(1);
		if (again)
			fn(data);
		leave(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

const char *probe_vdso(probe_fn *fn, void *data)
{
	const int status = in_child(fn, data, true);

	if (status > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
		return "the vDSO hands this to a system call";
	return status ? "whether the vDSO makes a system call cannot be told: "
			"prctl(PR_SET_SECCOMP) is refused"
		      : NULL;
}

static void try_int80(void *data)
{
	leave(raw_int80(INT80_GETPID, 0, 0, 0, 0) != getpid());
}

const char *probe_int80(void)
{
	const int status = in_child(try_int80, NULL, false);

	if (status < 0)
		return "no child could be made to try int 0x80";
	if (WIFSIGNALED(status))
		return "int 0x80 ends in a signal: this kernel has no IA-32 "
		       "emulation, or it is switched off";
	return WEXITSTATUS(status) ? "int 0x80 does not answer getpid: IA-32 "
				     "system calls are filtered here"
				   : NULL;
}
