/* SPDX-License-Identifier: MIT */
/*
 * A plugin of QEMU (x86-64, one CPU, -icount) that counts the instructions
 * between two reads of the time-stamp counter by call path.
 *
 * Arguments: out=FILE; mark=ADDRESS: an instruction of the guest's user that
 * begins the next section; one 16 bytes behind it ends the last one.  When the
 * machine stops, FILE has
 *
 *   N NODE PARENT SITE ENTRY KIND   a call path: called from before SITE
 *   M                               a mark
 *   R SITE COUNT INTERRUPTS AT PARTS CLASS...   a read for the caller before
 *                                   SITE, and the instructions since the read
 *                                   before: parts in FILE.parts, and classes
 *
 * Each task has a stack of its own, and the plugin knows no symbols.  A call
 * pushes; a return takes away all down to the frame that has its target, else
 * it is a jump (a retpoline, a signal handler's end).  Jumps push nothing: a
 * block belongs to a path, and its address says in which function it is, so
 * the reader of FILE finds tail calls (scripts/lib/calls.pl).
 *
 * An instruction that faults is executed again; like the guest's clock, the
 * count has it once.
 *
 * Debian packages QEMU without its header, so what is used of it is declared
 * here (API version 1).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_plugin_tb tb_t;
typedef struct qemu_plugin_insn insn_t;

typedef void callback(unsigned int cpu, void *data);
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t, const void *, int, char **);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
					   void (*)(qemu_plugin_id_t, tb_t *));
void qemu_plugin_register_vcpu_tb_exec_cb(tb_t *, callback, int flags,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_inline(insn_t *, int op, void *to,
						uint64_t add);
void qemu_plugin_register_vcpu_mem_cb(insn_t *,
				      void (*)(unsigned int, uint32_t info,
					       uint64_t at, void *),
				      int flags, int access, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t,
				    void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const tb_t *);
insn_t *qemu_plugin_tb_get_insn(const tb_t *, size_t);
uint64_t qemu_plugin_insn_vaddr(const insn_t *);
const void *qemu_plugin_insn_data(const insn_t *);
size_t qemu_plugin_insn_size(const insn_t *);

#define U " %" PRIu64
#define X " %" PRIx64

#define USER_ENDS (UINT64_C(1) << 47)
#define LIBRARIES UINT64_C(0x7f0000000000)
#define NEAR	  64 /* a call within a thunk */
#define STOP	  16
#define MOST_DEEP 1000
#define LINE	  6	 /* 64 bytes */
#define STACK	  14	 /* 16 KiB: one of the kernel's */
#define MANY	  100000 /* cells and pages, to begin an interval with */

/* The number of instructions executed, and from a bit on those of each class.
 * The difference of a block does not run over. */
#define EXECUTED(n) ((n)&0xffff)
#define FIELD(of)   (16 + 8 * (of))

enum kind { JUMP, CALL, RET, SYSCALL, RESUME, READ };
enum frame_kind { CALLED, SYSTEM, FAULT, INTERRUPT };

struct block {
	uint64_t pc, next, target; /* of a direct jump or call */
	size_t n;
	struct insn {
		uint64_t at, adds;
	} * insns;
	enum kind end;
	enum frame_kind entry; /* of the kernel, by an interrupt or a fault */
	int numbered;	       /* pushes a number first */
	struct cell *cell;     /* of the path where it ran last, */
	uint64_t generation;   /* of the cells then */
};

/* Instructions that may cost more than their count, and cache lines. */
enum class { LOCKED, CR3, MSR, FENCE, SWAPGS, INDIRECT, CODE, DATA, CLASSES };

/* The count of a block on a call path; the path has a number. */
struct cell {
	uint64_t pc, count, epoch, path;
	struct cell *touched; /* before it */
};

struct frame {
	uint64_t site, entry, path; /* 0: not asked for yet */
	struct cell *fault; /* whose last instruction may have faulted */
	uint64_t adds;	    /* what that instruction counted */
	uint64_t epoch;	    /* and when; 0: no fault */
	enum frame_kind kind;
};

struct task {
	struct frame stack[MOST_DEEP];
	size_t n, switched_at, interrupts;
	int fresh; /* not seen to return since it was switched to */
};

struct page { /* of 64 lines, a bit for each that was touched */
	uint64_t lines, epoch;
};

struct part { /* what is written of a cell */
	uint32_t node, count;
	uint64_t pc;
};

struct profile {
	uint64_t at, n; /* the parts between two reads, in the file */
};

/* From numbers of 64 bits, which are hashes, to things. */
struct table {
	size_t n, room;
	struct slot {
		uint64_t number;
		void *thing;
	} * slots;
};

int qemu_plugin_version = 1;

static const char *out;
static uint64_t mark, generation, done, done_before, epoch = 1, stack, nparts;
static struct table blocks, paths, cells, tasks, profiles, pages;
static struct block *last;
static struct task *task;
static struct cell *touched; /* since the last read */
static struct {
	uint64_t count, interrupts, of[CLASSES];
} now;	       /* likewise */
static int on; /* in a section */
static FILE *calls, *parts;

static void *zeros(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (memory)
		return memory;
	fputs("ledger_plugin: no memory\n", stderr);
	exit(1);
}

static uint64_t mix(uint64_t hash, uint64_t x)
{
	hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static struct slot *slot_of(const struct table *t, uint64_t number)
{
	size_t i = number & (t->room - 1);

	while (t->slots[i].thing && t->slots[i].number != number)
		i = (i + 1) & (t->room - 1);
	return &t->slots[i];
}

/* The thing of that @number, zeros if it is a new one. */
static void *find(struct table *t, uint64_t number, size_t size)
{
	struct slot *slot;

	if (2 * t->n >= t->room) {
		struct table old = *t;

		t->room = old.room ? 2 * old.room : 1024;
		t->slots = zeros(t->room, sizeof(*t->slots));
		for (size_t i = 0; i < old.room; i++)
			if (old.slots[i].thing)
				*slot_of(t, old.slots[i].number) = old.slots[i];
		free(old.slots);
	}
	slot = slot_of(t, number);
	if (!slot->thing) {
		slot->number = number;
		slot->thing = zeros(1, size);
		t->n++;
	}
	return slot->thing;
}

/* Lookups are fast only in a small table, which stays in the cache. */
static void forget(struct table *t)
{
	for (size_t i = 0; i < t->room; i++)
		free(t->slots[i].thing);
	free(t->slots);
	*t = (struct table) { 0 };
}

static void push(enum frame_kind kind, uint64_t site, uint64_t entry)
{
	struct task *t = task;

	if (t->n == MOST_DEEP)
		t->n = t->interrupts = 0;
	t->interrupts += kind == INTERRUPT;
	t->stack[t->n++] =
		(struct frame) { .site = site, .entry = entry, .kind = kind };
}

static void pop_to(size_t n)
{
	while (task->n > n)
		task->interrupts -= task->stack[--task->n].kind == INTERRUPT;
	if (n < task->switched_at)
		task->fresh = 0;
}

/* The call path that @task is on. */
static uint64_t path(void)
{
	uint64_t above = 0;
	size_t i = task->n;

	while (i && !task->stack[i - 1].path)
		i--;
	if (i)
		above = task->stack[i - 1].path;
	for (; i < task->n; i++) {
		struct frame *f = &task->stack[i];
		const uint64_t hash =
			mix(mix(mix(6, above), f->site), f->entry);
		uint64_t *id = find(&paths, mix(hash, f->kind), sizeof(*id));

		if (!*id) {
			*id = paths.n;
			fprintf(calls, "N" U U X X " %d\n", *id, above, f->site,
				f->entry, f->kind);
		}
		above = f->path = *id;
	}
	return above;
}

static void returned(uint64_t to)
{
	for (size_t i = task->n; i && task->stack[i - 1].kind == CALLED; i--)
		if (task->stack[i - 1].site == to) {
			pop_to(i - 1);
			return;
		}
	now.of[INDIRECT]++;
	/* A new task returns from a switch to where nothing has called it. */
	if (task->fresh && task->n <= task->switched_at)
		pop_to(0);
}

/* Add counts of instructions, also to @c; @times is -1 to take them back. */
static void count(struct cell *c, uint64_t adds, uint64_t times)
{
	c->count += times * EXECUTED(adds);
	now.count += times * EXECUTED(adds);
	for (int k = 0; k < CODE && adds >> FIELD(k); k++)
		now.of[k] += times * (adds >> FIELD(k) & 0xff);
}

/* From an interrupt or a fault, or to the user from whatever it was. */
static void resumed(uint64_t to)
{
	const int user = to < USER_ENDS;
	size_t i = task->n;
	const struct frame *f;

	while (i && (user ? task->stack[i - 1].site >= USER_ENDS ||
				     task->stack[i - 1].kind == CALLED
			  : task->stack[i - 1].kind < FAULT))
		i--;
	if (!i && !user)
		return;
	f = &task->stack[i ? i - 1 : 0];
	if (i && f->site == to && f->epoch == epoch)
		count(f->fault, f->adds, -1);
	pop_to(i ? i - 1 : 0);
}

/* By an interrupt or a fault.  A fault that ends a block is seen only when the
 * instruction is executed again. */
static void entered(const struct block *b, int whole)
{
	const struct insn *i = &last->insns[EXECUTED(done - done_before) - 1];

	push(b->entry, i->at, b->pc);
	if (b->entry == INTERRUPT) {
		now.interrupts++;
	} else if (!whole && on) {
		count(last->cell, i->adds, -1);
	} else if (on) {
		task->stack[task->n - 1].fault = last->cell;
		task->stack[task->n - 1].adds = i->adds;
		task->stack[task->n - 1].epoch = epoch;
	}
}

/* Begin an interval. */
static void begin(void)
{
	fputs("\n", calls);
	memset(&now, 0, sizeof(now));
	touched = NULL;
	epoch++;
	if (cells.n + pages.n > MANY) {
		generation++;
		forget(&cells);
		forget(&pages);
	}
}

/* A read, of whoever asked for it in a program, not in the libraries. */
static void keep(void)
{
	uint64_t hash = 0, site;
	struct profile *p;
	size_t i = task->n;

	for (const struct cell *c = touched; c; c = c->touched)
		hash += mix(mix(mix(1, c->path), c->pc), c->count);
	p = find(&profiles, hash, sizeof(*p));
	if (!p->n) {
		p->at = nparts;
		for (struct cell *c = touched; c; c = c->touched, p->n++)
			fwrite(&(struct part) { (uint32_t)c->path,
						(uint32_t)c->count, c->pc },
			       sizeof(struct part), 1, parts);
		nparts += p->n;
	}
	while (i && task->stack[i - 1].site >= LIBRARIES)
		i--;
	site = i ? task->stack[i - 1].site : 0;
	fprintf(calls, "R" X U U U U, site, now.count, now.interrupts, p->at,
		p->n);
	for (int k = 0; k < CLASSES; k++)
		fprintf(calls, U, now.of[k]);
	begin();
}

/* Those of interrupts are not of what is measured.  The kernel moves its stack
 * by a random distance at each system call: its lines would be a matter of how
 * many there are in a sample. */
static void touch(uint64_t at, enum class of)
{
	const uint64_t line = UINT64_C(1) << (at >> LINE) % 64;
	struct page *p;

	if (!on || task->interrupts || at >> STACK == stack)
		return;
	p = find(&pages, mix(mix(5, of), at >> LINE >> 6), sizeof(*p));
	if (p->epoch != epoch)
		*p = (struct page) { .epoch = epoch };
	now.of[of] += !(p->lines & line);
	p->lines |= line;
}

/* The cell of the last block on the path of @task. */
static struct cell *cell_of_last(void)
{
	const uint64_t id = path();
	struct cell *c = last->cell;

	if (!c || last->generation != generation || c->path != id) {
		c = find(&cells, mix(mix(2, id), last->pc), sizeof(*c));
		c->path = id;
		c->pc = last->pc;
		last->generation = generation;
	}
	if (c->epoch != epoch) {
		c->epoch = epoch;
		c->count = 0;
		c->touched = touched;
		touched = c;
		for (uint64_t at = c->pc >> LINE;
		     at <= (last->next - 1) >> LINE; at++)
			touch(at << LINE, CODE);
	}
	return c;
}

static void went_to(uint64_t to)
{
	if (last->end == READ && on)
		keep();
	else if (last->end == CALL &&
		 (last->target < last->pc || last->target >= last->next + NEAR))
		push(CALLED, last->next, to);
	else if (last->end == SYSCALL)
		push(SYSTEM, last->next, to);
	else if (last->end == RET)
		returned(to);
	else if (last->end == RESUME)
		resumed(to);
}

/* Whether the last block may lead to @to by itself. */
static int leads_to(uint64_t to)
{
	return last->end == SYSCALL || last->target == to || last->next == to ||
	       (last->end == RET && task->n &&
		task->stack[task->n - 1].site == to);
}

/* The outcome of the last block is known when the next one begins. */
static void executed(unsigned int cpu, void *data)
{
	struct block *b = data;

	if (last && done != done_before) {
		const int whole = EXECUTED(done - done_before) == last->n;

		struct frame *top = &task->stack[task->n ? task->n - 1 : 0];

		/* The frame that began like a fault was an interrupt. */
		if (task->n && last->entry == FAULT && b->numbered &&
		    top->kind == FAULT && top->entry == last->pc &&
		    b->pc == last->next) {
			top->kind = INTERRUPT;
			top->path = 0;
			top->epoch = 0;
			task->interrupts++;
			now.interrupts++;
		}
		if (on)
			count(last->cell = cell_of_last(), done - done_before,
			      1);
		if (b->entry && !(whole && leads_to(b->pc)))
			entered(b, whole);
		else if (whole && last->end != JUMP)
			went_to(b->pc);
	}
	if (b->pc == mark || b->pc == mark + STOP) {
		on = b->pc == mark;
		fputs("M", calls);
		begin();
	}
	last = b;
	done_before = done;
}

/* Access by an instruction that pushes, pops, calls or returns in the kernel,
 * by one that loads the next task's stack pointer, or by any other. */
static void accessed(unsigned int cpu, uint32_t info, uint64_t at, void *sets)
{
	if (sets == &stack) {
		stack = at >> STACK;
	} else if (sets == &task) {
		task = find(&tasks, mix(3, at), sizeof(*task));
		task->switched_at = task->n;
		task->fresh = 1;
	} else {
		touch(at, DATA);
	}
}

static uint64_t target(const unsigned char *code, uint64_t next)
{
	int32_t offset;

	memcpy(&offset, code, sizeof(offset));
	return next + (uint64_t)(int64_t)offset;
}

/* Bytes of the @n at @c that are prefixes. */
static size_t prefixes(const unsigned char *c, size_t n)
{
	static const char prefix[] = "\x2e\x3e\x64\x65\x66\x67\xf0\xf2\xf3";
	size_t k = 0;

	while (k + 1 < n && (memchr(prefix, c[k], sizeof(prefix) - 1) ||
			     (c[k] & 0xf0) == 0x40))
		k++;
	return k;
}

/* The class of an instruction, CLASSES if it is in none; its operation is at
 * @c, behind its prefixes, and ends before @end. */
static int class_of(const unsigned char *code, const unsigned char *c,
		    const unsigned char *end)
{
	const int op = end - c > 1 ? c[0] << 8 | c[1] : c[0] << 8;
	const int field = op >> 3 & 7, more = end - c > 2 ? c[2] : 0;

	/* With one CPU the kernel overwrites LOCK by 0x3e; before a jump or a
	 * call that is no lock. */
	if (memchr(code, 0xf0, c - code) || (op >> 9 == 0x43 && c[1] < 0xc0) ||
	    (memchr(code, 0x3e, c - code) && op >> 12 != 7 && op >> 4 != 0xf8 &&
	     op != 0x0f1f && (op >> 8 != 0xff || field < 2)))
		return LOCKED;
	if (op >> 8 == 0xff && (field == 2 || field == 4))
		return INDIRECT;
	return op == 0x0f22 && (more >> 3 & 7) == 3	   ? CR3
	       : op == 0x0f30				   ? MSR
	       : op == 0x0fae && c == code && more >= 0xe8 ? FENCE
	       : op == 0x0f01 && more == 0xf8		   ? SWAPGS
							   : CLASSES;
}

/* How the instruction at @c of @n bytes ends a block. */
static enum kind kind_of(const unsigned char *c, size_t n, struct block *b)
{
	switch (*c) {
	case 0xe8:
	case 0xe9:
		b->target = target(c + 1, b->next);
		return *c == 0xe8 ? CALL : JUMP;
	case 0xeb:
	case 0x70 ... 0x7f:
		b->target = b->next + (uint64_t)(int64_t)(signed char)c[1];
		return JUMP;
	case 0xc2:
	case 0xc3:
		return RET;
	case 0xcd:
		return SYSCALL;
	case 0xcf:
		return RESUME;
	case 0xff:
		return (c[1] >> 3 & 7) == 2 ? CALL : JUMP;
	case 0x0f:
		if (c[1] == 0x05 || c[1] == 0x34)
			return SYSCALL;
		if (c[1] == 0x07 || c[1] == 0x35)
			return RESUME;
		if (b->pc < USER_ENDS &&
		    (c[1] == 0x31 || (n == 3 && !memcmp(c + 1, "\x01\xf9", 2))))
			return READ;
		if ((c[1] & 0xf0) == 0x80)
			b->target = target(c + 2, b->next);
	}
	return JUMP;
}

static int is(const tb_t *tb, size_t k, const char *code, size_t size)
{
	const insn_t *i = k < qemu_plugin_tb_n_insns(tb)
				  ? qemu_plugin_tb_get_insn(tb, k)
				  : NULL;

	return i && qemu_plugin_insn_size(i) >= size &&
	       !memcmp(qemu_plugin_insn_data(i), code, size);
}

/* How the kernel's entries look.  A device's pushes its number and jumps; all
 * else begins with CLAC, which ends a block, and pushes a number in the next
 * one, if the processor pushed no code of an error: see executed(). */
static void find_entry(const tb_t *tb, struct block *b)
{
	const size_t k = is(tb, 0, "\xf3\x0f\x1e\xfa", 4) || /* ENDBR64 */
			 is(tb, 0, "\x0f\x1f\x40\x00", 4) ||
			 is(tb, 0, "\x66\x0f\x1f\x00", 4);

	b->numbered = is(tb, 0, "\x6a", 1) || is(tb, 1, "\x6a", 1);
	if (b->pc < USER_ENDS || b->pc % 8)
		return;
	if (is(tb, k, "\x6a", 1) &&
	    (is(tb, k + 1, "\xe9", 1) || is(tb, k + 1, "\xeb", 1)))
		b->entry = INTERRUPT;
	else if (is(tb, k, "\x0f\x01\xca", 3) && b->pc % 16 == 0)
		b->entry = FAULT;
}

static struct block *block_of(const tb_t *tb, size_t n)
{
	uint64_t hash = 4;

	for (size_t k = 0; k < n; k++) {
		const insn_t *insn = qemu_plugin_tb_get_insn(tb, k);
		const unsigned char *code = qemu_plugin_insn_data(insn);

		hash = mix(hash, qemu_plugin_insn_vaddr(insn));
		for (size_t i = 0; i < qemu_plugin_insn_size(insn); i++)
			hash = mix(hash, code[i]);
	}
	return find(&blocks, hash, sizeof(struct block));
}

static void translated(qemu_plugin_id_t id, tb_t *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);
	struct block *b = block_of(tb, n);

	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, 0, b);
	if (!b->insns)
		b->insns = zeros(n, sizeof(*b->insns));
	b->n = n;
	b->pc = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	for (size_t k = 0; k < n; k++) {
		insn_t *insn = qemu_plugin_tb_get_insn(tb, k);
		const unsigned char *code = qemu_plugin_insn_data(insn);
		const size_t size = qemu_plugin_insn_size(insn);
		const unsigned char *c = code + prefixes(code, size);
		const int of = class_of(code, c, code + size);
		const int pushes =
			(*c & 0xf0) == 0x50 || *c == 0xe8 || *c == 0xc3;
		const int switches =
			size == 7 && !memcmp(code, "\x48\x8b\xa6", 3);

		b->insns[k].at = qemu_plugin_insn_vaddr(insn);
		b->insns[k].adds =
			1 | (of < CODE ? UINT64_C(1) << FIELD(of) : 0);
		b->next = b->insns[k].at + size;
		if (k == n - 1)
			b->end = kind_of(c, code + size - c, b);
		qemu_plugin_register_vcpu_insn_exec_inline(insn, 0, &done,
							   b->insns[k].adds);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, 0, 3,
						 b->pc < USER_ENDS ? NULL
						 : pushes   ? (void *)&stack
						 : switches ? (void *)&task
							    : NULL);
	}
	find_entry(tb, b);
}

static void close_all(qemu_plugin_id_t id, void *data)
{
	const int bad = ferror(calls) || ferror(parts);

	if (fclose(calls) | fclose(parts) | bad)
		perror(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc,
			char **argv)
{
	char name[4096];

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "mark=", 5))
			mark = strtoull(argv[i] + 5, NULL, 16);
		else if (!strncmp(argv[i], "out=", 4))
			out = argv[i] + 4;
	if (!mark || !out || !(calls = fopen(out, "w")) ||
	    snprintf(name, sizeof(name), "%s.parts", out) >=
		    (int)sizeof(name) ||
	    !(parts = fopen(name, "w"))) {
		perror("ledger_plugin: mark=ADDRESS,out=FILE");
		return -1;
	}
	task = zeros(1, sizeof(*task));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, close_all, NULL);
	return 0;
}
