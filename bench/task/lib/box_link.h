/* SPDX-License-Identifier: MIT */
#ifndef BOX_LINK_H
#define BOX_LINK_H

#include <sys/types.h>

/* box_link_make() - a pair of virtual network devices: @near here, which is up,
 * @far in the network namespace of process @pid.  Return: 0 or -errno. */
int box_link_make(const char *near, const char *far, pid_t pid);

/* box_link_events() - a socket that hears of each link that goes.  Return: a
 * descriptor or -errno. */
int box_link_events(void);

/* box_link_await() - sleep until device @name is gone, as the kernel says on
 * @events.  Return: 0, or -ETIMEDOUT after @most_ms. */
int box_link_await(int events, const char *name, int most_ms);

#endif
