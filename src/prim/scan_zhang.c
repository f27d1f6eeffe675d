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
 * By default all processors wait for each other between the steps. scan.zhang:overlap=1 has the
 * order of the paper: two events for each segment let processor 0 add the sums of segments while
 * others still scan, and let the owner of a segment go on as soon as the sum before it is there.
 * The events are words that a waiting thread looks at, and not condition variables. In the paper
 * there are p threads, one on each processor. Here fewer may come, so each first scans all segments
 * that nobody has begun, and waits only afterwards, always for a thread that goes on. Both orders
 * add the same numbers in the same order, so they have the same bits, and the result does not
 * depend on how many threads there really are.
 *
 * Zhang 2012, Algorithm 1 and sections 3.2 and 3.3 (Figure 5: the events). */
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
enum { ENTRIES, OVERLAP }; /* the parameters */

struct segment {
	_Alignas(EKI_ALIGNMENT) union {
		float f32;
		double f64;
		int32_t i32;
		int64_t i64;
	} total;
	/* For the order of the paper: 1 + the part that scans the segment, or 0 if none has begun
	 * it; the events P1 and P2. */
	_Atomic int taken;
	eki_event scanned, ready;
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

static void step_by_step(struct scan *s)
{
	const ek_context *ctx = s->a->ctx;

	eki_parallel(ctx, s->p, s->p, scan_part, s);
	for (int k = 1; k < s->p; k++)
		s->cross(s->a, last_of(s, k), &s->segment[k - 1].total, &s->segment[k].total);
	eki_parallel(ctx, s->p, s->p, add_part, s);
}

/* ---- The order of the paper ------------------------------------------------------------------ */

/* Scans those segments that nobody has begun, the one with the number of the part first. */
static void take_segments(struct scan *s, int part)
{
	for (int k = 0; k < s->p; k++) {
		const int number = (part + k) % s->p;
		struct segment *segment = &s->segment[number];
		int nobody = 0;

		if (!atomic_compare_exchange_strong(&segment->taken, &nobody, part + 1))
			continue;
		scan_part(s, number);
		eki_event_set(&segment->scanned);
	}
}

/* Adds the sums of the segments, each as soon as that segment is scanned. */
static void cross_all(struct scan *s)
{
	for (int k = 1; k < s->p; k++) {
		eki_event_wait(&s->segment[k].scanned);
		s->cross(s->a, last_of(s, k), &s->segment[k - 1].total, &s->segment[k].total);
		eki_event_set(&s->segment[k].ready);
	}
}

/* Does all three steps for the segments that the part takes. */
static void whole_part(void *arg, int part)
{
	struct scan *s = arg;

	take_segments(s, part);
	for (int k = 0; k < s->p; k++)
		if (atomic_load(&s->segment[k].taken) != part + 1) {
			continue;
		} else if (k == 0) {
			cross_all(s);
		} else {
			eki_event_wait(&s->segment[k].ready);
			add_part(s, k);
		}
}

/* ---- The method ------------------------------------------------------------------------------ */

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
	const int64_t given = step->param[ENTRIES] ? step->param[ENTRIES] : a->block;
	const int64_t block = given ? given : BLOCK;
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
	EK_RETURN_IF(eki_calloc(ctx, s.p, sizeof *s.segment, &memory));
	s.segment = memory;
	eki_array_note(a, "block", block == EKI_ZERO ? 0 : block);
	eki_array_note(a, "overlap", step->param[OVERLAP] > 0);
	if (step->param[OVERLAP] > 0)
		eki_parallel(ctx, s.p, s.p, whole_part, &s);
	else
		step_by_step(&s);
	eki_free(ctx, memory, s.p, sizeof *s.segment);
	return EK_OK;
}

const ek_method ek_scan_zhang = {
	.name = "scan.zhang",
	.text = "local scans, cross-segment addition, blocks backwards",
	.source = "Zhang 2012, Algorithm 1",
	.operation = EK_SCAN,
	.param = {{"block", 0, INT64_C(1) << 40, "entries of a block (4096); 0: no blocks"},
                  {"overlap", 0, 1,
                   "1: sums of segments are added while others scan, as in the paper (0)"}},
	.backend = EKI_CPU,
	.run = run,
};

#endif
