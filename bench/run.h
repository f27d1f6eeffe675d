/* SPDX-License-Identifier: BSD-3-Clause
 * The standard measurement of a problem (run.c), and its entrants.
 */
#ifndef EK_BENCH_RUN_H
#define EK_BENCH_RUN_H

#include "bench.h"

enum { MOST_ENTRANTS = 300 };

/* An entrant in a measurement: a method of ours, a peer, or a bound. */
struct entrant {
	struct record record;
	struct field *field;
	struct candidate calls; /* how it is run; `state` is the entrant or, for probes, `own`.
	                         * Without samples it was not timed. */
	/* Copies the problem's outputs to the entrant's or, if `back`, the other way round; NULL if
	 * the entrant writes the problem's outputs itself. */
	bool (*move)(struct entrant *entrant, bool back);
	const char *(*why)(void); /* says why it failed; NULL if ek_error_text() does */
	void (*release)(void *own);
	void *own; /* memory for the functions above, freed after `release` */
	/* Makes the entrant's preparation once more; `drop` frees it. NULL if it has none, or if
	 * each call makes it. */
	bool (*prepare)(struct entrant *entrant, void **spare);
	void (*drop)(struct entrant *entrant, void *spare);
	void *spare;
	void (*after)(struct entrant *entrant); /* measures more after the rounds, unless NULL */
	bool unprepared; /* a second preparation failed */
	double moves;    /* bytes that one call moves */
	bool again;      /* it replaces the values of an existing sparse result */
	bool hidden;     /* it is measured, but its record is not shown */
};

/* A problem and all entrants that are timed on it. */
struct field {
	struct bench *bench;
	struct bench_case *c;
	void *problem;
	struct entrant *entrant;
	struct candidate *timed[MOST_ENTRANTS];
	int entrants, candidates, rounds; /* `candidates` is the number of timed ones */
	/* The progress bar; while entrants are added, what it says before their names. */
	struct tool_progress *progress;
	const char *preparing;
	/* `enter` sets these: the method that ratios are relative to; an exit code; the most calls
	 * that op->before can prepare, or 0 if there is no limit. */
	const char *unit;
	int code;
	int64_t most;
};

/* Measures a problem, adds the records to its case, and shows them. A case without records is
 * removed. Returns an exit code, which is TOOL_FAILED if a result was wrong. While methods are
 * prepared the progress bar shows `preparing` or, if that is NULL, the name of the case, and the
 * method. */
int measure_case(struct bench *bench, struct bench_case *c, void *problem, const char *preparing);
/* The steps of measure_case, for operations that call them one by one. Times all entrants that have
 * neither failed nor been refused. */
void field_rounds(struct field *f, double seconds);
/* What `drop` is where a preparation is a plan of ours. */
void drop_plan(struct entrant *entrant, void *plan);
/* Times the preparations of those that field_rounds has timed (prepare.c). */
void field_prepare(struct field *f, double seconds);
/* Returns the entrant that ratios are relative to, or NULL if it was not timed. */
const struct entrant *field_unit(const struct field *f);
bool entrant_timed(const struct entrant *e); /* false for NULL */
/* Return the median time; the median over rounds of a's time divided by b's. Both return NAN for
 * entrants that are NULL or were not timed. */
double entrant_ms(const struct entrant *e);
double entrant_ratio(const struct entrant *a, const struct entrant *b);
/* Store a number that has percentiles as v[value], and these behind it: the time of `a`; the time
 * of `a` divided by that of `b`. NAN stands for what was not timed. */
void spread_ms(double *v, enum value value, const struct entrant *a);
void spread_ratio(double *v, enum value value, const struct entrant *a, const struct entrant *b);
/* Stores the median and the percentiles of `count` values, multiplied by `unit`. */
void spread_values(double *v, enum value value, const double *list, int count, double unit);
enum { SPREAD_VALUES = 3 };
extern const double spread_at[SPREAD_VALUES]; /* which quantiles these are */
/* Return the share of the samples that other processes disturbed: of an entrant, and of all. */
double entrant_disturbed(const struct entrant *e);
double field_disturbed(const struct field *f);
/* Counts the cache misses of all entrants that were timed (counters.c). */
void field_misses(struct field *f);
/* Releases the entrants and frees all memory. */
void field_end(struct field *f);
/* Adds an entrant with `own` bytes of memory, set to 0. Ends the program if there are too many. */
struct entrant *entrant_add(struct field *f, enum record_kind kind, const char *prefix,
                            const char *name, size_t own);
/* Shortens the name of an entrant to that of its method without the operation. */
void entrant_shorten(struct entrant *e);
/* Records the parameters that the plan's method works with and, if `method` is auto, its name. */
void entrant_chose(struct entrant *e, const char *method, const ek_plan *plan);
/* Returns the first method of an operation. */
const ek_method *method_first(ek_operation operation);
/* Tells whether a method has the operation and runs where the measurement takes place. */
bool method_here(const struct field *f, const ek_method *m);
/* Calls enter(f, name, false) for the methods that --method names, else for all of those.
 * Sets f->unit to the unit of the operation; if the unit is not among them, calls enter(f, f->unit,
 * true). */
void enter_methods(struct field *f, void (*enter)(struct field *f, const char *name, bool unit));
/* Enters the methods that --method names, else all of the operation, with plans that op->plan makes
 * and op->run runs. */
void enter_plans(struct field *f);
/* Tells whether a method has been entered. */
bool entered(const struct field *f, const char *method);
/* Runs the entrant once on spoiled outputs, compares the result with the reference, and records the
 * largest error so far. Returns false if the run failed or its result is wrong. */
bool entrant_check(struct entrant *e);
/* Returns the problem with A, an operand, as peers get it (peer.c). The caller adds what is
 * special. */
ek_peer_problem peer_problem(const struct bench *bench, const ek_matrix *A, bool transposed);
/* Enters all loaded peers that can do the problem (peer.c). `problem` must outlive the field. */
void enter_peers(struct field *f, const ek_peer_problem *problem);
/* Enters the reading of `bytes` bytes as a bound, which is not shown if `hidden`. */
void enter_reads(struct field *f, int64_t bytes, int threads, bool hidden);
/* Enters the copying of one array to another as bounds: by memcpy, and by non-temporal stores. */
void enter_copies(struct field *f, const void *from, void *to, int64_t bytes, int threads);

/* ---- Operations on a matrix (suite.c) -------------------------------------------------------- */

struct matrix_at {
	struct bench *b;
	const struct tool_source *source;
	ek_matrix *A;
	ek_matrix_info info;
};

/* op->matrix of operations with `lists` and `one`: measures all combinations with a matrix. */
int matrix_lists(struct bench *bench, const struct tool_source *source, ek_matrix *A);
/* Makes a case of a product with op(A). Stores an exit code if that fails, and returns NULL. */
struct bench_case *case_of_op(const struct matrix_at *at, ek_op op, const char *variant, int *code);

/* Keys of records that operations on a matrix begin with, of their times, and at the end. */
#define MATRIX_KEYS                                                                          \
	"op method chosen method_parameters device isa version matrix source rows cols nnz " \
	"row_max row_mean row_stddev group "
#define TIME_KEYS "threads runs rounds disturbed ms ms_min ms_p10 ms_p90 prepare_ms first_ms "
#define RUN_KEYS  " commit machine state date"

/* Members of struct operation that operations with plans and outputs of their own set in the same
 * way. The functions have the same names in each file. `keys` are keys of records that tell cases
 * apart, `figures` those of results. */
#define PLAN_OPERATION(called, of, keys, figures)                                               \
	.name = called, .operation = of, .usage = "[MATRIX...]", .children = matrix_children,   \
	.check = check_matrices, .problem = "cases", .columns = columns, .walk = walk_matrices, \
	.matrix = matrix_lists, .each = table_case, .enter = enter, .plan = make_plan,          \
	.run = run_plan, .one = one, .title = title, .place = text_place,                       \
	.fields = MATRIX_KEYS "transpose " keys " value index " TIME_KEYS figures RUN_KEYS

#endif
