/* SPDX-License-Identifier: MIT */
#ifndef QUANTITY_H
#define QUANTITY_H

/**
 * quantity_parse() - an amount with its unit, as people write it: "3.2 ns",
 * "100 cycles", "10.6 GB/s", "950 Mbit/s", "7 GiB", "0".
 * @want: "ns", "ns/B", "B/s", "B" or "Hz": what is to come out.
 * @clock_hz: to turn cycles into ns; NAN if not known.
 * @value: in @want; set only on success.
 *
 * Return: NULL, or what was expected (static text).
 */
const char *quantity_parse(const char *text, const char *want, double clock_hz,
			   double *value);

#endif
