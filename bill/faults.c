/* SPDX-License-Identifier: MIT */
/* Addresses of page faults: a ring of samples for each CPU, which the command's
 * children and threads inherit. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc.h"
#include "memory.h"

#define RING_PAGES_MAX 128 /* what a user may lock for each CPU */
#define RING_PAGES_MIN 8

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t bytes; /* of samples */
	uint64_t tail;
};

struct faults {
	struct ring *ring;
	size_t n, page_size;
	uint64_t lost;
};

struct sample {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

static bool open_ring(struct faults *f, struct perf_event_attr *attr, pid_t pid,
		      int cpu)
{
	struct ring r = { .page = MAP_FAILED };

	r.fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (r.fd < 0)
		return errno == ENODEV; /* a CPU that is off */
	for (size_t pages = RING_PAGES_MAX;
	     r.page == MAP_FAILED && pages >= RING_PAGES_MIN; pages /= 2) {
		r.bytes = pages * f->page_size;
		r.page = mmap(NULL, r.bytes + f->page_size,
			      PROT_READ | PROT_WRITE, MAP_SHARED, r.fd, 0);
	}
	if (r.page == MAP_FAILED) {
		close(r.fd);
		return false;
	}
	/* waitpid() returns when a ring fills. */
	fcntl(r.fd, F_SETOWN, getpid());
	fcntl(r.fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	f->ring = text_grow(f->ring, f->n, sizeof(*f->ring));
	f->ring[f->n++] = r;
	return true;
}

static void close_rings(struct faults *f)
{
	for (size_t i = 0; i < f->n; i++) {
		munmap(f->ring[i].page, f->ring[i].bytes + f->page_size);
		close(f->ring[i].fd);
	}
	f->n = 0;
}

struct faults *faults_open(pid_t pid, const char **how)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.watermark = 1,
		.wakeup_watermark = 16384,
	};
	struct faults *f = text_alloc(1, sizeof(*f));
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	f->page_size = (size_t)sysconf(_SC_PAGESIZE);
	for (int user = 0; user < 2; user++) {
		int cpu = 0;

		attr.exclude_kernel = user != 0;
		while (cpu < cpus && open_ring(f, &attr, pid, cpu))
			cpu++;
		if (cpu == cpus && f->n) {
			*how = user ? "perf, without faults in the kernel "
				      "(perf_event_paranoid)"
				    : "perf";
			return f;
		}
		close_rings(f);
	}
	*how = "unknown: perf counts no page faults here "
	       "(perf_event_paranoid, or a sandbox)";
	free(f->ring);
	free(f);
	return NULL;
}

/* @len bytes from the ring, in which they may turn around. */
static void take(const struct ring *r, size_t page_size, uint64_t at, void *to,
		 size_t len)
{
	const char *data = (const char *)r->page + page_size;

	for (size_t i = 0; i < len; i++)
		((char *)to)[i] = data[(at + i) & (r->bytes - 1)];
}

void faults_read(struct faults *f, fault_fn *fault, void *arg)
{
	for (size_t i = 0; f && i < f->n; i++) {
		struct ring *r = &f->ring[i];
		const uint64_t head =
			__atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
		bool known = true;

		while (known && r->tail < head) {
			union {
				struct perf_event_header header;
				struct sample sample;
				struct lost lost;
			} event = { { 0 } };

			take(r, f->page_size, r->tail, &event.header,
			     sizeof(event.header));
			take(r, f->page_size, r->tail, &event,
			     event.header.size < sizeof(event)
				     ? event.header.size
				     : sizeof(event));
			if (event.header.type == PERF_RECORD_SAMPLE)
				known = fault(arg, (pid_t)event.sample.tid,
					      event.sample.address);
			else if (event.header.type == PERF_RECORD_LOST)
				f->lost += event.lost.lost;
			if (known)
				r->tail += event.header.size;
		}
		__atomic_store_n(&r->page->data_tail, r->tail,
				 __ATOMIC_RELEASE);
	}
}

uint64_t faults_close(struct faults *f)
{
	const uint64_t lost = f ? f->lost : 0;

	if (f) {
		close_rings(f);
		free(f->ring);
		free(f);
	}
	return lost;
}
