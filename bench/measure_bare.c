/* SPDX-License-Identifier: BSD-3-Clause
 * The bare loop: y = A x as anybody would write it in place, with one thread, no checks and no
 * calls. The time of a call to the library minus that of this loop is the overhead of the call,
 * which matters for products that take microseconds. */
#include "measure.h"

#define BARE(name, VAL, PTR, IDX)                                         \
	static void name(const struct bare_loop *b)                       \
	{                                                                 \
		const PTR *row_ptr = b->row_ptr;                          \
		const IDX *col_idx = b->col_idx;                          \
		const VAL *val = b->val, *x = b->x;                       \
		VAL *y = b->y;                                            \
                                                                          \
		for (int64_t i = 0; i < b->rows; i++) {                   \
			VAL sum = 0;                                      \
                                                                          \
			for (PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++) \
				sum += val[k] * x[col_idx[k]];            \
			y[i] = sum;                                       \
		}                                                         \
	}
BARE(bare_f32_i32, float, int32_t, int32_t)
BARE(bare_f32_p64, float, int64_t, int32_t)
BARE(bare_f32_i64, float, int64_t, int64_t)
BARE(bare_f64_i32, double, int32_t, int32_t)
BARE(bare_f64_p64, double, int64_t, int32_t)
BARE(bare_f64_i64, double, int64_t, int64_t)

void bare_loop_run(void *loop, int64_t calls)
{
	static void (*const table[2][3])(const struct bare_loop *) = {
		{bare_f32_i32, bare_f32_p64, bare_f32_i64},
		{bare_f64_i32, bare_f64_p64, bare_f64_i64}};
	const struct bare_loop *b = loop;

	for (; calls > 0; calls--)
		table[b->value - EK_F32][b->index - EK_I32](b);
}
