/* SPDX-License-Identifier: MIT */
/*
 * With musl: what a distribution's static libhwloc and libjansson, compiled for
 * glibc with its checks of sizes, ask of libc beyond musl's own (the structures
 * that they share with libc have one layout in both, on 64 bits), and calls
 * that musl does not make.
 */
#include <stdio.h> /* tells which libc it is */

#ifndef __GLIBC__
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Others declare what is defined here. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* The size of the destination, which is not looked at here. */
#define CHECKED size_t room

int __vsnprintf_chk(char *to, size_t size, int flag, CHECKED,
		    const char *format, va_list args)
{
	return vsnprintf(to, size, format, args);
}

/* A function of one name that passes its arguments on. */
#define PASS_ON(name, parameters, call) \
	int name parameters             \
	{                               \
		va_list args;           \
		int n;                  \
                                        \
		va_start(args, format); \
		n = call;               \
		va_end(args);           \
		return n;               \
	}

PASS_ON(__snprintf_chk,
	(char *to, size_t size, int flag, CHECKED, const char *format, ...),
	vsnprintf(to, size, format, args))
PASS_ON(__sprintf_chk, (char *to, int flag, CHECKED, const char *format, ...),
	vsnprintf(to, room, format, args))
PASS_ON(__asprintf_chk, (char **to, int flag, const char *format, ...),
	vasprintf(to, format, args))
PASS_ON(__fprintf_chk, (FILE * to, int flag, const char *format, ...),
	vfprintf(to, format, args))

char *__strncpy_chk(char *to, const char *from, size_t size, CHECKED)
{
	return strncpy(to, from, size);
}

void *__memcpy_chk(void *to, const void *from, size_t size, CHECKED)
{
	return memcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, CHECKED)
{
	return memmove(to, from, size);
}

cpu_set_t *__sched_cpualloc(size_t cpus)
{
	return calloc(1, CPU_ALLOC_SIZE(cpus));
}

void __sched_cpufree(cpu_set_t *set)
{
	free(set);
}

/* musl's own say ENOSYS, since POSIX means the process and Linux the thread. */

int sched_getscheduler(pid_t pid)
{
	return (int)syscall(SYS_sched_getscheduler, pid);
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
	return (int)syscall(SYS_sched_getparam, pid, param);
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	return (int)syscall(SYS_sched_setscheduler, pid, policy, param);
}
#endif
