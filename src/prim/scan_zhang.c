/* SPDX-License-Identifier: BSD-3-Clause
 * The scan by any number p of processors, with little waiting. Each processor scans a segment of
 * its own. Processor 0 adds the last number of each segment to the last number of the next segment,
 * as soon as the next segment is scanned. Then the owner of each segment adds the last number of
 * the previous segment to the rest of its own segment. It takes the blocks of the segment from the
 * last to the first, since the last blocks are still in the caches. Within a block it goes
 * forwards, which suits the caches.
 *
 * Segments 1 to p - 1 have w b + 1 entries: w = floor(n / (b p)) blocks of b entries, and one entry
 * for the last number. Segment 0 has the remaining entries, and nothing is added to it. In short
 * arrays, where this would leave segment 0 empty, w is smaller. Two events for each segment say
 * "scanned" and "its last number is final". The result of an exclusive scan does not contain the
 * sums of segments, so they are stored outside the array. All entries are read once and written up
 * to twice, and read once more where the caches do not help.
 *
 * Zhang 2012, Algorithm 1 and sections 3.2 and 3.3. */
#include "prim/prim.h"
#define EK_ARRAYS
#define EK_TYPES_ONLY
#define EK_FILE "prim/scan_zhang.c"
#include "base/for_each.h"

/* Scans entries begin .. end - 1 as if there were none before them, and stores their sum in
 * *total. */
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

/* Adds *before to *total and to the last entry of a segment in the result. *before is the sum of
 * all entries before the segment, *total the sum of the segment. */
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

/* Returns w, the number of blocks in each of segments 1 to p - 1. It is small enough that segment 0
 * has an entry. */
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

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
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
	.run = run,
};

#endif
