/* SPDX-License-Identifier: BSD-3-Clause
 * Transposes a CSR matrix through buckets of columns, so that no scattered store misses the caches.
 * The result is the same as that of counting, entry for entry.
 *
 * 1. Once for a pattern, entries are counted by ranges of columns, and neighbouring ranges become
 *    buckets whose entries fit into a core's cache (radix_make.c). This gives the place in C of
 *    each bucket and, within it, of the entries that each part of A has there.
 * 2. Each part reads its entries and puts them, in their order, into the buckets. A bucket lies
 *    where its entries will be in C. Each bucket has a group in which up to 32 entries wait. A full
 *    group is written in whole cache lines, bypassing the caches if C does not fit into them
 *    (software write combining). The column of each entry, counted from the first of its bucket,
 *    goes to scratch as 16 bits.
 * 3. Threads take buckets, sort each by column (by counting, in the cache), and copy it back. The
 *    counts also give the row pointers. A bucket of one column is in order already.
 *
 * Cost: columns are read twice and values once; the entries, with 2 bytes more for each, are
 * written and read again, and the sorted entries are written back. All of this is in order,
 * whatever the pattern is, and every page of C is touched first by a store of whole lines. Source:
 * Satish et al. 2010 (radix sort with write-combining buffers); the division of columns and the
 * sort within C are this library's. */
#include "transpose/radix.h"
#define EK_TYPES_ONLY
#define EK_FILE "transpose/radix.c"
#include "base/for_each.h"

#ifndef EK_RADIX_TASK
#define EK_RADIX_TASK

/* Offsets in the scratch of a run. Those from `groups` on are within the area of a part: filling
 * buckets uses the first three of these, sorting them the others. */
struct places {
	int64_t offset; /* columns within buckets, 16 bits for each entry */
	int64_t areas, area_bytes, bytes;
	int64_t groups, group_from, at;
	int64_t count, idx, val, from;
};

struct task {
	const eki_flip *flip;
	const eki_radix *r;
	struct places at;
	char *scratch;
	bool stream;
	_Atomic int64_t next; /* bucket to sort next */
};

static inline char *area_of(const struct task *t, int part)
{
	return t->scratch + t->at.areas + part * t->at.area_bytes;
}

/* Copies whole cache lines. If `stream` is true, `to` is not brought into the caches. */
static inline void copy_lines(void *to, const void *from, size_t bytes, bool stream)
{
#ifdef EK_HAVE_X86
	if (stream) {
		for (size_t b = 0; b < bytes; b += 16)
			_mm_stream_si128((__m128i *)((char *)to + b),
			                 _mm_load_si128((const __m128i *)((const char *)from + b)));
		return;
	}
#endif
	(void)stream;
	memcpy(to, from, bytes);
}
#endif

#if EK_PER_TYPE

#define RECORD struct FN(radix_record)

/* An entry that waits in a group. */
RECORD
{
	VAL val;
	IDX row, col;
};

/* Writes the waiting entries of bucket b, up to position `end`, to their places in C. The entry for
 * position p waits in element p % EKI_RADIX_GROUP of the group. */
static void FN(radix_write)(const struct task *t, int part, int64_t b, int64_t end)
{
	const eki_flip *f = t->flip;
	const int64_t group = (end - 1) / EKI_RADIX_GROUP * EKI_RADIX_GROUP;
	const int64_t own = t->r->begin[b * t->r->parts + part];
	const IDX first = (IDX)t->r->column[b];
	const RECORD *e = (const RECORD *)(area_of(t, part) + t->at.groups) + b * EKI_RADIX_GROUP;
	const PTR *from = (const PTR *)(area_of(t, part) + t->at.group_from) + b * EKI_RADIX_GROUP;
	_Alignas(EKI_ALIGNMENT) VAL val[EKI_RADIX_GROUP];
	_Alignas(EKI_ALIGNMENT) IDX row[EKI_RADIX_GROUP];
	_Alignas(EKI_ALIGNMENT) uint16_t offset[EKI_RADIX_GROUP];
	const int64_t skip = own > group ? own - group : 0, n = end - group - skip;
	const bool all = n == EKI_RADIX_GROUP, stream = t->stream && all;
	const int64_t at = group + skip;

	if (n <= 0)
		return;
	e += skip;
	from += skip;
	if (all)
		for (int s = 0; s < EKI_RADIX_GROUP; s++) {
			val[s] = e[s].val;
			row[s] = e[s].row;
			offset[s] = (uint16_t)(e[s].col - first);
		}
	else
		for (int s = 0; s < n; s++) {
			val[s] = e[s].val;
			row[s] = e[s].row;
			offset[s] = (uint16_t)(e[s].col - first);
		}
	copy_lines((VAL *)f->out->array[CSR_VAL] + at, val, (size_t)n * sizeof *val, stream);
	copy_lines((uint16_t *)(t->scratch + t->at.offset) + at, offset, (size_t)n * sizeof *offset,
	           stream);
	if (!f->values)
		copy_lines((IDX *)f->out->array[CSR_COL] + at, row, (size_t)n * sizeof *row,
		           stream);
	if (f->from)
		memcpy((PTR *)f->from + at, from, (size_t)n * sizeof *from);
}

/* Puts the entries of a part into the buckets. */
static inline void FN(radix_entries)(const struct task *t, int part, bool with_from)
{
	const eki_flip *f = t->flip;
	const eki_radix *r = t->r;
	const PTR *row_ptr = f->in->array[CSR_PTR];
	const IDX *col_idx = f->in->array[CSR_COL];
	const VAL *val = f->in->array[CSR_VAL];
	const uint16_t *bucket_of = r->bucket_of;
	const int shift = r->shift;
	RECORD *group = (RECORD *)(area_of(t, part) + t->at.groups);
	PTR *from = (PTR *)(area_of(t, part) + t->at.group_from);
	PTR *at = (PTR *)(area_of(t, part) + t->at.at);
	const int64_t end = eki_cut(f->in->nnz, r->parts, part + 1);
	int64_t k = eki_cut(f->in->nnz, r->parts, part);

	for (int64_t b = 0; b < r->buckets; b++)
		at[b] = (PTR)r->begin[b * r->parts + part];
	for (int64_t i = k < end ? eki_row_of(f->in, k) : 0; k < end; i++)
		for (const int64_t stop = row_ptr[i + 1] < end ? row_ptr[i + 1] : end; k < stop;
		     k++) {
			const IDX j = col_idx[k];
			const size_t b = bucket_of[j >> shift];
			const PTR p = at[b];
			const size_t s = (size_t)p % EKI_RADIX_GROUP;

			at[b] = p + 1;
			group[b * EKI_RADIX_GROUP + s] = (RECORD){val[k], (IDX)i, j};
			if (with_from)
				from[b * EKI_RADIX_GROUP + s] = (PTR)k;
			if (s == EKI_RADIX_GROUP - 1)
				FN(radix_write)(t, part, (int64_t)b, (int64_t)p + 1);
		}
	for (int64_t b = 0; b < r->buckets; b++)
		if (at[b] % EKI_RADIX_GROUP)
			FN(radix_write)(t, part, b, at[b]);
#ifdef EK_HAVE_X86
	if (t->stream)
		_mm_sfence();
#endif
}

static void FN(radix_fill)(const struct task *t, int part)
{
	if (t->flip->from)
		FN(radix_entries)(t, part, true);
	else
		FN(radix_entries)(t, part, false);
}

/* Counts the entries of bucket b by column. Turns the counts into positions within the bucket and,
 * unless only values are written, into row pointers. */
static void FN(radix_count)(const struct task *t, int64_t b, int64_t n, const uint16_t *offset,
                            PTR *count)
{
	const eki_radix *r = t->r;
	const int64_t width = r->column[b + 1] - r->column[b];
	PTR *ptr = (PTR *)t->flip->out->array[CSR_PTR] + r->column[b];
	PTR at = (PTR)r->begin[b * r->parts], here = 0;

	memset(count, 0, (size_t)width * sizeof *count);
	for (int64_t k = 0; k < n; k++)
		count[offset[k]]++;
	for (int64_t j = 0; j < width; j++) {
		const PTR entries = count[j];

		count[j] = here;
		here += entries;
		if (!t->flip->values)
			ptr[j + 1] = at + here;
	}
}

/* Sorts bucket b by column. */
static void FN(radix_sort)(const struct task *t, int part, int64_t b)
{
	const eki_flip *f = t->flip;
	const int64_t first = t->r->begin[b * t->r->parts];
	const int64_t n = t->r->begin[(b + 1) * t->r->parts] - first;
	const uint16_t *offset = (const uint16_t *)(t->scratch + t->at.offset) + first;
	char *area = area_of(t, part);
	PTR *count = (PTR *)(area + t->at.count);

	if (t->r->column[b + 1] - t->r->column[b] == 1) { /* in order already; n may be > most */
		if (!f->values)
			((PTR *)f->out->array[CSR_PTR])[t->r->column[b + 1]] = (PTR)(first + n);
		return;
	}
	FN(radix_count)(t, b, n, offset, count);
	if (n == 0)
		return;

	VAL *out_val = (VAL *)f->out->array[CSR_VAL] + first, *val = (VAL *)(area + t->at.val);
	IDX *out_idx = (IDX *)f->out->array[CSR_COL] + first, *idx = (IDX *)(area + t->at.idx);
	PTR *from = (PTR *)(area + t->at.from);

	if (f->from) { /* its elements move with the entries */
		const PTR *out_from = (const PTR *)f->from + first;

		for (int64_t k = 0; k < n; k++) {
			const PTR p = count[offset[k]]++;

			val[p] = out_val[k];
			idx[p] = out_idx[k];
			from[p] = out_from[k];
		}
		memcpy((PTR *)f->from + first, from, (size_t)n * sizeof *from);
	} else if (f->values) {
		for (int64_t k = 0; k < n; k++)
			val[count[offset[k]]++] = out_val[k];
	} else {
		for (int64_t k = 0; k < n; k++) {
			const PTR p = count[offset[k]]++;

			val[p] = out_val[k];
			idx[p] = out_idx[k];
		}
	}
	memcpy(out_val, val, (size_t)n * sizeof *val);
	if (!f->values)
		memcpy(out_idx, idx, (size_t)n * sizeof *idx);
}

#undef RECORD
#endif
#if EK_ONCE

/* Reserves `count` elements of `size` bytes at *end. Returns their offset. */
static int64_t place(int64_t *end, int64_t count, size_t size)
{
	const int64_t at = *end;

	*end = eki_align(eki_plus(at, eki_times(count, (int64_t)size)));
	return at;
}

static struct places places_of(const eki_radix *r, const ek_store *in, bool from)
{
	const size_t ptr = eki_ptr_size(in->index), idx = eki_idx_size(in->index),
		     val = ek_value_size(in->value);
	const int64_t waiting = r->buckets * EKI_RADIX_GROUP;
	int64_t fill = 0, sort = 0;
	struct places p = {0};

	p.groups = place(&fill, waiting, eki_radix_record(in->value, in->index));
	p.group_from = place(&fill, from ? waiting : 0, ptr);
	p.at = place(&fill, r->buckets, ptr);
	p.count = place(&sort, r->widest, ptr);
	p.idx = place(&sort, r->most, idx);
	p.val = place(&sort, r->most, val);
	p.from = place(&sort, from ? r->most : 0, ptr);
	p.area_bytes = fill > sort ? fill : sort;
	p.offset = place(&p.bytes, in->nnz, sizeof(uint16_t));
	p.areas = place(&p.bytes, r->parts, (size_t)p.area_bytes);
	return p;
}

int64_t eki_radix_bytes(const eki_radix *r, const ek_store *in, bool from)
{
	return places_of(r, in, from).bytes;
}

static void fill_part(void *arg, int part)
{
	static void (*const fill[])(const struct task *, int) = EK_BY_TYPE(radix_fill);
	const struct task *t = arg;

	fill[eki_type(t->flip->in->value, t->flip->in->index)](t, part);
}

static void sort_part(void *arg, int part)
{
	static void (*const sort[])(const struct task *, int, int64_t) = EK_BY_TYPE(radix_sort);
	struct task *t = arg;
	int64_t b;

	while ((b = atomic_fetch_add(&t->next, 1)) < t->r->buckets)
		sort[eki_type(t->flip->in->value, t->flip->in->index)](t, part, b);
}

static bool aligned(const void *p)
{
	return (uintptr_t)p % EKI_ALIGNMENT == 0;
}

void eki_radix_flip(const eki_flip *flip, const eki_radix *r, void *scratch)
{
	const ek_store *out = flip->out;
	struct task t = {.flip = flip,
	                 .r = r,
	                 .at = places_of(r, flip->in, flip->from != NULL),
	                 .scratch = scratch,
	                 .stream = r->stream && aligned(scratch) && aligned(out->array[CSR_COL]) &&
	                           aligned(out->array[CSR_VAL])};

	if (!flip->values)
		memset(out->array[CSR_PTR], 0, eki_ptr_size(out->index));
	eki_parallel(flip->ctx, flip->threads, r->parts, fill_part, &t);
	eki_parallel(flip->ctx, flip->threads, r->parts, sort_part, &t);
}

#endif
