/* SPDX-License-Identifier: BSD-3-Clause
 * Steps of a plan (step.c, scale.c). Part of plan/plan.h. */
#ifndef EK_PLAN_STEP_H
#define EK_PLAN_STEP_H

/* A prepared method. A plan is a tree of steps. If a method passes parts of its work to other
 * methods, its step has their steps as children. Such work is, for example, one part of a format, a
 * product with a transposed copy, or the device's share of a product. */
struct eki_step {
	const ek_method *method;
	const eki_problem *problem;
	const ek_context *ctx;
	ek_plan *plan; /* plan that owns the memory, the scratch and the reasons */
	/* Stores that the method multiplies with: those of the problem's matrices, copies made by
	 * the plan, or stores made by the method of a parent step. */
	const ek_store *in[EKI_MAX_MATRICES];
	/* For each of several operands the matrix that it has its values from; NULL if it has them
	 * from elsewhere. */
	const ek_matrix *from[EKI_MAX_MATRICES];
	/* Op applied to each store of `in`: normally the problem's op, the opposite op if A is
	 * stored as its transpose, or op N if the store is a transposed copy. */
	ek_op op[EKI_MAX_MATRICES];
	int64_t x_len, y_len; /* number of columns and of rows of op(A) */
	ek_isa isa;
	int threads, parts;
	/* Parameters of the method: before `prepare` those that were given, 0 for the others;
	 * afterwards those that it works with, and 0 for one that makes no difference.
	 * ek_plan_parameters shows them. */
	int64_t param[EKI_MAX_DIMS];
	int64_t dim[EKI_MAX_DIMS]; /* parameters of the format that the hints ask for */
	int64_t bytes;             /* bytes moved by one run */
	int64_t held;        /* bytes that the parent took for in[0], which count when formats do */
	void *state;         /* state of the method, or of the driver that it uses */
	void *aux;           /* state of a method whose driver uses `state` */
	struct eki_gpu *gpu; /* state of a method that runs on a device */
	eki_step *child;
	int children;
	bool part; /* a child of another step, not the root of the plan */
	/* Backend of the methods from which that of the step, and those of its children, are
	 * chosen; 0 for the usual one. */
	unsigned backend;
};

/* Allocates memory that lives as long as the plan. */
ek_status eki_step_alloc(eki_step *step, int64_t count, size_t size, void *out);
/* Reserves room for the next `blocks` blocks, so that eki_step_own cannot fail for them. Must be
 * called before these blocks are allocated. */
ek_status eki_step_reserve(eki_step *step, int blocks);
/* Gives the plan a block from eki_alloc, which the plan will free. */
void eki_step_own(eki_step *step, void *block, int64_t bytes);
/* Gives the plan the arrays of a store, for which room was reserved. */
void eki_step_own_store(eki_step *step, const ek_store *store);
/* Frees a block of the plan, or does nothing if the plan has no such block. */
void eki_step_free(eki_step *step, void *block);
/* Reserves `count` elements of `size` bytes in the scratch of each run. Sets *at to their offset
 * from run->scratch. */
ek_status eki_step_scratch(eki_step *step, int64_t count, size_t size, int64_t *at);
/* Does the same for scratch that is zero when a run gets it. The run must leave it zero. */
ek_status eki_step_scratch_zero(eki_step *step, int64_t count, size_t size, int64_t *at);
/* Adds a line to the reasons that ek_plan_explain reports. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
ek_status
eki_step_say(eki_step *step, const char *format, ...);

/* Allocates room for up to `most` children of a step that has none yet. */
ek_status eki_step_children(eki_step *step, int most);
/* Adds a child that does op `op` on the store `in`, which must live as long as the plan. The child
 * has no method until eki_step_choose chooses it. */
eki_step *eki_step_child(eki_step *step, const ek_store *in, ek_op op);
/* Adds a child that solves another problem, and does op `op` on the store `in`. The problem and the
 * store must live as long as the plan. eki_step_choose chooses the method. */
eki_step *eki_step_child_of(eki_step *step, const eki_problem *problem, const ek_store *in,
                            ek_op op);
/* Returns a lower bound on the bytes that a run with a store moves: those of the store's arrays, x
 * and y. */
int64_t eki_moved_bytes(const eki_problem *problem, const ek_store *in);
/* Chooses the method of a step for the format of step->in, without adding to the reasons. */
ek_status eki_step_choose(eki_step *step);
/* Does the same for a CSR store with columns from 0, but with other formats too. If one is chosen,
 * makes *copy, which becomes step->in[0] and lives as long as the plan; else its format is NULL. */
ek_status eki_step_choose_format(eki_step *step, ek_store *copy);
/* Prepares a step by calling `prepare` of its method. */
ek_status eki_step_prepare(eki_step *step);
/* Refreshes a step with new values of its stores, and then its children. */
ek_status eki_step_refresh(eki_step *step);
/* Runs a step as a part of a run of its plan. */
static inline ek_status eki_step_run(const eki_step *step, eki_run *run)
{
	run->aux = step->aux;
	return step->method->run(step, run);
}
/* Returns the state number that the values of the problem's matrix have now. */
uint64_t eki_step_values(const eki_step *step);
/* Releases what a step and its descendants hold on the device. */
void eki_step_release(eki_step *step);

/* What a plan has been given at some point of its preparation. */
typedef struct eki_mark {
	int blocks, children;
	int64_t text, scratch, zero_begin, zero_end;
} eki_mark;
eki_mark eki_step_mark(const eki_step *step);
/* Takes back all that the plan and the step have been given since the mark, so that a method can
 * try children and then prepare others: children, memory, scratch and reasons. */
void eki_step_rewind(eki_step *step, const eki_mark *mark);

/* Sets rows [begin, end) of Y to beta Y0, on all threads of the step. If beta is 0, writes
 * zeros. */
void eki_scale(const eki_step *step, const eki_run *v, int64_t begin, int64_t end);
/* Tells whether beta Y0 is Y, so that the two functions do nothing. */
bool eki_scale_keeps(const eki_run *v);
/* Sets rows [begin, end) of Y to beta Y0, on the calling thread alone. Values and indices have the
 * types of those of A. */
void eki_scale_serial(const ek_store *A, const eki_run *v, int64_t begin, int64_t end);

/* Returns the part of a run for columns [begin, begin + width) of x and y. */
static inline eki_run eki_run_columns(const eki_run *v, size_t value_size, int64_t begin,
                                      int64_t width)
{
	eki_run part = *v;

	part.x.data = (char *)v->x.data + begin * v->x.col * (int64_t)value_size;
	part.y.data = (char *)v->y.data + begin * v->y.col * (int64_t)value_size;
	part.y0.data = (char *)v->y0.data + begin * v->y0.col * (int64_t)value_size;
	part.width = width;
	return part;
}

/* A transposed copy, for methods that do op T as op N on such a copy. eki_step_transpose replaces
 * step->in[0] by the copy, and step->op[0] by EK_OP_N. For each entry of the copy, `from` has the
 * position of its value in `in`. The plan owns `from` and the copy. eki_transposed_refresh copies
 * new values. */
typedef struct eki_transposed {
	const ek_store *in;
	ek_store store;
	void *from;
} eki_transposed;
ek_status eki_step_transpose(eki_step *step, eki_transposed *copy);
void eki_transposed_refresh(const eki_step *step, eki_transposed *copy);

#endif
