/* SPDX-License-Identifier: BSD-3-Clause
 * How much room temporary rows of SpGEMM by bins get at first if their lengths are guessed, and how
 * rows that are full grow.
 *
 * The probabilistic method estimates the entries of each row of C from minima of random numbers.
 * Each column has a random number; the minimum over the columns of a row of B is its key; the
 * minimum over the keys of the rows of B that make a row of C is the minimum over the columns of
 * that row, each counted once. With n columns, -log(1 - minimum) is exponentially distributed with
 * mean 1 / n, and (KEYS - 1) / (the sum of KEYS such numbers) estimates n with a relative standard
 * deviation of 1 / sqrt(KEYS - 2), a quarter. Rows get that much more room, so that about one in
 * six has to grow. Random numbers are hashes, so estimates are the same in each plan. Cost: KEYS
 * times a read of all columns of A, B and D, and a number for each row of B.
 *
 * The progressive method gives each row the same room. In both, rows that are full grow by half,
 * and those that the hybrid method lets grow double their room.
 *
 * Cohen 1996 and 1998 (estimate); Gilbert, Moler and Schreiber 1992 (growth by half); Liu 2015,
 * section 9.3, has both as methods of memory pre-allocation. */
#include <math.h>

#include "base/mix.h"
#include "spgemm/bins_rooms.h"
#define EK_TYPES_ONLY
#define EK_FILE "spgemm/bins_rooms.c"
#include "base/for_each.h"

#if EK_PER_TYPE

static uint64_t FN(least_random)(const ek_store *M, int64_t row, uint64_t salt)
{
	const PTR *ptr = M->array[CSR_PTR];
	const IDX *col = M->array[CSR_COL];
	uint64_t least = UINT64_MAX;

	for (PTR k = ptr[row]; k < ptr[row + 1]; k++) {
		const uint64_t number = eki_random_at((uint64_t)col[k], salt);

		least = number < least ? number : least;
	}
	return least;
}

static void FN(find_keys)(const eki_step *step, int64_t begin, int64_t end, uint64_t salt,
                          uint64_t *key)
{
	for (int64_t j = begin; j < end; j++)
		key[j] = FN(least_random)(step->in[1], j, salt);
}

/* Adds a number with mean 1 / n to the sums of rows with n entries. */
static void FN(add_minima)(const eki_step *step, int64_t begin, int64_t end, uint64_t salt,
                           const uint64_t *key, double *sum)
{
	const ek_store *A = step->in[0], *D = step->in[2];
	const PTR *ptr = A->array[CSR_PTR];
	const IDX *col = A->array[CSR_COL];

	for (int64_t i = begin; i < end; i++) {
		uint64_t least = D ? FN(least_random)(D, i, salt) : UINT64_MAX;

		for (PTR k = ptr[i]; k < ptr[i + 1]; k++)
			least = key[col[k]] < least ? key[col[k]] : least;
		sum[i] -= log1p(-0x1p-64 * (double)(least >> 11 << 11));
	}
}

#endif
#if EK_ONCE

enum { KEYS = 16 };

int64_t eki_bins_grown(eki_bin_memory memory, int64_t room, int64_t bound)
{
	const int64_t more = memory == EKI_MEMORY_HYBRID ? room : room / 2 + (room < 2);

	return room > bound - more ? bound : room + more;
}

/* ---- The estimate ---------------------------------------------------------------------------- */

typedef void keys_fn(const eki_step *, int64_t, int64_t, uint64_t, uint64_t *);
typedef void minima_fn(const eki_step *, int64_t, int64_t, uint64_t, const uint64_t *, double *);

struct estimate {
	const eki_step *step;
	keys_fn *keys;
	minima_fn *minima;
	uint64_t salt, *key;
	double *sum;
	int parts;
};

static void keys_part(void *arg, int part)
{
	const struct estimate *e = arg;
	const int64_t rows = e->step->in[1]->rows;

	e->keys(e->step, eki_cut(rows, e->parts, part), eki_cut(rows, e->parts, part + 1), e->salt,
	        e->key);
}

static void minima_part(void *arg, int part)
{
	const struct estimate *e = arg;
	const int64_t rows = e->step->in[0]->rows;

	e->minima(e->step, eki_cut(rows, e->parts, part), eki_cut(rows, e->parts, part + 1),
	          e->salt, e->key, e->sum);
}

/* Sets sum[i], which must be 0, to the sum of KEYS numbers for row i of C. The limit on memory must
 * leave room for `sum` and the keys. */
static ek_status add_up(eki_step *step, double *sum)
{
	static keys_fn *const keys[EK_NTYPE] = EK_BY_TYPE(find_keys);
	static minima_fn *const minima[EK_NTYPE] = EK_BY_TYPE(add_minima);
	const ek_store *A = step->in[0], *B = step->in[1];
	const int type = eki_type(A->value, A->index);
	const int64_t limit = step->problem->memory;
	const int64_t bytes = eki_times(eki_plus(A->rows, B->rows), (int64_t)sizeof(uint64_t));
	const int64_t needs = eki_plus(eki_plan_needs(step->plan), bytes);
	struct estimate e = {step, keys[type], minima[type], 0, NULL, sum, 1};

	if (limit > 0 && needs > limit)
		return eki_fail(EK_ELIMIT,
		                "hints.memory is %lld bytes; the estimate of method %s takes %lld",
		                (long long)limit, step->method->name, (long long)needs);
	EK_RETURN_IF(eki_alloc(step->ctx, B->rows, sizeof *e.key, (void *)&e.key));
	e.parts = eki_parts(step->ctx, KEYS * (A->nnz + B->nnz));
	for (int k = 0; k < KEYS; k++) {
		e.salt = eki_random_at((uint64_t)k, 0);
		eki_parallel(step->ctx, step->threads, e.parts, keys_part, &e);
		eki_parallel(step->ctx, step->threads, e.parts, minima_part, &e);
	}
	eki_free(step->ctx, e.key, B->rows, sizeof *e.key);
	return EK_OK;
}

/* Returns the room for a row with that sum. */
static int64_t estimated(double sum, int64_t bound)
{
	const double most = (1 + 1 / sqrt(KEYS - 2)) * (KEYS - 1) / sum;

	return most < (double)bound ? (int64_t)ceil(most) : bound;
}

/* ---- Rooms ----------------------------------------------------------------------------------- */

static int64_t all_rooms(eki_bin_memory memory, int64_t room, int64_t bound)
{
	int64_t all = room;

	for (; room < bound; all = eki_plus(all, room))
		room = eki_bins_grown(memory, room, bound);
	return all;
}

ek_status eki_bins_rooms(eki_step *step, eki_bins *b, eki_bin_memory memory)
{
	const int64_t rows = step->in[0]->rows;
	double *sum = NULL;
	ek_status status = EK_OK;

	EK_RETURN_IF(eki_step_alloc(step, rows, sizeof *b->room, &b->room));
	EK_RETURN_IF(eki_step_alloc(step, rows, sizeof *b->rank, &b->rank));
	if (memory == EKI_MEMORY_PROBABILISTIC) {
		EK_RETURN_IF(eki_calloc(step->ctx, rows, sizeof *sum, (void *)&sum));
		EK_TRY(add_up(step, sum));
	}
	for (int64_t k = 0; k < rows; k++)
		b->rank[b->row[k]] = k;
	for (int64_t i = 0; i < rows; i++) {
		const int64_t bound = b->at[i];

		b->room[i] =
			bound < 2 ? bound
			: sum     ? estimated(sum[i], bound)
				  : (bound < EKI_PROGRESSIVE_FIRST ? bound : EKI_PROGRESSIVE_FIRST);
		b->room_first = eki_plus(b->room_first, b->room[i]);
		b->room_most = eki_plus(b->room_most, all_rooms(memory, b->room[i], bound));
	}
done:
	eki_free(step->ctx, sum, rows, sizeof *sum);
	return status;
}

#endif
