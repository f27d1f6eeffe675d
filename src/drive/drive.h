/* SPDX-License-Identifier: BSD-3-Clause
 * The driver of the SpMV methods whose work is a list of units: rows, chunks of rows, blocks, tiles
 * or single entries of a format. A method's `prepare` describes its units and its kernels in an
 * eki_drive and calls eki_drive_prepare; its `run` is eki_drive_run. */
#ifndef EK_SPMV_DRIVE_H
#define EK_SPMV_DRIVE_H

#include <math.h>

#include "drive/split.h"

/* Sums of A x, without alpha and beta, for the first and the last row of a part. The part may share
 * these two rows with neighbouring parts. A row here means `height` rows of the matrix (eki_drive).
 * first_sum and last_sum each have height * width numbers of the value type; the `width` numbers of
 * one row of the matrix are side by side. */
typedef struct eki_carry {
	int64_t first, last; /* if they are equal, all sums are in first_sum */
	void *first_sum, *last_sum;
} eki_carry;

/* Multiplies units [begin, end), of which there is at least one. Fills in *carry for the first and
 * the last row in which the units have entries. Writes y for all rows between these two, empty rows
 * included. The sums of *carry are zero before the call. */
typedef void eki_carry_fn(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                          eki_carry *carry);
/* Adds alpha A^T x, for units [begin, end), to `sum`. This array has v->width numbers of the value
 * type for each column, starting with column `first`. Columns are numbered as in the arrays of A,
 * that is, from A->base. */
typedef void eki_scatter_fn(const ek_store *A, const eki_run *v, int64_t begin, int64_t end,
                            int64_t first, void *sum);
/* Finds a range of columns [span[0], span[1]) that contains all entries of units [begin, end).
 * There is at least one unit. */
typedef void eki_span_fn(const ek_store *A, int64_t begin, int64_t end, int64_t span[2]);

typedef struct eki_drive {
	int64_t units;
	/* `units` + 1 row pointers: the number of entries before each unit. NULL if units are cut
	 * into parts by their number alone. */
	const void *unit_ptr;
	/* The kernel for op N. One of the two members is set, or neither if the method does only op
	 * T. `rows` is for units that share no rows; together they must cover all rows of the
	 * matrix. `carry` is for units that may share rows; these units must be sorted by row. */
	eki_rows_fn *rows;
	eki_carry_fn *carry;
	int height; /* rows of the matrix in one row of eki_carry; 0 means 1 */
	/* The functions for op T. If `scatter` is NULL, op T runs in the same way as op N. The
	 * units must then cover all columns. */
	eki_scatter_fn *scatter;
	eki_span_fn *span;
	/* Whether a run computes the products with A and with B^T together: y = alpha (A + B^T) x +
	 * beta y0. `rows` or `carry` does A, and `scatter` does B^T. In symmetric storage, A is the
	 * lower triangle, and B is A without the diagonal. */
	bool both;
	int width; /* maximum number of dense-block columns for one kernel call; 0 means 1 */
} eki_drive;

/* Finds the smallest range [span[0], span[1]) that contains the columns of entries [begin, end).
 * The columns are in array number `array` of A. The range is empty if there are no entries. */
void eki_span(const ek_store *A, int array, int64_t begin, int64_t end, int64_t span[2]);

/* Tells whether strips of so many columns in all parts together would take longer than they save,
 * by the description of the machine. If tests cut even small matrices (small_work = 0), they never
 * do. */
bool eki_strips_are_long(const eki_step *step, double columns);
/* Tells whether n values fit the caches of the step's cores. Each thread should then add to the
 * part of y that it has scaled itself, since other cores' caches are slow to read. */
static inline bool eki_in_cores(const eki_step *step, int64_t n)
{
	return (double)n * (double)ek_value_size(step->in[0]->value) <=
	       step->ctx->machine->core_bytes * step->threads;
}

/* Tells whether a run may take the matrix from memory, since it fits neither half of the last-level
 * cache that a processor reaches, which other arrays and processors use too, nor the caches of the
 * step's cores. Kernels then prefetch. On a busy Zen 4 with 32 MiB prefetching made SELL take 1.01
 * to 1.18 times as long on 3 to 9 MB, and 0.66 to 0.95 on 16 to 20 MB. If tests cut even small
 * matrices (small_work = 0), those of more than two threads do so too. */
static inline bool eki_from_memory(const eki_step *step)
{
	const double cores = step->ctx->machine->core_bytes * step->threads;

	return (!step->ctx->small_work && step->threads > 2) ||
	       (double)step->bytes > fmax((double)eki_cpu_cache() / 2, cores);
}

/* What eki_far_apart takes for one place of x: a page, so that hardware prefetching in it is relied
 * on, or a line of 64 bytes. */
typedef enum eki_far_unit { EKI_FAR_PAGE = 4096, EKI_FAR_LINE = 64 } eki_far_unit;
/* Tells whether the entries of step->in[0], whose columns are array number `array` in the order in
 * which a product reads them, read an x that no cache holds from one place after another. Kernels
 * then fetch x ahead (drive/far.h), for op N. If tests cut even small matrices (small_work = 0),
 * those of more than three threads do so too. */
bool eki_far_apart(const eki_step *step, int array, eki_far_unit unit);

/* Predicts the time, in nanoseconds, of op T if each of the threads of `f` has a strip or, if there
 * is one thread, adds to y. `bytes` are those of the matrix and the vectors; `rows` and `places`
 * are the numbers of rows and stored values that the kernel goes through. */
double eki_cost_strips(const eki_features *f, double bytes, double rows, double places);
/* Predicts the time, in nanoseconds, of a product with a format. Op N reads all stored values,
 * padding included, by `loop`. Op T scatters them by columns. */
double eki_cost_units(const eki_features *f, eki_loop loop);

ek_status eki_drive_prepare(eki_step *step, const eki_drive *drive);
ek_status eki_drive_run(const eki_step *step, const eki_run *v);

#endif
