/* SPDX-License-Identifier: BSD-3-Clause
 * The scan on a device, in tiles. The first launch combines the numbers of each tile; the results
 * are scanned in the same way; the last launch scans each tile, beginning with what comes before
 * it. No group waits for another.
 *
 * Within a tile each work-item has consecutive numbers, which it combines one after the other; the
 * results of the work-items are scanned by a tree in local memory (prim_body/scan.cl). So every
 * number goes through at most 2 ITEMS + log2(WG) = 24 additions for each level of tiles. Integers
 * wrap around.
 *
 * Cost: two reads and one write of n numbers. Sengupta, Harris, Zhang and Owens 2007; Liu 2015,
 * section 4.4. */
#include "prim_gpu/arrays.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_scan_tiles, "prim_gpu/scan_tiles.cl");

enum { WG = 256, ITEMS = 8, TILE = WG * ITEMS };

/* Scans n numbers with the program of the job. */
static ek_status scan(eki_job *job, size_t size, ek_scan_kind kind, int64_t n, const eki_buffer *in,
                      const eki_buffer *out)
{
	const int64_t tiles = eki_groups(n, TILE);
	eki_buffer *before = NULL;
	ek_status status;

	EK_TRY(eki_job_buffer(job, tiles, size, &before));
	if (tiles > 1) {
		const eki_arg args[] = {eki_arg_i64(n), eki_arg_buffer(in), eki_arg_buffer(before)};

		EK_TRY(eki_job_launch(job, "tile_totals", tiles, WG, args, EKI_COUNT(args)));
		EK_TRY(scan(job, size, EK_EXCLUSIVE, tiles, before, before));
	}
	const eki_arg args[] = {eki_arg_i64(n),         eki_arg_i32(kind == EK_EXCLUSIVE),
	                        eki_arg_i32(tiles > 1), eki_arg_buffer(before),
	                        eki_arg_buffer(in),     eki_arg_buffer(out)};

	status = eki_job_launch(job, "tile_scans", tiles, WG, args, EKI_COUNT(args));
done:
	eki_job_drop(job, before);
	return status;
}

ek_status eki_gpu_scan(eki_job *job, ek_value type, ek_monoid op, ek_scan_kind kind, int64_t n,
                       const eki_buffer *in, const eki_buffer *out)
{
	EK_RETURN_IF(
		eki_gpu_tiles_program(job, type, op, WG, ITEMS, "scan_tiles", eki_cl_scan_tiles));
	return n ? scan(job, ek_value_size(type), kind, n, in, out) : EK_OK;
}

/* ---- The method ------------------------------------------------------------------------------ */

static ek_status run(const eki_step *step, const eki_run *v)
{
	const eki_array *a = v->array;
	eki_buffer in, out;
	eki_gpu_arrays on;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &on);
	EK_TRY(eki_gpu_array_through(&on, ek_value_size(a->type), &in, &out));
	status = eki_gpu_scan(&on.job, a->type, a->op, a->kind, a->n, &in, &out);
done:
	return eki_gpu_arrays_end(&on, status);
}

static double cost(const eki_features *f)
{
	const double bytes = (double)f->array->n * (double)ek_value_size(f->array->type);

	return eki_gpu_cost(f, 3 * bytes, 3);
}

const ek_method ek_scan_gpu_tiles = {
	.name = "scan.tiles.gpu",
	.text = "tiles, whose totals are scanned first, on a device",
	.source = "Sengupta, Harris, Zhang, Owens 2007; Liu 2015, section 4.4",
	.operation = EK_SCAN,
	.backend = EKI_GPU,
	.cost = cost,
	.run = run,
};

#endif
