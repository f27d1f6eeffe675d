/* SPDX-License-Identifier: BSD-3-Clause
 * What the additions of two sparse vectors on a device share (add.c). A method is a function that
 * puts the sum into s->z and returns the number of its entries; its run is eki_gpu_add_run with
 * that function. */
#ifndef EK_VEC_GPU_ADD_H
#define EK_VEC_GPU_ADD_H

#include "prim_gpu/network.h"

enum { EKI_GPU_ADD_WG = 256 }; /* work-items of a group, except with heaps */

/* One call. The indices of the vectors are keys, and their values are values. Values are not
 * brought to the device if their factor is 0; kernels then get the indices in their place. */
typedef struct eki_gpu_add {
	eki_gpu_arrays on;
	const eki_array *a;
	eki_gpu_pair x, y, z;
} eki_gpu_add;

typedef ek_status eki_gpu_add_fn(eki_gpu_add *s, int64_t *count);

/* Brings the vectors to the device and calls `add`, unless both are empty. */
ek_status eki_gpu_add_run(const eki_step *step, const eki_run *v, eki_gpu_add_fn *add);
/* Makes the kernels of `text` those of the next launches: VAL is the type of values, KEY that of
 * indices (eki_gpu_pairs), and a work-item has EACH entries, one or more. */
ek_status eki_gpu_add_program(eki_gpu_add *s, int wg, int each, const char *name, const char *text);
/* Takes memory for n indices and n values. */
ek_status eki_gpu_add_room(eki_gpu_add *s, int64_t n, eki_gpu_pair *at);
/* Returns x or y as an argument for kernels: 0 is alpha, 1 is beta. */
eki_arg eki_gpu_add_factor(const eki_gpu_add *s, int which);

#endif
