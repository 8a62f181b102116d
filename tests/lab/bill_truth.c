/* SPDX-License-Identifier: MIT */
/*
 * A plugin of QEMU (x86-64, one CPU) that counts the instructions of users and
 * of the kernel between two marks, for tests/lab/bill.  A mark is an
 * instruction of a user that does nothing and that no compiler makes:
 * bill_run.c.
 *
 * Argument: out=FILE, which gets a line "USER KERNEL" at each mark.
 *
 * Debian packages QEMU without its header, so what is used of it is declared
 * here (API version 1).
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv);
void qemu_plugin_register_vcpu_tb_trans_cb(
	qemu_plugin_id_t id,
	void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						int op, void *to, uint64_t add);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu,
						       void *data),
					    int flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

int qemu_plugin_version = 1;

static const unsigned char mark[] = { 0x0f, 0x1f, 0x84, 0, 'l', 'l', 'i', 'b' };

static struct {
	uint64_t user, kernel;
} now, last;
static FILE *out;

static void at_mark(unsigned int cpu, void *data)
{
	fprintf(out, "%" PRIu64 " %" PRIu64 "\n", now.user - last.user,
		now.kernel - last.kernel);
	fflush(out);
	last = now;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const bool kernel = qemu_plugin_insn_vaddr(insn) >> 47;

		qemu_plugin_register_vcpu_insn_exec_inline(insn, 0,
							   kernel ? &now.kernel
								  : &now.user,
							   1);
		if (!kernel && qemu_plugin_insn_size(insn) == sizeof(mark) &&
		    !memcmp(qemu_plugin_insn_data(insn), mark, sizeof(mark)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, at_mark, 0,
							       NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv)
{
	out = argc == 1 && !strncmp(argv[0], "out=", 4)
		      ? fopen(argv[0] + 4, "w")
		      : NULL;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return out ? 0 : -1;
}
