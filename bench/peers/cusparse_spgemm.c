/* SPDX-License-Identifier: BSD-3-Clause
 * cuSPARSE's products of two sparse matrices, in the module of peer_cusparse.c. A call has all
 * phases of cusparseSpGEMM (cusparse_product.c), and allocates and frees all temporary memory and
 * C.
 *
 * The operands stay on the device, and so does C, except with the peer "host": each of its calls
 * copies the operands to the device and C to new memory of the host, as calls of our methods do.
 * The peer "reuse" knows the pattern of C and computes its values again. */
#include <stdlib.h>

#include "cusparse_peer.h"

/* A way to use the library. */
struct way {
	cusparseSpGEMMAlg_t algorithm;
	int estimates; /* 1 if estimateMemory says what compute wants */
	int host;      /* 1 if the operands come from the host and C goes there in each call */
};

struct product {
	struct cusparse_session own;
	const ek_peer_problem *p;
	struct way way;
	struct cusparse_csr A, B; /* B is empty if it is A */
	struct cusparse_product of;
	void *on_host[CUSPARSE_ARRAYS]; /* C */
};

static const struct cusparse_csr *right(const struct product *m)
{
	return m->p->b_val == m->p->val ? &m->A : &m->B;
}

/* Copies the operands to the device. */
static int take_operands(struct product *m)
{
	const ek_peer_problem *p = m->p;
	const void *const a[] = {p->row_ptr, p->col_idx, p->val};
	const void *const b[] = {p->b_row_ptr, p->b_col_idx, p->b_val};

	return cusparse_csr_take(&m->A, &m->own, p->value_bytes, p->rows, p->cols, p->nnz, a) ||
	       (right(m) == &m->B &&
	        cusparse_csr_take(&m->B, &m->own, p->value_bytes, p->cols, p->b_cols, p->b_nnz, b));
}

static int drop_operands(struct product *m)
{
	return cusparse_csr_drop(&m->B) | cusparse_csr_drop(&m->A);
}

static int copy_out(struct product *m)
{
	return cusparse_csr_copy_out(&m->of.C, m->p->value_bytes, m->on_host);
}

/* Makes a new C. */
static int multiply(void *state)
{
	struct product *m = state;

	return (m->way.host && (drop_operands(m) || take_operands(m))) ||
	       cusparse_product_make(&m->of, &m->A, right(m)) || (m->way.host && copy_out(m));
}

static int multiply_again(void *state)
{
	struct product *m = state;

	return cusparse_product_again(&m->of);
}

/* ---- The peers ------------------------------------------------------------------------------- */

static void release(void *state)
{
	struct product *m = state;

	if (!m)
		return;
	cusparse_product_drop(&m->of);
	drop_operands(m);
	for (int k = 0; k < CUSPARSE_ARRAYS; k++)
		free(m->on_host[k]);
	cusparse_session_close(&m->own);
	free(m);
}

static int prepare(const ek_peer_problem *p, void **state, struct way way, int again)
{
	struct product *m;
	void *block;

	if (host_block(sizeof *m, &block))
		return 1;
	m = block;
	m->p = p;
	m->way = way;
	cusparse_product_begin(&m->of, &m->own, p->value_bytes, way.algorithm, way.estimates);
	if (cusparse_session_open(p, &m->own) || take_operands(m) ||
	    (again && cusparse_product_pattern(&m->of, &m->A, right(m))) ||
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

static int run_again(void *state, int64_t calls)
{
	return cusparse_session_run(state, calls, multiply_again);
}

static int fetch(void *state)
{
	struct product *m = state;

	if (!m->way.host && copy_out(m))
		return 1;
	*m->p->result = (ek_peer_result){m->on_host[CUSPARSE_PTR], m->on_host[CUSPARSE_COL],
	                                 m->on_host[CUSPARSE_VAL], 4, 4};
	return 0;
}

/* Defines a peer: `symbol` is its name in the module, `shown` its name in the tool; then come its
 * way, `again` and `run`, and a text. */
#define WAY(symbol, shown, algorithm, estimates, host, again_, run_, about)                        \
	static int prepare_##symbol(const ek_peer_problem *p, void **s)                            \
	{                                                                                          \
		const struct way way = {algorithm, estimates, host};                               \
                                                                                                   \
		return prepare(p, s, way, again_);                                                 \
	}                                                                                          \
	const ek_peer symbol = {EK_PEER(shown, "cuSPARSE, cusparseSpGEMM" about,                   \
	                                EK_PEER_OF(EK_SPGEMM), cusparse_peer_version),             \
	                        EK_PEER_CALLS(cusparse_product_can, prepare_##symbol, run_, fetch, \
	                                      release, cusparse_peer_error),                       \
	                        .device = 1, .elapsed = cusparse_session_elapsed,                  \
	                        .again = again_};

WAY(cusparse_product, "cusparse", CUSPARSE_SPGEMM_DEFAULT, 0, 0, 0, run,
    ", its default algorithm, on the device")
WAY(cusparse_product_alg1, "cusparse.alg1", CUSPARSE_SPGEMM_ALG1, 0, 0, 0, run,
    ", ALG1, on the device")
WAY(cusparse_product_alg2, "cusparse.alg2", CUSPARSE_SPGEMM_ALG2, 1, 0, 0, run,
    ", ALG2, on the device")
WAY(cusparse_product_alg3, "cusparse.alg3", CUSPARSE_SPGEMM_ALG3, 1, 0, 0, run,
    ", ALG3, a fifth of the products at a time, on the device")
WAY(cusparse_product_host, "cusparse.host", CUSPARSE_SPGEMM_DEFAULT, 0, 1, 0, run,
    ", its default algorithm, from the host and to the host in each call")
WAY(cusparse_product_reuse, "cusparse.reuse", CUSPARSE_SPGEMM_DEFAULT, 0, 0, 1, run_again,
    "reuse_compute, into the values of an existing C on the device")
