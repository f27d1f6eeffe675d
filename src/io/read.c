/* SPDX-License-Identifier: BSD-3-Clause
 * Reads matrices. Each block of text is cut into parts at line ends. All threads parse parts, and
 * the coordinates become a segment. At the end, the segments become CSR. A size that the header
 * announces is not allocated before that much data has been read. The error that is reported is
 * always the first one in the file, for any number of threads. */
#include <string.h>

#include "io/mtx.h"

enum { PART_MIN = 1 << 14 }; /* fewest bytes of text for which another thread pays off */

ek_status eki_read_options(const ek_read_options *given, ek_read_options *out)
{
	*out = (ek_read_options){.size = sizeof *out};
	if (given)
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_read_options, given, out));
	if (out->duplicates != 0 && out->duplicates != EK_DUP_SUM &&
	    out->duplicates != EK_DUP_LAST && out->duplicates != EK_DUP_ERROR)
		return eki_fail(
			EK_EINVAL,
			"options.duplicates is 0x%x; EK_DUP_SUM, EK_DUP_LAST or EK_DUP_ERROR "
			"is expected",
			out->duplicates);
	if (out->max_bytes < 0 || out->max_ratio < 0 || out->max_dim < 0)
		return eki_fail(EK_EINVAL, "options.%s is negative",
		                out->max_bytes < 0   ? "max_bytes"
		                : out->max_ratio < 0 ? "max_ratio"
		                                     : "max_dim");
	if (!out->duplicates)
		out->duplicates = EK_DUP_SUM;
	if (!out->max_ratio)
		out->max_ratio = 1024;
	return EK_OK;
}

int64_t eki_max_dim(const ek_read_options *options)
{
	return options->max_dim ? options->max_dim : (int64_t)1 << 40;
}

/* Allows 2^20 rows or columns in any case, and more if the file is long: 64 for each byte of the
 * file, or one for each byte after decompression. An entry takes at least four bytes, in text and
 * in binary files. So a matrix with one entry in 256 rows is accepted. If the file is compressed,
 * one entry in 64 rows is enough under any compression known here. A byte after decompression
 * allows only one row, since such bytes cost an attacker little. Each of these bytes takes memory
 * anyway, so one row for each does little more harm. */
int64_t eki_dim_of_bytes(int64_t content, int64_t file)
{
	const int64_t always = (int64_t)1 << 20, each = 64, in = eki_times(file, each);
	const int64_t most = content > in ? content : in;

	return most > always ? most : always;
}

int64_t eki_dim_of_source(const eki_source *s)
{
	const int64_t content = s->given;

	while (s->below)
		s = s->below;
	return eki_dim_of_bytes(content, s->given);
}

ek_status eki_dims_check(const eki_source *s, const char *where, int64_t rows, int64_t cols)
{
	const int64_t allowed = eki_dim_of_source(s);

	if (rows <= allowed && cols <= allowed)
		return EK_OK;
	return eki_fail(EK_ELIMIT,
	                "%s: %lld row%s and %lld column%s, but only %lld bytes; %lld of each are "
	                "accepted without max_dim",
	                where, (long long)rows, rows == 1 ? "" : "s", (long long)cols,
	                cols == 1 ? "" : "s", (long long)s->given, (long long)allowed);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

struct reading {
	const ek_context *ctx;
	ek_value value;
	ek_index index;
	struct mtx_text text;
	struct mtx_content *content;
	struct mtx_block block;
	int64_t capacity; /* number of entries for which the arrays of the block have room */
	int64_t done;     /* entries read so far */
	struct mtx_segment **tail;
};

static void block_free(struct reading *r)
{
	eki_free(r->ctx, r->block.row, r->capacity, eki_idx_size(r->index));
	eki_free(r->ctx, r->block.col, r->capacity, eki_idx_size(r->index));
	eki_free(r->ctx, r->block.val, r->capacity, ek_value_size(r->value));
}

/* Allocates the arrays of the block, or allocates them again if the text buffer has grown. */
static ek_status block_alloc(struct reading *r)
{
	const struct mtx_header *h = &r->content->h;
	const int64_t capacity = (r->text.size + 1) / eki_mtx_least_bytes(h) + MTX_PARTS + 1;
	size_t isize = eki_idx_size(r->index), vsize = ek_value_size(r->value);

	if (capacity == r->capacity)
		return EK_OK;
	block_free(r);
	r->block.row = r->block.col = r->block.val = NULL;
	r->block.h = h;
	r->capacity = capacity;
	if (!h->array) {
		EK_RETURN_IF(eki_alloc(r->ctx, capacity, isize, &r->block.row));
		EK_RETURN_IF(eki_alloc(r->ctx, capacity, isize, &r->block.col));
	}
	if (h->field != MTX_PATTERN)
		EK_RETURN_IF(eki_alloc(r->ctx, capacity, vsize, &r->block.val));
	return EK_OK;
}

/* Cuts the text of a block into parts at line ends. */
static void block_cut(struct reading *r)
{
	const char *base = r->text.buffer, *end = base + r->text.end, *p = base + r->text.begin;
	int64_t bytes = end - p, least = eki_mtx_least_bytes(&r->content->h);
	int parts = r->ctx->threads < MTX_PARTS ? r->ctx->threads : MTX_PARTS;

	if (bytes / PART_MIN < parts)
		parts = (int)(bytes / PART_MIN) + 1;
	for (int k = 0; k < parts; k++) {
		const char *begin = p, *stop = base + r->text.begin + eki_cut(bytes, parts, k + 1);

		if (stop > p && stop < end)
			p = (const char *)memchr(stop - 1, '\n', (size_t)(end - stop + 1)) + 1;
		else if (stop >= end)
			p = end;
		r->block.part[k] = (struct mtx_part){.begin = begin,
		                                     .end = p,
		                                     .at = (begin - base) / least + k,
		                                     .limit = INT64_MAX};
	}
	r->block.parts = parts;
}

static int64_t lines_between(const char *p, const char *end)
{
	int64_t n = 0;

	for (; p < end; p++)
		n += *p == '\n';
	return n;
}

/* Counts the entries of the block. Fails, with the reason, if a line is wrong or if there are more
 * entries than the file announces. */
static ek_status block_check(struct reading *r, eki_part_fn *parse)
{
	const struct mtx_header *h = &r->content->h;
	const char *begin = r->text.buffer + r->text.begin;

	for (int k = 0; k < r->block.parts; k++) {
		struct mtx_part *part = &r->block.part[k];

		if (part->count > h->entries - r->done) { /* parse again to find the excess line */
			part->limit = h->entries - r->done;
			parse(&r->block, k);
		}
		r->done += part->count;
		if (part->fault) {
			int64_t line = r->text.line + lines_between(begin, part->fault);

			return eki_mtx_explain(h, r->value, &r->text, part->fault, line,
			                       r->done + 1);
		}
	}
	return EK_OK;
}

/* Adds the values of one part that deserve a warning to the count for the whole file. */
static void add_marks(const struct reading *r, const struct mtx_mark *found, struct mtx_marks *sum)
{
	if (found->count && !sum->count)
		sum->line =
			r->text.line + lines_between(r->text.buffer + r->text.begin, found->first);
	sum->count += found->count;
}

static ek_status block_read(struct reading *r)
{
	eki_part_fn *parse = (r->content->h.array ? eki_mtx_array_lines
	                                          : eki_mtx_lines)[eki_type(r->value, r->index)];
	struct mtx_segment *segment = NULL;
	int64_t before = r->done;

	block_cut(r);
	eki_parallel(r->ctx, r->ctx->threads, r->block.parts, parse, &r->block);
	EK_RETURN_IF(block_check(r, parse));
	EK_RETURN_IF(eki_mtx_pack(r->ctx, &r->block, r->value, r->index, &segment));
	if (segment) {
		segment->first = before + 1;
		segment->line = r->text.line;
		*r->tail = segment;
		r->tail = &segment->next;
	}
	for (int k = 0; k < r->block.parts; k++) {
		r->content->diagonal += r->block.part[k].diagonal;
		add_marks(r, &r->block.part[k].too_small, &r->content->too_small);
		add_marks(r, &r->block.part[k].rounded, &r->content->rounded);
	}
	for (int k = 0; k < r->block.parts; k++)
		r->text.line += r->block.part[k].lines;
	r->text.begin = r->text.end;
	return EK_OK;
}

static ek_status read_entries(struct reading *r)
{
	const struct mtx_header *h = &r->content->h;
	const char *name = r->text.source->name;

	for (;;) {
		EK_RETURN_IF(eki_mtx_text_fill(&r->text));
		if (r->text.begin == r->text.end)
			break;
		EK_RETURN_IF(block_alloc(r));
		EK_RETURN_IF(block_read(r));
	}
	if (r->done < h->entries)
		return eki_fail(EK_ETRUNCATED,
		                "%s:%lld: the file ends after %lld entries; %lld are announced",
		                name, (long long)r->text.line, (long long)r->done,
		                (long long)h->entries);
	ek_status status = eki_source_drain(r->text.source);

	if (status != EK_OK) {
		char text[MTX_MESSAGE];
		size_t n = strlen(ek_error_text());

		n = n < sizeof text - 1 ? n : sizeof text - 1;
		memcpy(text, ek_error_text(), n);
		text[n] = '\0';
		eki_fail(status, "%s:%lld: %s", name, (long long)r->text.line, text);
	}
	return status;
}

ek_status eki_mtx_read(const ek_context *ctx, eki_source *source, ek_value value, ek_index index,
                       struct mtx_content *content)
{
	const ek_read_options *o = source->options;
	struct reading r = {.ctx = ctx,
	                    .value = value,
	                    .index = index,
	                    .content = content,
	                    .tail = &content->list};
	int64_t nnz;
	ek_status status;

	content->h.allow_nan = o->allow_nan != 0;
	content->h.mirror = o->mirror != 0;
	content->h.duplicates = o->duplicates;
	EK_TRY(eki_mtx_text_open(source, &r.text));
	EK_TRY(eki_mtx_header_read(&r.text, index, &content->h));
	/* If a file has an entry above the diagonal and its mirror image below, nobody can know
	 * whether they are meant as one entry or as two. So a file with both is refused. */
	if (content->h.mirror && content->h.symmetry != MTX_GENERAL)
		content->h.duplicates = EK_DUP_ERROR;
	EK_TRY(read_entries(&r));
	if (!eki_mtx_expanded(&content->h, content->diagonal, index, &nnz))
		EK_TRY(eki_fail(
			EK_EOVERFLOW,
			"%s:%lld: the %lld entries, expanded, are more than index type %s can "
			"count%s",
			source->name, (long long)r.text.line, (long long)content->h.entries,
			ek_index_name(index), index == EK_I64 ? "" : "; EK_I64 has room"));
	if (content->too_small.count)
		eki_log(ctx, EK_LOG_WARNING,
		        "%s:%lld: %lld value%s too small for %s and %s read as 0, the first one "
		        "here",
		        source->name, (long long)content->too_small.line,
		        (long long)content->too_small.count,
		        content->too_small.count == 1 ? " is" : "s are", ek_value_name(value),
		        content->too_small.count == 1 ? "was" : "were");
	if (content->rounded.count)
		eki_log(ctx, EK_LOG_WARNING,
		        "%s:%lld: %lld integer%s not fit %s exactly and %s rounded, the first one "
		        "here",
		        source->name, (long long)content->rounded.line,
		        (long long)content->rounded.count,
		        content->rounded.count == 1 ? " does" : "s do", ek_value_name(value),
		        content->rounded.count == 1 ? "was" : "were");
done:
	block_free(&r);
	eki_mtx_text_close(&r.text);
	if (status != EK_OK) {
		eki_mtx_segments_free(ctx, content->list);
		content->list = NULL;
	}
	return status;
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static ek_status text_to_csr(const ek_context *ctx, eki_source *source, ek_value value,
                             ek_index index, ek_store *csr)
{
	struct mtx_content content = {0};
	const struct mtx_header *h = &content.h;
	void *data = NULL;
	int64_t nnz, values = 0;
	ek_status status;

	EK_RETURN_IF(eki_mtx_read(ctx, source, value, index, &content));
	EK_TRY(eki_mtx_dims_check(source, h));
	if (h->array) {
		EK_TRY(eki_alloc(ctx, h->rows * h->cols, ek_value_size(value), &data));
		values = h->rows * h->cols;
		eki_mtx_array_fill(h, value, content.list, data);
		eki_mtx_segments_free(ctx, content.list);
		content.list = NULL;
		EK_TRY(eki_mtx_array_csr(ctx, source->name, h, value, index, data, csr));
	} else {
		eki_mtx_expanded(h, content.diagonal, index, &nnz);
		EK_TRY(eki_mtx_assemble(ctx, source->name, h, value, index, nnz, content.list,
		                        csr));
		if (csr->nnz < nnz && h->duplicates == EK_DUP_SUM)
			eki_log(ctx, EK_LOG_WARNING,
			        "%s: %lld of %lld entries%s had places that came before; their "
			        "values were added",
			        source->name, (long long)(nnz - csr->nnz), (long long)nnz,
			        nnz > h->entries ? ", mirror images included," : "");
	}
done:
	eki_free(ctx, data, values, ek_value_size(value));
	eki_mtx_segments_free(ctx, content.list);
	return status;
}

static ek_status read_any(ek_context *ctx, const char *path, const void *memory, size_t bytes,
                          const char *name, ek_value value, ek_index index,
                          const ek_read_options *given, ek_matrix **A)
{
	ek_read_options options;
	eki_source *source = NULL;
	ek_store csr = {0};
	ek_status status;

	EK_RETURN_IF(eki_type_check(value ? value : EK_F64, index ? index : EK_I32));
	if (!A)
		return eki_fail(EK_EINVAL, "A, where the result goes, is NULL");
	EK_RETURN_IF(eki_read_options(given, &options));
	EK_RETURN_IF(eki_source_open(ctx, path, memory, bytes, name, &options, &source));
	EK_TRY(eki_source_peek(source, 8));
	if (eki_content_is_ekm(source)) {
		EK_TRY(eki_ekm_read(ctx, source, value, index, A));
	} else {
		EK_TRY(text_to_csr(ctx, source, value ? value : EK_F64, index ? index : EK_I32,
		                   &csr));
		EK_TRY(eki_matrix_from_store(ctx, &csr, A));
	}
done:
	if (status != EK_OK)
		eki_store_free(ctx, &csr);
	eki_source_close(source);
	return status;
}

ek_status ek_matrix_read(ek_context *ctx, const char *path, ek_value value, ek_index index,
                         const ek_read_options *options, ek_matrix **A)
{
	EK_RETURN_IF(eki_context_check(ctx));
	if (!path || !*path)
		return eki_fail(EK_EINVAL, "path is %s", path ? "empty" : "NULL");
	return read_any(ctx, path, NULL, 0, strcmp(path, "-") == 0 ? "<stdin>" : path, value, index,
	                options, A);
}

ek_status ek_matrix_read_memory(ek_context *ctx, const char *name, const void *data, size_t bytes,
                                ek_value value, ek_index index, const ek_read_options *options,
                                ek_matrix **A)
{
	EK_RETURN_IF(eki_context_check(ctx));
	if (!data && bytes)
		return eki_fail(EK_EINVAL, "data is NULL, bytes is %zu", bytes);
	return read_any(ctx, NULL, data, bytes, name ? name : "<memory>", value, index, options, A);
}
