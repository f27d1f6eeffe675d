/* SPDX-License-Identifier: BSD-3-Clause
 * Products with one matrix that the processor and the context's device do together (co-execution),
 * for methods with the trait EKI_TOGETHER. All of it is independent of the operation, as long as
 * that multiplies the rows of A one by one.
 *
 *   pieces.c   pieces of the rows of A, each a child step of both sides
 *   share.c    which piece is whose: speeds, lines of x, falling back to one side
 *   times.c    the speeds, measured or predicted
 *   cut.c      the rules of that: where to cut, and in how many chunks the device does its rows
 *   lines.c    which lines of x the rows of A need
 *   balance.c  the rule that moves pieces from one side to the other between runs
 *   explain.c  what ek_plan_explain says of all that
 *   run.c      a run: the device works and copies while the processor works
 *   batches.c  matrices that do not fit the device go through it in batches */
#ifndef EK_BOTH_BOTH_H
#define EK_BOTH_BOTH_H

#include "gpu/gpu.h"

enum { EKI_DEVICE_SIDE, EKI_HOST_SIDE, EKI_SIDES };
enum {
	EKI_MOVABLE = 6, /* pieces that runs may move from one side to the other */
	EKI_PIECES = EKI_MOVABLE + 2,
	EKI_CHUNKS = 6, /* most pieces that are always the device's */
	EKI_MOST_PIECES = EKI_CHUNKS + EKI_MOVABLE + 1,
	EKI_RANGES = 32,            /* most parts of x with gaps between them that are copied */
	EKI_COPIES = 2 * EKI_RANGES /* most copies of x, since parts are cut between chunks */
};

/* ---- balance.c ------------------------------------------------------------------------------- */

/* The search for the number of pieces that the device should do. */
typedef struct eki_balance {
	int least, most; /* the numbers that are possible */
	int now;         /* the number that the next run should use */
	bool settled;    /* true once `now` stays as it is */
	struct {
		int runs;
		double seconds, waited; /* of the fastest run */
	} at[EKI_MOST_PIECES + 1];
} eki_balance;
enum { EKI_BALANCE_RUNS = 3 }; /* runs with one number, of which the fastest counts */

/* Notes that a run with b->now pieces on the device took `seconds`. In the last `waited` seconds of
 * these, the processor had nothing left to do and waited for the device. */
void eki_balance_note(eki_balance *b, double seconds, double waited);
/* Cuts rows around the bound number `at`: in `chunks` pieces that are always the device's and, if
 * runs may move some, in EKI_MOVABLE small ones around the cut, and in one that is always the
 * processor's. With these small ones there are fewer chunks if some would be shorter than the work
 * between two bounds. Sets begin[k] to the row where piece k begins, begin[pieces] to `rows`, and
 * *b to a search that begins with the pieces above the cut, and whose b->least is the number of
 * chunks. Returns the number of pieces. */
int eki_balance_cut(const int64_t *bound, int at, int64_t rows, bool moves, int chunks,
                    int64_t *begin, eki_balance *b);
/* Returns the number, at least 1, of the bound up to which rows are always the device's. */
int eki_balance_fixed(int at, bool moves);
/* Returns the nanoseconds that method `m` took, or what a test says in their place: ctx->timing. */
double eki_balance_timed(const eki_step *step, const ek_method *m, bool waits, int64_t ns);
/* Notes a run of the step that took `ns` nanoseconds, and in which the processor waited. */
void eki_balance_run(const eki_step *step, eki_balance *b, int64_t ns, int64_t waited);
/* Writes how many of the pieces are the device's now, for ek_plan_explain. */
void eki_balance_report(const eki_step *step, const eki_balance *b, int pieces, char *text,
                        size_t size);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* The parts of x, of `span` entries each, that rows of A read. With vectors a line is one of the
 * cache; with blocks it is at least a row of X. */
typedef struct eki_lines {
	int64_t count, span;
	/* For each line, the number of the first part of the rows that reads it; 255 if none does.
	 * NULL until a cut is looked for. */
	_Atomic uint8_t *first;
} eki_lines;
enum { EKI_NO_PART = 255 };

enum { EKI_SHARES = 128 }; /* parts of equal work between which the rows may be cut */

/* The parts of all work, of all lines of x and of all rows, from 0 to 1, that the rows above a cut
 * take. */
typedef struct eki_above {
	double work, lines, rows;
} eki_above;

/* Sets lines->span and lines->count for a step. */
void eki_lines_size(const eki_step *step, eki_lines *lines);
/* Finds which lines the rows [begin[k], begin[k + 1]) of A read, for k from 0 to parts - 1; `parts`
 * is at most 254. lines->first has lines->count elements. */
void eki_lines_find(const eki_step *step, const ek_store *A, const int64_t *begin, int parts,
                    eki_lines *lines);
/* Finds what the rows above each cut take, from the lines of EKI_SHARES parts, of which part k
 * begins at row bound[k]. */
void eki_lines_above(const eki_lines *lines, const ek_store *A, const int64_t bound[EKI_SHARES + 1],
                     eki_above above[EKI_SHARES + 1]);

typedef struct eki_range {
	int64_t begin, end; /* entries of x, or rows of X */
	int part;           /* the first part of the rows that reads some of these */
} eki_range;
/* Lists ranges, none of which overlap, that contain all lines which the first `parts` parts read,
 * with gaps between them as the number of ranges allows. If `cuts` is false they are not cut where
 * the part changes, and `part` is that of the first line. Returns their number, at most
 * EKI_COPIES. */
int eki_lines_ranges(const eki_lines *lines, int parts, int64_t x_len, bool cuts, eki_range *range);

/* ---- cut.c ----------------------------------------------------------------------------------- */

/* What a cut is chosen from, in seconds: a product by the device with x and y there, a copy of all
 * of x to the device, one of y back, and a product by the processor. And the numbers of chunks that
 * are possible, where 0 means 1, and whether all of x goes before the first kernel. */
typedef struct eki_speeds {
	double device, to, back, host;
	int least, most;
	bool early;
} eki_speeds;
/* Returns the number, from 1 to EKI_SHARES - 1, of the cut at which both sides together need the
 * least time, and sets *seconds to that time. The device does the rows above the cut. */
int eki_best_cut(const eki_speeds *speeds, const eki_above above[EKI_SHARES + 1], double *seconds);
/* Returns the seconds that the device needs for the rows above cut `at` in n chunks, with a price
 * for each chunk more. */
double eki_chunk_time(const eki_speeds *speeds, const eki_above *above, int at, int n);
/* Returns the number of chunks in which the device should do the rows above cut `at`. */
int eki_chunks(const eki_speeds *speeds, const eki_above above[EKI_SHARES + 1], int at);
/* Tells whether a product by both sides that takes `both` seconds is worth it, if the faster side
 * alone takes `alone`. */
bool eki_both_pays(double both, double alone);

/* ---- The state of a step --------------------------------------------------------------------- */

/* A piece of the rows of A, which ends where the next one begins. */
typedef struct eki_piece {
	int64_t begin;
	ek_store view;
	ek_store copy[EKI_SIDES];  /* in the format that a side chose; format NULL if in CSR */
	eki_step *step[EKI_SIDES]; /* NULL if the piece has no rows, or is never done there */
	eki_buffer *y; /* its part of Y on the device, where that cannot be part of a whole Y */
} eki_piece;

typedef struct eki_both {
	const ek_method *batches; /* method that multiplies on the device by batches */
	int64_t batch;            /* bytes of a batch if they were asked for, else 0 */
	bool streams;             /* whether the device multiplies by batches */
	/* The plan before pieces were made, and before those were prepared for the processor. */
	eki_mark mark, device_mark;
	int pieces;
	int first; /* number of pieces that the device does for vectors of the host */
	/* number of these that are always the device's; with one side alone 0, unless the device
	 * does all rows in chunks */
	int chunks;
	eki_piece piece[EKI_MOST_PIECES];
	eki_lines lines;
	/* Ranges of x that the first `ranged` pieces read, and their number. */
	eki_range range[EKI_COPIES];
	int ranges, ranged;
	char *x, *y; /* packed copies of X and Y on the host, or NULL if there is no use for them */
	bool pinned; /* whether vectors go by way of x and y, which are pinned, to be copied while
	              * the processor works */
	bool moves;  /* whether runs may change `first`, as `balance` says */
	eki_balance balance;
} eki_both;

/* What was found out about a product. */
typedef struct eki_times_found {
	bool measured, both_measured;
	eki_speeds speeds;
	double device, host, both; /* seconds of a product */
	double chunks;             /* the same by the device alone in chunks; 0: not measured */
} eki_times_found;

/* ---- times.c --------------------------------------------------------------------------------- */

/* Finds the times of both sides alone, for a step that has one piece: measures them if t->measured
 * is true. */
ek_status eki_times_alone(const eki_step *step, eki_times_found *t);
/* Measures the seconds of a product with the first `first` pieces on the device. */
ek_status eki_times_pieces(const eki_step *step, int first, double *seconds);

/* ---- share.c: the choice --------------------------------------------------------------------- */

/* Makes the pieces of a step, and decides which are the device's. */
ek_status eki_share_choose(eki_step *step);

/* ---- pieces.c -------------------------------------------------------------------------------- */

/* Sets *view to rows [begin, begin + rows) of a matrix in CSR, but for their row pointers, which
 * are still those of the matrix. */
void eki_rows_shape(const ek_store *A, int64_t begin, int64_t rows, ek_store *view);
/* Sets the row pointers of such a view, for which there is memory, so that they start at 0. */
void eki_rows_pointers(const ek_store *A, int64_t begin, ek_store *view);
/* Makes a view of rows [begin, begin + rows) of a matrix in CSR. Unless begin is 0, the step gets a
 * copy of their row pointers, which start at 0. */
ek_status eki_rows_view(eki_step *step, const ek_store *A, int64_t begin, int64_t rows,
                        ek_store *view);
/* Cuts A into `pieces` pieces that begin at the rows `begin`, and prepares all for the device and
 * those from number `host` on for the processor. If the device has too little memory, it will
 * multiply by batches. Pieces that were made before are undone. */
ek_status eki_pieces_make(eki_step *step, const int64_t *begin, int pieces, int host);
/* Undoes what pieces were prepared for on the processor. */
void eki_pieces_drop_host(eki_step *step);
/* Gives the children of a step new values. */
ek_status eki_pieces_refresh(eki_step *step);
int64_t eki_piece_rows(const eki_step *step, int k);

/* ---- explain.c ------------------------------------------------------------------------------- */

/* Say which rows are whose and `how` that was found, in how many chunks the device does its rows,
 * the times that were found, and which methods both sides use. */
ek_status eki_both_say_share(eki_step *step, const char *how);
ek_status eki_both_say_chunks(eki_step *step);
ek_status eki_both_say_times(eki_step *step, const eki_times_found *t);
ek_status eki_both_say_methods(eki_step *step);

/* ---- The methods ----------------------------------------------------------------------------- */

/* Prepares a step with the parameters EKI_BOTH_PARAMS. */
ek_status eki_both_prepare(eki_step *step, const ek_method *batches);
/* Runs a step with s->first pieces on the device, or with all of them there if a vector is. */
ek_status eki_both_run(const eki_step *step, const eki_run *v);
void eki_both_report(const eki_step *step, char *text, size_t size);
/* Waits for what a run that failed has put into the queues, which uses the caller's memory. Returns
 * `status`, whose message stays. */
ek_status eki_both_drain(eki_device *dev, ek_status status);
/* The parameters of the methods, in this order. */
#define EKI_BOTH_PARAMS                                                               \
	{                                                                             \
		{"share", 1, 999, "thousandths of the work that the processor does"}, \
			{"batch", 64, INT32_MAX,                                      \
		         "bytes of a batch, in which A goes to the device"},          \
			{"side", 1, 2, "1: the device does all, 2: the processor"},   \
		{                                                                     \
			"chunks", 1, EKI_CHUNKS,                                      \
				"parts of the device's rows, copied one beside the "  \
				"product of another"                                  \
		}                                                                     \
	}
enum { EKI_SHARE_PARAM, EKI_BATCH_PARAM, EKI_SIDE_PARAM, EKI_CHUNKS_PARAM };

/* ---- batches.c ------------------------------------------------------------------------------- */

/* The entries of A in batches of `entries` each; the last one may have fewer. Batch b is in buffer
 * b % 2. */
typedef struct eki_both_batches {
	int64_t entries, count;
	eki_buffer *col[2], *val[2];
	void *kernel;
} eki_both_batches;

/* A batch in the device's memory: the entries [begin, end) of A, which are in rows [first, last).
 * Only the first of these rows may have begun in the batch before. */
typedef struct eki_batch {
	int64_t begin, end, first, last;
	const eki_buffer *col, *val;
} eki_batch;
eki_batch eki_batch_of(const ek_store *A, const eki_both_batches *b, int64_t k);

/* Prepares a step: allocates the buffers for batches of `bytes` bytes, or of a usual size if that
 * is 0, compiles `text`, and makes the kernel `name`. */
ek_status eki_batches_prepare(eki_step *step, int64_t bytes, const char *name, const char *defines,
                              const char *text);
/* Sends the batches one after the other, each while the one before is multiplied, and calls
 * `launch` for each. */
typedef ek_status eki_batch_fn(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                               const eki_batch *batch);
ek_status eki_batches_run(const eki_step *step, const eki_run *v, const eki_gpu_vectors *on,
                          eki_batch_fn *launch);

#endif
