/* SPDX-License-Identifier: MIT */
#ifndef SWITCH_GUARD_H
#define SWITCH_GUARD_H

#include <signal.h>
#include <ucontext.h>

/*
 * Never wait for a partner that is dead.  While the guard is armed, the death
 * of any child takes the program out of whatever it waits in, back to the
 * getcontext(); a death before that is remembered:
 *
 *	getcontext(&switch_guard_exit);
 *	if (switch_guard_arm())
 *		return ...;	(a partner died)
 *	...wait for answers...
 *	switch_guard_disarm();
 *
 * A timeout on each wait would be part of what is measured, and a condition
 * variable has no other way out.  What was being waited for must be thrown
 * away afterwards.  Nothing that is interrupted may hold a lock of libc's.
 *
 * A longjmp() would clean up behind pthread_cond_wait(), which takes the mutex:
 * for ever, if the partner died with it.
 */
extern ucontext_t switch_guard_exit;

/* switch_guard_reset() - forget the deaths so far, before making a partner. */
void switch_guard_reset(void);

/* switch_guard_arm() - Return: 0, or 1 if a child has died since the reset. */
int switch_guard_arm(void);

void switch_guard_disarm(void);

/* switch_guard_open() - catch SIGCHLD.  Return: 0 or -errno. */
int switch_guard_open(void);

/* switch_guard_close() - put back what was there before. */
void switch_guard_close(void);

#endif
