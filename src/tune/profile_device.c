/* SPDX-License-Identifier: BSD-3-Clause
 * The machine that is in force in contexts with a device: that of this process, with the numbers of
 * the device's stored profile in it if there is one for this version and this device. As for the
 * processor, the file of a device is read once in a process, when the first context opens that
 * device, so that all plans of the process are chosen with the same numbers. */
#include <stdio.h>
#include <string.h>

#include "tune/tune.h"

enum { MOST = 16 }; /* devices, with kinds of memory, of which a process has profiles */

/* What was found for a device. Does not change any more. */
typedef struct found {
	eki_subject device;
	bool stored, refused;
	eki_machine machine;
	char name[64], both[128]; /* of the profile, and of the machine with it */
	char why[EKI_PROFILE_WHY];
} found;

static struct {
	eki_lock lock;
	int count;
	found of[MOST];
} devices;

static void find(found *f)
{
	const eki_machine *here = eki_machine_here();
	char path[EKI_PROFILE_PATH];
	bool given, missing = false;
	eki_tunable row;
	eki_profile p;

	if (!eki_profile_path(path, &given, false) || !eki_subject_path(&f->device, path))
		return;
	f->stored = eki_profile_read(&f->device, path, &p, &missing, f->why);
	f->refused = !f->stored && !missing;
	if (!f->stored)
		return;
	f->machine = *here;
	for (int k = 0; eki_subject_row(&f->device, k, &row); k++)
		*eki_tuned(&f->machine, &row) = *eki_tuned(&p.machine, &row);
	snprintf(f->name, sizeof f->name, "%s", p.name);
	snprintf(f->both, sizeof f->both, "%s, device %s", here->name, p.name);
	f->machine.name = f->both;
}

static bool same(const eki_subject *a, const eki_subject *b)
{
	return a->on_processor == b->on_processor && strcmp(a->name, b->name) == 0;
}

/* Returns what was found for the device of a context. Returns NULL if the context has none, or if
 * there is no place left. */
static const found *find_once(const ek_context *ctx)
{
	found *f = NULL;
	eki_subject s;

	if (!ctx->device)
		return NULL;
	eki_subject_of(ctx, &s);
	eki_lock_take(&devices.lock);
	for (int k = 0; k < devices.count && !f; k++)
		if (same(&devices.of[k].device, &s))
			f = &devices.of[k];
	if (!f && devices.count < MOST) {
		f = &devices.of[devices.count++];
		f->device = s;
		find(f);
	}
	eki_lock_give(&devices.lock);
	return f;
}

const eki_machine *eki_machine_of(const ek_context *ctx)
{
	const found *f = find_once(ctx);

	return f && f->stored ? &f->machine : eki_machine_here();
}

const char *eki_device_profile_refused(const ek_context *ctx)
{
	const found *f = find_once(ctx);

	return f && f->refused ? f->why : NULL;
}

const char *eki_device_profile_name(const ek_context *ctx)
{
	const found *f = find_once(ctx);

	return f && f->stored ? f->name : NULL;
}
