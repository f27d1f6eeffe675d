/* SPDX-License-Identifier: BSD-3-Clause
 * The problem that is measured: a matrix and vectors to go with it. x is neither zeros nor ones,
 * and no two entries are the same, so that an exchanged or forgotten column shows. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

int64_t problem_ptr(const struct problem *p, int64_t i)
{
	return p->index == EK_I32 ? ((const int32_t *)p->row_ptr)[i]
	                          : ((const int64_t *)p->row_ptr)[i];
}

int64_t problem_col(const struct problem *p, int64_t k)
{
	return p->index == EK_I64 ? ((const int64_t *)p->col_idx)[k]
	                          : ((const int32_t *)p->col_idx)[k];
}

double problem_number(ek_value value, const void *data, int64_t k)
{
	return value == EK_F64 ? ((const double *)data)[k] : (double)((const float *)data)[k];
}

static void store(ek_value value, void *data, int64_t k, double number)
{
	if (value == EK_F64)
		((double *)data)[k] = number;
	else
		((float *)data)[k] = (float)number;
}

/* A number in (-1, 1) from k, by the mixing function of SplitMix64 (Steele, Lea, Flood 2014). */
static double scattered(uint64_t k)
{
	uint64_t z = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return ((double)(int64_t)(z >> 11) + 0.5) * 0x1p-52 - 1;
}

void problem_reset(struct problem *p)
{
	if (p->beta != 0)
		memcpy(p->y, p->y0, (size_t)p->out * ek_value_size(p->value));
	else
		for (int64_t i = 0; i < p->out; i++)
			store(p->value, p->y, i, NAN);
}

/* Aligned to pages, so that what is measured does not depend on where malloc happened to put it;
 * large vectors in huge pages, as the library and the buffer of the read probe are. */
void *problem_vector(ek_value value, int64_t n)
{
	const size_t huge = (size_t)2 << 20;
	size_t bytes = (size_t)(n > 0 ? n : 1) * ek_value_size(value);
	const size_t page = bytes >= 2 * huge ? huge : 4096;
	void *data;

	bytes = (bytes + page - 1) / page * page;
	data = aligned_alloc(page, bytes);
#ifdef MADV_HUGEPAGE
	if (data && page == huge)
		madvise(data, bytes, MADV_HUGEPAGE);
#endif
	for (int64_t i = 0; data && i < n; i++)
		store(value, data, i, scattered((uint64_t)i));
	return data;
}

static int arrays(struct problem *p)
{
	ek_view view[3] = {
		{.size = sizeof(ek_view)}, {.size = sizeof(ek_view)}, {.size = sizeof(ek_view)}};

	for (int k = 0; k < 3; k++) {
		static const char *const name[] = {"row_ptr", "col_idx", "val"};
		int code = tool_check(ek_matrix_array(p->A, name[k], &view[k]));

		if (code)
			return code;
		p->csr_bytes += view[k].len * (int64_t)view[k].elem_size;
	}
	p->row_ptr = view[0].data;
	p->col_idx = view[1].data;
	p->val = view[2].data;
	return TOOL_OK;
}

int problem_make(struct problem *p, const struct tool_options *options, const ek_context *ctx,
                 ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	int code = tool_check(ek_matrix_get_info(A, &info));
	bool wide = info.value == EK_F64;

	*p = (struct problem){.A = A,
	                      .rows = info.rows,
	                      .cols = info.cols,
	                      .nnz = info.nnz,
	                      .value = info.value,
	                      .index = info.index,
	                      .op = options->op,
	                      .threads = ek_context_threads(ctx),
	                      .calls = options->calls,
	                      .reproducible = options->reproducible,
	                      .alpha = wide ? options->alpha : (float)options->alpha,
	                      .beta = wide ? options->beta : (float)options->beta};
	if (!code)
		code = arrays(p);
	if (code)
		return code;
	p->in = p->op == EK_OP_T ? p->rows : p->cols;
	p->out = p->op == EK_OP_T ? p->cols : p->rows;
	p->csr_bytes += (p->in + p->out) * (int64_t)ek_value_size(p->value);
	p->x = problem_vector(p->value, p->in);
	p->y = problem_vector(p->value, p->out);
	p->y0 = problem_vector(p->value, p->out);
	p->check = p->x && p->y && p->y0 ? check_make(p) : NULL;
	if (!p->check)
		return tool_fail(TOOL_FAILED, "out of memory for the vectors of a product");
	return TOOL_OK;
}

void problem_free(struct problem *p)
{
	check_free(p->check);
	free(p->x);
	free(p->y);
	free(p->y0);
}
