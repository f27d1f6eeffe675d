/* SPDX-License-Identifier: BSD-3-Clause
 * ek_tune: measures this machine, or a device, and stores the profile. Five passes keep the least
 * times, so that a program that ran for a second spoils no number. */
#include <math.h>
#include <stdio.h>
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
static void clamp(const eki_subject *s, eki_machine *m)
{
	eki_tunable row;

	for (int k = 0; eki_subject_row(s, k, &row); k++)
		for (int i = 0; i < row.count; i++) {
			double *x = &eki_tuned(m, &row)[i];

			*x = *x >= row.least ? fmin(*x, row.most) : row.least;
		}
}

static ek_status measure_processor(const ek_context *ctx, eki_effort *e, eki_machine *m)
{
	const ek_isa most = eki_cpu_isa();

	e->of = eki_tune_steps(e, most);
	if (eki_isa_gather(most, true) != most) { /* there are two ways to gather */
		double ratio;

		EK_RETURN_IF(eki_tune_gather(2 * e->rounds, e->budget, most, &ratio));
		m->loads = ratio < 1;
	}
	return eki_tune_costs(e, ctx->threads, most, m);
}

static ek_status measure(ek_context *ctx, const eki_subject *s, const ek_tune_options *o,
                         eki_machine *m)
{
	eki_effort e = o->quick ? quick : full;

	e.progress = o->progress;
	e.user = o->user;
	if (s->device) {
		e.of = eki_tune_device_steps(&e, s);
		EK_RETURN_IF(eki_tune_device(&e, ctx, s, m));
	} else {
		EK_RETURN_IF(measure_processor(ctx, &e, m));
	}
	clamp(s, m);
	return EK_OK;
}

/* Hands the numbers that a machine has of the subject to the caller, with those of the family's
 * table. */
static void hand_out(const eki_subject *s, const eki_machine *m,
                     void (*number)(void *, const ek_profile_number *), void *user)
{
	eki_machine own = *m, family = *eki_machine_family();
	ek_profile_number n = {.name = "loads", .count = 1};
	eki_tunable row;

	n.value[0] = own.loads;
	n.family[0] = family.loads;
	if (!s->device)
		number(user, &n);
	for (int k = 0; eki_subject_row(s, k, &row); k++) {
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

/* Sets *path to the file to write, which may be "-", for standard output, or in `own`. */
static ek_status find_path(const eki_subject *s, const char **path, char own[EKI_PROFILE_PATH])
{
	bool given;

	if (*path && !s->device)
		return EK_OK;
	if (!*path && !eki_profile_path(own, &given, true))
		return eki_fail(EK_EINVAL, "options.path is NULL, and %s",
		                given ? "EK_PROFILE is \"none\", or too long"
		                      : "neither XDG_CACHE_HOME nor HOME names a folder");
	if ((*path && snprintf(own, EKI_PROFILE_PATH, "%s", *path) >= EKI_PROFILE_PATH) ||
	    !eki_subject_path(s, own))
		return eki_fail(EK_EINVAL, "the path of the profile has more than %d characters",
		                EKI_PROFILE_PATH - 1);
	*path = own;
	return EK_OK;
}

ek_status ek_tune(ek_context *ctx, const ek_tune_options *options)
{
	ek_tune_options o = {.size = sizeof o};
	eki_profile p = {.machine = *eki_machine_family()};
	char own[EKI_PROFILE_PATH];
	eki_subject s;

	EK_RETURN_IF(eki_context_check(ctx));
	if (options)
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_tune_options, options, &o));
	eki_subject_of(ctx, &s);
	if (!o.dry) {
		EK_RETURN_IF(find_path(&s, &o.path, own));
		EK_RETURN_IF(writable(ctx, o.path));
	}
	EK_RETURN_IF(measure(ctx, &s, &o, &p.machine));
	if (!o.dry)
		EK_RETURN_IF(eki_profile_write(ctx, &s, o.path, &p));
	if (o.number)
		hand_out(&s, &p.machine, o.number, o.user);
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
	eki_subject processor;

	if (!number)
		return eki_fail(EK_EINVAL, "number, the function to call, is NULL");
	eki_subject_processor(&processor);
	hand_out(&processor, eki_machine_here(), number, user);
	return EK_OK;
}

const char *ek_context_profile_name(const ek_context *ctx)
{
	const char *name;

	if (!ctx || !ctx->device)
		return ek_profile_name();
	name = eki_device_profile_name(ctx);
	return name ? name : "built in";
}

const char *ek_context_profile_refused(const ek_context *ctx)
{
	return ctx && ctx->device ? eki_device_profile_refused(ctx) : ek_profile_refused();
}

ek_status ek_context_profile_numbers(const ek_context *ctx,
                                     void (*number)(void *user, const ek_profile_number *number),
                                     void *user)
{
	eki_subject s;

	EK_RETURN_IF(eki_context_check(ctx));
	if (!number)
		return eki_fail(EK_EINVAL, "number, the function to call, is NULL");
	eki_subject_of(ctx, &s);
	hand_out(&s, eki_machine_of(ctx), number, user);
	return EK_OK;
}
