/* SPDX-License-Identifier: BSD-3-Clause
 * gzip streams and tar archives, made byte by byte, so that a test can damage any byte. */
#ifndef TEST_PACKED_H
#define TEST_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* Whether the library's files compiled into the test program use zlib and libarchive. */
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
	unsigned char *data; /* to be freed with free() */
	size_t length;
};

/* Returns a gzip stream of stored (uncompressed) blocks (RFC 1951, 3.2.4), with all headers and
 * checksums. */
struct bytes gzip(const void *data, size_t n);
/* Appends a member of tar type `type` with `text` as content. */
void tar_member(struct bytes *t, const char *name, char type, const char *text);
/* Ends the archive `t` with two blocks of zeros. Returns it as a gzip stream, and frees and empties
 * `t`. */
struct bytes tar_end(struct bytes *t);
/* Sets the checksum of a tar header that was changed. */
void tar_resum(unsigned char *h);

#endif
