/* SPDX-License-Identifier: BSD-3-Clause
 * ek --version: prints the versions of tool and library, how the library was built, and what the
 * library finds on this machine. The drivers of devices come last, since looking for them may take
 * a second. */
#include "ek.h"

static void print_line(const char *name, const char *text)
{
	printf("%-12s %s\n", name, text);
}

static void print_features(void)
{
	for (const ek_feature *f = NULL; (f = ek_feature_next(f));) {
		const char *version = ek_feature_version(f);

		printf("%-12s %s (%s)\n", ek_feature_name(f),
		       !version   ? "left out"
		       : *version ? version
		                  : "yes",
		       ek_feature_text(f));
	}
}

static void print_drivers(void)
{
	char text[1000];

	fflush(stdout);
	if (ek_device_drivers(text, sizeof text) == EK_OK)
		print_line("drivers", text);
}

int tool_version(void)
{
	ek_build_info info = {.size = sizeof info};
	int code = tool_check(ek_build_get_info(&info));

	if (code != TOOL_OK)
		return code;
	printf("ek %d.%d.%d, library evenkeel %s\n", EK_VERSION_MAJOR, EK_VERSION_MINOR,
	       EK_VERSION_PATCH, info.version);
	print_line("commit", info.commit);
	print_line("compiler", info.compiler);
	print_line("threads", info.threads);
	printf("%-12s %s; here %s\n", "instructions", info.isa, ek_isa_name(info.isa_here));
	print_features();
	print_drivers();
	return TOOL_OK;
}
