/* SPDX-License-Identifier: BSD-3-Clause
 * Reads and writes gzip (RFC 1952) with zlib. libarchive is not used, since its reader neither
 * compares the checksum nor notices bytes after the last member. A file may consist of several
 * members. Anything else after a member is an error, as are a missing trailer, a wrong checksum and
 * a wrong length. The writer makes one member without file name and time, so that the same content
 * gives the same bytes. */
#include "io/io.h"

#ifdef EK_HAVE_ZLIB
#include <string.h>
#include <zlib.h>

enum { PREFIX = 64, HEADER_MAX = 1 << 20, GZIP_WINDOW = 15 + 16 };

struct gzip {
	z_stream z;
	bool in_member, any;
	int fault;         /* zlib's error code; reported after the bytes decoded before it */
	int64_t member_in; /* number of compressed bytes of the current member read so far */
};

/* Allocates memory for zlib from the context. The size of a block is stored in front of it, for
 * zlib_free. */
static void *zlib_alloc(void *ctx, unsigned items, unsigned size)
{
	size_t bytes = (size_t)items * size + PREFIX;
	void *block = NULL;

	if (eki_alloc(ctx, (int64_t)bytes, 1, &block) != EK_OK)
		return NULL;
	memcpy(block, &bytes, sizeof bytes);
	return (char *)block + PREFIX;
}

static void zlib_free(void *ctx, void *block)
{
	size_t bytes;

	memcpy(&bytes, (char *)block - PREFIX, sizeof bytes);
	eki_free(ctx, (char *)block - PREFIX, (int64_t)bytes, 1);
}

/* Looks for another member after the end of a member. Sets *more to false at the end of the file.
 * Any other bytes after a member are an error. */
static ek_status next_member(eki_source *s, bool *more)
{
	struct gzip *g = s->u.state;
	eki_source *below = s->below;

	EK_RETURN_IF(eki_source_peek(below, 2));
	*more = below->end > below->begin;
	if (!*more && !g->any)
		return eki_fail(EK_ETRUNCATED, "the gzip stream is empty");
	if (!*more)
		return EK_OK;
	if (below->end - below->begin < 2 || below->buffer[below->begin] != 0x1f ||
	    below->buffer[below->begin + 1] != 0x8b)
		return eki_fail(EK_ETRAILING,
		                "bytes follow the end of the gzip stream, from byte %lld on",
		                (long long)(below->given - (int64_t)(below->end - below->begin)));
	g->in_member = g->any = true;
	g->member_in = 0;
	if (inflateReset(&g->z) != Z_OK)
		return eki_fail(EK_EIO, "zlib cannot be reset");
	return EK_OK;
}

static ek_status gzip_fault(const struct gzip *g)
{
	if (g->fault == Z_MEM_ERROR)
		return eki_fail(EK_ENOMEM, "no memory for zlib");
	return eki_fail(EK_EIO, "the gzip stream is damaged: %s",
	                g->z.msg ? g->z.msg : "zlib fails");
}

static ek_status gzip_read(eki_source *s, void *to, size_t want, size_t *got)
{
	struct gzip *g = s->u.state;
	eki_source *below = s->below;

	want = want < (size_t)1 << 30 ? want : (size_t)1 << 30;
	while (*got == 0) {
		bool more = true;

		if (g->fault)
			return gzip_fault(g);
		if (!g->in_member)
			EK_RETURN_IF(next_member(s, &more));
		if (!more)
			return EK_OK;
		EK_RETURN_IF(eki_source_peek(below, 1));
		if (below->begin == below->end)
			return eki_fail(EK_ETRUNCATED, "the gzip stream ends before its trailer");
		g->z.next_in = below->buffer + below->begin;
		g->z.avail_in = (unsigned)(below->end - below->begin);
		g->z.next_out = to;
		g->z.avail_out = (unsigned)want;
		int code = inflate(&g->z, Z_NO_FLUSH);

		g->member_in += (int64_t)(below->end - below->begin - g->z.avail_in);
		below->begin = below->end - g->z.avail_in;
		*got = want - g->z.avail_out;
		if (code == Z_STREAM_END)
			g->in_member = false;
		else if (code != Z_OK)
			g->fault = code;
		if (g->z.total_out == 0 && g->in_member && g->member_in > HEADER_MAX)
			return eki_fail(EK_ELIMIT, "the gzip header is longer than %d bytes",
			                HEADER_MAX);
	}
	return EK_OK;
}

static void gzip_close(eki_source *s)
{
	struct gzip *g = s->u.state;

	inflateEnd(&g->z);
	eki_free(s->ctx, g, 1, sizeof *g);
}

ek_status eki_gzip_open(eki_source *below, eki_source **out)
{
	const ek_context *ctx = below->ctx;
	eki_source *s = NULL;
	void *block = NULL;
	struct gzip *g;
	ek_status status;

	EK_TRY(eki_calloc(ctx, 1, sizeof *g, &block));
	g = block;
	g->z.zalloc = zlib_alloc;
	g->z.zfree = zlib_free;
	g->z.opaque = (void *)(uintptr_t)ctx;
	EK_TRY(eki_source_new(ctx, below->name, below->options, below, &s));
	if (inflateInit2(&g->z, GZIP_WINDOW) != Z_OK)
		EK_TRY(eki_fail(EK_ENOMEM, "no memory for zlib"));
	s->u.state = g;
	s->read = gzip_read;
	s->close = gzip_close;
	*out = s;
done:
	if (status != EK_OK) {
		eki_free(ctx, s, s ? 1 : 0, sizeof *s);
		eki_free(ctx, block, 1, sizeof *g);
	}
	return status;
}

/* ---- Writing --------------------------------------------------------------------------------- */

struct eki_deflate {
	z_stream z;
	const ek_context *ctx;
	ek_status (*put)(void *to, const char *data, size_t bytes);
	void *to;
	unsigned char block[1 << 16];
};

ek_status eki_deflate_open(const ek_context *ctx, ek_status (*put)(void *, const char *, size_t),
                           void *to, eki_deflate **out)
{
	eki_deflate *d;
	void *block;

	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof *d, &block));
	d = block;
	d->ctx = ctx;
	d->put = put;
	d->to = to;
	d->z.zalloc = zlib_alloc;
	d->z.zfree = zlib_free;
	d->z.opaque = (void *)(uintptr_t)ctx;
	if (deflateInit2(&d->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK) {
		eki_free(ctx, d, 1, sizeof *d);
		return eki_fail(EK_ENOMEM, "no memory for zlib");
	}
	*out = d;
	return EK_OK;
}

/* Compresses the input at z.next_in. Passes all output of zlib to `put`. If `flush` is Z_FINISH,
 * completes the stream. */
static ek_status deflate_blocks(eki_deflate *d, int flush)
{
	do {
		d->z.next_out = d->block;
		d->z.avail_out = sizeof d->block;
		deflate(&d->z, flush);
		if (d->z.avail_out < sizeof d->block)
			EK_RETURN_IF(d->put(d->to, (const char *)d->block,
			                    sizeof d->block - d->z.avail_out));
	} while (d->z.avail_out == 0);
	return EK_OK;
}

ek_status eki_deflate_write(eki_deflate *d, const char *data, size_t bytes)
{
	while (bytes > 0) {
		unsigned part = bytes < 1u << 30 ? (unsigned)bytes : 1u << 30;

		/* zlib never writes to next_in, but declares it const only if ZLIB_CONST is
		 * defined. */
		d->z.next_in = (unsigned char *)(uintptr_t)data;
		d->z.avail_in = part;
		EK_RETURN_IF(deflate_blocks(d, Z_NO_FLUSH));
		data += part;
		bytes -= part;
	}
	return EK_OK;
}

ek_status eki_deflate_finish(eki_deflate *d, ek_status status)
{
	if (status == EK_OK) {
		d->z.avail_in = 0;
		status = deflate_blocks(d, Z_FINISH);
	}
	deflateEnd(&d->z);
	eki_free(d->ctx, d, 1, sizeof *d);
	return status;
}

#else
typedef int eki_gzip_is_left_out; /* C does not allow an empty file */
#endif
