/* SPDX-License-Identifier: BSD-3-Clause
 * Measures a device: what a launch takes, how fast arrays are read, and how long a lane that is
 * alone takes for an entry. Whole products are timed by the clock of the device: with so few rows
 * that only the launch counts, with many, and with a long one. How many bytes a product counts as
 * is what its method's own cost function says, as for the processor, so that its predictions are
 * right afterwards. Nothing is solved for jointly, since the bytes of a long row are not moved at
 * the speed of many rows: on PoCL two lanes take a hundredth of that time for a row of 65,536.
 *
 * A processor that serves as the device has a fourth number, since kernels without barriers become
 * plain loops there. */
#include <math.h>

#include "tune/tune.h"

enum { LAUNCH, MOVE, CHAIN, LOOP, PRODUCTS };
enum { LONG_ROW = 1 << 16, LANES = 2, LEAST_SHARE = 5 };

static const struct {
	const char *method;
	eki_pattern pattern; /* `rows` is 0 if the effort and the device decide */
} products[PRODUCTS] = {
	[LAUNCH] = {"spmv.csr.vector.gpu", {EKI_EVEN, 256, 256, 0, 4, 0}},
	[MOVE] = {"spmv.csr.vector.gpu", {EKI_EVEN, 0, 0, 0, 32, 0}},
	[CHAIN] = {"spmv.csr.vector.gpu:lanes=2", {EKI_SCATTERED, 1, 4 * LONG_ROW, 0, LONG_ROW, 0}},
	[LOOP] = {"spmv.csr.scalar.gpu", {EKI_EVEN, 0, 0, 0, 32, 0}},
};

/* The least time of a product, in nanoseconds, and the bytes that its method counts. */
typedef struct measured {
	double ns, bytes;
} measured;

/* LOOP comes last, and is for processors only. */
static int product_count(const eki_subject *s)
{
	return s->on_processor ? PRODUCTS : LOOP;
}

int eki_tune_device_steps(const eki_effort *e, const eki_subject *s)
{
	return e->rounds * product_count(s);
}

/* Returns a pattern with as many rows as the effort and the memory of the device allow. Half of the
 * effort's bytes are more than the caches of most devices hold, and the host needs them twice. */
static eki_pattern sized(const eki_effort *e, const ek_device_info *info, ek_value value, int k)
{
	const double most = fmin((double)e->most / 2, (double)info->memory / 16);
	eki_pattern p = products[k].pattern;

	if (p.rows == 0) {
		const double row = p.length * (4.0 + (double)ek_value_size(value));

		p.rows = p.cols = (int)fmax(256, most / row);
	}
	return p;
}

/* Returns a machine whose device does nothing but read a byte in a nanosecond. */
static eki_machine reader(void)
{
	eki_machine m = *eki_machine_family();

	for (int k = 0; k < 2; k++) {
		m.launch[k] = 0;
		m.device_gbps[k] = 1;
	}
	m.loop_gbps = 1;
	m.lane_gather = 0;
	return m;
}

static ek_status measure(const eki_effort *e, ek_context *ctx, int k, measured *p)
{
	const double batch = 3e6; /* ns, in which hundreds of launches follow each other */
	const eki_machine m = reader();
	ek_device_info info = {.size = sizeof info};
	eki_timed t = {0};
	ek_status status;

	EK_TRY(ek_context_get_device(ctx, &info));
	const ek_value value = info.f64 ? EK_F64 : EK_F32;
	const eki_pattern pattern = sized(e, &info, value, k);

	EK_TRY(eki_timed_make(ctx, &pattern, value, products[k].method, NULL, EK_OP_N, &t));
	EK_TRY(eki_timed_clock(&t, batch));
	p->ns = fmin(p->ns, t.ns);
	EK_TRY(eki_timed_predict(&t, &m, &p->bytes));
done:
	eki_timed_free(&t);
	return status;
}

/* Returns the time of a product beside the launch, and never less than a part of it. */
static double beside(const measured *p, const measured *launch)
{
	return fmax(p->ns - launch->ns, p->ns / LEAST_SHARE);
}

ek_status eki_tune_device(eki_effort *e, ek_context *ctx, const eki_subject *s, eki_machine *m)
{
	measured p[PRODUCTS];

	for (int k = 0; k < PRODUCTS; k++)
		p[k] = (measured){.ns = INFINITY};
	for (int r = 0; r < e->rounds; r++)
		for (int k = 0; k < product_count(s); k++) {
			EK_RETURN_IF(measure(e, ctx, k, &p[k]));
			eki_effort_step(e);
		}
	m->launch[s->on_processor] = p[LAUNCH].ns;
	m->device_gbps[s->on_processor] = p[MOVE].bytes / beside(&p[MOVE], &p[LAUNCH]);
	m->lane_gather = beside(&p[CHAIN], &p[LAUNCH]) * LANES / LONG_ROW;
	if (s->on_processor)
		m->loop_gbps = p[LOOP].bytes / beside(&p[LOOP], &p[LAUNCH]);
	return EK_OK;
}
