// SPDX-License-Identifier: MIT
#include "switches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"

static void account(struct busy_track *track, uint64_t until_ns)
{
	/* A record may come a little after the interval that it belongs to
	 * was ended: it then counts from the beginning of this one. */
	if (until_ns <= track->since_ns)
		return;
	if (track->known && track->busy)
		track->busy_ns += until_ns - track->since_ns;
	if (!track->known)
		track->lost = true;
	track->since_ns = until_ns;
}

void busy_track_switch(struct busy_track *track, uint64_t at_ns, bool busy)
{
	account(track, at_ns);
	track->known = true;
	track->busy = busy;
}

void busy_track_lost(struct busy_track *track)
{
	track->known = false;
	track->lost = true;
}

bool busy_track_end(struct busy_track *track, uint64_t now_ns,
		    uint64_t *busy_ns)
{
	bool whole;

	account(track, now_ns);
	whole = !track->lost;
	if (whole)
		*busy_ns = track->busy_ns;
	track->busy_ns = 0;
	track->lost = false;
	return whole;
}

/* What anybody may lock for a CPU (perf_event_mlock_kb) holds this many pages
 * of 4 KiB, and one for the head. */
#define RING_BYTES (128 * 4096ul)

/* The number that the kernel gives the initial process namespace. */
#define INITIAL_PID_NS 0xEFFFFFFCu

struct switches {
	struct perf_event_mmap_page *head;
	struct busy_track track;
};

/* What ends each record, as attr.sample_type below asks for it. */
struct record_end {
	uint32_t pid, tid;
	uint64_t time_ns;
};

/* Elsewhere tasks of other namespaces have number 0, like the idle task. */
static bool sees_all_tasks(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_PID_NS;
}

static size_t mapped_bytes(void)
{
	return RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.context_switch = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

int switches_open(struct switches **opened, int cpu, const char **why)
{
	void *head;
	int fd, err;

	if (!sees_all_tasks()) {
		*why = "in a process namespace of its own the idle task cannot "
		       "be told from others' tasks";
		return -ENOTSUP;
	}
	fd = open_event(cpu);
	head = fd < 0 ? MAP_FAILED
		      : mmap(NULL, mapped_bytes(), PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
	err = head == MAP_FAILED ? -errno : 0;
	if (fd >= 0)
		close(fd); /* the event lives as long as its ring */
	*why = err == -EACCES || err == -EPERM
		       ? "not permitted: run it as root, or "
			 "sysctl kernel.perf_event_paranoid=0"
		       : "the kernel gives no records of switches";
	if (err)
		return err;
	*opened = text_alloc(1, sizeof(**opened));
	(*opened)->head = head;
	return 0;
}

void switches_close(struct switches *s)
{
	if (s)
		munmap(s->head, mapped_bytes());
	free(s);
}

/* A record may go round the end of the ring. */
static void copy_out(const struct switches *s, uint64_t at, void *to, size_t n)
{
	const char *ring = (const char *)s->head + s->head->data_offset;
	const uint64_t size = s->head->data_size;

	for (size_t i = 0; i < n; i++)
		((char *)to)[i] = ring[(at + i) % size];
}

/* The idle task has number 0.  Not every CPU's writes records of its own
 * (measured: that of CPU 0 does, others' do not), so both kinds are needed:
 * whom a task leaves the CPU to, and that a task has come. */
static void take(struct switches *s, const struct perf_event_header *head,
		 uint64_t at, const struct record_end *end)
{
	uint32_t pid = end->pid;

	if (head->type == PERF_RECORD_LOST)
		busy_track_lost(&s->track);
	if (head->type != PERF_RECORD_SWITCH_CPU_WIDE)
		return;
	if (head->misc & PERF_RECORD_MISC_SWITCH_OUT)
		copy_out(s, at + sizeof(*head), &pid, sizeof(pid));
	busy_track_switch(&s->track, end->time_ns, pid);
}

void switches_drain(struct switches *s, uint64_t until_ns)
{
	/* Pairs with the kernel's barrier between data and head. */
	const uint64_t all =
		__atomic_load_n(&s->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = s->head->data_tail;
	struct perf_event_header head;
	struct record_end end;

	for (; tail < all; tail += head.size) {
		copy_out(s, tail, &head, sizeof(head));
		copy_out(s, tail + head.size - sizeof(end), &end, sizeof(end));
		if (end.time_ns > until_ns)
			break;
		take(s, &head, tail, &end);
	}
	__atomic_store_n(&s->head->data_tail, tail, __ATOMIC_RELEASE);
}

bool switches_end(struct switches *s, uint64_t now_ns, uint64_t *busy_ns)
{
	switches_drain(s, now_ns);
	return busy_track_end(&s->track, now_ns, busy_ns);
}
