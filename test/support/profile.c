/* SPDX-License-Identifier: BSD-3-Clause
 * Texts of profiles. */
#include <stdio.h>
#include <stdlib.h>

#include "support/profile.h"
#include "support/support.h"

void device_profile(const eki_subject *s, char text[MOST_TEXT])
{
	snprintf(text, MOST_TEXT,
	         "evenkeel device profile 1\nversion %s\ndevice %s\ndate 2026-11-25\nlaunch 77\n"
	         "device_gbps 5\nlane_gather 9\n%s",
	         ek_version(), s->name, s->on_processor ? "loop_gbps 3\n" : "");
}

void text_replace(char text[MOST_TEXT], const char *from, const char *to)
{
	static char rest[MOST_TEXT];
	char *at = strstr(text, from);

	assert_non_null(at);
	strcpy(rest, at + strlen(from));
	snprintf(at, (size_t)(MOST_TEXT - (at - text)), "%s%s", to, rest);
}

void text_write(const char *file, const char *text)
{
	FILE *f = fopen(file, "w");

	if (!f || fputs(text, f) == EOF || fclose(f) != 0)
		abort();
}
