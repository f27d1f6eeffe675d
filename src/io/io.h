/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of src/io share. Bytes come through a chain of sources: a file or memory, a
 * decompressor if they are compressed, the tar reader if that holds an archive. Text is read in
 * blocks, each parsed in parallel into a segment (mtx.h); segments are assembled into CSR. */
#ifndef EK_IO_H
#define EK_IO_H

#include "core/ek_core.h"

typedef struct eki_source eki_source;

struct eki_source {
	const ek_context *ctx;
	const char *name; /* for messages */
	const ek_read_options *options;
	/* Up to `want` bytes; *got = 0 means the end. Bytes before an error are delivered first. */
	ek_status (*read)(eki_source *s, void *to, size_t want, size_t *got);
	void (*close)(eki_source *s); /* NULL: nothing to release */
	eki_source *below;            /* what a decompressor reads from; owned */
	int64_t total;                /* bytes that there will be; -1: not known */
	int64_t given;                /* bytes given so far */
	int64_t announced;     /* bytes that its own header says it has; 0: it says nothing */
	unsigned char *buffer; /* bytes peeked at: begin .. end */
	size_t begin, end;
	bool ended;
	union {
		int fd;
		const unsigned char *memory;
		void *state; /* of a decompressor */
	} u;
};

/* ---- source.c -------------------------------------------------------------------------------- */

enum { EKI_SOURCE_BUFFER = 1 << 16, EKI_ANNOUNCED = 1 << 28, EKI_ANNOUNCED_RATIO = 32 };

/* The decoded content of a file ("-": standard input), or of memory if `path` is NULL. */
ek_status eki_source_open(const ek_context *ctx, const char *path, const void *memory, size_t bytes,
                          const char *name, const ek_read_options *options, eki_source **out);
void eki_source_close(eki_source *s);
/* Reads until `want` bytes are there or the source ends; on an error *got bytes came before it. */
ek_status eki_source_read(eki_source *s, void *to, size_t want, size_t *got);
/* At least `want` (<= 512) bytes at s->buffer + s->begin, fewer only at the end. */
ek_status eki_source_peek(eki_source *s, size_t want);
/* Reads to the very end and throws the bytes away: so errors behind the content are seen. */
ek_status eki_source_drain(eki_source *s);
/* The content says that it is so long, in all; EK_ELIMIT if that is more than max_bytes. Decoding is
 * then limited as source.c says. */
ek_status eki_source_announce(eki_source *s, int64_t bytes);
/* Bytes still to come, or -1 if that is not known. */
int64_t eki_source_left(const eki_source *s);
/* Calls the caller's progress function. */
ek_status eki_source_progress(const eki_source *s);
ek_status eki_source_new(const ek_context *ctx, const char *name, const ek_read_options *options,
                         eki_source *below, eki_source **out);

/* ---- content.c ------------------------------------------------------------------------------- */

/* EK_EUNSUPPORTED, and what it is, if the bytes peeked at begin something that is not read. */
ek_status eki_content_check(const eki_source *s);
/* Whether the 8 bytes peeked at begin a matrix in the binary form. */
bool eki_content_is_ekm(const eki_source *s);

/* ---- gzip.c and archive.c: take over `below` on success only --------------------------------- */

ek_status eki_gzip_open(eki_source *below, eki_source **out);
/* xz or zstd; `kind` names it in messages. */
ek_status eki_filter_open(eki_source *below, const char *kind, eki_source **out);
/* The matrix in a tar archive: the member NAME/NAME.mtx, or member number `member` (>= 0). If there
 * is no NAME/NAME.mtx but one other .mtx file, *only is its number, else -1, and the status
 * EK_EIO. */
ek_status eki_tar_open(eki_source *below, int64_t member, int64_t *only, eki_source **out);

/* ---- gzip.c: writing ------------------------------------------------------------------------- */

typedef struct eki_deflate eki_deflate;

/* What is written comes compressed to put(to, ...), which may fail. */
ek_status eki_deflate_open(const ek_context *ctx, ek_status (*put)(void *, const char *, size_t),
                           void *to, eki_deflate **out);
ek_status eki_deflate_write(eki_deflate *d, const char *data, size_t bytes);
/* Writes the trailer if `status` is EK_OK, and frees `d`. Returns the first failure. */
ek_status eki_deflate_finish(eki_deflate *d, ek_status status);

/* ---- sink.c ---------------------------------------------------------------------------------- */

typedef struct eki_sink eki_sink;

/* A file that appears under its name when eki_sink_finish succeeds. "-" is standard output. Endings
 * .gz, .xz, .zst compress. */
ek_status eki_sink_open(const ek_context *ctx, const char *path, eki_sink **out);
ek_status eki_sink_write(eki_sink *s, const void *data, size_t bytes);
/* The file is of a matrix: a warning says so if its sizes will not be read without max_dim. */
void eki_sink_dims(eki_sink *s, int64_t rows, int64_t cols);
/* Completes the file if `status` is EK_OK, else removes it; frees the sink. Returns the first
 * failure. */
ek_status eki_sink_finish(eki_sink *s, ek_status status);
/* Is the name, without an ending for compression, of form .`ending`? */
bool eki_path_ends(const char *path, const char *ending);

/* ---- ekm.c ----------------------------------------------------------------------------------- */

#define EKI_EKM_MAGIC "\211EKM\r\n\032\n"
ek_status eki_ekm_read(ek_context *ctx, eki_source *s, ek_value value, ek_index index,
                       ek_matrix **A);
ek_status eki_ekm_write(const ek_matrix *A, eki_sink *sink);
/* EK_EUNSUPPORTED if this build cannot read, or write, binary files of today's version. */
ek_status eki_ekm_supported(const char *name);

/* ---- checksum.c ------------------------------------------------------------------------------ */

enum { EKI_EKM_OLD = 2, EKI_EKM_VERSION = 3 };
/* 64 bits over all bytes, as files of that version have them. Without xxHash only of the old one. */
uint64_t eki_checksum(uint32_t version, const void *data, size_t bytes);
/* "0.8.1"; NULL: this build is without. */
const char *eki_xxhash_version(void);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* Defaults for what the caller left zero; EK_EINVAL if the options make no sense. */
ek_status eki_read_options(const ek_read_options *given, ek_read_options *out);
/* Most rows or columns. Options keep max_dim = 0, as then rows without entries are limited too. */
int64_t eki_max_dim(const ek_read_options *options);
/* Rows, and columns, that what was read so far may have where max_dim is not given: a number must
 * not make a small file fill the memory. */
int64_t eki_dim_of_source(const eki_source *s);
/* The same of a file, and of what it has after decompression. */
int64_t eki_dim_of_bytes(int64_t content, int64_t file);
/* EK_ELIMIT if there are more; `where` stands in front of the message. */
ek_status eki_dims_check(const eki_source *s, const char *where, int64_t rows, int64_t cols);

#endif
