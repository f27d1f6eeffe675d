/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the files of `ek reproduce` share. An experiment is a table or a figure of one
 * of the works that the library implements. The files works/NAME.json list the experiments of each
 * work (works.c): what to measure, what to draw, what the work reports. A step is one command
 * `ek bench ...` on one matrix (steps.c). Its records are kept in a file, so that a run that was
 * cut off goes on where it stopped, and so that experiments share steps (store.c). From the records
 * come the charts (chart.c) and a verdict on each claim of the work (claims.c), for the terminal
 * (tell.c), for the page (page.c, reproduce.js) and for papers (plot.c).
 */
#ifndef EK_REPRODUCE_H
#define EK_REPRODUCE_H

#include <jansson.h>
#include <stdbool.h>

#include "../bench/bench.h"

/* ---- What is wanted -------------------------------------------------------------------------- */

/* How much is measured: all that the works did, a selection for ten minutes, or tiny problems that
 * only show that everything runs. */
enum mode { MODE_FULL, MODE_QUICK, MODE_TOY, MODES };
extern const char *const mode_name[MODES];

/* Which records of the wanted experiments --again forgets. */
enum again { KEEP_ALL, FORGET_ALL, FORGET_DISTURBED };

struct wanted {
	struct tool_options common;
	enum mode mode;
	const char *device; /* of steps that need one: --device, else that of the records there */
	const char *isa;    /* that --isa or EK_ISA allow, or NULL */
	bool bind;          /* --bind or EK_BIND */
	const char *folder; /* where records and the page are kept */
	const char *plots;  /* --plots: "pdf", "png" or "svg", or NULL */
	const char *works;  /* --works: a folder with descriptions of works, or NULL for ours */
	double minutes;     /* no step begins after that; 0: no limit */
	enum again again; /* which records are forgotten before anything is measured */
	bool list;
	char **names; /* works and experiments, none for all */
	int count;
};

/* ---- Works and experiments (works.c) --------------------------------------------------------- */

struct step {
	/* What follows `ek bench`, the matrix at the end, with quotes as for a shell. */
	const char *command;
	bool device; /* whether it needs --device */
	bool beside; /* whether its records are only for charts that ask for them */
};

struct experiment {
	const char *name; /* "thesis.8.13" */
	json_t *work;     /* the file that it is from */
	json_t *json;     /* its own object there */
	struct step *step;
	int steps;
	bool wanted; /* whether the user named it, or none */
};

struct works {
	json_t *files; /* array of the objects of all files */
	struct experiment *experiment;
	int count;
};

/* Reads the descriptions of all works, and marks the experiments whose work or name is in
 * wanted->names. Reports mistakes in descriptions and names, and returns an exit code. */
int works_read(struct works *works, const struct wanted *wanted);
void works_free(struct works *works);
const char *experiment_text(const struct experiment *e, const char *key); /* "" if it has none */

/* ---- Steps (steps.c) ------------------------------------------------------------------------- */

/* Fills in the steps of an experiment. Returns an exit code. */
int steps_make(struct experiment *e, const struct wanted *wanted);

/* ---- Records (store.c) ----------------------------------------------------------------------- */

/* The records of all steps that ended, by their commands: an object of arrays. A step that failed
 * has no records and is in `failed`, with the reason. The keys of `asked` are the experiments that
 * any call asked for. */
struct store {
	char path[PATH_BYTES];
	int file; /* its descriptor, locked; -1 if there is none */
	json_t *records, *failed, *asked;
};

/* Makes the folder if need be, and reads the records that earlier runs left there. A step whose
 * records are incomplete is left out. Refuses records of another machine, and a folder in which
 * another run is at work. With wanted->list changes nothing. */
int store_open(struct store *store, const struct wanted *wanted);
/* Adds the records of a step, which it takes over, in one write that reaches the disk. */
int store_add(struct store *store, const char *command, json_t *records, double seconds);
/* Forgets the records of `count` steps, and that they failed. */
int store_forget(struct store *store, const char *const *command, int count);
/* Returns the text of a key in the first record that has it, or NULL. */
const char *store_first(const struct store *store, const char *key);
/* Returns the device of the steps that are there, or NULL. */
const char *store_device(const struct store *store);
/* Notes the experiments that this call wants. */
int store_ask(struct store *store, const struct works *works);
/* Notes that a step failed, so that later runs do not repeat it. */
int store_fail(struct store *store, const char *command, const char *why);
void store_close(struct store *store);

/* ---- Running (child.c, words.c) -------------------------------------------------------------- */

/* Returns a word as it must stand in a command: in quotes if it has blanks or other special
 * characters. */
const char *word_quoted(const char *word);
enum { MOST_WORDS = 64 };
/* Splits a command into its words, in place, with a NULL behind the last. Returns NULL, or what is
 * wrong with it. */
const char *words_split(char *command, char *word[MOST_WORDS]);
/* Runs `ek bench COMMAND` as a process of its own and returns its records. If it fails, or takes
 * more than `limit` seconds, returns NULL and stores the reason in *why. */
json_t *child_run(const char *command, double limit, const char **why);

/* ---- What the records say (judge.c, interval.c) ---------------------------------------------- */

enum mean_kind { HARMONIC, GEOMETRIC, ARITHMETIC, MEDIAN, MOST, MEANS };
extern const char *const mean_name[MEANS];
/* Returns the kind that a word names, MEANS if none has that name; and the kind that the key "mean"
 * of an object names, `otherwise` if it has none. */
enum mean_kind mean_called(const char *name);
enum mean_kind mean_named(const json_t *o, enum mean_kind otherwise);
double mean_of(enum mean_kind kind, const double *value, int count); /* NAN if count is 0 */

/* Returns all records of an experiment's steps that match the filters; either may be NULL. The
 * caller frees the array. */
json_t *records_of(const struct experiment *e, const struct store *store, const json_t *where,
                   const json_t *also);
/* Appends the records of those steps that are only shown beside, if `where` is not NULL. */
void records_beside(const struct experiment *e, const struct store *store, const json_t *where,
                    json_t *list);
/* Returns the value of a key as a number, or NAN; some values are derived from others. */
double record_number(const json_t *record, const char *key);
/* Returns the value of a key as text. "name" is the method, with the arity of its heaps if it has
 * some, "method_name" the method without parameters. */
const char *record_text(const json_t *record, const char *key);
bool record_is_ours(const json_t *record);
/* Tells whether a value is the wanted one, or one of a wanted array; null is wanted of what is not
 * there. */
bool is_value(const json_t *value, const json_t *want);
/* Returns text that is the same for records of the same problem: the values of the keys that
 * describe problems, except those in the array `across`. The caller frees it. */
char *record_problem(const json_t *record, const json_t *across);

/* A mean of ratios and its 95 % interval, which is known if the errors of all records are
 * (interval.c). */
struct interval {
	double at, low, high;
	bool known;
};
/* Returns the number that belongs to a key: that with the suffix, which in "speedup.50" follows the
 * name of the object. */
double record_spread(const json_t *record, const char *key, const char *suffix);
/* Returns half of the 95 % interval of the logarithm of a record's value; infinity if it is not
 * known, as from one or two rounds; 0 for what is counted. */
double interval_error(const json_t *record, const char *key);
/* Returns the mean of `count` ratios whose logarithms have these errors. */
struct interval interval_of(enum mean_kind kind, const double *ratio, const double *error,
                            int count);
/* Tells whether the values of a key are rates, which go down as times go up; and whether more of
 * them is better (front.c). */
bool is_rate(const char *key);
/* Tells whether the values of a key are counted, so that they have no error. */
bool is_counted(const char *key);
bool more_is_better(const char *key);

/* ---- Claims (pairs.c, claims.c) -------------------------------------------------------------- */

/* What was found for a claim: pairs of records, those of twins among them, those whose two sides
 * are of different steps, and pairs that are left out because they were disturbed. `lacking` is the
 * side without records, or NULL; `no_error` says why the interval is not known. */
struct found {
	struct interval interval;
	int cases, twins, apart, disturbed;
	const char *lacking, *no_error;
};
struct found find_ratio(const struct experiment *e, const struct store *store, const json_t *claim);
bool record_is_twin(const json_t *record);
/* Returns why the error of a record's value is not known. */
const char *why_no_error(const json_t *record, const char *key);
/* Tells whether other processes disturbed the measurement of a value of a record too much. Counts,
 * such as bytes, are not disturbed. */
bool value_is_disturbed(const json_t *record, const char *key);

enum verdict { HOLDS, TIES, FAILS, UNKNOWN, VERDICTS };
extern const char *const verdict_name[VERDICTS];
/* Returns the verdicts on the claims and numbers of an experiment: an array of objects with the
 * members text, page, published, here, low, high, cases, verdict and sentence. */
json_t *claims_judge(const struct experiment *e, const struct store *store);

/* ---- Charts (chart.c, chart_mean.c) ---------------------------------------------------------- */

/* Returns the charts of an experiment: an array of objects with the members title, kind, x, y, log,
 * spread and series, which have the members name, role, mean, points and perhaps back. */
json_t *charts_make(const struct experiment *e, const struct store *store);
/* Tells whether a chart is of this kind. */
bool chart_is(const json_t *chart, const char *kind);
/* Returns a JSON number that keeps all digits of whole ones. */
json_t *exact_json(double value);
/* Adds the interval in which a value is to its point in a chart, if it is known. */
void point_interval(json_t *point, double low, double high);
/* Add the mean of its y to each series; replace the points of all series by means over matrices. */
void means_of_series(enum mean_kind kind, json_t *series);
void means_over_matrices(enum mean_kind kind, json_t *series);

/* Marks those series of a crowded chart that are drawn behind the others with the member "back"
 * (front.c). `key` is that of their y. */
void front_mark(const struct experiment *e, const char *key, json_t *series);
/* Replaces the points of the series of a chart, times by problem, by performance profiles
 * (profile.c). Leaves out the problems at which others disturbed the measurement, unless all are,
 * and returns how many those are. */
int profile_make(json_t *series);

/* ---- The terminal (tell.c) ------------------------------------------------------------------- */

/* What became of the steps of an experiment. */
struct tally {
	int measured, there, failed, device, later;
};
/* Tell whether the records of a step are there, whether it is known to fail, and whether this call
 * can measure it. */
bool is_there(const struct store *store, const struct step *step);
bool is_failed(const struct store *store, const struct wanted *wanted, const struct step *step);
bool is_to_measure(const struct store *store, const struct wanted *wanted, const struct step *step);
/* Tell how many steps there are to measure; what became of an experiment, in one line, and its
 * claims if the user named experiments; the experiments and how many of their steps are there;
 * whether other libraries took part; which steps failed, which results are wrong, and the sum of
 * the verdicts. Two add records to the file of --json or the verdicts to `count`, and return exit
 * codes; the last returns how many results of our methods are wrong. */
void tell_start(const struct works *works, const struct store *store, const struct wanted *wanted);
int tell_experiment(const struct experiment *e, const struct store *store,
                    const struct wanted *wanted, const struct tally *tally, int count[VERDICTS]);
int tell_list(const struct works *works, const struct store *store, const struct wanted *wanted);
void tell_peers(const struct store *store, const struct wanted *wanted);
int tell_end(const struct works *works, const struct store *store, const struct wanted *wanted,
             const int count[VERDICTS]);
/* Returns why results of a step are wrong or were not computed, by method and matrix. Such methods
 * have no times, so that charts and claims are without them. The caller frees it. */
json_t *wrong_results(const struct store *store, const struct step *step);

/* ---- The page (page.c, place.c, disturbed.c) ------------------------------------------------- */

/* Returns where, when and with what the records of the works' steps were measured. */
const char *place_of(const struct works *works, const struct store *store);
/* Returns an object with the records of the steps of all experiments: the file may have others, of
 * steps that no experiment asks for any more. The caller frees it. */
json_t *place_records(const struct works *works, const struct store *store);

/* If other processes disturbed most of the records of some experiments, adds two members to the
 * page: "disturbed", a sentence that says so, and "again", the command that measures them again. */
void disturbed_tell(json_t *page, const struct works *works, const struct store *store,
                    const struct wanted *wanted);

/* Writes index.html into the folder, with the experiments that any call asked for and all others
 * that have records. Returns an exit code. */
int page_write(const struct works *works, const struct store *store, const struct wanted *wanted);

/* Draws each chart to a file of its own in the folder, NAME-1.pdf and so on (plot.c). Returns an
 * exit code. */
int plots_write(const struct works *works, const struct store *store, const struct wanted *wanted);

#endif
