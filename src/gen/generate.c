/* SPDX-License-Identifier: BSD-3-Clause
 * Synthetic matrices: the table of generators, and the driver that makes a matrix with one of them.
 *
 * Pass 1 asks the generator for the length of every row. A prefix sum of the lengths makes the row
 * pointers. Pass 2 asks for the columns of every row and adds values. Both passes run over rows in
 * parallel, and no row depends on another. Cost: O(nnz log(longest row)) at worst, about 10 ns per
 * entry. Workspace: one row for each thread. */
#include <string.h>

#include "gen/gen.h"

#define MAX_PARTS 63

#define GENERATOR(g) extern const ek_generator g;
#include "gen/generators.def"
#undef GENERATOR
static const ek_generator *const generator_table[] = {
#define GENERATOR(g) &g,
#include "gen/generators.def"
#undef GENERATOR
};

const ek_generator *ek_generator_next(const ek_generator *after)
{
	size_t count = sizeof generator_table / sizeof *generator_table, k = 0;

	if (after)
		while (k < count && generator_table[k++] != after)
			;
	return k < count ? generator_table[k] : NULL;
}

const char *ek_generator_name(const ek_generator *generator)
{
	return generator ? generator->name : NULL;
}

const char *ek_generator_text(const ek_generator *generator)
{
	return generator ? generator->text : NULL;
}

const char *ek_generator_example(const ek_generator *generator)
{
	return generator ? generator->example : NULL;
}

/* ---- The two passes -------------------------------------------------------------------------- */

struct generate_job {
	const eki_gen *g;
	ek_store *csr;
	/* Room for parts * longest columns, or NULL if the matrix already has its columns. */
	int64_t *scratch;
	int64_t longest;
	int parts;
	int64_t bound[MAX_PARTS + 1]; /* part p of pass 2 has rows bound[p] .. bound[p + 1] - 1 */
};

static void count_part(void *arg, int part)
{
	const struct generate_job *job = arg;
	int64_t end = eki_cut(job->g->rows, job->parts, part + 1);

	for (int64_t i = eki_cut(job->g->rows, job->parts, part); i < end; i++)
		eki_ptr_set(job->csr, i, job->g->generator->count(job->g, i));
}

/* Turns the row lengths in row_ptr into row pointers, and sets *longest to the greatest length. */
static ek_status scan(const eki_gen *g, ek_store *csr, int64_t *longest)
{
	int64_t most = eki_ptr_max(csr->index) - 1, sum = 0;

	for (int64_t i = 0; i < csr->rows; i++) {
		int64_t n = eki_ptr_at(csr, i);

		if (n > most - sum)
			return eki_fail(EK_EOVERFLOW,
			                "%s: more than %lld entries, the most for index type %s",
			                g->generator->name, (long long)most,
			                ek_index_name(csr->index));
		sum += n;
		*longest = n > *longest ? n : *longest;
	}
	eki_ptr_set(csr, csr->rows, 0);
	eki_ptr_scan(g->ctx, csr->index, EK_EXCLUSIVE, csr->rows + 1, csr->array[CSR_PTR]);
	csr->nnz = sum;
	return EK_OK;
}

static void store_columns(ek_store *csr, int64_t at, const int64_t *col, int64_t n)
{
	int32_t *narrow = csr->array[CSR_COL];
	int64_t *wide = csr->array[CSR_COL];

	if (csr->index == EK_I64)
		memcpy(wide + at, col, (size_t)n * sizeof *wide);
	else
		for (int64_t k = 0; k < n; k++)
			narrow[at + k] = (int32_t)col[k];
}

/* Returns the value that the bits of `random` select. If `integer` is true, the value is one of
 * +-1 ... +-4, so that sums of products stay exact. Otherwise it is an odd multiple of 2^-53,
 * uniform in (-1, 1) without 0. */
static double value_of(uint64_t random, bool integer)
{
	if (integer)
		return (double)((int64_t)(random >> 62) + 1) * (random >> 61 & 1 ? -1 : 1);
	return (double)((int64_t)(random >> 11) * 2 + 1 - (INT64_C(1) << 53)) * 0x1p-53;
}

static void store_values(const eki_gen *g, ek_store *csr, int64_t i, int64_t begin, int64_t end)
{
	bool stencil = g->values == EKI_VALUES_STENCIL, integer = g->values == EKI_VALUES_INTEGER;
	uint64_t rng = eki_rng(g, EKI_RNG_VALUE, i);
	float *narrow = csr->array[CSR_VAL];
	double *wide = csr->array[CSR_VAL];

	for (int64_t k = begin; k < end; k++) {
		double v = stencil ? (eki_col_at(csr, k) == i ? g->generator->diagonal : -1)
		                   : value_of(eki_rng_next(&rng), integer);

		if (csr->value == EK_F64)
			wide[k] = v;
		else
			narrow[k] = eki_narrow(v);
	}
}

static void fill_part(void *arg, int part)
{
	const struct generate_job *job = arg;
	int64_t *col = job->scratch ? job->scratch + part * job->longest : NULL;

	for (int64_t i = job->bound[part]; i < job->bound[part + 1]; i++) {
		int64_t begin = eki_ptr_at(job->csr, i), end = eki_ptr_at(job->csr, i + 1);

		if (col && end > begin) {
			job->g->generator->fill(job->g, i, end - begin, col);
			eki_gen_settle(col, end - begin, job->g->cols);
			store_columns(job->csr, begin, col, end - begin);
		}
		store_values(job->g, job->csr, i, begin, end);
	}
}

/* Computes the row lengths, makes the row pointers, and allocates columns and values. */
static ek_status make_rows(struct generate_job *job)
{
	const eki_gen *g = job->g;
	ek_store *csr = job->csr;
	size_t psize = eki_ptr_size(csr->index);
	ek_status status;

	csr->len[CSR_PTR] = g->rows + 1;
	EK_TRY(eki_alloc(g->ctx, g->rows + 1, psize, &csr->array[CSR_PTR]));
	eki_parallel(g->ctx, g->ctx->threads, job->parts, count_part, job);
	if (g->generator->adjust)
		g->generator->adjust(g, csr);
	EK_TRY(scan(g, csr, &job->longest));
	csr->len[CSR_COL] = csr->len[CSR_VAL] = csr->nnz;
	EK_TRY(eki_alloc(g->ctx, csr->nnz, eki_idx_size(csr->index), &csr->array[CSR_COL]));
	EK_TRY(eki_alloc(g->ctx, csr->nnz, ek_value_size(csr->value), &csr->array[CSR_VAL]));
done:
	return status; /* on failure, the caller frees the arrays of csr */
}

static ek_status generate(eki_gen *g, ek_value value, ek_index index, ek_store *csr)
{
	struct generate_job job = {.g = g, .csr = csr, .parts = g->ctx->threads};
	void *scratch = NULL;
	ek_status status;

	if (job.parts > MAX_PARTS)
		job.parts = MAX_PARTS;
	*csr = (ek_store){.format = &ek_format_csr,
	                  .value = value,
	                  .index = index,
	                  .rows = g->rows,
	                  .cols = g->cols};
	if (g->generator->build) {
		EK_TRY(g->generator->build(g, value, index, csr));
	} else {
		EK_TRY(make_rows(&job));
		EK_TRY(eki_alloc(g->ctx, job.longest * job.parts, sizeof *job.scratch, &scratch));
		job.scratch = scratch;
		g->csr = csr;
	}
	eki_partition_rows(csr, job.parts, job.bound);
	eki_parallel(g->ctx, g->ctx->threads, job.parts, fill_part, &job);
done:
	eki_free(g->ctx, scratch, job.longest * job.parts, sizeof *job.scratch);
	if (status != EK_OK)
		eki_store_free(g->ctx, csr);
	return status;
}

ek_status ek_matrix_generate(ek_context *ctx, const char *spec, ek_value value, ek_index index,
                             ek_matrix **A)
{
	eki_gen g = {.ctx = ctx};
	ek_store csr = {0};
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	if (!spec || !A)
		return eki_fail(EK_EINVAL, "%s is NULL",
		                spec ? "A, where the result goes," : "spec");
	EK_RETURN_IF(eki_type_check(value, index));
	EK_RETURN_IF(eki_gen_parse(spec, &g));
	EK_TRY(g.generator->setup(&g));
	if (g.rows > eki_idx_max(index) || g.cols > eki_idx_max(index)) {
		status = eki_fail(EK_EOVERFLOW,
		                  "%s: %lld rows and %lld columns do not fit the index type %s",
		                  g.generator->name, (long long)g.rows, (long long)g.cols,
		                  ek_index_name(index));
		goto done;
	}
	EK_TRY(generate(&g, value, index, &csr));
	EK_TRY(eki_matrix_from_store(ctx, &csr, A));
done:
	eki_free(ctx, g.table, g.table_len, sizeof *g.table);
	if (status != EK_OK)
		eki_store_free(ctx, &csr);
	return status;
}
