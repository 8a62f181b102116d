/* SPDX-License-Identifier: MIT */
#ifndef VETH_H
#define VETH_H

#include <stdbool.h>
#include <sys/types.h>

/* A pair of network devices: its ends here and there.  false: with errno. */
#define VETH_NEAR "oscost0"
#define VETH_FAR  "eth0"

/* veth_make() - make it, with the far end in the network namespace of @pid. */
bool veth_make(pid_t pid);

/* veth_watch() - a socket on which the kernel reports changed links;
 * veth_gone() - wait on it until the near end is gone. */
int veth_watch(void);
bool veth_gone(int events);

#endif
