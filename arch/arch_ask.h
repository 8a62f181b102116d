/* SPDX-License-Identifier: MIT */
#ifndef ARCH_ASK_H
#define ARCH_ASK_H

#include <stdbool.h>

/*
 * What arch/ARCH/arch.c answers, of the processor that the caller runs on.
 * Beside these: arch_probe(), timer_usable() and timer_choose()
 * (clock/timer.h), counters_cpuid() and counters_no_llc()
 * (counters/counters.h).
 */
#define ARCH_SIGNATURE 13 /* bytes, with the 0 */

/* arch_hypervisor() - @signature gets what the hypervisor calls itself, ""
 * without one.  Return: false if the processor cannot tell. */
bool arch_hypervisor(char signature[ARCH_SIGNATURE]);

/* arch_multiply_cycles() - cycles of a 32-bit multiply that waits for another;
 * 0 where they are not known. */
double arch_multiply_cycles(void);

#endif
