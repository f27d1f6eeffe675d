/* SPDX-License-Identifier: BSD-3-Clause
 * Choosing the method: every row of the table that can do the job predicts its time from a few
 * figures of the pattern, and the least wins. The table of predictions is the explanation that
 * ek_plan_explain gives.
 *
 * The figures cost one pass over row_ptr. The constants below are rounded from measurements on
 * three server processors; only the order of the predictions matters, not their size. */
#include <stdio.h>

#include "gpu/gpu.h"

#define MEMORY_GBPS 14.0   /* that one thread draws from memory */
#define CORE_GBPS   80.0   /* from its own cache */
#define CACHE_GBPS  28.0   /* and from the last-level cache */
#define WAKE_NS     1500.0 /* to start and join threads */
#define FAR_NS      4.0    /* for an entry of x from beyond a core's cache */
#define X_SHARE     0.9    /* of that cache for x, beside the streams */
#define OVERLAP     0.15   /* of the shorter of the two that is not hidden behind the longer */

double eki_cost(const eki_features *f, double bytes, double work)
{
	double x_bytes = (double)f->stats.cols * (double)ek_value_size(f->value);
	bool in_core = f->in_cache && f->csr_bytes < EKI_L2_BYTES * f->threads;
	double move = bytes / (in_core ? CORE_GBPS : f->in_cache ? CACHE_GBPS : MEMORY_GBPS);
	double wait =
		x_bytes < X_SHARE * EKI_L2_BYTES ? 0 : FAR_NS * f->far_share * (double)f->stats.nnz;
	double longer = move > work ? move : work, shorter = move > work ? work : move;

	return (longer + OVERLAP * shorter + wait) / f->threads + (f->threads > 1 ? WAKE_NS : 0);
}

double eki_work(const eki_features *f, const eki_speed speed[EK_NISA])
{
	return speed[f->isa].row * (double)f->stats.rows +
	       speed[f->isa].entry * (double)f->stats.nnz;
}

static void describe(const eki_features *f, char *why, size_t size, size_t *used)
{
	*used += (size_t)snprintf(why + *used, size - *used,
	                          "least predicted time, from rows of %lld to %lld entries (mean "
	                          "%.3g, deviation %.3g), %lld empty\n",
	                          (long long)f->stats.row_min, (long long)f->stats.row_max,
	                          f->stats.row_mean, f->stats.row_stddev,
	                          (long long)f->stats.empty_rows);
}

static ek_status none(const ek_plan *plan, const ek_format *format)
{
	const bool csc = plan->store->columns && format == &ek_format_csr;

	return eki_fail(EK_EUNSUPPORTED, "no method does op %s%s on format %s",
	                (plan->op == EK_OP_T) != csc ? "T" : "N",
	                plan->reproducible == EK_REPRO_STRICT ? " reproducibly" : "",
	                csc ? "csc" : format->name);
}

static bool candidate(const ek_plan *plan, const ek_format *format, unsigned backend,
                      const ek_method *m)
{
	return (m->backend & backend) && m->operation == plan->operation && m->format == format &&
	       ek_method_supports(m, plan->op, plan->reproducible);
}

/* Where the candidates run. Whoever opened a device wants its methods: those of the processor take
 * part only where none of the device can do it. */
static unsigned backend_for(const ek_plan *plan, const ek_format *format)
{
	const struct eki_device *device = plan->ctx->device;
	const ek_method *m;

	if (!device || (plan->store->value == EK_F64 && !device->info.f64))
		return EKI_CPU;
	for (size_t k = 0; (m = eki_method(k)); k++)
		if (candidate(plan, format, device->driver->backend, m))
			return device->driver->backend;
	return EKI_CPU;
}

/* Of methods for a format other than CSR the last in the table is the fastest. */
static ek_status select_of_format(const ek_plan *plan, const ek_format *format,
                                  const ek_method **method, char *why, size_t size)
{
	const unsigned backend = backend_for(plan, format);
	const ek_method *last = NULL, *m;

	for (size_t k = 0; (m = eki_method(k)); k++)
		if (candidate(plan, format, backend, m))
			last = m;
	if (!last)
		return none(plan, format);
	snprintf(why, size, "the method for format %s\n", format->name);
	*method = last;
	return EK_OK;
}

ek_status eki_select(const ek_plan *plan, const ek_format *format, const ek_method **method,
                     char *why, size_t size)
{
	const ek_store *A = plan->store;
	const unsigned backend = backend_for(plan, format);
	const ek_method *best = NULL, *m;
	double best_cost = 0;
	size_t used = 0;
	eki_features f = {.value = A->value,
	                  .index = A->index,
	                  .op = plan->op,
	                  .threads = A->nnz + A->rows < plan->ctx->small_work ? 1 : plan->threads,
	                  .isa = plan->isa,
	                  .calls = plan->calls,
	                  .csr_bytes = (double)plan->bytes,
	                  .in_cache = plan->bytes < eki_cpu_cache(),
	                  .on_processor = eki_device_is_processor(plan->ctx->device)};

	if (format != &ek_format_csr)
		return select_of_format(plan, format, method, why, size);
	if (plan->reproducible == EK_REPRO_STRICT) {
		/* Strict methods differ in their order of summation, so the choice may not depend
		 * on what the bits must not depend on: it is made for one imagined machine. */
		f.threads = 16;
		f.isa = EK_ISA_AVX2;
		f.in_cache = false;
	}
	EK_RETURN_IF(eki_row_stats(plan->ctx, A, &f));
	eki_sample_shapes(A, &f);
	describe(&f, why, size, &used);
	for (size_t k = 0; (m = eki_method(k)); k++) {
		if (!candidate(plan, A->format, backend, m) || !m->cost ||
		    (m->applies && !m->applies(A, plan->op)))
			continue;

		double cost = m->cost(&f);

		if (used < size)
			used += (size_t)snprintf(why + used, size - used,
			                         "         %-24s %12.3f us\n", m->name,
			                         cost * 1e-3);
		if (!best || cost < best_cost) {
			best = m;
			best_cost = cost;
		}
	}
	if (!best)
		return none(plan, format);
	*method = best;
	return EK_OK;
}
