/* SPDX-License-Identifier: MIT */
/*
 * What QEMU loads to tell which instructions a batch was made of: it counts
 * each instruction between the first one of a function of the guest and its
 * return.
 *
 * Arguments: begin=ADDRESS,end=ADDRESS (of the function), out=FILE.  When the
 * machine stops, FILE gets for each length that an interval had a line "=
 * LENGTH TIMES", then "ADDRESS COUNT" for each instruction of the first of
 * them.
 *
 * Debian packages QEMU without its header, so what is used of it is declared
 * here (API version 1: QEMU 4.2 to 9.2).
 */
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
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
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*cb)(unsigned int cpu,
						       void *data),
					    int flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*cb)(qemu_plugin_id_t id, void *data),
				    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

#define RET 0xc3

/* Each begins with the number that it is found by. */
struct insn {
	uint64_t address, count, epoch;
	int is_ret;
};

struct profile {
	uint64_t length, times;
	size_t n;
	uint64_t (*counts)[2];
};

int qemu_plugin_version = 1;

static uint64_t begin, end, length, epoch;
static const char *out;
static int on;
static void *insns, *profiles; /* trees */
static struct insn **touched;
static size_t ntouched, room;

static void *need(void *memory)
{
	if (!memory) {
		fputs("ledger_plugin: no memory\n", stderr);
		exit(1);
	}
	return memory;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What has that @number in @tree; new ones are zeros beside it. */
static void *find(void **tree, uint64_t number, size_t size)
{
	void **node = tfind(&number, tree, by_number);
	uint64_t *one;

	if (node)
		return *node;
	one = need(calloc(1, size));
	*one = number;
	need(tsearch(one, tree, by_number));
	return one;
}

static void keep(void)
{
	struct profile *p = find(&profiles, length, sizeof(*p));

	if (p->times++)
		return;
	p->n = ntouched;
	p->counts = need(calloc(ntouched + 1, sizeof(*p->counts)));
	for (size_t i = 0; i < ntouched; i++) {
		p->counts[i][0] = touched[i]->address;
		p->counts[i][1] = touched[i]->count;
	}
}

static void executed(unsigned int cpu, void *data)
{
	struct insn *i = data;

	(void)cpu;
	if (i->address == begin) {
		on = 1;
		length = ntouched = 0;
		epoch++;
	}
	if (!on)
		return;
	if (i->epoch != epoch) {
		i->epoch = epoch;
		i->count = 0;
		if (ntouched == room) {
			room = room ? 2 * room : 1024;
			touched = need(
				realloc(touched, room * sizeof(struct insn *)));
		}
		touched[ntouched++] = i;
	}
	i->count++;
	length++;
	if (i->is_ret && i->address >= begin && i->address < end) {
		on = 0;
		keep();
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t k = 0; k < n; k++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, k);
		struct insn *i =
			find(&insns, qemu_plugin_insn_vaddr(insn), sizeof(*i));
		const unsigned char *code = qemu_plugin_insn_data(insn);

		i->is_ret = code[0] == RET;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, 0, i);
	}
}

static FILE *file;

static void write_one(const void *node, VISIT visit, int depth)
{
	const struct profile *p = *(void *const *)node;

	(void)depth;
	if (visit != postorder && visit != leaf)
		return;
	fprintf(file, "= %" PRIu64 " %" PRIu64 "\n", p->length, p->times);
	for (size_t k = 0; k < p->n; k++)
		fprintf(file, "%016" PRIx64 " %" PRIu64 "\n", p->counts[k][0],
			p->counts[k][1]);
}

static void write_all(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	file = fopen(out, "w");
	if (file)
		twalk(profiles, write_one);
	if (!file || fclose(file))
		perror(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "begin=", 6))
			begin = strtoull(argv[i] + 6, NULL, 16);
		else if (!strncmp(argv[i], "end=", 4))
			end = strtoull(argv[i] + 4, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = argv[i] + 4;
	}
	if (!begin || !end || !out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, write_all, NULL);
	return 0;
}
