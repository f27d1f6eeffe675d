/* SPDX-License-Identifier: BSD-3-Clause
 * Writes the table of predictions as text. A plan keeps the table as numbers, since few callers ask
 * for the text. */
#include <stdio.h>

#include "plan/plan.h"

static size_t candidate_text(const eki_selection *s, const eki_candidate *c, char *text,
                             size_t size)
{
	ek_store out = {.format = c->method->format[0]};
	char format[96];

	if (c->share <= 0)
		return (size_t)snprintf(text, size, "         %-24s %12.3f us\n", c->method->name,
		                        c->run * 1e-3);
	for (int k = 0; k < EKI_MAX_DIMS; k++)
		out.dim[k] = c->dim[k];
	eki_format_text(&out, format, sizeof format);
	return (size_t)snprintf(text, size,
	                        "         %-24s %12.3f us and %.3f us, a %lldth of the conversion "
	                        "to %s (%lld bytes)\n",
	                        c->method->name, c->run * 1e-3, c->share * 1e-3,
	                        (long long)s->f.calls, format, (long long)c->bytes);
}

static size_t head_text(const ek_context *ctx, const eki_selection *s, char *text, size_t size)
{
	const ek_stats *stats = &s->f.stats;
	const char *refused = eki_profile_refused(), *device = eki_device_profile_refused(ctx);

	if (s->format != &ek_format_csr)
		return (size_t)snprintf(text, size, "of the methods for format %s\n",
		                        s->format->name);
	return (size_t)snprintf(
		text, size,
		"least predicted time (%s%s%s%s%s), from rows of %lld to %lld entries "
		"(mean %.3g, deviation %.3g), %lld empty\n",
		s->f.machine->name, refused ? "; " : "", refused ? refused : "", device ? "; " : "",
		device ? device : "", (long long)stats->row_min, (long long)stats->row_max,
		stats->row_mean, stats->row_stddev, (long long)stats->empty_rows);
}

size_t eki_selection_text(const ek_context *ctx, const eki_selection *s, char *text, size_t size)
{
	size_t used = head_text(ctx, s, text, size);

	for (int k = 0; k < s->count; k++)
		used += candidate_text(s, &s->list[k], used < size ? text + used : NULL,
		                       used < size ? size - used : 0);
	if (s->untimed)
		used += (size_t)snprintf(used < size ? text + used : NULL,
		                         used < size ? size - used : 0,
		                         "         methods on the device are chosen only by name, "
		                         "since they were never timed there\n");
	return used;
}
