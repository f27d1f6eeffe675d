/* SPDX-License-Identifier: BSD-3-Clause
 * ek_segmented_scan and ek_segmented_sum: checks of their arguments. The methods are in the files
 * segscan_*.c and segsum_*.c; they call eki_segments_check, which reads the flags or offsets once,
 * with all threads, before anything is written. */
#include "prim/segmented.h"

/* ---- The segments ---------------------------------------------------------------------------- */

typedef struct check {
	const eki_array *a;
	/* for each part: with offsets, the position of its first wrong offset; with flags, the
	 * number of segments that begin in the part */
	int64_t *found;
	uint64_t *bits;
} check;

static bool offset_wrong(const eki_array *a, int64_t k)
{
	int64_t at = eki_offset_at(&a->segments, k);

	if (at < 0 || at > a->n || (k == 0 && at != 0) || (k == a->segments.count && at != a->n))
		return true;
	return k > 0 && at < eki_offset_at(&a->segments, k - 1);
}

static bool ascend_i32(const int32_t *offset, int64_t count)
{
	int32_t wrong = 0;

	for (int64_t k = 0; k < count; k++)
		wrong |= offset[k + 1] < offset[k];
	return !wrong;
}

static bool ascend_i64(const int64_t *offset, int64_t count)
{
	int64_t wrong = 0;

	for (int64_t k = 0; k < count; k++)
		wrong |= offset[k + 1] < offset[k];
	return !wrong;
}

/* Returns the position of the first wrong offset in begin .. end - 1, or `end` if there is none.
 * Works in short pieces: if the first and the last offset of a piece are right and the offsets
 * ascend, all are right. Whether they ascend is checked by a loop without an early exit. */
static int64_t offset_fault(const eki_array *a, int64_t begin, int64_t end)
{
	const ek_segments *s = &a->segments;

	const int64_t size = (int64_t)ek_value_size(s->offset_type);

	for (int64_t k = begin; k < end;) {
		int64_t to = end - k > 256 ? k + 256 : end;

		for (int64_t line = k * size; line < to * size; line += 64)
			__builtin_prefetch(
				(const void *)((uintptr_t)s->offset + (uintptr_t)line + 4096));
		bool right = !offset_wrong(a, k) && !offset_wrong(a, to - 1);

		if (right && s->offset_type == EK_INT64)
			right = ascend_i64((const int64_t *)s->offset + k, to - 1 - k);
		else if (right)
			right = ascend_i32((const int32_t *)s->offset + k, to - 1 - k);
		for (; !right && k < to; k++)
			if (offset_wrong(a, k))
				return k;
		k = to;
	}
	return end;
}

static void offsets_part(void *arg, int part)
{
	const check *c = arg;
	int parts = c->a->threads;
	int64_t len = c->a->segments.count + 1, end = eki_cut(len, parts, part + 1);
	int64_t fault = offset_fault(c->a, eki_cut(len, parts, part), end);

	c->found[part] = fault < end ? fault : len;
}

static void flags_part(void *arg, int part)
{
	const check *c = arg;
	const eki_array *a = c->a;
	int64_t begin = eki_flags_cut(a->n, a->threads, part);
	int64_t end = eki_flags_cut(a->n, a->threads, part + 1);
	const uint8_t *flag = a->segments.flag;

	c->found[part] = eki_flags_bits(a->isa, flag + begin, end - begin,
	                                c->bits ? c->bits + begin / 64 : NULL);
	if (begin == 0 && end > 0 && !flag[0])
		c->found[part]++; /* entry 0 begins a segment in any case */
}

static ek_status flags_check(const eki_array *a, int64_t *before)
{
	int64_t total = 0;

	for (int part = 0; part < a->threads; part++) {
		int64_t here = before[part];

		before[part] = total;
		total += here;
	}
	before[a->threads] = total;
	if (!a->trusted && total != a->segments.count)
		return eki_fail(EK_EINVAL,
		                "segments.count is %lld, but segments.flag begins %lld segments",
		                (long long)a->segments.count, (long long)total);
	return EK_OK;
}

static ek_status offsets_check(const eki_array *a, const int64_t *fault)
{
	int64_t count = a->segments.count, k = count + 1;

	for (int part = 0; part < a->threads; part++)
		if (fault[part] < k)
			k = fault[part];
	if (k > count)
		return EK_OK;

	long long at = (long long)eki_offset_at(&a->segments, k), n = (long long)a->n;
	if (k == 0 && at != 0)
		return eki_fail(EK_ERANGE, "segments.offset[0] is %lld; 0 is expected", at);
	if (k == count && at >= 0 && at != n)
		return eki_fail(EK_ERANGE,
		                "segments.offset[%lld], the last, is %lld; n, %lld, is expected",
		                (long long)k, at, n);
	return eki_fail(EK_ERANGE,
	                "segments.offset[%lld] is %lld; %lld, the one before, to %lld is expected",
	                (long long)k, at, (long long)eki_offset_at(&a->segments, k - 1), n);
}

ek_status eki_segments_check(const ek_context *ctx, const eki_array *a, int64_t *before,
                             uint64_t *bits)
{
	ek_status status = EK_OK;
	check c = {a, before, bits};
	void *own = NULL;
	bool flags = a->segments.flag != NULL;

	if (flags ? a->operation == EK_SEGMENTED_SCAN || (a->trusted && !before) : a->trusted)
		return EK_OK;
	if (!flags || !before) {
		EK_TRY(eki_alloc(ctx, a->threads + 1, sizeof *c.found, &own));
		c.found = own;
	}
	eki_parallel(a->ctx, a->threads, a->threads, flags ? flags_part : offsets_part, &c);
	EK_TRY(flags ? flags_check(a, c.found) : offsets_check(a, c.found));
done:
	eki_free(ctx, own, a->threads + 1, sizeof *c.found);
	return status;
}

/* ---- The arguments --------------------------------------------------------------------------- */

static ek_status flags_arguments(const eki_array *a)
{
	const ek_segments *s = &a->segments;

	if (s->offset)
		return eki_fail(EK_EINVAL, "segments has flag and offset; one must be NULL");
	if (a->operation != EK_SEGMENTED_SUM)
		return EK_OK;
	EK_RETURN_IF(eki_length_check("segments.count", s->count));
	if (s->count > a->n)
		return eki_fail(EK_EINVAL,
		                "segments.count is %lld; at most n, %lld, is possible with flags",
		                (long long)s->count, (long long)a->n);
	return EK_OK;
}

static ek_status offsets_arguments(const eki_array *a)
{
	const ek_segments *s = &a->segments;

	if (!s->offset && a->n == 0 && s->count == 0)
		return EK_OK;
	if (!s->offset)
		return eki_fail(EK_EINVAL, "segments has neither flag nor offset");
	if (s->offset_type != EK_INT32 && s->offset_type != EK_INT64)
		return eki_fail(EK_EINVAL,
		                "segments.offset_type is %d; EK_INT32 or EK_INT64 is expected",
		                (int)s->offset_type);
	EK_RETURN_IF(eki_length_check("segments.count", s->count));
	return eki_array_check("segments.offset", s->offset, s->count + 1,
	                       ek_value_size(s->offset_type));
}

/* Checks the arguments that both operations share, and calls the method. */
static ek_status call(ek_context *ctx, const ek_array_options *options, eki_array *a,
                      const ek_segments *given)
{
	const ek_segments *const segments = &a->segments;
	int64_t size = (int64_t)ek_value_size(a->type), offsets = 0, out_len = a->n;

	if (!given)
		return eki_fail(EK_EINVAL, "segments is NULL");
	EK_RETURN_IF(EKI_STRUCT_IN("segments", ek_segments, given, &a->segments));
	a->handles = eki_array_handles(ctx, options);
	if (a->operation == EK_SEGMENTED_SUM)
		out_len = segments->count;
	EK_RETURN_IF(segments->flag ? flags_arguments(a) : offsets_arguments(a));
	EK_RETURN_IF(eki_array_check("in", a->in, a->n, (size_t)size));
	EK_RETURN_IF(eki_array_check("out", a->out, out_len, (size_t)size));
	if (a->in != a->out || a->operation == EK_SEGMENTED_SUM)
		EK_RETURN_IF(eki_array_overlap(a->handles, "in", a->in, a->n * size, "out", a->out,
		                               out_len * size, 1));
	if (segments->flag) {
		EK_RETURN_IF(eki_array_overlap(a->handles, "segments.flag", segments->flag, a->n,
		                               "out", a->out, out_len * size, 1));
	} else if (segments->offset) {
		offsets = segments->count + 1;
		EK_RETURN_IF(
			eki_array_overlap(a->handles, "segments.offset", segments->offset,
		                          offsets * (int64_t)ek_value_size(segments->offset_type),
		                          "out", a->out, out_len * size, 1));
	}
	return eki_array_call(ctx, options, a->n + offsets, a);
}

ek_status ek_segmented_scan(ek_context *ctx, const ek_array_options *options, ek_value type,
                            ek_monoid op, ek_scan_kind kind, int64_t n, const void *in,
                            const ek_segments *segments, void *out)
{
	eki_array a = {.operation = EK_SEGMENTED_SCAN,
	               .type = type,
	               .op = op,
	               .kind = kind,
	               .n = n,
	               .in = in,
	               .out = out};

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_monoid_check(op, type));
	EK_RETURN_IF(eki_kind_check(kind));
	EK_RETURN_IF(eki_length_check("n", n));
	return call(ctx, options, &a, segments);
}

ek_status ek_segmented_sum(ek_context *ctx, const ek_array_options *options, ek_value type,
                           int64_t n, const void *in, const ek_segments *segments, void *out)
{
	eki_array a = {.operation = EK_SEGMENTED_SUM,
	               .type = type,
	               .op = EK_SUM,
	               .n = n,
	               .in = in,
	               .out = out};

	EK_RETURN_IF(eki_number_check(type));
	EK_RETURN_IF(eki_length_check("n", n));
	return call(ctx, options, &a, segments);
}

const eki_operation eki_op_segmented_scan = {
	.name = "segscan",
	.text = "a scan of each segment of an array",
	.number = EK_SEGMENTED_SCAN,
};

const eki_operation eki_op_segmented_sum = {
	.name = "segsum",
	.text = "the sum of each segment of an array",
	.number = EK_SEGMENTED_SUM,
};
