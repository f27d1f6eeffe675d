/* SPDX-License-Identifier: BSD-3-Clause
 * Reads text in blocks of complete lines. A failure of the source is reported only when all
 * complete lines before it have been used, so that the size of the blocks does not decide which
 * error of a file is reported first. */
#include <string.h>

#include "io/mtx.h"
#include "io/number.h"

enum { PADDING = 64 };
_Static_assert(PADDING > EKI_NUMBER_PAD + 8, "numbers read past the end of a text");

ek_status eki_mtx_text_open(eki_source *source, struct mtx_text *text)
{
	int64_t left = eki_source_left(source);
	int threads = source->ctx->threads < MTX_PARTS ? source->ctx->threads : MTX_PARTS;
	void *block;

	*text = (struct mtx_text){
		.source = source, .line = 1, .most = (int64_t)MTX_BLOCK * threads};
	if (text->most < MTX_LINE_MAX + 1) /* a line and its newline */
		text->most = MTX_LINE_MAX + 1;
	if (left >= 0 && left + 1 < text->most)
		text->most = left + 1;
	text->size = left >= 0 || text->most < MTX_FIRST ? text->most : MTX_FIRST;
	EK_RETURN_IF(eki_alloc(source->ctx, text->size + PADDING, 1, &block));
	text->buffer = block;
	return EK_OK;
}

void eki_mtx_text_close(struct mtx_text *text)
{
	if (text->source)
		eki_free(text->source->ctx, text->buffer, text->size + PADDING, 1);
}

/* Doubles the buffer. Called only if the buffer is full, so memory grows with the bytes read. */
static ek_status grow(struct mtx_text *text)
{
	const ek_context *ctx = text->source->ctx;
	const int64_t size = 2 * text->size < text->most ? 2 * text->size : text->most;
	void *block;

	EK_RETURN_IF(eki_alloc(ctx, size + PADDING, 1, &block));
	memcpy(block, text->buffer, (size_t)text->filled);
	eki_free(ctx, text->buffer, text->size + PADDING, 1);
	text->buffer = block;
	text->size = size;
	return EK_OK;
}

static void keep_fault(struct mtx_text *text, ek_status fault)
{
	size_t n = strlen(ek_error_text());

	n = n < sizeof text->message - 1 ? n : sizeof text->message - 1;
	memcpy(text->message, ek_error_text(), n);
	text->message[n] = '\0';
	text->fault = fault;
}

static int64_t after_last_newline(const char *p, int64_t n)
{
	while (n > 0 && p[n - 1] != '\n')
		n--;
	return n;
}

/* Fills the buffer with complete lines, or with the beginning of one line if the buffer is too
 * small for the whole line. */
static ek_status fill(struct mtx_text *text)
{
	int64_t rest = text->filled - text->end;
	size_t got, want;

	if (text->filled == text->size && text->most < MTX_LINE_MAX + 1)
		text->most = MTX_LINE_MAX + 1; /* the file has grown since it was opened */
	if (text->filled == text->size && text->size < text->most)
		EK_RETURN_IF(grow(text));
	want = (size_t)(text->size - rest);
	memmove(text->buffer, text->buffer + text->end, (size_t)rest);
	ek_status status = eki_source_read(text->source, text->buffer + rest, want, &got);

	text->at_end = status != EK_OK || got < want;
	text->begin = 0;
	text->filled = rest + (int64_t)got;
	if (status != EK_OK)
		keep_fault(text, status);
	text->cut = status == EK_OK && text->at_end && text->filled > 0 &&
	            text->buffer[text->filled - 1] != '\n';
	if (text->cut)
		text->buffer[text->filled++] = '\n';
	memset(text->buffer + text->filled, 0, PADDING - 1);
	text->end = after_last_newline(text->buffer, text->filled);
	return eki_source_progress(text->source);
}

ek_status eki_mtx_text_fill(struct mtx_text *text)
{
	const char *name = text->source->name;

	if (text->begin < text->end)
		return EK_OK;
	while (!text->at_end) {
		EK_RETURN_IF(fill(text));
		if (text->end > 0 || text->at_end)
			break;
		if (text->size == text->most && text->most > MTX_LINE_MAX)
			return eki_fail(EK_ESYNTAX,
			                "%s:%lld: the line is longer than %d bytes; "
			                "longer ones are not read",
			                name, (long long)text->line, MTX_LINE_MAX);
	}
	if (text->begin == text->end && text->fault != EK_OK)
		return eki_fail(text->fault, "%s:%lld: %s", name, (long long)text->line,
		                text->message);
	return EK_OK;
}
