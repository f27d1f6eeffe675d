/* SPDX-License-Identifier: BSD-3-Clause
 * Tells whether x should be fetched ahead (drive/far.h). Looks at the columns of a format in the
 * order in which a product reads them: in segments from all over the array, counts the entries in a
 * place of x, a page or a line, that the segment has not read yet, nor one beside it. Entries that
 * follow each other in few streams, as in meshes and bands, are in such a place only where a stream
 * begins. */
#include "cost/places.h"
#include "drive/drive.h"
#define EK_TYPES_ONLY
#define EK_FILE "drive/far.c"
#include "base/for_each.h"

#ifndef EK_FAR_SEGMENTS
#define EK_FAR_SEGMENTS
enum { SEGMENTS = 32, SEGMENT = 1024 }; /* segments; entries of each */
#endif

#if EK_PER_TYPE

/* Counts the entries [begin, end) whose place of x, of `width` columns, is new. */
static int64_t FN(far_new_places)(const void *columns, int64_t width, int64_t begin, int64_t end)
{
	const IDX *col_idx = columns;
	eki_place_memory places = {{0}};
	int64_t count = 0;

	for (int64_t k = begin; k < end; k++)
		count += eki_place_new(&places, col_idx[k] / width);
	return count;
}

#endif
#if EK_ONCE

typedef int64_t new_places_fn(const void *columns, int64_t width, int64_t begin, int64_t end);

bool eki_far_apart(const eki_step *step, int array, eki_far_unit unit)
{
	static new_places_fn *const new_places[EK_NTYPE] = EK_BY_TYPE(far_new_places);
	const ek_store *A = step->in[0];
	const int64_t size = (int64_t)ek_value_size(A->value), len = A->len[array];
	int64_t count = 0;

	if (step->op[0] == EK_OP_T)
		return false;
	if (!step->ctx->small_work && step->threads > 3)
		return true;
	if (eki_miss_cache(step->ctx->machine, (double)(step->x_len * size)) == 0 ||
	    len < SEGMENTS * SEGMENT)
		return false;
	for (int64_t s = 0; s < SEGMENTS; s++) {
		const int64_t begin = (len - SEGMENT) / (SEGMENTS - 1) * s;

		count += new_places[eki_type(A->value, A->index)](A->array[array], unit / size,
		                                                  begin, begin + SEGMENT);
	}
	/* A read that waits for the memory takes as long as 50 to 100 entries that do not. */
	return count > SEGMENTS * SEGMENT / 100;
}

#endif
