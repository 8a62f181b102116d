/* SPDX-License-Identifier: MIT */
#include "sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void schedule(uint32_t w[64], const unsigned char *p)
{
	for (size_t i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
		       (uint32_t)p[2] << 8 | p[3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = (turn(b, 17) ^ turn(b, 19) ^ b >> 10) + w[i - 7] +
		       (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 16];
	}
}

static void add_block(uint32_t h[8], const unsigned char *p)
{
	uint32_t w[64], s[8];

	schedule(w, p);
	memcpy(s, h, sizeof(s));
	for (size_t i = 0; i < 64; i++) {
		uint32_t t1 =
			s[7] +
			(turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
			((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t t2 =
			(turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
			((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(&s[1], &s[0], 7 * sizeof(s[0]));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (size_t i = 0; i < 8; i++)
		h[i] += s[i];
}

void sha256_hex(char hex[SHA256_HEX], const void *data, size_t len)
{
	uint32_t h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	unsigned char last[2 * BLOCK] = { 0 };
	const unsigned char *p = data;
	size_t rest = len % BLOCK, end = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;

	for (size_t i = 0; i + BLOCK <= len; i += BLOCK)
		add_block(h, p + i);
	if (rest)
		memcpy(last, p + len - rest, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[end - 1 - i] = (unsigned char)((uint64_t)len * 8 >> 8 * i);
	for (size_t i = 0; i < end; i += BLOCK)
		add_block(h, last + i);
	for (size_t i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", h[i]);
}
