/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the files of src/io share. Bytes come through a chain of sources: a file or
 * memory, then a decompressor if they are compressed, then the tar reader if the content is an
 * archive. Text is read in blocks, each of which is parsed in parallel into a segment (mtx.h); the
 * segments are assembled into CSR. */
#ifndef EK_IO_H
#define EK_IO_H

#include "matrix/matrix.h"

typedef struct eki_source eki_source;

struct eki_source {
	const ek_context *ctx;
	const char *name; /* name of the file, for messages */
	const ek_read_options *options;
	/* Reads up to `want` bytes into `to` and stores the number of bytes in *got; 0 means the
	 * end. If an error follows some bytes, one call delivers the bytes and the next one
	 * fails. */
	ek_status (*read)(eki_source *s, void *to, size_t want, size_t *got);
	void (*close)(eki_source *s); /* NULL if there is nothing to release */
	eki_source *below;            /* owned source that this decoder reads from, or NULL */
	int64_t total;                /* length in bytes, or -1 if it is not known */
	int64_t given;                /* bytes delivered so far */
	int64_t announced;            /* number of bytes announced by the content's header, or 0 */
	unsigned char *buffer;        /* bytes read ahead: buffer[begin] to buffer[end - 1] */
	size_t begin, end;
	bool ended;
	union {
		int fd;
		const unsigned char *memory;
		void *state; /* state of a decompressor or of the tar reader */
	} u;
};

/* ---- source.c -------------------------------------------------------------------------------- */

enum { EKI_SOURCE_BUFFER = 1 << 16, EKI_ANNOUNCED = 1 << 28, EKI_ANNOUNCED_RATIO = 32 };

/* Opens the decoded content of the file `path`, of standard input if `path` is "-", or of memory if
 * `path` is NULL. */
ek_status eki_source_open(const ek_context *ctx, const char *path, const void *memory, size_t bytes,
                          const char *name, const ek_read_options *options, eki_source **out);
void eki_source_close(eki_source *s);
/* Reads until it has `want` bytes or the source ends. If it fails, *got is the number of bytes read
 * before the error. */
ek_status eki_source_read(eki_source *s, void *to, size_t want, size_t *got);
/* Makes at least `want` bytes (at most 512) available at s->buffer + s->begin, or fewer if the
 * source ends earlier. */
ek_status eki_source_peek(eki_source *s, size_t want);
/* Reads the source to its end and discards the bytes, so that errors after the content are
 * found. */
ek_status eki_source_drain(eki_source *s);
/* Notes the total length that the header of the content announces. Returns EK_ELIMIT if that is
 * more than max_bytes. From then on, the limits on decoded bytes depend on that length (see the top
 * of source.c). */
ek_status eki_source_announce(eki_source *s, int64_t bytes);
/* Returns the number of bytes still to come, or -1 if it is not known. */
int64_t eki_source_left(const eki_source *s);
/* Calls the caller's progress function, if there is one. Returns EK_ELIMIT if that function asks to
 * stop. */
ek_status eki_source_progress(const eki_source *s);
/* Makes a source that reads from the source `below`, or from no other source if `below` is NULL.
 * The caller then sets `read`, `close` and `u`. */
ek_status eki_source_new(const ek_context *ctx, const char *name, const ek_read_options *options,
                         eki_source *below, eki_source **out);

/* ---- content.c ------------------------------------------------------------------------------- */

/* Compares the bytes read ahead with the first bytes of known kinds of files that cannot be read.
 * If a kind matches, returns EK_EUNSUPPORTED, with a message that names the kind. */
ek_status eki_content_check(const eki_source *s);
/* Tells whether the bytes read ahead are the beginning of a matrix in the binary form. At least 8
 * bytes must have been read ahead. */
bool eki_content_is_ekm(const eki_source *s);

/* ---- gzip.c and archive.c: if opening succeeds, the new source owns `below` ------------------ */

ek_status eki_gzip_open(eki_source *below, eki_source **out);
/* Opens a decompressor. `kind` is "xz" or "zstd", which is also its name in messages. */
ek_status eki_filter_open(eki_source *below, const char *kind, eki_source **out);
/* Opens the matrix in a tar archive: member number `member` if that is >= 0, else the member
 * NAME/NAME.mtx. If there is no NAME/NAME.mtx, returns EK_EIO. Then *only is the number of the
 * archive's .mtx file if it has exactly one, else -1. */
ek_status eki_tar_open(eki_source *below, int64_t member, int64_t *only, eki_source **out);

/* ---- gzip.c: writing ------------------------------------------------------------------------- */

typedef struct eki_deflate eki_deflate;

/* Opens a compressor that passes its output to the function `put`, with `to` as the first argument.
 * `put` may fail. */
ek_status eki_deflate_open(const ek_context *ctx, ek_status (*put)(void *, const char *, size_t),
                           void *to, eki_deflate **out);
ek_status eki_deflate_write(eki_deflate *d, const char *data, size_t bytes);
/* Writes the trailer if `status` is EK_OK, and frees `d`. Returns `status` if it is an error, else
 * the result of writing the trailer. */
ek_status eki_deflate_finish(eki_deflate *d, ek_status status);

/* ---- sink.c ---------------------------------------------------------------------------------- */

typedef struct eki_sink eki_sink;

/* Opens a file for writing. It appears under its name only when eki_sink_finish succeeds. The path
 * "-" is standard output. The file is compressed if its name ends in .gz, .xz or .zst. */
ek_status eki_sink_open(const ek_context *ctx, const char *path, eki_sink **out);
/* Does the same, but never compresses: for files that are read as they are. */
ek_status eki_sink_open_plain(const ek_context *ctx, const char *path, eki_sink **out);
ek_status eki_sink_write(eki_sink *s, const void *data, size_t bytes);
/* Notes the size of the matrix that the file will hold, so that eki_sink_finish can warn if the
 * file cannot be read back without the option max_dim. */
void eki_sink_dims(eki_sink *s, int64_t rows, int64_t cols);
/* Completes the file if `status` is EK_OK, else removes it; then frees the sink. Returns `status`
 * if it is an error, else the first failure while completing the file, or EK_OK. */
ek_status eki_sink_finish(eki_sink *s, ek_status status);
/* Tells whether `path`, without a final .gz, .xz or .zst, ends in `ending`. */
bool eki_path_ends(const char *path, const char *ending);

/* ---- ekm.c ----------------------------------------------------------------------------------- */

#define EKI_EKM_MAGIC "\211EKM\r\n\032\n"
ek_status eki_ekm_read(ek_context *ctx, eki_source *s, ek_value value, ek_index index,
                       ek_matrix **A);
ek_status eki_ekm_write(const ek_matrix *A, eki_sink *sink);
/* Returns EK_OK if this build can read and write binary files of the current version, else
 * EK_EUNSUPPORTED. `name` is the name of the file for the message. */
ek_status eki_ekm_supported(const char *name);

/* ---- checksum.c ------------------------------------------------------------------------------ */

enum { EKI_EKM_OLD = 2, EKI_EKM_VERSION = 3 };
/* Returns the 64-bit checksum of `data` as defined for binary files of version `version`. A build
 * without xxHash can compute only the checksum of version EKI_EKM_OLD. */
uint64_t eki_checksum(uint32_t version, const void *data, size_t bytes);
/* Returns the version of xxHash, such as "0.8.1", or NULL if this build has no xxHash. */
const char *eki_xxhash_version(void);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* Copies the caller's options and fills in the defaults. Returns EK_EINVAL if an option has an
 * invalid value. */
ek_status eki_read_options(const ek_read_options *given, ek_read_options *out);
/* Returns the largest number of rows or columns that any file may have: max_dim, or 2^40 if max_dim
 * is 0. eki_read_options does not replace a max_dim of 0, since eki_dims_check then limits rows and
 * columns by the length of the file too. */
int64_t eki_max_dim(const ek_read_options *options);
/* Returns the largest number of rows or columns that a matrix may have if max_dim is not given. The
 * limit grows as bytes are read, so a large number in a small file cannot fill the memory. */
int64_t eki_dim_of_source(const eki_source *s);
/* Returns the limit of eki_dim_of_source for a file of `file` bytes that has `content` bytes after
 * decompression. */
int64_t eki_dim_of_bytes(int64_t content, int64_t file);
/* Returns EK_ELIMIT if `rows` or `cols` exceeds the limit that eki_dim_of_source returns. The
 * message starts with `where`. */
ek_status eki_dims_check(const eki_source *s, const char *where, int64_t rows, int64_t cols);

#endif
