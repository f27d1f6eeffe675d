/* SPDX-License-Identifier: BSD-3-Clause
 * cuSPARSE's Galerkin products, in the module of peer_cusparse.c: P^T A P by two calls of
 * cusparseSpGEMM (cusparse_product.c), whose factors cannot be transposed. So P^T is made, by
 * cusparseCsr2cscEx2, when the peer is prepared, since programs that use the library keep it; the
 * peer "host" makes it in each call, after it has copied A and P to the device, and copies C to new
 * memory of the host, as calls of our methods do. The product of the first call is made anew in
 * each call, too. */
#include <stdlib.h>

#include "cusparse_peer.h"

/* A way to use the library. */
struct way {
	int left; /* 1 for (P^T A) P, 0 for P^T (A P) */
	int host; /* 1 if A and P come from the host and C goes there in each call */
};

struct galerkin {
	struct cusparse_session own;
	const ek_peer_problem *p;
	struct way way;
	struct cusparse_csr A, P, T; /* T is P^T */
	struct cusparse_product first, last;
	void *on_host[CUSPARSE_ARRAYS]; /* C */
};

static int take_operands(struct galerkin *m)
{
	const ek_peer_problem *p = m->p;
	const void *const a[] = {p->row_ptr, p->col_idx, p->val};
	const void *const b[] = {p->b_row_ptr, p->b_col_idx, p->b_val};

	return cusparse_csr_take(&m->A, &m->own, p->value_bytes, p->rows, p->cols, p->nnz, a) ||
	       cusparse_csr_take(&m->P, &m->own, p->value_bytes, p->rows, p->b_cols, p->b_nnz, b) ||
	       cusparse_csr_transpose(&m->P, &m->own, p->value_bytes, &m->T);
}

static int drop_operands(struct galerkin *m)
{
	return cusparse_csr_drop(&m->T) | cusparse_csr_drop(&m->P) | cusparse_csr_drop(&m->A);
}

static int copy_out(struct galerkin *m)
{
	return cusparse_csr_copy_out(&m->last.C, m->p->value_bytes, m->on_host);
}

/* Makes a new C, and frees the first product. */
static int multiply(void *state)
{
	struct galerkin *m = state;
	const struct cusparse_csr *between = &m->first.C;

	if (m->way.host && (drop_operands(m) || take_operands(m)))
		return 1;
	return (m->way.left ? cusparse_product_make(&m->first, &m->T, &m->A) ||
	                              cusparse_product_make(&m->last, between, &m->P)
	                    : cusparse_product_make(&m->first, &m->A, &m->P) ||
	                              cusparse_product_make(&m->last, &m->T, between)) ||
	       cusparse_csr_drop(&m->first.C) || (m->way.host && copy_out(m));
}

static void release(void *state)
{
	struct galerkin *m = state;

	if (!m)
		return;
	cusparse_product_drop(&m->first);
	cusparse_product_drop(&m->last);
	drop_operands(m);
	for (int k = 0; k < CUSPARSE_ARRAYS; k++)
		free(m->on_host[k]);
	cusparse_session_close(&m->own);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state, struct way way)
{
	struct galerkin *m;
	void *block;

	if (host_block(sizeof *m, &block))
		return 1;
	m = block;
	m->p = p;
	m->way = way;
	cusparse_product_begin(&m->first, &m->own, p->value_bytes, CUSPARSE_SPGEMM_DEFAULT, 0);
	cusparse_product_begin(&m->last, &m->own, p->value_bytes, CUSPARSE_SPGEMM_DEFAULT, 0);
	if (cusparse_session_open(p, &m->own) || take_operands(m) ||
	    cuda_failed("cudaDeviceSynchronize", cudaDeviceSynchronize())) {
		release(m);
		return 1;
	}
	*state = m;
	return 0;
}

static int run(void *state, int64_t calls)
{
	return cusparse_session_run(state, calls, multiply);
}

static int fetch(void *state)
{
	struct galerkin *m = state;

	if (!m->way.host && copy_out(m))
		return 1;
	*m->p->result = (ek_peer_result){m->on_host[CUSPARSE_PTR], m->on_host[CUSPARSE_COL],
	                                 m->on_host[CUSPARSE_VAL], 4, 4};
	return 0;
}

/* Defines a peer: `symbol` is its name in the module, `shown` its name in the tool. */
#define WAY(symbol, shown, left, host, about)                                                     \
	static int prepare_##symbol(const ek_peer_problem *p, void **s)                           \
	{                                                                                         \
		const struct way way = {left, host};                                              \
                                                                                                  \
		return prepare(p, s, way);                                                        \
	}                                                                                         \
	const ek_peer symbol = {EK_PEER(shown, "cuSPARSE, two calls of cusparseSpGEMM, " about,   \
	                                EK_PEER_OF(EK_TRIPLE), cusparse_peer_version),            \
	                        EK_PEER_CALLS(cusparse_product_can, prepare_##symbol, run, fetch, \
	                                      release, cusparse_peer_error),                      \
	                        .device = 1, .elapsed = cusparse_session_elapsed};

WAY(cusparse_galerkin, "cusparse", 0, 0, "P^T (A P) with P^T made before, on the device")
WAY(cusparse_galerkin_left, "cusparse.left", 1, 0, "(P^T A) P with P^T made before, on the device")
WAY(cusparse_galerkin_host, "cusparse.host", 0, 1,
    "P^T (A P), from the host and to the host in each call")
