/* SPDX-License-Identifier: BSD-3-Clause
 * Gather by the gather instructions of AVX2 and AVX-512, for floats; for other types and
 * without these instructions, as with NEON, the plain loop. Threads take ranges of entries.
 *
 * Dodson, Grimes and Lewis 1991 (GTHR). */
#include "vec/vec.h"
#define EK_VECTORS
#define EK_FILE "vec/gather_simd.c"
#include "base/for_each.h"

#include "simd/array_gather.h"

static void FN(gather)(const eki_array *a, int64_t begin, int64_t end)
{
	const IDX *idx = a->x.idx;
	const VAL *y = a->dense;
	VAL *val = a->x.val;
	int64_t k = begin;

#if EK_GATHERS
	for (; k + W <= end; k += W)
		vstore(val + k, vgather(y, idx + k));
#endif
	for (; k < end; k++)
		val[k] = y[idx[k]];
}
#undef EK_GATHERS
#undef vgather
#undef vmul

#if EK_ONCE

static ek_status run(const eki_step *step, const eki_run *v)
{
	static eki_range_fn *const gather[EK_NISA][2][4] = EK_BY_ISA_AND_VECTOR(gather);
	const eki_array *a = v->array;

	(void)step;
	return eki_ranges(a, gather[a->isa][eki_index_row(a)][eki_value_row(a->type)]);
}

/* Predicts the time in units of an entry of the plain loop, as the other gathers do. The ratio of
 * gathering to plain loops is that of products with CSR on this machine, times a factor that makes
 * it 0.75 on a Xeon, as measured in cache, and more than 1 on a Zen, whose gathers are slow. */
static double cost(const eki_features *f)
{
	const eki_machine *m = f->machine;
	const eki_array *a = f->array;
	const double n = (double)a->x.nnz;
	const int value = a->type == EK_F64;

	if (a->type != EK_F32 && a->type != EK_F64)
		return 1.01 * n;
	return m->vector.gather_simd * n *
	       m->speed[EKI_LOOP_GATHER][value][eki_isa_row(a->isa)].entry /
	       m->speed[EKI_LOOP_SERIAL][value][eki_isa_row(a->isa)].entry;
}

const ek_method ek_gather_simd = {
	.name = "gather.simd",
	.text = "gather instructions where there are any, a range for each thread",
	.source = "Dodson, Grimes and Lewis 1991, GTHR",
	.operation = EK_GATHER,
	.backend = EKI_CPU,
	.traits = EKI_STRICT,
	.run = run,
	.cost = cost,
};

#endif
