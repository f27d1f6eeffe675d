/* SPDX-License-Identifier: BSD-3-Clause
 * Reads xz, zstd and tar with libarchive. Only libarchive's readers of these three are enabled,
 * nothing is ever written to disk, and no other program is started. A tar archive is read as a
 * stream; the matrix is its member NAME/NAME.mtx, as in the archives of the SuiteSparse
 * collection. */
#include "io/io.h"

#ifdef EK_HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct reader {
	struct archive *archive;
	eki_source *below;
	ek_status fault; /* error of the source below, which is reported with its own message */
	const char *kind;
	bool nothing; /* whether the content is empty or has ended */
	/* The part of libarchive's current block that has not been delivered yet: `left` bytes at
	 * `block`, which belong at position `offset` of the content. `at` is the number of bytes
	 * delivered so far, including zeros for holes. */
	const char *block;
	size_t left;
	la_int64_t offset, at;
};

static la_ssize_t give_block(struct archive *archive, void *user, const void **block)
{
	struct reader *r = user;
	eki_source *below = r->below;
	size_t n;

	if (r->fault == EK_OK)
		r->fault = eki_source_peek(below, 1);
	n = below->end - below->begin;
	if (r->fault != EK_OK && n == 0) {
		archive_set_error(archive, EIO, "source");
		return ARCHIVE_FATAL;
	}
	*block = below->buffer + below->begin;
	below->begin = below->end;
	return (la_ssize_t)n;
}

/* Turns libarchive's last error into a status. The text of the error message is searched, since
 * libarchive tells the kind of an error in words only. */
static ek_status reader_fault(const struct reader *r)
{
	const char *text = archive_error_string(r->archive);

	if (r->fault != EK_OK)
		return r->fault;
	text = text ? text : "libarchive fails";
	/* liblzma says "No progress is possible" when it needs more input and there is none. */
	bool short_of = strstr(text, "runcated") || strstr(text, "No progress is possible");

	return eki_fail(short_of ? EK_ETRUNCATED : EK_EIO, "the %s content is damaged: %s", r->kind,
	                text);
}

/* Reads block by block, since archive_read_data would not deliver the bytes that precede an
 * error. */
static ek_status reader_read(eki_source *s, void *to, size_t want, size_t *got)
{
	struct reader *r = s->u.state;

	while (!r->nothing && r->left == 0) {
		const void *block;
		int code = archive_read_data_block(r->archive, &block, &r->left, &r->offset);

		r->block = block;
		r->nothing = code == ARCHIVE_EOF;
		if (r->nothing)
			r->left = 0;
		else if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
			return reader_fault(r);
	}
	if (r->left == 0)
		return EK_OK;
	if (r->at < r->offset) { /* a hole in a sparse member reads as zeros */
		*got = r->offset - r->at < (la_int64_t)want ? (size_t)(r->offset - r->at) : want;
		memset(to, 0, *got);
	} else {
		*got = r->left < want ? r->left : want;
		memcpy(to, r->block, *got);
		r->block += *got;
		r->left -= *got;
		r->offset += (la_int64_t)*got;
	}
	r->at += (la_int64_t)*got;
	return EK_OK;
}

static void reader_close(eki_source *s)
{
	struct reader *r = s->u.state;

	archive_read_free(r->archive);
	eki_free(s->ctx, r, 1, sizeof *r);
}

/* Makes a source that reads with libarchive. The caller then enables filters and formats in the
 * reader's struct archive and opens that struct. */
static ek_status reader_new(eki_source *below, const char *kind, eki_source **out)
{
	const ek_context *ctx = below->ctx;
	eki_source *s = NULL;
	void *block = NULL;
	struct reader *r;
	ek_status status;

	EK_TRY(eki_calloc(ctx, 1, sizeof *r, &block));
	r = block;
	r->below = below;
	r->kind = kind;
	EK_TRY(eki_source_new(ctx, below->name, below->options, below, &s));
	r->archive = archive_read_new();
	if (!r->archive)
		EK_TRY(eki_fail(EK_ENOMEM, "no memory for libarchive"));
	s->u.state = r;
	s->read = reader_read;
	s->close = reader_close;
	*out = s;
done:
	if (status != EK_OK) {
		eki_free(ctx, s, s ? 1 : 0, sizeof *s);
		eki_free(ctx, block, 1, sizeof *r);
	}
	return status;
}

/* Frees the source `s` but not the source below it, which stays with its owner. */
static void reader_undo(eki_source *s)
{
	s->below = NULL;
	eki_source_close(s);
}

ek_status eki_filter_open(eki_source *below, const char *kind, eki_source **out)
{
	eki_source *s;
	struct archive_entry *entry;
	int code;

	EK_RETURN_IF(reader_new(below, kind, &s));
	struct reader *r = s->u.state;

	code = strcmp(kind, "xz") == 0 ? archive_read_support_filter_xz(r->archive)
	                               : archive_read_support_filter_zstd(r->archive);
	if (code != ARCHIVE_OK) {
		reader_undo(s);
		return eki_fail(EK_EUNSUPPORTED, "this libarchive cannot read %s", kind);
	}
	archive_read_support_format_raw(r->archive);
	archive_read_support_format_empty(r->archive);
	code = archive_read_open(r->archive, r, NULL, give_block, NULL);
	if (code == ARCHIVE_OK)
		code = archive_read_next_header(r->archive, &entry);
	if (code != ARCHIVE_OK && code != ARCHIVE_EOF) {
		ek_status status = reader_fault(r);

		reader_undo(s);
		return status;
	}
	r->nothing = code == ARCHIVE_EOF;
	*out = s;
	return EK_OK;
}

/* ---- tar ------------------------------------------------------------------------------------- */

/* Tells whether a path is NAME/NAME.mtx, with or without folders in front. */
static bool is_principal(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t n;

	if (!base)
		return false;
	n = strlen(base + 1);
	if (n <= 4 || strcmp(base + 1 + n - 4, ".mtx") != 0)
		return false;
	n -= 4;
	return (size_t)(base - path) >= n && memcmp(base - n, base + 1, n) == 0 &&
	       (base - n == path || base[-(ptrdiff_t)n - 1] == '/');
}

static bool is_matrix(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".mtx") == 0;
}

struct tar_search {
	int64_t member, matrices, only;
	char list[512]; /* names of the members, for the message */
	size_t listed;
	bool cut;       /* the list has no room for all of them */
	char link[200]; /* name of a .mtx member that is a link; "" if there is none */
};

/* Appends the name of a member to the list. If it does not fit, appends "..." as the last item. */
static void list_member(struct tar_search *t, const char *path)
{
	static const char more[] = ", ...";
	const bool fits = t->listed + strlen(path) + 2 + sizeof more <= sizeof t->list;

	if (!t->cut)
		t->listed += (size_t)snprintf(t->list + t->listed, sizeof t->list - t->listed,
		                              "%s%s", t->listed ? ", " : "", fits ? path : "...");
	t->cut |= !fits;
}

/* Advances to the wanted member of the archive. If there is none, fails with EK_EIO and a list of
 * the members. */
static ek_status tar_search(struct reader *r, struct tar_search *t)
{
	struct archive_entry *entry;

	for (int64_t k = 0;; k++) {
		int code = archive_read_next_header(r->archive, &entry);

		if (code == ARCHIVE_EOF)
			break;
		if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
			t->only = -1; /* the damaged rest may have others */
			return reader_fault(r);
		}
		const char *path = archive_entry_pathname(entry);

		if (!path)
			path = "?";
		if (archive_entry_size(entry) < 0)
			return eki_fail(EK_EOVERFLOW,
			                "member %.200s of the tar archive has a "
			                "size that does not fit 63 bits",
			                path);
		list_member(t, path);
		if (archive_entry_filetype(entry) == AE_IFLNK || archive_entry_hardlink(entry)) {
			if (is_matrix(path))
				snprintf(t->link, sizeof t->link, "%.199s", path);
			continue;
		}
		if (archive_entry_filetype(entry) != AE_IFREG)
			continue;
		if (t->member >= 0 ? k == t->member : is_principal(path))
			return EK_OK;
		if (is_matrix(path)) {
			t->matrices++;
			t->only = k;
		}
	}
	if (t->matrices != 1)
		t->only = -1;
	if (t->matrices == 0 && t->link[0])
		return eki_fail(EK_EIO,
		                "member %s of the tar archive is a link, and links are not "
		                "followed; a file is expected",
		                t->link);
	return eki_fail(EK_EIO, "the tar archive has no member NAME/NAME.mtx; its members: %s",
	                t->listed ? t->list : "none");
}

ek_status eki_tar_open(eki_source *below, int64_t member, int64_t *only, eki_source **out)
{
	struct tar_search t = {.member = member, .only = -1};
	eki_source *s;
	ek_status status = EK_OK;

	EK_RETURN_IF(reader_new(below, "tar", &s));
	struct reader *r = s->u.state;

	archive_read_support_format_tar(r->archive);
	if (archive_read_open(r->archive, r, NULL, give_block, NULL) != ARCHIVE_OK)
		status = reader_fault(r);
	if (status == EK_OK)
		status = tar_search(r, &t);
	if (status != EK_OK) {
		reader_undo(s);
		*only = member < 0 ? t.only : -1;
		return status;
	}
	*out = s;
	return EK_OK;
}

#else
typedef int eki_archive_is_left_out; /* C does not allow an empty file */
#endif
