/* SPDX-License-Identifier: BSD-3-Clause
 * Sparse products C = alpha A B + beta D whose rows processor and device divide between them, for
 * methods with the trait EKI_TOGETHER.
 *
 *   sparse.c        which rows are whose
 *   sparse_pieces.c cuts of the rows; pieces, each a child step of the sides that may compute it
 *   sparse_run.c    a run: both sides at the same time, then the parts of C are put together
 *   sparse_parts.c  parts of the rows of C
 *   sparse_columns.c  slices of columns of B, C and D */
#ifndef EK_BOTH_SPARSE_H
#define EK_BOTH_SPARSE_H

#include "both/both.h"
#include "spgemm/output.h"

/* A piece of the rows of C, which ends where the next one begins. */
typedef struct eki_sparse_piece {
	int64_t begin;
	ek_store A, D;             /* views of the rows */
	eki_step *step[EKI_SIDES]; /* NULL if the piece has no rows, or is never done there */
} eki_sparse_piece;

typedef struct eki_sparse_both {
	const ek_method *batches; /* method that computes on the device by batches */
	int64_t batch;            /* bytes of a batch if they were asked for, else 0 */
	bool streams;             /* whether the device computes by batches */
	int64_t slices;           /* of B in batches, in all pieces; 0 if each may choose */
	eki_mark mark;            /* the plan before pieces were made */
	int pieces;
	int first;     /* number of pieces that the device does */
	int64_t share; /* thousandths of the products that are the processor's, if both do some */
	eki_sparse_piece piece[EKI_PIECES + 1]; /* the last one only tells where the rows end */
	bool moves; /* whether runs may change `first`, as `balance` says */
	eki_balance balance;
} eki_sparse_both;

int64_t eki_sparse_rows(const eki_sparse_both *s, int k);
/* Cuts the rows in `parts` parts, of which part k has the share of the work between edge[k] and
 * edge[k + 1] thousandths, as far as whole rows can. Sets bound[k] to the row where part k begins,
 * share[k] to the share of the work above that row, from 0 to 1, and *terms to the number of
 * products and of entries of D. */
ek_status eki_sparse_cut(const eki_step *step, const double *edge, int parts, int64_t *bound,
                         double *share, int64_t *terms);
/* Makes pieces that begin at the rows `begin`, the last of which ends at begin[pieces]. One piece
 * is prepared for the sides in `one`. Of several the first is always the device's, and the last the
 * processor's; the others, which may move, are prepared for both. Pieces that were made before are
 * undone. */
ek_status eki_sparse_make(eki_step *step, const int64_t *begin, int pieces, unsigned one);
enum { EKI_SPARSE_DEVICE = 1 << EKI_DEVICE_SIDE, EKI_SPARSE_HOST = 1 << EKI_HOST_SIDE };

/* Makes a part a view of rows [begin, begin + rows) of a C that has a pattern. */
ek_status eki_part_view(const eki_step *step, const ek_store *C, int64_t begin, int64_t rows,
                        ek_store *part);
void eki_part_view_free(const eki_step *step, ek_store *part);
/* Makes C, which has no arrays yet, of consecutive parts, and frees these. A part that has no
 * format has no rows. */
ek_status eki_parts_join(const eki_step *step, ek_store *part, int64_t count, ek_store *C);

/* Counts of the entries of a matrix in CSR, in blocks of 2^shift columns from column `first` on. */
typedef struct eki_columns {
	const ek_store *csr;
	int64_t first;
	int shift;
	int64_t count, *before; /* blocks; entries in the blocks before each, and in all */
} eki_columns;
ek_status eki_columns_count(const ek_context *ctx, const ek_store *csr, eki_columns *c);
void eki_columns_free(const ek_context *ctx, eki_columns *c);

enum { EKI_SLICES = 64 }; /* most slices of columns */
/* Slices of columns, of which slice k has those from first[k] on, up to first[k + 1]. */
typedef struct eki_slices {
	int count;
	int64_t first[EKI_SLICES + 1];
	int64_t entries, columns; /* of a slice, at most */
} eki_slices;
/* Cuts the columns in up to `count` slices with about the same numbers of entries. */
void eki_columns_cut(const eki_columns *c, int count, eki_slices *slices);
/* Makes a matrix in CSR of the entries of rows [row, row + rows) whose columns are in
 * [columns[0], columns[1]). The columns of each row must ascend; they keep their numbers. Without
 * `values`, these have memory, but are not copied. */
ek_status eki_slice_make(const eki_step *step, const ek_store *csr, int64_t row, int64_t rows,
                         const int64_t columns[2], bool values, ek_store *slice);
/* Copies the values of such a matrix, made from the rows of C from `row` on and the columns from
 * `column` on, to C. */
void eki_slice_return(const eki_step *step, const ek_store *slice, int64_t row, int64_t column,
                      const ek_store *C);
/* Makes C, which has no arrays yet, of the slices of batches of its rows, and frees these. Slice k
 * of batch b is part[k * batches + b]. */
ek_status eki_slices_join(const eki_step *step, ek_store *part, int64_t slices, int64_t batches,
                          ek_store *C);

/* Prepares a step with the parameters EKI_SPARSE_BOTH_PARAMS. */
ek_status eki_sparse_both_prepare(eki_step *step, const ek_method *batches);
ek_status eki_sparse_both_run(const eki_step *step, const eki_run *v);
void eki_sparse_both_report(const eki_step *step, char *text, size_t size);
/* The parameters of the methods, in this order. */
#define EKI_SPARSE_BOTH_PARAMS                                                            \
	{                                                                                 \
		{"share", 1, 999, "thousandths of the products that the processor does"}, \
			{"batch", 64, INT64_C(1) << 40,                                   \
		         "bytes of a batch, in which A goes to the device"},              \
		{                                                                         \
			"side", 1, 2, "1: the device does all, 2: the processor"          \
		}                                                                         \
	}
/* Parameters of spgemm.csr.batches.gpu */
enum { EKI_BATCHED_BATCH, EKI_BATCHED_SLICES };
/* Parameters of spgemm.csr.split.gpu */
enum { EKI_SPARSE_SHARE_PARAM, EKI_SPARSE_BATCH_PARAM, EKI_SPARSE_SIDE_PARAM };

#endif
