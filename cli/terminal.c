/* SPDX-License-Identifier: BSD-3-Clause
 * Keeps results that nobody reads off terminals: a million lines hide what was there before. A
 * result that goes to standard output because no file was named is refused if it is long and
 * standard output is a terminal. A pipe, and whoever asks for it by -o -, get all. */
#include <unistd.h>

#include "ek.h"

enum { MOST_ON_TERMINAL = 10000 }; /* entries */

/* Another "-" than that of a user. */
static const char unnamed[] = "-";

const char *tool_output_or_standard(const char *output)
{
	return output ? output : unnamed;
}

int tool_refuse_flood(const char *output, int64_t entries)
{
	char count[32], most[32];

	if (output != unnamed || entries <= MOST_ON_TERMINAL || !isatty(STDOUT_FILENO))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE,
	                 "%s entries are too many for a terminal, which gets at most %s; "
	                 "-o FILE writes a file, -o - writes here all the same",
	                 tool_count(count, entries), tool_count(most, MOST_ON_TERMINAL));
}
