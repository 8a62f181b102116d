/* SPDX-License-Identifier: MIT */
#ifndef WRITE_ROWS_H
#define WRITE_ROWS_H

#include <stdio.h>

#include "row.h"

/* One line for a row; what is unknown is an empty field, or null. */

/* write_csv_head() - the names of the columns. */
void write_csv_head(FILE *f);
void write_csv_row(FILE *f, const struct row *row);
void write_json_row(FILE *f, const struct row *row);

#endif
