/* SPDX-License-Identifier: BSD-3-Clause
 * gzip streams and tar archives, made byte by byte, so that each of them can be wrong. */
#ifndef TEST_PACKED_H
#define TEST_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* What the files of the library that a program is compiled with can unpack. */
#ifdef EK_HAVE_ZLIB
enum { HAVE_ZLIB = 1 };
#else
enum { HAVE_ZLIB = 0 };
#endif
#ifdef EK_HAVE_ARCHIVE
enum { HAVE_ARCHIVE = 1 };
#else
enum { HAVE_ARCHIVE = 0 };
#endif

struct bytes {
	unsigned char *data; /* free() */
	size_t length;
};

/* gzip with stored blocks (RFC 1951, 3.2.4): nothing to compress, all the rest to check. */
struct bytes gzip(const void *data, size_t n);
/* Appends a member of that type with that content. */
void tar_member(struct bytes *t, const char *name, char type, const char *text);
/* Two blocks of zeros end an archive; then it is compressed. `t` is empty again. */
struct bytes tar_end(struct bytes *t);
/* The right sum of a changed header. */
void tar_resum(unsigned char *h);

#endif
