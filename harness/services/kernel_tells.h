/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_TELLS_H
#define KERNEL_TELLS_H

/*
 * What evidence rests on and some kernels do not keep: sandboxes and kernels
 * that are still being written answer these calls with the same at all times.
 * Each is tried once in a process, with raw system calls.
 */
struct bench;

enum kernel_tells {
	KERNEL_FAULTS,	 /* getrusage() counts a page fault that we took */
	KERNEL_SWITCHES, /* getrusage() counts the switch of a sleep */
	KERNEL_RESIDENT, /* mincore() knows a page that was never touched */
};

/* kernel_lacks() - why @what is not to be had here.
 * Return: a sentence that names the call, or NULL if it is. */
const char *kernel_lacks(enum kernel_tells what);

/* kernel_needs() - for enter() and setup(): skip where @what is not to be had.
 * Return: 0, or what bench_skip() returns. */
int kernel_needs(struct bench *b, enum kernel_tells what);

#endif
