/* SPDX-License-Identifier: MIT */
#ifndef TESTS_H
#define TESTS_H

#include "tap.h"

/*
 * A test program without a list of its tests: each TEST(name) is a function,
 * and they run in the order in which they stand in the file.
 */
static void (*tests[64])(void);
static int tests_n;

#define TEST(name)                                                \
	static void name(void);                                   \
	__attribute__((constructor)) static void add_##name(void) \
	{                                                         \
		tests[tests_n++] = name;                          \
	}                                                         \
	static void name(void)

int main(void)
{
	for (int i = 0; i < tests_n; i++)
		tests[i]();
	return tap_done();
}

#endif
