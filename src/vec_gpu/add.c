/* SPDX-License-Identifier: BSD-3-Clause
 * The course of an addition of two sparse vectors on a device. How many entries the sum has is
 * known only once both vectors have been compared. So a call waits once, for that number; what is
 * left to do is then put into the queue. */
#include "vec_gpu/add.h"

#ifndef EK_NO_GPU

/* Brings a vector to the device. */
static ek_status bring(eki_gpu_add *s, const ek_sparse *v, eki_scalar factor, eki_gpu_pair *at)
{
	const int64_t is = (int64_t)ek_value_size(v->index), vs = (int64_t)ek_value_size(v->value);

	EK_RETURN_IF(eki_gpu_array_in(&s->on, v->idx, v->nnz * is, &at->key));
	at->value = at->key;
	return factor.re == 0 ? EK_OK : eki_gpu_array_in(&s->on, v->val, v->nnz * vs, &at->value);
}

ek_status eki_gpu_add_run(const eki_step *step, const eki_run *v, eki_gpu_add_fn *add)
{
	const eki_array *a = v->array;
	const int64_t size[2] = {(int64_t)ek_value_size(a->x.index),
	                         (int64_t)ek_value_size(a->type)};
	const int64_t n = a->x.nnz + a->y.nnz;
	eki_gpu_add s = {.a = a};
	int64_t count = 0;
	ek_status status;

	eki_gpu_arrays_begin(step, a, &s.on);
	EK_TRY(bring(&s, &a->x, a->alpha, &s.x));
	EK_TRY(bring(&s, &a->y, a->beta, &s.y));
	EK_TRY(eki_gpu_array_out(&s.on, a->z.idx, n * size[0], &s.z.key));
	EK_TRY(eki_gpu_array_out(&s.on, a->z.val, n * size[1], &s.z.value));
	if (n > 0)
		EK_TRY(add(&s, &count));
	eki_gpu_arrays_shorten(&s.on, a->z.idx, count * size[0]);
	eki_gpu_arrays_shorten(&s.on, a->z.val, count * size[1]);
	status = EK_OK;
done:
	status = eki_gpu_arrays_end(&s.on, status);
	if (status == EK_OK)
		*a->count = count;
	return status;
}

ek_status eki_gpu_add_program(eki_gpu_add *s, int wg, int each, const char *name, const char *text)
{
	char defines[EKI_GPU_WORDS];
	size_t used;

	eki_gpu_type(s->a->type, defines, sizeof defines);
	used = strlen(defines);
	eki_gpu_pairs(s->a->x.index, ek_value_size(s->a->type), defines + used,
	              sizeof defines - used);
	eki_gpu_word(defines, "EK_WG", wg);
	eki_gpu_word(defines, "EACH", each);
	return eki_job_program(&s->on.job, name, defines, text);
}

ek_status eki_gpu_add_room(eki_gpu_add *s, int64_t n, eki_gpu_pair *at)
{
	const ek_pairs kind = ek_key_value(s->a->x.index, ek_value_size(s->a->type), n, NULL, NULL);

	return eki_gpu_pairs_temporary(&s->on.job, &kind, n, at);
}

eki_arg eki_gpu_add_factor(const eki_gpu_add *s, int which)
{
	return eki_arg_val(s->a->type, which ? s->a->beta : s->a->alpha);
}

#endif
