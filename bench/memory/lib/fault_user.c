/* SPDX-License-Identifier: MIT */
#include "fault_user.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef UFFD_USER_MODE_ONLY /* Linux 5.11 */
#define UFFD_USER_MODE_ONLY 1
#endif

void fault_user_init(struct fault_user *u)
{
	u->uffd = u->stop_fd = -1;
}

/* Resolves faults until something is written to stop_fd. */
static int serve(struct partner *t, void *arg)
{
	struct fault_user *u = arg;
	struct pollfd fds[2] = { { .fd = u->uffd, .events = POLLIN },
				 { .fd = u->stop_fd, .events = POLLIN } };

	while (!partner_stopping(t)) {
		struct uffd_msg msg;
		struct uffdio_copy copy = { .src = (uintptr_t)u->page,
					    .len = bench_page_bytes() };

		if (poll(fds, 2, -1) < 0 || fds[1].revents)
			break;
		if (read(u->uffd, &msg, sizeof(msg)) != sizeof(msg) ||
		    msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		copy.dst = msg.arg.pagefault.address & ~(copy.len - 1);
		if (!ioctl(u->uffd, UFFDIO_COPY, &copy))
			atomic_fetch_add(&u->resolved, 1);
	}
	return 0;
}

static int open_all(struct fault_user *u, void *base, size_t bytes)
{
	const int flags = O_CLOEXEC | O_NONBLOCK;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)base, .len = bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	/* Faults of user code are all that is needed; older kernels know no
	 * such restriction. */
	u->uffd = (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);
	if (u->uffd < 0 && errno == EINVAL)
		u->uffd = (int)syscall(SYS_userfaultfd, flags);
	if (u->uffd < 0)
		return -1;
	u->stop_fd = eventfd(0, EFD_CLOEXEC);
	return u->stop_fd < 0 || ioctl(u->uffd, UFFDIO_API, &api) ||
			       ioctl(u->uffd, UFFDIO_REGISTER, &reg)
		       ? -1
		       : 0;
}

int fault_user_begin(struct fault_user *u, struct bench *b, void *base,
		     size_t bytes)
{
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);

	atomic_store(&u->resolved, 0);
	memset(u->page, 0x5a, sizeof(u->page));
	if (open_all(u, base, bytes))
		return bench_skip(b, "userfaultfd: %s", strerror(errno));
	return partner_start(b, &u->thread, PARTNER_THREAD,
			     cpu < 0 ? bench_cpu(b) : cpu, serve, u);
}

uint64_t fault_user_end(struct fault_user *u)
{
	if (u->uffd < 0)
		return 0;
	if (u->stop_fd >= 0)
		eventfd_write(u->stop_fd, 1);
	partner_stop(&u->thread);
	close(u->uffd);
	if (u->stop_fd >= 0)
		close(u->stop_fd);
	fault_user_init(u);
	return atomic_load(&u->resolved);
}
