/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on a device whose memory does not hold A, B and C. B stays there; the rows of A and D go
 * through the rest of the memory in batches, one after the other. A batch is a product of its own,
 * by "spgemm.csr.hash.gpu" with a limit on its memory: it counts the entries of its rows of C, and
 * then makes so many of them at a time as the limit allows. The parts of a new C are put together
 * at the end; those of a known C are written in place.
 *
 * A row of A or of C is never cut, so the device must have room for B, the longest row of A and the
 * longest one that C may have. Other rows only make a batch end sooner. A plan keeps neither rows
 * of A nor what it found out about those of C, so new values of A need no copy.
 *
 * Cost: in each run the bytes of A and D cross the bus, and the rows are sorted into classes and,
 * for a new C, counted. Copies of A and D do not overlap with kernels, those of C do
 * (hash_pipe.c). The memory of a new C is taken twice for a moment. No cost is predicted: a device
 * that holds all operands is faster, and the method was not timed on a GPU.
 *
 * By rows, Gustavson 1978; the batches are own. */
#include "both/sparse.h"
#include "gpu/job.h"

#ifndef EK_NO_GPU

enum {
	/* Part of the memory that is left for other use, and part of what is left besides B for a
	 * batch. A batch is a small part, since other programs may use the device, too. */
	SPARE_PART = 10,
	BATCH_PART = 4,
	FIXED = 8192, /* bytes that a batch takes, whatever its rows are */
	ROW_WORDS = 6 /* numbers of 64 bits that a row takes, besides row pointers */
};

typedef struct batched {
	const ek_method *method; /* that computes a batch */
	int64_t rows_room;       /* bytes for the rows of A and D of a batch */
	int64_t limit;           /* bytes for B, a batch, and its rows of C */
	int64_t count;           /* batches */
} batched;

/* ---- Batches --------------------------------------------------------------------------------- */

/* Returns the bytes that `rows` rows take, with `entries` entries in A and D. Row pointers are in
 * A, D, and copies of both on the host. */
static int64_t bytes_of(const ek_store *A, int64_t rows, int64_t entries)
{
	const int64_t row = 8 * ROW_WORDS + 4 * (int64_t)eki_ptr_size(A->index);

	return eki_plus(FIXED,
	                eki_plus(eki_times(rows, row), eki_times(entries, eki_entry_bytes(A))));
}

static int64_t entries_of(const ek_store *csr, int64_t begin, int64_t end)
{
	return csr ? eki_ptr_at(csr, end) - eki_ptr_at(csr, begin) : 0;
}

/* Returns the end of the batch that begins with row `begin`: as many rows as have room, or one. */
static int64_t batch_end(const eki_step *step, int64_t begin)
{
	const batched *s = step->state;
	const ek_store *A = step->in[0], *D = step->in[2];
	int64_t low = begin + 1, high = A->rows;

	while (low < high) {
		const int64_t middle = low + (high - low + 1) / 2;
		const int64_t entries = entries_of(A, begin, middle) + entries_of(D, begin, middle);

		if (bytes_of(A, middle - begin, entries) <= s->rows_room)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Bytes that batches take on the device: what must fit, and what is chosen. */
typedef struct needs {
	int64_t b;            /* of B */
	int64_t rows, result; /* of the longest row of A and D, and of the longest one of C */
	double all;           /* of all rows of A, D and C */
	int64_t batch;        /* of a batch and its rows of C */
} needs;

/* Finds out what must fit, and the largest batch that may be made. */
static ek_status find_needs(eki_step *step, needs *n)
{
	enum { ENTRIES = 1 << 30 }; /* few of the processor's batches, which are not used */
	const ek_device_info *on = &step->ctx->device->info;
	const ek_store *A = step->in[0], *D = step->in[2];
	const int64_t d = D ? eki_longest_row(step->ctx, D) : 0;
	const int64_t most = on->memory - on->memory / SPARE_PART;
	eki_batches bounds;

	EK_RETURN_IF(eki_batches_make(step, EKI_PRODUCT, ENTRIES, &bounds));
	n->b = eki_store_bytes(step->in[1]);
	n->rows = bytes_of(A, 1, eki_longest_row(step->ctx, A) + d);
	n->result = eki_times(bounds.row_bound, eki_entry_bytes(A));
	n->all = (double)bytes_of(A, A->rows, eki_plus(A->nnz, D ? D->nnz : 0)) +
	         bounds.bound * (double)eki_entry_bytes(A);
	n->batch = most - n->b;
	if (n->batch < 0)
		return eki_fail(EK_ENOMEM,
		                "B takes %lld bytes and must fit device %s, of whose %lld bytes a "
		                "tenth is left for other use",
		                (long long)n->b, on->name, (long long)on->memory);
	if (eki_plus(n->rows, n->result) > n->batch)
		return eki_fail(EK_ENOMEM,
		                "a row of A and its row of C may take %lld bytes, while B leaves "
		                "%lld of the memory of device %s",
		                (long long)eki_plus(n->rows, n->result), (long long)n->batch,
		                on->name);
	return EK_OK;
}

/* Chooses the bytes of a batch: those asked for or a part of what is left, but no more than one
 * batch of all rows takes or than the device really has, and at least those of the longest rows.
 * Half of them are for rows of A. */
static ek_status choose_batch(eki_step *step, needs *n)
{
	const int64_t least = n->rows + n->result;
	const int64_t want = step->param[0] ? step->param[0] : n->batch / BATCH_PART;
	batched *s = step->state;
	ek_status status;

	n->batch = want < n->batch ? want : n->batch;
	n->batch = 2 * n->all < (double)n->batch ? (int64_t)(2 * n->all) : n->batch;
	n->batch = n->batch > least ? n->batch : least;
	while ((status = eki_device_room(step->ctx, n->batch, n->batch)) == EK_ENOMEM &&
	       n->batch > least)
		n->batch = n->batch / 2 > least ? n->batch / 2 : least;
	EK_RETURN_IF(status);
	s->rows_room = n->batch - n->result < n->batch / 2 ? n->batch - n->result : n->batch / 2;
	s->rows_room = s->rows_room > n->rows ? s->rows_room : n->rows;
	s->limit = n->b + n->batch;
	step->param[0] = n->batch;
	return EK_OK;
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	batched *s;
	needs n;

	if (step->problem->memory > 0)
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s keeps to no hints.memory, since the parts of C would "
		                "not count as C does; its parameter batch limits what the device "
		                "takes besides B",
		                step->method->name);
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (batched){.method = ek_method_find("spgemm.csr.hash.gpu")};
	step->state = s;
	EK_RETURN_IF(eki_gpu_open(step));
	EK_RETURN_IF(find_needs(step, &n));
	EK_RETURN_IF(eki_gpu_mirror_operand(step, 1));
	EK_RETURN_IF(choose_batch(step, &n));
	for (int64_t row = 0; row < A->rows; row = batch_end(step, row))
		s->count++;
	return eki_step_say(step,
	                    "         %lld batches of rows of A, each by %s; besides B, which "
	                    "stays there, a batch takes up to %lld bytes of the device\n",
	                    (long long)s->count, s->method->name, (long long)n.batch);
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* Makes a plan for a batch: the step's problem, but for a limit on memory. */
static ek_status make_plan(const eki_step *step, ek_plan **plan)
{
	const batched *s = step->state;
	eki_problem problem = *step->problem;

	problem.memory = s->limit;
	EK_RETURN_IF(eki_plan_new(step->ctx, &problem, plan));
	(*plan)->root = (eki_step){.method = s->method,
	                           .problem = &(*plan)->problem,
	                           .ctx = step->ctx,
	                           .plan = *plan,
	                           .in = {NULL, step->in[1]},
	                           .from = {step->from[0], step->from[1], step->from[2]},
	                           .op = {EK_OP_N, EK_OP_N, EK_OP_N},
	                           .isa = step->isa,
	                           .threads = step->threads,
	                           .parts = step->parts};
	return EK_OK;
}

/* Computes the rows [begin, end) of C. */
static ek_status try_batch(const eki_step *step, const eki_run *v, int64_t begin, int64_t end,
                           ek_store *part)
{
	eki_run run = *v;
	ek_store view[EKI_MAX_MATRICES];
	ek_plan *plan = NULL;
	ek_status status;

	run.C = part;
	EK_TRY(make_plan(step, &plan));
	for (int m = 0; m < EKI_MAX_MATRICES; m += 2)
		if (step->in[m]) {
			EK_TRY(eki_rows_view(&plan->root, step->in[m], begin, end - begin,
			                     &view[m]));
			plan->root.in[m] = &view[m];
		}
	EK_TRY(eki_step_prepare(&plan->root));
	status = eki_step_run(&plan->root, &run);
done:
	ek_plan_destroy(plan);
	return status;
}

/* Does the same. If the device runs out of memory, tries again without the temporary buffers that
 * other work has left there. */
static ek_status run_batch(const eki_step *step, const eki_run *v, int64_t begin, int64_t end,
                           ek_store *part)
{
	const ek_status status = try_batch(step, v, begin, end, part);

	if (status != EK_ENOMEM)
		return status;
	eki_jobs_trim(step->gpu->device);
	return try_batch(step, v, begin, end, part);
}

static ek_status run_known(const eki_step *step, const eki_run *v)
{
	for (int64_t row = 0, end; row < v->C->rows; row = end) {
		ek_store part;
		ek_status status;

		end = batch_end(step, row);
		EK_RETURN_IF(eki_part_view(step, v->C, row, end - row, &part));
		status = run_batch(step, v, row, end, &part);
		eki_part_view_free(step, &part);
		EK_RETURN_IF(status);
	}
	return EK_OK;
}

static ek_status run_new(const eki_step *step, const eki_run *v)
{
	const batched *s = step->state;
	ek_store *part;
	int64_t row = 0;
	ek_status status = EK_OK;
	void *block;

	EK_RETURN_IF(eki_calloc(step->ctx, s->count, sizeof *part, &block));
	part = block;
	for (int64_t k = 0; k < s->count; k++) {
		const int64_t end = batch_end(step, row);

		EK_TRY(run_batch(step, v, row, end, &part[k]));
		row = end;
	}
	status = eki_parts_join(step, part, s->count, v->C);
done:
	for (int64_t k = 0; k < s->count; k++)
		eki_store_free(step->ctx, &part[k]);
	eki_free(step->ctx, part, s->count, sizeof *part);
	return status;
}

static ek_status run(const eki_step *step, const eki_run *v)
{
	return v->C->array[CSR_PTR] ? run_known(step, v) : run_new(step, v);
}

/* ---- The row --------------------------------------------------------------------------------- */

const ek_method ek_spgemm_gpu_csr_batches = {
	.name = "spgemm.csr.batches.gpu",
	.text = "rows of A sent to a device in batches, next to B",
	.source = "Gustavson 1978; own",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = {{"batch", 64, INT64_C(1) << 40,
                   "bytes of a batch and its rows of C, at least those of the longest rows; a "
                   "quarter of what B leaves"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BATCHES,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = run,
};

#endif
