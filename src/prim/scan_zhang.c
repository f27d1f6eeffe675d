/* SPDX-License-Identifier: BSD-3-Clause
 * The scan by any number p of processors, in three steps. Each processor scans a segment of its
 * own. One adds the last number of each segment to the last number of the next segment. Then the
 * owner of each segment adds the last number of the previous segment to the rest of its own
 * segment. It takes the blocks of the segment from the last to the first, since the last blocks are
 * still in the caches. Within a block it goes forwards, which suits the caches.
 *
 * Segments 1 to p - 1 have w b + 1 entries: w = floor(n / (b p)) blocks of b entries, and one entry
 * for the last number. Segment 0 has the remaining entries, and nothing is added to it. In short
 * arrays, where this would leave segment 0 empty, w is smaller. The result of an exclusive scan
 * does not contain the sums of segments, so they are stored outside the array. All entries are read
 * once and written up to twice, and read once more where the caches do not help.
 *
 * The paper finds what the order of the blocks gains (the ratios R and R' of its Figure 4) by a
 * comparison with a scan without blocks: p segments of n / p entries, each added to forwards as a
 * whole. This is scan.zhang:block=0.
 *
 * In the paper, two events for each segment let processor 0 do the second step while others still
 * scan. That needs p processors at the same time. Segments are equally long, so little is lost by
 * waiting for all of them, and the result does not depend on how many threads there really are.
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
	_Alignas(EKI_ALIGNMENT) union {
		float f32;
		double f64;
		int32_t i32;
		int64_t i64;
	} total;
};

struct scan {
	const eki_array *a;
	struct segment *segment;
	int64_t block;  /* number of entries in a block */
	int64_t blocks; /* number of blocks in each segment but the first */
	int p;          /* number of segments */
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

static int64_t last_of(const struct scan *s, int segment)
{
	return s->a->n - 1 - (s->p - 1 - segment) * (s->blocks * s->block + 1);
}

static void scan_part(void *arg, int part)
{
	const struct scan *s = arg;

	s->local(s->a, part ? last_of(s, part - 1) + 1 : 0, last_of(s, part) + 1,
	         &s->segment[part].total);
}

static void add_part(void *arg, int part)
{
	const struct scan *s = arg;
	const int64_t begin = part ? last_of(s, part - 1) + 1 : 0;

	for (int64_t k = part ? s->blocks : 0; k-- > 0;)
		s->add(s->a, begin + k * s->block, begin + (k + 1) * s->block,
		       &s->segment[part - 1].total);
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
	const int64_t block = step->param[0] ? step->param[0] : a->block ? a->block : BLOCK;
	struct scan s = {.a = a,
	                 .block = block,
	                 .p = a->threads < a->n ? a->threads : (int)a->n,
	                 .local = local[row],
	                 .cross = cross[row],
	                 .add = add[row]};
	void *memory;

	if (block == EKI_ZERO)
		s.block = a->n / s.p - 1;
	s.blocks = block == EKI_ZERO ? 1 : blocks_of_segment(a->n, block, s.p);
	EK_RETURN_IF(eki_alloc(ctx, s.p, sizeof *s.segment, &memory));
	s.segment = memory;
	eki_parallel(ctx, s.p, s.p, scan_part, &s);
	for (int k = 1; k < s.p; k++)
		s.cross(a, last_of(&s, k), &s.segment[k - 1].total, &s.segment[k].total);
	eki_parallel(ctx, s.p, s.p, add_part, &s);
	eki_free(ctx, memory, s.p, sizeof *s.segment);
	return EK_OK;
}

const ek_method ek_scan_zhang = {
	.name = "scan.zhang",
	.text = "local scans, cross-segment addition, blocks backwards",
	.source = "Zhang 2012, Algorithm 1",
	.operation = EK_SCAN,
	.param = {{"block", 0, INT64_C(1) << 40, "entries of a block (4096); 0: no blocks"}},
	.backend = EKI_CPU,
	.run = run,
};

#endif
