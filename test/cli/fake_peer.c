/* SPDX-License-Identifier: BSD-3-Clause
 * A peer of ek bench that says to be of a device and to take a millisecond a run by its clock: the
 * square of a diagonal matrix with 64-bit values, which device.sh measures beside ours. */
#include <stdlib.h>

#include "../../bench/peers/peer.h"

struct square {
	const ek_peer_problem *p;
	double val[];
};

static const char *version(void)
{
	return "1";
}

static const char *error(void)
{
	return "out of memory";
}

static int supports(const ek_peer_problem *p)
{
	return p->rows == p->nnz && p->value_bytes == 8;
}

static int prepare(const ek_peer_problem *p, void **state)
{
	const double *val = p->val;
	struct square *s = malloc(sizeof *s + (size_t)p->nnz * sizeof *val);

	if (!s)
		return 1;
	s->p = p;
	for (int64_t k = 0; k < p->nnz; k++)
		s->val[k] = val[k] * val[k];
	*state = s;
	return 0;
}

static int run(void *state, int64_t calls)
{
	(void)state;
	(void)calls;
	return 0;
}

static int fetch(void *state)
{
	const struct square *s = state;

	*s->p->result = (ek_peer_result){s->p->row_ptr, s->p->col_idx, s->val, s->p->ptr_bytes,
	                                 s->p->idx_bytes};
	return 0;
}

static double elapsed(void *state)
{
	(void)state;
	return 1e-3;
}

static const ek_peer square = {
	EK_PEER("fake", "the square of a diagonal matrix", EK_PEER_OF(EK_SPGEMM), version),
	EK_PEER_CALLS(supports, prepare, run, fetch, free, error), .device = 1, .elapsed = elapsed};

const ek_peer *const *ek_peer_list(void)
{
	static const ek_peer *const peers[] = {&square, NULL};

	return peers;
}
