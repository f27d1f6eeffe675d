/* SPDX-License-Identifier: BSD-3-Clause
 * The bare loop: y = A x as anybody would write it in place, one thread, nothing checked, nothing
 * called. What a call of the library costs beyond this loop is its overhead, which is what counts
 * for matrices that take microseconds. */
#include "measure.h"

#define NAME bare_f32_32
#define VAL  float
#define PTR  int32_t
#define IDX  int32_t
#include "measure_bare_loop.h"

#define NAME bare_f32_64_32
#define VAL  float
#define PTR  int64_t
#define IDX  int32_t
#include "measure_bare_loop.h"

#define NAME bare_f32_64
#define VAL  float
#define PTR  int64_t
#define IDX  int64_t
#include "measure_bare_loop.h"

#define NAME bare_f64_32
#define VAL  double
#define PTR  int32_t
#define IDX  int32_t
#include "measure_bare_loop.h"

#define NAME bare_f64_64_32
#define VAL  double
#define PTR  int64_t
#define IDX  int32_t
#include "measure_bare_loop.h"

#define NAME bare_f64_64
#define VAL  double
#define PTR  int64_t
#define IDX  int64_t
#include "measure_bare_loop.h"

typedef void bare_fn(const struct bare_loop *);

void bare_loop_run(void *loop, int64_t calls)
{
	static bare_fn *const table[2][3] = {{bare_f32_32, bare_f32_64_32, bare_f32_64},
	                                     {bare_f64_32, bare_f64_64_32, bare_f64_64}};
	const struct bare_loop *b = loop;
	bare_fn *bare = table[b->value - EK_F32][b->index - EK_I32];

	for (; calls > 0; calls--)
		bare(b);
}
