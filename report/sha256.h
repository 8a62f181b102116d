/* SPDX-License-Identifier: MIT */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>

#define SHA256_HEX 65 /* 64 digits and a NUL */

/**
 * sha256_hex() - what sha256sum prints for the same bytes.
 *
 * Source: FIPS 180-4.  Only to see whether a file is still the same: no
 * secret is handled here.
 */
void sha256_hex(char hex[SHA256_HEX], const void *data, size_t len);

#endif
