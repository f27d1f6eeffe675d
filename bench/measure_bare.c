/* SPDX-License-Identifier: BSD-3-Clause
 * The bare loop: y = A x as anybody would write it in place, with one thread, no checks and no
 * calls. The time of a call of the library minus that of this loop is the overhead of the call,
 * which is what counts for products of microseconds. The file includes itself once for each type of
 * values, and then once for each pair of index types. */
#if !defined(VAL)
#include "measure.h"

#define PASTE(a, b, c, d)   a##_##b##_##c##_##d
#define NAME(val, ptr, idx) PASTE(bare, val, ptr, idx)

#define VAL float
#include "measure_bare.c"
#undef VAL
#define VAL double
#include "measure_bare.c"

typedef void bare_fn(const struct bare_loop *);

void bare_loop_run(void *loop, int64_t calls)
{
	static bare_fn *const table[2][3] = {
		{bare_float_int32_t_int32_t, bare_float_int64_t_int32_t,
	         bare_float_int64_t_int64_t},
		{bare_double_int32_t_int32_t, bare_double_int64_t_int32_t,
	         bare_double_int64_t_int64_t}};
	const struct bare_loop *b = loop;
	bare_fn *bare = table[b->value - EK_F32][b->index - EK_I32];

	for (; calls > 0; calls--)
		bare(b);
}
#elif !defined(PTR)
#define PTR int32_t
#define IDX int32_t
#include "measure_bare.c"
#undef PTR
#define PTR int64_t
#include "measure_bare.c"
#undef IDX
#define IDX int64_t
#include "measure_bare.c"
#undef PTR
#undef IDX
#else
static void NAME(VAL, PTR, IDX)(const struct bare_loop *b)
{
	const PTR *row_ptr = b->row_ptr;
	const IDX *col_idx = b->col_idx;
	const VAL *val = b->val, *x = b->x;
	VAL *y = b->y;

	for (int64_t i = 0; i < b->rows; i++) {
		VAL sum = 0;

		for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)
			sum += val[k] * x[col_idx[k]];
		y[i] = sum;
	}
}
#endif
