/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the tool `ek` share: options, exit codes, and the small services that every
 * subcommand needs (reading a matrix wherever it comes from, tables, JSON, progress, outputs that
 * appear only when complete). The tool uses the library through <evenkeel/ek.h> only.
 *
 * A subcommand is a function `int cmd_name(int argc, char **argv)` and a row of the table in
 * main.c. It fills a struct tool_options by tool_parse, makes a context, and returns an exit code.
 * The pattern, with options of its own:
 *
 *	struct mine { struct tool_options common; const char *output; };       (common comes first)
 *	static error_t parse(int key, char *arg, struct argp_state *state);    (calls tool_init first)
 *	static const struct argp argp = {options, parse, "A", "What it does.", tool_product_children};
 *	tool_parse(&argp, argc, argv, &mine);
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
	TOOL_UNSUPPORTED = 4 /* valid, but not here: no such device, no gnuplot */
};

/* ---- Options (options.c) --------------------------------------------------------------------- */

struct tool_options {
	/* tool_general_children: every subcommand has these */
	int threads;      /* --threads, 0: default */
	int isa_limit;    /* --isa as ek_options.isa_limit, 0: default */
	const char *json; /* --json FILE or "-"; NULL: not given */
	bool quiet;       /* --quiet: no progress, no remarks */
	/* tool_array_children: what draws random numbers, in addition */
	int64_t seed; /* --seed, -1: not given */
	/* tool_type_children; with --seed, tool_generate_children */
	ek_value value; /* --value, 0: not given */
	ek_index index; /* --index, 0: not given */
	/* tool_common_children: what matrices from anywhere need, in addition */
	bool allow_nan, mirror; /* --allow-nan, --mirror: as in ek_read_options */
	unsigned duplicates;    /* --duplicates sum|last|error: EK_DUP_SUM, ... */
	/* --read-max-bytes, --read-max-ratio, --read-max-dim: as in ek_read_options, 0: not given */
	int64_t max_bytes, max_ratio, max_dim;
	/* tool_device_argp, part of tool_product_argp; without it the device is "cpu" */
	const char *device; /* --device, NULL: not given */
	ek_device_memory device_memory;
	bool memory_given; /* --device-memory */
	/* tool_product_children: what a product needs, in addition; tool_choice_children: the same
	 * without --alpha and --beta, for what only chooses a method */
	const char *method; /* --method; NULL: not given. Names are checked by ek_plan_create */
	const char *format; /* --format; NULL: not given */
	ek_op op;           /* --op, EK_OP_N */
	double alpha, beta; /* --alpha 1, --beta 0 */
	int64_t calls;      /* --calls, 0: not given */
	ek_reproducible reproducible;
};

/* The types of what has none of its own. */
static inline ek_value tool_value(const struct tool_options *o)
{
	return o->value ? o->value : EK_F64;
}
static inline ek_index tool_index(const struct tool_options *o)
{
	return o->index ? o->index : EK_I32;
}

/* For argp.children. */
extern const struct argp_child tool_general_children[], tool_array_children[], tool_type_children[],
	tool_generate_children[], tool_common_children[], tool_choice_children[],
	tool_product_children[];
/* The same one by one, for lists of one's own: --method to --reproducible, and --calls. */
extern const struct argp tool_common_argp, tool_product_argp, tool_calls_argp, tool_device_argp;

/* To be called first for every key by the parser of a subcommand (whose input starts with a struct
 * tool_options): sets defaults and the inputs of the children. */
void tool_init(int key, struct argp_state *state, struct tool_options *options);
/* argp_parse, except that wrong usage is one line on standard error and exit code 2. */
void tool_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Values of options (values.c): strict, and wrong ones end the program with exit code 2, naming
 * `what`. A size is from 1 to 2^40: 1000, 4M, 2^25, 96x2^16; K, M, G are 2^10 ... */
int64_t tool_integer(const char *what, const char *text, int64_t min, int64_t max);
double tool_number(const char *what, const char *text);
double tool_duration(const char *what, const char *text); /* seconds, above 0 */
int64_t tool_size(const char *what, const char *text);
/* One of the names, of which the last is NULL. */
struct tool_choice {
	const char *name;
	int value;
};
int tool_choose(const char *what, const char *text, const struct tool_choice *choices);

/* ---- Methods (method.c) ---------------------------------------------------------------------- */

enum { TOOL_METHOD = 128 };
/* The full name of the method that people call `name`: "spmv." may be left out, parameters may
 * follow. Unknown names end the program like wrong values, with the nearest one. NULL and "auto"
 * stay as they are. */
const char *tool_method(const char *name);
/* The same for another operation, whose name may be left out. */
const char *tool_method_of(ek_operation operation, const char *name);
/* ek_method_find of what may have parameters; NULL for "auto". */
const ek_method *tool_method_find(const char *text);
/* The next of a list such as "csr.merge,csr.adaptive.gpu:block=2048", full; false at its end. */
bool tool_method_next(const char **list, char word[TOOL_METHOD]);
/* Characters of the first item of a list: a piece with "=" but without ":" is a further parameter
 * of the item before it (format.c). */
size_t tool_item(const char *list);
bool tool_method_on_device(const char *text); /* false for NULL and "auto" */
bool tool_on_device(const ek_context *ctx);   /* the context has a device */

/* ---- Formats (format.c) ---------------------------------------------------------------------- */

/* `text` ("sell:c=8") as it is, if there is such a format; what its parameters may be the library
 * says. Unknown names end the program like wrong values. */
const char *tool_format(const char *what, const char *text);
/* The next of a list such as "sell:c=8,sigma=64,ell"; false at its end. */
enum { TOOL_FORMAT = 128 };
bool tool_format_next(const char *what, const char **list, char word[TOOL_FORMAT]);
/* Goes through a whole list, NULL or not empty, so that what is wrong in it is said at once. */
void tool_format_list(const char *what, const char *list);
/* Ends the program like wrong values unless the form of the file (--form, NULL: not given) is known
 * from its name: .mtx, .ekm, either compressed, or none of them and no other ending. */
void tool_output_form(const char *path, const char *form);
void tool_output_vector(const char *path); /* which has only one form */
/* tool_check, except that the message of EK_ELIMIT ends with `how` to raise the limit. */
int tool_limited(ek_status status, const char *how);
/* *A becomes the same matrix in another format; max_bytes as in ek_convert_options. */
int tool_convert(const char *format, int64_t max_bytes, const char *how, ek_matrix **A);
/* *A becomes its CSR, unless it is. */
int tool_csr(ek_matrix **A);
/* "sell:c=8,sigma=64", as the options take it. */
void tool_format_text(const ek_matrix_info *info, char text[TOOL_FORMAT]);
/* Puts `format`, the name in such a text, and `parameters`, an object of numbers, into a record.
 * NULL: there is no format. */
void tool_json_format(json_t *record, const char *text);

/* ---- Reporting (report.c) -------------------------------------------------------------------- */

/* "ek info", for messages. */
extern const char *tool_name;

/* Prints one line "ek info: ..." on standard error and returns `code`. */
__attribute__((format(printf, 2, 3))) int tool_fail(int code, const char *format, ...);
/* The same, then exit(TOOL_USAGE). */
__attribute__((format(printf, 1, 2), noreturn)) void tool_usage(const char *format, ...);
/* Reports the library's last error; the exit code that fits it. EK_OK: TOOL_OK, silently.
 * tool_input is for calls that read what the user named, tool_check for all others. */
int tool_check(ek_status status);
int tool_input(ek_status status);
/* A remark for people on standard error, unless --quiet. */
__attribute__((format(printf, 2, 3))) void tool_remark(const struct tool_options *options,
                                                       const char *format, ...);
/* The name nearest to `word` among `count` names, or NULL if none is near: one with few other
 * letters, or one that `word` is the beginning of, or all that follows a dot. */
const char *tool_nearest(const char *word, const char *const *names, int count);

double tool_seconds(void);     /* monotonic clock */
double tool_memory_free(void); /* bytes that programs can have; -1: not known */
double tool_memory_all(void);  /* bytes that there are; -1: not known */
enum { TOOL_PROCESSOR = 200 };
const char *tool_processor(char name[TOOL_PROCESSOR]); /* the maker's name */
const char *tool_count(char buf[32], int64_t n);       /* 1,234,567 */
const char *tool_bytes(char buf[32], double n);        /* 12.3 MiB */

/* Progress (progress.c), on standard error when that is a terminal and --quiet is not given, once a
 * second has passed. A thread of its own draws, so it also works around calls that report nothing.
 * tool_progress_step fits ek_read_options.progress and may be called as often as you like. */
struct tool_progress;
struct tool_progress *tool_progress_start(const struct tool_options *options, const char *what);
/* What a call does that makes a plan, for people: "preparing", "compiling for opencl:0". */
const char *tool_preparing(const ek_context *ctx);
int tool_progress_step(void *progress, int64_t done, int64_t total); /* total -1: not known */
void tool_progress_end(struct tool_progress *progress);
/* True if the stream is a terminal that wants colour (NO_COLOR is not set, TERM is not dumb). */
bool tool_color(FILE *stream);

/* ---- Outputs (output.c) ---------------------------------------------------------------------- */

/* A stream to `path` ("-": standard output). The file gets its name in tool_close, which reports
 * failures and returns an exit code; until then it has a temporary name, which SIGINT, SIGTERM and
 * exit() remove. NULL: reported. */
FILE *tool_open(const char *path);
int tool_close(FILE *stream);
/* Instead of tool_close: removes what was written. */
void tool_cancel(FILE *stream);
/* Call before the library writes `path`: an interrupt then removes what was begun. */
void tool_will_write(const char *path);
/* mkstemps for a file that only this run needs: tool_temporary_remove, a signal and exit() remove
 * it. One at a time. */
int tool_temporary(char *path, int suffix);
void tool_temporary_remove(void);
/* Installs the handlers; called by main. */
void tool_signals(void);

/* ---- Version (version.c) ----------------------------------------------------------------------- */

int tool_version(void); /* prints it, and all that is known of the build; an exit code */

/* JSON: one record per line into --json; does nothing if that was not given. Takes over `record`.
 * The file has its name from the first record on, and each record is written in one piece, so that
 * a killed run keeps what it had. tool_json_open makes the file, so that one that cannot be made is
 * said before hours of work; tool_context calls it. tool_json_close ends the file (also without
 * any record). All return exit codes. */
int tool_json_open(const struct tool_options *options);
int tool_json(const struct tool_options *options, json_t *record);
int tool_json_close(const struct tool_options *options);
/* For subcommands with one record: writes it and closes. */
int tool_json_one(const struct tool_options *options, json_t *record);
/* Where text for people goes: standard output, or standard error if JSON has standard output. */
FILE *tool_people(const struct tool_options *options);

/* ---- Tables (table.c) ------------------------------------------------------------------------ */

enum tool_style { TOOL_TEXT, TOOL_MARKDOWN, TOOL_PLAIN }; /* plain: tabs, no header */

struct tool_table {
	const char *align; /* a letter per column, l or r; lines break in those of l */
	int cols, cells, room;
	char **cell;       /* the first row is the header */
	unsigned left_out; /* columns that aligned lines do without, a bit each */
};
void tool_table_start(struct tool_table *t, const char *align);
__attribute__((format(printf, 2, 3))) void tool_table_add(struct tool_table *t, const char *format,
                                                          ...); /* the next cell */
void tool_table_print(const struct tool_table *t, enum tool_style style, FILE *out);
/* Leaves out of aligned lines the columns of these names, up to NULL, one after the other, until the
 * others have room. Markdown and fields divided by tabs keep them. */
void tool_table_fit(struct tool_table *t, const char *const *names, FILE *out);
void tool_table_free(struct tool_table *t);
/* Columns that lines may have: COLUMNS, else those of the terminal, else 100. */
int tool_width(FILE *out);
/* A paragraph within that, its further lines indented by two. */
__attribute__((format(printf, 2, 3))) void tool_paragraph(FILE *out, const char *format, ...);

/* ---- Matrices (source.c) --------------------------------------------------------------------- */

/* A context as the options say; NULL: reported, exit code in *code. */
ek_context *tool_context(const struct tool_options *options, int *code);

/* Where a matrix comes from. */
struct tool_source {
	char name[256];  /* short: "webbase-1M", "poisson2d5:nx=100" */
	char path[4096]; /* of the file, or the generator's text */
	const char
		*kind; /* "file", "generated", "twin", "real" (a twin's name, EK_MATRICES has it) */
	double seconds; /* that reading or generating took */
};
/* What the options say about reading files. */
ek_read_options tool_read_options(const struct tool_options *options);
/* A from a path, "-", a generator ("NAME" or "NAME:key=value,..." when no file has that name), or
 * the name of a twin (also "twin:NAME"), which is looked up in the folder EK_MATRICES first. With
 * progress and remarks. `source` may be NULL. Returns an exit code; failures are reported. */
int tool_matrix(ek_context *ctx, const struct tool_options *options, const char *text,
                struct tool_source *source, ek_matrix **A);
/* Always the generator, with --seed as above. */
int tool_generate(ek_context *ctx, const struct tool_options *options, const char *spec,
                  struct tool_source *source, ek_matrix **A);
/* Writes A with progress; `form` as in ek_matrix_write. Returns an exit code. */
int tool_write(const struct tool_options *options, const ek_matrix *A, const char *path,
               const char *form);
/* A new JSON object with matrix, kind, path, rows, cols, nnz, value, index and format. */
json_t *tool_record(const struct tool_source *source, const ek_matrix *A);
/* The path of the real matrix `name` in EK_MATRICES, or false. */
bool tool_real_path(const char *name, char *path, size_t size);

/* ---- Subcommands ----------------------------------------------------------------------------- */

struct tool_command {
	const char *name, *text; /* text: one line */
	int (*run)(int argc, char **argv);
};
extern const struct tool_command tool_commands[]; /* ends with name NULL */

int cmd_info(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_spmv(int argc, char **argv);
int cmd_spy(int argc, char **argv);
int cmd_bench(int argc, char **argv); /* bench.c */
int cmd_tune(int argc, char **argv);

#endif
