/* SPDX-License-Identifier: MIT */
#ifndef VDSO_H
#define VDSO_H

/**
 * vdso_find() - address of function @name ("__vdso_clock_gettime") in the
 * vDSO, the shared object that the kernel maps into each process, so that it
 * can be called without libc.
 *
 * Return: the address, or NULL if there is no vDSO or no such function.
 *
 * Source: Documentation/ABI/stable/vdso and tools/testing/selftests/vDSO of
 * the Linux kernel.
 */
void *vdso_find(const char *name);

#endif
