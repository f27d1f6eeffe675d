/* SPDX-License-Identifier: BSD-3-Clause
 * Primitives on arrays as problems of `ek bench`. array.c goes through the sizes and types that the
 * options list and enters the methods, array_data.c makes numbers and checks results, array_show.c
 * shows the figures. The file of a primitive has functions that compute the sizes of a case, make
 * its arrays, call the library and check the result.
 */
#ifndef EK_BENCH_ARRAY_H
#define EK_BENCH_ARRAY_H

#include "run.h"

/* One case. array.c fills in the context, type and sizes that were asked for; the functions of the
 * operation add the rest. */
struct job {
	struct bench *b;
	const struct bench_options *o;
	ek_context *ctx;
	int threads;
	const char *line;    /* name of the case for people, such as "2^25 f64" */
	const char *variant; /* variant in records, such as "inclusive sum", or NULL */
	ek_value type;
	int64_t n, length, batch, k; /* n counts all numbers or pairs of the case */
	int64_t size, value_size;    /* bytes of a number or key; bytes of a value */
	bool by_flags;
	double bytes, need; /* least bytes that a call moves; bytes of memory needed */
	/* Arrays of the copies that are the bound. */
	const void *copy_from;
	void *copy_to;
	int64_t most; /* maximum number of calls with fresh inputs; 0 if there is no limit */
	ek_peer_problem peer; /* the problem for peers; array.c adds operation, type and threads */
	struct array_data *data; /* arrays and results of the operation's file */
	void *held[8];
	int holds;
	struct {
		void *data;
		const void *from; /* what the output is before a run, or NULL */
		size_t bytes;
	} output[2];
	int outputs;
};

int walk_arrays(struct bench *bench);
int array_enter(struct field *f);
void array_spoil(void *job);
const char *array_unit(const struct field *f); /* returns the operation's first method */

/* ---- Data (array_data.c) --------------------------------------------------------------------- */

/* Allocates memory by data_alloc, which is freed with the job. */
void *job_alloc(struct job *job, int64_t bytes);
/* Registers an output. Before a checked run it is filled with wrong values or, if `from` is not
 * NULL, with a copy of that. */
void job_output(struct job *job, void *data, int64_t bytes, const void *from);
/* Allocates an array as job_alloc does, and fills it with random numbers. */
void *job_random(struct job *job, ek_value type, int64_t n, int64_t seed);
/* Makes random values of value_size bytes for n keys. Returns NULL if that size is 0, or if there
 * is no memory. */
void *job_values(struct job *job, int64_t n, int64_t seed);
/* Returns an integer for entry i whose order is that of the library; for floats it is the total
 * order of IEEE 754. */
int64_t array_order(ek_value type, const void *data, int64_t i);
double array_number(ek_value type, const void *data, int64_t i);
int64_t array_integer(ek_value type, const void *data, int64_t i);
bool array_is_float(ek_value type);
/* Returns `a` and `b` combined by `op`, in the arithmetic of the type. */
int64_t array_combine(ek_value type, ek_monoid op, int64_t a, int64_t b);
/* Returns the sum of the hashes of n pairs, which does not depend on their order. */
uint64_t array_hash(const struct job *job, int64_t n, const void *key, const void *value);
bool array_ascending(ek_value type, int64_t n, const void *key);
/* A sum in twice double precision: the exact sum is close to high + low. `absolute` is the sum of
 * the absolute values. */
struct array_sum {
	double high, low, absolute;
};
void array_sum_add(struct array_sum *sum, double x);
/* Returns |computed - sum| divided by the bound `depth` * u * sum of absolute values, where u is
 * the unit roundoff of the type; 0 if the error is 0. The bound holds for any tree of additions of
 * that depth (Jeannerod and Rump 2013, if the depth is the number of terms - 1). */
double array_sum_error(const struct array_sum *sum, ek_value type, double computed, double depth);

/* ---- What is shown (array_show.c, html_array.c) ---------------------------------------------- */

extern const struct column array_columns[];
extern const char array_fields[];
/* Returns the name of the operator in options and records. */
const char *array_op_text(const struct job *job);
const char *array_title(const struct bench *bench, const struct bench_case *c);
void array_each(const struct bench *bench, const struct bench_case *c, FILE *out);
void array_end(const struct bench *bench, FILE *out);
const char *array_place(const struct bench *bench);
/* Returns the rate of a record in the unit that the operation shows; NAN if `r` is NULL. */
double array_rate(const struct bench *bench, const struct record *r);
void html_array(const struct bench *bench, FILE *page);

/* Members of struct operation that all primitives set in the same way. The functions have the same
 * names in each file. */
#define ARRAY_OPERATION(called, of, has)                                                           \
	.name = called, .heading = called ", method by method", .operation = of, .traits = has,    \
	.children = tool_array_children, .seconds = 1, .fields = array_fields, .problem = "cases", \
	.charts = "case name n length mkeys gbps", .columns = array_columns, .walk = walk_arrays,  \
	.each = array_each, .end = array_end, .enter = array_enter, .unit = array_unit,            \
	.title = array_title, .place = array_place, .page = html_array, .spoil = array_spoil,      \
	.error = error, .data = sizeof(struct array_data), .defaults = defaults, .size = size,     \
	.make = make, .call = call
#define ARRAY_HELP(what, with, example)                                                            \
	"Times " what ", method by method, in turn and in rounds of under a second, and compares " \
	"them with " with ". Every result is checked first.\vExample: ek bench " example           \
	"Exit status 1: a result was wrong."
void check_op(struct bench_options *options); /* rejects "or" for floats */
#define ARRAY_OPTIONS "type method rounds time k-best peers peer-dir html "

#endif
