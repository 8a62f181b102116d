/* SPDX-License-Identifier: MIT */
#ifndef NET_NAME_H
#define NET_NAME_H

/* An IPv6 address with its scope. */
#define NET_NAME_ADDRESS 80

/**
 * net_name_resolve() - the address of host @name, as a number, to @address
 * (NET_NAME_ADDRESS bytes).  A name server that does not answer is waited for
 * a few seconds only: a child process asks.
 *
 * Return: 0, -ENOENT (no such host), -ETIMEDOUT or another -errno.
 */
int net_name_resolve(char *address, const char *name);

#endif
