/* SPDX-License-Identifier: BSD-3-Clause
 * Decides how vectors gather entries of x: by the gather instruction, or by loads of single lanes.
 * Whole products are timed both ways, by rows of CSR, SELL and CSR5, in both value types, since
 * the cost of the instruction alone misleads: elsewhere in a kernel other instructions wait for
 * the same units.
 *
 * Reproducible methods give the same bits both ways, and predictions do not depend on the way. So a
 * measurement in each process, where there is no profile, makes no choice of a method or a format
 * differ from run to run. Other methods may round otherwise: the way that the family's table names
 * is kept unless the other one is clearly faster, so that a disturbed measurement changes nothing.
 * It takes up to two milliseconds, when the first context is made that names no instruction
 * set. */
#include <math.h>

#include "tune/tune.h"

/* Patterns of the measurement: rows of 16, whose 8 or 4 lanes are full. */
static const eki_pattern pattern = {EKI_EVEN, 400, 400, 0, 16, 0};
static const char *const methods[] = {"spmv.csr.vector", "spmv.sell", "spmv.csr5"};

enum { METHODS = sizeof methods / sizeof *methods };

ek_status eki_tune_gather(int rounds, double budget, ek_isa level, double *ratio)
{
	ek_context *ctx[2] = {NULL, NULL};
	eki_timed timed[2] = {0};
	double sum = 0;
	ek_status status;

	for (int way = 0; way < 2; way++)
		EK_TRY(eki_tune_context(1, eki_isa_gather(level, way), &ctx[way]));
	for (int k = 0; k < METHODS * EK_NVALUE; k++) {
		const ek_value value = k % EK_NVALUE ? EK_F32 : EK_F64;

		for (int way = 0; way < 2; way++)
			EK_TRY(eki_timed_make(ctx[way], &pattern, value, methods[k / EK_NVALUE],
			                      NULL, EK_OP_N, &timed[way]));
		for (int r = 0; r < 2 * rounds; r++)
			EK_TRY(eki_timed_run(&timed[r % 2], budget));
		sum += log(timed[1].ns / timed[0].ns);
		for (int way = 0; way < 2; way++)
			eki_timed_free(&timed[way]);
	}
	*ratio = exp(sum / (METHODS * EK_NVALUE));
	status = EK_OK;
done:
	for (int way = 0; way < 2; way++) {
		eki_timed_free(&timed[way]);
		ek_context_destroy(ctx[way]);
	}
	return status;
}

/* ---- Without a profile ----------------------------------------------------------------------- */

enum { UNKNOWN, BUSY, INSTRUCTION, LOADS };

/* Measures the way, or returns that of the family's table if the measurement fails. */
static bool measure(ek_isa level)
{
	const double clear = 1.1, budget = 5e3;
	const bool usual = eki_machine_family()->loads;
	double ratio;

	if (eki_tune_gather(2, budget, level, &ratio) != EK_OK)
		return usual;
	return usual ? ratio < clear : ratio < 1 / clear;
}

bool eki_loads_here(ek_isa level)
{
	static _Atomic int known;
	const eki_machine *m = eki_machine_here();
	eki_wait wait = {0};
	int state = UNKNOWN;

	if (m != eki_machine_family() || eki_isa_gather(level, true) == level)
		return m->loads;
	if (atomic_compare_exchange_strong(&known, &state, BUSY)) {
		state = measure(level) ? LOADS : INSTRUCTION;
		atomic_store(&known, state);
	}
	while (state == BUSY) {
		eki_pause(&wait);
		state = atomic_load(&known);
	}
	return state == LOADS;
}
