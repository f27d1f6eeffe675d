/* SPDX-License-Identifier: BSD-3-Clause
 * Cases and their records (record.c): a case is a problem, a record has the figures of one method
 * on it.
 */
#ifndef EK_BENCH_RECORD_H
#define EK_BENCH_RECORD_H

#include <evenkeel/ek.h>
#include <jansson.h>
#include <stdbool.h>

struct bench;

enum { MOST_CALLS = 8 }; /* most values that --calls of ek bench scenario and regret takes */
enum value {
#define FIELD(name, key, kind)        V_##name,
#define SPREAD_FIELD(name, key, kind) V_##name, V_##name##_P10, V_##name##_P90,
#define TEXT_FIELD(key, of, member, kind)
#include "fields.def"
#undef FIELD
#undef SPREAD_FIELD
#undef TEXT_FIELD
	/* Number of the values above, which have keys in JSON records; those below have none. */
	KEYED,
	V_MATRICES = KEYED,
	V_REFUSED,
	V_WORST, /* in sums: least speed relative to the best peer, else to plain CSR */
	V_WORST_CSR,
	V_WINS, /* in sums: number of matrices on which the method is the fastest of its kind */
	V_WINS_ALL,
	V_HARMONIC, /* in sums: harmonic means, of the speed relative to the unit and of Gflop/s */
	V_HARMONIC_GFLOPS,
	V_WITHIN_5, /* in sums of regrets: shares of matrices, quantiles, and their largest */
	V_WITHIN_20,
	V_MEDIAN,
	V_NINETIETH,
	V_LARGEST,
	V_TIES,
	V_SPEEDUP, /* first of MOST_CALLS speed-ups, one for each value of --calls */
	V_SPEEDUP_P10 = V_SPEEDUP + MOST_CALLS,
	V_SPEEDUP_P90 = V_SPEEDUP_P10 + MOST_CALLS,
	V_MOST_SPEEDUP = V_SPEEDUP_P90 + MOST_CALLS,
	VALUES = V_MOST_SPEEDUP + MOST_CALLS
};

/* RECORD_AUTO and RECORD_LEARNED are choices of the library. RECORD_MODEL is a part of a model that
 * is timed, or what a model computes from its parts. RECORD_BARE is the bare loop, whose record is
 * not kept. */
enum record_kind {
	RECORD_OURS,
	RECORD_AUTO,
	RECORD_LEARNED,
	RECORD_PEER,
	RECORD_BOUND,
	RECORD_MODEL,
	RECORD_BARE
};
#define KINDS_CHOICES (1u << RECORD_AUTO | 1u << RECORD_LEARNED)
#define KINDS_OURS    (1u << RECORD_OURS | KINDS_CHOICES)
#define KINDS_PEERS   (1u << RECORD_PEER)

/* The figures of one method on one problem. Texts that are not constants are made by keep(). */
struct record {
	enum record_kind kind;
	const char *name; /* name in tables, such as "heap d=8" */
	const char *method, *version;
	const char *chosen;     /* method that auto or learned chose; NULL for other methods */
	const char *format;     /* format, with its parameters if they are known */
	const char *parameters; /* those of the method in its plan, as in "t=64,w=16"; or NULL */
	const char *device;     /* "cpu", or the name of a device such as "cuda:0" */
	const char *isa;
	const char *counters_refused; /* why cache misses are not counted; NULL if they are */
	bool failed, refused;    /* refused: the method cannot do this problem, or lacks memory */
	const char *why;         /* reason for failure or refusal, else "" */
	const char *on, *on_csr; /* in sums: names of the matrices of V_WORST and V_WORST_CSR */
	double v[VALUES];        /* figures, indexed by enum value; NAN where one does not apply */
};

/* A problem, a matrix with its types or some arrays, with a record for each method. */
struct bench_case {
	const char *name, *matrix, *source, *variant, *group, *op, *value, *index;
	const char *device_name, *driver, *device_memory, *vectors; /* NULL without a device */
	const char *what;             /* what is computed from a matrix */
	const char *unit;             /* method that ratios are relative to */
	const char *bound;            /* name of the bound, or NULL */
	const char *best;             /* method that was the best, or NULL */
	const ek_device_info *device; /* NULL without a device */
	double bytes, flops; /* least bytes that a run moves; flops of a run, 0 if not counted */
	double gathered;     /* bytes of a product that reads x for each nonzero, 0 for others */
	double v[VALUES];
	struct record *record;
	int count;
};

/* Appends an empty case to bench->cases. */
struct bench_case *case_add(struct bench *bench);
/* Names the device of a case, unless info->size is 0: then there is none. */
void case_device(const struct bench *bench, struct bench_case *c, const ek_device_info *info);
/* Appends a copy of a record to a case, and returns the copy. */
struct record *record_add(struct bench_case *c, const struct record *record);
/* Returns a record without figures for the method called `prefix` followed by `name`. */
struct record record_start(enum record_kind kind, const char *prefix, const char *name);
/* Returns the name of a method without that of its operation. */
const char *method_short(const char *name);
/* Marks a record as refused, with the reason. */
void record_refuse(struct record *r, const char *why);
/* Returns a JSON object with the fields of a record and its case that `keys` names, separated by
 * blanks. */
json_t *record_object(const struct bench *bench, const struct bench_case *c, const struct record *r,
                      const char *keys);
/* Returns a JSON string, with what is not UTF-8 replaced; null for NULL. */
json_t *text_json(const char *text);
/* Writes the records of a case as JSON lines. Returns an exit code. */
int record_json(const struct bench *bench, const struct bench_case *c);
const char *value_key(enum value value);
/* Returns the text for a key of TEXT_FIELD in fields.def, or NULL. */
const char *text_of(const struct bench *bench, const struct bench_case *c, const struct record *r,
                    const char *key);

/* The two groups of Liu 2015, Table 8.4, extended to any matrix: a matrix is irregular if its
 * longest row is long both in absolute terms and compared with the mean. */
enum { GROUP_REGULAR, GROUP_IRREGULAR, GROUPS, ALL_GROUPS = GROUPS };
extern const char *const group_name[GROUPS];
const char *group_of(double row_max, double row_mean);
bool in_group(const struct bench_case *c, int group);
/* Fills bench->sums with a case for each group. The case has a record for each name in the group,
 * in order of appearance. Its values are geometric means over the group, unless op->sum replaces
 * them. */
void bench_sum_up(struct bench *bench);
/* Returns the record called `name`, or NULL. */
const struct record *case_record(const struct bench_case *c, const char *name);
/* Returns the record with the least time among those whose kind is in `kinds` (bits 1 << kind), or
 * NULL if none has a time. */
const struct record *case_best(const struct bench_case *c, unsigned kinds);
bool case_has(const struct bench_case *c, enum record_kind kind);
bool case_has_value(const struct bench_case *c, enum value value); /* whether a record has it */
int bench_disturbed(const struct bench *bench); /* counts the heavily disturbed cases */
/* A running geometric mean: the sum of the logarithms, and their number. */
struct mean {
	double sum;
	int count;
};
/* Adds a value to the mean, unless it is NAN or not above 0. */
void mean_add(struct mean *m, double ratio);
double mean_value(struct mean m); /* returns NAN for an empty mean */

#endif
