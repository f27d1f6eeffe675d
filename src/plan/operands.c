/* SPDX-License-Identifier: BSD-3-Clause
 * The operands of operations on several matrices. The methods of these operations multiply CSR with
 * CSR. An operand in csr with op N, or in csc with op T, is used in place. Any other is copied when
 * the plan is made, via CSR, and the copy is filled again after its values change. */
#include <string.h>

#include "plan/plan.h"

/* ---- Checks ---------------------------------------------------------------------------------- */

ek_status eki_operands_alive(const ek_hints *h, const eki_operation *o)
{
	const ek_matrix *const M[] = {h->B, h->D};

	for (int k = 0; k < o->matrices - 1; k++)
		if (M[k] && M[k]->life.magic != EKI_MATRIX_MAGIC)
			return eki_fail(EK_EINVAL, "hints.%s is not a matrix, or was destroyed",
			                k == 0 ? "B" : "D");
	return EK_OK;
}

/* Checks that an operand is compatible with A. */
static ek_status operand_check(const ek_matrix *A, const ek_matrix *M, const char *name)
{
	if (M->ctx != A->ctx)
		return eki_fail(EK_EINVAL, "hints.%s was made in another context than A", name);
	if (M->store.value != A->store.value)
		return eki_fail(EK_EINVAL,
		                "hints.%s has values of type %s, A of type %s; ek_matrix_convert "
		                "changes types",
		                name, ek_value_name(M->store.value), ek_value_name(A->store.value));
	return EK_OK;
}

/* Finds the index types of the result and of the operands within steps: the widest of all, so that
 * nothing is narrowed. */
static ek_status index_check(const ek_hints *h, eki_problem *problem)
{
	if (h->index && !ek_index_name(h->index))
		return eki_fail(EK_EINVAL,
		                "hints.index is %d; 0, EK_I32, EK_I64_32 or EK_I64 is expected",
		                (int)h->index);
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (problem->A[k].M && problem->A[k].M->store.index > problem->common)
			problem->common = problem->A[k].M->store.index;
	if (h->index == EK_I64)
		problem->common = EK_I64;
	problem->index = h->index ? h->index : problem->common;
	if (problem->common == EK_I64 && problem->index != EK_I64)
		return eki_fail(EK_EINVAL,
		                "hints.index is %s, but an operand has columns of 64 bits; 0 or "
		                "EK_I64 is expected",
		                ek_index_name(h->index));
	return EK_OK;
}

ek_status eki_operands_check(const ek_hints *h, eki_problem *problem)
{
	const eki_operation *o = problem->operation;
	const ek_matrix *A = problem->A[0].M;

	if ((o->matrices == 1 && (h->B || h->index || h->op_b)) || (o->matrices < 3 && h->D))
		return eki_fail(EK_EINVAL, "hints.%s is set, but operation %s takes %s",
		                h->D      ? "D"
		                : h->B    ? "B"
		                : h->op_b ? "op_b"
		                          : "index",
		                o->name, o->matrices == 1 ? "one matrix" : "two matrices");
	if (o->number != EK_SPGEMM && h->unsorted)
		return eki_fail(EK_EINVAL,
		                "hints.unsorted is set, but it is for products by ek_spgemm, not "
		                "for operation %s",
		                o->name);
	problem->index = problem->common = A->store.index;
	if (o->matrices == 1)
		return EK_OK;
	if (!h->B)
		return eki_fail(EK_EINVAL, "hints.B is NULL; operation %s takes two matrices",
		                o->name);
	if (h->op_b != 0 && h->op_b != EK_OP_N && h->op_b != EK_OP_T)
		return eki_fail(EK_EINVAL, "hints.op_b is %d; EK_OP_N or EK_OP_T is expected",
		                (int)h->op_b);
	problem->A[1].M = h->B;
	problem->A[1].op = h->op_b == EK_OP_T ? EK_OP_T : EK_OP_N;
	problem->A[2].M = h->D;
	problem->A[2].op = EK_OP_N;
	for (int k = 1; k < EKI_MAX_MATRICES; k++)
		if (problem->A[k].M)
			EK_RETURN_IF(operand_check(A, problem->A[k].M, k == 1 ? "B" : "D"));
	return index_check(h, problem);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

ek_status eki_csr_copy_as(const ek_context *ctx, ek_index index, bool ascending, ek_store *copy,
                          const ek_store **csr)
{
	ek_store new = {0};
	int64_t first;
	ek_status status;

	EK_TRY(eki_convert_types(ctx, NULL, *csr, (*csr)->value, index, &new));
	if (ascending)
		EK_TRY(eki_sort_rows(ctx, EK_DUP_SUM, &new, &first));
	eki_store_free(ctx, copy);
	*copy = new;
	*csr = copy;
	return EK_OK;
done:
	eki_store_free(ctx, &new);
	return status;
}

/* Sets *csr to operand k as eki_plan_operand wants it: in *copy, unless it is stored that way. */
static ek_status convert(const ek_plan *p, int k, ek_store *copy, const ek_store **csr)
{
	const ek_index index = p->problem.common;
	bool unsorted;
	ek_status status = EK_OK;

	EK_RETURN_IF(eki_matrix_csr(p->problem.A[k].M, p->by_columns[k], copy, csr));
	unsorted = p->ascending[k] &&
	           !eki_matrix_ascends(p->problem.A[k].M, *csr, p->by_columns[k]);
	if (unsorted || (*csr)->index != index)
		EK_TRY(eki_csr_copy_as(p->ctx, index, unsorted, copy, csr));
done:
	if (status != EK_OK)
		eki_store_free(p->ctx, copy);
	return status;
}

ek_status eki_plan_operand(ek_plan *p, int k, bool transposed, bool ascending)
{
	const ek_store *csr;

	p->by_columns[k] = (p->problem.A[k].op == EK_OP_T) != transposed;
	p->ascending[k] = ascending;
	EK_RETURN_IF(convert(p, k, &p->own[k], &csr));
	p->root.in[k] = csr;
	p->root.from[k] = p->problem.A[k].M;
	p->root.op[k] = EK_OP_N;
	return EK_OK;
}

ek_status eki_plan_operand_values(ek_plan *p, int k)
{
	ek_store copy = {0}, *own = &p->own[k];
	const ek_store *csr;

	if (own->borrowed >> CSR_VAL & 1) /* the values are those of the operand itself */
		return EK_OK;
	EK_RETURN_IF(convert(p, k, &copy, &csr));
	eki_copy_into(p->ctx, own->array[CSR_VAL], csr->array[CSR_VAL], own->nnz,
	              ek_value_size(own->value));
	eki_store_free(p->ctx, &copy);
	return EK_OK;
}

/* ---- Sparse results -------------------------------------------------------------------------- */

bool eki_by_columns(const ek_plan *p)
{
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (p->problem.A[k].M && !p->problem.A[k].M->transposed)
			return false;
	return true;
}

eki_run eki_result_run(const ek_plan *p, double alpha, double beta)
{
	const bool adds = p->problem.operation->number == EK_SPADD || p->problem.A[2].M;
	const bool single = p->problem.A[0].M->store.value == EK_F32;

	beta = adds ? beta : 0;
	return (eki_run){.alpha = eki_real(single ? (float)alpha : alpha),
	                 .beta = eki_real(single ? (float)beta : beta)};
}

/* Tells whether a run of the plan made C, which no conversion has changed since. */
static bool is_result(const ek_plan *p, const ek_matrix *C)
{
	return C->maker == p->id;
}

static ek_status result_check(const ek_plan *p, const ek_matrix *C)
{
	if (!C)
		return EK_OK;
	EK_RETURN_IF(eki_matrix_check(C));
	if (!is_result(p, C))
		return eki_fail(EK_EINVAL,
		                "*C was not made by a run of this plan, or was converted "
		                "since; NULL asks for a new matrix");
	return EK_OK;
}

/* Runs the plan and makes a new matrix of the result. */
static ek_status make(ek_plan *plan, eki_run *run, ek_matrix **C)
{
	ek_context *ctx = (ek_context *)(uintptr_t)plan->ctx;
	ek_store store = {0};
	ek_status status;

	run->C = &store;
	EK_TRY(eki_plan_run(plan, run));
	store.columns = eki_by_columns(plan);
	EK_TRY(eki_matrix_from_store(ctx, &store, C));
	(*C)->transposed = store.columns;
	(*C)->maker = plan->id;
done:
	if (status != EK_OK)
		eki_store_free(ctx, &store);
	return status;
}

ek_status eki_plan_run_sparse(ek_plan *plan, eki_run *run, ek_matrix **C)
{
	if (!C)
		return eki_fail(EK_EINVAL, "C, where the result goes, is NULL");
	EK_RETURN_IF(result_check(plan, *C));
	if (!*C)
		return make(plan, run, C);
	run->C = &(*C)->store;
	EK_RETURN_IF(eki_plan_run(plan, run));
	return ek_matrix_values_changed(*C);
}

/* ---- Values of a result, in an array of the caller ------------------------------------------- */

/* Checks that `val` does not overlap the arrays of a matrix. */
static ek_status apart_from(const ek_matrix *M, const char *name, const void *val, int64_t bytes)
{
	const ek_array_desc *desc = M->transposed ? ek_format_csc.array : M->store.format->array;
	ek_store s;

	eki_matrix_given(M, &s); /* row pointers that begin at 1 are the caller's */
	for (int k = 0; k < EKI_MAX_ARRAYS && desc[k].name; k++) {
		const size_t size = eki_elem_size(desc[k].elem, s.value, s.index);

		if (eki_overlap(val, bytes, s.array[k], s.len[k] * (int64_t)size))
			return eki_fail(EK_EINVAL, "val overlaps the array %s of %s", desc[k].name,
			                name);
	}
	return EK_OK;
}

static ek_status values_check(const ek_plan *p, const ek_matrix *C, int64_t count, const void *val)
{
	static const char *const names[EKI_MAX_MATRICES] = {"A", "B", "D"};
	int64_t bytes;

	if (!C)
		return eki_fail(EK_EINVAL, "C, the result of an earlier run, is NULL");
	EK_RETURN_IF(eki_matrix_check(C));
	if (!is_result(p, C))
		return eki_fail(EK_EINVAL, "C was not made by a run of this plan, or was "
		                           "converted since");
	if (count != C->store.nnz)
		return eki_fail(EK_EINVAL, "count is %lld, but C has %lld entries",
		                (long long)count, (long long)C->store.nnz);
	EK_RETURN_IF(eki_array_check("val", val, count, ek_value_size(C->store.value)));
	bytes = count * (int64_t)ek_value_size(C->store.value);
	EK_RETURN_IF(apart_from(C, "C", val, bytes));
	for (int k = 0; k < EKI_MAX_MATRICES; k++)
		if (p->problem.A[k].M)
			EK_RETURN_IF(apart_from(p->problem.A[k].M, names[k], val, bytes));
	return EK_OK;
}

ek_status ek_result_values(ek_plan *plan, double alpha, double beta, const ek_matrix *C,
                           int64_t count, void *val)
{
	ek_store store;

	EK_RETURN_IF(eki_plan_check(plan));
	EK_RETURN_IF(values_check(plan, C, count, val));
	eki_run run = eki_result_run(plan, alpha, beta);

	store = C->store;
	store.array[CSR_VAL] = val;
	run.C = &store;
	return eki_plan_run(plan, &run);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Returns the bytes of temporary memory that copying operand k takes: perhaps a copy in CSR, its
 * transpose, and one with other types or sorted rows. */
static int64_t bytes_to_copy(const ek_plan *p, int k)
{
	const ek_store *own = &p->own[k];

	if (!own->format || own->borrowed >> CSR_VAL & 1)
		return 0;
	const ek_matrix *M = p->problem.A[k].M;
	/* Only a transposition has pointers of the columns, too. */
	const int64_t cols = M->transposed == p->by_columns[k] ? 0 : own->cols;
	const int64_t pointers = eki_times(eki_plus(own->rows, eki_plus(cols, 2)),
	                                   (int64_t)eki_ptr_size(own->index));

	return eki_times(3, eki_plus(pointers, eki_times(M->store.nnz, eki_entry_bytes(own))));
}

int64_t eki_plan_needs(const ek_plan *p)
{
	int64_t most = 0;

	for (int k = 0; k < EKI_MAX_MATRICES; k++) {
		const int64_t bytes = bytes_to_copy(p, k);

		most = bytes > most ? bytes : most;
	}
	most = eki_plus(most, eki_plus(p->scratch_bytes, p->run_bytes));
	return eki_plus(ek_plan_memory(p), most);
}

ek_status eki_operands_limit(const ek_plan *p)
{
	const int64_t limit = p->problem.memory, needs = eki_plan_needs(p);

	if (!p->problem.operation->limited || limit <= 0 || needs <= limit)
		return EK_OK;
	return eki_fail(EK_ELIMIT,
	                "hints.memory is %lld bytes; method %s takes at least %lld besides C on %d "
	                "thread%s",
	                (long long)limit, p->root.method->name, (long long)needs, p->root.parts,
	                p->root.parts == 1 ? "" : "s");
}
