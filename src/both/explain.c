/* SPDX-License-Identifier: BSD-3-Clause
 * What ek_plan_explain says of a product by both kinds of core. */
#include <stdio.h>

#include "both/both.h"

#ifndef EK_NO_GPU

enum { ALL = 1000 };

ek_status eki_both_say_share(eki_step *step, const char *how)
{
	const eki_both *s = step->state;
	const ek_store *A = step->in[0];
	const int64_t row = s->first < s->pieces ? s->piece[s->first].begin : A->rows;
	const double all = (double)(A->rows + A->nnz);
	const double above = all > 0 ? (double)(row + eki_ptr_at(A, row)) / all : 0;

	EK_RETURN_IF(eki_step_say(step,
	                          "         both at once, %s: the device does rows 0 to %lld (%.0f "
	                          "of 1000 parts of the "
	                          "work), the processor those below\n",
	                          how, (long long)row, ALL * above));
	EK_RETURN_IF(eki_both_say_chunks(step));
	return s->moves ? eki_step_say(step,
	                               "         runs move %d pieces of the rows between "
	                               "the two until they take the least time\n",
	                               EKI_MOVABLE)
	                : EK_OK;
}

ek_status eki_both_say_chunks(eki_step *step)
{
	const eki_both *s = step->state;

	return s->chunks > 1 ? eki_step_say(step,
	                                    "         the device's rows go in %d chunks, copies of "
	                                    "one beside the product of another\n",
	                                    s->chunks)
	                     : EK_OK;
}

ek_status eki_both_say_times(eki_step *step, const eki_times_found *t)
{
	char chunks[60] = "";

	if (t->chunks > 0)
		snprintf(chunks, sizeof chunks, ", the device in chunks %.6f ms", 1e3 * t->chunks);
	return eki_step_say(step,
	                    "         a product takes, as %s: the device %.6f ms (%.6f of these "
	                    "for copies), the processor %.6f ms, both together %.6f ms%s%s\n",
	                    t->measured ? "measured" : "predicted", 1e3 * t->device,
	                    1e3 * (t->speeds.to + t->speeds.back), 1e3 * t->host, 1e3 * t->both,
	                    t->measured && !t->both_measured ? " (predicted)" : "", chunks);
}

ek_status eki_both_say_methods(eki_step *step)
{
	const eki_both *s = step->state;
	const ek_method *name[EKI_SIDES] = {0};

	for (int k = 0; k < s->pieces; k++)
		for (int side = 0; side < EKI_SIDES; side++)
			if (!name[side] && s->piece[k].step[side])
				name[side] = s->piece[k].step[side]->method;
	for (int side = 0; side < EKI_SIDES; side++)
		if (name[side])
			EK_RETURN_IF(eki_step_say(step, "         on the %s: %s\n",
			                          side == EKI_DEVICE_SIDE ? "device" : "processor",
			                          name[side]->name));
	if (s->streams)
		EK_RETURN_IF(
			eki_step_say(step, "         A goes to the device in batches, %s\n",
		                     s->batch ? "as asked for" : "since it does not fit there"));
	return eki_step_say(step, "         vectors on the device: the device multiplies all "
	                          "rows\n");
}

void eki_both_report(const eki_step *step, char *text, size_t size)
{
	const eki_both *s = step->state;

	if (s->moves)
		eki_balance_report(step, &s->balance, s->pieces, text, size);
}

#endif
