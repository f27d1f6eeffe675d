/* SPDX-License-Identifier: BSD-3-Clause
 * Sources of bytes: a file or memory, and decoders on top of it. The kind of a file is recognised
 * by its first bytes, never by its name. Files are read, not mapped, so that a file that shrinks
 * while it is read causes an error and not a signal.
 *
 * Limits: a small file must not fill the memory. The content may have at most max_bytes bytes, and
 * at most max_ratio times the number of compressed bytes read so far. A binary file announces its
 * length, which is compared with max_bytes before anything is allocated. The library itself writes
 * files with arrays of zeros or of equal values, for which a compression method reaches its highest
 * ratio. Therefore the first EKI_ANNOUNCED of the announced bytes are exempt from max_ratio, and
 * for the other announced bytes the ratio may be EKI_ANNOUNCED_RATIO times as high. By
 * default that is a ratio of 2^15, which zstd reaches on zeros (a block of 128 KiB in 4 bytes; xz
 * and gzip stay below). A large number in a header costs no memory if no data follow it. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"

enum { TAR_HEADER = 512, KIND_BYTES = 32 };

ek_status eki_source_new(const ek_context *ctx, const char *name, const ek_read_options *options,
                         eki_source *below, eki_source **out)
{
	void *block;

	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof **out, &block));
	eki_source *s = block;

	s->ctx = ctx;
	s->name = name;
	s->options = options;
	s->total = -1;
	s->below = below;
	*out = s;
	return EK_OK;
}

void eki_source_close(eki_source *s)
{
	while (s) {
		eki_source *below = s->below;

		if (s->close)
			s->close(s);
		eki_free(s->ctx, s->buffer, EKI_SOURCE_BUFFER, 1);
		eki_free(s->ctx, s, 1, sizeof *s);
		s = below;
	}
}

/* ---- Files and memory ------------------------------------------------------------------------ */

static ek_status file_read(eki_source *s, void *to, size_t want, size_t *got)
{
	ssize_t n;

	do
		n = read(s->u.fd, to, want < (size_t)1 << 30 ? want : (size_t)1 << 30);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return eki_fail(EK_EIO, "reading failed: %s", strerror(errno));
	*got = (size_t)n;
	return EK_OK;
}

static void file_close(eki_source *s)
{
	close(s->u.fd);
}

static ek_status file_check(const char *name, int fd, int64_t *total)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return eki_fail(EK_EIO, "%s: cannot be examined: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return eki_fail(EK_EIO, "%s: is a directory; a file is expected", name);
	if (S_ISBLK(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fd)))
		return eki_fail(EK_EIO, "%s: is a device; a file or a pipe is expected", name);
	if (S_ISREG(st.st_mode) && st.st_size > 0) { /* some file systems say 0 of all files */
		off_t at = lseek(fd, 0, SEEK_CUR);

		*total = (int64_t)st.st_size - (at > 0 ? (int64_t)at : 0);
	}
	return EK_OK;
}

static ek_status file_open(const ek_context *ctx, const char *path, const char *name,
                           const ek_read_options *options, eki_source **out)
{
	/* If the caller has closed standard input, a file may get its number. */
	const bool own = strcmp(path, "-") != 0;
	const int fd = own ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	int64_t total = -1;
	ek_status status;

	if (fd < 0)
		return eki_fail(EK_EIO, "%s: cannot be opened: %s", name, strerror(errno));
	EK_TRY(file_check(name, fd, &total));
	EK_TRY(eki_source_new(ctx, name, options, NULL, out));
	(*out)->u.fd = fd;
	(*out)->total = total;
	(*out)->read = file_read;
	(*out)->close = own ? file_close : NULL;
done:
	if (status != EK_OK && own)
		close(fd);
	return status;
}

static ek_status memory_read(eki_source *s, void *to, size_t want, size_t *got)
{
	int64_t left = s->total - s->given;

	*got = (int64_t)want < left ? want : (size_t)left;
	if (*got)
		memcpy(to, s->u.memory + s->given, *got);
	return EK_OK;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Tells whether more bytes were decoded than max_ratio allows for the compressed bytes read. */
static bool beyond_ratio(const eki_source *s)
{
	const int64_t ratio = s->options->max_ratio, far = eki_times(ratio, EKI_ANNOUNCED_RATIO);
	const int64_t known = s->given < s->announced ? s->given : s->announced;
	const int64_t free = known < EKI_ANNOUNCED ? known : EKI_ANNOUNCED;

	return s->below && ((s->given - known) / ratio > s->below->given ||
	                    (known - free) / far > s->below->given);
}

/* Calls the source's own `read` once, and checks the limits on decoded bytes. */
static ek_status read_step(eki_source *s, void *to, size_t want, size_t *got)
{
	const ek_read_options *o = s->options;

	*got = 0;
	EK_RETURN_IF(s->read(s, to, want, got));
	s->given += (int64_t)*got;
	s->ended = *got == 0;
	if (beyond_ratio(s))
		return eki_fail(
			EK_ELIMIT,
			"%lld bytes decompress to more than %smax_ratio = %lld times as many",
			(long long)s->below->given, s->announced ? "256 MiB and 32 times " : "",
			(long long)o->max_ratio);
	if (o->max_bytes && s->given > o->max_bytes)
		return eki_fail(EK_ELIMIT, "there are more than max_bytes = %lld bytes",
		                (long long)o->max_bytes);
	return EK_OK;
}

ek_status eki_source_read(eki_source *s, void *to, size_t want, size_t *got)
{
	size_t n = s->end - s->begin < want ? s->end - s->begin : want;

	if (n)
		memcpy(to, s->buffer + s->begin, n);
	s->begin += n;
	*got = n;
	while (*got < want && !s->ended) {
		EK_RETURN_IF(read_step(s, (char *)to + *got, want - *got, &n));
		*got += n;
	}
	return EK_OK;
}

ek_status eki_source_peek(eki_source *s, size_t want)
{
	size_t n;

	if (!s->buffer) {
		void *block;

		EK_RETURN_IF(eki_alloc(s->ctx, EKI_SOURCE_BUFFER, 1, &block));
		s->buffer = block;
	}
	if (s->end - s->begin < want && s->begin > 0) {
		memmove(s->buffer, s->buffer + s->begin, s->end - s->begin);
		s->end -= s->begin;
		s->begin = 0;
	}
	while (s->end - s->begin < want && !s->ended) {
		EK_RETURN_IF(read_step(s, s->buffer + s->end, EKI_SOURCE_BUFFER - s->end, &n));
		s->end += n;
	}
	return EK_OK;
}

ek_status eki_source_drain(eki_source *s)
{
	for (; s; s = s->below)
		do {
			s->begin = s->end = 0;
			EK_RETURN_IF(eki_source_peek(s, 1));
		} while (s->end > 0);
	return EK_OK;
}

ek_status eki_source_announce(eki_source *s, int64_t bytes)
{
	const int64_t most = s->options->max_bytes;

	if (most && bytes > most)
		return eki_fail(EK_ELIMIT,
		                "%s: the header announces %lld bytes, more than max_bytes = %lld",
		                s->name, (long long)bytes, (long long)most);
	for (; s; s = s->below)
		s->announced = bytes;
	return EK_OK;
}

int64_t eki_source_left(const eki_source *s)
{
	return s->total < 0 ? -1 : s->total - s->given + (int64_t)(s->end - s->begin);
}

ek_status eki_source_progress(const eki_source *s)
{
	const ek_read_options *o = s->options;

	while (s->below)
		s = s->below;
	if (o->progress && o->progress(o->progress_user, s->given, s->total) != 0)
		return eki_fail(EK_ELIMIT, "%s: stopped by the progress function", s->name);
	return EK_OK;
}

/* ---- Kinds of files -------------------------------------------------------------------------- */

static ek_status open_decoder(eki_source *s, const char *kind, eki_source **out)
{
	const bool gzip = strcmp(kind, "gzip") == 0;

	(void)s;
	(void)out;
#ifdef EK_HAVE_ZLIB
	if (gzip)
		return eki_gzip_open(s, out);
#endif
#ifdef EK_HAVE_ARCHIVE
	if (!gzip)
		return eki_filter_open(s, kind, out);
#endif
	return eki_fail(EK_EUNSUPPORTED,
	                "the content is compressed (%s), and this library was built without %s; "
	                "decompress it first",
	                kind, gzip ? "zlib" : "libarchive");
}

static const struct {
	const char *kind, *ending, *magic;
	size_t length;
} compression[] = {{"gzip", ".gz", "\037\213", 2},
                   {"xz", ".xz", "\3757zXZ\0", 6},
                   {"zstd", ".zst", "\050\265\057\375", 4}};

/* Tells whether the content begins with a tar header. All archives except the oldest ones have the
 * mark "ustar" in it. */
static bool is_tar(const eki_source *s)
{
	return s->end - s->begin >= TAR_HEADER &&
	       memcmp(s->buffer + s->begin + 257, "ustar", 5) == 0;
}

/* Stacks the decoders that the content needs on top of the source *s. Sets *s to the topmost
 * decoder. */
static ek_status decode(eki_source **s, int64_t member, int64_t *only)
{
	const size_t kinds = sizeof compression / sizeof *compression;
	bool compressed = false;

	EK_RETURN_IF(eki_source_peek(*s, TAR_HEADER));
	for (size_t k = 0; k < kinds; k++)
		if ((*s)->end >= compression[k].length &&
		    memcmp((*s)->buffer, compression[k].magic, compression[k].length) == 0) {
			EK_RETURN_IF(open_decoder(*s, compression[k].kind, s));
			EK_RETURN_IF(eki_source_peek(*s, TAR_HEADER));
			compressed = true;
			break;
		}
	for (size_t k = 0; k < kinds && !compressed; k++)
		if (strlen((*s)->name) > strlen(compression[k].ending) &&
		    strcmp((*s)->name + strlen((*s)->name) - strlen(compression[k].ending),
		           compression[k].ending) == 0)
			eki_log((*s)->ctx, EK_LOG_WARNING,
			        "%s: the name ends in %s, but the content is not compressed",
			        (*s)->name, compression[k].ending);
	if (!is_tar(*s))
		return eki_content_check(*s);
#ifdef EK_HAVE_ARCHIVE
	EK_RETURN_IF(eki_tar_open(*s, member, only, s));
	EK_RETURN_IF(eki_source_peek(*s, KIND_BYTES));
	return eki_content_check(*s);
#else
	(void)member;
	(void)only;
	return eki_fail(EK_EUNSUPPORTED, "the content is a tar archive, and this library was built "
	                                 "without libarchive; unpack it first");
#endif
}

static ek_status open_once(const ek_context *ctx, const char *path, const void *memory,
                           size_t bytes, const char *name, const ek_read_options *options,
                           int64_t member, int64_t *only, eki_source **out)
{
	eki_source *s = NULL;
	ek_status status;

	if (path) {
		EK_RETURN_IF(file_open(ctx, path, name, options, &s));
	} else {
		EK_RETURN_IF(eki_source_new(ctx, name, options, NULL, &s));
		s->u.memory = memory;
		s->total = (int64_t)bytes;
		s->read = memory_read;
	}
	status = decode(&s, member, only);
	if (status != EK_OK) {
		const eki_source *lowest = s;
		char text[900];
		size_t n = strlen(ek_error_text());

		while (lowest->below)
			lowest = lowest->below;
		if (lowest->total < 0) /* a pipe, which nobody can read again from its start */
			*only = -1;

		n = n < sizeof text - 1 ? n : sizeof text - 1;
		memcpy(text, ek_error_text(), n);
		text[n] = '\0';
		eki_fail(status, "%s:1: %s", name, text);
		eki_source_close(s);
		return status;
	}
	*out = s;
	return EK_OK;
}

ek_status eki_source_open(const ek_context *ctx, const char *path, const void *memory, size_t bytes,
                          const char *name, const ek_read_options *options, eki_source **out)
{
	int64_t only = -1;
	ek_status status = open_once(ctx, path, memory, bytes, name, options, -1, &only, out);

	/* The only matrix in the archive has an unusual name: read the archive again from the
	 * start. */
	if (status == EK_EIO && only >= 0 && (!path || strcmp(path, "-") != 0))
		status = open_once(ctx, path, memory, bytes, name, options, only, &only, out);
	return status;
}
