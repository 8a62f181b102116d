/* SPDX-License-Identifier: MIT */
#ifndef CHECKS_H
#define CHECKS_H

#include <jansson.h>

#include "doc.h"
#include "load.h"

/**
 * checks_read() - how the machine is set for measuring.
 * @root: "" for this machine; a directory with sys/ and proc/ in tests.
 * @cpu: the one that measures.
 *
 * Each check has the answer ok, bad or unknown, which says that nothing could
 * be read (in a virtual machine there is often no governor), or that what was
 * read is the guest's own and says nothing of the host (SMT).  What only
 * another vendor's processors have is not asked.
 *
 * Return: an array of {name, answer, value, file, mend}; mend is null where
 * nothing needs it.
 */
json_t *checks_read(const char *root, int cpu);

/* checks_steal_ns() - what the hypervisor gave to others of @cpu's time since
 * the start, in the steps of the kernel's clock (10 ms); NAN if unknown. */
double checks_steal_ns(const char *root, int cpu);

/* checks_table() - the checks that a run kept in machine.json; no rows if it
 * kept none. */
void checks_table(struct table *t, const struct run *run);

#endif
