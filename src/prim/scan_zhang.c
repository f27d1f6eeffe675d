/* SPDX-License-Identifier: BSD-3-Clause
 * The scan by any number p of processors, with little waiting: each scans a segment of its own;
 * processor 0 adds the last number of each segment to the last of the next, as soon as that segment
 * is scanned; and whoever owns a segment then adds the last number of the segment before to the
 * rest of its own. This addition goes from the last block of the segment to the first, since the
 * last is what the caches still have, and forwards within a block, as caches like it.
 *
 * Segments 1 to p - 1 have w b + 1 entries, w = floor(n / (b p)) blocks of b and the last number;
 * segment 0 has the rest, and nothing is added to it. Where it would be left with nothing, in short
 * arrays, w is smaller. Two events for each segment say "scanned" and "its last number is final".
 * Exclusive scans keep the sums of segments beside the array, which then does not hold them. One
 * read and up to two writes of all entries, and a read more where caches do not help.
 *
 * Zhang 2012, Algorithm 1 and sections 3.2 and 3.3. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/scan_zhang.c"
#include "core/for_each.h"

/* The scan of entries begin to end - 1 alone; their sum goes to *total. */
static void FN(local_scan)(const eki_array *a, int64_t begin, int64_t end, void *total)
{
	const VAL *in = a->in;
	VAL *out = a->out, sum = FN(identity)(a->op);

	for (int64_t i = begin; i < end; i++) {
		VAL before = sum;

		sum = i > begin ? sop(a->op, sum, in[i]) : in[i];
		out[i] = a->kind == EK_EXCLUSIVE ? before : sum;
	}
	*(VAL *)total = sum;
}

/* Puts the sum of all before the segment into its sum and its last entry. */
static void FN(cross_add)(const eki_array *a, int64_t last, const void *before, void *total)
{
	const VAL left = *(const VAL *)before;
	VAL *out = a->out, *sum = total;

	*sum = sop(a->op, left, *sum);
	out[last] = sop(a->op, left, out[last]);
}

static void FN(block_add)(const eki_array *a, int64_t begin, int64_t end, const void *before)
{
	const VAL left = *(const VAL *)before;
	VAL *out = a->out;

	for (int64_t i = begin; i < end; i++)
		out[i] = sop(a->op, left, out[i]);
}

#if EK_ONCE

enum { BLOCK = 4096 };

struct segment {
	_Alignas(EKI_ALIGNMENT) eki_event scanned;
	eki_event final;
	union {
		float f32;
		double f64;
		int32_t i32;
		int64_t i64;
	} total;
};

struct scan {
	const eki_array *a;
	struct segment *segment;
	int64_t block;
	void (*local)(const eki_array *, int64_t, int64_t, void *);
	void (*cross)(const eki_array *, int64_t, const void *, void *);
	void (*add)(const eki_array *, int64_t, int64_t, const void *);
};

/* w, so that segment 0 has an entry. */
static int64_t blocks_of_segment(int64_t n, int64_t block, int64_t p)
{
	int64_t w = n / block / p, most = p > 1 ? ((n - 1) / (p - 1) - 1) / block : w;

	return w < most ? w : most;
}

static void scan_segment(void *arg, int member, int members)
{
	const struct scan *s = arg;
	const eki_array *a = s->a;
	const int p = members < a->n ? members : (int)a->n;

	if (member >= p)
		return;
	int64_t w = blocks_of_segment(a->n, s->block, p), length = w * s->block + 1;
	int64_t begin = member ? a->n - (p - member) * length : 0,
		last = a->n - 1 - (p - 1 - member) * length;
	struct segment *own = s->segment + member;

	s->local(a, begin, last + 1, &own->total);
	if (member == 0) {
		for (int i = 1; i < p; i++) {
			eki_event_wait(&own[i].scanned);
			s->cross(a, last + i * length, &own[i - 1].total, &own[i].total);
			eki_event_set(&own[i].final);
		}
		return;
	}
	eki_event_set(&own->scanned);
	eki_event_wait(&own->final);
	for (int64_t k = w; k-- > 0;)
		s->add(a, begin + k * s->block, begin + (k + 1) * s->block, &own[-1].total);
}

static ek_status run(const ek_context *ctx, const eki_array *a)
{
	static void (*const local[])(const eki_array *, int64_t, int64_t, void *) =
		EK_BY_VALUE(local_scan);
	static void (*const cross[])(const eki_array *, int64_t, const void *, void *) =
		EK_BY_VALUE(cross_add);
	static void (*const add[])(const eki_array *, int64_t, int64_t, const void *) =
		EK_BY_VALUE(block_add);
	int row = eki_value_row(a->type);
	struct scan s = {a, NULL, a->block ? a->block : BLOCK, local[row], cross[row], add[row]};
	void *memory;

	EK_RETURN_IF(eki_calloc(ctx, a->threads, sizeof *s.segment, &memory));
	s.segment = memory;
	eki_team(a->threads, scan_segment, &s);
	eki_free(ctx, memory, a->threads, sizeof *s.segment);
	return EK_OK;
}

const ek_method ek_scan_zhang = {
	.name = "scan.zhang",
	.text = "local scans, cross-segment addition, blocks backwards",
	.source = "Zhang 2012, Algorithm 1",
	.operation = EK_SCAN,
	.backend = EKI_CPU,
	.array = run,
};

#endif
