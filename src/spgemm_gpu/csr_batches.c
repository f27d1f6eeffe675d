/* SPDX-License-Identifier: BSD-3-Clause
 * SpGEMM on a device whose memory does not hold A, B and C. The rows of A and D go through it in
 * batches, one after the other. A batch is a product of its own, by "spgemm.csr.hash.gpu" with a
 * limit on its memory: it counts the entries of its rows of C, and then makes so many of them at a
 * time as the limit allows. The parts of a new C are put together at the end; those of a known C
 * are written in place.
 *
 * B stays on the device if it has room beside the longest rows. Otherwise B goes through it in
 * slices of columns, as few as leave a quarter of the memory to batches, and all rows of A and D
 * are multiplied by each slice. A product of a row of A and a slice of B is that slice of the row
 * of C (both/sparse_columns.c).
 *
 * A row of A, or of a slice of C, is never cut, so the device must have room for the row pointers
 * of B and as many bytes of entries, the longest row of A, and the longest one that a slice of C
 * may have. Other rows only make a batch end sooner. A plan keeps neither rows of A nor what it
 * found out about those of C, so new values of A need no copy.
 *
 * Cost: in each run the bytes of A and D cross the bus, and the rows are sorted into classes and,
 * for a new C, counted. With slices, those of B cross the bus, too, and all of A once for each
 * slice. Copies of A, B and D do not overlap with kernels, those of C do (hash_pipe.c). The memory
 * of a new C is taken twice for a moment. No cost is predicted: a device that holds all operands is
 * faster, and the method was not timed on a GPU.
 *
 * By rows, Gustavson 1978; the batches and slices are own. */
#include "gpu/job.h"
#include "spgemm_gpu/csr_batches.h"

#ifndef EK_NO_GPU

enum {
	/* Part of the memory that is left for other use, and part of what is left besides B for a
	 * batch. A batch is a small part, since other programs may use the device, too. */
	SPARE_PART = 10,
	BATCH_PART = 4,
	SLICE_PART = 4, /* part of the memory that a slice leaves, if its size is chosen */
	FIXED = 8192,   /* bytes that a batch takes, whatever its rows are */
	ROW_WORDS = 6   /* numbers of 64 bits that a row takes, besides row pointers */
};

/* ---- Batches --------------------------------------------------------------------------------- */

/* Row pointers are in A, D, and copies of both on the host. */
int64_t eki_batched_bytes(const ek_store *A, int64_t rows, int64_t entries)
{
	const int64_t row = 8 * ROW_WORDS + 4 * (int64_t)eki_ptr_size(A->index);

	return eki_plus(FIXED,
	                eki_plus(eki_times(rows, row), eki_times(entries, eki_entry_bytes(A))));
}

static int64_t entries_of(const ek_store *csr, int64_t begin, int64_t end)
{
	return csr ? eki_ptr_at(csr, end) - eki_ptr_at(csr, begin) : 0;
}

int64_t eki_batched_end(const eki_step *step, int64_t begin)
{
	const eki_batched *s = step->state;
	const ek_store *A = step->in[0], *D = step->in[2];
	int64_t low = begin + 1, high = A->rows;

	while (low < high) {
		const int64_t middle = low + (high - low + 1) / 2;
		const int64_t entries = entries_of(A, begin, middle) + entries_of(D, begin, middle);

		if (eki_batched_bytes(A, middle - begin, entries) <= s->rows_room)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* ---- Preparation ----------------------------------------------------------------------------- */

/* Bytes that are taken on the device: what must fit, and what is chosen. */
typedef struct needs {
	int64_t most;  /* that may be taken */
	int64_t b;     /* of B, or of a slice */
	int64_t rows;  /* of the longest row of A and D */
	int64_t width; /* entries that a row of C may have */
	double all;    /* of all rows of A, D and C */
	int64_t batch; /* of a batch and its rows of C */
} needs;

static ek_status find_needs(eki_step *step, needs *n)
{
	enum { ENTRIES = 1 << 30 }; /* few of the processor's batches, which are not used */
	const ek_device_info *on = &step->ctx->device->info;
	const ek_store *A = step->in[0], *D = step->in[2];
	eki_batches bounds;

	EK_RETURN_IF(eki_batches_make(step, EKI_PRODUCT, ENTRIES, &bounds));
	*n = (needs){
		.most = on->memory - on->memory / SPARE_PART,
		.b = eki_store_bytes(step->in[1]),
		.rows = eki_batched_bytes(A, 1, bounds.longest[0] + bounds.longest[2]),
		.width = bounds.row_bound,
		.all = (double)eki_batched_bytes(A, A->rows, eki_plus(A->nnz, D ? D->nnz : 0)) +
	               bounds.bound * (double)eki_entry_bytes(A)};
	return EK_OK;
}

/* Chooses the bytes of a batch: those asked for or a part of what is left besides n->b, but no more
 * than one batch of all rows takes or than the device really has, and at least those of the longest
 * rows. Half of them are for rows of A. A slice, whose longest array has `array` bytes, needs room,
 * too; B itself, for which `array` is 0, is there. */
static ek_status choose_batch(eki_step *step, int64_t array, needs *n)
{
	const ek_device_info *on = &step->ctx->device->info;
	const int64_t result = eki_times(n->width, eki_entry_bytes(step->in[0]));
	const int64_t least = eki_plus(n->rows, result);
	const int64_t left = n->most > n->b ? n->most - n->b : 0;
	const int64_t asked = step->param[EKI_BATCHED_BATCH];
	int64_t batch = asked ? asked : left / BATCH_PART;
	eki_batched *s = step->state;
	ek_status status;

	if (least > left)
		return eki_fail(EK_ENOMEM,
		                "a row of A and its row of C may take %lld bytes, while %s "
		                "leaves %lld of the memory of device %s",
		                (long long)least, array ? "a slice of B" : "B", (long long)left,
		                on->name);
	batch = batch < left ? batch : left;
	batch = 2 * n->all < (double)batch ? (int64_t)(2 * n->all) : batch;
	batch = batch > least ? batch : least;
	while ((status = eki_device_room(step->ctx, batch + (array ? n->b : 0),
	                                 batch > array ? batch : array)) == EK_ENOMEM &&
	       batch > least)
		batch = batch / 2 > least ? batch / 2 : least;
	EK_RETURN_IF(status);
	s->rows_room = batch - result < batch / 2 ? batch - result : batch / 2;
	s->rows_room = s->rows_room > n->rows ? s->rows_room : n->rows;
	s->limit = n->b + batch;
	n->batch = batch;
	return EK_OK;
}

/* Brings B to the device, where it stays. */
static ek_status keep_b(eki_step *step, needs *n)
{
	const ek_device_info *on = &step->ctx->device->info;

	if (n->b > n->most)
		return eki_fail(EK_ENOMEM,
		                "B takes %lld bytes, and neither B nor slices of its columns fit "
		                "device %s, of whose %lld bytes a tenth is left for other use",
		                (long long)n->b, on->name, (long long)on->memory);
	EK_RETURN_IF(eki_gpu_mirror_operand(step, 1));
	return choose_batch(step, 0, n);
}

static void drop_b(eki_step *step)
{
	for (int k = CSR_PTR; k <= CSR_VAL; k++)
		if (step->gpu->operand[1][k]) {
			eki_mirror_put(step->gpu->device, step->gpu->operand[1][k]);
			step->gpu->operand[1][k] = NULL;
		}
}

/* Returns how many slices B may have: as long as its row pointers, which each slice has, take no
 * more than half of a slice. */
static int most_slices(const ek_store *B)
{
	const int64_t pointers = (B->rows + 1) * (int64_t)eki_ptr_size(B->index);
	const int64_t slices = eki_times(B->nnz, eki_entry_bytes(B)) / pointers;

	return slices < EKI_SLICES ? (int)slices : EKI_SLICES;
}

/* Tries a number of slices. */
static ek_status try_slices(eki_step *step, const eki_columns *columns, int count, bool asked,
                            needs *n)
{
	const ek_store *B = step->in[1];
	const int64_t pointers = (B->rows + 1) * (int64_t)eki_ptr_size(B->index);
	eki_batched *s = step->state;
	needs with = *n;
	int64_t array;

	eki_columns_cut(columns, count, &s->slices);
	array = s->slices.entries * (int64_t)ek_value_size(B->value);
	array = array > pointers ? array : pointers;
	with.b = pointers + s->slices.entries * eki_entry_bytes(B);
	with.width = n->width < s->slices.columns ? n->width : s->slices.columns;
	if (!asked && with.b > n->most - n->most / SLICE_PART)
		return EK_ENOMEM;
	EK_RETURN_IF(choose_batch(step, array, &with));
	step->param[EKI_BATCHED_SLICES] = count;
	*n = with;
	return EK_OK;
}

/* Cuts B into slices: so many, or, if that is 0, as few as do. If none do, leaves the message that
 * said why B does not stay. */
static ek_status slice_b(eki_step *step, int asked, needs *n)
{
	const int most = asked ? asked : most_slices(step->in[1]);
	ek_status status = EK_ENOMEM;
	eki_columns columns;

	EK_RETURN_IF(eki_columns_count(step->ctx, step->in[1], &columns));
	for (int count = asked ? asked : 2; count <= most && status == EK_ENOMEM; count++)
		status = try_slices(step, &columns, count, asked, n);
	eki_columns_free(step->ctx, &columns);
	return status;
}

/* Decides whether B stays on the device. */
static ek_status place_b(eki_step *step, needs *n)
{
	const int64_t wanted = step->param[EKI_BATCHED_SLICES];
	const int most = most_slices(step->in[1]);
	const int asked = wanted < most ? (int)wanted : most;
	ek_status status;

	step->param[EKI_BATCHED_SLICES] = 0;
	if (asked > 1)
		return slice_b(step, asked, n);
	status = keep_b(step, n);
	if (status != EK_ENOMEM)
		return status;
	drop_b(step);
	return slice_b(step, 0, n);
}

static ek_status say(eki_step *step, const needs *n)
{
	const eki_batched *s = step->state;

	if (s->slices.count)
		EK_RETURN_IF(eki_step_say(step,
		                          "         B goes to the device in %d slice%s of columns, "
		                          "of up to %lld bytes\n",
		                          s->slices.count, s->slices.count > 1 ? "s" : "",
		                          (long long)n->b));
	return eki_step_say(step,
	                    "         %lld batches of rows of A, each by %s; besides %s, a batch "
	                    "takes up to %lld bytes of the device\n",
	                    (long long)s->count, s->method->name,
	                    s->slices.count ? "a slice of B" : "B, which stays there",
	                    (long long)n->batch);
}

static ek_status prepare(eki_step *step)
{
	const ek_store *A = step->in[0];
	eki_batched *s;
	needs n;

	if (step->problem->memory > 0)
		return eki_fail(EK_EUNSUPPORTED,
		                "method %s keeps to no hints.memory, since the parts of C would "
		                "not count as C does; its parameter batch limits what the device "
		                "takes besides B",
		                step->method->name);
	EK_RETURN_IF(eki_step_alloc(step, 1, sizeof *s, &s));
	*s = (eki_batched){.method = ek_method_find("spgemm.csr.hash.gpu")};
	step->state = s;
	EK_RETURN_IF(eki_gpu_open(step));
	EK_RETURN_IF(find_needs(step, &n));
	EK_RETURN_IF(place_b(step, &n));
	step->param[EKI_BATCHED_BATCH] = n.batch;
	for (int64_t row = 0; row < A->rows; row = eki_batched_end(step, row))
		s->count++;
	return say(step, &n);
}

/* ---- The row --------------------------------------------------------------------------------- */

const ek_method ek_spgemm_gpu_csr_batches = {
	.name = "spgemm.csr.batches.gpu",
	.text = "rows of A sent to a device in batches, next to B or to slices of its columns",
	.source = "Gustavson 1978; own",
	.operation = EK_SPGEMM,
	.format = {&ek_format_csr, &ek_format_csr, &ek_format_csr},
	.param = {{"batch", 64, INT64_C(1) << 40,
                   "bytes of a batch and its rows of C, at least those of the longest rows; a "
                   "quarter of what B leaves"},
                  {"slices", 2, EKI_SLICES,
                   "slices of columns in which B goes to the device, at most so many that entries "
                   "take half of each; if it is not given, B stays, or has as few as fit"}},
	.backend = EKI_GPU,
	.traits = EKI_OP_N | EKI_OP_T | EKI_BATCHES,
	.prepare = prepare,
	.refresh = eki_gpu_refresh_operands,
	.run = eki_batched_run,
};

#endif
