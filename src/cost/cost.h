/* SPDX-License-Identifier: BSD-3-Clause
 * Features of a matrix, and predictions of the cost of loops over its entries on a processor.
 * Methods and formats are chosen by these predictions. */
#ifndef EK_COST_H
#define EK_COST_H

#include "matrix/matrix.h"

typedef struct eki_array eki_array;

/* Everything that a cost function knows about the matrix, the product and the machine. */
typedef struct eki_features {
	ek_stats stats; /* only those of the row lengths, without median and histogram */
	ek_value value;
	ek_index index;
	ek_op op; /* op that the product applies to the CSR store */
	int threads;
	ek_isa isa; /* costs do not depend on the way to gather (eki_isa_row) */
	/* calls: number of runs that share the cost of preparations. announced: the same, as the
	 * caller gave it. It decides whether a conversion is considered at all. */
	int64_t calls, announced, width;
	double short_share; /* share of the rows with at most 8 entries */
	double mixed_share; /* share of the rows whose length differs from the previous row's */
	/* Shares of the rows whose length, or number of vectors, a branch predictor misses. */
	double unforeseen_share, unforeseen_steps;
	/* Shares of the entries in a sample of rows. repeat_share: entries in rows with the
	 * same shape as one of the four rows before. run_share: entries in such rows that also
	 * begin one column after the previous row. narrow_share: entries in rows whose columns
	 * differ by less than 2^16, and in rows of a run, whose columns may differ by more.
	 * far_share: entries far from the diagonal and from the entries just read; the x that
	 * they need may not be in the cache. lost_share: far entries on pages of x that were
	 * not read just now. */
	double repeat_share, run_share, narrow_share, far_share, lost_share;
	/* Shares of the entries in that sample whose neighbour is an entry too: that in the column
	 * before (beside), in the row above (above), and on the same diagonal in the row above
	 * (diagonal). */
	double beside_share, above_share, diagonal_share;
	/* Far entries are read one after the other, so that waits for them overlap. */
	bool in_order;
	bool fetched; /* x is fetched ahead of its use (drive/far.h) */
	const eki_machine *machine;
	/* The matrix in a format other than CSR, with the lengths of its arrays but perhaps without
	 * the arrays. NULL for CSR. */
	const ek_store *store;
	double csr_bytes;  /* bytes that one product with CSR moves */
	/* In SpGEMM, how many products an entry of A has, and how many of them go to columns one
	 * after the other. */
	double products, products_beside;
	bool on_processor; /* the context's device is a processor */
	bool strict;       /* results must have the same bits on all machines */
	double memory;     /* bytes that the choice may take besides A, perhaps INFINITY */
	/* The arguments of a primitive (prim/prim.h), or NULL. Of the other members, only `machine`
	 * is then set. */
	const eki_array *array;
} eki_features;

/* Predicts by how many nanoseconds a random access to a vector of `bytes` bytes takes longer than
 * one to a short vector. */
double eki_far(const eki_machine *m, double bytes);
/* Returns the share of random accesses to a vector of `bytes` bytes that miss the last-level cache.
 * The vector is taken to have a part of it (x_share), since processors share it. */
double eki_miss_cache(const eki_machine *m, double bytes);
/* Returns the share of `bytes` bytes, which each run reads once and in order, that a cache of
 * `size` bytes holds from run to run. */
double eki_held(double bytes, double size);
/* Predicts the time, in nanoseconds, of a run that moves `bytes` bytes. `work` is the computing
 * time in nanoseconds, added up over all cores. The prediction starts with the longer of the times
 * for moving and for computing. It adds a share of the shorter one, since the two overlap only in
 * part. Finally it adds the times to wake threads and to wait for far entries of x (far_share). */
double eki_cost(const eki_features *f, double bytes, double work);
/* Returns the costs of a loop with the value type and the instruction set of `f`. */
const eki_speed *eki_loop_speed(const eki_features *f, eki_loop loop);
/* Predicts the time, in nanoseconds, that one core needs for `rows` rows and `entries` entries with
 * the inner loop `loop`. For formats other than CSR, `entries` counts stored values, padding
 * included. */
double eki_work(const eki_features *f, eki_loop loop, double rows, double entries);
/* Returns the expected share of items that fall into a place that is still empty, when n items are
 * thrown at random into `places` places. */
double eki_first_share(double n, double places);
/* Returns the value of eki_work for all rows and entries of the matrix. */
double eki_work_csr(const eki_features *f, eki_loop loop);
/* Returns the bytes of the vectors and of the matrix arrays in the format of f->store, or in CSR if
 * f->store is NULL. */
double eki_format_bytes(const eki_features *f);
/* Returns the number of values, padding included, in the format of f->store, or the number of
 * entries if f->store is NULL. */
double eki_places(const eki_features *f);
/* Returns the size in bytes of a transposed copy of the matrix, which methods may keep for op T.
 * The size includes an array with the original position of each value (eki_transposed). */
double eki_transposed_bytes(const eki_features *f);
/* Returns the features of op N on such a copy. Its rows are taken to be like those of the matrix,
 * but for their number and mean length. */
eki_features eki_transposed_features(const eki_features *f);
/* Predicts the time of making it, in nanoseconds, divided by the expected calls. */
double eki_transpose_share(const eki_features *f);
/* Predicts the time of a conversion from CSR, in nanoseconds, divided by the expected calls.
 * `plain` is the time of a product with CSR, in nanoseconds. */
double eki_convert_share(const eki_features *f, const ek_format *format, double plain);
/* Tells whether there are enough calls to make up for a conversion to a format, if it ever is. */
bool eki_convert_worthwhile(const eki_features *f, const ek_format *format);
/* Computes the statistics of the row lengths, for the selection of methods and for ek_matrix_stats,
 * which adds their median and histogram. Sets f->stats, f->short_share and f->mixed_share. */
ek_status eki_row_stats(const ek_context *ctx, const ek_store *csr, eki_features *f);
enum { EKI_SAMPLE_ENTRIES = 200000 }; /* maximum number of entries that a sample reads */
/* Estimates from a sample of rows the shares of eki_features that are shares of entries. The fewer
 * products f->calls announces, the smaller the sample is. Returns false, and changes nothing, if
 * there are too few for any. */
bool eki_sample_shapes(const ek_store *csr, eki_features *f);
/* Estimates f->unforeseen_share and f->unforeseen_steps from a sample of the rows. */
void eki_unforeseen_rows(const ek_store *csr, eki_features *f);
/* Sets the two from what one pass over row_ptr has found. */
void eki_unforeseen_guess(eki_features *f);

#endif
