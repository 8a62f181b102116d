/* SPDX-License-Identifier: MIT */
#ifndef TABLES_H
#define TABLES_H

#include "load.h"
#include "table.h"

/* tables_section() - the table of one section, every case a row. */
void tables_section(struct table *t, const struct run *run,
		    const struct section *section);

/* tables_core() - the rows of @core, which may be of several programs, without
 * what describes samples; tables_is_core() - those that people quote. */
void tables_core(struct table *t, const struct run *run,
		 const struct section *core);
bool tables_is_core(const struct row *row);

/* tables_missing() - the cases of all sections that have no value, and the
 * programs that gave none, with the reasons. */
void tables_missing(struct table *t, const struct run *run);

/* tables_value() - as out_value(), with a digit more where it would else lie
 * out of its interval. */
const char *tables_value(const struct result *r);

/* tables_interval() - "12.31 – 12.40 ns (±0.4 %)", or NULL where there is
 * none, or where it would reach from one state of the row to the other. */
const char *tables_interval(const struct result *r);

/* tables_exit() - what an exit status of a program means. */
const char *tables_exit(json_int_t status);

#endif
