/* SPDX-License-Identifier: BSD-3-Clause
 * Primitives on arrays as problems of `ek bench`. array.c walks the sizes and types that the
 * options list and enters the methods, array_data.c makes numbers and checks results, array_show.c
 * shows the figures. The file of a primitive computes the sizes of a case, makes its arrays, calls
 * the library and checks the result.
 */
#ifndef EK_BENCH_ARRAY_H
#define EK_BENCH_ARRAY_H

#include "run.h"
#include "spmv.h"

/* The numbers combined so far by a job's operator: for sums of floats high + low, in twice double
 * precision, and the sum of absolute values; for all else the exact result, as array_order gives
 * it. */
struct array_sum {
	double high, low, absolute;
	int64_t exact, count;
};

/* One case. array.c fills in the context, type and requested sizes; the functions of the operation
 * add the rest. */
struct job {
	struct bench *b;
	const struct bench_options *o;
	ek_context *ctx;
	int threads;
	const char *line;    /* name of the case in tables, such as "2^25 f64" */
	const char *variant; /* variant in records, such as "inclusive sum", or NULL */
	ek_value type;
	int64_t n, length, batch, k; /* n counts all numbers or pairs of the case */
	int64_t size, value_size;    /* bytes of a number or key; bytes of a value */
	bool by_flags;
	double bytes, need; /* least bytes that a call moves; bytes of memory needed */
	int64_t most;       /* maximum number of calls with fresh inputs; 0 if there is no limit */
	/* The arrays, as peers get them. array.c fills in operation, type, threads, op and kind. */
	ek_peer_problem p;
	const void *in; /* the input numbers, which in-place calls do not overwrite */
	struct {
		void *data;
		const void *from; /* contents of the output before a run, or NULL */
		int64_t bytes;
	} output[4];
	int outputs;
	void *held[8]; /* memory that is freed with the job, and its bytes */
	int64_t bytes_held[8];
	int holds;
	/* With --device, for operations with methods there (array_device.c): the device, copies of
	 * the memory above in its memory, and whether there was no room for all. */
	ek_device_info device;
	bool on_device, device_lacks;
	void *there[8];
	struct array_sum sum;     /* for reduce: reference */
	struct array_sum *sums;   /* for gemvi: reference of each row ... */
	void *first;              /* ... and the result of the first method */
	ek_segments segments;     /* for segsum */
	void *smallest;           /* for kselect: the k smallest of each list */
	ek_sparse x, y, z;        /* for sparse vectors: operands and result ... */
	ek_dense dense;           /* ... a dense operand ... */
	int64_t *result;          /* ... and the number of entries of z */
	char *fresh[2], *pool[2]; /* for sort: unsorted keys and values; what calls sort */
	int64_t copy;             /* for sort: index of the input of this call */
};

int walk_arrays(struct bench *bench);
void array_enter(struct field *f);
void array_spoil(void *job);

/* ---- Devices (array_device.c) ---------------------------------------------------------------- */

/* Makes copies of the job's arrays on the context's device, if it has one and the operation has
 * methods there. */
void array_device_make(struct job *job);
void array_device_free(struct job *job);
/* Prepares an entrant, whose method runs on the device, for arrays there. */
void array_device_enter(struct entrant *entrant);
/* Makes calls with the arrays on the device, and waits for them. */
void array_device_run(struct entrant *entrant, const ek_array_options *options, int64_t calls);
/* Returns the address on the device of an array that job_alloc has allocated. */
void *array_there(const struct job *job, const void *here);
/* Enters copies on the device as a bound. */
void array_device_copies(struct field *f);

/* ---- Data (array_data.c) --------------------------------------------------------------------- */

/* Allocate memory that is freed with the job; the program ends if memory runs out. job_output is
 * for an output: before a checked run it gets wrong values or, unless `from` is NULL, a copy of
 * `from`. job_random makes n random numbers of the job's type, other ones for each `which`;
 * job_values makes values of value_size bytes, and returns NULL if that is 0. */
void *job_alloc(struct job *job, int64_t bytes);
void *job_output(struct job *job, int64_t bytes, const void *from);
void *job_random(struct job *job, int64_t n, int64_t which);
void *job_values(struct job *job, int64_t n, int64_t which);
/* Returns an integer in the library's order of entries: entry i itself if it is an integer, else
 * its position in the total order of IEEE 754. */
int64_t array_order(ek_value type, const void *data, int64_t i);
double array_number(ek_value type, const void *data, int64_t i);
bool array_is_float(ek_value type);
/* Returns the sum of the hashes of n pairs, which does not depend on their order. */
uint64_t array_hash(const struct job *job, int64_t n, const void *key, const void *value);
bool array_ascending(ek_value type, int64_t n, const void *key);
/* Tells whether results are sums of floats, which are rounded. All others must be exact. */
bool array_rounds(const struct job *job);
/* Adds entry i of the input to a sum, in the arithmetic of the type. */
void array_add(const struct job *job, struct array_sum *sum, int64_t i);
/* Adds x y to a sum of floats. */
void array_add_product(struct array_sum *sum, double x, double y);
/* Returns the error of entry i of the output, whose exact value is `sum`: for floats |computed -
 * sum| divided by the bound `depth` * u * sum of absolute values, where u is the unit roundoff of
 * the type; for what must be exact, 0 or infinity. The bound holds for any tree of additions of
 * that depth (Jeannerod and Rump 2013, if the depth is the number of terms - 1). */
double array_error(const struct job *job, const struct array_sum *sum, int64_t i, double depth);

/* ---- Output (array_show.c) ------------------------------------------------------------------- */

extern const struct column array_columns[];
extern const char array_fields[];
/* Returns the name of the operator in options and records. */
const char *array_op_text(const struct job *job);
const char *array_title(const struct bench *bench, const struct bench_case *c);
void array_each(const struct bench *bench, const struct bench_case *c, FILE *out);
void array_end(const struct bench *bench, FILE *out);
void array_counts(const struct bench *bench, FILE *out); /* if --counts is given */

/* Sets members of struct operation as all primitives do. Each file has functions of these names. */
#define ARRAY_OPERATION(called, of, has) \
	ARRAY_OPERATION_WITH(called, of, has, array_enter, array_end)
/* The same with functions of its own, which add to array_enter and array_end. */
#define ARRAY_OPERATION_WITH(called, of, has, to_enter, to_end)                                 \
	.name = called, .heading = called ", method by method", .operation = of, .traits = has, \
	.children = tool_array_children, .fields = array_fields, .problem = "cases",            \
	.charts = "case name value value_size variant n length mkeys gbps compare_ms "          \
		  "heapify_ms t_cc_ms t_cq_ms t_gc_ms",                                         \
	.columns = array_columns, .walk = walk_arrays, .each = array_each, .end = to_end,       \
	.enter = to_enter, .title = array_title, .place = text_place, .layout = "arrays",       \
	.spoil = array_spoil, .error = error, .size = size, .make = make, .call = call,         \
	.lists = {LIST_OF(by), LIST_OF(length), LIST_OF(n), LIST_OF(value_size), LIST_OF(type)}
#define ARRAY_HELP(what, with, example)                                                            \
	"Times " what ", method by method, in turn and in rounds of under a second, and compares " \
	"them with " with ". Every result is checked first.\vExample: ek bench " example           \
	"Exit status 1: a result was wrong."
void check_op(struct bench_options *options); /* rejects "or" for floats */
#define ARRAY_OPTIONS "type method rounds time k_best misses peers peer_dir html "

#endif
