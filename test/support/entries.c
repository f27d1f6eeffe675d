/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/entries.h"
#include "support/support.h"

void shape_open(struct shape *s, const char *name, int64_t rows, int64_t cols, int64_t room)
{
	*s = (struct shape){.rows = rows, .cols = cols, .room = room};
	snprintf(s->name, sizeof s->name, "%s", name);
	s->ptr = calloc((size_t)rows + 1, sizeof *s->ptr);
	s->col = calloc((size_t)room, sizeof *s->col);
	s->val = calloc((size_t)room, sizeof *s->val);
	s->val2 = calloc((size_t)room, sizeof *s->val2);
}

static void put(struct shape *s, int64_t col, double val, double val2)
{
	assert_true(s->nnz < s->room);
	s->col[s->nnz] = col;
	s->val[s->nnz] = val;
	s->val2[s->nnz++] = val2;
}

void shape_put(struct shape *s, int64_t col, struct rng *draw)
{
	const double val = rng_real(draw, 4);

	put(s, col, val, rng_real(draw, 4));
}

void shape_put_integer(struct shape *s, int64_t col, struct rng *draw)
{
	const double val = rng_integer(draw, 3);

	put(s, col, val, rng_integer(draw, 3));
}

void shape_end_row(struct shape *s, int64_t i)
{
	s->ptr[i + 1] = s->nnz;
}
