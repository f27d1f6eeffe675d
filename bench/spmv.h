/* SPDX-License-Identifier: BSD-3-Clause
 * The product y = alpha op(A) x + beta y, with vectors or with blocks of vectors, as a problem of
 * `ek bench`. spmv.c, spmm.c and scenario.c show it, spmv_choose.c chooses the methods,
 * spmv_enter.c prepares them, spmv_device.c has what differs on a device, problem.c makes the
 * vectors and checks the result.
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
	ek_plan *
		holder; /* plan that keeps the CSR arrays on the device, so no preparation copies them */
	bool failed; /* a copy has failed */
};

/* The width of X and Y, and the order of each: EK_ROW_MAJOR or EK_COL_MAJOR. */
struct shape {
	int64_t width; /* number of columns; 1 for vectors */
	int x_order, y_order;
};

/* A product that is measured. */
struct problem {
	ek_matrix *A;
	ek_operation operation; /* EK_SPMV, or EK_SPMM for blocks */
	struct shape shape;
	int64_t rows, cols, nnz;
	ek_value value;
	ek_index index;
	ek_op op;
	int threads;
	int64_t calls; /* number of calls that plans are made for, or 0 for the default */
	ek_reproducible reproducible;
	double alpha, beta; /* rounded to the value type */
	const void *row_ptr, *col_idx, *val;
	int64_t in, out; /* rows of x; rows of y */
	void *x, *y, *y0;
	/* Column-major copies of x and y, or x and y themselves if they are column-major. */
	void *x_column, *y_column;
	ek_dense *side;         /* x and y; for blocks, then each column of x and each of y */
	int64_t csr_bytes;      /* bytes of CSR arrays, x and y, the least that a product moves */
	struct oracle **oracle; /* exact result and error bound of each column */
	struct device_side device;
	ek_peer_problem peer; /* the same problem for peers */
};

/* Makes the problem of a shape with A, including its exact result. Returns an exit code. */
int problem_make(struct problem *p, const struct bench *bench, const struct shape *shape,
                 ek_matrix *A);
void problem_free(struct problem *p);
/* Returns the number of vectors and blocks in `side`. */
int64_t problem_sides(const struct problem *p);
/* Copy y to y_column, and y_column to y. They do nothing if these are the same array. */
void problem_to_columns(const struct problem *p);
void problem_from_columns(const struct problem *p);
/* Sets y before a checked run: to y0 or, if beta is 0, to NaN. */
void problem_reset(void *problem);
/* Makes a vector of n random entries, which the caller frees by free(). Returns NULL if there is no
 * memory. */
void *problem_vector(ek_value value, int64_t n);
/* Returns the largest error of an entry of y over its proven bound; if it is above 1, the result is
 * wrong. */
double problem_error(void *problem, const char *method);

/* One of our methods that multiplies the problem's matrix. */
struct product {
	struct problem *problem;
	ek_plan *plan;
	bool columns;          /* it multiplies one column of a block after the other */
	const ek_dense *x, *y; /* arrays of `count` operands */
	int64_t count;
};
/* Runs a struct product, which is `own` of the entrant. */
void run_ours(void *entrant, int64_t calls);

/* Enters and checks a method or auto (spmv_enter.c), with A in a format or, if that is NULL, in the
 * method's own. It is refused if it cannot multiply this matrix, and not shown if `hidden`. If the
 * operation is EK_SPMV in a measurement of blocks, each column is multiplied as a separate vector.
 * Returns an exit code. */
int enter_ours(struct field *f, ek_operation operation, const char *name, const char *format,
               bool hidden);
/* Enters a method or format as refused, with the reason. */
void refuse(struct field *f, const char *name, const char *format, const char *why);
/* Enters the peers. */
void enter_libraries(struct field *f);
/* Enters the bound of products that move the bytes of CSR: reads, or copies on a device. For small
 * matrices, also enters the bare loop, from which the overhead of a call is computed. Returns an
 * exit code. */
int enter_bounds(struct field *f);
/* Enters the methods, formats and peers that the options name, plain CSR and the bound
 * (spmv_choose.c). Returns an exit code. */
int spmv_enter(struct field *f);
/* Tells whether a format (NULL: any) has methods for where the measurement takes place or, if
 * `anywhere`, for any device. */
bool has_methods(const struct field *f, const char *format, bool anywhere);
/* Returns the method that is the unit of the ratios in this measurement: the usual one or, if that
 * does not support the options, the serial loop. */
const char *spmv_unit(const struct field *f);
int spmv_begin(struct bench *bench);
int spmv_matrix(struct bench *bench, const struct tool_source *source, ek_matrix *A);
/* Measures the products of one shape with a matrix. Returns an exit code. */
int product_measure(struct bench *bench, const struct tool_source *source, ek_matrix *A,
                    const struct shape *shape);
/* Members of struct operation that the operations on products share. */
extern const struct argp_child product_children[];
#define PRODUCT_FIELDS                                                                             \
	"op method chosen format device device_name driver vectors isa version matrix source "     \
	"rows cols nnz row_max row_mean row_stddev group transpose value index threads runs "      \
	"rounds "                                                                                  \
	"disturbed ms ms_min ms_p10 ms_p90 ms_kbest prepare_ms prepare_calls bytes bytes_per_nnz " \
	"gflops gbps csr_gbps bound_gbps of_bound in_cache unit vs_csr vs_best_peer overhead_ns "  \
	"error commit machine date"
#define PRODUCT_OPTIONS "suite html rounds time peers peer_dir vectors"
#define PRODUCT_MEASURED                                                                        \
	.usage = "[MATRIX...]", .enter = spmv_enter, .unit = spmv_unit, .spoil = problem_reset, \
	.error = problem_error
#define PRODUCT_SHOWN                                                                         \
	.walk = walk_matrices, .columns = product_columns, .begin = spmv_begin,               \
	.sum = product_sum, .each = product_each, .end = product_end, .title = product_title, \
	.place = product_place, .page = html_spmv,                                            \
	.charts = "case name method device_name ms csr_gbps vs_csr prepare_calls of_bound "   \
		  "bound_gbps row_mean row_stddev"
extern const struct column product_columns[];
void product_each(const struct bench *bench, const struct bench_case *c, FILE *out);
void product_end(const struct bench *bench, FILE *out);
const char *product_title(const struct bench *bench, const struct bench_case *c);
const char *product_place(const struct bench *bench);
void html_spmv(const struct bench *bench, FILE *page); /* defined in html_spmv.c */
void product_sum(const struct bench *bench, int group, struct record *sum);
/* Returns words for a kind of source, such as "generated twin" for "twin". */
const char *kind_text(const char *source);

/* ---- On a device (spmv_device.c) ------------------------------------------------------------- */

/* Makes the vectors and buffers on the device, if there is one. Returns an exit code. */
int device_make(const struct field *f, struct problem *p);
void device_free(struct problem *p);
/* Copies a vector or a block from `here` on the host to `there` on the device; if `back`, the other
 * way round. Returns false if that failed. */
bool device_move(const struct problem *p, const ek_dense *there, const ek_dense *here, bool back);
/* Runs an entrant and returns the seconds by the device's clock, 0 if it gives no time. */
double device_clocked(void *entrant, int64_t calls);
/* Adds to the measurement a copy from one device buffer to another, whose speed is the bound for
 * products on the device. */
void device_enter_copies(struct field *f);
/* Returns the GB/s that are read and written when the device copies a large array, or 0 if that
 * failed. */
double device_copy_gbps(ek_context *ctx, const ek_device_info *info);

#endif
