/* SPDX-License-Identifier: BSD-3-Clause
 * Operations on a matrix that measure a case for each combination of lists of options. */
#include "run.h"

static int one(void *at, const int64_t value[MOST_LISTS])
{
	const struct matrix_at *m = at;

	return m->b->op->one(m, value);
}

int matrix_lists(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	struct matrix_at at = {b, source, A, {.size = sizeof at.info}};
	const int code = tool_check(ek_matrix_get_info(A, &at.info));

	return code ? code : walk_lists(b, &at, one);
}

struct bench_case *case_of_op(const struct matrix_at *at, ek_op op, const char *variant, int *code)
{
	struct bench_case *c = case_of_matrix(at->b, at->source, at->A, code);

	if (c) {
		c->op = op == EK_OP_T ? "t" : "n";
		c->variant = variant;
		c->name = keep("%s%s, %s", c->matrix, op == EK_OP_T ? "^T" : "", variant);
	}
	return c;
}
