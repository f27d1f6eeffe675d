/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts entries by an index on a device, for transposes and for coordinates: a radix sort from the
 * lowest digit of 8 bits to the highest, in as many passes as the indices have bytes. It is stable.
 * What is sorted are indices and numbers of entries, so values and other indices are moved once, at
 * the end.
 *
 * A pass counts the digits of each tile, sums the counts up over all tiles, and moves the entries.
 * Within a tile, the rank of an entry among those with its digit is counted by comparing four
 * digits at a time, without atomic operations, whose order would not be known.
 *
 * Cost: a pass reads and writes indices and numbers once, and indices once more. Radix sort by
 * counting: Zagha and Blelloch 1991. */
#include "prim_gpu/radix.h"

#ifndef EK_NO_GPU

EKI_KERNEL_TEXT(eki_cl_radix, "prim_gpu/radix.cl");

enum { WG = 256, EACH = 16, BITS = 8, DIGITS = 1 << BITS };

static ek_status use_program(eki_job *job, ek_index index)
{
	char defines[EKI_GPU_WORDS];

	eki_program_types(EK_F32, index, defines, sizeof defines);
	eki_gpu_word(defines, "EK_WG", WG);
	eki_gpu_word(defines, "EACH", EACH);
	return eki_job_program(job, "radix", defines, eki_cl_radix);
}

ek_status eki_gpu_radix_begin(eki_job *job, ek_index index, int64_t n, eki_gpu_radix *r)
{
	*r = (eki_gpu_radix){.job = job, .index = index, .n = n};
	for (int k = 0; k < 2; k++)
		EK_RETURN_IF(eki_job_buffer(job, n, eki_idx_size(index), &r->key[k]));
	EK_RETURN_IF(eki_job_buffer(job, n, eki_ptr_size(index), &r->from));
	return eki_job_buffer(job, DIGITS * eki_groups(n, WG * EACH), sizeof(int64_t), &r->place);
}

int64_t eki_gpu_radix_bytes(ek_index index, int64_t n)
{
	const int64_t places = DIGITS * eki_groups(n, WG * EACH);
	const int64_t entry = 2 * (int64_t)eki_idx_size(index) + (int64_t)eki_ptr_size(index);

	return eki_plus(eki_times(n, entry), 8 * (places + places / 1024 + 64));
}

/* Does a pass: sorts entries by the digit that begins at bit `shift`. */
static ek_status pass(eki_gpu_radix *r, int shift, const eki_buffer *key, const eki_buffer *from,
                      const eki_buffer *to_key, const eki_buffer *to_from)
{
	const int64_t tiles = eki_groups(r->n, WG * EACH);
	const eki_arg count[] = {eki_arg_i64(r->n), eki_arg_buffer(key), eki_arg_i32(shift),
	                         eki_arg_i64(tiles), eki_arg_buffer(r->place)};
	const eki_arg place[] = {eki_arg_i64(r->n),
	                         eki_arg_buffer(key),
	                         eki_arg_buffer(from ? from : to_from),
	                         eki_arg_i32(!from),
	                         eki_arg_i32(shift),
	                         eki_arg_i64(tiles),
	                         eki_arg_buffer(r->place),
	                         eki_arg_buffer(to_key),
	                         eki_arg_buffer(to_from)};

	EK_RETURN_IF(use_program(r->job, r->index));
	EK_RETURN_IF(eki_job_launch(r->job, "radix_count", tiles, WG, count, EKI_COUNT(count)));
	EK_RETURN_IF(eki_gpu_scan(r->job, EK_INT64, EK_SUM, EK_EXCLUSIVE, DIGITS * tiles, r->place,
	                          r->place));
	EK_RETURN_IF(use_program(r->job, r->index));
	return eki_job_launch(r->job, "radix_place", tiles, WG, place, EKI_COUNT(place));
}

ek_status eki_gpu_radix_sort(eki_gpu_radix *r, int64_t end, const eki_buffer *key,
                             const eki_buffer *given, const eki_buffer *from,
                             const eki_buffer **sorted)
{
	int passes = 1;

	while (BITS * passes < 63 && end > (int64_t)1 << (BITS * passes))
		passes++;
	for (int k = 0; k < passes; k++) {
		/* The last pass writes to `from`. */
		const eki_buffer *to = (passes - k) % 2 ? from : r->from;

		EK_RETURN_IF(pass(r, BITS * k, key, given, r->key[k % 2], to));
		key = r->key[k % 2];
		given = to;
	}
	*sorted = key;
	return EK_OK;
}

ek_status eki_gpu_gather(const eki_gpu_radix *r, const eki_buffer *from, const eki_buffer *key,
                         const eki_buffer *to)
{
	const eki_arg args[] = {eki_arg_i64(r->n), eki_arg_buffer(from), eki_arg_buffer(key),
	                        eki_arg_buffer(to)};

	EK_RETURN_IF(use_program(r->job, r->index));
	return eki_job_launch(r->job, "gather", eki_groups(r->n, WG), WG, args, EKI_COUNT(args));
}

ek_status eki_gpu_expand(eki_job *job, ek_index index, int64_t rows, int64_t n,
                         const eki_buffer *ptr, const eki_buffer *row)
{
	const eki_arg args[] = {eki_arg_i64(rows), eki_arg_i64(n), eki_arg_buffer(ptr),
	                        eki_arg_buffer(row)};

	EK_RETURN_IF(use_program(job, index));
	return eki_job_launch(job, "expand", eki_groups(n, WG * EACH), WG, args, EKI_COUNT(args));
}

ek_status eki_gpu_compress(eki_job *job, ek_index index, int64_t end, int64_t n,
                           const eki_buffer *key, const eki_buffer *ptr)
{
	const eki_arg args[] = {eki_arg_i64(end), eki_arg_i64(n), eki_arg_buffer(key),
	                        eki_arg_buffer(ptr)};

	EK_RETURN_IF(use_program(job, index));
	return eki_job_launch(job, "compress", eki_groups(end + 1, WG), WG, args, EKI_COUNT(args));
}

#endif
