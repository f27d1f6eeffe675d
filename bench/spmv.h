/* SPDX-License-Identifier: BSD-3-Clause
 * The product y = alpha op(A) x + beta y, with vectors or with blocks of vectors, as a problem of
 * `ek bench`. spmv.c and scenario.c show it, spmv_enter.c chooses and prepares the methods,
 * spmv_device.c has what differs on a device, problem.c makes the vectors and checks the result.
 */
#ifndef EK_BENCH_SPMV_H
#define EK_BENCH_SPMV_H

#include "../cli/oracle.h"
#include "run.h"

/* The parts of a problem that are on the device of the context. */
struct device_side {
	ek_context *ctx; /* NULL if there is no device */
	ek_dense *side;  /* as `side` of the problem; NULL if vectors stay on the host */
	void *from, *to; /* buffers of the copies that are the bound on a device */
	int64_t bytes;   /* size of each buffer */
	/* Plan that keeps the CSR arrays on the device, so no preparation copies them. */
	ek_plan *holder;
	bool failed; /* a copy has failed */
};

/* A product that is measured. */
struct problem {
	ek_matrix *A;
	/* The problem as peers get it, with all sizes and arrays; `operation` is EK_SPMV, or
	 * EK_SPMM for blocks. */
	ek_peer_problem peer;
	ek_index index;
	ek_op op;
	int64_t calls; /* number of calls that plans are made for, or 0 for the default */
	int64_t max_bytes; /* as in ek_convert_options, for formats that are named */
	ek_reproducible reproducible;
	int64_t in, out; /* rows of x; rows of y */
	void *x, *y, *y0;
	/* Column-major copies of x and y, or x and y themselves if they are column-major. */
	void *x_column, *y_column;
	ek_dense *side;         /* x and y; for blocks, then the columns of x and of y */
	int64_t csr_bytes;      /* bytes of CSR arrays, x and y, the least that a product moves */
	struct oracle **oracle; /* exact result and error bound of each column */
	struct device_side device;
};

/* Makes the problem with A, including its exact result. x and y have `width` columns, in the order
 * EK_ROW_MAJOR or EK_COL_MAJOR. Returns an exit code. */
int problem_make(struct problem *p, const struct bench *bench, int64_t width, int x_order,
                 int y_order, ek_matrix *A);
void problem_free(struct problem *p);
/* Returns the number of vectors and blocks in `side`. */
int64_t problem_sides(const struct problem *p);
/* Copy y to y_column, and y_column to y. They do nothing if these are the same array. */
void problem_to_columns(const struct problem *p);
void problem_from_columns(const struct problem *p);
/* Sets y before a checked run: to y0 or, if beta is 0, to NaN. */
void problem_reset(void *problem);
/* Makes a vector of n random entries, to be freed with free(), or returns NULL without memory. */
void *problem_vector(ek_value value, int64_t n);
/* Returns the largest error of an entry of y over its proven bound; if it is above 1, the result is
 * wrong. */
double problem_error(void *problem, const char *method);

/* One of our methods that multiplies the problem's matrix. */
struct product {
	struct problem *problem;
	ek_operation operation; /* the plan's, and the method and the format that were asked for */
	const char *method, *format;
	ek_plan *plan;
	bool columns;          /* it multiplies one column of a block after another */
	const ek_dense *x, *y; /* arrays of `count` operands */
	int64_t count;
};

/* Enters the methods, formats and peers that the options name, plain CSR and the bound
 * (spmv_enter.c). */
void spmv_enter(struct field *f);
/* Returns the hints for a plan of a method, or auto, for the problem. */
ek_hints product_hints(const struct problem *p, ek_operation operation, const char *method,
                       const char *format);
/* Enters and checks a method, or auto, with A in a format or, if that is NULL, in the method's own.
 * It is refused if it cannot multiply this matrix. */
void product_enter(struct field *f, const char *name, const char *format);
/* Enters the methods that fit a format, among those named or, if `names` is NULL, all that can be
 * used here; and auto for a format that has none of these. */
void product_methods(struct field *f, const char *names, const char *format);
int spmv_begin(struct bench *bench);
/* Measures the products with the width value[0], or vectors if that is 0, and the order
 * value[1]. */
int product_one(const struct matrix_at *at, const int64_t value[MOST_LISTS]);
/* Members of struct operation, and options, that the operations on products share. */
#define PRODUCT_OPTIONS "suite html rounds time peers peer_dir vectors max_bytes"
#define PRODUCT_MEASURED                                                     \
	.enter = spmv_enter, .spoil = problem_reset, .error = problem_error, \
	.matrix = matrix_lists, .one = product_one, .lists = {LIST_OF(columns), LIST_OF(order)}

/* ---- On a device (spmv_device.c) ------------------------------------------------------------- */

/* Makes the vectors and buffers on the device, if there is one. Returns an exit code. */
int device_make(const struct field *f, struct problem *p);
void device_free(struct problem *p);
/* Copies a vector or a block from `here` on the host to `there` on the device; if `back`, the other
 * way round. Returns false if that failed. */
bool device_move(const struct problem *p, const ek_dense *there, const ek_dense *here, bool back);
/* Runs an entrant and returns the seconds on the device's clock, 0 if it gives no time. */
double device_clocked(void *entrant, int64_t calls);
/* Measures how long a call takes on the host if nothing waits for it, and if the host does. */
void device_call_times(struct entrant *e);
/* Enters a copy between device buffers, whose speed is the bound for products on the device. */
void device_enter_copies(struct field *f);
/* Returns the GB/s that are read and written when the device copies a large array, or 0 if that
 * failed. */
double device_copy_gbps(ek_context *ctx, const ek_device_info *info);

#endif
