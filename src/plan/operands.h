/* SPDX-License-Identifier: BSD-3-Clause
 * The operands of operations on several matrices. Part of plan/plan.h. */
#ifndef EK_PLAN_OPERANDS_H
#define EK_PLAN_OPERANDS_H

/* Returns EK_EINVAL if B or D of the hints, as far as the operation takes them, are not matrices.
 * Those of a candidate's plan (trials.h) may have been destroyed by the caller, like A. */
ek_status eki_operands_alive(const ek_hints *hints, const eki_operation *operation);
/* Sets the operands and index types of the problem from the hints. Returns EK_EINVAL if the
 * operation takes a different number of matrices, or if an operand is not compatible with A. */
ek_status eki_operands_check(const ek_hints *hints, eki_problem *problem);
/* Returns the largest state number of the operands. State numbers only grow, so the largest changes
 * whenever an operand gets new values. */
static inline uint64_t eki_latest_state(const ek_plan *p)
{
	uint64_t latest = atomic_load(&p->problem.A[0].M->state);

	for (int k = 1; k < p->problem.operation->matrices; k++) {
		const ek_matrix *M = p->problem.A[k].M;
		const uint64_t state = M ? atomic_load(&M->state) : 0;

		latest = state > latest ? state : latest;
	}
	return latest;
}
/* Sets step->in[k] of the root to operand k of the problem in CSR, with its op applied, or to the
 * transpose of that if `transposed` is true. This is a copy in plan->own[k] if the operand is not
 * stored that way. With `ascending`, the columns of each row ascend strictly, and duplicates are
 * added up. */
ek_status eki_plan_operand(ek_plan *plan, int k, bool transposed, bool ascending);
/* Copies the current values of operand k into plan->own[k]. */
ek_status eki_plan_operand_values(ek_plan *plan, int k);
/* Returns the bytes that a plan holds before its scratch is allocated, plus those that a run will
 * take besides its result: scratch, and copies of operands with new values. */
int64_t eki_plan_needs(const ek_plan *plan);
/* Returns EK_ELIMIT if eki_plan_needs exceeds hints.memory; the message has the smallest limit that
 * would do. Operations with dense results have no such limit. */
ek_status eki_operands_limit(const ek_plan *plan);

/* Replaces *csr by a copy in *copy with indices of type `index`. With `ascending`, its rows are
 * sorted and duplicates are added up. *csr may be *copy. After an error both are unchanged. */
ek_status eki_csr_copy_as(const ek_context *ctx, ek_index index, bool ascending, ek_store *copy,
                          const ek_store **csr);

/* Tells whether all operands are in CSC. Results are then made by columns, from the transposes. */
bool eki_by_columns(const ek_plan *plan);
/* Returns the arguments of a run with a sparse result: factors are rounded to the type of values,
 * and beta is 0 where there is nothing to multiply by it. */
eki_run eki_result_run(const ek_plan *plan, double alpha, double beta);
/* Does a run with a sparse result. If *C is NULL, sets *C to a new matrix; otherwise replaces the
 * values of *C, which an earlier run of the plan must have made. After an error *C is unchanged. */
ek_status eki_plan_run_sparse(ek_plan *plan, eki_run *run, ek_matrix **C);

#endif
