/* SPDX-License-Identifier: BSD-3-Clause
 * Problems (what is asked for), plans (how it is done: a tree of steps, each a prepared method),
 * and runs (the arguments of one call). */
#ifndef EK_PLAN_H
#define EK_PLAN_H

#include <stdarg.h>

#include "cost/cost.h"
#include "matrix/matrix.h"

#define EKI_MAX_MATRICES 3 /* maximum number of sparse operands */

typedef struct eki_step eki_step;
typedef struct eki_selection eki_selection;

/* ---- Operations: operations.c, operations.def ------------------------------------------------ */

typedef struct eki_problem eki_problem;

/* A row of the table of operations. */
typedef struct eki_operation {
	const char *name; /* the names of its methods begin with this name */
	const char *text; /* line that says what the operation computes */
	ek_operation number;
	/* default number of columns of its dense blocks, or 0 if it takes contiguous vectors */
	int width;
	int matrices; /* number of sparse operands; 0 for primitives on arrays (without plans) */
	/* Refuses operands that the operation cannot take. NULL for primitives. */
	ek_status (*check)(const eki_problem *problem);
	/* Calls eki_plan_operand for each store of the root step. NULL for operations on one
	 * matrix, whose store and format eki_plan_choose finds. */
	ek_status (*operands)(ek_plan *plan);
	bool limited; /* whether hints.memory is a hard limit on all that is allocated besides C */
	bool measured; /* whether plans with hints.measure try several methods */
	/* For primitives: checks the contents of the arrays, in time proportional to their lengths,
	 * before a method runs. Not called with EK_TRUSTED. NULL if there is nothing to check, or
	 * if the methods check it themselves. */
	ek_status (*contents)(const eki_array *array);
} eki_operation;

/* Returns the row of the operation with that number, or NULL if there is none. */
const eki_operation *eki_operation_row(ek_operation number);

/* The problem that a plan solves. It is constant as long as the plan lives. */
struct eki_problem {
	const eki_operation *operation;
	struct {
		const ek_matrix *M;
		ek_op op;
	} A[EKI_MAX_MATRICES];
	int64_t calls;  /* expected number of runs */
	bool announced; /* whether hints.calls says so */
	int64_t memory; /* limit on memory in bytes, as in ek_hints */
	int64_t width;  /* expected number of columns of dense blocks; 1 for vectors */
	ek_index index; /* index type of a sparse result */
	/* index type of all operands in the steps; its columns have the type of those of `index` */
	ek_index common;
	ek_reproducible reproducible;
	bool unsorted; /* whether columns in a row of a sparse result may have any order */
	/* whether A is wanted by columns: hints.format is csc or, if it is NULL, A is in csc */
	bool columns;
	/* whether runs may move work between processor and device: hints.measure, in a context for
	 * both */
	bool balances;
	/* The method that the library chose first, for which the device has too little memory, or
	 * NULL. Then `batches` tells whether a method that sends A there in batches is tried;
	 * otherwise the processor does it. */
	const ek_method *refused;
	bool batches;
};

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A dense block. Entry (i, j) is data[row * i + col * j]. */
typedef struct eki_dense {
	void *data;
	int64_t row, col;
	int where; /* as in ek_dense: 0 or EK_ON_DEVICE; always 0 for methods on the processor */
} eki_dense;

/* The arguments of one run. Products with dense blocks compute Y = alpha op(A) X + beta Y0;
 * products of sparse matrices, C = alpha A B + beta D. Primitives use `array` alone. */
typedef struct eki_run {
	eki_dense x, y;
	/* Block that beta multiplies: y itself, or a block that does not overlap y. For methods on
	 * devices it is always y. */
	eki_dense y0;
	int64_t width; /* number of columns of x and y */
	eki_scalar alpha, beta;
	/* Sparse result, in CSR. If it has arrays, an earlier run of the plan made them, and only
	 * the values are written. Otherwise the run allocates and fills all arrays. */
	ek_store *C;
	struct eki_sparse_run *sparse; /* sparse vectors (spmspv/spmspv.h) */
	const eki_array *array;
	const void *aux; /* `aux` of the step that is run, for its kernels */
	/* x and y in the memory of the device, if the parent step has copied them there; else NULL,
	 * and the step copies them itself. */
	const struct eki_gpu_vectors *there;
	char *scratch; /* scratch of this run alone; steps use offsets from eki_step_scratch */
} eki_run;

/* ---- Methods: methods.c, methods.def --------------------------------------------------------- */

enum { /* traits of a method */
       EKI_OP_N = 1,
       EKI_OP_T = 2,
       EKI_STRICT = 4, /* results have the same bits for all thread counts and instruction sets */
       EKI_SERIAL = 8, /* uses one thread whatever the plan says */
       /* The method can read columns that are numbered from store->base: EKI_BASE1_N for op N,
        * EKI_BASE1_T for op T. For op N, the pointer to x is then moved back by store->base
        * entries. */
       EKI_BASE1_N = 16,
       EKI_BASE1_T = 32,
       /* A method on a device that also reads or writes the vectors on the host. It is never chosen
        * for a child, whose parent may have brought the vectors to the device. */
       EKI_ON_BOTH = 64,
       /* Besides, the method divides products with host vectors between processor and device so
        * that both work at once. Chosen automatically in contexts for both kinds of core, and only
        * there. */
       EKI_TOGETHER = 128,
       /* A method on a device that has a part of A there at a time. Chosen automatically if the
        * device has too little memory for the method that was chosen first, and only then. */
       EKI_BATCHES = 256,
       /* A method without `cost` that is the fastest for some matrices all the same. Plans with
        * hints.measure try it, after those that have predictions, if `worth_trial` allows it. */
       EKI_TRIED = 512
};

/* A row of the table of methods. */
struct ek_method {
	const char *name, *text, *source;
	ek_operation operation;
	const ek_format *format[EKI_MAX_MATRICES]; /* format of each operand, or NULL for any */
	/* Integer parameters of the method. step->param has their values: 0 for a parameter that is
	 * not given, EKI_ZERO for one that is given as 0. `prepare` of a method with plans replaces
	 * them by the values that the method works with. */
	ek_format_param param[EKI_MAX_DIMS];
	unsigned backend, traits;
	/* If this is true and A is not in `format`, step->in is A in CSR. `prepare` then makes the
	 * arrays of the format itself, with the parameters in step->dim. */
	bool from_csr;
	/* Tells whether the method can multiply with a store. NULL if it can multiply with every
	 * store. */
	bool (*applies)(const ek_store *store, ek_op op);
	/* Predicts, by eki_cost, the time of one run in nanoseconds, plus the time of the
	 * preparation divided by the expected calls. NULL if the method is never chosen
	 * automatically. */
	double (*cost)(const eki_features *f);
	/* Predicts the number of bytes that the step holds in addition to its stores. NULL if this
	 * number is small. */
	double (*memory)(const eki_features *f);
	/* For EKI_TRIED: tells whether the method may be the fastest for a root step, which has its
	 * stores. NULL if it may be for all. */
	bool (*worth_trial)(const eki_step *step);
	/* Prepares a step (the inspector). NULL if there is nothing to prepare. */
	ek_status (*prepare)(eki_step *step);
	/* Takes over new values of step->in, whose pattern is unchanged. Children of the step are
	 * refreshed afterwards. NULL if the step itself keeps no values. */
	ek_status (*refresh)(eki_step *step);
	/* Does one run (the executor). Any number of threads may call it at once, since its
	 * temporaries are in run->scratch. */
	ek_status (*run)(const eki_step *step, const eki_run *run);
	/* Writes to `text`, for ek_plan_explain, what runs have found out. NULL if there is nothing
	 * to say. */
	void (*report)(const eki_step *step, char *text, size_t size);
};

/* Returns row k of the table of methods, or NULL after the last. Unlike ek_method_next, it does not
 * search the table. */
const ek_method *eki_method(size_t k);
/* Parses a method's name and its parameters, which may follow a colon (method_name.c). The name may
 * omit the operation if that is unambiguous. Unless `operation` is 0, the method must be for this
 * operation. Error messages begin with `from`. */
ek_status eki_method_parse(const char *from, const char *text, ek_operation operation,
                           const ek_method **method, int64_t param[EKI_MAX_DIMS]);

/* ---- forced.c -------------------------------------------------------------------------------- */

enum {
	EKI_OPERATIONS = 1 /* 1 + number of operations, since they are numbered from 1 */
#define OPERATION(o) +1
#include "plan/operations.def"
#undef OPERATION
};

/* The method that EK_METHOD names for one operation and one op. */
typedef struct eki_forced {
	const ek_method *method; /* method that EK_METHOD names, or NULL if it names none */
	int64_t param[EKI_MAX_DIMS];
	bool one_op; /* true if the entry of EK_METHOD named the op */
} eki_forced;

/* Returns the method that EK_METHOD names for an operation, or NULL if it names none. If the
 * operation is a product, the method is that for the given op on A. */
const eki_forced *eki_forced_of(const ek_context *ctx, ek_operation operation, ek_op op);

#include "plan/step.h"

/* ---- Plans: plan.c, choose.c, operands.c, memory.c ------------------------------------------- */

/* Blocks of memory that are freed together. */
typedef struct eki_arena {
	struct {
		void *block;
		int64_t bytes;
	} * list;
	int count, capacity;
	int64_t bytes; /* sum of the bytes of all blocks */
} eki_arena;

/* A string that grows. */
typedef struct eki_text {
	char *data; /* NULL if the string is empty */
	int64_t used, capacity;
} eki_text;

/* Limits for scratch: most unused blocks that a plan keeps; most bytes on the stack. */
enum { EKI_SCRATCH_KEPT = 16, EKI_SCRATCH_STACK = 2048 };

struct ek_plan {
	uint32_t magic;
	const ek_context *ctx;
	eki_problem problem;
	/* Arrays of A, which results must not overlap. They are not moved while a plan holds A. */
	struct {
		const void *data;
		int64_t bytes;
		const char *name;
	} array[EKI_MAX_ARRAYS + 1];
	int arrays;
	/* Copies of the operands in the wanted form, if an operand is in another form. by_columns
	 * and ascending tell how eki_plan_operand made its copies. */
	ek_store own[EKI_MAX_MATRICES];
	bool by_columns[EKI_MAX_MATRICES], ascending[EKI_MAX_MATRICES];
	uint64_t id; /* number that no other plan has had */
	eki_step root;
	/* The root as it was chosen, before its method prepared it: predictions are about this. */
	eki_step chosen;
	/* The largest state of the operands when the plan last read their values. New values of any
	 * operand give it a larger one. */
	_Atomic uint64_t seen;
	eki_lock refreshing;
	char format[96];                      /* format that the plan multiplies with, as text */
	char parameters[EK_PARAMETERS_TEXT]; /* what ek_plan_parameters returns */
	eki_arena memory;
	eki_text why;                 /* reasons that steps gave, for ek_plan_explain */
	eki_selection *selection;     /* table of candidates; NULL if a method was named */
	int64_t scratch_bytes;        /* bytes of scratch that one run needs */
	int64_t zero_begin, zero_end; /* the bytes of scratch that must be 0 are in this range */
	int64_t run_bytes; /* most bytes that a run allocates besides scratch and result */
	/* bytes that a run needs on the device besides what the plan has there, as far as the
	 * method said, and those of the longest array; for a choice of the library there must be
	 * room for them */
	int64_t room, room_array;
	bool automatic; /* whether the library chose the method of the root */
	void *_Atomic scratch[EKI_SCRATCH_KEPT];
	struct eki_trials *trials; /* with hints.measure: plans that do the runs; else NULL */
};

/* Makes room for `blocks` more blocks, so that eki_arena_own cannot fail for them. */
ek_status eki_arena_reserve(const ek_context *ctx, eki_arena *arena, int blocks);
void eki_arena_own(eki_arena *arena, void *block, int64_t bytes);
/* Frees one block of the arena, or does nothing if it has no such block. */
void eki_arena_drop(const ek_context *ctx, eki_arena *arena, void *block);
void eki_arena_free(const ek_context *ctx, eki_arena *arena);
ek_status eki_text_add_list(const ek_context *ctx, eki_text *text, const char *format,
                            va_list args);
void eki_text_free(const ek_context *ctx, eki_text *text);

/* Clears those bytes of a new block of scratch that runs expect to be 0. */
void eki_scratch_clear(const ek_plan *plan, void *block);
/* Allocates the first block of scratch, once all steps are prepared. */
ek_status eki_scratch_make(ek_plan *plan);
/* Takes a block of scratch for a run; eki_scratch_give gives it back. */
ek_status eki_scratch_take(ek_plan *plan, void **block);
void eki_scratch_give(ek_plan *plan, void *block);
/* Returns the total size, in bytes, of the scratch blocks that no run is using. */
int64_t eki_scratch_held(const ek_plan *plan);
void eki_scratch_free(ek_plan *plan);

/* Writes the parameters of the prepared root to plan->parameters (parameters.c). */
void eki_plan_note_parameters(ek_plan *plan);
/* Returns EK_EINVAL if `plan` is NULL or not a plan. */
ek_status eki_plan_check(const ek_plan *plan);
/* Returns EK_EINVAL if `plan` is NULL, not a plan, or a plan for another operation. */
ek_status eki_plan_check_for(const ek_plan *plan, ek_operation operation);
/* Makes a plan that holds the matrices of its problem, and whose root has yet to be set. */
ek_status eki_plan_new(const ek_context *ctx, const eki_problem *problem, ek_plan **plan);
/* Chooses the method of a plan. Sets plan->own, the reasons, and the method, stores, op and bytes
 * of plan->root. */
ek_status eki_plan_choose(ek_plan *plan, const ek_hints *hints);
/* Does a run with checked arguments. First takes over new values of A; then gives the run its
 * scratch and calls the method. */
ek_status eki_plan_run(ek_plan *plan, eki_run *run);

/* ---- Steps on devices: gpu/launch.c, gpu/run.c ----------------------------------------------- */

/* Tells whether the context can run a method. It can run all methods on the processor, and methods
 * on a device if the context has a device of that kind. */
bool eki_can_run(const ek_context *ctx, const ek_method *method);
/* Returns the method that divides products of an operation between processor and device, or NULL if
 * there is none, if the context is not for both kinds of core, or if the result is sparse and the
 * device is a processor, too. */
const ek_method *eki_together(const ek_context *ctx, ek_operation operation);
/* Returns the method that has a part of A on a device at a time, or NULL if an operation has
 * none. */
const ek_method *eki_in_batches(ek_operation operation);
/* Returns EK_ENOMEM if the context's device does not have `bytes` bytes of memory now for arrays of
 * which the longest has `array` bytes. */
ek_status eki_device_room(const ek_context *ctx, int64_t bytes, int64_t array);
/* Runs a step in which a device takes part. Runs of the same plan take turns. If y0 and y differ,
 * first copies y0 to y. The two must both be in host memory or both in device memory. */
ek_status eki_gpu_run(const eki_step *step, eki_run *v);
/* Computes Y = beta Y0 for a product that has no entries to multiply. A device takes part in the
 * step. Runs of the same plan take turns. */
ek_status eki_gpu_scale(const eki_step *step, eki_run *v);
/* Releases what a step holds on the device, but not what its children hold. */
void eki_gpu_release(eki_step *step);
/* Returns the number of bytes that a root step and its descendants hold on the device, including
 * mirrors of their stores, plus those of transposed stores on the host. */
int64_t eki_gpu_bytes(const eki_step *step);

#include "plan/dense.h"
#include "plan/learned.h"
#include "plan/operands.h"
#include "plan/select.h"
#include "plan/trials.h"

#endif
