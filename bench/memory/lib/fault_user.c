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

static int open_uffd(void)
{
	const int flags = O_CLOEXEC | O_NONBLOCK;
	/* Faults of user code are all that is needed; older kernels know no
	 * such restriction. */
	int fd = (int)syscall(SYS_userfaultfd, flags | UFFD_USER_MODE_ONLY);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_userfaultfd, flags);
	return fd < 0 ? -errno : fd;
}

static int open_all(struct fault_user *u, void *base, size_t bytes,
		    const char **why)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)base, .len = bytes },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*why = "userfaultfd";
	u->uffd = open_uffd();
	if (u->uffd < 0)
		return u->uffd;
	*why = "eventfd";
	u->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (u->stop_fd < 0)
		return -errno;
	*why = "UFFDIO_API";
	if (ioctl(u->uffd, UFFDIO_API, &api))
		return -errno;
	*why = "UFFDIO_REGISTER";
	return ioctl(u->uffd, UFFDIO_REGISTER, &reg) ? -errno : 0;
}

int fault_user_begin(struct fault_user *u, struct bench *b, void *base,
		     size_t bytes)
{
	const int cpu = bench_partner(b, BENCH_ANY_OTHER);
	const char *why;
	const int err = open_all(u, base, bytes, &why);

	atomic_store(&u->resolved, 0);
	memset(u->page, 0x5a, sizeof(u->page));
	if (err)
		return bench_skip(b, "userfaultfd: %s: %s", why,
				  strerror(-err));
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
