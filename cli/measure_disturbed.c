/* SPDX-License-Identifier: BSD-3-Clause
 * What is said when other processes ran on the processors while a benchmark measured. */
#include "measure.h"

#define MOST_DISTURBED 0.1 /* of the samples */

bool disturbed_much(double share)
{
	return share > MOST_DISTURBED;
}

const char *disturbed_text(char text[DISTURBED_TEXT], double share)
{
	text[0] = '\0';
	if (disturbed_much(share))
		snprintf(text, DISTURBED_TEXT, "%.0f %% disturbed by other processes", 100 * share);
	return text;
}

const char *disturbed_warning(char text[DISTURBED_TEXT], int count, int of, const char *what)
{
	char who[64];

	if (of == 1)
		snprintf(who, sizeof who, "the measurement was");
	else
		snprintf(who, sizeof who, "%d of %d %s %s", count, of, what,
		         count == 1 ? "was" : "were");
	snprintf(text, DISTURBED_TEXT,
	         "%s disturbed by other processes for more than %.0f %% of the batches: "
	         "do not use these figures",
	         who, 100 * MOST_DISTURBED);
	return text;
}

void disturbed_warn(int count, int of, const char *what, FILE *out)
{
	const bool color = tool_color(out);
	char text[DISTURBED_TEXT];

	if (count)
		tool_paragraph(out, "%s%s%s", color ? "\033[1;31m" : "",
		               disturbed_warning(text, count, of, what), color ? "\033[0m" : "");
}
