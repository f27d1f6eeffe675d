/* SPDX-License-Identifier: BSD-3-Clause
 * The merge sort as plain loops (prim_body/sort.h), the reference for all other sorts and the only
 * one that is stable.
 *
 * Knuth 1998, The Art of Computer Programming 3, sections 5.2.1 and 5.2.4. */
#include "prim/network.h"
#include "prim_body/sort.h"
#define EK_ARRAYS
#define EK_INTS_ONLY
#define EK_TYPES_ONLY
#define EK_FILE "prim/sort_serial.c"
#include "base/for_each.h"

static void FN(sort_serial_0)(int64_t n, eki_pair_at p, eki_pair_at copy, ek_value type)
{
	eki_sort_pairs(n, p, copy, (eki_pair_kind){sizeof(VAL), 0, eki_flip(type) != 0});
}

static void FN(sort_serial_4)(int64_t n, eki_pair_at p, eki_pair_at copy, ek_value type)
{
	eki_sort_pairs(n, p, copy, (eki_pair_kind){sizeof(VAL), 4, eki_flip(type) != 0});
}

static void FN(sort_serial_8)(int64_t n, eki_pair_at p, eki_pair_at copy, ek_value type)
{
	eki_sort_pairs(n, p, copy, (eki_pair_kind){sizeof(VAL), 8, eki_flip(type) != 0});
}

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	const ek_context *ctx = step->ctx;
	const eki_array *a = v->array;
	static void (*const sort[3][2])(int64_t, eki_pair_at, eki_pair_at, ek_value) = {
		EK_BY_INT(sort_serial_0), EK_BY_INT(sort_serial_4), EK_BY_INT(sort_serial_8)};
	const size_t size = ek_value_size(a->type), values = a->a.value_size;
	const int64_t capacity = eki_sort_scratch(a->n);
	void *key = NULL, *value = NULL;
	ek_status status = EK_OK;

	EK_TRY(eki_alloc(ctx, capacity, size, &key));
	if (values)
		EK_TRY(eki_alloc(ctx, capacity, values, &value));
	sort[values / 4][eki_int_row(a->type)](a->n, (eki_pair_at){a->a.key, a->a.value},
	                                       (eki_pair_at){key, value}, a->type);
done:
	eki_free(ctx, key, capacity, size);
	eki_free(ctx, value, capacity, values);
	return status;
}

const ek_method ek_sort_serial = {
	.name = "sort.serial",
	.text = "merge sort as loops, stable, the reference",
	.source = "Knuth 1998, sections 5.2.1 and 5.2.4",
	.operation = EK_SORT,
	.backend = EKI_CPU,
	.traits = EKI_STRICT | EKI_SERIAL,
	.run = run,
};

#endif
