/* SPDX-License-Identifier: BSD-3-Clause
 * Benchmarks of the primitives on arrays. An operation is a file bench_NAME.c with one struct
 * array_operation: it makes data, says how the library is called, checks results and counts bytes.
 * All that is common stands in bench_array*.c: options, contenders, rounds, records and tables.
 */
#ifndef EK_BENCH_ARRAY_H
#define EK_BENCH_ARRAY_H

#include "../bench/peers/array_peer.h"
#include "bench.h"

/* ---- Options (bench_array_options.c) --------------------------------------------------------- */

enum { ARRAY_LIST = 64 };

struct array_list {
	int64_t value[ARRAY_LIST];
	int count;
};

struct array_options {
	struct tool_options common;
	struct array_list n, type; /* types are numbers of ek_value */
	const char *peer_folder, *html;
	bool peers, k_best;
	int rounds;
	double seconds; /* for each case */
	/* of single operations */
	int op, kind, shape; /* ek_monoid, ek_scan_kind, enum array_shape */
	bool in_place, flags, offsets, counts, smallest;
	int64_t block;
	struct array_list length, value_size, arity;
	double k; /* below 1: of the length */
};

enum array_shape { SHAPE_EVEN, SHAPE_RANDOM, SHAPE_POWER };

struct array_operation;
void array_parse(const struct array_operation *operation, int argc, char **argv,
                 struct array_options *options);
/* Replaces a list by `count` numbers: for defaults. */
void array_list_set(struct array_list *list, int count, const int64_t *values);

/* ---- Operations ------------------------------------------------------------------------------ */

enum array_bound { BOUND_NONE, BOUND_READ, BOUND_COPY };

struct array_bench;
struct array_job;

struct array_operation {
	const char *name;
	ek_operation operation;
	const char *text; /* of --help, with an example behind \v */
	unsigned bit;     /* in the table of options */
	bool keys;        /* rates are millions of keys a second instead of GB/s */
	void (*defaults)(struct array_options *options);
	/* Makes the data of a job, whose type, n, length and value_size are set, and calls
	 * array_run; returns an exit code. */
	int (*one)(struct array_bench *bench, struct array_job *job);
	enum array_bound bound;
	ek_status (*call)(struct array_job *job, const ek_array_options *options);
	/* Before a run that is checked: outputs that hold nothing right. */
	void (*spoil)(struct array_job *job);
	/* Largest error over its bound after a run; above 1 is wrong. */
	double (*error)(struct array_job *job, const char *method);
	/* For what works in place: fresh inputs for `calls` calls, job->most of them at most, and
	 * the step from one to the next. NULL: not needed. */
	void (*before)(void *job, int64_t calls);
	void (*next)(struct array_job *job);
};
enum { OF_REDUCE = 1, OF_SCAN = 2, OF_SEGSUM = 4, OF_SORT = 8, OF_MERGE = 16, OF_KSELECT = 32 };

extern const struct array_operation array_reduce, array_scan, array_segsum, array_sort, array_merge,
	array_kselect;

/* One case: data and sizes, filled by the operation. */
struct array_job {
	const struct array_operation *operation;
	const struct array_options *options;
	ek_context *ctx;
	int threads;
	char line[96];    /* what people see of the case: "2^25 f64" */
	char variant[64]; /* for records: "inclusive sum", "offsets, random" */
	ek_value type;
	int64_t n, length, batch, k; /* n: numbers or pairs in all */
	size_t value_size;
	double bytes;          /* that must be moved at least */
	const void *copy_from; /* for the copies */
	void *copy_to;
	int64_t copy_bytes;
	ek_array_peer_problem peer; /* what a peer is asked to do */
	int64_t most; /* calls for which there are fresh inputs, if `before` makes them */
	struct array_data *data; /* the operation's own */
};

/* Measures the job and shows the result. Returns an exit code: TOOL_FAILED if a result was
 * wrong. */
int array_run(struct array_bench *bench, struct array_job *job);
/* False, with a remark, if memory has not that many bytes to give. */
bool array_fits(const struct array_job *job, double bytes);

/* Calls `one` for every type, size of values, n and length that the options list, in this order,
 * with these set in the job. Stops at a failure other than a wrong result. */
typedef int array_one_fn(struct array_bench *bench, struct array_job *job);
int array_cases(struct array_bench *bench, struct array_job *job, array_one_fn *one);

int bench_array(const struct array_operation *operation, int argc, char **argv);

/* ---- Data (bench_array_data.c) --------------------------------------------------------------- */

/* Memory with large pages, touched first by the threads that will use it; NULL: no memory. */
void *array_alloc(int64_t bytes, int threads);
/* Random numbers: all bits of integers (so that they wrap around), floats in (-1, 1). */
void array_random(ek_value type, int64_t n, void *data, int64_t seed, int threads);
/* An integer that orders floats as the library does: the total order of IEEE 754. */
int64_t array_order(ek_value type, const void *data, int64_t i);
double array_number(ek_value type, const void *data, int64_t i);
int64_t array_integer(ek_value type, const void *data, int64_t i);
bool array_is_float(ek_value type);
/* A sum of hashes of pairs, which does not depend on their order. */
uint64_t array_hash(ek_value type, size_t value_size, int64_t n, const void *key,
                    const void *value);
bool array_ascending(ek_value type, int64_t n, const void *key);
/* Sums pairs of pairs in twice double precision: the exact sum is near high + low. */
struct array_sum {
	double high, low, absolute;
};
void array_sum_add(struct array_sum *sum, double x);
/* |computed - sum| over depth u |sum of absolute values|; 0 if both are 0. The bound holds for any
 * tree of additions of that depth (Jeannerod and Rump 2013 for depth = number of terms - 1). */
double array_sum_error(const struct array_sum *sum, ek_value type, double computed, double depth);
/* "2^25" or "100000". */
const char *array_size_text(char text[32], int64_t n);

/* ---- Records and tables (bench_array_record.c, bench_array_table.c) -------------------------- */

enum array_kind { ARRAY_OURS, ARRAY_PEER, ARRAY_BOUND };

struct array_record {
	enum array_kind kind;
	char method[64];
	int arity; /* 0: no heap */
	const char *version;
	int64_t runs;
	double ms, ms_min, ms_p10, ms_p90, ms_kbest; /* NAN: does not apply */
	double gbps, mkeys, of_bound, vs_serial, vs_peer, error;
	ek_heap_counts counts; /* of all lists */
	bool failed;
	char why[256];
};

struct array_case {
	char line[96], variant[64];
	ek_value type;
	int64_t n, length, batch, k;
	size_t value_size;
	double bytes, bound_gbps, disturbed;
	char bound[16]; /* its name; empty: none */
	int threads, rounds;
	struct array_record *record;
	int count;
};

struct array_bench {
	const struct array_operation *operation;
	struct array_options options;
	struct report report; /* machine and date */
	ek_context *ctx;
	const ek_array_peer *peer[PEERS_MAX];
	int peers;
	struct array_case *cases;
	int count;
};

int array_json(const struct array_bench *bench, const struct array_case *c);
/* A block with a line for each method; a line for each case with a column for each method; what
 * heaps did; what must not be believed. */
void array_table_case(const struct array_bench *bench, const struct array_case *c, FILE *out);
void array_table_grid(const struct array_bench *bench, FILE *out);
void array_table_counts(const struct array_bench *bench, FILE *out);
void array_table_warning(const struct array_bench *bench, FILE *out);
/* "blocked", "heap d=8", "peer.tbb". */
const char *array_label(char label[96], const struct array_record *r);
char *array_legend_text(const struct array_operation *operation);
int array_disturbed_cases(const struct array_bench *bench); /* how many of them */
/* The labels of all records of all cases, in the order in which they came; returns how many. */
enum { ARRAY_COLUMNS = 64 };
int array_columns(const struct array_bench *bench, char label[ARRAY_COLUMNS][96]);
/* The record with that label, or NULL; the rate that the operation shows of it, NAN for NULL. */
const struct array_record *array_find(const struct array_case *c, const char *label);
double array_rate(const struct array_bench *bench, const struct array_record *r);
const struct array_record *
array_best(const struct array_case *c); /* the fastest of ours, or NULL */
/* The page (html_array.c); an exit code. */
int array_html(const struct array_bench *bench, const char *path);

#endif
