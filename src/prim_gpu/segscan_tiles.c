/* SPDX-License-Identifier: BSD-3-Clause
 * The segmented scan on a device, in tiles. It is a scan of pairs of a mark and a number: of two
 * neighbouring ranges, the second one's sum from its last mark on counts alone if it has a mark,
 * and is added to the first one's otherwise. So it runs as the scan in tiles does: the first launch
 * finds what each tile leaves open at its end, these results are scanned in the same way, and the
 * last launch scans each tile, beginning with what is open before it.
 *
 * No sum contains a number from before its segment. A number goes through at most ITEMS + log2(WG)
 * + 1 = 17 additions for each level of tiles.
 *
 * Cost: two reads and one write of n numbers, two reads of n flags. Segments with offsets are
 * marked first, which writes n flags. Liu 2015, Algorithm 11, as a scan of pairs: Sengupta,
 * Harris, Zhang and Owens 2007. */
#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_segscan_tiles, "prim_gpu/segscan_tiles.cl");

enum { WG = 256, ITEMS = 8, TILE = WG * ITEMS };

/* Scans n numbers with the program of the job. */
static ek_status scan(eki_job *job, size_t size, eki_gpu_scanned what, int64_t n,
                      const eki_buffer *in, const eki_buffer *flag, const eki_buffer *out)
{
	const int64_t tiles = eki_groups(n, TILE);
	eki_buffer *open = NULL, *any = NULL;
	ek_status status;

	EK_TRY(eki_job_buffer(job, tiles, size, &open));
	EK_TRY(eki_job_buffer(job, tiles, 1, &any));
	if (tiles > 1) {
		const eki_arg args[] = {eki_arg_i64(n), eki_arg_buffer(in), eki_arg_buffer(flag),
		                        eki_arg_buffer(open), eki_arg_buffer(any)};

		EK_TRY(eki_job_launch(job, "tile_opens", tiles, WG, args, EKI_COUNT(args)));
		EK_TRY(scan(job, size, EKI_GPU_INCLUSIVE, tiles, open, any, open));
	}
	const eki_arg args[] = {eki_arg_i64(n),         eki_arg_i32((int)what),
	                        eki_arg_i32(tiles > 1), eki_arg_buffer(open),
	                        eki_arg_buffer(in),     eki_arg_buffer(flag),
	                        eki_arg_buffer(out)};

	status = eki_job_launch(job, "tile_scans", tiles, WG, args, EKI_COUNT(args));
done:
	eki_job_drop(job, open);
	eki_job_drop(job, any);
	return status;
}

ek_status eki_gpu_segmented_scan(eki_job *job, ek_value type, ek_monoid op, eki_gpu_scanned what,
                                 int64_t n, const eki_buffer *in, const eki_buffer *flag,
                                 const eki_buffer *out)
{
	EK_RETURN_IF(eki_gpu_tiles_program(job, type, op, WG, ITEMS, "segscan_tiles",
	                                   eki_cl_segscan_tiles));
	return n ? scan(job, ek_value_size(type), what, n, in, flag, out) : EK_OK;
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_gpu_segments s;
	eki_buffer in, out;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_segments_in(&on, step->ctx, EKI_GPU_FLAGS, &s));
	EK_TRY(eki_gpu_array_through(&on, ek_value_size(a->type), &in, &out));
	status = eki_gpu_segmented_scan(&on.job, a->type, a->op,
	                                a->kind == EK_EXCLUSIVE ? EKI_GPU_EXCLUSIVE
	                                                        : EKI_GPU_INCLUSIVE,
	                                a->n, &in, &s.flag, &out);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost(const eki_features *f)
{
	const double n = (double)f->array->n;

	return eki_gpu_cost(f, n * (2 + 3 * (double)ek_value_size(f->array->type)), 4);
}

const ek_method ek_segscan_gpu_tiles = {
	.name = "segscan.tiles.gpu",
	.text = "tiles of pairs of a mark and a number, on a device",
	.source = "Liu 2015, Algorithm 11; Sengupta, Harris, Zhang, Owens 2007",
	.operation = EK_SEGMENTED_SCAN,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
