/* SPDX-License-Identifier: BSD-3-Clause
 * ek_tune: measures this machine and stores the profile. Five passes, seconds apart, keep the least
 * times, so that a program that ran for a second spoils no number. */
#include <math.h>
#include <string.h>

#include "io/io.h"
#include "tune/tune.h"

/* Effort of a full measurement and of a short one. */
static const eki_effort full = {.rounds = 5, .budget = 1e6, .most = INT64_C(256) << 20},
			quick = {.rounds = 1, .budget = 2e4, .most = INT64_C(16) << 20};

void eki_effort_step(eki_effort *e)
{
	e->done += e->done < e->of;
	if (e->progress)
		e->progress(e->user, e->done, e->of);
}

/* Moves a number into the range that is believed, in which readers of the profile accept it. */
static void clamp(eki_machine *m)
{
	eki_tunable row;

	for (int k = 0; eki_tunable_row(k, &row); k++)
		for (int i = 0; i < row.count; i++) {
			double *x = &eki_tuned(m, &row)[i];

			*x = *x >= row.least ? fmin(*x, row.most) : row.least;
		}
}

static ek_status measure(const ek_context *ctx, const ek_tune_options *o, eki_machine *m)
{
	const ek_isa most = eki_cpu_isa();
	eki_effort e = o->quick ? quick : full;

	e.progress = o->progress;
	e.user = o->user;
	e.of = eki_tune_steps(&e, most);
	if (eki_isa_gather(most, true) != most) { /* there are two ways to gather */
		double ratio;

		EK_RETURN_IF(eki_tune_gather(2 * e.rounds, e.budget, most, &ratio));
		m->loads = ratio < 1;
	}
	EK_RETURN_IF(eki_tune_costs(&e, ctx->threads, most, m));
	clamp(m);
	return EK_OK;
}

/* Hands the numbers of a machine to the caller, with those of the family's table. */
static void hand_out(const eki_machine *m, void (*number)(void *, const ek_profile_number *),
                     void *user)
{
	eki_machine own = *m, family = *eki_machine_family();
	ek_profile_number n = {.name = "loads", .count = 1};
	eki_tunable row;

	n.value[0] = own.loads;
	n.family[0] = family.loads;
	number(user, &n);
	for (int k = 0; eki_tunable_row(k, &row); k++) {
		n.name = row.name;
		n.count = row.count;
		memcpy(n.value, eki_tuned(&own, &row), (size_t)row.count * sizeof(double));
		memcpy(n.family, eki_tuned(&family, &row), (size_t)row.count * sizeof(double));
		number(user, &n);
	}
}

/* Checks, before the long measurement, that a file can be made. */
static ek_status writable(const ek_context *ctx, const char *path)
{
	eki_sink *sink;

	EK_RETURN_IF(eki_sink_open_plain(ctx, path, &sink));
	eki_sink_finish(sink, EK_EIO); /* removes the file, which has a temporary name */
	return EK_OK;
}

ek_status ek_tune(ek_context *ctx, const ek_tune_options *options)
{
	ek_tune_options o = {.size = sizeof o};
	eki_profile p = {.machine = *eki_machine_family()};
	char path[EKI_PROFILE_PATH];
	bool given;

	EK_RETURN_IF(eki_context_check(ctx));
	if (options)
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_tune_options, options, &o));
	if (!o.dry && !o.path) {
		if (!eki_profile_path(path, &given, true))
			return eki_fail(EK_EINVAL, "options.path is NULL, and %s",
			                given ? "EK_PROFILE is \"none\", or too long"
			                      : "neither XDG_CACHE_HOME nor HOME names a folder");
		o.path = path;
	}
	if (!o.dry)
		EK_RETURN_IF(writable(ctx, o.path));
	EK_RETURN_IF(measure(ctx, &o, &p.machine));
	if (!o.dry)
		EK_RETURN_IF(eki_profile_write(ctx, o.path, &p));
	if (o.number)
		hand_out(&p.machine, o.number, o.user);
	return EK_OK;
}

const char *ek_profile_name(void)
{
	return eki_machine_here()->name;
}

const char *ek_profile_refused(void)
{
	return eki_profile_refused();
}

ek_status ek_profile_numbers(void (*number)(void *user, const ek_profile_number *number),
                             void *user)
{
	if (!number)
		return eki_fail(EK_EINVAL, "number, the function to call, is NULL");
	hand_out(eki_machine_here(), number, user);
	return EK_OK;
}
