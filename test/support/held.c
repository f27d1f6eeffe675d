/* SPDX-License-Identifier: BSD-3-Clause
 * Operands of tests, and comparisons of results bit for bit. */
#include "support/support.h"
#include "support/held.h"

void held_make(struct held *h, const struct shape *s, int held, ek_value value, ek_index index,
               int at_end, ek_context *ctx)
{
	*h = (struct held){.s = s, .columns = held == HELD_CSC};
	if (h->columns)
		shape_transpose(s, &h->T);
	typed_make(&h->typed, h->columns ? &h->T : s, value, index, at_end);
	expect_status((h->columns ? typed_csc : typed_csr)(ctx, &h->typed, 0, &h->M), EK_OK);
}

void held_free(struct held *h)
{
	ek_matrix_destroy(h->M);
	typed_free(&h->typed);
	if (h->columns)
		shape_free(&h->T);
}

void held_values(struct held *h, bool second)
{
	const struct shape *s = h->columns ? &h->T : h->s;

	typed_values(&h->typed, second ? s->val2 : s->val);
	expect_status(ek_matrix_values_changed(h->M), EK_OK);
}

void *values_copy(const ek_matrix *C, size_t *bytes)
{
	ek_view view = {.size = sizeof view};

	expect_status(ek_matrix_array(C, "val", &view), EK_OK);
	*bytes = (size_t)view.len * view.elem_size;
	void *copy = malloc(*bytes + 1);

	if (*bytes)
		memcpy(copy, view.data, *bytes);
	return copy;
}

const char *different_array(const ek_matrix *A, const ek_matrix *B)
{
	ek_matrix_info info = {.size = sizeof info};
	const char *name = "no format";

	if (ek_matrix_get_info(A, &info) != EK_OK)
		return name;
	for (int k = 0; (name = ek_format_array(ek_format_find(info.format), k)); k++) {
		ek_view a = {.size = sizeof a}, b = {.size = sizeof b};

		if (ek_matrix_array(A, name, &a) != EK_OK ||
		    ek_matrix_array(B, name, &b) != EK_OK || a.len != b.len ||
		    a.elem_size != b.elem_size ||
		    (a.len && memcmp(a.data, b.data, (size_t)a.len * a.elem_size) != 0))
			break;
	}
	return name;
}
