/* SPDX-License-Identifier: BSD-3-Clause
 * What a profile describes: the processor, or a device with its driver, its number of compute units
 * and the kind of memory that it shares with the host, since each of these decides how fast
 * products are. Each has a file of its own, so that a device is measured without measuring the
 * processor again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tune/tune.h"

void eki_subject_processor(eki_subject *s)
{
	*s = (eki_subject){.device = false};
	eki_processor_name(s->name);
}

void eki_subject_of(const ek_context *ctx, eki_subject *s)
{
	*s = (eki_subject){.device = true, .on_processor = eki_device_is_processor(ctx)};
	eki_device_identity(ctx, s->name, sizeof s->name);
	if (!*s->name)
		eki_subject_processor(s);
	for (char *c = s->name; s->device && *c; c++) /* as a line of the file needs it */
		*c = *c < ' ' || *c > '~' ? '?' : *c;
}

bool eki_subject_row(const eki_subject *s, int k, eki_tunable *row)
{
	return s->device ? eki_tunable_device_row(s->on_processor, k, row)
	                 : eki_tunable_row(k, row);
}

/* Tells whether a path may name a file, rather than standard output or a folder. */
static bool names_file(const char *path)
{
	return *path && path[strlen(path) - 1] != '/' && strcmp(path, "-") != 0;
}

bool eki_subject_path(const eki_subject *s, char path[EKI_PROFILE_PATH])
{
	const size_t used = strlen(path), left = EKI_PROFILE_PATH - used;

	return !s->device || !names_file(path) ||
	       (size_t)snprintf(path + used, left, ".%016" PRIx64,
	                        eki_hash(s->name, (int64_t)strlen(s->name), 0)) < left;
}
