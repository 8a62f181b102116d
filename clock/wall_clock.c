/* SPDX-License-Identifier: MIT */
#include "wall_clock.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* An alarm that far ahead never rings by itself. */
#define NEVER_S 4000000000

int wall_clock_watch(void)
{
	const struct itimerspec never = { .it_value.tv_sec = NEVER_S };
	const int fd =
		timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd >= 0 &&
	    timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			    &never, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

bool wall_clock_was_set(int watch)
{
	uint64_t rings;

	return watch >= 0 && read(watch, &rings, sizeof(rings)) < 0 &&
	       errno == ECANCELED;
}
