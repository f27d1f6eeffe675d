/* SPDX-License-Identifier: BSD-3-Clause
 * Writes files. A file has a temporary name in the same folder until it is complete. Then it gets
 * its final name, so nobody ever sees half a file under that name. Pipes, devices and standard
 * output are written directly. Files named .gz are compressed by zlib; files named .xz or .zst, by
 * libarchive. */
#define _POSIX_C_SOURCE   200809L
#define _XOPEN_SOURCE     700
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#ifdef EK_HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

enum { PATH_BYTES = 4096 };

struct eki_sink {
	const ek_context *ctx;
	char path[PATH_BYTES];      /* final name of the file */
	char temporary[PATH_BYTES]; /* temporary name, or "" if the file is written directly */
	int fd;
	bool own; /* whether fd is to be closed */
	int64_t content, written; /* numbers of bytes so far, before and after compression */
	int64_t rows, cols;       /* size of the matrix in the file, or 0 */
	ek_status fault;          /* error of writing to fd from within zlib or libarchive */
#ifdef EK_HAVE_ZLIB
	eki_deflate *deflate;
#endif
#ifdef EK_HAVE_ARCHIVE
	struct archive *archive;
#endif
};

enum { NO_FILTER = -1, GZIP };

static const char *const filter[] = {".gz", ".xz", ".zst"};

static int filter_of(const char *path, size_t *length)
{
	*length = strlen(path);
	for (int k = 0; k < (int)(sizeof filter / sizeof *filter); k++) {
		size_t n = strlen(filter[k]);

		if (*length > n && strcmp(path + *length - n, filter[k]) == 0) {
			*length -= n;
			return k;
		}
	}
	return NO_FILTER;
}

bool eki_path_ends(const char *path, const char *ending)
{
	size_t length, n = strlen(ending);

	filter_of(path, &length);
	return length > n && strncmp(path + length - n, ending, n) == 0;
}

static ek_status write_all(eki_sink *s, const char *data, size_t bytes)
{
	while (bytes > 0) {
		ssize_t n = write(s->fd, data, bytes < (size_t)1 << 30 ? bytes : (size_t)1 << 30);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return s->fault = eki_fail(EK_EIO, "%s: writing failed: %s", s->path,
			                           strerror(errno));
		data += n;
		bytes -= (size_t)n;
		s->written += n;
	}
	return EK_OK;
}

/* ---- Compression ----------------------------------------------------------------------------- */

/* Checks that this build can write files compressed with filter[k]; k may be NO_FILTER. The check
 * comes before the file is made, so that a failure leaves no file. */
static ek_status check_filter(const eki_sink *s, int k)
{
	const char *missing = NULL;

#ifndef EK_HAVE_ZLIB
	if (k == GZIP)
		missing = "zlib";
#endif
#ifndef EK_HAVE_ARCHIVE
	if (k != NO_FILTER && k != GZIP)
		missing = "libarchive";
#endif
	if (!missing)
		return EK_OK;
	return eki_fail(EK_EUNSUPPORTED,
	                "%s: this library was built without %s; it cannot write %s", s->path,
	                missing, filter[k]);
}

#ifdef EK_HAVE_ZLIB
static ek_status put_block(void *user, const char *data, size_t bytes)
{
	return write_all(user, data, bytes);
}
#endif

#ifdef EK_HAVE_ARCHIVE
/* Writes a block of output from libarchive. A failure is kept in s->fault, and further blocks are
 * discarded. The failure is never reported to libarchive, which would then not free its
 * compressor. */
static la_ssize_t take_block(struct archive *archive, void *user, const void *data, size_t bytes)
{
	eki_sink *s = user;

	(void)archive;
	if (s->fault == EK_OK)
		write_all(s, data, bytes);
	return (la_ssize_t)bytes;
}

static ek_status archive_fault(const eki_sink *s)
{
	const char *text = archive_error_string(s->archive);

	if (s->fault != EK_OK)
		return s->fault;
	return eki_fail(EK_EIO, "%s: compressing failed: %s", s->path, text ? text : "libarchive");
}

static ek_status archive_open(eki_sink *s, int k)
{
	struct archive_entry *entry;
	int code;

	s->archive = archive_write_new();
	entry = archive_entry_new();
	if (!s->archive || !entry) {
		archive_entry_free(entry);
		return eki_fail(EK_ENOMEM, "no memory for libarchive");
	}
	code = strcmp(filter[k], ".xz") == 0 ? archive_write_add_filter_xz(s->archive)
	                                     : archive_write_add_filter_zstd(s->archive);
	if (code != ARCHIVE_OK) {
		archive_entry_free(entry);
		return eki_fail(EK_EUNSUPPORTED, "%s: this libarchive cannot write %s", s->path,
		                filter[k]);
	}
	archive_write_set_format_raw(s->archive);
	archive_write_set_bytes_in_last_block(s->archive, 1);
	archive_write_set_options(s->archive, "xz:compression-level=1");
	archive_entry_set_pathname(entry, "matrix");
	archive_entry_set_filetype(entry, AE_IFREG);
	code = archive_write_open(s->archive, s, NULL, take_block, NULL);
	if (code == ARCHIVE_OK)
		code = archive_write_header(s->archive, entry);
	archive_entry_free(entry);
	return code == ARCHIVE_OK ? EK_OK : archive_fault(s);
}

static ek_status archive_put(eki_sink *s, const char *data, size_t bytes)
{
	while (bytes > 0) {
		la_ssize_t n = archive_write_data(s->archive, data, bytes);

		if (n <= 0 || s->fault != EK_OK)
			return archive_fault(s);
		data += n;
		bytes -= (size_t)n;
	}
	return EK_OK;
}

static ek_status archive_finish(eki_sink *s, ek_status status)
{
	if (status != EK_OK)
		s->fault = status;
	if ((archive_write_close(s->archive) != ARCHIVE_OK || s->fault != EK_OK) && status == EK_OK)
		status = archive_fault(s);
	archive_write_free(s->archive);
	return status;
}
#endif

static ek_status compress_open(eki_sink *s, int k)
{
#ifdef EK_HAVE_ZLIB
	if (k == GZIP)
		return eki_deflate_open(s->ctx, put_block, s, &s->deflate);
#endif
#ifdef EK_HAVE_ARCHIVE
	if (k != NO_FILTER)
		return archive_open(s, k);
#endif
	return check_filter(s, k);
}

static ek_status compress_close(eki_sink *s, ek_status status)
{
	(void)s;
#ifdef EK_HAVE_ZLIB
	if (s->deflate)
		return eki_deflate_finish(s->deflate, status);
#endif
#ifdef EK_HAVE_ARCHIVE
	if (s->archive)
		return archive_finish(s, status);
#endif
	return status;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Finds the final name of the file, with links followed; whether to write to that file directly;
 * and the mode of the file to be replaced, or 0 if there is none. */
static ek_status target(eki_sink *s, const char *path, bool *direct, mode_t *mode)
{
	struct stat st;

	*mode = 0;
	*direct = strcmp(path, "-") == 0;
	if (strlen(path) + 32 > PATH_BYTES)
		return eki_fail(EK_EINVAL, "path is longer than %d bytes", PATH_BYTES - 32);
	memcpy(s->path, path, strlen(path) + 1);
	if (*direct || stat(path, &st) != 0)
		return EK_OK;
	if (S_ISDIR(st.st_mode))
		return eki_fail(EK_EIO, "%s: is a directory; the name of a file is expected", path);
	*direct = !S_ISREG(st.st_mode);
	*mode = st.st_mode & 07777;
	if (!*direct) {
		char real[PATH_MAX];

		if (realpath(path, real) && strlen(real) + 32 <= PATH_BYTES)
			memcpy(s->path, real, strlen(real) + 1);
	}
	return EK_OK;
}

static ek_status open_temporary(eki_sink *s, mode_t mode)
{
	static atomic_uint counter;

	for (int tries = 0; tries < 100; tries++) {
		snprintf(s->temporary, sizeof s->temporary, "%.4060s.tmp%ld-%u", s->path,
		         (long)getpid() % 1000000, atomic_fetch_add(&counter, 1));
		/* What replaces a private file is private from the start. */
		s->fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		             mode ? mode & 0600 : 0666);
		if (s->fd >= 0 && mode && fchmod(s->fd, mode) != 0) {
			/* Wrong permissions are no reason to fail, since the content will be
			 * right. */
			errno = 0;
		}
		if (s->fd >= 0)
			return EK_OK;
		if (errno != EEXIST)
			break;
	}
	s->temporary[0] = '\0';
	return eki_fail(EK_EIO, "%s: cannot be created: %s", s->path, strerror(errno));
}

static ek_status open_sink(const ek_context *ctx, const char *path, int k, eki_sink **out)
{
	eki_sink *s;
	void *block;
	bool direct;
	mode_t mode;
	ek_status status;

	EK_RETURN_IF(eki_calloc(ctx, 1, sizeof *s, &block));
	s = block;
	s->ctx = ctx;
	s->fd = -1;
	EK_TRY(target(s, path, &direct, &mode));
	EK_TRY(check_filter(s, k));
	if (!direct) {
		EK_TRY(open_temporary(s, mode));
		s->own = true;
	} else if (strcmp(path, "-") == 0) {
		s->fd = STDOUT_FILENO;
	} else {
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (s->fd < 0)
			EK_TRY(eki_fail(EK_EIO, "%s: cannot be opened: %s", path, strerror(errno)));
		s->own = true;
	}
	EK_TRY(compress_open(s, k));
	*out = s;
done:
	if (status != EK_OK)
		eki_sink_finish(s, status);
	return status;
}

ek_status eki_sink_open(const ek_context *ctx, const char *path, eki_sink **out)
{
	size_t length;

	return open_sink(ctx, path, filter_of(path, &length), out);
}

ek_status eki_sink_open_plain(const ek_context *ctx, const char *path, eki_sink **out)
{
	return open_sink(ctx, path, NO_FILTER, out);
}

ek_status eki_sink_write(eki_sink *s, const void *data, size_t bytes)
{
	if (bytes == 0)
		return EK_OK;
	s->content += (int64_t)bytes;
#ifdef EK_HAVE_ZLIB
	if (s->deflate)
		return eki_deflate_write(s->deflate, data, bytes);
#endif
#ifdef EK_HAVE_ARCHIVE
	if (s->archive)
		return archive_put(s, data, bytes);
#endif
	return write_all(s, data, bytes);
}

void eki_sink_dims(eki_sink *s, int64_t rows, int64_t cols)
{
	s->rows = rows;
	s->cols = cols;
}

static void warn_of_dims(const eki_sink *s)
{
	const int64_t most = s->rows > s->cols ? s->rows : s->cols;

	if (most > eki_dim_of_bytes(s->content, s->written))
		eki_log(s->ctx, EK_LOG_WARNING,
		        "%s: %lld rows and %lld columns in %lld bytes: reading it needs max_dim = "
		        "%lld",
		        s->path, (long long)s->rows, (long long)s->cols, (long long)s->written,
		        (long long)most);
}

ek_status eki_sink_finish(eki_sink *s, ek_status status)
{
	status = compress_close(s, status);
	if (s->own && close(s->fd) != 0 && status == EK_OK)
		status = eki_fail(EK_EIO, "%s: closing failed: %s", s->path, strerror(errno));
	if (status == EK_OK && s->temporary[0] && rename(s->temporary, s->path) != 0)
		status = eki_fail(EK_EIO, "%s: cannot be given its name: %s", s->path,
		                  strerror(errno));
	if (status != EK_OK && s->temporary[0])
		unlink(s->temporary);
	if (status == EK_OK)
		warn_of_dims(s);
	eki_free(s->ctx, s, 1, sizeof *s);
	return status;
}
