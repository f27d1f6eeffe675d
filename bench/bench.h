/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the files of `ek bench` share. An operation is a file with one
 * `struct operation` and a row in operations.def. The struct says which options the operation has,
 * how its problems are made, which methods are measured on them, how a result is checked, and which
 * figures its records, tables and page show. The rest is written once: the steps of a measurement
 * (bench.c), options (options.c), the matrices (suite.c), the rounds (run.c), records (record.c),
 * tables (table.c) and pages (html.c).
 */
#ifndef EK_BENCH_H
#define EK_BENCH_H

#include <stddef.h>

#include "../cli/ek.h"
#include "measure.h"
#include "peers/peer.h"
#include "record.h"

struct field;
struct job;
struct matrix_at;
struct sparse;

/* ---- Texts (text.c) -------------------------------------------------------------------------- */

/* Returns a formatted string. It lives as long as the program, as do the strings from the functions
 * below, so that callers need no buffers. */
__attribute__((format(printf, 1, 2))) const char *keep(const char *format, ...);
/* Returns `memory`, or ends the program if that is NULL. */
void *need(void *memory, const char *what);
/* Return a number such as "1,234,567", a number of bytes such as "12.3 MiB", a number of things
 * such as "1 thread" or "2 threads", and a size such as "2^25", "96x2^16" or "1000". */
const char *text_count(double n);
const char *text_bytes(double n);
const char *text_many(double n, const char *what);
const char *text_size(int64_t n);
/* Returns NULL if that many bytes of memory are free, else a text such as "about 3 GiB are needed,
 * and 2 GiB are free". The caller gives the words before and after the first number. */
const char *text_lack(double bytes, const char *before, const char *after);

/* ---- Peers (peer.c) -------------------------------------------------------------------------- */

/* Stores in `path` the first path in `near` that exists. Paths are relative to the folder of the
 * program, and the last is NULL. Returns false if none exists. */
enum { PATH_BYTES = 4096 };
bool path_beside(const char *const *near, char path[PATH_BYTES]);

#define PEERS_MAX 32

struct peers {
	const ek_peer *peer[PEERS_MAX];
	int count;
};

/* Loads every peer_*.so in the folder that --peer-dir, or else EK_PEERS, names, else in the build
 * folder or the installed libexec folder. Adds the peers that have the operation and run where the
 * measurement takes place. Unless --quiet is given, reports modules that cannot be loaded, and if
 * no peers were found. Modules stay loaded. */
void peers_load(struct bench *bench);

/* ---- Options (options.c) --------------------------------------------------------------------- */

enum { MOST_ITEMS = 64 };

struct list {
	int64_t value[MOST_ITEMS];
	int count;
};

/* The orders of the blocks X and Y, and how segment lengths vary: values of --order and --shape. */
enum { X_BY_ROWS = 1, Y_BY_ROWS = 2 };
enum { EVEN, RANDOM, POWER };

/* What options.def fills in. */
struct bench_options {
	struct tool_options common;
	const char *html, *peer_folder;
	bool peers, k_best, misses, unsorted;
	int rounds;
	double seconds; /* time to spend on each case */
	/* --threads and --value; the latter are of ek_value. All cases are measured with each
	 * combination of the two. */
	struct list threads, values;
	char **argument;
	int arguments;
	/* options of operations on matrices */
	const char *suite, *sweep;
	const char *vectors;            /* "device" or "host", or NULL if not given */
	const char *records, *baseline; /* --from and --baseline of scenario */
	struct list columns, order, calls;
	struct list op_a; /* values of ek_op */
	int64_t max_bytes, megabytes;
	/* options of operations on arrays; `type` lists values of ek_value */
	struct list n, type, length, value_size, arity;
	struct list by;      /* how segments are given: 1 by flags, 0 by offsets */
	int op, kind, shape; /* values of ek_monoid and ek_scan_kind; EVEN, ... */
	bool in_place, flags, offsets, counts, smallest, model;
	int64_t block;
	double k; /* the k of kselect; below 1, a share of the list's length */
};
extern const struct tool_choice option_ops[], option_shapes[]; /* choices of --op and --shape */

enum { MOST_LISTS = 5 };
/* Calls measure(at, value) for all combinations of the values of the lists that the operation
 * names; the first list changes fastest, and an empty one has the value 0. Goes on after a wrong
 * result, but not after any other failure. Returns an exit code. */
int walk_lists(const struct bench *bench, void *at,
               int (*measure)(void *at, const int64_t value[MOST_LISTS]));

/* Tells whether `word` is one of `words`, which are separated by blanks. */
bool has_word(const char *words, const char *word);
void options_parse(struct bench *bench, int argc, char **argv);
/* Returns the list given by --method, or NULL if all methods are measured. */
const char *methods_named(const struct bench *bench);
/* Checks, for operations on matrices, that a matrix is given and that formats and methods exist. */
void check_matrices(struct bench_options *options);
/* Replaces the method of --method by one method for each value of --sweep (sweep.c). */
void sweep_apply(ek_operation operation, struct bench_options *options);

/* ---- Operations ------------------------------------------------------------------------------ */

/* Tables that a column may be in: the table of a case (BLOCK), the table with a line for each
 * record of all cases (LINE), the table of heap operations (COUNTS), the table of a case of sums
 * (SUM), the page's table of a case (PAGE), the page's table of the sums of products (PAGE_SUM). */
enum { BLOCK = 1, LINE = 2, COUNTS = 4, SUM = 8, PAGE = 16, PAGE_SUM = 32 };
/* Properties of a column. A column with PEERS is shown only if peers were measured, a column with
 * KBEST only if K-best times were, a column with SOME only if a record of the case has its value, a
 * column with SAID only if a record has its text.
 * LEFT columns have left-aligned text. In RATIO columns values above 1 are good; in LESS columns
 * smaller values are better. On the page, cells of SWATCH columns begin with the colour of the
 * method. */
enum { PEERS = 64, KBEST = 128, LEFT = 256, RATIO = 512, LESS = 1024, SWATCH = 2048 };
enum { SOME = 1 << 22, SAID = 1 << 23 };
/* Traits of an operation: what it works on, and what bounds it. A column with traits is shown only
 * for operations that have one of them. */
enum { NUMBERS = 1 << 12, KEYS = 1 << 13, READS = 1 << 14, COPIES = 1 << 15 };
enum { VECTORS = 1 << 16, BLOCKS = 1 << 17, PRODUCTS = 1 << 18, SUMS = 1 << 19, TRIPLES = 1 << 21 };
enum { TWO = 1 << 20 }; /* two sparse vectors; no column depends on it */
#define TRAITS \
	((unsigned)(NUMBERS | KEYS | READS | COPIES | VECTORS | BLOCKS | PRODUCTS | SUMS | TRIPLES))

/* Columns of one or more tables. */
#define INTERVAL_COLUMN(where)                                                                    \
	{                                                                                         \
		"+- %", (where) | SAID, VALUES, NULL, cell_interval,                              \
			"half of the 95 % interval of the median time, from its spread over the " \
			"rounds"                                                                  \
	}
#define PARAMETERS "parameters" /* head of the column that tables leave out where it does not fit */
#define PARAMETERS_COLUMN(where)                                                                 \
	{                                                                                        \
		PARAMETERS, (where) | LEFT | SAID, VALUES, NULL, cell_parameters,                \
			"those of the format and of the method that the plan works with; below " \
			"the table where "                                                       \
			"it is too wide"                                                         \
	}
struct column {
	const char *head;
	unsigned where;
	/* Value of the record or the case; if this is VALUES, `format` is a key of text_of. */
	enum value value;
	/* Format of the number as for printf; NULL for milliseconds, "," for 1,234. */
	const char *format;
	/* If not NULL, returns the text that is shown in place of a value. */
	const char *(*text)(const struct bench_case *c, const struct record *r);
	/* Meaning of the column, or NULL; "" stands for what `moves` names, over the time. */
	const char *legend;
};
/* The offset of a list of options, for `lists` of an operation. */
#define LIST_OF(member) offsetof(struct bench_options, member)
struct operation {
	const char *name, *text; /* name and description in ek bench --help */
	/* Text of ek bench NAME --help; names of the arguments there, or NULL if it takes none. */
	const char *help, *usage;
	const char *options;  /* keys of its options (options.def), separated by blanks */
	const char *defaults; /* defaults of options, such as "time=1 n=2^16,2^20", or NULL */
	const struct argp_child *children;
	void (*check)(struct bench_options *options); /* ends the program if options conflict */
	/* Keys of a JSON record, separated by blanks. `json` makes the value of a key that
	 * fields.def does not have. */
	const char *fields;
	json_t *(*json)(const struct bench *, const struct bench_case *, const struct record *,
	                const char *key);
	const char *problem; /* plural noun for cases in messages, such as "matrices" */
	unsigned traits;
	const char *moves; /* which bytes GB/s counts, for the legend: "bytes of the input" */
	const struct column *columns; /* columns of all its tables; the last has no head */
	const char *legend;           /* replaces the legends of the columns, unless NULL */
	/* The steps of the measurement. `begin` sets up, `walk` measures all problems in sequence,
	 * `matrix` measures those of one matrix, `finish` completes the records of a case before
	 * they are shown; these return exit codes. `each` prints the table of a case, `end` the
	 * tables of all cases. Only `walk` has to exist. */
	int (*begin)(struct bench *bench);
	int (*walk)(struct bench *bench);
	int (*matrix)(struct bench *bench, const struct tool_source *source, ek_matrix *A);
	int (*finish)(struct bench *bench, struct bench_case *c);
	void (*each)(const struct bench *bench, const struct bench_case *c, FILE *out);
	void (*end)(const struct bench *bench, FILE *out);
	/* For the standard measurement of a problem (run.c): adds all entrants. */
	void (*enter)(struct field *field);
	/* `spoil` fills the outputs with wrong values before a checked run. `error` returns the
	 * largest error of the run's outputs over its bound; above 1 the result is wrong. */
	void (*spoil)(void *problem);
	double (*error)(void *problem, const char *method);
	ek_operation operation; /* operation whose methods and peers take part, or 0 */
	ek_operation peers;     /* operation whose peers take part instead, or 0 */
	const char *unit; /* method that ratios are relative to; NULL for the operation's first */
	/* Members of bench_options, of type struct list, whose values walk_lists combines. */
	size_t lists[MOST_LISTS];
	/* For operations on a matrix (run.h): measures the case of one combination. */
	int (*one)(const struct matrix_at *at, const int64_t value[MOST_LISTS]);
	/* For enter_plans: `plan` makes a plan of a method for a problem, `run` runs it once. */
	ek_status (*plan)(const void *problem, const char *method, ek_plan **plan);
	ek_status (*run)(void *problem, ek_plan *plan);
	/* For operations with a sparse result (sparse.h). `set` sets up the problem with the given
	 * number, from 0, on a matrix, or returns false if there is none. `compute` runs a plan for
	 * A and B. */
	bool (*set)(struct sparse *p, int problem);
	ek_status (*compute)(ek_plan *plan, ek_matrix **C);
	/* For primitives on arrays (array.h). `size` computes line, variant, batch, k, bytes and
	 * need of a job from its type, n, length and value_size. `make` makes the arrays. `call`
	 * makes one call. Where calls work in place, `before` prepares fresh inputs for a number of
	 * calls, and `next` selects the input of the next call; else both are NULL. */
	void (*size)(struct job *job);
	void (*make)(struct job *job);
	/* For sparse vectors: accesses to y or to values that are written, for each entry. */
	int passes;
	ek_status (*call)(struct job *job, const ek_array_options *options);
	void (*before)(struct job *job, int64_t calls);
	void (*next)(struct job *job);
	/* Returns the text above the table of a case, a line for each paragraph. The part before
	 * the first two blanks is bold. */
	const char *(*title)(const struct bench *bench, const struct bench_case *c);
	/* Fills bench->sums, whose cases are empty, with records of its own instead of one for each
	 * method; NULL if bench_sum_up does it. */
	void (*sums)(struct bench *bench);
	/* Replaces values of a record of bench->sums where a geometric mean is not wanted; NULL if
	 * nothing is to be replaced. */
	void (*sum)(const struct bench *bench, int group, struct record *sum);
	/* Returns the last words of the title of a group's table; NULL for geometric means. */
	const char *(*group_title)(const struct bench *bench);
	/* The page: its heading, a line about where it was measured, its layout (a function of
	 * page.js; NULL for a table for each case), and the keys of the records that its charts are
	 * drawn from, or NULL. */
	const char *heading;
	const char *(*place)(const struct bench *bench);
	const char *layout, *charts;
};

struct bench {
	const struct operation *op;
	struct bench_options o;
	ek_context *ctx;
	const char *machine, *state, *date, *commit;
	double memory_gbps;    /* bandwidth of the device outside its caches; 0 without a device */
	bool memory_asked;     /* whether the bandwidth outside the caches is of interest */
	ek_device_info device; /* its size is 0 if there is no device */
	struct peers peers;
	struct bench_case *cases;
	int count;
	struct bench_case sums[GROUPS + 1];
	const char *left_out; /* sentence about matrices that could not be used, or NULL */
};

/* Returns the bandwidth outside the caches, of the device or the processor, measured once; 0 if it
 * is not of interest. */
double bench_memory_gbps(const struct bench *bench);
/* Ends the case added last, whose measurement returned `code`: writes its JSON records and its
 * table, or removes the case if it has no records or `code` is neither TOOL_OK nor TOOL_FAILED.
 * Returns `code` or, if that is TOOL_OK, the exit code of writing. */
int case_done(struct bench *bench, struct bench_case *c, int code);

/* Returns the family and the model of the processor, since virtual machines hide its name; NULL if
 * the system does not tell. */
const char *machine_model(void);
/* Returns what can change the speed of the same machine (state.c): the model of the processor,
 * microcode, governor of the frequency, huge pages, leaks with and without mitigation, and the load
 * of the last minute. */
const char *machine_state(void);

/* ---- Matrices (suite.c) ---------------------------------------------------------------------- */

/* Names of matrices, as they would be written on the command line. The texts come from keep(). */
struct names {
	const char **name;
	int count;
};
void names_add(struct names *names, const char *text);
/* Adds the matrices of a line of a suite: "@twins WORD", "@matrices", the name of a matrix, or
 * nothing. Returns an exit code. */
int names_expand(struct names *names, const char *line);
/* Calls op->matrix for each matrix of the command line, then of the suite, in CSR. A matrix that
 * cannot be read or has a wrong result does not end the walk; options that are wrong for all
 * matrices do. Matrices that were left out are reported at the end and recorded in bench->left_out.
 * Returns the exit code of a single matrix; of several, TOOL_FAILED if anything was wrong with any
 * of them, or TOOL_USAGE if options were. */
int walk_matrices(struct bench *bench);
/* Fills in the description of a case's matrix. Returns an exit code. */
int case_describe(struct bench_case *c, const ek_matrix *A);
/* Returns texts such as "3 x 4, 5 nonzeros" and "f64, index 32, 2 threads, 9 rounds" for titles. */
const char *text_matrix(const struct bench_case *c);
const char *text_run(const struct bench_case *c);
/* Returns the threads and the instruction set, for pages. */
const char *text_place(const struct bench *bench);
extern const struct argp_child matrix_children[]; /* options for reading matrices */
/* Makes a case that describes A. If that fails, reports why, stores an exit code in *code, and
 * returns NULL. */
struct bench_case *case_of_matrix(struct bench *bench, const struct tool_source *source,
                                  const ek_matrix *A, int *code);

/* ---- Data (array_data.c) --------------------------------------------------------------------- */

/* Fills an array with n random numbers from a seed: floats in [-1, 1), integers with all bits
 * random, so that their sums wrap around. */
void data_random(ek_value type, int64_t n, void *data, int64_t seed, int threads);
/* Gives a sparse vector random indices in ascending order, one from each range of n / nnz. */
void data_indices(const ek_sparse *v, int64_t seed, int threads);
/* Returns the index of entry k of a sparse vector. */
int64_t data_index(const ek_sparse *v, int64_t k);

/* ---- Tables (table.c) ------------------------------------------------------------------------ */

double value_of(const struct bench_case *c, const struct record *r, enum value value);
bool column_shown(const struct bench *bench, const struct bench_case *c, const struct column *col,
                  unsigned where);
/* Returns a number in the format of a column, or "-" if the value is NAN. */
const char *number_text(const char *format, double value);
/* Prints the table that `where` names, with a line for each record of `count` cases. The table
 * COUNTS has only the records of methods with heaps. */
void table_print(const struct bench *bench, const struct bench_case *cases, int count,
                 unsigned where, FILE *out);
/* Print a table, then why records have no figures and, once in a run, the legend. table_case prints
 * the title of a case and its table BLOCK in this way. */
void table_full(const struct bench *bench, const struct bench_case *cases, int count,
                unsigned where, FILE *out);
void table_case(const struct bench *bench, const struct bench_case *c, FILE *out);
/* Returns the title of a case, with a warning if its measurement was disturbed. */
const char *case_title(const struct bench *bench, const struct bench_case *c);
/* Prints each line of the text as a paragraph. */
void paragraphs(const char *text, FILE *out);
/* Return the title of a group's table SUM, or NULL if the group is empty; print these tables. */
const char *group_title(const struct bench *bench, int group);
void table_groups(const struct bench *bench, FILE *out);
/* Return the text of a cell: of any column, or NULL; a name, with the method that auto chose after
 * it; the parameters of a record's format and method, or ""; "*" for our fastest method, or as
 * cell_status; "FAILED", "refused" or "". */
const char *cell_text(const struct bench *bench, const struct bench_case *c, const struct record *r,
                      const struct column *column);
const char *cell_method(const struct bench_case *c, const struct record *r);
const char *cell_parameters(const struct bench_case *c, const struct record *r);
/* Returns the interval of a time in percent, "" where it is not known. */
const char *cell_interval(const struct bench_case *c, const struct record *r);
const char *cell_best(const struct bench_case *c, const struct record *r);
const char *cell_status(const struct bench_case *c, const struct record *r);
/* Returns the usual baseline of the ratios of products, on a device or on the processor. */
const char *unit_method(bool device);
/* Returns the legend of all columns, which the caller frees; NULL if there is no memory. */
char *legend_text(const struct operation *op);

void groups_end(const struct bench *bench,
                FILE *out); /* table_groups, if there are several cases */

/* ---- Pages (html.c) -------------------------------------------------------------------------- */

/* Writes the page with all results to the file `path`. page.css is its style sheet; page.js makes
 * its tables and draws its charts. Returns an exit code. */
int html_write(const struct bench *bench, const char *path);

#endif
