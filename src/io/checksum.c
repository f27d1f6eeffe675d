/* SPDX-License-Identifier: BSD-3-Clause
 * Checksums of the binary form, computed over the bytes of the file in order.
 *
 * Version 3 uses the 64-bit XXH3 (Collet, xxHash). Only the header of xxHash is needed. XXH3 is
 * widely tested, and about as fast as memory. Version 2 had a checksum of its own, which is kept to
 * read old files. It takes 64-bit words eight at a time and mixes each into one of eight lanes by
 * xor, rotation and multiplication by an odd number. Such a step is invertible in the lane and in
 * the word, so a single changed word always changes the sum. */
#include <string.h>

#include "io/io.h"

#if !defined(EK_NO_XXHASH) && defined(__has_include)
#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#if XXH_VERSION_NUMBER >= 800 /* the results of XXH3 have been fixed since version 0.8.0 */
#define HAVE_XXHASH 1
#endif
#endif
#endif

const char *eki_xxhash_version(void)
{
#ifdef HAVE_XXHASH
#define TEXT2(x) #x
#define TEXT(x)  TEXT2(x)
	return TEXT(XXH_VERSION_MAJOR) "." TEXT(XXH_VERSION_MINOR) "." TEXT(XXH_VERSION_RELEASE);
#else
	return NULL;
#endif
}

static inline uint64_t rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static uint64_t checksum_2(const void *data, size_t bytes)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	uint64_t lane[8], sum = bytes, w[8];
	const char *p = data;

	for (int k = 0; k < 8; k++)
		lane[k] = odd * (uint64_t)(k + 1);
	while (bytes > 0) {
		size_t n = bytes < sizeof w ? bytes : sizeof w;

		if (n < sizeof w)
			memset(w, 0, sizeof w);
		memcpy(w, p, n);
		for (int k = 0; k < 8; k++)
			lane[k] = rotate(lane[k] ^ w[k], 29) * odd;
		p += n;
		bytes -= n;
	}
	for (int k = 0; k < 8; k++)
		sum = rotate(sum ^ lane[k], 29) * odd;
	return sum ^ sum >> 32;
}

uint64_t eki_checksum(uint32_t version, const void *data, size_t bytes)
{
#ifdef HAVE_XXHASH
	if (version != EKI_EKM_OLD)
		return XXH3_64bits(data, bytes);
#endif
	(void)version;
	return checksum_2(data, bytes);
}
