/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of `ek bench` share: the operations, the problem that is measured, and the records
 * that come out, which the table, the JSON lines and the HTML page all show.
 */
#ifndef EK_BENCH_H
#define EK_BENCH_H

#include "ek.h"
#include "measure.h"
#include "peer.h"

/* ---- Operations (bench.c): each is a file and a row ------------------------------------------ */

struct bench_operation {
	const char *name, *text;
	int (*run)(int argc, char **argv);   /* argv[0] is "ek bench NAME" */
	const struct array_operation *array; /* or a primitive on arrays (bench_array.h) */
};

int bench_spmv(int argc, char **argv);     /* bench_spmv.c */
int bench_scenario(int argc, char **argv); /* bench_scenario.c */
int bench_convert(int argc, char **argv);  /* bench_convert.c */
int bench_read(int argc, char **argv);     /* bench_read.c */

/* ---- Options of operations on matrices (bench_options.c) ------------------------------------- */

struct bench_options {
	struct tool_options common;
	const char *suite, *html, *peer_folder;
	bool peers, k_best;
	int rounds;
	double seconds; /* for each matrix */
	char **matrix;
	int count;
	const char *records, *baseline; /* bench scenario: --from, --baseline */
	const char *runs;               /* and --calls */
	int64_t max_bytes;              /* bench convert, as in ek_convert_options */
	const char *sweep;              /* --sweep */
	bool host_vectors;              /* --vectors host */
	bool vectors_given;             /* --vectors */
};

extern const struct argp bench_argp;
/* For lists of children; an operation that has them fills a struct bench_options. */
extern const struct argp bench_suite_argp,
	bench_peer_argp,   /* --suite to --time; --peers, --peer-dir */
	bench_device_argp; /* --vectors, --sweep (bench_sweep.c) */
/* Replaces the one method of --method by one for each value of --sweep. */
void sweep_apply(struct bench_options *options);

/* ---- Suites (bench_suite.c) ------------------------------------------------------------------ */

/* Appends the matrices of a suite to `list`, an array of `count` texts on the heap. Returns an exit
 * code. */
int suite_read(const char *name, char ***list, int *count);
/* Calls `one` for the matrices of the command line, then for those of the suite, in CSR. One that
 * cannot be had and one with a wrong result let the next one follow; usage that is wrong for all of
 * them does not. What was left out is said again at the end, and
 * kept in the report. Returns an exit code: that of a lone
 * matrix, else TOOL_FAILED if anything was wrong with one of them. */
struct report; /* below */
typedef int bench_one_fn(void *user, const struct tool_source *source, ek_matrix *A);
int bench_matrices(const struct bench_options *options, ek_context *ctx, bench_one_fn *one,
                   void *user, struct report *report);
/* The same by hand (`text` is a matrix as the user named it): true if the next one may follow. */
struct bench_tally {
	int count, left_out, code;
	bool stopped;    /* by usage that is wrong for all */
	char names[160]; /* of what was left out */
};
bool bench_tally_add(struct bench_tally *tally, const char *text, bool loaded, int code);
/* The exit code; what was left out is said, and kept in the report. */
int bench_tally_end(const struct bench_tally *tally, struct report *report);

/* ---- The problem and its check (bench_problem.c, bench_check.c) ------------------------------ */

/* y = alpha op(A) x + beta y. */
struct problem {
	ek_matrix *A;
	int64_t rows, cols, nnz;
	ek_value value;
	ek_index index;
	ek_op op;
	int threads;
	int64_t calls; /* announced, 0: default */
	ek_reproducible reproducible;
	double alpha, beta; /* as rounded to the value type */
	const void *row_ptr, *col_idx, *val;
	int64_t in, out; /* entries of x and of y */
	void *x, *y, *y0;
	int64_t csr_bytes;             /* of the arrays, x and y: what a product must move once */
	struct check_reference *check; /* the exact result and its error bound */
};

int problem_make(struct problem *p, const struct tool_options *options, const ek_context *ctx,
                 ek_matrix *A);
void problem_free(struct problem *p);
/* y as it must be before a run that is checked: y0, or, where beta is 0, full of NaN. */
void problem_reset(struct problem *p);
/* A vector for measurements; free() frees it. NULL: no memory. */
void *problem_vector(ek_value value, int64_t n);
int64_t problem_ptr(const struct problem *p, int64_t i);
int64_t problem_col(const struct problem *p, int64_t k);
double problem_number(ek_value value, const void *data, int64_t k);

struct check_reference *check_make(const struct problem *p); /* NULL: no memory */
void check_free(struct check_reference *check);
/* The largest error of an entry of y over its proven bound; more than 1 is a wrong result. */
double check_error(const struct problem *p);

/* ---- Records --------------------------------------------------------------------------------- */

enum record_kind { RECORD_OURS, RECORD_AUTO, RECORD_PEER };

/* One method on one matrix. Numbers that do not apply are NAN. */
struct record {
	enum record_kind kind;
	char method[64];
	char chosen[64];          /* auto: the method that was chosen */
	char format[TOOL_FORMAT]; /* with parameters, as far as they are known */
	const char *device;       /* "cpu", "cuda:0" */
	const char *version;
	int64_t runs, bytes;
	double ms, ms_min, ms_p10, ms_p90;
	double ms_kbest; /* NAN unless --k-best */
	double prepare_ms, prepare_calls;
	double gflops, gbps, csr_gbps, of_bound;
	double vs_csr, vs_best_peer, error, overhead_ns;
	bool failed, refused; /* refused: it cannot do this matrix, or would take too much memory */
	char why[256];        /* it failed or was refused */
};

/* One matrix with one set of types. */
struct bench_case {
	char matrix[256];
	const char *kind; /* as tool_source.kind */
	int64_t rows, cols, nnz, row_max;
	double row_mean, row_stddev;
	const char *value, *index, *isa;
	const char *op;
	int threads, rounds;
	const ek_device_info *device; /* NULL: none */
	const char *vectors;          /* where they lie: "host", "device" */
	const char *unit;             /* the method that is 1 in vs_csr */
	int64_t csr_bytes;
	double bound_gbps, csr_ms; /* what can be read or, on a device, copied; the unit */
	double disturbed;          /* share of the samples that other processes got into */
	bool in_cache;
	struct record *record;
	int count;
};

/* The two groups of Liu 2015, Table 8.4, and of any matrix: irregular ones have a row that is long
 * in itself and against the mean. */
enum { GROUP_REGULAR, GROUP_IRREGULAR, GROUPS };
int group_of(int64_t row_max, double row_mean);
extern const char *const group_name[GROUPS];

struct report {
	const char *operation;
	char machine[256], date[32];
	double memory_gbps;    /* read bandwidth beyond the caches; of a device, that of copies */
	ek_device_info device; /* size 0: none */
	struct bench_case *cases;
	int count;
	char left_out[240]; /* the matrices that could not be used; empty: none */
};

void report_start(struct report *report, const char *operation);
/* A new case at the end, zeroed; NULL: reported. */
struct bench_case *report_add(struct report *report);
void report_free(struct report *report);
const char *report_commit(void);
/* A report from a file of such records, for ratios only (bench_records.c). An exit code. */
int records_read(struct report *report, const char *path);
/* The records of a case as JSON lines; an exit code. */
int report_json(const struct report *report, const struct bench_case *c,
                const struct tool_options *options);

/* Tables for people (bench_table.c): all records of a case; one line for a case; what all cases say
 * together. */
/* "2 threads", "cuda:0 (NVIDIA H100), vectors on the device". Returns `place`. */
enum { CASE_PLACE = 256 };
const char *case_place(const struct bench_case *c, char place[CASE_PLACE]);
/* The first call of table_case or table_lines says what the columns mean. */
void table_case(const struct bench_case *c, FILE *out);
void table_lines(const struct report *report, FILE *out);
void table_summary(const struct report *report, FILE *out);
/* Loudly, what must not be believed; nothing if all went well. */
void table_warning(const struct report *report, FILE *out);
/* What all columns mean, on the heap; NULL: no memory. */
char *bench_legend_text(void);
/* The page (html.c); an exit code. */
int html_write(const struct report *report, const char *path);

/* Cells that the tables of all operations are made of: a number that may be missing (NAN); time
 * from a fraction of a microsecond to minutes; the names of the columns, ended by NULL. */
void table_cell(struct tool_table *t, const char *format, double value);
void table_ms(struct tool_table *t, double ms);
void table_head(struct tool_table *t, const char *const *names);
/* "ell refused: ..." below a table; nothing if `why` is empty. */
void table_reason(const char *name, bool failed, const char *why, FILE *out);
/* What columns mean (bench_legend.c); a line is for what has a bit of `of`. */
struct table_legend {
	unsigned of;
	const char *column, *text;
};
/* All that are for `of`, on the heap; NULL: no memory. */
char *table_legend_text(const struct table_legend *legend, int count, unsigned of);
/* The first call only: those for `of` that are among the names. */
void table_legend_once(const struct table_legend *legend, int count, unsigned of,
                       const char *const *names, FILE *out);
/* Fields of JSON records. What does not apply (NAN, NULL) is null; JSON has no infinity, so the
 * largest number stands for it. */
void record_number(json_t *object, const char *key, double value);
void record_text(json_t *object, const char *key, const char *value);
void record_integer(json_t *object, const char *key, int64_t value);

int report_disturbed(const struct report *report); /* how many cases are disturbed much */
/* True if other libraries were measured. */
bool case_has_peers(const struct bench_case *c);
bool report_has_peers(const struct report *report);

/* The unit of the ratios: spmv.csr.rows; with a device, one of its methods. */
const char *unit_method(bool device);
bool record_is_plain(const struct record *record); /* it is of that method */
/* GB/s that the device reads and writes when it copies a large array; 0: it has no memory for it
 * (bench_device.c). */
double device_copy_gbps(ek_context *ctx, const ek_device_info *info);

/* The record with the least time among those of the kind that pass `kinds` (bits 1 << kind), or
 * NULL. */
const struct record *case_best(const struct bench_case *c, unsigned kinds);

/* Pages that are tables only (html_tables.c): for what was measured, `line` says how. */
struct html_tables {
	FILE *file;
};
int html_tables_begin(struct html_tables *page, const char *path, const struct report *report,
                      const char *title, const char *line);
void html_table(struct html_tables *page, const char *title, const struct tool_table *t);
int html_tables_end(struct html_tables *page, const char *legend);

/* ---- The measurement (bench_run.c, bench_spmv.c) --------------------------------------------- */

struct bench_run {
	const struct bench_options *options;
	const struct peers *peers;
	ek_context *ctx;
	struct report *report;
};

/* Measures one matrix: fills `c`. Returns an exit code: TOOL_FAILED if a result was wrong. */
int run_case(const struct bench_run *run, struct problem *p, struct bench_case *c);
/* All matrices that the options name into `report`, which is started here; `done` is called for
 * each one with records as soon as it has them. Returns an exit code. */
typedef int bench_done_fn(void *user, const struct report *report, const struct bench_case *c);
int bench_measure(const struct bench_options *options, struct report *report, bench_done_fn *done,
                  void *user);

#endif
