/* SPDX-License-Identifier: MIT */
#ifndef LOADED_H
#define LOADED_H

#include <sys/prctl.h>

/* Between under and the object that it has loaded into programs. */
#define LOADED_ENV	"OSCOST_LOADED" /* names of layers, with colons */
#define LOADED_SELECTOR "oscost_selector"

/* Of Linux 5.11; older headers do not have them. */
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
#define DISPATCH_OFF   0
#define DISPATCH_ON    1
#define SELECTOR_ALLOW 0
#define SELECTOR_BLOCK 1
#define DISPATCHED     2 /* si_code of SIGSYS */

#endif
