/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the files of the tool `ek` share: options, exit codes, and the small services
 * that every subcommand needs (reading matrices from any source, tables, JSON, progress, outputs
 * that appear only when complete). The tool uses the library through <evenkeel/ek.h> only.
 *
 * A subcommand is a function `int cmd_name(int argc, char **argv)` and a row of the table in
 * main.c. The function fills a struct tool_options with tool_parse, makes a context, and returns an
 * exit code. A subcommand with options of its own has this pattern:
 *
 *     struct mine { struct tool_options common; const char *output; };    (common comes first)
 *     static error_t parse(int key, char *arg, struct argp_state *state); (calls tool_init first)
 *     static const struct argp argp = {options, parse, "A", "What it does.",
 *                                      tool_product_children};
 *     tool_parse(&argp, argc, argv, &mine);
 */
#ifndef EK_TOOL_H
#define EK_TOOL_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <evenkeel/ek.h>

/* ---- Exit codes ------------------------------------------------------------------------------ */

enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,     /* the operation failed */
	TOOL_USAGE = 2,      /* wrong arguments */
	TOOL_INPUT = 3,      /* a bad input file */
	TOOL_UNSUPPORTED = 4 /* a valid request that this machine or build cannot fulfil */
};

/* ---- Options (options.c) --------------------------------------------------------------------- */

struct tool_options {
	/* Options of tool_general_children, which every subcommand has */
	int threads;      /* --threads, or 0 for the default */
	int isa_limit;    /* --isa, encoded as in ek_options.isa_limit, or 0 for the default */
	const char *json; /* --json: a file or "-", or NULL if not given */
	bool quiet;       /* --quiet: no progress bar and no remarks */
	/* For ek bench: if `lists` is set, --threads and --value are not read, and these are their
	 * arguments, or NULL. */
	bool lists;
	const char *threads_list, *value_list;
	/* Option added by tool_array_children, for subcommands that draw random numbers */
	int64_t seed; /* --seed, or -1 if not given */
	/* Options added by tool_type_children and, together with --seed, by
	 * tool_generate_children */
	ek_value value; /* --value, or 0 if not given */
	ek_index index; /* --index, or 0 if not given */
	/* Options added by tool_common_children, for subcommands that read matrices */
	bool allow_nan, mirror; /* --allow-nan and --mirror, as in ek_read_options */
	unsigned duplicates;    /* --duplicates sum|last|error, as EK_DUP_SUM, ... */
	/* --read-max-bytes, --read-max-ratio and --read-max-dim, as in ek_read_options; 0 if not
	 * given */
	int64_t max_bytes, max_ratio, max_dim;
	/* Options added by tool_device_argp, which is part of tool_product_argp. For subcommands
	 * without them, the device is "cpu". */
	const char *device; /* --device, or NULL if not given */
	ek_device_memory device_memory;
	bool memory_given; /* whether --device-memory was given */
	/* Options added by tool_product_children, for subcommands that multiply.
	 * tool_choice_children adds the same except --alpha and --beta, for subcommands that only
	 * choose a method. */
	const char *method; /* --method, or NULL if not given; checked by ek_plan_create */
	const char *format; /* --format, or NULL if not given */
	ek_op op;           /* --op, by default EK_OP_N */
	double alpha, beta; /* --alpha, by default 1, and --beta, by default 0 */
	int64_t calls;      /* --calls, or 0 if not given */
	ek_reproducible reproducible;
};

/* Return the type of values (f64 by default) or of indices (32 bits by default) that the options
 * ask for. */
static inline ek_value tool_value(const struct tool_options *o)
{
	return o->value ? o->value : EK_F64;
}
static inline ek_index tool_index(const struct tool_options *o)
{
	return o->index ? o->index : EK_I32;
}

/* Lists of options for argp.children. */
extern const struct argp_child tool_general_children[], tool_array_children[], tool_type_children[],
	tool_generate_children[], tool_common_children[], tool_choice_children[],
	tool_product_children[];
/* Parsers for groups of options. A subcommand can make its own list of children from them. The
 * groups are the options for reading a matrix, the options of a product (--method, --alpha and
 * others), --calls, --device with --device-memory, and those of every subcommand. */
extern const struct argp tool_common_argp, tool_product_argp, tool_calls_argp, tool_device_argp,
	tool_general_argp;

/* Sets the defaults and makes the child parsers fill `options`. The parser of a subcommand must
 * call this first, for every key. The struct that this parser fills must start with a struct
 * tool_options. */
void tool_init(int key, struct argp_state *state, struct tool_options *options);
/* Calls argp_parse, but reports wrong usage in one line on standard error and exits with code 2. */
void tool_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Parse the value of an option strictly (values.c). A wrong value ends the program with exit code 2
 * and a message that names the option, `what`. tool_size accepts numbers from 1 to 2^40, such as
 * 1000, 4M, 2^25 or 96x2^16; K, M and G are 2^10, 2^20 and 2^30. */
int64_t tool_integer(const char *what, const char *text, int64_t min, int64_t max);
double tool_number(const char *what, const char *text);
double tool_duration(const char *what, const char *text); /* parses a number of seconds above 0 */
int64_t tool_size(const char *what, const char *text);
/* A word that an option accepts, with its value. The last row of a list of choices has the name
 * NULL. */
struct tool_choice {
	const char *name;
	int value;
};
extern const struct tool_choice tool_values[]; /* choices of --value */
enum { TOOL_THREADS = 4096 };                  /* most threads */
/* Returns the value of the choice called `text`. If there is none, ends the program with exit code
 * 2 and a message that lists the choices. */
int tool_choose(const char *what, const char *text, const struct tool_choice *choices);
ek_op tool_op(const char *what, const char *text); /* n or t, also in capitals */
const char *tool_memory_name(ek_device_memory memory); /* as --device-memory has it */

/* ---- Methods (method.c) ---------------------------------------------------------------------- */

enum { TOOL_METHOD = 128 };
/* Returns the full name of the SpMV method `name`. The user may leave out "spmv." and may add
 * parameters. For an unknown name, ends the program with exit code 2 and a message that proposes
 * the nearest name. Returns NULL and "auto" unchanged. */
const char *tool_method(const char *name);
/* As tool_method, but for the methods of `operation`, whose name the user may leave out. */
bool tool_chooses(const char *name); /* whether it is "auto" or "learned" */
const char *tool_method_of(ek_operation operation, const char *name);
/* Does what tool_method_of does, but refuses "all" with a message of its own. */
const char *tool_one_method(ek_operation operation, const char *name);
/* Finds a method by its full name, which parameters may follow. Returns NULL if there is none, and
 * for "auto". */
const ek_method *tool_method_find(const char *text);
/* Take the next method of a list such as "csr.merge,csr.adaptive.gpu:block=2048" and store its full
 * name in `word`. Return false at the end of the list. */
bool tool_method_next(const char **list, char word[TOOL_METHOD]);
bool tool_method_next_of(ek_operation operation, const char **list, char word[TOOL_METHOD]);
/* Returns the length of the first item of a comma-separated list (format.c). If the text after a
 * comma has "=" with no ":" before it, that text is another parameter of the same item. */
size_t tool_item(const char *list);
/* Tells whether a method runs on a device. Returns false for NULL and "auto". */
bool tool_method_on_device(const char *text);
bool tool_on_device(const ek_context *ctx); /* tells whether the context has a device */
/* Tells whether a method divides products between a device and the processor. */
bool tool_method_on_both(const char *text);
/* Tells whether --device or EK_DEVICE names a device "cpu+...", for both kinds of core. */
bool tool_on_both(const struct tool_options *options);

/* ---- Formats (format.c) ---------------------------------------------------------------------- */

/* Returns `text`, such as "sell:c=8", unchanged if the format exists; the library checks its
 * parameters later. If there is no such format, ends the program with exit code 2. */
const char *tool_format(const char *what, const char *text);
enum { TOOL_FORMAT = 128 };
/* Takes the next format of a list such as "sell:c=8,sigma=64,ell" and stores it in `word`. Returns
 * false at the end of the list. */
bool tool_format_next(const char *what, const char **list, char word[TOOL_FORMAT]);
/* Checks all formats of a list, so that a mistake in it is reported early. Accepts NULL, which
 * means that there is no list, but refuses an empty list. */
void tool_format_list(const char *what, const char *list);
/* Returns the form of an output file, "mtx" or "ekm": `form`, the value of --form, or if that is
 * NULL, the form that the file's ending names, compressed or not. Returns NULL if there is no
 * ending. Ends the program with exit code 2 for any other form or ending. */
const char *tool_output_form(const char *path, const char *form);
/* Checks the name of an output file for a vector, which is always Matrix Market text. If the name
 * has another ending, ends the program with exit code 2. */
void tool_output_vector(const char *path);
/* As tool_check, but appends `how`, a way to raise the limit, to the message of EK_ELIMIT. */
int tool_limited(ek_status status, const char *how);
/* Converts *A to another format. `max_bytes` is as in ek_convert_options, `how` as in tool_limited.
 * Returns an exit code. */
int tool_convert(const char *format, int64_t max_bytes, const char *how, ek_matrix **A);
/* Converts *A to CSR, unless it is in CSR already. Returns an exit code. */
int tool_csr(ek_matrix **A);
/* Writes the format of a matrix and its parameters to `text` as options accept them, such as
 * "sell:c=8,sigma=64". */
void tool_format_text(const ek_matrix_info *info, char text[TOOL_FORMAT]);
/* Makes a JSON object of numbers from parameters such as "c=8,sigma=64". */
json_t *tool_json_parameters(const char *text);
/* Adds two members to a JSON record: "format", a name, and "parameters", an object of numbers.
 * `text` is a format as in "sell:c=8,sigma=64", or NULL if there is none. */
void tool_json_format(json_t *record, const char *text);

/* ---- Reporting (report.c) -------------------------------------------------------------------- */

/* Name of the running subcommand for messages, such as "ek info". */
extern const char *tool_name;

/* Prints a message on one line on standard error, with tool_name in front ("ek info: ..."), and
 * returns `code`. */
__attribute__((format(printf, 2, 3))) int tool_fail(int code, const char *format, ...);
/* Prints a message as tool_fail does, and exits with TOOL_USAGE. */
__attribute__((format(printf, 1, 2), noreturn)) void tool_usage(const char *format, ...);
/* Ends the program with a message about the word at which getopt stopped: argv[next] or the word
 * before it (usage.c). */
_Noreturn void tool_wrong_usage(const struct argp_state *state);
/* Report the library's last error and return the exit code for it; for EK_OK, silently return
 * TOOL_OK. tool_input is for calls that read a file named by the user, tool_check for all
 * others. */
int tool_check(ek_status status);
int tool_input(ek_status status);
/* Prints a remark for the user on standard error, unless --quiet is given. */
__attribute__((format(printf, 2, 3))) void tool_remark(const struct tool_options *options,
                                                       const char *format, ...);
/* Returns the name nearest to `word` among `count` names, or NULL if none is near. A name is near
 * if it differs from `word` in few letters, begins with `word`, or ends in a dot and `word`. */
const char *tool_nearest(const char *word, const char *const *names, int count);
/* Returns the nearer of two names, or NULL if neither is near. `near` is NULL or the result of the
 * previous call, so that names need not be in one array. */
const char *tool_nearer(const char *word, const char *near, const char *name);

double tool_seconds(void);     /* time of a monotonic clock, in seconds */
double tool_memory_free(void); /* bytes of memory available to programs, or -1 if not known */
double tool_memory_all(void);  /* bytes of memory of the machine, or -1 if not known */
enum { TOOL_PROCESSOR = 200 };
const char *tool_processor(char name[TOOL_PROCESSOR]); /* writes the model name of the processor */
const char *tool_count(char buf[32], int64_t n);       /* writes a number as in "1,234,567" */
const char *tool_bytes(char buf[32], double n);        /* writes bytes as in "12.3 MiB" */

/* A progress bar on standard error (progress.c), which appears after a second if standard error is
 * a terminal and --quiet is not given. A separate thread draws it, so it also moves during calls
 * that report nothing. tool_progress_step can be used as ek_read_options.progress and may be called
 * often. */
struct tool_progress;
struct tool_progress *tool_progress_start(const struct tool_options *options, const char *what);
/* Returns the text of the progress bar while a plan is made: such as "compiling for opencl:0" if
 * the context has a device, else "preparing". */
const char *tool_preparing(const ek_context *ctx);
int tool_progress_step(void *progress, int64_t done, int64_t total); /* total is -1 if not known */
/* Changes the text of the progress bar to "what: part". */
void tool_progress_name(struct tool_progress *progress, const char *what, const char *part);
void tool_progress_end(struct tool_progress *progress);
/* Tells whether text to the stream may have colours. It may if the stream is a terminal, NO_COLOR
 * is not set, and TERM is not "dumb". */
bool tool_color(FILE *stream);
/* Prints `before` and why a plan is as it is, and ends the line. */
void tool_explain(FILE *out, const char *before, const ek_plan *plan);

/* ---- Outputs (output.c) ---------------------------------------------------------------------- */

/* Opens a stream to the file `path`, or to standard output if `path` is "-". Returns NULL after
 * reporting a failure. The file has a temporary name until tool_close renames it to `path`; until
 * then, SIGINT, SIGTERM, SIGHUP and exit() remove it. tool_close reports failures and returns an
 * exit code. */
FILE *tool_open(const char *path);
int tool_close(FILE *stream);
/* Closes the stream and removes the unfinished file, in place of tool_close. */
void tool_cancel(FILE *stream);
/* Notes that the library will write the file `path`, so that a signal removes the unfinished file.
 * When the library is done, the call tool_will_write("-") forgets the file. */
void tool_will_write(const char *path);
/* Makes a temporary file for this run: calls mkstemps(path, suffix) and returns its result. The
 * file is removed by tool_temporary_remove, a signal or exit(). Only one can exist at a time. */
int tool_temporary(char *path, int suffix);
void tool_temporary_remove(void);
/* Makes SIGINT, SIGTERM, SIGHUP and exit() remove unfinished files. main calls it. */
void tool_signals(void);
/* Sets the line that such a signal prints on standard error, after "ek ...: interrupted": what is
 * kept, and how to go on. The text must live as long as the program. */
void tool_interrupted(const char *text);

/* Runs gnuplot (gnuplot.c), which reads the commands that `write` prints and whose picture goes to
 * the file `path`. Says `hint` if gnuplot is not installed. Returns an exit code. */
int tool_gnuplot(const char *path, const char *hint, void (*write)(const void *user, FILE *out),
                 const void *user);

/* ---- Version (version.c) --------------------------------------------------------------------- */

/* Prints the version, and all that is known about how the library was built. Returns an exit
 * code. */
int tool_version(void);

/* Write JSON records, one per line, to the file of --json (output.c). Without --json, do nothing.
 * The file gets its final name when the first record is written, and each record is written in one
 * piece, so that a killed run keeps its records. tool_json_open makes the file. tool_context calls
 * tool_json_open, so that a file that cannot be made is reported before hours of work. tool_json
 * writes a record and frees the record. tool_json_close closes the file, even if it has no record.
 * All return exit codes. */
int tool_json_open(const struct tool_options *options);
int tool_json(const struct tool_options *options, json_t *record);
int tool_json_close(const struct tool_options *options);
/* Writes the one record of a subcommand and closes the file of --json. Returns an exit code. */
int tool_json_one(const struct tool_options *options, json_t *record);
/* Returns the stream for text to the user: standard output, or standard error if JSON goes to
 * standard output. */
FILE *tool_people(const struct tool_options *options);
/* Does what tool_people does, but returns standard error also if the result goes to standard
 * output, that is, if `output` is "-". */
FILE *tool_people_beside(const struct tool_options *options, const char *output);
/* Returns `output`, or "-" if it is NULL (terminal.c). The other one gets what that returned, and
 * reports TOOL_USAGE if a result of so many entries would go to a terminal only because the user
 * named no output. Returns an exit code. */
const char *tool_output_or_standard(const char *output);
int tool_refuse_flood(const char *output, int64_t entries);
/* Ends the program with exit code 2 if JSON and the result, `what`, both go to standard output.
 * `output` may be NULL. */
void tool_one_output(const struct tool_options *options, const char *output, const char *what);

/* ---- Tables (table.c) ------------------------------------------------------------------------ */

/* Styles of printed tables. TOOL_PLAIN separates fields by tabs and has no header. */
enum tool_style { TOOL_TEXT, TOOL_MARKDOWN, TOOL_PLAIN };

struct tool_table {
	const char *align; /* a letter for each column: l (left; cells may wrap) or r (right) */
	int cols, cells, capacity;
	char **cell;       /* cells row by row; the first row is the header */
	unsigned left_out; /* columns that TOOL_TEXT leaves out: a bit for each of the first 32 */
	int first, end;    /* TOOL_TEXT prints the first column and [first, end) */
};
void tool_table_start(struct tool_table *t, const char *align);
__attribute__((format(printf, 2, 3))) void tool_table_add(struct tool_table *t, const char *format,
                                                          ...); /* adds the next cell */
void tool_table_print(const struct tool_table *t, enum tool_style style, FILE *out);
/* In the style TOOL_TEXT, leaves out columns, in the order of `names`, until the table fits into
 * the width of `out`. `names` ends with NULL; other columns are never left out. Tables in the other
 * styles keep all columns. */
void tool_table_fit(struct tool_table *t, const char *const *names, FILE *out);
void tool_table_free(struct tool_table *t);
/* Returns the width of lines in characters: the environment variable COLUMNS, else the width of the
 * terminal, else 100. */
int tool_width(FILE *out);
/* Prints a paragraph in lines of at most tool_width(out) characters. All lines except the first are
 * indented by two blanks. */
__attribute__((format(printf, 2, 3))) void tool_paragraph(FILE *out, const char *format, ...);
/* Prints lines of text. What a terminal has no room for goes on below, indented. */
void tool_lines(FILE *out, const char *text);

/* ---- Matrices (source.c) --------------------------------------------------------------------- */

/* Makes a context as the options say. If this fails, reports why, stores the exit code in *code and
 * returns NULL. */
ek_context *tool_context(const struct tool_options *options, int *code);

/* The source of a matrix. */
struct tool_source {
	char name[256];  /* short name: "webbase-1M", "poisson2d5:nx=100" */
	char path[4096]; /* path of the file, or the text that named the generator */
	/* "file", "generated", "twin", or "real" for a matrix named without its path and found in
	 * the folder EK_MATRICES */
	const char *kind;
	double seconds; /* time that reading or generating took */
};
/* Returns the options for reading files, converted to the struct of the library. */
ek_read_options tool_read_options(const struct tool_options *options);
/* Makes A from `text`: a path, "-" for standard input, a generator ("NAME" or "NAME:key=value,..."
 * if no file has that name), or the name of a twin (also "twin:NAME"). For the name of a twin,
 * looks first for the real matrix in the folder EK_MATRICES. Shows progress and remarks. `source`
 * may be NULL. Reports failures and returns an exit code. */
int tool_matrix(ek_context *ctx, const struct tool_options *options, const char *text,
                struct tool_source *source, ek_matrix **A);
/* Makes A with the generator `spec`, never from a file. Uses --seed, shows progress, reports
 * failures and returns an exit code. */
int tool_generate(ek_context *ctx, const struct tool_options *options, const char *spec,
                  struct tool_source *source, ek_matrix **A);
/* Writes A to the file `path` and shows progress. `form` is as in ek_matrix_write. Returns an exit
 * code. */
int tool_write(const struct tool_options *options, const ek_matrix *A, const char *path,
               const char *form);
/* Returns a new JSON object with the members matrix, kind, path, rows, cols, nnz, value, index,
 * format and parameters. */
json_t *tool_record(const struct tool_source *source, const ek_matrix *A);
/* Finds the file of the real matrix `name` in the folder EK_MATRICES and stores its path. Returns
 * false if there is none. */
bool tool_real_path(const char *name, char *path, size_t size);

/* ---- Subcommands ----------------------------------------------------------------------------- */

struct tool_command {
	const char *name, *text; /* `text` describes the subcommand in one line */
	int (*run)(int argc, char **argv);
};
extern const struct tool_command tool_commands[]; /* the last row has the name NULL */

int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_spmv(int argc, char **argv);
int cmd_spmm(int argc, char **argv);
int cmd_multiply(int argc, char **argv);
int cmd_add(int argc, char **argv); /* in multiply.c */
int cmd_spmspv(int argc, char **argv);
int cmd_triple(int argc, char **argv);
int cmd_transpose(int argc, char **argv);
int cmd_dot(int argc, char **argv);
int cmd_vector_add(int argc, char **argv);
int cmd_spy(int argc, char **argv);
int cmd_bench(int argc, char **argv); /* in bench/bench.c */
int cmd_tune(int argc, char **argv);
int cmd_reproduce(int argc, char **argv); /* in reproduce/reproduce.c */

#endif
