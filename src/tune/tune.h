/* SPDX-License-Identifier: BSD-3-Clause
 * Profiles of the machine and of its devices: the numbers in cost functions that `ek tune` measures
 * by running plans, the files that hold them, and which numbers are in force. */
#ifndef EK_TUNE_H
#define EK_TUNE_H

#include "plan/plan.h"

/* ---- tunable.c, tunable.def ------------------------------------------------------------------ */

enum { EKI_TUNED_MOST = 3 }; /* maximum number of numbers in a row */

/* A row of the profile: `count` doubles at an offset in eki_machine. */
typedef struct eki_tunable {
	char name[48];
	size_t offset;
	int count;
	double least, most; /* what is believed */
} eki_tunable;

/* Describes row k of the processor's profile. Returns false after the last row. */
bool eki_tunable_row(int k, eki_tunable *row);
/* Describes row k of the profile of a device, which may be a processor. Returns false after the
 * last row. */
bool eki_tunable_device_row(bool processor, int k, eki_tunable *row);
/* Returns the numbers of a row in a machine. */
static inline double *eki_tuned(eki_machine *m, const eki_tunable *row)
{
	return (double *)(void *)((char *)m + row->offset);
}

/* ---- subject.c ------------------------------------------------------------------------------- */

enum { EKI_PROFILE_PATH = 1024, EKI_PROFILE_WHY = 320 };

/* What a profile describes: the processor, or a device. */
typedef struct eki_subject {
	bool device, on_processor; /* a device; one that is a processor */
	char name[EKI_PROCESSOR];  /* by which the file knows it */
} eki_subject;

void eki_subject_processor(eki_subject *s);
/* Describes the device of a context if it has one, else the processor. */
void eki_subject_of(const ek_context *ctx, eki_subject *s);
/* Describes row k of its profile. Returns false after the last row. */
bool eki_subject_row(const eki_subject *s, int k, eki_tunable *row);
/* Appends to the path of the processor's profile what makes it the one of the subject: nothing, or
 * a dot and 16 hexadecimal digits, which differ from device to device. A path that names no file
 * stays as it is: it is "-", or an error when it is opened. Returns false if the path is too
 * long. */
bool eki_subject_path(const eki_subject *s, char path[EKI_PROFILE_PATH]);

/* ---- profile.c, profile_device.c, profile_file.c --------------------------------------------- */

/* A machine with its own name. */
typedef struct eki_profile {
	eki_machine machine;
	char name[64];
} eki_profile;

/* Finds the path of the processor's profile: EK_PROFILE, or the file in the user's cache folder.
 * Returns false if there is none. *given tells whether EK_PROFILE named it. If `make` is true,
 * makes the folder. */
bool eki_profile_path(char path[EKI_PROFILE_PATH], bool *given, bool make);
/* Returns the name of the stored profile of the context's device that is in force, such as
 * "measured 2026-11-25", or NULL if there is none. */
const char *eki_device_profile_name(const ek_context *ctx);
/* Reads the profile of a subject, whose numbers replace those of the family's table. Returns false
 * and writes the reason to `why` if it is not this version's or this subject's, or is damaged.
 * *missing tells whether there is no such file. */
bool eki_profile_read(const eki_subject *s, const char *path, eki_profile *out, bool *missing,
                      char why[EKI_PROFILE_WHY]);
/* Writes the profile of a subject. The file appears under its name only when it is complete. */
ek_status eki_profile_write(const ek_context *ctx, const eki_subject *s, const char *path,
                            const eki_profile *p);

/* ---- sample.c: matrices to measure with ------------------------------------------------------ */

/* Shapes of the patterns that the measurements use. */
typedef enum eki_shape {
	EKI_EVEN,      /* rows of `length` entries each, near the diagonal */
	EKI_RANDOM,    /* rows of `least` to `length` entries, drawn at random */
	EKI_BANDS,     /* `length` diagonals */
	EKI_SQUARES,   /* `length` blocks of `block` x `block` entries in each row of blocks */
	EKI_SCATTERED, /* rows of `length` entries anywhere */
	EKI_FAR,       /* the same, as many rows and columns as the caches ask for */
	EKI_SHAPES
} eki_shape;

typedef struct eki_pattern {
	eki_shape shape;
	int rows, cols, least, length, block;
} eki_pattern;

/* Makes a matrix with a pattern, the same in each call. */
ek_status eki_pattern_make(ek_context *ctx, const eki_pattern *pattern, ek_value value,
                           ek_matrix **A);

/* ---- time.c: timing -------------------------------------------------------------------------- */

/* A product that is timed again and again: a matrix, a plan, and its vectors. */
typedef struct eki_timed {
	ek_context *ctx;
	ek_matrix *A;
	ek_plan *plan;
	bool there; /* whether x and y are on the context's device */
	void *x, *y;
	int64_t x_len, y_len;
	double ns; /* the least time of a run so far */
} eki_timed;

/* Makes a context for measurements, with the library's heap, without a device, on `threads` threads
 * and with exactly this instruction set, whatever the environment says. */
ek_status eki_tune_context(int threads, ek_isa isa, ek_context **ctx);
/* Makes a product by a method, and a format with parameters or NULL. Its vectors are on the device
 * if the context has one. */
ek_status eki_timed_make(ek_context *ctx, const eki_pattern *pattern, ek_value value,
                         const char *method, const char *format, ek_op op, eki_timed *t);
void eki_timed_free(eki_timed *t);
/* Times runs for `budget` nanoseconds, at least three times, and keeps the least time. */
ek_status eki_timed_run(eki_timed *t, double budget);
/* Times a few batches of runs by the clock of the device, and keeps the least time of a run. A
 * batch takes `batch` nanoseconds, or as long as one run or a thousand. */
ek_status eki_timed_clock(eki_timed *t, double batch);
/* Predicts the time of a product on a machine, on one thread. */
ek_status eki_timed_predict(const eki_timed *t, const eki_machine *m, double *ns);
/* Returns the time in nanoseconds, from some fixed moment. */
double eki_tune_now(void);

/* ---- fit.c ----------------------------------------------------------------------------------- */

/* One measured time: the part of it that the unknown costs explain, and how often it has each. */
typedef struct eki_equation {
	double time, count[EKI_TUNED_MOST];
} eki_equation;

/* Finds costs that are not negative, so that the sum of the squares of the relative errors is least
 * (non-negative least squares of at most three unknowns, by trying all sets of those that are not
 * 0). A cost that no equation has keeps its value. */
void eki_fit(const eki_equation *e, int equations, int unknowns, double cost[EKI_TUNED_MOST]);

/* ---- loops.c, gather.c, bandwidth.c, device.c ------------------------------------------------ */

/* Effort of a measurement, and whom to tell how far it is. */
typedef struct eki_effort {
	int rounds;    /* passes over all measurements, of which the least times count */
	double budget; /* nanoseconds for each product in a pass */
	int64_t most;  /* bytes of the largest array that is read */
	void (*progress)(void *user, int done, int of);
	void *user;
	int done, of;
} eki_effort;

void eki_effort_step(eki_effort *e);
/* Returns the number of steps that eki_tune_costs makes. */
int eki_tune_steps(const eki_effort *e, ek_isa most);
/* Measures bandwidths, and the costs of loops, blocks and calls at all levels up to `most`,
 * gathering as m->loads says, and stores them in `m`. */
ek_status eki_tune_costs(eki_effort *e, int threads, ek_isa most, eki_machine *m);
enum { EKI_BANDWIDTHS = 3 }; /* steps of eki_tune_bandwidths */
/* Measures the bandwidths, of one thread and of `threads` threads, and raises those in `m` to them.
 * Lowers *least_wake to the time that waking a thread takes. */
ek_status eki_tune_bandwidths(eki_effort *e, int threads, ek_isa isa, eki_machine *m,
                              double *least_wake);
/* Times products by loads and by gather instructions of a level. *ratio is the geometric mean of
 * the time by loads divided by that by the instruction. */
ek_status eki_tune_gather(int rounds, double budget, ek_isa level, double *ratio);
/* Returns the number of steps that eki_tune_device makes. */
int eki_tune_device_steps(const eki_effort *e, const eki_subject *s);
/* Measures the numbers of the device that `ctx` has, and stores them in `m`. */
ek_status eki_tune_device(eki_effort *e, ek_context *ctx, const eki_subject *s, eki_machine *m);

#endif
