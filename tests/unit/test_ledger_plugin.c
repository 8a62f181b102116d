/* SPDX-License-Identifier: MIT */
/*
 * The ledger's plugin without QEMU: what is executed here are made-up blocks of
 * instructions, so many times, and each class must have its exact number.
 */
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../ledger/ledger_plugin.c"

#include "tests.h"

struct qemu_plugin_insn {
	const char *code;
	size_t size;
	uint64_t at, adds;
};

struct qemu_plugin_tb {
	insn_t insns[8];
	size_t n;
	void *block;
};

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*f)(qemu_plugin_id_t, tb_t *))
{
}

void qemu_plugin_register_vcpu_tb_exec_cb(tb_t *tb, callback f, int flags,
					  void *data)
{
	tb->block = data;
}

void qemu_plugin_register_vcpu_insn_exec_inline(insn_t *i, int op, void *to,
						uint64_t add)
{
	i->adds = add;
}

void qemu_plugin_register_vcpu_mem_cb(insn_t *i,
				      void (*f)(unsigned int, uint32_t,
						uint64_t, void *),
				      int flags, int access, void *data)
{
}

void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
				    void (*f)(qemu_plugin_id_t, void *),
				    void *data)
{
}

size_t qemu_plugin_tb_n_insns(const tb_t *tb)
{
	return tb->n;
}

insn_t *qemu_plugin_tb_get_insn(const tb_t *tb, size_t k)
{
	return (insn_t *)&tb->insns[k];
}

uint64_t qemu_plugin_insn_vaddr(const insn_t *i)
{
	return i->at;
}

const void *qemu_plugin_insn_data(const insn_t *i)
{
	return i->code;
}

size_t qemu_plugin_insn_size(const insn_t *i)
{
	return i->size;
}

#define TIMES 1000

static void run(const tb_t *tb)
{
	executed(0, tb->block);
	for (size_t k = 0; k < tb->n; k++)
		done += tb->insns[k].adds;
}

static void begin_anew(void)
{
	last = NULL;
	done = done_before = 0;
	on = 1;
	task = task ? task : zeros(1, sizeof(*task));
	task->n = 0;
	calls = calls ? calls : tmpfile();
	begin();
}

/* @code of @size bytes in a loop beside a NOP: its class, CLASSES if it is in
 * none, -1 if it is not counted once each time. */
static int class_in_a_loop(const char *code, size_t size)
{
	static uint64_t at = 0x400000;
	tb_t tb = { .insns = { { "\x90", 1, at, 0 },
			       { code, size, at + 1, 0 } },
		    .n = 2 };
	int of = CLASSES;

	at += 0x1000;
	begin_anew();
	translated(0, &tb);
	for (int i = 0; i <= TIMES; i++)
		run(&tb);
	for (int k = 0; k < CODE; k++)
		if (now.of[k])
			of = of == CLASSES && now.of[k] == TIMES ? k : -1;
	return now.count == UINT64_C(2) * TIMES ? of : -1;
}

/* Bytes as an assembler makes them. */
static const struct {
	const char *code;
	size_t size;
	int of;
	const char *what;
} instructions[] = {
#define I(code, of, what)                        \
	{                                        \
		code, sizeof(code) - 1, of, what \
	}
	I("\x0f\xae\xe8", FENCE, "lfence"),
	I("\x0f\xae\xf0", FENCE, "mfence"),
	I("\x0f\xae\xf8", FENCE, "sfence"),
	I("\x0f\xae\x38", CLASSES, "clflush (%rax)"),
	I("\x0f\xae\x18", CLASSES, "stmxcsr (%rax)"),
	I("\xf3\x0f\xae\xd0", CLASSES, "wrfsbase %eax"),
	I("\xf3\x48\x0f\xae\xe8", CLASSES, "incsspq %rax"),
	I("\x66\x0f\xae\xf0", CLASSES, "tpause %eax"),
	I("\xff\xd0", INDIRECT, "call *%rax"),
	I("\xff\x10", INDIRECT, "call *(%rax)"),
	I("\x41\xff\xd3", INDIRECT, "call *%r11"),
	I("\xff\x15\x04\x03\x02\x01", INDIRECT, "call *0x1020304(%rip)"),
	I("\xff\xe0", INDIRECT, "jmp *%rax"),
	I("\x3e\xff\xe0", INDIRECT, "notrack jmp *%rax"),
	I("\x2e\x41\xff\xe3", INDIRECT, "cs jmp *%r11"),
	I("\xff\x25\x04\x03\x02\x01", INDIRECT, "jmp *0x1020304(%rip)"),
	I("\xff\x00", CLASSES, "incl (%rax)"),
	I("\xff\x30", CLASSES, "push (%rax)"),
	I("\xeb\xfe", CLASSES, "jmp"),
	I("\x3e\x75\xfe", CLASSES, "jne,pt"),
	I("\xf0\xff\x00", LOCKED, "lock incl (%rax)"),
	I("\x3e\xff\x00", LOCKED, "what one CPU makes of lock incl (%rax)"),
	I("\xf0\x48\x0f\xb1\x0a", LOCKED, "lock cmpxchg %rcx,(%rdx)"),
	I("\x87\x08", LOCKED, "xchg %ecx,(%rax)"),
	I("\x48\x87\xc8", CLASSES, "xchg %rcx,%rax"),
	I("\x3e\x0f\x1f\x00", CLASSES, "a NOP with a prefix"),
	I("\x0f\x22\xd8", CR3, "mov %rax,%cr3"),
	I("\x0f\x22\xe0", CLASSES, "mov %rax,%cr4"),
	I("\x0f\x30", MSR, "wrmsr"),
	I("\x0f\x32", CLASSES, "rdmsr"),
	I("\x0f\x01\xf8", SWAPGS, "swapgs"),
};

TEST(classes)
{
	for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions);
	     i++)
		OK(class_in_a_loop(instructions[i].code,
				   instructions[i].size) == instructions[i].of,
		   instructions[i].what);
}

/* The linker makes "addr32 call" of a call through a table that it resolved. */
TEST(calls_are_seen)
{
	static const char *const code[] = { "\xe8\xfb\x0f\x00\x00",
					    "\x67\xe8\xfa\x0f\x00\x00" };

	for (size_t i = 0; i < 2; i++) {
		const uint64_t at = 0x900000 + 0x10000 * i;
		tb_t call = { .insns = { { code[i], 5 + i, at, 0 } }, .n = 1 };
		tb_t called = { .insns = { { "\xc3", 1, at + 0x1000, 0 } },
				.n = 1 };
		tb_t after = { .insns = { { "\x90", 1, at + 5 + i, 0 } },
			       .n = 1 };

		begin_anew();
		translated(0, &call);
		translated(0, &called);
		translated(0, &after);
		run(&call);
		run(&called);
		OK(task->n == 1, "a call pushes");
		run(&after);
		OK(task->n == 0 && now.of[INDIRECT] == 0, "its return pops");
	}
}

TEST(intervals_that_are_the_same_have_their_paths_once)
{
	tb_t read = { .insns = { { "\x0f\x31", 2, 0xa00000, 0 } }, .n = 1 };
	char line[200];
	int lengths = 0;

	calls = tmpfile();
	parts = tmpfile();
	begin_anew();
	translated(0, &read);
	for (int i = 0; i < 4; i++)
		run(&read);
	OK(nparts == 1, "of three");
	rewind(calls);
	while (fgets(line, sizeof(line), calls))
		lengths += !strncmp(line, "R 0 1 0 ", 8);
	OK(lengths == 3, "each is one instruction");
}

/* A jump to itself is interrupted or faults, and goes on where it was: how many
 * instructions were counted, with four of the kernel's, which begin with
 * @first. */
static uint64_t counted_around(const char *first, size_t size)
{
	static uint64_t kernel = UINT64_C(0xffffffff81000000);
	tb_t user = { .insns = { { "\xeb\xfe", 2, 0xb00000, 0 } }, .n = 1 };
	tb_t entry = { .insns = { { "\x0f\x01\xca", 3, kernel, 0 } }, .n = 1 };
	tb_t more = { .insns = { { first, size, kernel + 3, 0 },
				 { "\x90", 1, kernel + 3 + size, 0 },
				 { "\x48\xcf", 2, kernel + 4 + size, 0 } },
		      .n = 3 };

	kernel += 0x1000;
	begin_anew();
	translated(0, &user);
	translated(0, &entry);
	translated(0, &more);
	run(&user);
	run(&entry);
	run(&more);
	run(&user);
	return now.count;
}

TEST(an_instruction_that_faults_is_counted_once)
{
	OK(counted_around("\x90", 1) == 4,
	   "a fault takes its instruction back");
	OK(now.interrupts == 0, "is no interrupt");
	OK(counted_around("\x6a\xff", 2) == 5, "an interrupt takes none");
	OK(now.interrupts == 1, "is one");
}
