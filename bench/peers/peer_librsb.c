/* SPDX-License-Identifier: BSD-3-Clause
 * librsb: recursive sparse blocks (Martone 2014), as made by rsb_mtx_alloc_from_csr_const with the
 * library's own choices ("librsb"), and after rsb_tune_spmm, which tries other layouts and numbers
 * of threads for some seconds ("librsb.tuned"). */
#include <omp.h>
#include <rsb.h>
#include <stdlib.h>

#include "peer.h"

#ifndef PEER_VERSION
#define PEER_VERSION "unknown"
#endif
#define TUNE_SECONDS 3

struct product {
	const ek_peer_problem *p;
	struct rsb_mtx_t *A;
	rsb_trans_t op;
	double alpha64, beta64;
	float alpha32, beta32;
};

static char message[256];

static int fail(rsb_err_t status)
{
	rsb_strerror_r(status, message, sizeof message);
	return 1;
}

static const char *error(void)
{
	return message;
}

static const char *version(void)
{
	return PEER_VERSION;
}

static int supports(const ek_peer_problem *p)
{
	return p->ptr_bytes == 4 && p->idx_bytes == 4 && p->rows > 0 && p->cols > 0 && p->nnz > 0 &&
	       p->x_order == p->y_order;
}

static rsb_flags_t order(const ek_peer_problem *p)
{
	return p->x_order == EK_ROW_MAJOR ? RSB_FLAG_WANT_ROW_MAJOR_ORDER
	                                  : RSB_FLAG_WANT_COLUMN_MAJOR_ORDER;
}

/* Returns the number of entries from one row or column of a block to the next. */
static rsb_nnz_idx_t leading(const ek_peer_problem *p, int64_t rows)
{
	return (rsb_nnz_idx_t)(p->x_order == EK_ROW_MAJOR ? p->width : rows);
}

static rsb_nnz_idx_t x_leading(const ek_peer_problem *p)
{
	return leading(p, p->transposed ? p->rows : p->cols);
}

static rsb_nnz_idx_t y_leading(const ek_peer_problem *p)
{
	return leading(p, p->transposed ? p->cols : p->rows);
}

static const void *alpha(const struct product *m)
{
	return m->p->value_bytes == 4 ? (const void *)&m->alpha32 : (const void *)&m->alpha64;
}

static const void *beta(const struct product *m)
{
	return m->p->value_bytes == 4 ? (const void *)&m->beta32 : (const void *)&m->beta64;
}

static void release(void *state)
{
	struct product *m = state;

	if (m)
		rsb_mtx_free(m->A);
	free(m);
}

/* Starts the library, which takes the number of threads from OpenMP, or starts it again with
 * another number: no matrices are left then. */
static int initialise(int threads)
{
	static int with;

	omp_set_num_threads(threads);
	if (with == threads)
		return 1;
	if (with)
		rsb_lib_exit(RSB_NULL_EXIT_OPTIONS);
	with = rsb_lib_init(RSB_NULL_INIT_OPTIONS) == RSB_ERR_NO_ERROR ? threads : 0;
	return with;
}

static int prepare(const ek_peer_problem *p, void **state)
{
	struct product *m = calloc(1, sizeof *m);
	rsb_err_t status = RSB_ERR_NO_ERROR;

	if (!m || !initialise(p->threads)) {
		free(m);
		return fail(RSB_ERR_ENOMEM);
	}
	m->p = p;
	m->op = p->transposed ? RSB_TRANSPOSITION_T : RSB_TRANSPOSITION_N;
	m->alpha64 = p->alpha;
	m->beta64 = p->beta;
	m->alpha32 = (float)p->alpha;
	m->beta32 = (float)p->beta;
	m->A = rsb_mtx_alloc_from_csr_const(
		p->val, p->row_ptr, p->col_idx, (rsb_nnz_idx_t)p->nnz,
		p->value_bytes == 4 ? RSB_NUMERICAL_TYPE_FLOAT : RSB_NUMERICAL_TYPE_DOUBLE,
		(rsb_coo_idx_t)p->rows, (rsb_coo_idx_t)p->cols, RSB_DEFAULT_ROW_BLOCKING,
		RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &status);
	if (!m->A) {
		free(m);
		return fail(status);
	}
	*state = m;
	return 0;
}

static int prepare_tuned(const ek_peer_problem *p, void **state)
{
	struct product *m;
	rsb_real_t gain = 0;
	rsb_int_t threads = p->threads;
	rsb_err_t status;
	int code = prepare(p, state);

	if (code)
		return code;
	m = *state;
	status = rsb_tune_spmm(&m->A, &gain, &threads, 0, TUNE_SECONDS, m->op, alpha(m), NULL,
	                       (rsb_coo_idx_t)p->width, order(p), p->x, x_leading(p), beta(m), p->y,
	                       y_leading(p));
	if (status == RSB_ERR_NO_ERROR)
		return 0;
	release(m);
	*state = NULL;
	return fail(status);
}

static int run(void *state, int64_t calls)
{
	const struct product *m = state;

	for (; calls > 0; calls--) {
		const ek_peer_problem *p = m->p;
		rsb_err_t status =
			p->operation == EK_SPMV
				? rsb_spmv(m->op, alpha(m), m->A, p->x, 1, beta(m), p->y, 1)
				: rsb_spmm(m->op, alpha(m), m->A, (rsb_coo_idx_t)p->width, order(p),
		                           p->x, x_leading(p), beta(m), p->y, y_leading(p));

		if (status != RSB_ERR_NO_ERROR)
			return fail(status);
	}
	return 0;
}

static const ek_peer plain = {
	EK_PEER("librsb", "librsb, recursive sparse blocks",
                EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM), version),
	EK_PEER_CALLS(supports, prepare, run, NULL, release, error),
};
static const ek_peer tuned = {
	EK_PEER("librsb.tuned", "librsb, recursive sparse blocks, after rsb_tune_spmm",
                EK_PEER_OF(EK_SPMV) | EK_PEER_OF(EK_SPMM), version),
	EK_PEER_CALLS(supports, prepare_tuned, run, NULL, release, error),
};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const list[] = {&plain, &tuned, NULL};

	return list;
}
