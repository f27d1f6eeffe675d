/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/packed.h"

static uint32_t crc32_of(const unsigned char *p, size_t n)
{
	uint32_t c = 0xffffffffu;

	while (n-- > 0) {
		c ^= *p++;
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
	}
	return ~c;
}

static void put32(unsigned char *p, uint32_t v)
{
	for (int k = 0; k < 4; k++)
		p[k] = (unsigned char)(v >> 8 * k);
}

struct bytes gzip(const void *data, size_t n)
{
	size_t blocks = n / 65535 + 1, at = 10;
	struct bytes b = {malloc(n + 5 * blocks + 18), 0};
	const unsigned char *from = data;
	static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

	memcpy(b.data, head, sizeof head);
	for (size_t done = 0, k = 0; k < blocks; k++) {
		size_t m = n - done < 65535 ? n - done : 65535;

		b.data[at] = k == blocks - 1;
		b.data[at + 1] = (unsigned char)m;
		b.data[at + 2] = (unsigned char)(m >> 8);
		b.data[at + 3] = (unsigned char)~m;
		b.data[at + 4] = (unsigned char)(~m >> 8);
		memcpy(b.data + at + 5, from + done, m);
		at += 5 + m;
		done += m;
	}
	put32(b.data + at, crc32_of(from, n));
	put32(b.data + at + 4, (uint32_t)n);
	b.length = at + 8;
	return b;
}

void tar_member(struct bytes *t, const char *name, char type, const char *text)
{
	size_t n = strlen(text), padded = (n + 511) / 512 * 512;
	unsigned char *h, sum_text[8];
	unsigned sum = 0;

	t->data = realloc(t->data, t->length + 512 + padded + 1024);
	h = t->data + t->length;
	memset(h, 0, 512 + padded + 1024);
	memcpy(h, name, strlen(name) < 100 ? strlen(name) : 100);
	memcpy(h + 100,
	       "0000644\0"
	       "0000000\0"
	       "0000000\0",
	       24);
	snprintf((char *)h + 124, 12, "%011o", (unsigned)n);
	snprintf((char *)h + 136, 12, "%011o", 0u);
	memset(h + 148, ' ', 8);
	h[156] = (unsigned char)type;
	memcpy(h + 257,
	       "ustar\0"
	       "00",
	       8);
	for (int k = 0; k < 512; k++)
		sum += h[k];
	snprintf((char *)sum_text, sizeof sum_text, "%06o", sum);
	memcpy(h + 148, sum_text, 7);
	memcpy(h + 512, text, n);
	t->length += 512 + padded;
}

struct bytes tar_end(struct bytes *t)
{
	struct bytes z = gzip(t->data, t->length + 1024);

	free(t->data);
	*t = (struct bytes){NULL, 0};
	return z;
}

void tar_resum(unsigned char *h)
{
	unsigned sum = 0;
	char text[8];

	memset(h + 148, ' ', 8);
	for (int k = 0; k < 512; k++)
		sum += h[k];
	snprintf(text, sizeof text, "%06o", sum);
	memcpy(h + 148, text, 7);
}
