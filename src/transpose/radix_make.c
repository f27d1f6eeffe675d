/* SPDX-License-Identifier: BSD-3-Clause
 * Divides the columns of a matrix into buckets for transposition (radix.c). Entries are counted by
 * ranges of 2^shift columns. The first count has at most 4096 ranges, so that their counters stay
 * in the nearest cache. Consecutive ranges are joined into a bucket as long as their entries fit
 * into a quarter of a core's cache. If a single range has far more entries, there is a second
 * count, with narrower ranges.
 *
 * Cost: one pass over the columns, or two. How much memory the counters and tables take at most is
 * known before, and nothing is allocated if that is too much. */
#include "transpose/radix_make.h"
#define EK_TYPES_ONLY
#define EK_FILE "transpose/radix_make.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static void FN(radix_ranges)(const ek_store *in, int64_t begin, int64_t end, int shift,
                             int64_t *counter)
{
	const IDX *col_idx = in->array[CSR_COL];
	PTR *count = (PTR *)counter; /* PTR is at most as wide as int64_t */

	for (int64_t k = begin; k < end; k++)
		count[col_idx[k] >> shift]++;
}

#endif
#if EK_ONCE

enum {
	FEW_RANGES = 1 << 12,
	MANY_RANGES = 1 << 16,
	WIDEST = 1 << 16, /* maximum number of columns of a bucket, so that 16 bits suffice */
	FAR_MORE = 4
};

struct ranges {
	const ek_store *in;
	int parts, shift;
	int64_t ranges;
	int64_t *count; /* entries of each part in each range, of the type of row pointers */
};

static void count_part(void *arg, int part)
{
	static void (*const count[])(const ek_store *, int64_t, int64_t, int, int64_t *) =
		EK_BY_TYPE(radix_ranges);
	const struct ranges *s = arg;
	const ek_store *in = s->in;
	int64_t *own = s->count + part * s->ranges;

	memset(own, 0, (size_t)s->ranges * sizeof *own);
	count[eki_type(in->value, in->index)](in, eki_cut(in->nnz, s->parts, part),
	                                      eki_cut(in->nnz, s->parts, part + 1), s->shift, own);
}

/* Returns the number of entries that a part has in a range. */
static int64_t entries_of(const struct ranges *s, int part, int64_t range)
{
	const int64_t *own = s->count + part * s->ranges;

	return s->in->index == EK_I32 ? ((const int32_t *)own)[range] : own[range];
}

/* Returns the bytes of tables. */
static int64_t table_bytes(int64_t ranges, int64_t buckets, int parts)
{
	const eki_radix *r = NULL;

	return ranges * (int64_t)sizeof *r->bucket_of + (ranges + 1) * (int64_t)sizeof *r->column +
	       (buckets * parts + 1) * (int64_t)sizeof *r->begin;
}

/* Chooses at most `most` ranges. Returns the most bytes that counters and tables then take, which
 * is if each range becomes a bucket. */
static int64_t choose_ranges(struct ranges *s, int64_t most)
{
	s->shift = 0;
	while ((s->in->cols - 1) >> s->shift >= most)
		s->shift++;
	s->ranges = ((s->in->cols - 1) >> s->shift) + 1;
	return s->ranges * s->parts * (int64_t)sizeof *s->count +
	       table_bytes(s->ranges, s->ranges, s->parts);
}

/* Counts the entries of each range. */
static ek_status count_ranges(const ek_context *ctx, struct ranges *s)
{
	void *count;

	EK_RETURN_IF(eki_alloc(ctx, s->ranges * s->parts, sizeof *s->count, &count));
	s->count = count;
	eki_parallel(ctx, ctx->threads, s->parts, count_part, s);
	return EK_OK;
}

static void drop_ranges(const ek_context *ctx, struct ranges *s)
{
	eki_free(ctx, s->count, s->ranges * s->parts, sizeof *s->count);
	s->count = NULL;
}

/* Joins ranges into buckets of at most `limit` entries, unless a range alone has more. Sets the
 * members of *r that describe the buckets, except begin. */
static void join(const struct ranges *s, int64_t limit, eki_radix *r)
{
	int64_t here = 0, first = 0;

	r->buckets = 0;
	r->most = r->widest = 0;
	for (int64_t range = 0; range < s->ranges; range++) {
		const int64_t column = range << s->shift;
		const int64_t end = column + ((int64_t)1 << s->shift);
		int64_t n = 0;

		for (int part = 0; part < s->parts; part++)
			n += entries_of(s, part, range);
		if (range == 0 || here + n > limit || end - first > WIDEST) {
			r->column[r->buckets++] = first = column;
			here = 0;
		}
		r->bucket_of[range] = (uint16_t)(r->buckets - 1);
		here += n;
		const int64_t width = (end < s->in->cols ? end : s->in->cols) - first;

		if (width > 1 && here > r->most)
			r->most = here;
		if (width > r->widest)
			r->widest = width;
	}
	r->column[r->buckets] = s->in->cols;
}

/* Computes r->begin. */
static void set_begin(const struct ranges *s, eki_radix *r)
{
	int64_t at = 0;

	memset(r->begin, 0, (size_t)(r->buckets * r->parts + 1) * sizeof *r->begin);
	for (int64_t range = 0; range < s->ranges; range++)
		for (int part = 0; part < s->parts; part++)
			r->begin[r->bucket_of[range] * r->parts + part] +=
				entries_of(s, part, range);
	for (int64_t k = 0; k <= r->buckets * r->parts; k++) {
		const int64_t n = r->begin[k];

		r->begin[k] = at;
		at += n;
	}
}

/* Returns the largest number of entries that a bucket should have: with that many, the bucket and
 * its sort buffer take half of a core's cache. If the groups of that many buckets would not fit
 * into the other half, the number is higher and there are fewer buckets. Sets *buckets to the
 * number of buckets whose groups fit. */
static int64_t limit_of(const ek_context *ctx, const ek_store *in, int64_t *buckets)
{
	const int64_t cache = (int64_t)ctx->machine->core_bytes;
	const int64_t group = EKI_RADIX_GROUP * (int64_t)eki_radix_record(in->value, in->index);
	const int64_t fit = cache / 4 / eki_entry_bytes(in);

	*buckets = cache / 2 / group;
	return fit > 2 * in->nnz / *buckets ? fit : 2 * in->nnz / *buckets;
}

static ek_status alloc_tables(const ek_context *ctx, const struct ranges *s, eki_radix *r)
{
	void *block;

	r->shift = s->shift;
	r->ranges = s->ranges;
	EK_RETURN_IF(eki_alloc(ctx, r->ranges, sizeof *r->bucket_of, &block));
	r->bucket_of = block;
	EK_RETURN_IF(eki_alloc(ctx, r->ranges + 1, sizeof *r->column, &block));
	r->column = block;
	return EK_OK;
}

ek_status eki_radix_make(const ek_context *ctx, const ek_store *in, int parts, int64_t most,
                         eki_radix *r)
{
	struct ranges s = {.in = in, .parts = parts};
	int64_t buckets;
	const int64_t limit = limit_of(ctx, in, &buckets);
	ek_status status = EK_OK;
	void *block;

	*r = (eki_radix){.parts = parts,
	                 .stream = 2 * in->nnz * eki_entry_bytes(in) > eki_cpu_cache()};
	if (in->cols == 0 || in->cols / WIDEST > buckets / 2)
		return EK_OK;
	if (choose_ranges(&s, FEW_RANGES) > most)
		return EK_OK;
	EK_TRY(count_ranges(ctx, &s));
	EK_TRY(alloc_tables(ctx, &s, r));
	join(&s, limit, r);
	if (r->most > FAR_MORE * limit && s.shift > 0) {
		drop_ranges(ctx, &s);
		eki_radix_free(ctx, r);
		if (choose_ranges(&s, MANY_RANGES) > most)
			goto done;
		EK_TRY(count_ranges(ctx, &s));
		EK_TRY(alloc_tables(ctx, &s, r));
		join(&s, limit, r);
	}
	if (r->most > FAR_MORE * limit && r->most * parts > in->nnz / 2) {
		eki_radix_free(ctx, r);
		goto done;
	}
	EK_TRY(eki_alloc(ctx, r->buckets * parts + 1, sizeof *r->begin, &block));
	r->begin = block;
	set_begin(&s, r);
done:
	drop_ranges(ctx, &s);
	if (status != EK_OK)
		eki_radix_free(ctx, r);
	return status;
}

int64_t eki_radix_held(const eki_radix *r)
{
	return r->buckets ? table_bytes(r->ranges, r->buckets, r->parts) : 0;
}

void eki_radix_free(const ek_context *ctx, eki_radix *r)
{
	eki_free(ctx, r->bucket_of, r->ranges, sizeof *r->bucket_of);
	eki_free(ctx, r->column, r->ranges + 1, sizeof *r->column);
	eki_free(ctx, r->begin, r->buckets * r->parts + 1, sizeof *r->begin);
	r->bucket_of = NULL;
	r->column = r->begin = NULL;
	r->ranges = r->buckets = 0;
}

#endif
