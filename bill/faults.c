/* SPDX-License-Identifier: MIT */
/* Addresses of page faults: a ring of samples for each CPU, which the command's
 * children and threads inherit. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc.h"
#include "task.h"

#define RING_PAGES_MAX 128 /* what a user may lock for each CPU */
#define WATERMARK      16384
#define RING_PAGES_MIN 8

static struct ring {
	int fd;
	struct perf_event_mmap_page *page; /* samples are behind it */
	size_t bytes;			   /* of samples */
	uint64_t tail;
} * rings;
static size_t rings_n;

static bool open_ring(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct ring r = { .page = MAP_FAILED };

	r.fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (r.fd < 0)
		return errno == ENODEV; /* a CPU that is off */
	for (size_t pages = RING_PAGES_MAX;
	     r.page == MAP_FAILED && pages >= RING_PAGES_MIN; pages /= 2) {
		r.bytes = pages * PAGE_SIZE;
		r.page = mmap(NULL, r.bytes + PAGE_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED, r.fd, 0);
	}
	/* waitpid() returns when a ring fills. */
	fcntl(r.fd, F_SETOWN, getpid());
	fcntl(r.fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	rings = text_grow(rings, rings_n, sizeof(*rings));
	rings[rings_n++] = r;
	return r.page != MAP_FAILED;
}

const char *faults_open(pid_t pid)
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
		.wakeup_watermark = WATERMARK,
	};
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int user = 0; user < 2; user++) {
		int cpu = 0;

		attr.exclude_kernel = user != 0;
		while (cpu < cpus && open_ring(&attr, pid, cpu))
			cpu++;
		if (cpu == cpus && rings_n)
			return user ? "perf, without faults in the kernel "
				      "(perf_event_paranoid)"
				    : "perf";
		while (rings_n)
			close(rings[--rings_n].fd);
	}
	return "unknown: perf counts no page faults here (perf_event_paranoid, "
	       "or a sandbox)";
}

/* Word @n, of 64 bits, of the record at the tail, which may turn around. */
static uint64_t word(const struct ring *r, size_t n)
{
	const char *data = (const char *)r->page + PAGE_SIZE;
	uint64_t got;

	memcpy(&got, data + (r->tail + n * sizeof(got)) % r->bytes,
	       sizeof(got));
	return got;
}

/* A record begins with its type (32 bits), something else, and its size (16
 * bits); that of a fault goes on with PID and TID (32 bits each) and address. */
void faults_read(fault_fn *fault, bool running)
{
	const uint64_t least = running ? WATERMARK : 0;

	for (struct ring *r = rings; r < rings + rings_n; r++) {
		const uint64_t head =
			__atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);

		while (r->tail + least < head) {
			const uint64_t header = word(r, 0);

			if ((uint32_t)header == PERF_RECORD_SAMPLE &&
			    !fault((pid_t)(word(r, 1) >> 32), word(r, 2)))
				break;
			r->tail += header >> 48;
		}
		__atomic_store_n(&r->page->data_tail, r->tail,
				 __ATOMIC_RELEASE);
	}
}
