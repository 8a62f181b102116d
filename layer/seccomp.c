/* SPDX-License-Identifier: MIT */
/* Filters of system calls, and Landlock. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "arch.h"
#include "layer.h"
#include "sysfile.h"

/* A call that no kernel has; each filter refuses its own with an error that no
 * kernel gives, and lets the others' through to ENOSYS. */
#define MARKER	    1021 /* + the kind of filter */
#define MARKER_ERR  1234
#define NO_CALL	    2048u /* rules by number: from here on */
#define LAST_CALL   463u  /* of Linux 6.10 */
#define RULE_LOW    0x0c057000u
#define RULE_HIGH   0x05c057edu
#define FILTER_MAX  BPF_MAXINSNS
#define ALLOW	    SECCOMP_RET_ALLOW
#define REFUSE(err) (SECCOMP_RET_ERRNO | (err))

struct filter {
	struct sock_filter at[FILTER_MAX];
	unsigned short n;
};

/* One instruction, which a jump leaves over @yes or @no others. */
static void put(struct filter *f, uint16_t code, uint32_t value, uint8_t yes,
		uint8_t no)
{
	f->at[f->n++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(struct filter *f, size_t offset)
{
	put(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *f, uint32_t action)
{
	put(f, BPF_RET | BPF_K, action, 0, 0);
}

/* Go on if what was loaded is @value, else behind the next @n. */
static void unless(struct filter *f, uint32_t value, uint8_t n)
{
	put(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, n);
}

/* If what was loaded is @value: @action. */
static void rule(struct filter *f, uint32_t value, uint32_t action)
{
	unless(f, value, 1);
	answer(f, action);
}

/* Halves of the first argument. */
#define ARG_LOW	 offsetof(struct seccomp_data, args[0])
#define ARG_HIGH (ARG_LOW + sizeof(uint32_t))

static void by_argument(struct filter *f, long n)
{
	load(f, ARG_LOW);
	for (long i = n; i > 0; i--) {
		unless(f, RULE_LOW + (uint32_t)(n - i), 1);
		/* Over the rules to come, and the answer of no rule. */
		put(f, BPF_JMP | BPF_JA, (uint32_t)(2 * (i - 1) + 1), 0, 0);
	}
	answer(f, ALLOW);
	load(f, ARG_HIGH);
	rule(f, RULE_HIGH, REFUSE(MARKER_ERR));
	answer(f, ALLOW);
}

static void by_number(struct filter *f, long n)
{
	rule(f, MARKER + SECCOMP_BY_NUMBER, REFUSE(MARKER_ERR));
	for (uint32_t i = 1; i < n; i++)
		rule(f, NO_CALL + i, REFUSE(MARKER_ERR));
	answer(f, ALLOW);
}

/* Source: Docker's default profile (moby, profiles/seccomp/default.json, with
 * the capabilities that a container has by default, after io_uring was taken
 * out): the calls that it does not list.  Numbers are of all architectures,
 * and newer than some headers. */
/* clang-format off */
static const uint16_t denied[] = {
#ifdef SYS_uselib /* calls that later architectures never had */
	SYS_uselib, SYS_ustat, SYS_sysfs, SYS__sysctl, SYS_iopl, SYS_ioperm,
	SYS_create_module, SYS_get_kernel_syms, SYS_query_module, SYS_getpmsg,
	SYS_putpmsg, SYS_afs_syscall, SYS_tuxcall, SYS_security, SYS_vserver,
#endif
	SYS_vhangup, SYS_pivot_root, SYS_acct, SYS_settimeofday, SYS_mount,
	SYS_umount2, SYS_swapon, SYS_swapoff, SYS_reboot, SYS_sethostname,
	SYS_setdomainname, SYS_init_module, SYS_delete_module, SYS_quotactl,
	SYS_nfsservctl, SYS_lookup_dcookie, SYS_clock_settime, SYS_mbind,
	SYS_set_mempolicy, SYS_get_mempolicy, SYS_kexec_load, SYS_add_key,
	SYS_request_key, SYS_keyctl, SYS_migrate_pages, SYS_unshare,
	SYS_move_pages, SYS_perf_event_open, SYS_fanotify_init,
	SYS_open_by_handle_at, SYS_setns, SYS_kcmp, SYS_finit_module,
	SYS_kexec_file_load, SYS_bpf, SYS_userfaultfd, SYS_syslog,
	SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
	SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsconfig, SYS_fsmount,
	SYS_fspick, __NR_pidfd_getfd,
	440 /* process_madvise */, 442 /* mount_setattr */,
	443 /* quotactl_fd */, 450 /* set_mempolicy_home_node */,
};
/* clang-format on */

static bool is_denied(uint32_t call)
{
	for (size_t i = 0; i < sizeof(denied) / sizeof(*denied); i++)
		if (denied[i] == call)
			return true;
	return false;
}

/* libseccomp's form: a rule for each call, in their order, and a refusal. */
static void docker(struct filter *f)
{
	const uint32_t spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
				CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
				CLONE_NEWNET;

	rule(f, MARKER + SECCOMP_DOCKER, REFUSE(MARKER_ERR));
	for (uint32_t call = 0; call < LAST_CALL; call++) {
		if (call == SYS_clone3) {
			/* Its flags are in memory: libc then calls clone(). */
			rule(f, call, REFUSE(ENOSYS));
		} else if (call == SYS_clone) {
			unless(f, call, 4);
			load(f, ARG_LOW);
			put(f, BPF_JMP | BPF_JSET | BPF_K, spaces, 0, 1);
			answer(f, REFUSE(EPERM));
			answer(f, ALLOW);
		} else if (!is_denied(call)) {
			rule(f, call, ALLOW);
		}
	}
	rule(f, MARKER + SECCOMP_BY_NUMBER, ALLOW);
	rule(f, MARKER + SECCOMP_BY_ARGUMENT, ALLOW);
	answer(f, REFUSE(EPERM));
}

int seccomp_apply(const struct layer *l, long n)
{
	static struct filter f;
	struct sock_fprog program = { .filter = f.at };

	load(&f, offsetof(struct seccomp_data, arch));
	/* The 32-bit calls have other numbers, and are not looked at. */
	put(&f, BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0);
	answer(&f, ALLOW);
	load(&f, offsetof(struct seccomp_data, nr));
	if (l->flag == SECCOMP_BY_NUMBER)
		by_number(&f, n);
	else if (l->flag == SECCOMP_BY_ARGUMENT)
		by_argument(&f, n);
	else
		docker(&f);
	program.len = f.n;
	/* Without it only root may. */
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0,
				       &program)
		       ? -errno
		       : 0;
}

bool seccomp_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	const int64_t mode = sysfile_number(-1, "Seccomp", "/proc/self/status");
	const unsigned long arg = (unsigned long)RULE_HIGH << 32 |
				  (RULE_LOW + (unsigned long)n - 1);
	const long back = syscall(MARKER + l->flag,
				  l->flag == SECCOMP_BY_ARGUMENT ? arg : 0);
	const int err = back < 0 ? errno : 0;

	snprintf(how, HOW_MAX,
		 "/proc/self/status: Seccomp %ld; a call that the filter must "
		 "refuse gives error %d (its own: %d)",
		 (long)mode, err, MARKER_ERR);
	return mode == SECCOMP_MODE_FILTER && err == MARKER_ERR;
}

#ifdef LANDLOCK_CREATE_RULESET_VERSION
/* All rights of files that this kernel has; granted below / are all but one
 * that nothing here uses, by which the layer is proven. */
#define ALL_RIGHTS(last) (((last) << 1) - 1)
#define WITHHELD	 LANDLOCK_ACCESS_FS_MAKE_CHAR

static uint64_t handled_rights(long version)
{
	return ALL_RIGHTS(1ull << (version < 2	 ? 12
				   : version < 3 ? 13
				   : version < 5 ? 14
						 : 15));
}

int landlock_apply(const struct layer *l, long n)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
				     LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = { 0 };
	struct landlock_path_beneath_attr below = { 0 };
	int ruleset, err;

	if (version < 0)
		return -errno;
	attr.handled_access_fs = handled_rights(version);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr,
			       sizeof(attr.handled_access_fs), 0);
	if (ruleset < 0)
		return -errno;
	below.allowed_access = attr.handled_access_fs & ~(uint64_t)WITHHELD;
	below.parent_fd = open("/", O_PATH | O_CLOEXEC);
	err = syscall(SYS_landlock_add_rule, ruleset,
		      LANDLOCK_RULE_PATH_BENEATH, &below, 0) ||
			      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
			      syscall(SYS_landlock_restrict_self, ruleset, 0)
		      ? -errno
		      : 0;
	close(below.parent_fd);
	close(ruleset);
	return err;
}
#else
int landlock_apply(const struct layer *l, long n)
{
	return -ENOSYS; /* the headers are older than Linux 5.13 */
}
#endif

bool landlock_prove(const struct layer *l, long n, char how[HOW_MAX])
{
	char path[64];
	int err;

	/* Without Landlock it is made, or refused with EPERM.  The number is
	 * that of /dev/null: 0 is no device, and Linux 6.1 takes it for a file.
	 */
	snprintf(path, sizeof(path), "/tmp/.oscost-under-%d", (int)getpid());
	err = mknod(path, S_IFCHR | 0600, makedev(1, 3)) ? errno : 0;
	if (!err)
		unlink(path);
	snprintf(how, HOW_MAX,
		 "mknod() of a device, which no rule allows, gives error %d "
		 "(EACCES: %d)",
		 err, EACCES);
	return err == EACCES;
}
