/* SPDX-License-Identifier: BSD-3-Clause
 * The reduction on a device by a balanced tree: each group combines the numbers of a tile in
 * log2(TILE) steps, and the results of the tiles are combined in the same way, launch after launch,
 * until one number is left. So the order of the combinations depends on n alone, and no number goes
 * through more than 12 of them for each level of tiles.
 *
 * Cost: one read of n numbers. The result goes to the host, so the call waits for the device.
 * Liu 2015, Algorithm 4. */
#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_reduce_tree, "prim_gpu/reduce_tree.cl");

enum { WG = 256, ITEMS = 16, TILE = WG * ITEMS };

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	const size_t size = ek_value_size(a->type);
	int64_t n = a->n;
	eki_buffer in, *total = NULL;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_tiles_program(&on.job, a->type, a->op, WG, ITEMS, "reduce_tree",
	                             eki_cl_reduce_tree));
	EK_TRY(eki_gpu_array_in(&on, a->in, n * (int64_t)size, &in));
	do {
		const int64_t tiles = n > TILE ? eki_groups(n, TILE) : 1;

		EK_TRY(eki_job_buffer(&on.job, tiles, size, &total));
		const eki_arg args[] = {eki_arg_i64(n), eki_arg_buffer(&in), eki_arg_buffer(total)};

		EK_TRY(eki_job_launch(&on.job, "tile_reduce", tiles, WG, args, EKI_COUNT(args)));
		in = *total;
		n = tiles;
	} while (n > 1);
	status = eki_buffer_read(on.job.device, total, a->out, (int64_t)size);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost(const eki_features *f)
{
	const double bytes = (double)f->array->n * (double)ek_value_size(f->array->type);

	return eki_gpu_cost(f, bytes, 2);
}

const ek_method ek_reduce_gpu_tree = {
	.name = "reduce.tree.gpu",
	.text = "a balanced tree of tiles, on a device",
	.source = "Liu 2015, Algorithm 4",
	.operation = EK_REDUCE,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
